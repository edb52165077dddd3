package geo

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Member is one estimate of an ensemble.
type Member struct {
	Method Method
	ATT    float64
	Weight float64
	Error  float64 // root mean squared error of ATT over placebo windows before the test; 0: unknown
}

// members returns the methods that a method combines, in display order; nil for a single method.
func (m Method) members() []Method {
	switch m {
	case Ensemble:
		return []Method{Scaled, Augmented, SynthDiD, DiD}
	case Combined:
		return []Method{Scaled, ScaledDiD}
	default:
		return nil
	}
}

// together analyzes the test with an ensemble. Members are weighted by the inverse of their mean squared error over
// placebo windows. The windows have the test's length and end before the test. Fits use the periods before the window.
// See Bates and Granger 1969, "The combination of forecasts", with uncorrelated errors. With fewer than three windows,
// weights are equal. Placebo sets use the same weights.
func (a analysis) together(r *Result) {
	var estimators []*estimator
	b := newBench()
	for _, m := range a.Method.members() {
		e := newEstimator(a.panel, m, a.span, a.treated, a.donors)
		t := e.target(a.treated)
		estimators = append(estimators, e)
		r.Members = append(r.Members, Member{Method: m, ATT: e.effect(b, t, a.donors) * t.unit})
	}
	a.weigh(r.Members, estimators)
	for _, m := range r.Members {
		r.ATT += m.Weight * m.ATT
	}
	r.Placebo = randomize(func(b *bench, set, donors []int) reading {
		var sum reading
		for i, e := range estimators {
			one, weight := e.read(b, set, donors), r.Members[i].Weight
			sum.effect += weight * one.effect
			sum.fit += weight * one.fit
			sum.level = one.level
			if one.fixed { // a fit with fixed weights is not overfitted and estimates the set's noise
				sum.fit, sum.fixed = one.fit, true
			}
		}
		return sum
	}, a.treated, a.donors, a.placeboSize(), a.Draws, a.Seed)
	a.blend(r, estimators)
	if a.Method == Combined {
		a.shift(r, estimators)
	}
	a.conclude(r)
	a.disagree(r)
}

// shift adds the conformal test of the member with the most weight. The interval of the test is moved to the combined
// estimate.
func (a analysis) shift(r *Result, estimators []*estimator) {
	best := 0
	for i := range r.Members {
		if r.Members[i].Weight > r.Members[best].Weight {
			best = i
		}
	}
	e, member := estimators[best], r.Members[best]
	fit := newRefit(a.panel, e, a.treated, a.donors, nil)
	r.Shifts = &Shifting{P: fit.p(0), Interval: fit.invert(member.ATT/e.target(a.treated).unit, a.Alpha)}
	if i := r.Shifts.Interval; i != nil {
		r.Shifts.Interval = &measure.Interval{Low: i.Low + r.ATT - member.ATT, High: i.High + r.ATT - member.ATT, Level: i.Level}
	}
}

// blend sets the donor weights and the gaps to the weighted means of the members. Notes are from the first member.
func (a analysis) blend(r *Result, estimators []*estimator) {
	weights := map[Region]float64{}
	base := 0.0
	for i, e := range estimators {
		one, share, member := &Result{Periods: r.Periods}, r.Members[i].Weight, a
		member.Method = e.method
		member.describe(one, e, e.target(a.treated))
		if i == 0 {
			r.Gap, r.Notes = make([]float64, len(one.Gap)), one.Notes
			if one.ScaledL2 > 0 {
				base = one.L2 / one.ScaledL2
			}
		}
		for t, gap := range one.Gap {
			r.Gap[t] += share * gap
		}
		for _, w := range one.Weights {
			weights[w.Region] += share * w.Weight
		}
	}
	for _, region := range slices.Sorted(maps.Keys(weights)) {
		r.Weights = append(r.Weights, Weight{Region: region, Weight: weights[region]})
	}
	r.L2 = math.Sqrt(stats.Dot(r.Gap[:a.start], r.Gap[:a.start]))
	if base > 0 {
		r.ScaledL2 = r.L2 / base
	}
}

// weigh sets the members' weights.
func (a analysis) weigh(ms []Member, estimators []*estimator) {
	length := a.end - a.start + 1
	var windows []span
	for start := a.start - length; start >= max(LeastHistory, length) && len(windows) < 12; start -= max(1, length/2) {
		windows = append(windows, before(start, start+length-1))
	}
	for i := range ms {
		ms[i].Weight = 1 / float64(len(ms))
	}
	if len(windows) < 3 {
		return
	}
	var worst, total float64
	b := newBench()
	for i := range ms {
		var squares float64
		for _, w := range windows {
			e := newEstimatorLike(a.panel, estimators[i], w)
			t := e.target(a.treated)
			x := e.effect(b, t, a.donors) * t.unit
			squares += x * x
		}
		ms[i].Error = math.Sqrt(squares / float64(len(windows)))
		worst = max(worst, ms[i].Error)
	}
	if worst == 0 {
		return
	}
	for i := range ms {
		error := max(ms[i].Error, 1e-3*worst) / worst // bounds the weight of the best member
		ms[i].Weight = 1 / (error * error)
		total += ms[i].Weight
	}
	for i := range ms {
		ms[i].Weight /= total
	}
}

// newEstimatorLike returns an estimator with the same method and ridge penalties for another window.
func newEstimatorLike(p *Panel, like *estimator, s span) *estimator {
	e := &estimator{
		frame: newFrame(p, like.form, s), method: like.method, lambda: like.lambda, sigma: like.sigma, zeta: like.zeta,
	}
	if e.method == SynthDiD {
		e.periodProducts()
	}
	return e
}

// disagree adds a note if the range of the members' estimates is larger than two standard errors.
func (a analysis) disagree(r *Result) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range r.Members {
		low, high = min(low, m.ATT), max(high, m.ATT)
	}
	if r.Placebo != nil && high-low > 2*r.Placebo.SE {
		r.Notes = append(r.Notes,
			fmt.Sprintf("the methods disagree: estimates range from %.4g to %.4g per region and period", low, high))
	}
}
