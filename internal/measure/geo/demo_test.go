package geo_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/measure/stats"
	"assay/internal/warehouse"
)

// ordersOf returns the daily orders of a demo store by state, without wholesale orders, because ads do not change
// these.
func ordersOf(t *testing.T, seed uint64) (*geo.Panel, demo.Truth) {
	t.Helper()
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		t.Fatal(err)
	}
	opt := demo.Options{
		Seed: seed, Days: 730, Orders: 60_000, Today: civil.MustParse("2026-11-18"), Zone: zone,
		Currency: demo.StoreCurrency, HashKey: []byte("k"),
	}
	var rows []geo.Row
	orders := map[geo.Region][]float64{}
	truth, err := demo.Generate(opt, func(b *warehouse.Batch) error {
		for _, o := range b.Orders {
			region := geo.Region(o.Region)
			if orders[region] == nil {
				orders[region] = make([]float64, opt.Days)
			}
			if !o.Cancelled && !o.Test && o.Surface != measure.Wholesale {
				orders[region][o.Day.Sub(opt.First())]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for region, days := range orders {
		for day, n := range days {
			rows = append(rows, geo.Row{Region: region, Period: geo.Day(opt.First().AddDays(day)), Value: n})
		}
	}
	p, err := geo.NewPanel(rows, geo.Refuse)
	if err != nil {
		t.Fatal(err)
	}
	return p, truth
}

// some returns the panel of the given days.
func some(p *geo.Panel, days []int) *geo.Panel {
	out := &geo.Panel{Regions: p.Regions}
	for _, day := range days {
		out.Periods = append(out.Periods, p.Periods[day])
	}
	for _, y := range p.Values {
		kept := make([]float64, len(days))
		for i, day := range days {
			kept[i] = y[day]
		}
		out.Values = append(out.Values, kept)
	}
	return out
}

// clean returns the panel of a test's days and of four times as many earlier days. It omits the days of other tests and
// the week after each of them.
func clean(p *geo.Panel, truth demo.Truth, e demo.ExperimentTruth) (*geo.Panel, geo.Test) {
	first, last := e.Start.Sub(truth.FirstDay), e.End.Sub(truth.FirstDay)
	var days []int
	for day := first - 1; day >= 0 && len(days) < 4*(last-first+1); day-- {
		disturbed := slices.ContainsFunc(truth.Experiments, func(o demo.ExperimentTruth) bool {
			at := truth.FirstDay.AddDays(day)
			return o.ID != e.ID && o.Factor != 1 && !at.Before(o.Start) && !at.After(o.End.AddDays(7))
		})
		if !disturbed {
			days = append(days, day)
		}
	}
	slices.Reverse(days)
	test := geo.Test{Start: len(days), End: len(days) + last - first}
	for day := first; day <= last; day++ {
		days = append(days, day)
	}
	for _, state := range e.Treated {
		test.Treated = append(test.Treated, geo.Region(state))
	}
	return some(p, days), test
}

// On demo stores without an effect, the combined method rejects at the nominal rate. The test checks this for random
// sets of states in 35 days before the first experiment, and for the planned A/A tests. Over three seeds, the method
// must find at least seven of nine planted effects. Its intervals must be at most 1.2 times as wide as those of
// difference in differences on orders.
func TestCombinedFindsEffectsOfDemoStoresAndKeepsItsSize(t *testing.T) {
	t.Parallel()
	const sets, length = 15, 35
	stores := runs(3, 40)
	n := stores * sets
	var at5, at10, cover90, planned, found, first, effects float64
	var ratios []float64
	for seed := range uint64(stores) {
		p, truth := ordersOf(t, seed+1)
		rng := stats.Stream(seed, 3)
		for i := range sets {
			start := 140 + rng.IntN(truth.Experiments[1].Start.Sub(truth.FirstDay)-length-140)
			var days []int
			for day := start - 4*length; day < start+length; day++ {
				days = append(days, day)
			}
			panel, test := some(p, days), geo.Test{Start: 4 * length, End: 5*length - 1}
			test.Treated = pick(panel, draw(rng, len(p.Regions), []int{8, 13, 16}[i%3]))
			r := fit(t, panel, test, geo.Options{Draws: 400, Seed: seed, Alpha: .1, Method: geo.Combined})
			at5 += indicator(r.P <= .05) / float64(n)
			at10 += indicator(r.P <= .10) / float64(n)
			cover90 += indicator(r.Interval.Low <= 0 && 0 <= r.Interval.High) / float64(n)
		}
		for _, e := range truth.Experiments {
			panel, test := clean(p, truth, e)
			o := geo.Options{Draws: 2000, Seed: seed, Alpha: .1, Method: geo.Combined}
			r := fit(t, panel, test, o)
			if e.Factor == 1 {
				planned += indicator(r.P <= .10)
				continue
			}
			o.Method = geo.ScaledDiD
			plain := fit(t, panel, test, o)
			ratios = append(ratios, r.Reach(.1)/plain.Reach(.1))
			effects++
			found += indicator(r.P <= .10)
			if seed < 3 {
				first += indicator(r.P <= .10)
			}
		}
	}
	within(t, "rejections at 0.05", at5, .04, .06, n)
	within(t, "rejections at 0.10", at10, .085, .115, n)
	within(t, "coverage of 90% intervals", cover90, .88, .92, n)
	slices.Sort(ratios)
	t.Logf("%.0f of %d planned A/A tests are rejected at 0.10; %.0f of 9 effects of three stores and %.0f of all %.0f are found; median width %.3f of difference in differences",
		planned, stores, first, found, effects, ratios[len(ratios)/2])
	if first < 7 || ratios[len(ratios)/2] > 1.2 {
		t.Errorf("%.0f of 9 effects found with %.2f times the width, want at least 7 and at most 1.2", first, ratios[len(ratios)/2])
	}
}

// draw returns k of n positions.
func draw(rng *rand.Rand, n, k int) []int { return rng.Perm(n)[:k] }
