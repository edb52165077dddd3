package geo

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/statstest"
)

// planned returns a check of a test on regions 0 to treated-1 of a panel. The levels of its window are given by region.
func planned(p *Panel, treated int, levels ...float64) *check {
	window := &backtest{estimator: &estimator{frame: &frame{span: before(5, 6), level: levels}}}
	c := &check{panel: p, merged: groups{Panel: p}, windows: []*backtest{window}, result: &Preflight{}}
	c.Alpha, c.Power, c.Duration = 0.1, 0.8, 28
	for r := range treated {
		c.set = append(c.set, r)
	}
	return c
}

func (c *check) wants(t *testing.T, what string, v Verdict, detail string) {
	t.Helper()
	g := c.result.Gates[len(c.result.Gates)-1]
	if g.Verdict != v || !strings.Contains(g.Detail, detail) {
		t.Errorf("%s: %s, %q; want %s, %q", what, g.Verdict, g.Detail, v, detail)
	}
}

func regions(n, periods int) *Panel {
	var values [][]float64
	for range n {
		values = append(values, constant(1, periods))
	}
	return small(values...)
}

func TestHistoryNeedsFourTimesTheTestAndNinetyPeriods(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		periods, duration int
		want              Verdict
		detail            string
	}{
		{112, 28, Pass, "has 112 days. For a geo experiment of 28 days, at least 112 days are recommended. For any geo experiment, at least 90 days are recommended."},
		{111, 28, Warn, "has 111 days"},
		{90, 22, Pass, ""},
		{89, 22, Warn, ""},
		{25, 28, Warn, ""},
		{24, 28, Fail, ""},
	} {
		check := planned(regions(2, c.periods), 1)
		check.Duration = c.duration
		check.history()
		check.wants(t, "history", c.want, c.detail)
	}
}

// A set of one region has a p-value of at least 1 / (number of donors + 1).
func TestDonorsAreCounted(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]Verdict{20: Pass, 19: Warn, 10: Warn, 9: Fail} {
		c := planned(regions(n+1, 10), 1)
		c.donors()
		c.wants(t, "donors", want, "")
		if n == 19 {
			c.wants(t, "donors", want, "has 19 regions (recommended: 20, minimum: 10). The smallest possible p-value is 0.05.")
		}
		if g := c.result.Gates[0]; strings.Contains(g.Detail, "merged") {
			t.Errorf("no region is merged: %s", g.Detail)
		}
	}
	c := planned(regions(21, 10), 1)
	c.merged.members = map[Region][]Region{"b": {"b", "x", "y"}, "c": {"c", "z"}}
	c.donors()
	c.wants(t, "two groups", Pass, "The smallest 5 regions are merged into 2 groups")
}

func TestOutagesOfThreePeriodsCountAsMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to int // periods without any outcome
		want     Verdict
		detail   string
	}{
		{0, 0, Pass, "100.0% of days have data (recommended: at least 98%)."},
		{50, 52, Pass, "100.0%"},
		{50, 53, Warn, "97.0%"},
		{97, 100, Warn, "97.0%"},
		{0, 3, Warn, "97.0%"},
		{0, 5, Warn, "95.0%"},
		{10, 16, Fail, "94.0%"},
	} {
		p := regions(3, 100)
		for _, y := range p.Values {
			clear(y[c.from:c.to])
		}
		check := planned(p, 1)
		check.completeness()
		check.wants(t, "completeness", c.want, c.detail)
	}
	two := regions(2, 200)
	for _, y := range two.Values {
		clear(y[10:14])
	}
	check := planned(two, 1)
	check.completeness()
	check.wants(t, "2% missing", Pass, "98.0%")
	for days, want := range map[int]Verdict{7: Pass, 8: Fail} { // zero in the treated region only
		p := regions(3, 100)
		clear(p.Values[1][40 : 40+days])
		clear(p.Values[2][40:90])
		check := planned(p, 2)
		check.completeness()
		check.wants(t, "zeros of a treated region", want, "")
		if days == 8 {
			check.wants(t, "zeros", want, `The outcome of region "b" is zero for 8 consecutive days (limit: 7).`)
		}
	}
	balanced := small([]float64{1, 1, 1, 1}, []float64{-1, -1, -1, -1})
	check = planned(balanced, 1)
	check.completeness()
	check.wants(t, "outcomes that cancel", Pass, "100.0% of days have data")
}

