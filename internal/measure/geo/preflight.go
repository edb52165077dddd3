package geo

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Verdict is the result of a [Gate].
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"
	Warn    Verdict = "warn"
	Fail    Verdict = "fail"
	Unknown Verdict = "unknown" // the gate's input was not given
)

// Gate is one condition of a reliable test.
type Gate struct {
	Name    string
	Verdict Verdict
	Detail  string // the figure and its limit, as a sentence
}

// Fix returns the remedy for a gate, or "" for a passed gate.
func (g Gate) Fix() string {
	if g.Verdict == Pass {
		return ""
	}
	return fixes[g.Name]
}

// fixes contains the remedy for each gate.
var fixes = map[string]string{
	"history":       "Import earlier orders, or shorten the test to at most a quarter of the history.",
	"donors":        "Treat fewer regions, so that more donor regions remain.",
	"completeness":  "Import the missing orders, or do not treat regions with many days without orders.",
	"concentration": "Do not treat the largest region. Exclude it from the donor pool if no other region has the same trend.",
	"fit":           "Choose treated regions with the same trend as the donor regions, or omit treatmentRegions so that the search selects the regions.",
	"false_alarms":  "Choose other treated regions or a longer history: too many placebo tests are false positives.",
	"stability":     "Find the cause of the level shift. Use only the days after the shift, or exclude the region.",
	"conflicts":     "Move the test to other days, or wait until the other experiment has ended.",
	"targeting":     "Import spend by region, or check on the platform that campaigns can exclude regions.",
	"power":         "Use one of the proposed designs, which have more regions, more weeks or a larger change in spend.",
}

// PreflightOptions describes the planned test. A zero value means the default.
type PreflightOptions struct {
	Treated  []Region // regions to treat; empty: Check searches a set
	Exclude  []Region // neither treated nor donors
	Duration int      // number of periods; default 28
	Alpha    float64  // default 0.1
	Power    float64  // default 0.8
	Windows  int      // number of backtests; default 20
	Draws    int      // placebo sets per backtest; default 100
	Seed     uint64

	Spend          float64  // change of spend over the whole test, without sign; 0: unknown
	ExpectedReturn float64  // expected outcome per unit of the changed spend; 0: unknown
	Targetable     *bool    // whether the channel supports targeting by region; nil: unknown
	Conflicts      []string // other tests, promotions and holidays that differ by region, as text
}

// Preflight is the result of [Check]: the readiness of a panel for a test.
type Preflight struct {
	Score   int // 0 to 100; at most 40 if a gate fails
	Ready   bool
	Plan    Plan
	Alpha   float64
	Power   float64
	Outcome *float64 // minimum detectable outcome: planning lift × outcome of the treated regions over the test
	Return  *float64 // minimum detectable outcome per unit of changed spend; nil without planned spend
	Gates   []Gate
	Notes   []string
}

// gateWeights are the gates' weights in the score.
var gateWeights = map[string]float64{
	"history": 15, "donors": 15, "completeness": 10, "concentration": 10, "fit": 15, "false_alarms": 5, "stability": 10,
	"conflicts": 5, "targeting": 5, "power": 10,
}

// highestWithFail is the maximum score with a failed gate.
const highestWithFail = 40

// Check evaluates a planned geo experiment on a panel of historical data. The score is the weighted share of passed
// gates. A gate with a warning has half its weight. A gate without a result is excluded.
func Check(p *Panel, o PreflightOptions) (*Preflight, error) {
	o.Duration, o.Alpha, o.Power = cmp.Or(o.Duration, 28), cmp.Or(o.Alpha, .1), cmp.Or(o.Power, .8)
	o.Windows, o.Draws = cmp.Or(o.Windows, 20), cmp.Or(o.Draws, 100)
	if o.Duration < 1 || o.Spend < 0 || math.IsNaN(o.Spend+o.ExpectedReturn) || math.IsInf(o.Spend+o.ExpectedReturn, 0) {
		return nil, fault.Invalid("invalid test of %d days with spend %v and iROAS %v",
			o.Duration, o.Spend, o.ExpectedReturn)
	}
	if _, err := p.indices("treated", o.Treated); err != nil {
		return nil, err
	}
	full := p
	if len(o.Exclude) > 0 {
		var err error
		if full, err = p.Without(o.Exclude...); err != nil {
			return nil, err
		}
	}
	merged := full.grouped(o.Treated)
	c := check{PreflightOptions: o, panel: merged.Panel, merged: merged, result: &Preflight{Alpha: o.Alpha, Power: o.Power}}
	if err := c.dropSilent(); err != nil {
		return nil, err
	}
	c.history()
	if err := c.plan(); err != nil {
		return nil, err
	}
	c.gates()
	c.score()
	c.result.Plan.Treated = merged.expanded(c.result.Plan.Treated)
	return c.result, nil
}

