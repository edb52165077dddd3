package experiment

import (
	"math"
	"testing"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/warehouse"
)

func TestTheOutcomeIsOrdersAtTheirMeanValueWithoutWholesale(t *testing.T) {
	t.Parallel()
	first := civil.MustParse("2025-07-01")
	days := []civil.Date{first, first.AddDays(1)}
	row := func(region string, surface measure.Surface, day int, orders, charged int64) warehouse.SurfaceRegionDay {
		return warehouse.SurfaceRegionDay{Surface: surface, Region: region, Day: days[day], Orders: orders, Charged: charged}
	}
	sold := []warehouse.SurfaceRegionDay{
		row("CA", measure.OnlineStore, 0, 2, 10_000), row("CA", measure.OnlineStore, 1, 8, 30_000), row("CA", measure.Wholesale, 1, 1, 90_000),
		row("NY", measure.OnlineStore, 0, 1, 7_000), row("NY", measure.Retail, 0, 4, 2_000),
	}
	e := control.Experiment{Treated: []string{"CA"}}
	got := outcomeOf(e, days, sold, "USD").values
	if math.Abs(got["CA"][days[0]]-2*40) > 1e-9 || math.Abs(got["CA"][days[1]]-8*40) > 1e-9 || math.Abs(got["NY"][days[0]]-5*40) > 1e-9 {
		t.Errorf("the outcome is %v, want orders times USD 40", got)
	}
	for i := range sold {
		sold[i].Orders = 1 // daily totals
	}
	sold = append(sold, row("NY", measure.OnlineStore, 1, 2, 7_000))
	if got := outcomeOf(e, days, sold, "USD").values; math.Abs(got["CA"][days[1]]-300) > 1e-9 || math.Abs(got["NY"][days[0]]-90) > 1e-9 {
		t.Errorf("the outcome of daily totals is %v, want revenue", got)
	}
}

// Orders outside wholesale rose by 10%. The same revenue is 20% of all expected revenue of the treated regions.
func TestTheLiftRelatesToAllRevenue(t *testing.T) {
	t.Parallel()
	f := Finding{Assessment: &geo.Assessment{
		Result:       &geo.Result{Incremental: 20, LiftKnown: true, Lift: 0.1},
		LiftEstimate: &measure.Estimate{Value: 0.1, Interval: measure.Interval{Low: 0.05, High: 0.15}},
	}}
	f.relateTo(120)
	if e := f.LiftEstimate; math.Abs(f.Lift-0.2) > 1e-12 || math.Abs(e.Value-0.2) > 1e-12 || math.Abs(e.Low-0.1) > 1e-12 ||
		math.Abs(e.High-0.3) > 1e-12 {
		t.Errorf("lift %v with the interval %+v, want 0.2 (0.1 to 0.3)", f.Lift, *e)
	}
	f.relateTo(20) // no expected revenue
	if math.Abs(f.Lift-0.2) > 1e-12 {
		t.Errorf("without expected revenue, the lift is %v, want 0.2", f.Lift)
	}
}
