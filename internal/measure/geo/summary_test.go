package geo

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/measure/stats/statstest"
)

func fitted(t *testing.T, p *Panel, test Test, o Options) *Result {
	t.Helper()
	r, err := Fit(p, test, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lastDays is a test of the first regions in the last periods.
func lastDays(p *Panel, treated, length int) Test {
	return Test{Treated: p.Regions[:treated], Start: len(p.Periods) - length, End: len(p.Periods) - 1}
}

// The mean gap of the test is the estimate, and the gap before the test gives L2. The weights of donors add up to one.
func TestTheGapOfTheTestIsTheEstimate(t *testing.T) {
	t.Parallel()
	p := noisy(14, 90)
	test := lastDays(p, 3, 10)
	for _, m := range []Method{Scaled, Synthetic, Demeaned, Augmented, SynthDiD, DiD, ScaledDiD, TBR, Ensemble, Combined} {
		r := fitted(t, p, test, Options{Method: m, Draws: 30, Cost: 50, Alpha: .3})
		if len(r.Gap) != 90 || r.Donors != 11 || r.Before != 80 || r.Periods != 10 {
			t.Fatalf("%s: %d gaps, %d donors, %d and %d periods", m, len(r.Gap), r.Donors, r.Before, r.Periods)
		}
		statstest.Near(t, string(m)+": mean gap", stats.Mean(r.Gap[80:]), r.ATT, 1e-6)
		statstest.Near(t, string(m)+": L2", r.L2, math.Sqrt(stats.Dot(r.Gap[:80], r.Gap[:80])), 1e-6)
		statstest.Near(t, string(m)+": incremental", r.Incremental, 30*r.ATT, 1e-6)
		observed, sum := 0.0, 0.0
		for _, y := range p.Values[:3] {
			observed += stats.Mean(y[80:]) / 3
		}
		statstest.Near(t, string(m)+": lift", r.Lift, r.ATT/(observed-r.ATT), 1e-6)
		for _, w := range r.Weights {
			sum += w.Weight
		}
		if m != TBR {
			statstest.Near(t, string(m)+": sum of weights", sum, 1, 1e-6)
		}
		if m == Scaled || m == Demeaned || m == DiD || m == ScaledDiD || m == Combined {
			statstest.Near(t, string(m)+": mean gap before the test", stats.Mean(r.Gap[:80])/r.L2, 0, 1e-6)
		}
		statstest.Near(t, string(m)+": return", r.Return.PerCost, r.Incremental/50, 1e-6)
		statstest.Near(t, string(m)+": cost of one", *r.Return.Each, 50/r.Incremental, 1e-6)
		if r.Interval == nil {
			t.Fatalf("%s has no interval", m)
		}
		statstest.Near(t, string(m)+": lower return", r.Return.PerCostInterval.Low, r.Interval.Low*30/50, 1e-6)
		if e := r.Return.Estimate(); e == nil || e.Value != r.Return.PerCost || e.High != r.Return.PerCostInterval.High {
			t.Errorf("%s: estimate %+v of %+v", m, e, r.Return)
		}
	}
	if (*Return)(nil).Estimate() != nil || (&Return{PerCost: 1}).Estimate() != nil {
		t.Error("a return without an interval has an estimate")
	}
}

// With equal weights, L2 relative to L2 with equal weights is 1. Difference in differences fits a constant, so it is at
// most that of the demeaned series, which is the same.
func TestScaledL2OfEqualWeightsIsOne(t *testing.T) {
	t.Parallel()
	p := noisy(14, 90)
	statstest.Near(t, "scaled L2", fitted(t, p, lastDays(p, 2, 10), Options{Method: DiD}).ScaledL2, 1, 1e-6)
	if r := fitted(t, p, lastDays(p, 2, 10), Options{}); r.ScaledL2 <= 0 || r.ScaledL2 >= 1 {
		t.Errorf("scaled L2 of the default method is %v", r.ScaledL2)
	}
}

// Weights are inverse to the mean squared effects on the treated regions in windows before the test. With a test of 14
// periods that starts at 60, windows start at 46, 39, 32, 25 and 18.
func TestMembersAreWeightedByTheirErrorsBeforeTheTest(t *testing.T) {
	t.Parallel()
	p := noisy(12, 74)
	test := lastDays(p, 2, 14)
	members := fitted(t, p, test, Options{Method: Combined, Draws: 30}).Members
	inverse := 0.0
	for _, m := range members {
		squares := 0.0
		for _, start := range []int{46, 39, 32, 25, 18} {
			r := fitted(t, p, Test{Treated: test.Treated, Start: start, End: start + 13}, Options{Method: m.Method, Draws: 30})
			squares += r.ATT * r.ATT / 5
		}
		statstest.Near(t, string(m.Method)+": error", m.Error, math.Sqrt(squares), 1e-6)
		statstest.Near(t, string(m.Method)+": estimate", m.ATT, fitted(t, p, test, Options{Method: m.Method, Draws: 30}).ATT, 1e-6)
		inverse += 1 / (m.Error * m.Error)
	}
	for _, m := range members {
		statstest.Near(t, string(m.Method)+": weight", m.Weight, 1/(m.Error*m.Error)/inverse, 1e-6)
	}
}

func TestFewWindowsGiveEqualWeights(t *testing.T) {
	t.Parallel()
	p := noisy(12, 80)
	for start, known := range map[int]bool{41: false, 42: true} { // windows start at 28, 21 and 14
		for _, m := range []Method{Ensemble, Combined} {
			r := fitted(t, p, Test{Treated: p.Regions[:2], Start: start, End: start + 13}, Options{Method: m, Draws: 20})
			for _, member := range r.Members {
				if (member.Error > 0) != known || (member.Weight == 1/float64(len(r.Members))) == known {
					t.Errorf("%s from period %d: %+v", m, start, member)
				}
			}
		}
	}
	// The number of windows is at most 12.
	one := func(start int, m Method) *Result {
		return fitted(t, p, Test{Treated: p.Regions[:1], Start: start, End: start}, Options{Method: m, Draws: 11})
	}
	squares := 0.0
	for start := 78; start > 66; start-- {
		squares += math.Pow(one(start, ScaledDiD).ATT, 2) / 12
	}
	statstest.Near(t, "error over 12 windows", one(79, Combined).Members[1].Error, math.Sqrt(squares), 1e-6)
}

// The conformal test of the combined method is that of its heaviest member, moved to the combined estimate.
func TestCombinedMovesTheIntervalOfItsHeaviestMember(t *testing.T) {
	t.Parallel()
	p := noisy(12, 74)
	test := lastDays(p, 2, 14)
	r := fitted(t, p, test, Options{Method: Combined, Draws: 30, Alpha: .1})
	best := r.Members[0]
	if r.Members[1].Weight > best.Weight {
		best = r.Members[1]
	}
	own := fitted(t, p, test, Options{Method: best.Method, Draws: 30, Alpha: .1, Inference: Conformal})
	statstest.Near(t, "p-value", r.Shifts.P, own.P, 1e-6)
	statstest.Near(t, "lower end", r.Shifts.Interval.Low-r.ATT, own.Interval.Low-own.ATT, 1e-6)
	statstest.Near(t, "upper end", r.Shifts.Interval.High-r.ATT, own.Interval.High-own.ATT, 1e-6)
	statstest.Near(t, "estimate", r.ATT, r.Members[0].Weight*r.Members[0].ATT+r.Members[1].Weight*r.Members[1].ATT, 1e-6)
}

func TestMembersThatDisagreeAreReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		se   float64
		want int
	}{{1, 0}, {.99, 1}} {
		r := &Result{Members: []Member{{ATT: 3}, {ATT: 5}, {ATT: 4}}, Placebo: &Randomization{SE: c.se}}
		analysis{}.disagree(r)
		if len(r.Notes) != c.want ||
			c.want > 0 && r.Notes[0] != "the methods disagree: estimates range from 3 to 5 per region and period" {
			t.Errorf("estimates from 3 to 5 with a standard error of %v: %q", c.se, r.Notes)
		}
	}
}