// check contains a preflight in progress.
type check struct {
	PreflightOptions
	panel   *Panel
	merged  groups
	windows []*backtest
	set     []int
	result  *Preflight
}

func (c *check) gate(name string, v Verdict, format string, args ...any) {
	c.result.Gates = append(c.result.Gates, Gate{Name: name, Verdict: v, Detail: fmt.Sprintf(format, args...)})
}

func verdict(pass, warn bool) Verdict {
	switch {
	case pass:
		return Pass
	case warn:
		return Warn
	}
	return Fail
}

// dropSilent excludes regions without any outcome in the first half of the history. If a treated region is among them,
// it returns a fault of kind invalid.
func (c *check) dropSilent() error {
	silent := c.panel.silent()
	for _, region := range silent {
		if slices.Contains(c.Treated, region) {
			return fault.Invalid("region %q has no outcome in the first half of the history: it cannot be treated", region)
		}
	}
	if len(silent) == 0 {
		return nil
	}
	c.result.Notes = append(
		c.result.Notes, fmt.Sprintf("%d regions without an outcome in the first half of the history are excluded: %s",
			len(silent), listed(silent)))
	var err error
	c.panel, err = c.panel.Without(silent...)
	return err
}

func listed(names []Region) string {
	text := label(names[:min(5, len(names))])
	text = text[:len(text)-2]
	if len(names) > 5 {
		text += fmt.Sprintf(" and %d more", len(names)-5)
	}
	return text
}

// Minimum and recommended history of GeoLift.
const (
	floorHistory   = 25
	advisedHistory = 90
)

func (c *check) history() {
	n := len(c.panel.Periods)
	c.gate("history", verdict(n >= 4*c.Duration && n >= advisedHistory, n >= floorHistory),
		"The history has %d days. For a geo experiment of %d days, at least %d days are recommended. For any geo experiment, at least %d days are recommended.", n, c.Duration, 4*c.Duration, advisedHistory)
}

// plan evaluates the given treated regions, or searches for regions if none are given.
func (c *check) plan() error {
	choosing, judging := backtestWindows(len(c.panel.Periods), c.Duration, c.Windows)
	if len(choosing) == 0 || len(judging) == 0 {
		return fault.NotReady("%d days are too few to backtest a geo experiment of %d days: the history must be at least four times as long",
			len(c.panel.Periods), c.Duration)
	}
	if len(c.Treated) == 0 {
		return c.search()
	}
	var err error
	if c.set, err = c.panel.indices("treated", c.Treated); err != nil {
		return err
	}
	if 2*len(c.set) > len(c.panel.Regions) {
		return fault.Invalid("%d of %d regions are treated: too few donors remain", len(c.set), len(c.panel.Regions))
	}
	c.windows = newBacktests(c.panel, judging, []int{len(c.set)}, c.Draws, c.Alpha, c.Seed)
	c.result.Plan = judge(newBench(), c.panel, c.windows, c.set, c.Alpha, c.Power)
	c.result.Plan.Duration = c.Duration
	c.result.Plan.Curve = powerCurve(newBench(), c.panel, c.windows, nil, c.set, c.result.Plan)
	return nil
}

// searchSizes returns the numbers of treated regions to try if no regions are given.
func (c *check) searchSizes() []int {
	n := len(c.panel.Regions)
	var sizes []int
	for _, k := range []int{2, max(3, n/20)} {
		if 2*k <= n && !slices.Contains(sizes, k) {
			sizes = append(sizes, k)
		}
	}
	return sizes
}

func (c *check) search() error {
	sizes := c.searchSizes()
	if len(sizes) == 0 {
		return fault.NotReady("at least 4 regions are required, but the data contain %d", len(c.panel.Regions))
	}
	s, err := newSearch(c.panel, SearchOptions{
		Sizes: sizes, Duration: c.Duration, Alpha: c.Alpha, Power: c.Power, Windows: max(1, c.Windows/2), Draws: c.Draws,
		Keep: 1, Seed: c.Seed,
	})
	if err != nil {
		return err
	}
	plans, err := s.run()
	if err != nil {
		return err
	}
	c.windows, c.result.Plan = s.judging, plans[0]
	c.result.Notes = append(c.result.Notes, "no treated regions were specified: the selected set has the smallest detectable lift in backtests")
	c.set, err = c.panel.indices("treated", plans[0].Treated)
	return err
}

