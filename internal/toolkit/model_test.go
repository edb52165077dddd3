package toolkit_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/measure/decide"
	"assay/internal/measure/geo"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// trained returns an active model of two channels with data up to March 9 and three experiments.
func trained(call *toolkit.Call) *mix.Model {
	test := func(id string) mix.Calibration {
		return mix.Calibration{Test: mix.Test{ID: id, Channel: "facebook", Days: days("2026-01-01", "2026-01-28"), Share: 0.25, Lift: &mmm.Lift{DeltaX: 100, DeltaY: 250, Sigma: 50}}}
	}
	agrees, contradicts, unused := test("agrees"), test("contradicts"), test("unused")
	agrees.Observational = &mix.Observational{Change: stats.Summary{Mean: 240, Q05: 200, Q95: 280, SD: 20}, ZScore: 0.2}
	contradicts.Observational = &mix.Observational{Change: stats.Summary{Mean: 500, Q05: 400, Q95: 600, SD: 60}, ZScore: -3.2}
	unused.Lift, unused.Why = nil, "the channel is not in the model"
	return &mix.Model{
		Version: 3, Status: mix.Active, Settings: call.Workspace.ModelSettings(), Window: days("2024-03-11", "2026-03-09"), Weeks: 104, Seed: 9, DataHash: "hash",
		Accuracy: &mmm.Accuracy{R2: 0.9}, LeftOut: []mix.LeftOut{{Channel: "flyer"}}, Tests: []mix.Calibration{agrees, contradicts, unused},
		Effects: []mmm.ChannelEffect{{Channel: "facebook", Spend: 600}, {Channel: "google", Spend: 400}},
	}
}

func TestStatesOfTheModel(t *testing.T) {
	t.Parallel()
	refused := &mix.Model{Version: 4, Status: mix.Refused, Reasons: []mmm.Reason{{Text: "too few weeks", Remedy: "import more"}}}
	sentences := map[string]string{}
	for _, c := range []struct {
		what   string
		change func(*toolkit.Call, *mix.Model)
		usable bool
		part   string // part of the reason
		warns  []answer.WarningCode
	}{
		{"no model", func(c *toolkit.Call, _ *mix.Model) { c.MMM = mix.Held{} }, false, "no trained media mix model", nil},
		{"a first training", func(c *toolkit.Call, _ *mix.Model) { c.MMM = mix.Held{Training: true, DonePct: 42} }, false, "42% done", nil},
		{"a refused model", func(c *toolkit.Call, _ *mix.Model) { c.MMM.Model = refused }, false, "too few weeks; import more", nil},
		{"an active model", func(*toolkit.Call, *mix.Model) {}, true, "", nil},
		{"an active model and a refused training", func(c *toolkit.Call, _ *mix.Model) { c.MMM.Attempt = refused }, true, "", []answer.WarningCode{answer.WarnTrainingRefused}},
		{"a stale model", func(c *toolkit.Call, _ *mix.Model) { c.MMM.NewTests = []string{"a test"} }, true, "", []answer.WarningCode{answer.WarnModelStale}},
		{"a stale model and a refused training", func(c *toolkit.Call, _ *mix.Model) { c.MMM.NewTests, c.MMM.Attempt = []string{"a test"}, refused }, true, "", []answer.WarningCode{answer.WarnModelStale, answer.WarnTrainingRefused}},
		{"a model in another currency", func(_ *toolkit.Call, m *mix.Model) { m.Settings = "EUR" }, false, "currency or the revenue basis of the workspace has changed", []answer.WarningCode{answer.WarnModelStale}},
	} {
		call := callOf()
		m := trained(call)
		call.MMM.Model = m
		c.change(call, m)
		got, err := call.Model()
		if c.usable != (got == m && err == nil) || !c.usable && (fault.KindOf(err) != fault.KindNotReady || !strings.Contains(err.Error(), c.part)) {
			t.Errorf("%s: %v, %v; want it usable: %t, %q", c.what, got, err, c.usable, c.part)
		}
		status, why := call.ModelCapability()
		if (status == "has_data") != c.usable || (why == "") != (c.usable && call.MMM.Attempt == nil) {
			t.Errorf("%s: capability %q, %q", c.what, status, why)
		}
		check(t, c.what, c.warns, warned(func(a *answer.Closing) { call.WarnModelAge(a) }))
		if c.what != "a model in another currency" { // it is stale
			if before, known := sentences[call.ModelSentence()]; known {
				t.Errorf("%s has the same description as %s", c.what, before)
			}
			sentences[call.ModelSentence()] = c.what
		}
	}
	call := callOf()
	call.MMM.Model = trained(call)
	if info := call.ModelInfo(call.MMM.Model); info.Version != 3 || info.Status != mix.Active || info.Weeks != 104 || info.R2 != 0.9 || !slices.Equal(info.LeftOut, []string{"flyer"}) || len(info.Tests) != 3 || info.Seed != 9 {
		t.Errorf("%+v", info)
	}
	if got := toolkit.ModelTools([]toolkit.Spec{{Name: "a", Model: true}, {Name: "b"}, {Name: "c", Model: true}}); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("%q", got)
	}
}