func TestZeroRunIsTheLongest(t *testing.T) {
	t.Parallel()
	for want, y := range map[int][]float64{0: {1, 2}, 1: {0, 1, 0}, 2: {0, 1, 0, 0}, 3: {0, 0, 0, 5, 0}, 4: {1, 0, 0, 0, 0}} {
		if got := zeroRun(y); got != want {
			t.Errorf("the longest run of zeros in %v is %d, want %d", y, got, want)
		}
	}
}

func TestTreatedRegionsAreNeitherTooLargeNorTooSmall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		treated float64
		donors  []float64
		want    Verdict
		detail  string
	}{
		{20, []float64{40, 40}, Pass, "The outcome of the largest treated region is 0.5 times that of the largest donor region (limit: 3). Treated regions have 20.0% of the total outcome (recommended: 3% to 30%)."},
		{30, []float64{40, 30}, Pass, "30.0%"},
		{31, []float64{40, 29}, Warn, "31.0%"},
		{3, []float64{50, 47}, Pass, "3.0%"},
		{2.9, []float64{50, 47.1}, Warn, "2.9%"},
		{30, slices.Repeat([]float64{10}, 9), Pass, "is 3.0 times"},
		{31, slices.Repeat([]float64{10}, 15), Fail, "is 3.1 times"},
	} {
		check := planned(nil, 1, append([]float64{c.treated}, c.donors...)...)
		check.concentration()
		check.wants(t, "concentration", c.want, c.detail)
	}
}

// In each of 10 windows, 40 sets take turns to set the critical value and to be tested. The critical value is that of
// the second largest of 20 sets, because the test of size 0.1 needs a rank of at most 2.1 of 21.
func TestFalseAlarmsAreTheShareOfPlaceboTestsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	windows := func(alarms, sets int) *check {
		c := planned(nil, 1)
		c.Duration, c.windows = 10, nil
		for w := range 10 {
			var drawn []reading
			for i := range sets / 2 {
				tested := 0.5
				if i < alarms {
					tested = 100
				}
				drawn = append(drawn, reading{effect: float64(i + 1), fit: 1}, reading{effect: tested, fit: 1})
			}
			c.windows = append(c.windows, &backtest{
				estimator: &estimator{frame: &frame{span: before(100+10*w, 109+10*w)}}, drawn: map[int][]reading{1: drawn},
			})
		}
		return c
	}
	// 200 tests in 10 disjoint windows: ± 2.5758 √(0.1·0.9/200·2) = 7.7%.
	for _, c := range []struct {
		alarms, sets int
		want         Verdict
		detail       string
	}{
		{2, 40, Pass, "10.0% of 200 placebo tests are false positives (expected: 10%, 99% band ±7.7 percentage points)."},
		{0, 40, Warn, "0.0% of 200"},
		{3, 40, Pass, "15.0% of 200"},
		{4, 40, Warn, "20.0% of 200"},
		{5, 40, Warn, "25.0% of 200"},
		{6, 40, Fail, "30.0% of 200"},
		{2, 38, Unknown, "190 placebo tests are too few to estimate the false positive rate. At least 200 placebo tests are needed."},
		{2, 4, Unknown, "0 placebo tests"}, // two sets give no critical value
	} {
		check := windows(c.alarms, c.sets)
		check.falseAlarms()
		check.wants(t, "false alarms", c.want, c.detail)
	}
	overlapping := windows(2, 40)
	for w, b := range overlapping.windows {
		b.span = before(100+w, 109+w) // 19 periods, as long as 1.9 tests: ± 2.5758 √(0.1·0.9/38·2) = 17.7%
	}
	overlapping.falseAlarms()
	overlapping.wants(t, "overlapping windows", Pass, "±17.7 percentage points")
}