func (c *check) gates() {
	c.donors()
	c.completeness()
	c.concentration()
	p := c.result.Plan
	// If equal weights already fit well, no other weights can be much better, so a small backtest error is sufficient.
	c.gate("fit", verdict(p.OutOfFit <= .35 || p.Gap <= .05, p.OutOfFit <= .6 || p.Gap <= .1),
		"The backtest error is %.1f%% of the outcome, and %.2f times the error with equal donor weights. The gate passes if the error is at most 5%% of the outcome or at most 0.35 times the error with equal donor weights.",
		100*p.Gap, p.OutOfFit)
	c.falseAlarms()
	c.stability()
	if len(c.Conflicts) > 0 {
		c.gate("conflicts", Fail, "The number of overlapping experiments, promotions or holidays is %d. Example: %s.", len(c.Conflicts), c.Conflicts[0])
	} else {
		c.gate("conflicts", Pass, "No overlapping experiment, promotion or holiday was specified.")
	}
	if c.Targetable == nil {
		c.gate("targeting", Unknown, "It is unknown whether the channel can be targeted by region.")
	} else {
		can := "can"
		if !*c.Targetable {
			can = "cannot"
		}
		c.gate("targeting", verdict(*c.Targetable, false), "The channel %s be targeted by region.", can)
	}
	c.power()
}

func (c *check) donors() {
	n := len(c.panel.Regions) - len(c.set)
	detail := fmt.Sprintf("The donor pool has %d regions (recommended: 20, minimum: 10). The smallest possible p-value is %.2g.",
		n, newSmallSample(n, len(c.set)).corrected(1/(choose(n, len(c.set))+1)))
	if small := len(c.merged.expanded(c.merged.Regions)) - len(c.merged.Regions) + len(c.merged.members); small > 0 {
		detail += fmt.Sprintf(" The smallest %d regions are merged into %d groups, because each of these regions has no outcome on many days.", small, len(c.merged.members))
	}
	c.gate("donors", verdict(n >= 20, n >= 10), "%s", detail)
}

// outage is the minimum number of consecutive periods without any outcome that count as missing data. In fewer
// consecutive periods, or if other regions have an outcome, a missing outcome counts as zero.
const outage = 3

func (c *check) completeness() {
	total := make([]float64, len(c.panel.Periods))
	for _, y := range c.panel.Values {
		for t, v := range y {
			total[t] += math.Abs(v)
		}
	}
	missing, run := 0, 0
	for t, v := range total {
		run++
		if v != 0 {
			run = 0
		}
		if last := t == len(total)-1 || total[t+1] != 0; last && run >= outage {
			missing += run
		}
	}
	complete := 1 - float64(missing)/float64(len(total))
	longest, where := 0, Region("")
	for _, r := range c.set {
		if run := zeroRun(c.panel.Values[r]); run > longest {
			longest, where = run, c.panel.Regions[r]
		}
	}
	v := verdict(complete >= .98, complete >= .95)
	if longest > 7 {
		v = Fail
	}
	detail := fmt.Sprintf("%.1f%% of days have data (recommended: at least 98%%). If only some regions have no outcome on a day, their outcome counts as zero.", 100*complete)
	if longest > 0 {
		detail += fmt.Sprintf(" The outcome of region %q is zero for %d consecutive days (limit: 7).", where, longest)
	}
	c.gate("completeness", v, "%s", detail)
}

