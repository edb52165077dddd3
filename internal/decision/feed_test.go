package decision

import (
	"slices"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse/storetest"
)

// modelOf returns a model of channels that spend 100 per week for eight weeks. The first channel has the highest returns.
func modelOf(t *testing.T, channels ...measure.Channel) *mix.Model {
	t.Helper()
	const weeks, draws = 8, 8
	m := &mix.Model{Version: 1, Status: mix.Active, Window: civil.Range{First: civil.MustParse("2026-01-05"), Last: civil.MustParse("2026-03-01")}, Weeks: weeks}
	saved := &mmm.Saved{Spec: mmm.Spec{Adstock: mmm.Adstock{Kind: mmm.Immediately, Lags: 1}, Saturation: mmm.MichaelisMenten}, Chains: 1, Draws: make([][]float64, draws)}
	for i := range weeks {
		saved.Data.Dates, saved.Data.Target = append(saved.Data.Dates, m.Window.First.AddDays(7*i)), append(saved.Data.Target, 1000+float64(i))
	}
	for i, channel := range channels {
		saved.Data.Media = append(saved.Data.Media, mmm.Media{Channel: channel, Exposure: slices.Repeat([]float64{100}, weeks)})
		saved.Parameters = append(saved.Parameters, string(channel)+".beta", string(channel)+".kappa")
		for k := range saved.Draws {
			saved.Draws[k] = append(saved.Draws[k], (0.8+0.01*float64(k))/float64(1+8*i), 0.9)
		}
	}
	saved.Parameters = append(saved.Parameters, "intercept", "trend", "sigma")
	for k := range saved.Draws {
		saved.Draws[k] = append(saved.Draws[k], 0.5, 0, 0.1)
	}
	m.Saved = saved
	for _, prepare := range []func() error{m.Open, m.Warm} {
		if err := prepare(); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestTheFeedDecidesOnTheAllocation(t *testing.T) {
	t.Parallel()
	reader := toolkittest.ShopReader(t)
	w := control.Workspace{ID: "shop", Currency: "USD", Zone: storetest.Zone, Version: 1}
	running := []control.Experiment{{ID: "e", Channel: "facebook", Status: control.ExperimentRunning}}
	rate := 0.5
	var revenue, contribution answer.Estimate[answer.Money]
	for i, c := range []struct {
		name        string
		model       *mix.Model
		experiments []control.Experiment
		rate        *float64
		area        Area // "": no decision
		priority    Priority
		decision    string
		why         string // part of the reason
		call        string
		value       *answer.Estimate[answer.Money] // set to the value
	}{
		{name: "no model"},
		{
			name: "nothing to move", model: modelOf(t, "facebook"), area: Confidence, priority: Low,
			decision: "Keep the current allocation, and test facebook first.", call: `geo_experiment_preflight {"channel":"facebook"}`,
		},
		{
			name: "nothing to move and nothing to test", model: modelOf(t, "facebook"), experiments: running, area: Confidence, priority: Low,
			decision: "Keep the current allocation.", call: `optimization {}`,
		},
		{
			name: "a better allocation", model: modelOf(t, "podcast", "tv"), area: Action, priority: Medium, decision: "Move budget toward the optimized allocation in steps.",
			why: "The optimized allocation of the same budget increases revenue with a probability of 100%.", call: `autopilot_plan {}`, value: &revenue,
		},
		{
			name: "a better allocation with known costs", model: modelOf(t, "podcast", "tv"), rate: &rate, area: Action, priority: Medium,
			decision: "Move budget toward the optimized allocation in steps.", call: `autopilot_plan {}`, value: &contribution,
		},
	} {
		w.Version = int64(i + 1) // results are shared by snapshots of the same version
		snap, err := reader.Take(t.Context(), w, snapshot.Wants{})
		if err != nil {
			t.Fatal(err)
		}
		if c.model != nil {
			c.model.Settings = w.ModelSettings()
		}
		snap.MMM.Model, snap.Experiments = c.model, c.experiments
		call := asking("2026-03-10").Call
		call.Snapshot, call.Principal = snap, auth.Principal{Workspace: w, Scopes: []control.Scope{control.ScopeRead}}
		call.Tools = append(call.Tools, toolkit.Spec{Name: "autopilot_plan"})
		got, err := holdDecision(t.Context(), call, c.rate)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.area == "" {
			if got != nil {
				t.Errorf("%s: %+v, want no decision", c.name, got)
			}
			continue
		}
		if len(got) != 1 {
			t.Errorf("%s: %+v, want one decision", c.name, got)
			continue
		}
		d := got[0]
		if d.Area != c.area || d.Priority != c.priority || d.Decision != c.decision || d.Why == "" || !strings.Contains(d.Why, c.why) || called(t, d.Call) != c.call {
			t.Errorf("%s: %+v with the call %s; want %s, %s, %q, %q, %s", c.name, d, called(t, d.Call), c.area, c.priority, c.decision, c.why, c.call)
		}
		if (d.Value != nil) != (c.value != nil) {
			t.Errorf("%s: value %+v", c.name, d.Value)
		} else if c.value != nil {
			*c.value = *d.Value
		}
	}
	plan, err := modelOf(t, "podcast", "tv").Plan(mix.Ask{Budget: 1600})
	if err != nil {
		t.Fatal(err)
	}
	want := answer.Money(plan.Lift.Mean * 30.4375 / 56)
	if near := func(got, want answer.Money) bool { return got > want*0.999 && got < want*1.001 }; want <= 0 || !near(revenue.Value, want) || !near(contribution.Value, want/2) {
		t.Errorf("monthly gains of %v revenue and %v contribution, want %v and %v", revenue.Value, contribution.Value, want, want/2)
	}
}
