package geo_test

import (
	"testing"

	"assay/internal/measure/geo"
)

func proposing(p *geo.Panel, spendPerDay, wanted float64) geo.ProposeOptions {
	return geo.ProposeOptions{
		Return: wanted, Rate: 0.4,
		Spend: func(treated []geo.Region) float64 {
			return spendPerDay * float64(len(treated)) / float64(len(p.Regions))
		},
	}
}

// With a high return, Propose returns a pause and an increase of spend. Each proposal is detectable at the plausible
// return and states its cost. With a return near zero, Propose returns no proposal, and the smallest detectable return
// is far above the plausible return.
func TestProposalsReachTheirPower(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 48, periods: 365, autocorrelation: .3}, 3)
	outcome := 0.0
	for _, y := range p.Values {
		for _, v := range y {
			outcome += v / float64(len(p.Periods))
		}
	}
	found, least, err := geo.Propose(p, proposing(p, 0.1*outcome, 3))
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v; want proposals", found, err)
	}
	for i, f := range found {
		if f.Factor > 0 && (f.Change <= 0 || f.Effect <= 0) || f.Factor == 0 && (f.Change >= 0 || f.Effect >= 0) {
			t.Errorf("proposal %d: %+v", i, f)
		}
		if i > 0 && f.Cost < found[i-1].Cost {
			t.Errorf("proposal %d is cheaper than the one before: %+v", i, f)
		}
		own := 0.0
		for r, name := range p.Regions {
			for _, treated := range f.Treated {
				if name == treated {
					for _, v := range p.Values[r] {
						own += v / float64(len(p.Periods))
					}
				}
			}
		}
		if effect := max(f.Effect, -f.Effect); effect < 0.7*f.Lift*own*float64(f.Days) {
			t.Errorf("proposal %d: effect %.0f is below the detectable %.0f", i, effect, f.Lift*own*float64(f.Days))
		}
	}
	t.Logf("%d proposals, the first %+v; smallest return %.2f", len(found), found[0], least)
	none, least, err := geo.Propose(p, proposing(p, 0.001*outcome, 0.01))
	if err != nil || len(none) > 0 || least < 0.1 {
		t.Errorf("%v, smallest return %.2f, %v; want no proposal", none, least, err)
	}
	if _, _, err := geo.Propose(p, geo.ProposeOptions{}); err == nil {
		t.Error("no error without spend and return")
	}
}

func BenchmarkProposals(b *testing.B) {
	p := simulate(market{regions: 210, periods: 365, autocorrelation: .5}, 1)
	o := proposing(p, 1e4, 2)
	b.ResetTimer()
	for b.Loop() {
		if _, _, err := geo.Propose(p, o); err != nil {
			b.Fatal(err)
		}
	}
}
