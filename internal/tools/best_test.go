package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// returnsSeen are the returns of a channel in all answers, by basis.
type returnsSeen map[string]map[string][]float64

func (s returnsSeen) add(channel measure.Channel, basis string, value *answer.Ratio) {
	if value == nil || channel == "" {
		return
	}
	key := string(channel)
	if s[key] == nil {
		s[key] = map[string][]float64{}
	}
	s[key][basis] = append(s[key][basis], float64(*value))
}

func (s returnsSeen) best(channel measure.Channel, b toolkit.Best) {
	if b.Return != nil {
		s.add(channel, "incremental", &b.Return.Value)
		s.add(channel, "incremental low", &b.Return.Low)
		s.add(channel, "incremental high", &b.Return.High)
	}
}

// fixture90 contains the 90 days before the fixture's day, as arguments of a tool.
const fixture90 = `"start_date":"2025-12-10","end_date":"2026-03-09"`

// withoutModels returns a session on a store with data and experiments, but without a model.
func withoutModels(t *testing.T, experiments []control.Experiment) mcp.Session {
	t.Helper()
	deps := fixtureDeps(t)
	deps.Models, deps.Experiments = toolkittestNothing{}, &storedExperiments{experiments}
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	return s.Session(reader(newWorkspace("full")), "r1")
}

type toolkittestNothing struct{}

func (toolkittestNothing) MMM(context.Context, control.Workspace) (mix.Held, error) {
	return mix.Held{}, nil
}

// Each basis of a channel's return has one value in all tools, for the same days.
func TestAChannelHasOneReturnPerBasis(t *testing.T) {
	t.Parallel()
	full, _ := fixtureExperiments{}.Experiments(t.Context(), "full")
	s, err := toolkit.NewService(fixtureDeps(t), All())
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []struct {
		name    string
		session mcp.Session
		bases   map[measure.Channel]snapshot.ReturnBasis
	}{
		{"model and studies that it does not use", s.Session(reader(newWorkspace("full")), "r1"), map[measure.Channel]snapshot.ReturnBasis{"facebook": snapshot.ByExperiments, "google": snapshot.ByModel}},
		{"model with experiments", s.Session(reader(newWorkspace("tested")), "r1"), map[measure.Channel]snapshot.ReturnBasis{"facebook": snapshot.ByModel}},
		{"experiments without a model", withoutModels(t, full), map[measure.Channel]snapshot.ReturnBasis{"facebook": snapshot.ByExperiments, "google": snapshot.ByAttribution}},
		{"neither", withoutModels(t, nil), map[measure.Channel]snapshot.ReturnBasis{"facebook": snapshot.ByAttribution, "google": snapshot.ByAttribution}},
	} {
		seen, first := gatherReturns(t, store.session)
		for channel, basis := range store.bases {
			if seen[string(channel)]["basis "+string(basis)] == nil {
				t.Errorf("%s: %s has the bases %v, want %s", store.name, channel, seen[string(channel)], basis)
			}
			if n := len(seen[string(channel)]["incremental"]); n < 4 {
				t.Errorf("%s: %d answers have the best estimate of %s, want at least 4", store.name, n, channel)
			}
		}
		for channel, bases := range seen {
			for basis, values := range bases {
				if slices.Max(values)-slices.Min(values) > 0.011 {
					t.Errorf("%s: the %s return of %s is %v in different answers", store.name, basis, channel, values)
				}
			}
		}
		if first = slices.Compact(first); len(first) != 1 {
			t.Errorf("%s: the channels to test first are %v, want one", store.name, first)
		}
	}
}