func TestExperimentsOfTheModel(t *testing.T) {
	t.Parallel()
	call := callOf()
	m := trained(call)
	if got := toolkit.CalibratedBy(m, "facebook"); !slices.Equal(got, []string{"agrees", "contradicts"}) {
		t.Errorf("facebook is calibrated by %q", got)
	}
	if got := toolkit.CalibratedBy(m, "google"); got != nil {
		t.Errorf("google is calibrated by %q", got)
	}
	check(t, "tests", []answer.WarningCode{answer.WarnTestContradicts}, warned(func(a *answer.Closing) { call.WarnTests(a, m) }))
	if got := toolkit.Contradiction(m.Tests[1]); !strings.Contains(got, "an iROAS of 2.50, 3.2 standard deviations lower than the fit's prediction of 5.00") {
		t.Errorf("%q", got)
	}
	m.Tests[1].Observational.ZScore = 3.2
	if got := toolkit.Contradiction(m.Tests[1]); !strings.Contains(got, "higher") {
		t.Errorf("%q", got)
	}
	for n, want := range map[int]string{3: " 2 geo experiments calibrate the model.", 1: " 1 geo experiment calibrates the model.", 0: ""} {
		of := mix.Model{Tests: m.Tests[:n]}
		if got := toolkit.TestsSentence(&of); got != want {
			t.Errorf("%d experiments: %q, want %q", n, got, want)
		}
	}
	text, err := json.Marshal(call.ModelInfo(m).Tests)
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID    string `json:"experiment_id"`
		Used  bool
		Why   string `json:"why_not"`
		Found *struct{ Value, Low, High float64 }
		Weeks *struct{ Value, Low, High float64 } `json:"weeks_alone"`
		Apart *float64                            `json:"apart_sd"`
		Share *float64                            `json:"share_of_sales_pct"`
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) != 3 {
		t.Fatalf("%s, %v", text, err)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	if r := rows[0]; r.ID != "agrees" || !r.Used || !near(r.Found.Value, 2.5) || !near(r.Weeks.Value, 2.4) || !near(r.Weeks.Low, 2) ||
		!near(r.Weeks.High, 2.8) || !near(*r.Apart, 0.2) || !near(*r.Share, 25) {
		t.Errorf("%+v", r)
	}
	if r := rows[2]; r.Used || r.Why == "" || r.Found != nil || r.Weeks != nil || r.Share != nil {
		t.Errorf("%+v", r)
	}
}

func planOf(beats, times float64) *mix.Plan {
	return &mix.Plan{
		Plan: decide.Plan{
			BeatsCurrent: beats, Agreement: 0.9, Lift: stats.Summary{Mean: 50, Q05: 10, Q95: 90}, Certificate: decide.Certificate{Objective: 90, UpperBound: 100},
			Allocations: []decide.Allocation{{Channel: "facebook", Current: 600, Proposed: 500}, {Channel: "google", Current: 400, Proposed: 500, Unseen: true}},
		},
		Advice: &decide.Advice{Action: decide.Shift, Reasons: []string{"r"}, BestExperiment: &decide.Value{Test: decide.Test{Channel: "google"}}},
		Change: stats.Summary{Mean: 500, Q05: 400, Q95: 600}, Times: times,
	}
}

