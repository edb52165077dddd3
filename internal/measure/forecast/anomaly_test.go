package forecast

import (
	"math"
	"math/rand/v2"
	"testing"
)

// In 90 normal days, 3.5 to 5 days must have |z| > 2. A day that is four standard deviations low must be detected with
// probability 0.95 and be actionable with probability 0.6. The bounds include the standard error of the runs.
func TestAnomaliesOfNormalQuarters(t *testing.T) {
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
			if f := float64(acted) / n; f < .6-room/3 {
				t.Errorf("autocorrelation %v, heavy tails %v: %.3f of the days four deviations low are actionable, want .6", autocorrelation, heavyTails, f)
			}
		}
	}
}

func oddities(t testing.TB, values []float64, season int) []Anomaly {
	t.Helper()
	all, err := Anomalies(values, season)
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

// The series has two years. The six weeks before each Christmas have four times the variance. These weeks must neither
// hide a low day in July nor reduce the detections in a normal quarter. The bounds allow for ten series.
func TestVolatileSeasonDoesNotAffectNormalMonths(t *testing.T) {
	t.Parallel()
	const runs, christmas, wild, july = 10, 325, 42, 365 + 100
	rng := rand.New(rand.NewPCG(33, 34))
	flags, acted := 0.0, 0
	for range runs {
		y := shop(rng, 2*365, 0, false)
		for _, first := range []int{christmas, 365 + christmas} {
			for i := first; i < first+wild && i < len(y); i++ {
				y[i] *= math.Exp(math.Sqrt(15) * noise * rng.NormFloat64())
			}
		}
		day := july + rng.IntN(120)
		for _, o := range oddities(t, y, 7)[july : july+120] {
			if math.Abs(o.Z) >= 2 {
				flags += 90. / 120 / runs
			}
		}
		y[day] *= math.Exp(-5 * noise)
		judged, err := Judge(y, 7)
		if err != nil {
			t.Fatal(err)
		}
		if quarter := Among(judged[day-45 : day+45]); quarter[45].Actionable {
			acted++
		}
	}
	t.Logf("%.2f flags in 90 quiet days, %d of %d bad days actionable", flags, acted, runs)
	if flags < 2.7 || flags > 5.8 {
		t.Errorf("%.2f flags in 90 quiet days, want 3.5 to 5", flags)
	}
	if acted < runs*8/10 {
		t.Errorf("%d of %d days five standard deviations low are actionable", acted, runs)
	}
}

// A channel's daily spend rises to 4.6 times its level and stays there. The rise is one finding: one point has the
// shift, and unusual points around it are about as rare as elsewhere. The result for a point does not depend on how
// much of the series a caller displays.
func TestALevelShiftIsOneFinding(t *testing.T) {
	t.Parallel()
	const runs, at, days = 40, 90, 150
	rng := rand.New(rand.NewPCG(41, 42))
	near, found, quiet := 0, 0, 0
	for range runs {
		y := shop(rng, days, 0.3, false)
		for _, o := range oddities(t, y, 7) {
			if o.Shift != 0 {
				quiet++
			}
		}
		for i := at; i < days; i++ {
			y[i] *= 4.6
		}
		shifts, first := 0, 0
		for i, o := range oddities(t, y, 7) {
			if o.Shift != 0 {
				shifts, first = shifts+1, i
				if o.Shift < 2.5 || o.Shift > 5 {
					t.Errorf("shift of %.2f, want about 3.6", o.Shift)
				}
			}
			if i >= at-14 && i < at+14 && math.Abs(o.Z) >= 2 {
				near++
			}
		}
		if shifts == 1 && first >= at-2 && first <= at+2 {
			found++
		}
	}
	t.Logf("%d of %d shifts are one finding; %.1f unusual points in the four weeks around it; %d shifts of quiet series", found, runs, float64(near)/runs, quiet)
	if found < runs*9/10 || float64(near)/runs > 3 || quiet > 0 {
		t.Errorf("%d of %d shifts are one finding, %.1f unusual points around it, %d shifts of quiet series; want nine in ten, at most 3, none", found, runs, float64(near)/runs, quiet)
	}
}
