package geo

import (
	"math"
	"slices"
	"testing"

	"assay/internal/measure/stats/statstest"
)

// starts returns the first and last periods of windows, one after another.
func starts(windows []span) (all []int) {
	for _, w := range windows {
		all = append(all, w.start, w.end)
	}
	return all
}

// The choosing windows are in the third quarter of the history, the judging windows in the last.
func TestBacktestWindowsAreEvenlySpacedInTheSecondHalf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		periods, length, most int
		choosing, judging     []int
	}{
		{100, 10, 3, []int{50, 59, 58, 67, 65, 74}, []int{75, 84, 83, 92, 90, 99}},
		{100, 10, 1, []int{65, 74}, []int{90, 99}},
		{40, 10, 5, []int{20, 29}, []int{30, 39}},
		{40, 11, 5, nil, nil},
		{41, 10, 2, []int{20, 29}, []int{30, 39, 31, 40}},
		{8, 1, 9, []int{5, 5}, []int{6, 6, 7, 7}}, // at least five periods before the first window
		{100, 10, 0, nil, nil},
	} {
		choosing, judging := backtestWindows(c.periods, c.length, c.most)
		if !slices.Equal(starts(choosing), c.choosing) || !slices.Equal(starts(judging), c.judging) && c.choosing != nil {
			t.Errorf("%d periods, a test of %d, at most %d windows: %v and %v, want %v and %v",
				c.periods, c.length, c.most, starts(choosing), starts(judging), c.choosing, c.judging)
		}
		for _, w := range slices.Concat(choosing, judging) {
			if w.fit != w.start {
				t.Errorf("the window %v matches %d periods, want the %d periods before it", w, w.fit, w.start)
			}
		}
	}
}

// windowsAt returns backtests with the given spans and, for sets of one region, limit, null statistics and mean square.
func windowsAt(limit, square float64, nulls []float64, spans ...span) (all []*backtest) {
	for _, s := range spans {
		all = append(all, &backtest{
			estimator: &estimator{frame: &frame{span: s}},
			limit:     map[int]float64{1: limit}, scale: map[int]float64{1: square}, nulls: map[int][]float64{1: nulls},
		})
	}
	return all
}

// Two windows of four periods that overlap by half are 1.5 independent windows: (4 + 1.5·2.5) / (4 + 1.5).
func TestNoiseIsShrunkTowardThatOfPlaceboSets(t *testing.T) {
	t.Parallel()
	windows := windowsAt(1, 2, nil, before(10, 13), before(12, 15))
	own := []record{{statistic: 2 * math.Sqrt2}, {statistic: -math.Sqrt2}} // squares of 4 and 1 times the mean square
	statstest.Near(t, "the ratio of overlapping windows", noisiness(windows, own, 1), math.Sqrt(7.75/5.5), 1e-6)
	apart := windowsAt(1, 2, nil, before(10, 13), before(30, 33))
	statstest.Near(t, "the ratio of disjoint windows", noisiness(apart, own, 1), math.Sqrt((4+5.)/(4+2)), 1e-6)
	flat := windowsAt(1, 0, nil, before(10, 13))
	statstest.Near(t, "the ratio without noise", noisiness(flat, own, 1), 1, 1e-6)
}

func TestPowerIsTheShareOfPlaceboErrorsThatAreDetected(t *testing.T) {
	t.Parallel()
	own := []record{{statistic: 1, scale: 0.1, outcome: 2}} // a lift of 0.05 shifts the statistic by 1
	windows := windowsAt(1, 1, []float64{-2, -1, 0, 1}, before(10, 13))
	for _, c := range []struct{ lift, want float64 }{
		{0, 0.25}, // -2; statistics of ±1 are at the limit and not detected
		{0.025, 0.5}, {0.05, 0.25}, {0.075, 0.5}, {0.1, 0.5}, {0.16, 1}, {-0.05, 0.5}, {-1, 1},
	} {
		statstest.Near(t, "power", power(windows, own, 1, c.lift), c.want, 1e-6)
	}
	// A window with too few placebo sets detects nothing.
	both := append(windowsAt(math.Inf(1), 1, []float64{0}, before(10, 13)), windows...)
	statstest.Near(t, "power of two windows", power(both, append(slices.Clone(own), own...), 1, 0.16), 0.5, 1e-6)
	// A set with twice the error of placebo sets: k = √((4+4)/5), so errors are multiplied by k.
	noisy := []record{{statistic: 2, scale: 0.1, outcome: 2}}
	statstest.Near(t, "power of a noisy set", power(windows, noisy, 1, 0), 0.75, 1e-6)
}