func TestMetricsOfAPlan(t *testing.T) {
	t.Parallel()
	call := callOf()
	m := trained(call)
	for beats, want := range map[float64]string{0.95: "high", 0.949: "medium", 0.8: "medium", 0.799: "low"} {
		if got := toolkit.PlanMetricsOf(call, m, planOf(beats, 1), 1000, 1); got.Confidence != want {
			t.Errorf("a probability of %v has the confidence %s, want %s", beats, got.Confidence, want)
		}
	}
	got := toolkit.PlanMetricsOf(call, m, planOf(0.9, 2), 2000, 0.5)
	if got.Budget != 1000 || got.CurrentSpend != 500 || got.Lift.Value != 25 || got.Lift.Low != 5 || got.Lift.High != 45 || got.BetterPct != 90 || got.AgreementPct != 90 ||
		got.Change == nil || got.Change.Value != 250 || *got.GapPct != 10 || got.Advice != "shift" || len(got.Why) != 1 {
		t.Errorf("%+v", got)
	}
	for times, changes := range map[float64]bool{1: false, 1.001: false, 1.0011: true, 0.9989: true} {
		plan := planOf(0.9, times)
		plan.Certificate, plan.Advice.BestExperiment = decide.Certificate{}, nil
		if got := toolkit.PlanMetricsOf(call, m, plan, 1000, 1); (got.Change != nil) != changes || got.GapPct != nil {
			t.Errorf("%v times current spend: %+v", times, got)
		}
	}
	recent := planOf(0.9, 2)
	recent.Recent = true
	if summary := toolkit.PlanSummary(call, got, recent, 2); !strings.Contains(summary, "Current spend is USD 500.00 (last 30 days, scaled to 2 weeks).") {
		t.Errorf("current spend of two weeks is missing in %q", summary)
	}
	summary := toolkit.PlanSummary(call, got, recent, 0)
	for _, part := range []string{"USD 1,000 per month is expected to increase revenue by USD 25.00 per month", "Current spend is USD 500.00 per month (last 30 days, scaled to one month).", "increases most on google", "decreases most on facebook", "shift (medium confidence)"} {
		if !strings.Contains(summary, part) {
			t.Errorf("%q is missing in %q", part, summary)
		}
	}
	still := planOf(0.9, 1)
	still.Allocations[0].Proposed, still.Allocations[1].Proposed = 600, 400
	if summary := toolkit.PlanSummary(call, toolkit.PlanMetricsOf(call, m, still, 1000, 1), still, 0); strings.Contains(summary, "google") || strings.Contains(summary, "Compared with") {
		t.Errorf("an allocation without a change: %q", summary)
	}
	for _, c := range []struct {
		lift stats.Summary
		part string
	}{
		{stats.Summary{Mean: -50, Q05: -90, Q95: -10}, "reduce revenue by USD 50.00"},
		{stats.Summary{Mean: 5, Q05: -90, Q95: 10}, "no clear benefit. The expected change of revenue is +USD 5.00"},
		{stats.Summary{}, "does not change revenue"},
		{stats.Summary{Mean: -5, Q05: -90, Q95: 0}, "no clear benefit. The expected change of revenue is -USD 5.00"},
	} {
		plan := planOf(0.5, 1)
		plan.Lift = c.lift
		if got := toolkit.PlanSummary(call, toolkit.PlanMetricsOf(call, m, plan, 1000, 1), plan, 0); !strings.Contains(got, c.part) {
			t.Errorf("%q is missing in %q", c.part, got)
		}
	}
	call.MMM.Model = m
	check(t, "a plan beyond the data", []answer.WarningCode{answer.WarnBeyondData}, warned(func(a *answer.Closing) { toolkit.WarnPlan(call, a, planOf(0.9, 1)) }))
	still.Advice.Action, still.Allocations[1].Unseen = decide.Hold, false
	check(t, "a plan to hold", []answer.WarningCode{answer.WarnHold}, warned(func(a *answer.Closing) { toolkit.WarnPlan(call, a, still) }))
}

