package geo

import (
	"fmt"
	"math"
)

// Member is one estimate of an ensemble.
type Member struct {
	Method Method
	ATT    float64
	Weight float64
	Error  float64 // root mean squared error of ATT over placebo windows before the test; 0: unknown
}

// members returns the ensemble's methods in display order.
func members() []Method { return []Method{Scaled, Augmented, SynthDiD, DiD} }

// together analyzes the test with an ensemble. Members are weighted by the inverse of their mean squared error over
// placebo windows. The windows have the test's length and end before the test. Fits use the periods before the window.
// See Bates and Granger 1969, "The combination of forecasts", with uncorrelated errors. With fewer than three windows,
// weights are equal. Placebo sets use the same weights.
func (a analysis) together(r *Result) {
	var estimators []*estimator
	b := newBench()
	for _, m := range members() {
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
		}
		return sum
	}, a.treated, a.donors, a.Draws, a.Seed)
	main := a
	main.Method = Scaled
	main.describe(r, estimators[0], estimators[0].target(a.treated))
	a.conclude(r)
	a.disagree(r)
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

// newEstimatorLike returns an estimator with the same method and ridges for another window.
func newEstimatorLike(p *Panel, like *estimator, s span) *estimator {
	e := &estimator{
		frame: newFrame(p, like.form, s), method: like.method, lambda: like.lambda, sigma: like.sigma, zeta: like.zeta,
	}
	if e.method == SynthDiD {
		e.periodProducts()
	}
	return e
}

// disagree adds a note if differences between members exceed chance.
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