// Notes name a treated region above three times the largest donor, a scaled L2 above 0.6 and a history below four times
// the test.
func TestWeakComparisonsAreReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		level, l2     float64
		start, length int
		method        Method
		want          []string
	}{
		{30, .6, 40, 10, Scaled, nil},
		{31, .6, 40, 10, Scaled, []string{"the treated regions are 3.1 times as large as the largest donor"}},
		{30, .61, 40, 10, Scaled, []string{"the donors fit the treated regions poorly before the test (scaled L2 imbalance 0.61, limit 0.6)"}},
		{30, .9, 40, 10, DiD, nil},
		{30, .6, 39, 10, Scaled, []string{"the history before the test has 39 periods; at least four times the 10 periods"}},
	} {
		a := analysis{donors: []int{1, 2}, span: before(c.start, c.start+c.length-1)}
		a.Method = c.method
		r := &Result{ScaledL2: c.l2, Periods: c.length}
		a.warn(r, &estimator{frame: &frame{level: []float64{99, 8, 10}}}, target{level: c.level})
		if len(r.Notes) != len(c.want) || len(c.want) > 0 && !strings.HasPrefix(r.Notes[0], c.want[0]) {
			t.Errorf("%+v: %q", c, r.Notes)
		}
	}
}

// Residuals that alternate have an autocorrelation of about -1. The limit is two standard errors, 2/√n.
func TestAutocorrelatedResidualsAreReported(t *testing.T) {
	t.Parallel()
	p := noisy(5, 100)
	if r := fitted(t, p, lastDays(p, 1, 5), Options{Method: TBR}); len(r.Notes) > 0 {
		t.Errorf("independent residuals: %q", r.Notes)
	}
	for s := range p.Values[0] {
		p.Values[0][s] += 40 * float64(s%2)
	}
	r := fitted(t, p, lastDays(p, 1, 5), Options{Method: TBR})
	if len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "residuals are autocorrelated (-0.") {
		t.Errorf("alternating residuals: %q", r.Notes)
	}
	if r.Inference != StudentT {
		t.Errorf("inference is %s", r.Inference)
	}
}

