package forecast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A year has a gap, an incomplete last day and one day that is six standard deviations low. The gap has no result. The
// low day is the most unusual one, and is actionable in any window that contains it.
func TestPointsAreTestedAroundGaps(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(7, 8)), 365, 0, false)
	const low = 200
	y[low] *= math.Exp(-6 * noise)
	for _, t := range []int{0, 1, 100, 101, 102, 364} {
		y[t] = math.NaN()
	}
	all, err := Judge(y, 7)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range all {
		if p.Known == math.IsNaN(y[i]) {
			t.Errorf("point %d is known: %v, value %v", i, p.Known, y[i])
		}
		if p.Q != 0 || p.Actionable {
			t.Errorf("point %d has a false discovery rate before it has a window: %+v", i, p)
		}
	}
	window := Among(all[low-40 : low+20])
	found := Beyond(window, 2)
	if len(found) == 0 || found[0] != 40 || !window[40].Actionable || window[40].Q <= 0 || window[40].Q > 1e-3 {
		t.Errorf("beyond 2 are %v, the low day is %+v", found, window[40])
	}
	if quiet := Beyond(window, 6); len(quiet) > 1 {
		t.Errorf("%d points beyond 6", len(quiet))
	}
	few, err := Judge(y[:15], 7)
	if err != nil || few[10].Known {
		t.Errorf("of too few points: %+v, %v", few[10], err)
	}
	if none, err := Judge([]float64{math.NaN()}, 7); err != nil || none[0].Known {
		t.Errorf("of no point: %+v, %v", none, err)
	}
}

// A channel that is younger than the store begins with zeros. The zeros have no result and change no other result.
func TestZerosBeforeTheFirstValueAreNotTested(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(3, 4)), 182, 0, false)
	alone, err := Judge(y, 7)
	if err != nil {
		t.Fatal(err)
	}
	late, err := Judge(append(make([]float64, 364), y...), 7)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range late[:364] {
		if p.Known {
			t.Fatalf("day %d before the first value has a result", i)
		}
	}
	if diff := cmp.Diff(alone, late[364:]); diff != "" {
		t.Errorf("(-alone +after zeros):\n%s", diff)
	}
	if none, err := Judge(make([]float64, 60), 7); err != nil || none[30].Known {
		t.Errorf("of zeros: %+v, %v", none[30], err)
	}
}

// Without anomalies, at most one quarter in five has an actionable point.
func TestNormalQuartersAreRarelyActionable(t *testing.T) {
	t.Parallel()
	acted := 0
	const runs = 20
	for seed := range uint64(runs) {
		all, err := Judge(shop(rand.New(rand.NewPCG(seed, 9)), 365, 0, false), 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range Among(all[275:]) {
			if p.Actionable {
				acted++
				break
			}
		}
	}
	// The false discovery rate is at most 0.2. The probability of more than 8 of 20 quarters with an actionable point
	// is then 1%.
	if acted > 8 {
		t.Errorf("%d of %d quiet quarters have an actionable point", acted, runs)
	}
}