// zeroRun returns the longest run of zeros.
func zeroRun(y []float64) int {
	longest, run := 0, 0
	for _, v := range y {
		run++
		if v != 0 {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

func (c *check) concentration() {
	level := c.windows[len(c.windows)-1].level
	var largestDonor, largestTreated, part, whole float64
	for r, l := range level {
		whole += l
		if slices.Contains(c.set, r) {
			part += l
			largestTreated = max(largestTreated, l)
		} else {
			largestDonor = max(largestDonor, l)
		}
	}
	times, held := largestTreated/largestDonor, part/whole
	v := verdict(times <= 3 && held >= .03 && held <= .3, times <= 3)
	c.gate("concentration", v,
		"The outcome of the largest treated region is %.1f times that of the largest donor region (limit: 3). Treated regions have "+
			"%.1f%% of the total outcome (recommended: 3%% to 30%%).",
		times, 100*held)
}

// falseAlarms sets the gate false_alarms from placebo tests. In each window, one half of the placebo sets determines
// the critical value for the other half.
func (c *check) falseAlarms() {
	var alarms, tests float64
	for _, w := range c.windows {
		var limits, tried []reading
		for i, u := range w.drawn[len(c.set)] {
			if i%2 == 0 {
				limits = append(limits, u)
			} else {
				tried = append(tried, u)
			}
		}
		limit, ok := critical(limits, c.Alpha)
		if !ok {
			continue
		}
		for _, u := range tried {
			tests++
			if u.statistic() > limit {
				alarms++
			}
		}
	}
	if tests < 200 {
		c.gate("false_alarms", Unknown, "%.0f placebo tests are too few to estimate the false positive rate. At least 200 placebo tests are needed.", tests)
		return
	}
	first, last := c.windows[0], c.windows[len(c.windows)-1]
	apart := min(float64(len(c.windows)), float64(last.end-first.start+1)/float64(c.Duration))
	independent := tests / float64(len(c.windows)) * apart
	// The critical value is also an estimate, which doubles the variance.
	half := distuv.UnitNormal.Quantile(.995) * math.Sqrt(c.Alpha*(1-c.Alpha)/independent*2)
	rate := alarms / tests
	c.gate("false_alarms", verdict(math.Abs(rate-c.Alpha) <= half, math.Abs(rate-c.Alpha) <= 2*half),
		"%.1f%% of %.0f placebo tests are false positives (expected: %.0f%%, 99%% band ±%.1f percentage points).",
		100*rate, tests, 100*c.Alpha, 100*half)
}

// stability tests for a shift of the gap in the last eight weeks.
func (c *check) stability() {
	w := c.windows[len(c.windows)-1]
	e := &estimator{frame: newFrame(c.panel, scaled, span{start: w.start, end: w.end, fit: w.end + 1}), method: Scaled}
	b := newBench()
	donors := complement(nil, len(e.z), c.set)
	t := e.target(c.set)
	weights := e.weights(b, t, donors)
	gap := e.series(t)
	for i, r := range donors {
		if weights[i] != 0 {
			for s := range gap {
				gap[s] -= weights[i] * e.z[r][s]
			}
		}
	}
	reach, at := bridge(gap, max(1, len(gap)-56))
	c.gate("stability", verdict(reach <= 1.36, reach <= 1.63),
		"The largest CUSUM statistic of the synthetic control's residuals in the last 56 days is %.2f, on %s (critical value at 5%%: 1.36).", reach, c.panel.Periods[at].Label)
}

// bridge returns the largest absolute value of a cumulative sum at or after position from, and its position. The sum is
// of deviations from the mean, divided by σ√n. See Ploberger and Krämer 1992, "The CUSUM test with OLS residuals". σ²
// is the long-run variance with Bartlett weights and 4 (n/100)^(1/4) lags.
func bridge(x []float64, from int) (reach float64, at int) {
	n := len(x)
	m := stats.Mean(x)
	lags := int(4 * math.Pow(float64(n)/100, .25))
	var variance float64
	for lag := range lags + 1 {
		var c float64
		for t := lag; t < n; t++ {
			c += (x[t] - m) * (x[t-lag] - m)
		}
		weight := 2 * (1 - float64(lag)/float64(lags+1))
		if lag == 0 {
			weight = 1
		}
		variance += weight * c / float64(n)
	}
	at = from
	if variance <= 1e-18 {
		return 0, at
	}
	var sum float64
	for t, v := range x {
		sum += v - m
		if r := math.Abs(sum) / math.Sqrt(variance*float64(n)); t >= from && r > reach {
			reach, at = r, t
		}
	}
	return reach, at
}

// power compares the expected effect of the planned spend with the minimum detectable effect.
func (c *check) power() {
	p := c.result.Plan
	if p.Planning == nil {
		c.gate("power", Fail, "No lift up to %.0f%% is detectable with a power of %.2f.", 100*largestLift, c.Power)
		return
	}
	outcome := *p.Planning * p.Outcome * float64(c.Duration)
	c.result.Outcome = &outcome
	if p.Analytic != nil && (*p.Planning > 1.5**p.Analytic || *p.Analytic > 1.5**p.Planning) {
		c.result.Notes = append(c.result.Notes,
			fmt.Sprintf("the MDE is %.1f%% by the textbook formula and %.1f%% in backtests: the errors may not be normally distributed",
				100**p.Analytic, 100**p.Planning))
	}
	if c.Spend > 0 {
		least := outcome / c.Spend
		c.result.Return = &least
	}
	if c.Spend == 0 || c.ExpectedReturn == 0 {
		c.gate("power", Unknown, "The minimum detectable effect is a lift of %.1f%%. Planned spend or expected iROAS was not specified, so the expected effect is unknown.",
			100**p.Planning)
		return
	}
	expected := c.Spend * c.ExpectedReturn
	c.gate("power", verdict(expected >= outcome, expected >= .7*outcome),
		"The expected effect of the planned spend is %.4g. The minimum detectable effect is %.4g.", expected, outcome)
}

func (c *check) score() {
	var sum, whole float64
	failed := false
	for _, g := range c.result.Gates {
		weight := gateWeights[g.Name]
		switch g.Verdict {
		case Pass:
			sum += weight
		case Warn:
			sum += weight / 2
		case Fail:
			failed = true
		case Unknown:
			continue
		}
		whole += weight
	}
	c.result.Score = int(math.Round(100 * sum / whole))
	if failed {
		c.result.Score = min(c.result.Score, highestWithFail)
	}
	c.result.Ready = !failed
}