func TestLiftsNeedAPositiveCounterfactual(t *testing.T) {
	t.Parallel()
	for att, known := range map[float64]bool{1: true, 9.9: true, 10: false, 12: false} {
		a := analysis{panel: small([]float64{0, 10, 10}), treated: []int{0}, span: before(1, 2)}
		r := &Result{ATT: att, Periods: 2, Interval: &measure.Interval{Low: math.NaN()}}
		a.summarize(r)
		if r.LiftKnown != known || known && math.Abs(r.Lift-att/(10-att)) > 1e-9 || r.Interval != nil {
			t.Errorf("effect of %v on 10: %+v", att, r)
		}
	}
}

// Without placebo sets, the conformal test in time is used. Without both, the p-value is that of the sets, or 1.
func TestInferenceFallsBack(t *testing.T) {
	t.Parallel()
	shifts := &Shifting{P: .02, Interval: &measure.Interval{Low: 1, High: 2}}
	own := reading{effect: 1, fit: 1, level: 1}
	sets := &Randomization{Sets: 3, sets: []reading{{effect: .1, fit: 1}, {effect: .2, fit: 1}, {effect: 3, fit: 1}}, own: own, sample: smallSample{size: 1}, LeastP: .25}
	for name, c := range map[string]struct {
		placebo *Randomization
		shifts  *Shifting
		alpha   float64
		asked   Inference
		want    Inference
		p       float64
		note    string
	}{
		"enough sets":         {sets, shifts, .5, Placebo, Placebo, .5, ""},
		"too few sets":        {sets, shifts, .2, Placebo, Conformal, .02, "3 placebo sets cannot give a p-value below 0.250"},
		"no donors":           {nil, shifts, .2, Placebo, Conformal, .02, "too few donors for placebo sets"},
		"conformal":           {sets, shifts, .5, Conformal, Conformal, .02, ""},
		"no test in time":     {sets, nil, .2, Placebo, Placebo, .5, "3 placebo sets"},
		"no test at all":      {nil, nil, .2, Placebo, Placebo, 1, "too few donors"},
		"permutations, asked": {nil, shifts, .5, ConformalIID, ConformalIID, .02, ""},
	} {
		a := analysis{}
		a.Inference, a.Alpha, a.Method = c.asked, c.alpha, Scaled
		r := &Result{Inference: c.asked, Placebo: c.placebo, Shifts: c.shifts, ATT: 5}
		a.conclude(r)
		if r.Inference != c.want || math.Abs(r.P-c.p) > 1e-9 ||
			!strings.Contains(strings.Join(r.Notes, "\n"), c.note) || (len(r.Notes) > 0) != (c.note != "") {
			t.Errorf("%s: %s with p %v and notes %q", name, r.Inference, r.P, r.Notes)
		}
		if i := r.Interval; name == "enough sets" && (i == nil || math.Abs(i.Low-4.8) > 1e-9 || math.Abs(i.High-5.2) > 1e-9 || i.Level != .5) {
			t.Errorf("interval %+v, want 5 ± the second largest statistic", i)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o  Options
		ok bool
	}{
		"alpha of 1":              {Options{Alpha: 1}, false},
		"alpha below 0":           {Options{Alpha: -.1}, false},
		"alpha near 1":            {Options{Alpha: .99}, true},
		"negative draws":          {Options{Draws: -1}, false},
		"one draw":                {Options{Draws: 1}, true},
		"a cost below 0":          {Options{Cost: -1}, true},
		"a cost without a number": {Options{Cost: math.NaN()}, false},
		"an infinite cost":        {Options{Cost: math.Inf(-1)}, false},
		"a conformal ensemble":    {Options{Method: Ensemble, Inference: Conformal}, false},
		"a conformal default":     {Options{Inference: Conformal}, true},
	} {
		if _, err := c.o.withDefaults(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Blocks of three periods are counted from the start of the test at period 7: from 1, 4, 7 and 10; the last period is
// left out. The donor is constant, so the counterfactual of the treated region is its mean before the test.
func TestBlocksAreCountedFromTheStart(t *testing.T) {
	t.Parallel()
	y := []float64{10, 11, 9, 10.3, 9, 11, 9.7, 12, 13, 14, 12, 12, 12, 99}
	p := small(y, constant(5, 14), constant(7, 14))
	a, err := Assess(p, Test{Treated: []Region{"a"}, Start: 7, End: 12}, 3, Options{Alpha: .4})
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{
		{p.Periods[1], 3, false, 30.3, 30, 29.7, 30.3},
		{p.Periods[4], 3, false, 29.7, 30, 29.7, 30.3},
		{p.Periods[7], 3, true, 39, 30, 29.7, 30.3},
		{p.Periods[10], 3, true, 36, 30, 29.7, 30.3},
	}
	if len(a.Blocks) != len(want) {
		t.Fatalf("%d blocks: %+v", len(a.Blocks), a.Blocks)
	}
	for i, b := range a.Blocks {
		if b.First != want[i].First || b.Periods != 3 || b.During != want[i].During {
			t.Errorf("block %d is %+v", i, b)
		}
		statstest.Near(t, "observed", b.Observed, want[i].Observed, 1e-6)
		statstest.Near(t, "expected", b.Expected, want[i].Expected, 1e-6)
		statstest.Near(t, "low", b.Low, want[i].Low, 1e-6)
		statstest.Near(t, "high", b.High, want[i].High, 1e-6)
	}
	if _, err := Assess(p, Test{Treated: []Region{"a"}, Start: 7, End: 12}, 0, Options{}); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("blocks of 0 periods: %v", err)
	}
	statstest.Near(t, "lift", a.LiftEstimate.Value, .25, 1e-6)
	statstest.Near(t, "its upper end", a.LiftEstimate.High, a.Interval.High/10, 1e-6)
	statstest.Near(t, "incremental", a.IncrementalEstimate.Value, 15, 1e-6)
	statstest.Near(t, "its lower end", a.IncrementalEstimate.Low, 6*a.Interval.Low, 1e-6)
	if a.LiftEstimate.Basis != measure.Incremental || a.LiftEstimate.Method != measure.GeoExperiment {
		t.Errorf("estimate %+v", a.LiftEstimate)
	}
	ones, err := Assess(p, Test{Treated: []Region{"a"}, Start: 7, End: 12}, 1, Options{Alpha: .4})
	if err != nil || len(ones.Blocks) != 13 {
		t.Fatalf("%d blocks of one period, %v", len(ones.Blocks), err)
	}
	statstest.Near(t, "band of seven errors", ones.Blocks[0].High-ones.Blocks[0].Expected, 1, 1e-6) // the eighth of seven is the last
}

// A lift needs a positive counterfactual and an effect. The counterfactual of the first region is negative, and the
// second has no effect.
func TestAssessmentsWithoutALiftHaveNoLiftEstimate(t *testing.T) {
	t.Parallel()
	for _, y := range [][]float64{{-10, -11, -9, -10, -11, -9, 5}, constant(10, 7)} {
		a, err := Assess(small(y, constant(5, 7), constant(7, 7)), Test{Treated: []Region{"a"}, Start: 6, End: 6}, 1, Options{Alpha: .4})
		if err != nil || a.Interval == nil || a.IncrementalEstimate == nil {
			t.Fatalf("%+v, %v", a, err)
		}
		if a.LiftEstimate != nil {
			t.Errorf("an effect of %v with the lift %v (known: %t) has the estimate %+v", a.ATT, a.Lift, a.LiftKnown, a.LiftEstimate)
		}
	}
}

// A band contains 90% of the errors before the test: the 18th of 19.
func TestTheBandContainsNineOfTenBlocks(t *testing.T) {
	t.Parallel()
	y := constant(100, 20)
	for i := range 19 {
		y[i] += float64(i-9) * 1.5
	}
	p := small(y, constant(5, 20), constant(7, 20))
	a, err := Assess(p, Test{Treated: []Region{"a"}, Start: 19, End: 19}, 1, Options{Alpha: .4})
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "band", a.Blocks[0].High-a.Blocks[0].Expected, 13.5, 1e-6) // errors of 0 and twice 1.5 to 13.5
	y[0], y[18] = 86.5-10, 113.5+10
	a, err = Assess(p, Test{Treated: []Region{"a"}, Start: 19, End: 19}, 1, Options{Alpha: .4})
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "band with two large errors", a.Blocks[0].Low-a.Blocks[0].Expected, -23.5, 1e-6)
}

// The baseline is the spend of as many periods before, times the growth of the other regions.
func TestSpendChangesAgainstTheGrowthOfOtherRegions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		treated, other []float64
		start, end     int
		change         float64
		known          bool
	}{
		{[]float64{9, 10, 10, 30, 30, 9}, []float64{9, 20, 20, 30, 30, 9}, 3, 4, 60 - 20*1.5, true},
		{[]float64{10, 10, 10, 10}, []float64{0, 0, 5, 5}, 2, 3, 0, false},
		{[]float64{10, 20, 20, 20}, []float64{5, 5, 5, 5}, 1, 3, 30, true}, // one period before, counted three times
		{[]float64{100, 105.2}, []float64{1, 1}, 1, 1, 5.2, false},
		{[]float64{100, 105.3}, []float64{1, 1}, 1, 1, 5.3, true},
		{[]float64{100, 94.9}, []float64{1, 1}, 1, 1, -5.1, true},
		{[]float64{100, 95.1}, []float64{1, 1}, 1, 1, -4.9, false},
		{[]float64{0, 0}, []float64{1, 1}, 1, 1, 0, false},
	} {
		change, known := SpendChange(small(c.treated, c.other), Test{Treated: []Region{"a"}, Start: c.start, End: c.end})
		statstest.Near(t, "change", change, c.change, 1e-6)
		if known != c.known {
			t.Errorf("%v: known %t, want %t", c, known, c.known)
		}
	}
}

