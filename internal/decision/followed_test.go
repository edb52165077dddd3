package decision_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/decision"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/tools"
	"assay/internal/training"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// followedDays is the number of simulated days after a plan's day. The plan's budgets apply on these days.
const followedDays = 90

// past are the completed experiments of a demo store.
type past []control.Experiment

func (p past) Experiments(context.Context, measure.WorkspaceID) ([]control.Experiment, error) {
	return p, nil
}

// followed is the result of a plan that is followed in the simulator.
type followed struct {
	Seed   uint64             `json:"seed"`
	Status mix.Status         `json:"model"`
	Moves  int                `json:"moves"`
	Broken []string           `json:"broken_guardrails"`
	Ratio  map[string]float64 `json:"ratio"` // ratio of a channel's spend at the end
	Gain   float64            `json:"gain"`  // gain of contribution after spend in 90 days, relative to unchanged budgets
	Alone  float64            `json:"alone"`
	Plan   float64            `json:"plan"`
	Why    string             `json:"why"`
}

// follow trains the model of a demo store with its experiments, requests a plan of 30 days, and applies the plan's
// moves to the days after today in the simulator. The true contribution follows from the simulator's equations.
func follow(t *testing.T, dir string, seed uint64, risk string) followed {
	t.Helper()
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.Close(context.Background()) }()
	facts := warehouse.New(engine)
	load, err := facts.Begin(t.Context(), warehouse.ImportSpec{Workspace: "w", Source: "demo", Base: demo.StoreCurrency})
	if err != nil {
		t.Fatal(err)
	}
	defer load.Abort()
	opt := demo.Options{
		Seed: seed, Days: 730, Orders: 20_000, Today: today, Zone: zone, Currency: demo.StoreCurrency, HashKey: []byte("k"), Future: followedDays,
	}
	truth, err := demo.Generate(opt, func(b *warehouse.Batch) error { return load.Add(t.Context(), b) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := load.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return today.UTC().Add(17 * time.Hour) }
	w := control.NewWorkspace("W")
	w.ID, w.Currency, w.Zone, w.Version, w.CreatedAt = "w", demo.StoreCurrency, demo.StoreZone, 1, time.Unix(1, 0).UTC()
	tests := past(demo.Experiments(truth))
	for i := range tests {
		tests[i].Workspace = w.ID
	}
	keeper := training.New(training.Options{
		Dir: filepath.Join(dir, fmt.Sprintf("model-%d", seed)), Facts: facts, Experiments: tests, Now: clock,
		Today: func(control.Workspace) civil.Date { return today }, Log: slog.New(slog.DiscardHandler),
	})
	held, err := keeper.MMM(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if held.Model == nil && held.Attempt == nil {
		if _, err := keeper.Train(t.Context(), w, mix.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	service, err := toolkit.NewService(toolkit.Deps{
		Sources: snapshot.Sources{Facts: facts, Models: keeper, Experiments: tests, Clock: clock, Now: clock},
		Keys:    toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Accounts: toolkittest.Nothing{}, Calls: toolkittest.Nothing{}, Callers: toolkittest.Nothing{},
		Log: slog.New(slog.DiscardHandler),
	}, tools.All())
	if err != nil {
		t.Fatal(err)
	}
	session := service.Session(auth.Principal{Workspace: w, Actor: "key:k", Kind: auth.ByKey, Scopes: []control.Scope{control.ScopeRead, control.ScopeWrite}}, "r1")
	arguments := json.RawMessage(fmt.Sprintf(`{"riskTolerance":%q,"horizonDays":30,"detail_level":"debug"}`, risk))
	encoded, err := session.CallTool(t.Context(), tools.AutopilotPlan.Name, arguments)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := tools.AutopilotPlan.Result(encoded)
	if err != nil {
		t.Fatal(err)
	}
	out := followed{Seed: seed, Ratio: map[string]float64{}}
	if held, err = keeper.MMM(t.Context(), w); err == nil && held.Model != nil {
		out.Status = held.Model.Status
	}
	for _, n := range plan.Warnings {
		out.Why += n.Text + " "
	}
	steps := slices.DeleteFunc(slices.Clone(plan.Rows), func(s decision.Step) bool { return s.Kind != decision.BudgetStep })
	channels := channelsOf(t, opt)
	out.Moves, out.Broken = len(steps), brokenGuardrails(steps, channels)
	simulated, err := demo.NewResponses(opt)
	if err != nil {
		t.Fatal(err)
	}
	usual := recentSpend(t, opt)
	factor := func(channel measure.Channel, day int) float64 {
		more := 0.0
		for _, s := range steps {
			if channels[string(s.Campaign)] == channel && s.Day.Sub(today) <= day {
				more += float64(*s.To - *s.From)
			}
		}
		if more == 0 {
			return 1
		}
		return 1 + more/usual[channel]
	}
	for channel := range truth.Channels {
		if f := factor(channel, followedDays); f != 1 {
			out.Ratio[string(channel)] = math.Round(1000*f) / 1000
		}
	}
	rate := contributionRate(t, session.CallTool)
	contribution := func(revenue, spend float64) float64 { return rate*revenue - spend }
	out.Alone = contribution(simulated.Ahead(func(measure.Channel, int) float64 { return 1 }))
	out.Plan = contribution(simulated.Ahead(factor))
	out.Gain = out.Plan/out.Alone - 1
	return out
}

// channelsOf returns the channels of a demo store's campaigns by name.
func channelsOf(t *testing.T, opt demo.Options) map[string]measure.Channel {
	t.Helper()
	all, err := demo.Campaigns(opt)
	if err != nil {
		t.Fatal(err)
	}
	channels := map[string]measure.Channel{}
	for _, c := range all {
		channels[c.Name] = measure.Channel(c.Platform)
	}
	return channels
}

// brokenGuardrails lists the moves that a new workspace's guardrails reject: more than 20% at once, or a campaign that
// changes twice in a week.
func brokenGuardrails(steps []decision.Step, channels map[string]measure.Channel) (broken []string) {
	last := map[string]civil.Date{}
	for _, s := range steps {
		key := string(s.Campaign)
		step := math.Abs(float64(*s.To)/float64(*s.From) - 1)
		if before, ok := last[key]; step > 0.2+1e-9 || ok && s.Day.Sub(before) < 7 || channels[key] == "" {
			broken = append(broken, fmt.Sprintf("%s %s %.3f", s.Day, key, step))
		}
		last[key] = s.Day
	}
	return broken
}

// recentSpend returns a channel's mean daily spend in the last week, which the budgets of plans refer to.
func recentSpend(t *testing.T, opt demo.Options) map[measure.Channel]float64 {
	t.Helper()
	spend := map[measure.Channel]float64{}
	_, err := demo.Generate(opt, func(b *warehouse.Batch) error {
		for _, d := range b.AdDays {
			if since(d.Day, 7) {
				spend[d.Channel] += float64(d.Spend) / 100 / 7
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return spend
}

// contributionRate returns the store's contribution per revenue in the last 90 days.
func contributionRate(t *testing.T, call func(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error)) float64 {
	t.Helper()
	arguments := fmt.Sprintf(`{"start_date":%q,"end_date":%q,"detail_level":"debug"}`, today.AddDays(-90), today.AddDays(-1))
	encoded, err := call(t.Context(), tools.Performance.Name, json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	a, err := tools.Performance.Result(encoded)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range a.Rows {
		if row.Channel == "google" && row.AfterSpend != nil && row.Spend != nil {
			return float64(*row.AfterSpend+*row.Spend) / float64(row.Revenue)
		}
	}
	t.Fatal("the store has no contribution rate")
	return 0
}

// TestFollowedPlansGain follows plans in the simulator for 90 days. ASSAY_FOLLOWED names a folder that has one file per
// finished store and its model, so an interrupted run continues. ASSAY_FOLLOWED_SEEDS is the number of stores.
func TestFollowedPlansGain(t *testing.T) {
	dir := os.Getenv("ASSAY_FOLLOWED")
	if dir == "" {
		t.Skip("each simulated store and its model take a minute; ASSAY_FOLLOWED=DIR runs them")
	}
	moved, gained, lost := 0, 0, 0
	var broken []string
	for seed := range uint64(number(os.Getenv("ASSAY_FOLLOWED_SEEDS"), 2)) {
		o := resumed(t, filepath.Join(dir, fmt.Sprintf("store-%d.json", seed+1)), func() followed { return follow(t, dir, seed+1, "balanced") })
		t.Logf("%+v", o)
		broken = append(broken, o.Broken...)
		switch {
		case o.Moves == 0:
			continue
		case o.Gain > 0:
			gained++
		default:
			lost++
		}
		moved++
	}
	t.Logf("%d plans have moves; %d have a higher contribution than leaving budgets alone, %d a lower one", moved, gained, lost)
	if 5*gained < 4*moved {
		t.Errorf("%d of %d plans with moves gain, want 0.8", gained, moved)
	}
	if len(broken) > 0 {
		t.Errorf("broken guardrails: %s", strings.Join(broken, "; "))
	}
}
