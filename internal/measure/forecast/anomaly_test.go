package forecast

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The goals for 90 days without anything unusual: 3.5 to 5 days with |z| > 2 and at most .3 that are actionable; and a day
// four standard deviations low is found with a probability of .95. The bounds leave room for the error of the runs.
func TestOdditiesOfQuietQuarters(t *testing.T) {
	t.Parallel()
	runs, room := 60, .6
	if nightly() {
		runs, room = 2000, 0
	}
	for _, autocorrelation := range []float64{0, 0.5} {
		for _, heavyTails := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(31, 32))
			flags, actionable, found, acted := 0, 0, 0, 0
			for range runs {
				y := shop(rng, 90, autocorrelation, heavyTails)
				for _, o := range oddities(t, y, 7) {
					if math.Abs(o.Z) >= 2 {
						flags++
					}
					if o.Actionable {
						actionable++
					}
				}
				day := rng.IntN(90)
				y[day] *= math.Exp(-4 * noise)
				if o := oddities(t, y, 7)[day]; o.Z <= -2 {
					found++
					if o.Actionable {
						acted++
					}
				}
			}
			n := float64(runs)
			t.Logf("autocorrelation %v, heavy tails %v: %.2f flags, %.2f actionable; of days four deviations low %.3f found, %.3f actionable",
				autocorrelation, heavyTails, float64(flags)/n, float64(actionable)/n, float64(found)/n, float64(acted)/n)
			if f := float64(flags) / n; f < 3.5-room || f > 5+room {
				t.Errorf("autocorrelation %v, heavy tails %v: %.2f flags in 90 quiet days, want 3.5 to 5", autocorrelation, heavyTails, f)
			}
			if f := float64(found) / n; f < .95-room/10 {
				t.Errorf("autocorrelation %v, heavy tails %v: found %.3f of the days four deviations low, want .95", autocorrelation, heavyTails, f)
			}
		}
	}
}

func oddities(t testing.TB, values []float64, season int) []Oddity {
	t.Helper()
	all, err := Oddities(values, season)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range all {
		for _, x := range []float64{o.Expected, o.Z, o.P, o.Q} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("point %d: %+v", i, o)
			}
		}
	}
	return all
}