func TestStandardErrorsComeFromTheIntervalOrTheSets(t *testing.T) {
	t.Parallel()
	interval := &measure.Interval{Low: 1, High: 1 + 2*1.6448536269514722*3, Level: .9}
	for _, c := range []struct {
		r    Result
		want float64
		ok   bool
	}{
		{Result{Interval: interval, Placebo: &Randomization{SE: 5}}, 3, true},
		{Result{Interval: &measure.Interval{Low: 1, High: 1}, Placebo: &Randomization{SE: 5}}, 5, true},
		{Result{Placebo: &Randomization{SE: .5}}, .5, true},
		{Result{Placebo: &Randomization{}}, 0, false},
		{Result{}, 0, false},
	} {
		sd, ok := c.r.sd()
		statstest.Near(t, "standard error", sd, c.want, 1e-6)
		if ok != c.ok {
			t.Errorf("%+v has a standard error: %t", c.r, ok)
		}
	}
	good := Result{ATT: 2, Treated: []Region{"a", "b"}, Interval: interval}
	for name, c := range map[string]struct {
		change float64
		s      Settling
		ok     bool
	}{
		"the whole effect":   {-5, Settling{Share: 1}, true},
		"a share above 1":    {5, Settling{Share: 1.01}, false},
		"a share below 0":    {5, Settling{Share: -.01}, false},
		"spend below 0":      {5, Settling{Spend: -.01}, false},
		"recency below 0":    {5, Settling{Recency: -.01}, false},
		"duration below 0":   {5, Settling{Duration: -.01}, false},
		"no change of spend": {0, Settling{}, false},
	} {
		if _, err := good.LiftTest("x", 10, c.change, c.s); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := good.LiftTest("x", 10, 5, Settling{Share: .5, Spend: .2, Recency: .3, Duration: .75})
	if err != nil || got.Channel != "x" || got.X != 10 || got.DeltaX != 5 {
		t.Fatalf("%+v, %v", got, err)
	}
	statstest.Near(t, "change of the target", got.DeltaY, 8, 1e-6)
	statstest.Near(t, "its standard deviation", got.Sigma, 3*4*1.5, 1e-6) // √(1 + .2 + .3 + .75)
	if _, err := (&Result{}).LiftTest("x", 10, 5, Settling{}); err == nil ||
		!strings.Contains(err.Error(), "neither an interval nor placebo sets") {
		t.Errorf("without a standard error: %v", err)
	}
}

func TestTheCostOfOneIsUnboundedAroundZero(t *testing.T) {
	t.Parallel()
	r := Result{Treated: []Region{"a", "b"}, Periods: 5, Incremental: 40, Interval: &measure.Interval{Low: 2, High: 5, Level: .9}}
	got := r.ratio(20)
	statstest.Near(t, "return", got.PerCost, 2, 1e-6)
	statstest.Near(t, "low", got.PerCostInterval.Low, 1, 1e-6)
	statstest.Near(t, "high", got.PerCostInterval.High, 2.5, 1e-6)
	statstest.Near(t, "cost of one", *got.Each, .5, 1e-6)
	statstest.Near(t, "low cost", got.EachInterval.Low, .4, 1e-6)
	statstest.Near(t, "high cost", got.EachInterval.High, 1, 1e-6)
	if got.EachInterval.Level != .9 {
		t.Errorf("level %v", got.EachInterval.Level)
	}
	r.Interval.Low = -1
	if got := r.ratio(20); got.EachInterval != nil {
		t.Errorf("cost of one %v around zero", got.EachInterval)
	}
	r.Incremental, r.Interval.Low = 0, 0
	if got := r.ratio(20); got.Each != nil || got.EachInterval != nil {
		t.Errorf("cost of one without an effect is %v", got.Each)
	}
}

// The prior 1 ± 0.5 has the precision 4. A measurement of 0.4 ± 0.25 has the precision 16: mean (4 + 6.4)/20.
func TestPosteriorFactorsAreShrunkToOne(t *testing.T) {
	t.Parallel()
	z := 1.6448536269514722
	around := func(value, sd float64) measure.Estimate {
		return measure.Estimate{Value: value, Interval: measure.NormalInterval(value, sd, .9)}
	}
	got, err := Posterior([]measure.Estimate{around(.4, .25)}, .9)
	if err != nil || got.Tests != 1 || got.Method != measure.FactorPosterior || got.Basis != measure.Incremental {
		t.Fatalf("%+v, %v", got, err)
	}
	statstest.Near(t, "mean", got.Value, .52, 1e-6)
	statstest.Near(t, "upper end", got.High, .52+z/math.Sqrt(20), 1e-6)
	exact, err := Posterior([]measure.Estimate{around(.4, 0)}, .9)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "exact measurement", exact.Value, .4, 1e-6)
	if _, err := Posterior(nil, .9); fault.KindOf(err) != fault.KindNotReady {
		t.Errorf("no test: %v", err)
	}
	prior := Prior(.9)
	statstest.Near(t, "prior", prior.Value, 1, 1e-6)
	statstest.Near(t, "lower end of the prior", prior.Low, 1-.5*z, 1e-6)
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		if _, err := Pool([]measure.Estimate{around(1, .1)}, level); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("level %v: %v", level, err)
		}
	}
	if _, err := Pool([]measure.Estimate{around(1, .1), around(2, 0)}, .9); err == nil ||
		!strings.Contains(err.Error(), "the interval of factor 2 has no length") {
		t.Errorf("an interval without length: %v", err)
	}
	// Weights 100 and 25: f̄₀ = .52, Q = 100·.12² + 25·.48² = 7.2, τ² = (7.2-1)/(125 - 10625/125) = .155.
	two, err := Pool([]measure.Estimate{around(.4, .1), around(1, .2)}, .9)
	if err != nil || two.Tests != 2 || two.Method != measure.MetaAnalysis {
		t.Fatalf("%+v, %v", two, err)
	}
	statstest.Near(t, "between", two.Between, math.Sqrt(.155), 1e-6)
	w1, w2 := 1/.165, 1/.195
	statstest.Near(t, "pooled", two.Value, (.4*w1+w2)/(w1+w2), 1e-6)
	statstest.Near(t, "upper end of the pooled factor", two.High, two.Value+z/math.Sqrt(w1+w2), 1e-6)
	for years, want := range map[float64]float64{-1: .3, 0: .3, 1: math.Hypot(.3, .25), 1.6: .5, 9: .5} {
		f := around(.4, .3)
		statstest.Near(t, "uncertainty", Uncertainty(&f, years), want, 1e-6)
	}
	for _, bad := range []measure.Estimate{
		{Value: 1, Interval: measure.Interval{Low: 2, High: 1, Level: .9}},
		{Value: 1, Interval: measure.Interval{Low: 0, High: 1, Level: 1}},
		{Value: 1, Interval: measure.Interval{Low: 0, High: 1}},
		{Value: math.NaN(), Interval: measure.Interval{Low: 0, High: 1, Level: .9}},
		{Value: 1, Interval: measure.Interval{Low: math.Inf(-1), High: 1, Level: .9}},
		{Value: 1, Interval: measure.Interval{Low: 0, High: math.Inf(1), Level: .9}},
	} {
		if _, err := Factor(bad, 2); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := Factor(measure.Estimate{Value: 1, Interval: measure.Interval{Low: 1, High: 1, Level: .9}}, 2); err != nil {
		t.Errorf("an interval of length 0: %v", err)
	}
}