// For n values, half of them 1 and half -1, the sum of products at lag k is n - 3k. The weights are 1 and 2(1 - k/(L+1))
// with L = ⌊4 (n/100)^¼⌋, and the cumulative sum is largest, n/2, at position n/2 - 1.
func TestBridgeIsTheCumulativeSumInUnitsOfItsDeviation(t *testing.T) {
	t.Parallel()
	step := func(n, at int) []float64 { return append(constant(1, at), constant(-1, n-at)...) }
	for _, c := range []struct {
		x     []float64
		from  int
		reach float64
		at    int
	}{
		{step(4, 2), 0, 2 / math.Sqrt(5), 1}, // L = 1: 4 + 1
		{step(4, 2), 1, 2 / math.Sqrt(5), 1},
		{step(4, 2), 2, 1 / math.Sqrt(5), 2},
		{step(100, 50), 44, 50 / math.Sqrt(476), 49},      // L = 4
		{step(1600, 800), 0, 800 / math.Sqrt(14320), 799}, // L = 8
		{constant(7, 100), 44, 0, 44},
	} {
		reach, at := bridge(c.x, c.from)
		statstest.Near(t, "statistic", reach, c.reach, 1e-6)
		if at != c.at {
			t.Errorf("%d values: largest at %d, want %d", len(c.x), at, c.at)
		}
	}
}

// Donors are constant, so the residuals are those of the treated region. Only the last eight weeks count: the shift
// after period 43 of 100 is found there, at their first period.
func TestStabilityFindsTheShiftOfTheLastEightWeeks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		y      []float64
		want   Verdict
		detail string
	}{
		{append(constant(11, 50), constant(9, 50)...), Fail, "is 2.29, on 49 (critical value at 5%: 1.36)."},
		{append(constant(11, 30), constant(9, 70)...), Fail, ", on 44 "},
		{constant(10, 100), Pass, "is 0.00, on 44 "},
		{slices.Concat(constant(11, 20), constant(9, 20), constant(11, 20), constant(9, 20), constant(11, 20)), Pass, ""},
	} {
		p := small(c.y, constant(5, 100), constant(20, 100))
		check := planned(p, 1)
		check.windows[0].span = before(90, 99)
		check.stability()
		check.wants(t, "stability", c.want, c.detail)
	}
}

func TestPowerGateComparesTheExpectedEffect(t *testing.T) {
	t.Parallel()
	share := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		planning, analytic *float64
		spend, expected    float64
		want               Verdict
		detail             string
		notes              int
	}{
		{nil, nil, 100, 2, Fail, "No lift up to 200% is detectable with a power of 0.80.", 0},
		{share(.1), nil, 100, 2, Pass, "The expected effect of the planned spend is 200. The minimum detectable effect is 200.", 0},
		{share(.1), share(.1), 100, 1.9, Warn, "", 0},
		{share(.1), share(.07), 100, 1.4, Warn, "", 0},
		{share(.1), share(.06), 100, 1.39, Fail, "", 1},
		{share(.1), share(.14), 100, 2, Pass, "", 0},
		{share(.1), share(.16), 100, 2, Pass, "", 1},
		{share(.1), nil, 0, 2, Unknown, "The minimum detectable effect is a lift of 10.0%. Planned spend or expected iROAS was not specified, so the expected effect is unknown.", 0},
		{share(.1), nil, 100, 0, Unknown, "The minimum detectable effect is a lift of 10.0%.", 0},
	} {
		check := planned(nil, 1)
		check.Duration, check.Spend, check.ExpectedReturn = 20, c.spend, c.expected
		check.result.Plan = Plan{Planning: c.planning, Analytic: c.analytic, Outcome: 100}
		check.power()
		check.wants(t, "power", c.want, c.detail)
		r := check.result
		if len(r.Notes) != c.notes ||
			c.notes > 0 && !strings.Contains(r.Notes[0], "% by the textbook formula and 10.0% in backtests") {
			t.Errorf("notes %q, want %d", r.Notes, c.notes)
		}
		if c.planning != nil {
			statstest.Near(t, "detectable outcome", *r.Outcome, 200, 1e-6)
		}
		if (r.Return != nil) != (c.planning != nil && c.spend > 0) || r.Return != nil && math.Abs(*r.Return-2) > 1e-9 {
			t.Errorf("detectable return %v of a spend of %v, want 2", r.Return, c.spend)
		}
	}
}

