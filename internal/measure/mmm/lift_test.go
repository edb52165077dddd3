package mmm

import (
	"math"
	"testing"

	"assay/internal/civil"
)

// Without adstock and with constant exposure, a lift equals the difference of two responses divided by the number of
// periods.
func TestPredictedLiftEqualsTheChangeOfTheResponse(t *testing.T) {
	t.Parallel()
	const n = 30
	d := Data{Media: []Media{{Channel: "x"}, {Channel: "y"}}}
	for i := range n {
		d.Dates = append(d.Dates, civil.MustParse("2026-01-05").AddDays(7*i))
		d.Target = append(d.Target, 1000+float64(i))
		d.Media[0].Exposure, d.Media[1].Exposure = append(d.Media[0].Exposure, 50), append(d.Media[1].Exposure, float64(i))
	}
	for _, saturation := range []Saturation{Logistic, CES, MichaelisMenten} {
		s := Spec{Adstock: Adstock{Kind: Immediately, Lags: 1}, Saturation: saturation}
		m, err := newModel(d, s.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		names := m.drawNames(d)
		saved := Saved{Data: d, Spec: s, Chains: 1, Parameters: names, Draws: [][]float64{
			make([]float64, len(names)), make([]float64, len(names)),
		}}
		for i := range names {
			saved.Draws[0][i], saved.Draws[1][i] = 0.4, 0.6
		}
		p, err := Restore(saved)
		if err != nil {
			t.Fatal(err)
		}
		for _, lift := range []Lift{
			{Channel: "x", X: 50, DeltaX: 50, DeltaY: 1e6, Sigma: 3},
			{Channel: "x", X: 50, DeltaX: -50, Sigma: 3},
		} {
			responses := p.Responses("x", []float64{1, 1 + lift.DeltaX/lift.X})
			want := (responses[1][0] + responses[1][1] - responses[0][0] - responses[0][1]) / 2 / n
			if got := p.PredictLift(lift); math.Abs(got.Mean-want) > 1e-9*math.Abs(want) || !(got.SD > 0) || want == 0 {
				t.Errorf("%s, spend from %v by %v: %v ± %v, want %v", saturation, lift.X, lift.DeltaX, got.Mean, got.SD, want)
			}
		}
	}
}
