package tools

import (
	"testing"

	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

func TestSurfacesAddUpToThePerformance(t *testing.T) {
	t.Parallel()
	const window = `{"start_date":"2026-02-01","end_date":"2026-02-28","detail_level":"debug"}`
	a := answerAs[OmnichannelAnswer](t, "omnichannel", window)
	of := answerAs[PerformanceAnswer](t, "performance", window)
	revenue, count := 0.0, 0.0
	for _, r := range a.Rows {
		revenue += float64(r.Revenue)
		count += float64(r.Orders)
	}
	near(t, "revenue of all surfaces", revenue, float64(*of.Metrics.Revenue.Value), len(a.Rows))
	near(t, "orders of all surfaces", count, float64(*of.Metrics.Orders.Value), len(a.Rows))
	if *a.Metrics.NetRevenue.Value != *of.Metrics.NetRevenue.Value {
		t.Errorf("net revenue %v, performance has %v", *a.Metrics.NetRevenue.Value, *of.Metrics.NetRevenue.Value)
	}
}

// The 90% intervals contain the true coefficients of simulated stores. The simulation differs from the model. Sales are
// counts with a variance that grows with the mean, holidays multiply sales, and podcast spend has a delayed effect.
func TestHaloOfTheDemoStoreIsFoundAgain(t *testing.T) {
	t.Parallel()
	if !nightly() {
		t.Skip("ten stores of two years; set ASSAY_NIGHTLY")
	}
	var inside, all, positive, rejected int
	for seed := range uint64(10) {
		session, truth := demoStore(t, demo.Options{Seed: seed + 1, Days: 730, Orders: 60_000}, func(b *warehouse.Batch) warehouse.Batch {
			return warehouse.Batch{Orders: b.Orders, AdDays: b.AdDays, ChannelSpend: b.ChannelSpend}
		})
		a := decoded[OmnichannelAnswer](t, callAs(t, session, "omnichannel", `{"detail_level":"debug"}`).StructuredContent)
		planted := map[[2]string]float64{}
		for _, h := range truth.Halo {
			planted[[2]string{string(h.Channel), string(h.Surface)}] = h.Coefficient
		}
		for _, e := range a.Halo {
			if e.Surface == measure.Wholesale || e.Reason != "" {
				rejected += len(e.Reason) / max(1, len(e.Reason))
				continue
			}
			want := planted[[2]string{string(e.Channel), string(e.Surface)}]
			all++
			if float64(*e.Low) <= want+0.005 && want-0.005 <= float64(*e.High) {
				inside++
			} else {
				t.Logf("seed %d: %s on %s: %v (%v to %v), true value %v", seed+1, e.Channel, e.Surface, *e.Coefficient, *e.Low, *e.High, want)
			}
			if want == 0 && *e.Low > 0 {
				positive++
			}
		}
	}
	t.Logf("%d of %d true coefficients inside the 90%% interval; %d false effects above zero; %d rejected", inside, all, positive, rejected)
	if float64(inside) < 0.8*float64(all) {
		t.Errorf("%d of %d true coefficients are inside their 90%% interval", inside, all)
	}
}
