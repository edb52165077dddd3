package tools

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// fixtureModels gives every workspace except the empty one a media mix model of two simulated years. The model of the
// workspace "tested" has lift tests.
type fixtureModels struct{}

func (fixtureModels) MMM(_ context.Context, w control.Workspace) (mix.Held, error) {
	if w.ID == "empty" {
		return mix.Held{}, nil
	}
	m, err := fixtureModel()
	if w.ID == "tested" && err == nil {
		knowing := *m
		knowing.Tests = fixtureTests()
		m = &knowing
	}
	return mix.Held{Model: m}, err
}

// fixtureTests returns three tests: one agrees with the observational fit, one contradicts it, and one is not used by
// the model.
func fixtureTests() []mix.Calibration {
	test := func(id string, channel measure.Channel, first, last string) mix.Test {
		return mix.Test{ID: id, Channel: channel, Days: civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}, Share: 0.25}
	}
	agrees, contradicts, unused := test("facebook-scale-up", "facebook", "2026-01-19", "2026-02-15"), test("google-holdout", "google", "2025-10-06", "2025-11-02"),
		test("tiktok-holdout", "tiktok", "2025-08-04", "2025-08-31")
	agrees.Lift = &mmm.Lift{Channel: "facebook", X: 1750, DeltaX: 3500, DeltaY: 9000, Sigma: 2000}
	contradicts.Lift = &mmm.Lift{Channel: "google", X: 1050, DeltaX: -1050, DeltaY: -200, Sigma: 200}
	unused.Why = "the channel is not in the model"
	about := func(mean, sd float64) stats.Summary {
		return stats.Summary{Mean: mean, SD: sd, Q05: mean - 1.645*sd, Q95: mean + 1.645*sd}
	}
	return []mix.Calibration{
		{Test: unused},
		{Test: contradicts, Observational: &mix.Observational{Change: about(-1100, 200), ZScore: -3.2, ROAS: about(1.05, 0.2)}},
		{Test: agrees, Observational: &mix.Observational{Change: about(8000, 1500), ZScore: 0.4, ROAS: about(2.4, 0.4)}},
	}
}

var fixtureModel = sync.OnceValues(func() (*mix.Model, error) {
	r := rand.New(rand.NewPCG(4, 2))
	last := fixtureToday.AddDays(-1)
	s := mix.Store{
		Days: civil.Range{First: last.AddDays(-727), Last: last}, Revenue: map[civil.Date]float64{},
		Spend: map[measure.Channel]map[civil.Date]float64{"facebook": {}, "google": {}},
	}
	for day := s.Days.First; !day.After(last); day = day.AddDays(7) {
		facebook, google := 500*r.Float64(), 300*r.Float64()
		for k := range 7 {
			d := day.AddDays(k)
			s.Spend["facebook"][d], s.Spend["google"][d] = facebook, google
			s.Revenue[d] = 4000 + 300*r.NormFloat64() + 2000*math.Tanh(facebook/500) + 300*math.Tanh(google/300)
		}
	}
	w := newWorkspace("full")
	return mix.Train(s, mix.Training{Seed: 1, Settings: w.ModelSettings()})
})