// With a critical value of 1 and no error, a lift is detected if lift·outcome/scale is above 1.
func TestDetectableLiftIsTheSmallest(t *testing.T) {
	t.Parallel()
	windows := windowsAt(1, 1, []float64{0}, before(10, 13))
	for _, c := range []struct {
		outcome, want float64
		ok            bool
	}{{2, 0.5, true}, {0.6, 1 / 0.6, true}, {0.51, 1 / 0.51, true}, {0.49, 0, false}} {
		got, ok := detectable(windows, []record{{statistic: 1, scale: 1, outcome: c.outcome}}, 1, 0.8)
		if ok != c.ok {
			t.Errorf("outcome %v: detectable %t, want %t", c.outcome, ok, c.ok)
		}
		statstest.Near(t, "detectable lift", got, c.want, 1e-6)
	}
	// Four of five errors pass the limit at this lift: power of exactly the wanted share is enough.
	exact := windowsAt(1, 1, []float64{-3, 0, 0, 0, 0}, before(10, 13))
	got, ok := detectable(exact, []record{{statistic: 1, scale: 1, outcome: 1}}, 1, 0.8)
	if !ok {
		t.Error("power of 0.8 is not enough for 0.8")
	}
	statstest.Near(t, "lift with a power of 0.8", got, 1, 1e-6)
}

// (1.644854 + 0.841621) standard errors: two-sided size 0.1 and power 0.8.
func TestTheTextbookEffectIsTheStandardErrorTimesTwoQuantiles(t *testing.T) {
	t.Parallel()
	windows := windowsAt(1, 4, nil, before(10, 13))
	statstest.Near(t, "effect", analytic(windows, []record{{statistic: 2, scale: 0.1, outcome: 0.5}}, 1, 0.1, 0.8), 0.2/0.5*2.4864749, 1e-6)
	two := windowsAt(1, 4, nil, before(10, 13), before(20, 23))
	own := []record{{statistic: 2, scale: 0.1, outcome: 0.5}, {statistic: 2, scale: 0.3, outcome: 1.5}}
	statstest.Near(t, "effect of two windows", analytic(two, own, 1, 0.1, 0.8), math.Sqrt((0.04+0.36)/2)*2.4864749, 1e-6)
	if got := analytic(windows, []record{{statistic: 2, scale: 0.1}}, 1, 0.1, 0.8); !math.IsInf(got, 1) {
		t.Errorf("without an outcome the effect is %v, want none", got)
	}
}

func TestBacktestsLearnFromTheirPlaceboSets(t *testing.T) {
	t.Parallel()
	b := &backtest{
		estimator: &estimator{frame: &frame{z: make([][]float64, 20)}},
		limit:     map[int]float64{}, nulls: map[int][]float64{}, scale: map[int]float64{}, drawn: map[int][]reading{},
	}
	var drawn []reading
	for i := range 19 {
		drawn = append(drawn, reading{effect: float64(i - 9), fit: 1})
	}
	b.learn(drawn, 1, 0.1)
	if nulls := b.nulls[1]; len(nulls) != 19 || !slices.IsSorted(nulls) || nulls[0] != -9 {
		t.Errorf("null statistics %v, want -9 to 9", b.nulls[1])
	}
	statstest.Near(t, "mean square", b.scale[1], 30, 1e-6) // (n²-1)/12 for 19 consecutive integers
	statstest.Near(t, "limit", b.limit[1], 9, 1e-6)        // one of 20 sets may be as extreme, the second is a tie
	if b.learn(drawn, 2, 0.01); !math.IsInf(b.limit[2], 1) {
		t.Errorf("20 sets reject at 0.01 from %v", b.limit[2])
	}
	if len(b.drawn[1]) != 19 || b.drawn[1][0].effect != -9 {
		t.Errorf("readings %v", b.drawn[1])
	}
}