// A region is small with an outcome in less than 80% of the periods and less than 1/40 of the total.
func TestOnlySmallRegionsAreMerged(t *testing.T) {
	t.Parallel()
	series := func(total float64, empty int) []float64 {
		y := make([]float64, 10)
		for i := range 10 - empty {
			y[i] = total / float64(10-empty)
		}
		return y
	}
	for _, c := range []struct {
		values [][]float64
		keep   []Region
		want   string
		sums   []float64
	}{
		{[][]float64{series(40, 0), series(.5, 3), series(.4, 3)}, nil, "a, b and 1 more", []float64{40, .9}},
		{[][]float64{series(40, 0), series(.5, 2), series(.4, 3)}, nil, "a, b, c", []float64{40, .5, .4}},           // b has 80%
		{[][]float64{series(40, 0), series(.5, 3), series(2, 9)}, nil, "a, b, c", []float64{40, .5, 2}},             // c is large
		{[][]float64{series(39, 0), series(1, 9)}, nil, "a, b", []float64{39, 1}},                                   // 1/40 exactly
		{[][]float64{series(40, 0), series(.5, 3), series(.4, 3)}, []Region{"b"}, "a, b, c", []float64{40, .5, .4}}, // b is needed
		{
			[][]float64{series(40, 0), series(.3, 9), series(.9, 9), series(.6, 9), series(.2, 9)},
			nil,
			"a, c and 3 more",
			[]float64{40, 2},
		},
		{ // c and d are a complete group, above 42.3/40; so are b, e and f
			[][]float64{series(40, 0), series(.5, 9), series(.6, 9), series(.55, 9), series(.45, 9), series(.2, 9)},
			nil,
			"a, b and 2 more, c and 1 more",
			[]float64{40, 1.15, 1.15},
		},
		{ // b, e and f are below 42.2/40 and join the group
			[][]float64{series(40, 0), series(.5, 9), series(.6, 9), series(.55, 9), series(.45, 9), series(.1, 9)},
			nil,
			"a, c and 4 more",
			[]float64{40, 2.2},
		},
	} {
		g := small(c.values...).grouped(c.keep)
		names := strings.TrimSuffix(label(g.Regions), ", ")
		if names != c.want {
			t.Errorf("regions %q, want %q", names, c.want)
			continue
		}
		for r, want := range c.sums {
			statstest.Near(t, string(g.Regions[r]), stats.Sum(g.Values[r]), want, 1e-6)
		}
	}
	// With more regions to keep, more regions are merged separately: the limit is 1/(4·20) of the outcome.
	var many [][]float64
	for range 20 {
		many = append(many, series(5, 0))
	}
	many = append(many, series(1.3, 9), series(1.2, 9))
	p := small(many...)
	if g := p.grouped(p.Regions[:20]); len(g.members) != 0 {
		t.Errorf("groups %v, want none", g.members)
	}
	if g := p.grouped(nil); len(g.members) != 1 || !slices.Equal(g.expanded(g.Regions), p.Regions) {
		t.Errorf("groups %v, want one", g.members)
	}
}

