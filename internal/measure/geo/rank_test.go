package geo

import (
	"math"
	"testing"
)

// The p-value is the share of sets with at least the absolute effect of the treated set, including the treated set.
func TestThePValueIsTheRankOfTheTreatedSet(t *testing.T) {
	t.Parallel()
	read := func(effect float64) reading { return reading{effect: effect, fit: 1, level: 1} }
	sets := []reading{read(0.1), read(-0.2), read(0.3)}
	for effect, want := range map[float64]float64{0.05: 1, 0.1: 1, 0.15: 0.75, -0.2: 0.75, 0.2: 0.75, 0.25: 0.5, 0.3: 0.5, 0.31: 0.25, -9: 0.25} {
		r := Randomization{Sets: len(sets), sets: sets, own: read(effect), sample: smallSample{size: 1}}
		if got := r.p(); got != want {
			t.Errorf("an effect of %v among 0.1, -0.2 and 0.3 has the p-value %v, want %v", effect, got, want)
		}
	}
}

// A test of size alpha rejects a statistic if at most a share alpha of all sets is as extreme.
func TestTheCriticalStatisticAgreesWithThePValue(t *testing.T) {
	t.Parallel()
	var sets []reading
	for i := 1; i <= 19; i++ {
		sets = append(sets, reading{effect: float64(i), fit: 1})
	}
	for alpha, want := range map[float64]float64{0.05: 19, 0.1: 18, 0.149: 18, 0.5: 10, 1: 0} {
		if got, ok := critical(sets, alpha); !ok || got != want {
			t.Errorf("level %v: %v, %t; want %v", alpha, got, ok, want)
		}
	}
	if got, ok := critical(sets, 0.049); ok {
		t.Errorf("20 sets reject at the level 0.049 from %v", got)
	}
	if got := (reading{effect: -0.5, fit: 0}).statistic(); math.Abs(got-50) > 1e-9 { // the minimum of the fit is 1e-4
		t.Errorf("a perfect fit has the statistic %v, want 50", got)
	}
}