// small returns a panel with the given series, named a, b, and so on. The label of a period is its number.
func small(values ...[]float64) *Panel {
	p := &Panel{Values: values}
	for r := range values {
		p.Regions = append(p.Regions, Region(rune('a'+r)))
	}
	for i := range values[0] {
		p.Periods = append(p.Periods, Period{At: float64(i), Label: string(rune('0'+i/10%10)) + string(rune('0'+i%10))})
	}
	return p
}

func constant(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

// The treated regions follow donor c exactly before the window. In the window, they are above it by 1 of 10. Equal
// weights of c and d also miss the common movement of 1.
func TestPlansCompareTheGapWithEqualWeights(t *testing.T) {
	t.Parallel()
	up := []float64{11, 9, 12, 8, 11, 9, 12, 8, 11, 11}
	down := []float64{9, 11, 8, 12, 9, 11, 8, 12, 9, 9}
	lifted := slices.Clone(up)
	lifted[8], lifted[9] = 12, 12
	p := small(lifted, slices.Clone(lifted), up, down)
	windows := []*backtest{{
		estimator: &estimator{frame: newFrame(p, scaled, before(8, 9)), method: Scaled},
		limit:     map[int]float64{2: 1}, nulls: map[int][]float64{2: {0}}, scale: map[int]float64{2: 1},
	}}
	plan := judge(newBench(), p, windows, []int{0, 1}, 0.1, 0.8)
	statstest.Near(t, "outcome of two regions", plan.Outcome, 24, 1e-6)
	statstest.Near(t, "gap as a share of the outcome", plan.Gap, 1./12, 1e-6)
	statstest.Near(t, "gap relative to equal weights", plan.OutOfFit, 0.5, 1e-6)
	if plan.Windows != 1 || !slices.Equal(plan.Treated, []Region{"a", "b"}) {
		t.Errorf("plan %+v", plan)
	}
	own := records(newBench(), p, windows, []int{0, 1})
	statstest.Near(t, "outcome relative to the level", own[0].outcome, 1.2, 1e-6)
	statstest.Near(t, "scale of a perfect fit", own[0].scale, 0.01, 1e-6) // the root of the minimum fit of 1e-4
	statstest.Near(t, "statistic", own[0].statistic, 10, 1e-6)
}

func TestPowerCurvesEndAboveThePlannedLift(t *testing.T) {
	t.Parallel()
	up := []float64{11, 9, 12, 8, 11, 9, 12, 8, 10, 10}
	p := small(up, slices.Clone(up), constant(10, 10))
	windows := []*backtest{{
		estimator: &estimator{frame: newFrame(p, scaled, before(8, 9)), method: Scaled},
		limit:     map[int]float64{1: 1}, nulls: map[int][]float64{1: {0}}, scale: map[int]float64{1: 1},
	}}
	lift := 0.4
	for _, c := range []struct {
		plan Plan
		last float64
	}{{Plan{Planning: &lift}, 0.6}, {Plan{}, 2}} {
		curve := powerCurve(newBench(), p, windows, nil, []int{0}, c.plan)
		if len(curve) != 31 || curve[0].Lift != 0 || curve[0].Planning != 0 || curve[30].Planning != 1 ||
			curve[30].Optimistic != nil {
			t.Errorf("curve %+v", curve)
		}
		statstest.Near(t, "last lift", curve[30].Lift, c.last, 1e-6)
		statstest.Near(t, "middle lift", curve[15].Lift, c.last/2, 1e-6)
		both := powerCurve(newBench(), p, windows, windows, []int{0}, c.plan)
		if both[30].Optimistic == nil || *both[30].Optimistic != 1 || *both[0].Optimistic != 0 {
			t.Errorf("with choosing windows the curve is %+v", both)
		}
	}
}