// gatesOf returns the gates of a check with a plan and options.
func gatesOf(plan Plan, o PreflightOptions) map[string]Gate {
	c := planned(regions(21, 100), 1, constant(1, 21)...)
	o.Alpha, o.Power, o.Duration = c.Alpha, c.Power, c.Duration
	c.PreflightOptions, c.result.Plan = o, plan
	c.gates()
	all := map[string]Gate{}
	for _, g := range c.result.Gates {
		all[g.Name] = g
	}
	return all
}

// The backtest error passes if it is small compared with either the outcome or equal weights.
func TestFitGateHasTwoLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outOfFit, gap float64
		want          Verdict
	}{
		{.35, 1, Pass}, {.36, .06, Warn}, {9, .05, Pass}, {.6, 1, Warn}, {.61, .1, Warn}, {.61, .11, Fail},
	} {
		g := gatesOf(Plan{OutOfFit: c.outOfFit, Gap: c.gap}, PreflightOptions{})["fit"]
		if g.Verdict != c.want {
			t.Errorf("error of %v of equal weights and %v of the outcome: %+v, want %s", c.outOfFit, c.gap, g, c.want)
		}
	}
	g := gatesOf(Plan{OutOfFit: .25, Gap: .073}, PreflightOptions{})["fit"]
	if !strings.HasPrefix(g.Detail, "The backtest error is 7.3% of the outcome, and 0.25 times the error with equal donor weights.") {
		t.Errorf("detail %q", g.Detail)
	}
}

func TestConflictsAndTargetingAreNamed(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, c := range []struct {
		o    PreflightOptions
		gate string
		want Gate
	}{
		{PreflightOptions{}, "conflicts", Gate{Verdict: Pass, Detail: "No overlapping experiment, promotion or holiday was specified."}},
		{PreflightOptions{Conflicts: []string{"x", "y"}}, "conflicts", Gate{Verdict: Fail, Detail: "The number of overlapping experiments, promotions or holidays is 2. Example: x."}},
		{PreflightOptions{}, "targeting", Gate{Verdict: Unknown, Detail: "It is unknown whether the channel can be targeted by region."}},
		{PreflightOptions{Targetable: &yes}, "targeting", Gate{Verdict: Pass, Detail: "The channel can be targeted by region."}},
		{PreflightOptions{Targetable: &no}, "targeting", Gate{Verdict: Fail, Detail: "The channel cannot be targeted by region."}},
	} {
		c.want.Name = c.gate
		got := gatesOf(Plan{}, c.o)[c.gate]
		if got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
		if (got.Fix() == "") != (got.Verdict == Pass) {
			t.Errorf("%s has the fix %q", got.Verdict, got.Fix())
		}
	}
}

// The score is the weighted share of passed gates. The weight of a gate follows from the score with a warning of the
// power gate, which has the weight 10: (w + 10/2) / (w + 10).
func TestScoreIsTheWeightedShareOfPassedGates(t *testing.T) {
	t.Parallel()
	for gate, want := range map[string]int{
		"history": 80, "donors": 80, "fit": 80, "completeness": 75, "concentration": 75, "stability": 75, "false_alarms": 67,
		"conflicts": 67, "targeting": 67,
	} {
		c := check{result: &Preflight{Gates: []Gate{{gate, Pass, ""}, {"power", Warn, ""}}}}
		if c.score(); c.result.Score != want || !c.result.Ready {
			t.Errorf("%s passes, power warns: score %d, want %d", gate, c.result.Score, want)
		}
	}
	for _, c := range []struct {
		gates []Gate
		want  int
		ready bool
	}{
		{[]Gate{{"history", Pass, ""}, {"power", Unknown, ""}}, 100, true},
		{[]Gate{{"history", Pass, ""}, {"donors", Pass, ""}, {"power", Fail, ""}}, 40, false},
		{[]Gate{{"history", Warn, ""}, {"donors", Fail, ""}}, 25, false},
		{[]Gate{{"history", Fail, ""}}, 0, false},
	} {
		check := check{result: &Preflight{Gates: c.gates}}
		if check.score(); check.result.Score != c.want || check.result.Ready != c.ready {
			t.Errorf("%v: score %d, ready %t; want %d, %t", c.gates, check.result.Score, check.result.Ready, c.want, c.ready)
		}
	}
}

