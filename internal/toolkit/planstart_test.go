package toolkit_test

import (
	"math"
	"testing"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse/storetest"
)

// The shop spends USD 40 on facebook on 29 of the last 30 days. The model's window has 56 days.
func TestAllocationsStartFromRecentSpend(t *testing.T) {
	t.Parallel()
	reader := toolkittest.ShopReader(t)
	margins := measure.CostRules{}.With(measure.CostRule{Kind: measure.GrossMargin, Share: 600_000})
	own := margins.With(measure.CostRule{Kind: measure.GrossMargin, Channel: "facebook", Share: 250_000})
	recent, window := days("2026-02-08", "2026-03-09"), days("2026-01-05", "2026-03-01")
	for _, c := range []struct {
		what    string
		channel measure.Channel
		costs   measure.CostRules
		days    civil.Range
		spend   float64
		rate    float64 // 0: unknown
	}{
		{"recent spend", "facebook", nil, recent, 29 * 40 * 56. / 30, 0},
		{"recent spend and a margin of the store", "facebook", margins, recent, 29 * 40 * 56. / 30, 0.6},
		{"recent spend and a margin of the channel", "facebook", own, recent, 29 * 40 * 56. / 30, 0.25},
		{"no recent spend on the model's channel", "podcast", margins, window, 800, 0.6},
	} {
		snap, err := reader.Take(t.Context(), control.Workspace{ID: "shop", Currency: "USD", Zone: storetest.Zone, Version: 1, Costs: c.costs}, snapshot.Wants{})
		if err != nil {
			t.Fatal(err)
		}
		call := &toolkit.Call{Snapshot: snap, Writer: answer.Writer{Figures: answer.Figures{Currency: "USD"}}}
		m := toolkittest.Model(t, c.channel)
		start, err := call.PlanStart(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if start.Days != c.days || (start.Current != nil) != (c.days == recent) {
			t.Errorf("%s: from %s, spend %v; want %s", c.what, start.Days, start.Current, c.days)
		}
		if spend, budget := start.Spend(m, c.channel), start.Budget(m); math.Abs(spend-c.spend) > 1e-9 || budget != spend {
			t.Errorf("%s: spend %v, budget %v; want %v", c.what, spend, budget, c.spend)
		}
		if rate, known := start.Rates[c.channel]; known != (c.rate > 0) || math.Abs(rate-c.rate) > 1e-9 || len(start.Rates) > 1 {
			t.Errorf("%s: rates %v, want %v", c.what, start.Rates, c.rate)
		}
		if ask := start.Ask(mix.Ask{}); len(ask.Current) != len(start.Current) || len(ask.Rates) != len(start.Rates) {
			t.Errorf("%s: the request %+v has another start than %+v", c.what, ask, start)
		}
		if known := start.Profit.Known(); known != (c.rate > 0) || start.Profit.Days != recent {
			t.Errorf("%s: contribution of %s is known: %t", c.what, start.Profit.Days, known)
		}
	}
}
