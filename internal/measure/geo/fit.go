package geo

import (
	"fmt"
	"math"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Options contains the settings of an analysis. Zero values mean the defaults.
type Options struct {
	Method    Method
	Inference Inference // default [Placebo]
	Alpha     float64   // 1 - level of intervals; default 0.05
	Draws     int       // number of placebo sets if not all are used; default 1000, or 200 for slow methods
	Seed      uint64
	Cost      float64 // cost of the test beyond usual spend, negative if spend was reduced; 0: unknown
}

func (o Options) withDefaults() (Options, error) {
	if o.Method == "" {
		o.Method = Scaled
	}
	if o.Inference == "" {
		o.Inference = Placebo
	}
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.Draws == 0 {
		o.Draws = 1000
		if o.Method == Augmented || o.Method == SynthDiD || o.Method == Ensemble {
			o.Draws = 200
		}
	}
	switch o.Method {
	case Scaled, Synthetic, Demeaned, Augmented, SynthDiD, DiD, ScaledDiD, TBR, Ensemble, Combined:
	default:
		return o, fault.Invalid("unknown method %q", o.Method)
	}
	switch o.Inference {
	case Placebo, Conformal, ConformalIID:
	default:
		return o, fault.Invalid("unknown inference %q", o.Inference)
	}
	if len(o.Method.members()) > 0 && o.Inference != Placebo {
		return o, fault.Invalid("method %q needs the inference \"placebo\"", o.Method)
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return o, fault.Invalid("alpha is %v, want a number between 0 and 1", o.Alpha)
	}
	if o.Draws < 0 || math.IsNaN(o.Cost) || math.IsInf(o.Cost, 0) {
		return o, fault.Invalid("draws is %d and cost is %v; want draws of at least 1 and a finite cost", o.Draws, o.Cost)
	}
	return o, nil
}

// Weight is a donor's weight in the counterfactual.
type Weight struct {
	Region Region
	Weight float64
}

// Result is the result of a test. Effects are in the outcome's unit.
type Result struct {
	Method    Method
	Inference Inference // method of P and Interval
	Treated   []Region
	Donors    int
	Before    int // number of periods before the test
	Periods   int // number of periods of the test

	ATT      float64           // mean effect per treated region and period
	Interval *measure.Interval // interval of ATT; nil if the data allow no interval at this level
	P        float64           // two-sided p-value of no effect

	Lift        float64 // effect as a share of the counterfactual; 0 if the counterfactual is not positive
	LiftKnown   bool
	Incremental float64 // effect summed over treated regions and periods

	L2       float64   // root of the summed squared gap before the test, in outcome units per region
	ScaledL2 float64   // L2 relative to L2 with equal weights; 0: perfect fit, 1: no better than the donors' mean
	Weights  []Weight  // donors with weight, by name
	Lambda   float64   // ridge of the augmented form
	Bias     float64   // change of ATT due to the ridge of the augmented form
	Gap      []float64 // treated minus counterfactual in each period up to the end of the test, per region

	Placebo  *Randomization // nil if there are too few donors or the method has its own inference
	Shifts   *Shifting      // additional conformal test in time; nil if it does not apply
	Cooldown *Effect        // effect over test and cooldown together; nil without a cooldown
	Return   *Return        // nil if the cost is unknown
	Members  []Member       // estimates of an ensemble; nil for other methods
	Notes    []string       // limits of the result, as sentences
}

// Effect is an estimate over a window.
type Effect struct {
	ATT         float64
	Interval    *measure.Interval
	Incremental float64
	Periods     int
}

// Fit estimates the effect of a geo experiment and its uncertainty from a panel.
//
// The default method divides each region's series by the series' mean before the test and demeans it. It then fits a
// synthetic control. It tests by randomization in space (placebo test). Fit uses no period after the test, except for
// the effect over the test with its cooldown. The standard error is the standard deviation of the placebo estimates, as
// in synthdid. The default method and the ensemble compare regions of different sizes by shares and scale the standard
// error to the level of the treated regions.
func Fit(p *Panel, t Test, o Options) (*Result, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	treated, donors, err := p.check(t)
	if err != nil {
		return nil, err
	}
	a := analysis{panel: p, test: t, Options: o, treated: treated, donors: donors, span: before(t.Start, t.End)}
	r, err := a.run()
	if err != nil {
		return nil, err
	}
	if t.Cooldown > 0 {
		long := a
		long.end += t.Cooldown
		run, err := long.run()
		if err != nil {
			return nil, fmt.Errorf("test with cooldown: %w", err)
		}
		r.Cooldown = &Effect{ATT: run.ATT, Interval: run.Interval, Incremental: run.Incremental, Periods: run.Periods}
	}
	if o.Cost != 0 {
		r.Return = r.ratio(o.Cost)
	}
	return r, nil
}

// analysis is the input and the intermediate results of one estimate.
type analysis struct {
	Options
	span
	panel           *Panel
	test            Test
	treated, donors []int
}

func (a analysis) run() (*Result, error) {
	r := &Result{
		Method: a.Method, Inference: a.Inference, Treated: a.panel.names(a.treated), Donors: len(a.donors),
		Before: a.start, Periods: a.end - a.start + 1,
	}
	var err error
	switch a.Method {
	case TBR:
		err = a.timeBased(r)
	case Ensemble, Combined:
		a.together(r)
	default:
		a.matched(r)
	}
	if err != nil {
		return nil, err
	}
	a.summarize(r)
	return r, nil
}

// matched analyzes the experiment by a method that weights donors.
func (a analysis) matched(r *Result) {
	e := newEstimator(a.panel, a.Method, a.span, a.treated, a.donors)
	t := e.target(a.treated)
	b := newBench()
	effect := e.effect(b, t, a.donors)
	r.ATT = effect * t.unit
	a.describe(r, e, t)
	r.Placebo = randomize(e.read, a.treated, a.donors, a.placeboSize(), a.Draws, a.Seed)
	var order *permutations
	if a.Inference == ConformalIID {
		order = newPermutations(a.end+1, r.Periods, 10_000, a.Seed)
	}
	fit := newRefit(a.panel, e, a.treated, a.donors, order)
	r.Shifts = &Shifting{P: fit.p(0), Interval: fit.invert(effect, a.Alpha)}
	if a.Inference == ConformalIID {
		r.Shifts.P = fit.geoLift(0)
		r.Notes = append(r.Notes,
			"the permutation test assumes independent days: with autocorrelated days, it rejects too often. The p-value is for GeoLift's statistic, "+
				"and the interval is for the mean effect")
	}
	a.conclude(r)
}

// conclude sets the p-value and the confidence interval by the requested inference method. If that method is not
// available, it uses the other method.
func (a analysis) conclude(r *Result) {
	if r.Placebo != nil {
		if a.Method.contrasts() {
			r.Placebo.sample = contrastSample(a.donorLevels(), a.placeboSize())
			r.Placebo.LeastP = r.Placebo.sample.corrected(1 / float64(r.Placebo.Sets+1))
		}
		r.Placebo.spread(a.Method.form() == scaled)
	}
	if a.Inference != Placebo {
		r.P, r.Interval = r.Shifts.P, r.Shifts.Interval
		return
	}
	if r.Placebo != nil {
		if reach, ok := r.Placebo.reach(a.Alpha); ok {
			r.P = r.Placebo.p()
			r.Interval = &measure.Interval{Low: r.ATT - reach, High: r.ATT + reach, Level: 1 - a.Alpha}
			return
		}
		r.Notes = append(r.Notes,
			fmt.Sprintf("%d placebo sets cannot give a p-value below %.3f, so the conformal test in time is used",
				r.Placebo.Sets, r.Placebo.LeastP))
	} else {
		r.Notes = append(r.Notes, "there are too few donors for placebo sets, so the conformal test in time is used")
	}
	if r.Shifts != nil {
		r.Inference, r.P, r.Interval = Conformal, r.Shifts.P, r.Shifts.Interval
		return
	}
	r.P = 1
	if r.Placebo != nil {
		r.P = r.Placebo.p()
	}
}

// placeboSize returns the number of regions of a placebo set. The statistic of contrasts does not depend on the size of
// the set. With contrasts, a set therefore has at most half of the donors, even if more regions are treated.
func (a analysis) placeboSize() int {
	if a.Method.contrasts() {
		return min(len(a.treated), max(2, len(a.donors)/2))
	}
	return len(a.treated)
}

// donorLevels returns the mean absolute outcome of each donor before the test.
func (a analysis) donorLevels() []float64 {
	levels := make([]float64, len(a.donors))
	for i, r := range a.donors {
		for _, v := range a.panel.Values[r][:a.start] {
			levels[i] += math.Abs(v) / float64(a.start)
		}
	}
	return levels
}

// describe sets the weights, the fit and the gaps of the result.
func (a analysis) describe(r *Result, e *estimator, t target) {
	b := newBench()
	w := e.weights(b, t, a.donors)
	series := e.series(t)
	uniform := make([]float64, len(series))
	r.Gap = make([]float64, len(series))
	for s, v := range series {
		r.Gap[s], uniform[s] = v, v
		for i, d := range a.donors {
			r.Gap[s] -= w[i] * e.z[d][s]
			uniform[s] -= e.z[d][s] / float64(len(a.donors))
		}
	}
	if e.method == SynthDiD || e.method.fixed() { // these methods have their own intercept
		shift := stats.Mean(r.Gap[:a.start])
		if e.method == SynthDiD {
			shift = e.earlier(b, t, a.donors, w)
		}
		for s := range r.Gap {
			r.Gap[s] -= shift
		}
	}
	for s := range r.Gap {
		r.Gap[s] *= t.unit
	}
	r.L2 = math.Sqrt(stats.Dot(r.Gap[:a.start], r.Gap[:a.start]))
	if base := math.Sqrt(stats.Dot(uniform[:a.start], uniform[:a.start])) * t.unit; base > 0 {
		r.ScaledL2 = r.L2 / base
	}
	for i, d := range a.donors {
		if math.Abs(w[i]) > 1e-9 {
			r.Weights = append(r.Weights, Weight{Region: a.panel.Regions[d], Weight: w[i]})
		}
	}
	if e.method == Augmented {
		plain := &estimator{frame: e.frame, method: Demeaned}
		r.Lambda = e.lambda
		r.Bias = plain.effect(newBench(), t, a.donors)*t.unit - r.ATT
	}
	a.warn(r, e, t)
}

// warn adds notes about weaknesses of the comparison.
func (a analysis) warn(r *Result, e *estimator, t target) {
	var largest float64
	for _, d := range a.donors {
		largest = max(largest, e.level[d])
	}
	if t.level > 3*largest {
		r.Notes = append(r.Notes,
			fmt.Sprintf("the treated regions are %.1f times as large as the largest donor, so no combination of donors matches them well",
				t.level/largest))
	}
	if r.ScaledL2 > .6 && !a.Method.fixed() {
		r.Notes = append(r.Notes,
			fmt.Sprintf("the donors fit the treated regions poorly before the test (scaled L2 imbalance %.2f, limit 0.6)", r.ScaledL2))
	}
	if a.start < 4*r.Periods {
		r.Notes = append(r.Notes,
			fmt.Sprintf("the history before the test has %d periods; at least four times the %d periods of the test are recommended",
				a.start, r.Periods))
	}
}

// timeBased analyzes by regression.
func (a analysis) timeBased(r *Result) error {
	reg, err := regress(a.panel, a.span, a.treated, a.donors)
	if err != nil {
		return err
	}
	per := float64(len(a.treated) * r.Periods)
	r.Inference = StudentT
	r.ATT, r.P = reg.effect/per, reg.p()
	r.Interval = reg.interval(a.Alpha).Times(1 / per)
	for _, e := range reg.residuals {
		r.Gap = append(r.Gap, e/float64(len(a.treated)))
	}
	r.L2 = math.Sqrt(stats.Dot(r.Gap[:a.start], r.Gap[:a.start]))
	if math.Abs(reg.lag1) > 2/math.Sqrt(float64(a.start)) {
		r.Notes = append(r.Notes,
			fmt.Sprintf("residuals are autocorrelated (%.2f): the interval assumes independence and is too narrow", reg.lag1))
	}
	return nil
}

// summarize sets the figures that follow from ATT and the outcome.
func (a analysis) summarize(r *Result) {
	r.Incremental = r.ATT * float64(len(a.treated)*r.Periods)
	var observed float64
	for _, d := range a.treated {
		observed += stats.Mean(a.panel.Values[d][a.start:a.end+1]) / float64(len(a.treated))
	}
	if expected := observed - r.ATT; expected > 1e-9*math.Abs(observed) {
		r.Lift, r.LiftKnown = r.ATT/expected, true
	}
	if r.Interval != nil && (math.IsNaN(r.Interval.Low) || math.IsInf(r.Interval.High, 0)) {
		r.Interval = nil
	}
}