func TestImpactDefaultsAreThoseOfCausalImpact(t *testing.T) {
	t.Parallel()
	rng := stats.Stream(2, 2)
	y, x := make([]float64, 30), make([]float64, 30)
	for i := range y {
		x[i] = rng.NormFloat64()
		y[i] = 100 + 5*x[i] + rng.NormFloat64()
	}
	got, err := Interrupted(y, [][]float64{x}, 25, ImpactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Interrupted(y, [][]float64{x}, 25, ImpactOptions{Alpha: .05, Draws: 4000, Warmup: 500, LevelSD: .01})
	if err != nil || *got != *want {
		t.Errorf("%+v, want %+v, %v", got, want, err)
	}
	for name, c := range map[string]struct {
		start int
		o     ImpactOptions
		ok    bool
	}{
		"ten periods before":  {10, ImpactOptions{Draws: 100}, true},
		"nine periods before": {9, ImpactOptions{Draws: 100}, false},
		"one period after":    {29, ImpactOptions{Draws: 100}, true},
		"no period after":     {30, ImpactOptions{Draws: 100}, false},
		"99 draws":            {25, ImpactOptions{Draws: 99}, false},
		"negative warm-up":    {25, ImpactOptions{Draws: 100, Warmup: -1}, false},
		"warm-up of 1":        {25, ImpactOptions{Draws: 100, Warmup: 1}, true},
		"alpha of 1":          {25, ImpactOptions{Draws: 100, Alpha: 1}, false},
		"alpha below 0":       {25, ImpactOptions{Draws: 100, Alpha: -.1}, false},
		"alpha of 0.9":        {25, ImpactOptions{Draws: 100, Alpha: .9}, true},
		"negative deviation":  {25, ImpactOptions{Draws: 100, LevelSD: -.01}, false},
	} {
		if _, err := Interrupted(y, [][]float64{x}, c.start, c.o); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	flat, err := Interrupted(y, [][]float64{constant(3, 30)}, 25, ImpactOptions{Draws: 100})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Interrupted(y, nil, 25, ImpactOptions{Draws: 100})
	if err != nil || *flat != *alone {
		t.Errorf("a constant covariate changes %+v to %+v, %v", alone, flat, err)
	}
}

// Of the totals 1 to 9 without a change, the actual total of 8 exceeds 7. The observed series counts as one path.
func TestImpactsCompareTotals(t *testing.T) {
	t.Parallel()
	sums := []float64{5, 4, 6, 3, 7, 2, 8, 1, 9}
	r := summarizeImpact([]float64{3, 5}, sums, .5)
	statstest.Near(t, "actual", r.Actual, 4, 1e-6)
	statstest.Near(t, "predicted", r.Predicted.Value, 2.5, 1e-6)
	statstest.Near(t, "its deviation", r.Predicted.SD, math.Sqrt(7.5)/2, 1e-6)
	statstest.Near(t, "average", r.Average.Value, 1.5, 1e-6)
	statstest.Near(t, "cumulative", r.Cumulative.Value, 3, 1e-6)
	statstest.Near(t, "lower quartile", r.Cumulative.Low, 1, 1e-6)
	statstest.Near(t, "upper quartile", r.Cumulative.High, 5, 1e-6)
	statstest.Near(t, "level", r.Cumulative.Level, .5, 1e-6)
	statstest.Near(t, "tail", r.Tail, .3, 1e-6) // 8, 9 and the observed total
	relative := 0.0
	for _, s := range sums {
		relative += (8 - s) / s / 9
	}
	statstest.Near(t, "relative", r.Relative.Value, relative, 1e-6)
	statstest.Near(t, "lower tail", summarizeImpact([]float64{1, 1}, sums, .5).Tail, .3, 1e-6)
	if r := summarizeImpact([]float64{1, 1}, []float64{-5, 5, 6, 7, 8}, .1); r.Relative.Value != 0 {
		t.Errorf("relative effect %v of a prediction around zero", r.Relative.Value)
	}
	if r.Periods != 2 || r.Average.Method != measure.StructuralModel || r.Average.Basis != measure.Modelled {
		t.Errorf("%+v", r)
	}
}

// The prior has the weight of 0.01 observations, with correlations shrunk by half. The first four standardized values
// of the covariates have the products 3, 3 and 3ρ with ρ = -0.2·√5/3... of (1, 2, 3, 4) and (1, 3, 2, 0).
func TestTheSlabPriorHasTheWeightOfAHundredthObservation(t *testing.T) {
	t.Parallel()
	x1, x2 := []float64{1, 2, 3, 4, 9}, []float64{2, 4, 1, 3, 9}
	m := newLocalLevel([]float64{5, 6, 9, 8, 1}, [][]float64{x1, constant(2, 5), x2}, 4, 7, 2)
	for i, want := range []float64{-1, -.5, 1, .5} {
		statstest.Near(t, "standardized outcome", m.y[i], want, 1e-6)
	}
	if len(m.y) != 4 || len(m.x) != 5 || len(m.x[4]) != 2 {
		t.Fatalf("%d outcomes, %d periods with %d covariates", len(m.y), len(m.x), len(m.x[4]))
	}
	sd := math.Sqrt(5. / 3)
	statstest.Near(t, "standardized covariate", m.x[4][1], 6.5/sd, 1e-6)
	// The sum of products of both is (-1.5·-.5 + -.5·1.5 + .5·-1.5 + 1.5·.5)/sd² = 0.
	for i, want := range []float64{.0075, 0, 0, .0075} {
		statstest.Near(t, "precision", m.precision[i], want, 1e-6)
		statstest.Near(t, "products", m.products[i], 401*want, 1e-6)
	}
	m = newLocalLevel([]float64{5, 6, 9, 8, 1}, [][]float64{x1, {1, 3, 2, 4, 9}}, 4, 7, 2) // sum of products 4/sd² = 2.4
	for i, want := range []float64{.0075, .003, .003, .0075} {
		statstest.Near(t, "precision of correlated covariates", m.precision[i], want, 1e-6)
	}
	statstest.Near(t, "product of correlated covariates", m.products[1], 2.403, 1e-6)
	statstest.Near(t, "residual variance", m.residual, .2, 1e-6)
}

// The mean of an inverse gamma distribution with 10 degrees of freedom and sum of squares 40 is 40/(10-2).
func TestVariancesAreInverseGamma(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	sum := 0.0
	for range 20_000 {
		sum += inverseGamma(rng, 10, 40) / 20_000
	}
	if math.Abs(sum-5) > .1 { // the standard deviation of the mean is 5·√(2/6)/√20000 = 0.02
		t.Errorf("mean %v, want 5", sum)
	}
	var c cholesky
	c.factor([]float64{2, 1, 1, 2}, 2, 0)
	var xx, xy float64
	x := make([]float64, 2)
	for range 20_000 { // the inverse is (2 -1, -1 2)/3
		c.scatter(x, 3, rng)
		xx += x[0] * x[0] / 20_000
		xy += x[0] * x[1] / 20_000
	}
	if math.Abs(xx-6) > .25 || math.Abs(xy+3) > .25 {
		t.Errorf("variance %v and covariance %v, want 6 and -3", xx, xy)
	}
}

// Without variances, a path is the last level plus the covariates times their coefficients.
func TestPathsContinueTheLevel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	m := &localLevel{y: make([]float64, 2), level: []float64{9, 4}, beta: []float64{2, -1}, x: [][]float64{{7, 7}, {7, 7}, {1, 3}, {5, 2}}}
	statstest.Near(t, "sum", m.project(rng), 4+2-3+4+10-2, 1e-6)
	m.drift, m.residual = 4, 9
	var sum, squares float64
	for range 20_000 {
		v := m.project(rng)
		sum += v / 20_000
		squares += (v - 15) * (v - 15) / 20_000
	}
	if math.Abs(sum-15) > .2 || math.Abs(squares-38) > 1.6 { // 4·(4 + 1) of the level and 2·9 of the errors
		t.Errorf("mean %v and variance %v, want 15 and 38", sum, squares)
	}
}

// With a drift and a residual variance of 1, the filter of two values y₁, y₂ after a first level of variance 1 has the
// gains 1/2 and 3/5. Backward, the first level moves by (1/2)/(3/2) of the difference.
func TestLevelsAreFilteredAndSmoothed(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	m := &localLevel{
		y: []float64{4, 9}, x: [][]float64{{1}, {2}}, beta: []float64{1}, residual: 1, drift: 1, level: make([]float64, 2),
		predicted: make([]float64, 2), variance: make([]float64, 2),
	}
	var first, second, square float64
	const n = 20_000
	for range n {
		m.drawLevel(rng)
		first += m.level[0] / n
		second += m.level[1] / n
		square += m.level[0] * m.level[0] / n
	}
	// From the prior mean 4, the first value without the covariate, 3, gives 3.5; then 7 gives 3.5 + 0.6·3.5 = 5.6.
	statstest.Near(t, "filtered", m.predicted[1], 5.6, 1e-6)
	statstest.Near(t, "variance of the filter", m.variance[1], .6, 1e-6)
	statstest.Near(t, "first filtered", m.predicted[0], 3.5, 1e-6)
	if math.Abs(second-5.6) > .03 || math.Abs(first-(3.5+2.1/3)) > .03 || math.Abs(square-first*first-.4) > .03 {
		t.Errorf("levels %v and %v, variance of the first %v; want 4.2, 5.6 and 0.4", first, second, square-first*first)
	}
}