// gatherReturns calls every tool that returns ROAS by channel. The second result contains the channel that each answer
// recommends to test first.
func gatherReturns(t *testing.T, s mcp.Session) (returnsSeen, []measure.Channel) {
	t.Helper()
	seen, first := returnsSeen{}, []measure.Channel{}
	ask := func(tool, args string) json.RawMessage {
		r := callAs(t, s, tool, args)
		if r.IsError {
			t.Fatalf("%s %s: %s", tool, args, r.Content[0].Text)
		}
		return r.StructuredContent
	}
	p := decoded[PerformanceAnswer](t, ask("performance", `{`+fixture90+`,"detail_level":"debug"}`))
	for _, r := range p.Rows {
		if r.Spend != nil && r.Return != nil {
			seen.add(r.Channel, "last touch", r.ROAS)
			seen.add(r.Channel, "basis "+string(r.Basis), new(answer.Ratio(0)))
		}
		if r.Spend != nil && r.Claimed != nil {
			seen.add(r.Channel, "claimed", new(answer.Ratio(*r.Claimed / *r.Spend)))
		}
		seen.best(r.Channel, r.Best)
		if r.Spend == nil {
			continue
		}
		one := decoded[PerformanceAnswer](t, ask("performance", fmt.Sprintf(`{%s,"channel":%q}`, fixture90, r.Channel)))
		if r.Return != nil && !strings.Contains(one.Summary, "Incremental ROAS is "+r.Return.Value.String()) {
			t.Errorf("performance of %s: %q, want the best estimate %v", r.Channel, one.Summary, r.Return.Value)
		}
	}
	for _, days := range []string{fixture90, `"start_date":"2026-02-01","end_date":"2026-02-28"`} {
		truth := decoded[ExperimentsAnswer](t, ask("experiments", `{"view":"true_vs_reported",`+days+`,"detail_level":"debug"}`))
		for _, r := range truth.Rows {
			if days == fixture90 {
				seen.add(r.Channel, "last touch", r.ROAS)
				seen.add(r.Channel, "claimed", r.Claimed)
			}
			seen.best(r.Channel, r.Best)
			if r.Modelled != nil {
				seen.add(r.Channel, "model", &r.Modelled.Value)
			}
			if b := r.Best; b.ClaimedOver != nil && days == fixture90 && math.Abs(float64(*b.ClaimedOver)*float64(b.Return.Value)-float64(*r.Claimed)) > 0.02 {
				t.Errorf("%s: claimed %v, best %v, claimed over incremental %v", r.Channel, *r.Claimed, b.Return.Value, *b.ClaimedOver)
			}
		}
	}
	asked := string(ask("ask", `{"question":"what is the true ROAS of facebook?","detail_level":"analyst"}`))
	if i := slices.IndexFunc(p.Rows, func(r ChannelRow) bool { return r.Channel == "facebook" }); !strings.Contains(asked, fmt.Sprintf(`"incremental_roas":{"value":%v,`, float64(p.Rows[i].Return.Value))) {
		t.Errorf("ask has no best estimate %v of facebook: %s", p.Rows[i].Return.Value, asked)
	}
	var spend, incremental float64
	campaigns := decoded[CampaignsAnswer](t, ask("campaigns", `{"platform":"facebook",`+fixture90+`,"detail_level":"debug"}`))
	for _, r := range campaigns.Rows {
		spend += float64(r.Spend)
		if r.Return != nil {
			incremental += float64(r.Spend) * float64(r.Return.Value)
		}
	}
	seen.add("facebook", "incremental", new(answer.Ratio(incremental/spend)))
	next := decoded[ExperimentsAnswer](t, ask("experiments", `{"view":"next_test","detail_level":"debug"}`))
	first = append(first, next.Rows[0].Channel)
	for _, r := range next.Rows {
		seen.add(r.Channel, "last touch", r.ROAS)
		seen.add(r.Channel, "claimed", r.Claimed)
		seen.best(r.Channel, r.Best)
	}
	if r := callAs(t, s, "optimization", `{"detail_level":"debug"}`); !r.IsError {
		plan := decoded[OptimizationAnswer](t, r.StructuredContent)
		first = append(first, plan.Metrics.TestFirst)
		for _, r := range plan.Rows {
			seen.add(r.Channel, "model", &r.ROAS.Value)
			best := toolkit.Best{Return: &r.ROAS}
			if r.Best != nil {
				best.Return = r.Best
			}
			seen.best(r.Channel, best)
		}
		b := decoded[OptimizeBudgetAnswer](t, ask("optimize_budget", `{"total_budget":200000,"detail_level":"debug"}`))
		first = append(first, b.Metrics.TestFirst)
	}
	return seen, first
}
