package geo_test

import (
	"testing"

	"assay/internal/measure/geo"
)

// The panel is from GeoLift's walkthrough: 40 cities, 90 days.
func BenchmarkSelectionOfTheWalkthrough(b *testing.B) {
	p := geoLift(b, "geolift_pretest.csv")
	for b.Loop() {
		if _, err := geo.Select(p, walkthroughSelection()); err != nil {
			b.Fatal(err)
		}
	}
}

// The search covers about 270 sets of regions, 2 durations, 5 lifts and 10 lookback windows.
func BenchmarkSelectionWithoutRestrictions(b *testing.B) {
	p := geoLift(b, "geolift_pretest.csv")
	o := walkthroughSelection()
	o.Include, o.Exclude, o.Lookback = nil, nil, 10
	for b.Loop() {
		if _, err := geo.Select(p, o); err != nil {
			b.Fatal(err)
		}
	}
}

// The panel has 39 states and 31 years. There are only 38 sets of one donor, so no draw repeats a set.
func BenchmarkSynthDiDOnProposition99(b *testing.B) {
	p, test := proposition99(b)
	for b.Loop() {
		if _, err := geo.Fit(p, test, geo.Options{Method: geo.SynthDiD}); err != nil {
			b.Fatal(err)
		}
	}
}

// With two treated states there are 630 sets. The method draws 200 of them.
func BenchmarkSynthDiDWith200Draws(b *testing.B) {
	p, test := proposition99(b)
	test.Treated = append(test.Treated, "Nevada")
	for b.Loop() {
		if _, err := geo.Fit(p, test, geo.Options{Method: geo.SynthDiD, Draws: 200}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPreflightOfNamedRegions(b *testing.B) {
	p := simulate(market{regions: 210, periods: 365, autocorrelation: .5}, 1)
	treated := p.Regions[3:13]
	b.ResetTimer()
	for b.Loop() {
		if _, err := geo.Check(p, geo.PreflightOptions{Treated: treated}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPreflightThatSearches(b *testing.B) {
	p := simulate(market{regions: 210, periods: 365, autocorrelation: .5}, 1)
	b.ResetTimer()
	for b.Loop() {
		if _, err := geo.Check(p, geo.PreflightOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// The test is typical of a store: five weeks, 13 of 49 states, 5,000 placebo sets.
func BenchmarkExperimentOfAStore(b *testing.B) {
	p := simulate(market{regions: 49, periods: 175, autocorrelation: .3}, 1)
	test := geo.Test{Treated: p.Regions[4:17], Start: 140, End: 174}
	for b.Loop() {
		if _, err := geo.Fit(p, test, geo.Options{Alpha: .1, Draws: 5000}); err != nil {
			b.Fatal(err)
		}
	}
}