func TestValuesOfCustomers(t *testing.T) {
	t.Parallel()
	curve := cohort.Curve{Points: make([]cohort.Point, 91)}
	for i := range curve.Points {
		curve.Points[i] = cohort.Point{Estimate: measure.Estimate{Value: float64(100 * i)}}
	}
	v := toolkit.ValueSoFarOf(answer.Figures{Currency: "USD"}, curve)
	if v.LTV30 == nil || v.LTV30.Value != 30 || v.LTV90 == nil || v.LTV90.Value != 90 || v.LTV180 != nil || v.LTV365 != nil {
		t.Errorf("%+v", v)
	}
	if v.Longest(); v.LTV90 == nil {
		t.Error("the longest value is removed")
	}
	v.LTV365 = v.LTV30
	if v.Longest(); v.LTV90 != nil {
		t.Error("a shorter value remains")
	}
	var panel snapshot.Panel
	panel.Everybody = 5
	for what, c := range map[string]struct {
		ahead snapshot.Projection
		want  []answer.WarningCode
	}{
		"a projection": {snapshot.Projection{}, []answer.WarningCode{answer.WarnSample}}, "no fit": {snapshot.Projection{NoFit: true}, []answer.WarningCode{answer.WarnNotProjected, answer.WarnSample}},
		"too young":      {snapshot.Projection{Refused: []string{"few"}}, []answer.WarningCode{answer.WarnNotProjected, answer.WarnSample}},
		"a correlation":  {snapshot.Projection{Dear: snapshot.SpendProblem{Correlation: 0.5}}, []answer.WarningCode{answer.WarnValueNotProjected, answer.WarnSample}},
		"values without": {snapshot.Projection{Dear: snapshot.SpendProblem{NoFit: true}}, []answer.WarningCode{answer.WarnValueNotProjected, answer.WarnSample}},
	} {
		check(t, what, c.want, warned(func(a *answer.Closing) { toolkit.WarnPanel(callOf(), a, panel, c.ahead) }))
	}
	if e := toolkit.PanelEstimates(panel, "m", snapshot.Projection{}); e.LevelPct != 90 || e.HorizonDays != 0 || e.Seed != nil || e.Customers != 5 {
		t.Errorf("%+v", e)
	}
	ahead := snapshot.Projection{Weeks: 365. / 7, Project: func([]cohort.Buyer) (cohort.Projection, error) { return cohort.Projection{}, nil }}
	if e := toolkit.PanelEstimates(panel, "m", ahead); e.HorizonDays != 365 || e.Seed == nil {
		t.Errorf("%+v", e)
	}
	if !strings.Contains(toolkit.NetQuality(measure.RevenueBasis{}), "refund") {
		t.Errorf("%q", toolkit.NetQuality(measure.RevenueBasis{}))
	}
}

func TestPlannedExperimentsUseTheStoresNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	w := key().Workspace
	plan := func(channel measure.Channel, treated, held []string) (control.Experiment, error) {
		return b.Planned(t.Context(), w, control.Experiment{Channel: channel, Treated: treated, HeldOut: held})
	}
	if e, err := plan("Facebook", []string{"us-ca"}, []string{" ny "}); err != nil || e.Channel != "facebook" || !slices.Equal(e.Treated, []string{"CA"}) || !slices.Equal(e.HeldOut, []string{"NY"}) {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := plan("TikTok", nil, nil); err != nil || e.Channel != "tiktok" {
		t.Errorf("a platform that the store does not use: %+v, %v", e, err)
	}
	for what, c := range map[string]struct {
		channel       measure.Channel
		treated, held []string
	}{"a channel": {"podcast", nil, nil}, "no channel": {measure.Unattributed, nil, nil}, "a region": {"facebook", []string{"TX"}, nil}, "a control region": {"facebook", []string{"CA"}, []string{"TX"}}} {
		if _, err := plan(c.channel, c.treated, c.held); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s that does not exist: %v", what, err)
		}
	}
	for name, want := range map[string]measure.Channel{"Facebook": "facebook", "google": "google", "podcast": "", "unattributed": ""} {
		got, err := b.Channel(t.Context(), w, name)
		if got != want || (want == "") != (fault.KindOf(err) == fault.KindInvalid) {
			t.Errorf("%q is %q, %v", name, got, err)
		}
	}
	panel := &geo.Panel{Regions: []geo.Region{"CA", "NY"}}
	if got, err := toolkit.NamedRegions(panel, []string{"us-ca", "CA", "ny"}); err != nil || !slices.Equal(got, []geo.Region{"CA", "NY"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := toolkit.NamedRegions(panel, []string{"TX"}); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("an unknown region: %v", err)
	}
	if got, err := toolkit.NamedRegions(nil, []string{"TX"}); got != nil || err != nil {
		t.Errorf("without regions: %q, %v", got, err)
	}
}
