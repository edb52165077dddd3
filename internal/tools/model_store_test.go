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
)

// fixtureModels gives every workspace but the empty one a media mix model of two made-up years.
type fixtureModels struct{}

func (fixtureModels) MMM(_ context.Context, w control.Workspace) (mix.Held, error) {
	if w.ID == "empty" {
		return mix.Held{}, nil
	}
	m, err := fixtureModel()
	return mix.Held{Model: m}, err
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
	return mix.Train(s, mix.Training{Seed: 1, Settings: string(w.Currency) + ", " + w.Basis.String()})
})
