package tools

import (
	"math"
	"strings"
	"testing"

	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// The demo store has orders and spend in all states, so a geo experiment can be planned. If the call names treatment
// regions, the preflight uses exactly these regions, in any spelling.
func TestPreflightOfDemoStore(t *testing.T) {
	t.Parallel()
	session, _ := demoStore(t, demo.Options{Seed: 7, Days: 200, Orders: 6_000}, func(b *warehouse.Batch) warehouse.Batch {
		return warehouse.Batch{Orders: b.Orders, AdDays: b.AdDays}
	})
	found := decoded[PreflightAnswer](t, callAs(t, session, "geo_experiment_preflight", `{"channel":"meta","detail_level":"analyst"}`).StructuredContent)
	m := found.Metrics
	if m.Regions < 40 || m.MDE == nil || *m.MDE <= 0 || m.Return == nil || len(found.Rows) != 10 || len(found.Treatment) < 2 || m.Donors != m.Regions-len(found.Treatment) {
		t.Errorf("preflight %+v with %d gates and the regions %v", m, len(found.Rows), found.Treatment)
	}
	named := decoded[PreflightAnswer](t, callAs(t, session, "geo_experiment_preflight", `{"channel":"meta","treatmentRegions":["US-OH","ga","OH"]}`).StructuredContent)
	if len(named.Treatment) != 2 || named.Treatment[0] != geo.Region("GA") || named.Treatment[1] != geo.Region("OH") {
		t.Errorf("treated are %v, want GA and OH", named.Treatment)
	}
}

// The spend that a pause saves is that of the last 28 days in the treated regions. The smallest detectable return is the
// detectable revenue divided by this spend, also if the spend is below one dollar.
func TestThePreflightDividesRevenueByTheSpendOfThePause(t *testing.T) {
	t.Parallel()
	facts, err := openFacts(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for ws, cents := range map[measure.WorkspaceID]int64{"cheap": 1, "free": 0} {
		b := testedBatch()
		for i := range b.AdDays {
			b.AdDays[i].Spend, b.AdDays[i].Original.Minor = cents, cents
		}
		if err := load(t.Context(), facts, ws, b); err != nil {
			t.Fatal(err)
		}
	}
	s, err := toolkit.NewService(plainDeps(facts, fixtureClock), All())
	if err != nil {
		t.Fatal(err)
	}
	for store, cents := range map[measure.WorkspaceID]float64{"cheap": 1, "free": 0} {
		m := decoded[PreflightAnswer](t, callAs(t, s.Session(reader(newWorkspace(store)), "r1"), "geo_experiment_preflight",
			`{"channel":"facebook","treatmentRegions":["AL","GA"],"detail_level":"analyst"}`).StructuredContent).Metrics
		if cents == 0 {
			if m.Spend != nil || m.Return != nil {
				t.Errorf("%s: spend %v and return %v, want none", store, m.Spend, m.Return)
			}
			continue
		}
		want := 2 * testDays * cents / 100
		if m.Spend == nil || math.Abs(float64(*m.Spend)-want) > 1e-9 || m.Revenue == nil || m.Return == nil ||
			math.Abs(float64(*m.Return)/(float64(*m.Revenue)/want)-1) > 1e-2 {
			t.Errorf("%s: metrics %+v, want the spend %v and its return", store, m, want)
		}
	}
}

// Errors state the reason: the given regions leave too few donors, or have no orders.
func TestPreflightErrorsStateTheReason(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"channel":"facebook","treatmentRegions":["AL","AR","AZ","CO","CT","GA","IA","KS","MD","MN","NV","OR","SC","UT","WA","WI"]}`: "too few donors remain",
		`{"channel":"facebook","treatmentRegions":["ZZ"]}`:           `"ZZ" has no orders`,
		`{"channel":"facebook","treatmentRegions":["AL","nowhere"]}`: `"nowhere" has no orders`,
	} {
		r := call(t, "tested", "geo_experiment_preflight", args)
		if text := r.Content[0].Text; !r.IsError || !strings.Contains(text, want) || strings.Contains(text, "NaN") {
			t.Errorf("%s: %v %s, want it to contain %q", args, r.IsError, text, want)
		}
	}
}

// The expected cost of a design subtracts the additional contribution, at the rate that `performance` reports: the entered
// gross margin minus payment fees.
func TestCostsOfDesignsUseTheContributionRateOfPerformance(t *testing.T) {
	t.Parallel()
	s, err := toolkit.NewService(fixtureDeps(t), All())
	if err != nil {
		t.Fatal(err)
	}
	ws := newWorkspace("tested")
	ws.Costs = measure.CostRules{}.With(measure.CostRule{Kind: measure.GrossMargin, Share: 600_000}).
		With(measure.CostRule{Kind: measure.PaymentFee, Share: 50_000})
	session := s.Session(reader(ws), "r1")
	found := decoded[PreflightAnswer](t, callAs(t, session, "geo_experiment_preflight", `{"channel":"facebook","detail_level":"analyst"}`).StructuredContent)
	p := decoded[PerformanceAnswer](t, callAs(t, session, "performance", `{"start_date":"2025-12-11","end_date":"2026-03-10","detail_level":"analyst"}`).StructuredContent)
	rate := float64(*p.Metrics.MarginPct.Value) / 100
	if len(found.Designs) == 0 || rate < 0.4 || rate > 0.55 {
		t.Fatalf("%d designs at a contribution rate of %.3f, want some at 0.4 to 0.55", len(found.Designs), rate)
	}
	for _, d := range found.Designs {
		if want := float64(d.Change) - rate*float64(d.Effect); math.Abs(float64(d.Cost)-want) > 0.5 {
			t.Errorf("cost %v of a design with a change of %v and an effect of %v, want %.2f", d.Cost, d.Change, d.Effect, want)
		}
	}
}