func TestSizesToTryDependOnTheNumberOfRegions(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][]int{3: nil, 4: {2}, 5: {2}, 6: {2, 3}, 60: {2, 3}, 80: {2, 4}, 210: {2, 10}} {
		if got := planned(regions(n, 1), 0).searchSizes(); !slices.Equal(got, want) {
			t.Errorf("%d regions: sizes %v, want %v", n, got, want)
		}
	}
	for n, want := range map[int][]int{3: nil, 4: {2}, 20: {2, 3, 6}, 40: {2, 6, 12}, 100: {5, 15, 30}} {
		if got := proposedSizes(n); !slices.Equal(got, want) {
			t.Errorf("%d regions: proposed sizes %v, want %v", n, got, want)
		}
	}
}

func TestLongListsOfRegionsAreCut(t *testing.T) {
	t.Parallel()
	names := []Region{"a", "b", "c", "d", "e", "f", "g"}
	for n, want := range map[int]string{1: "a", 5: "a, b, c, d, e", 7: "a, b, c, d, e and 2 more"} {
		if got := listed(names[:n]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A region with an outcome of zero in the first half is excluded, and a note names it.
func TestSilentRegionsAreExcluded(t *testing.T) {
	t.Parallel()
	p := regions(4, 20)
	clear(p.Values[1][:10])
	clear(p.Values[2][:9])
	c := planned(p, 0)
	if err := c.dropSilent(); err != nil || !slices.Equal(c.panel.Regions, []Region{"a", "c", "d"}) {
		t.Errorf("%v, %v; want all but b", c.panel.Regions, err)
	}
	want := []string{"1 regions without an outcome in the first half of the history are excluded: b"}
	if !slices.Equal(c.result.Notes, want) {
		t.Errorf("notes %q, want %q", c.result.Notes, want)
	}
	short := small([]float64{0, 0, 0, 0, 0, 9}, []float64{0, 0, 0, 0, 9, 9})
	if got := short.silent(); !slices.Equal(got, []Region{"a"}) {
		t.Errorf("silent in the first five of six periods: %v, want a", got)
	}
}

// noisy returns a panel of regions with a common trend and their own noise.
func noisy(n, periods int) *Panel {
	rng := stats.Stream(3, 3)
	values := make([][]float64, n)
	for r := range values {
		level := 50 + 100*rng.Float64()
		for s := range periods {
			values[r] = append(values[r], level*(1+.1*math.Sin(float64(s)/9)+.05*rng.NormFloat64()))
		}
	}
	return small(values...)
}

// sameJSON fails if two results differ.
func sameJSON(t *testing.T, what string, got, want any) {
	t.Helper()
	a, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s:\n got %.600s\nwant %.600s", what, a, b)
	}
}

func TestDefaultsArePublished(t *testing.T) {
	t.Parallel()
	p := noisy(10, 130)
	named := []Region{"a", "b"}
	got, err := Check(p, PreflightOptions{Treated: named})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Check(p, PreflightOptions{Treated: named, Duration: 28, Alpha: .1, Power: .8, Windows: 20, Draws: 100})
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "a check with defaults", got, want)
	if got.Plan.Windows != 6 || got.Plan.Duration != 28 || got.Alpha != .1 || got.Power != .8 {
		t.Errorf("plan %+v", got.Plan)
	}
	o, err := SearchOptions{Sizes: []int{2}, Duration: 7}.withDefaults(p)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "options of a search", o,
		SearchOptions{Sizes: []int{2}, Duration: 7, Alpha: .1, Power: .8, Windows: 20, Draws: 200, Keep: 10})
	s, err := SelectionOptions{Sizes: []int{2}, Durations: []int{7}}.withDefaults(p)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "options of a selection", s, SelectionOptions{
		Sizes: []int{2}, Durations: []int{7}, Effects: []float64{0, .05, .1, .15, .2, .25}, Lookback: 1, Alpha: .1,
	})
	for method, draws := range map[Method]int{"": 1000, TBR: 1000, Combined: 1000, Augmented: 200, SynthDiD: 200, Ensemble: 200} {
		o, err := Options{Method: method}.withDefaults()
		if err != nil || o.Draws != draws || o.Alpha != .05 || o.Inference != Placebo {
			t.Errorf("method %q: %+v, %v; want %d draws, alpha 0.05 and placebo sets", method, o, err, draws)
		}
	}
}
