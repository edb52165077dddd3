package geo

import (
	"math"
	"slices"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Shifting is the result of the conformal test in time.
type Shifting struct {
	P        float64
	Interval *measure.Interval // interval of the effect per region and period; nil with too few periods
}

// refit is a method fitted to all periods, including the test, under a hypothesized effect.
type refit struct {
	*estimator
	target target
	donors []int
	base   []float64 // target's series without a hypothesis
	linear []float64 // products of base with all series
	shape  []float64 // hypothesized effect in each period of the test for tau = 1
	hit    []float64 // products of shape with all series
	bench  *bench
	order  *permutations // nil for cyclic shifts
	last   []int         // support of the last weights
	resid  []float64
}

// newRefit prepares the test of Chernozhukov, Wüthrich and Zhu (2021, "An exact and robust conformal inference method
// for counterfactual and synthetic controls", section 2.2). The test subtracts the hypothesized effect, fits all
// periods, and compares the residuals in the test with those in other periods. The test compares all cyclic shifts,
// because they preserve the dependence between neighboring days. The ridge penalties equal those of the estimate.
func newRefit(p *Panel, e *estimator, treated, donors []int, order *permutations) *refit {
	s := span{start: e.start, end: e.end, fit: e.end + 1}
	fr := newFrame(p, e.form, s)
	again := &estimator{frame: fr, method: e.method, lambda: e.lambda, sigma: e.sigma, zeta: e.zeta}
	constant := slices.Repeat([]float64{1}, s.end-s.start+1)
	return refitOf(newBench(), again, fr.target(treated), donors, constant, order)
}

// refitOf prepares the conformal test. The frame of the estimator must include the periods of the test in the fit.
func refitOf(b *bench, e *estimator, t target, donors []int, shape []float64, order *permutations) *refit {
	r := &refit{estimator: e, target: t, donors: donors, bench: b, order: order, shape: shape}
	r.base = e.series(t)
	r.linear, r.hit = make([]float64, len(e.z)), make([]float64, len(e.z))
	for i, z := range e.z {
		r.linear[i] = stats.Dot(z, r.base)
		r.hit[i] = stats.Dot(z[e.start:], shape) // if the series have mean zero, the hypothesis is also demeaned
	}
	r.resid = make([]float64, e.fit)
	return r
}

// p returns the p-value of the hypothesis that the effect is tau times the shape, in units of the frame's series.
func (r *refit) p(tau float64) float64 {
	r.residuals(tau)
	return r.unusual()
}

// residuals subtracts the hypothesized effect tau from the series, fits the weights again and sets the residual of each
// period.
func (r *refit) residuals(tau float64) {
	b := r.bench
	b.lin = grow(b.lin, len(r.z))
	for i := range b.lin {
		b.lin[i] = r.linear[i] - tau*r.hit[i]
	}
	w := r.weightsFor(b)
	shift := 0.0
	if r.form != levels {
		shift = tau * stats.Mean(r.shape) * float64(len(r.shape)) / float64(r.fit)
	}
	for t := range r.resid {
		r.resid[t] = r.base[t] + shift
		if t >= r.start {
			r.resid[t] -= tau * r.shape[t-r.start]
		}
	}
	for i, row := range r.donors {
		if w[i] == 0 {
			continue
		}
		for t, v := range r.z[row][:r.fit] {
			r.resid[t] -= w[i] * v
		}
	}
}

// weightsFor returns the donors' weights, as [estimator.weights] does, with the linear term of the objective from
// b.lin.
func (r *refit) weightsFor(b *bench) []float64 {
	if r.method.fixed() {
		return r.fixed(b, r.donors)
	}
	q := quadratic{gram: r.gram, size: len(r.z), donors: r.donors, linear: b.lin}
	if r.method == SynthDiD {
		q.ridge = float64(r.fit) * r.zeta * r.zeta
	}
	w := b.solve(&q, r.last)
	r.last = append(r.last[:0], b.free...)
	if r.method == Augmented {
		r.augment(b, &q, w)
	}
	return w
}

// unusual returns the p-value: the share of cyclic shifts or permutations with a statistic that is at least as large as
// the observed statistic. The statistic is the absolute value of the sum of residuals in the test. [refit.geoLift]
// first replaces the residuals by their absolute values.
func (r *refit) unusual() float64 {
	if r.order != nil {
		return r.order.unusual(r.resid, r.start)
	}
	length, n := r.end-r.start+1, len(r.resid)
	var observed, sum float64
	for _, v := range r.resid[r.start:] {
		observed += v
	}
	observed = math.Abs(observed) * (1 - 1e-9)
	for _, v := range r.resid[:length] {
		sum += v
	}
	extreme := 0
	for t := range n {
		if math.Abs(sum) >= observed || t == r.start {
			extreme++
		}
		sum += r.resid[(t+length)%n] - r.resid[t]
	}
	return float64(extreme) / float64(n)
}

// geoLift returns the p-value of an effect of tau times the shape with GeoLift's statistic, the sum of absolute
// residuals. This statistic also detects effects that change sign within the test, so the test can reject every
// constant effect. Intervals therefore invert the test with the sum of residuals.
func (r *refit) geoLift(tau float64) float64 {
	r.residuals(tau)
	for t, v := range r.resid {
		r.resid[t] = math.Abs(v)
	}
	return r.unusual()
}

// invert returns the effects that the conformal test of size alpha does not reject, per region and period, around the
// estimate tau. It searches outward in doubling steps, then by bisection. It returns nil if the test cannot reject or
// rejects tau itself.
func (r *refit) invert(tau, alpha float64) *measure.Interval {
	if 1/float64(r.fit) > alpha || r.p(tau) <= alpha {
		return nil
	}
	scale := deviation(r.resid)
	if scale == 0 {
		scale = math.Max(math.Abs(tau), 1e-9) * 1e-6
	}
	edge := func(direction float64) (float64, bool) {
		inside, outside := 0.0, scale/4
		for range 60 {
			if r.p(tau+direction*outside) <= alpha {
				break
			}
			inside, outside = outside, 2*outside
		}
		if math.IsInf(outside, 0) || r.p(tau+direction*outside) > alpha {
			return 0, false
		}
		for range 24 {
			middle := (inside + outside) / 2
			if r.p(tau+direction*middle) <= alpha {
				outside = middle
			} else {
				inside = middle
			}
		}
		return tau + direction*inside, true
	}
	low, below := edge(-1)
	high, above := edge(1)
	if !below || !above {
		return nil
	}
	return (&measure.Interval{Low: low, High: high, Level: 1 - alpha}).Times(r.target.unit)
}

// permutations contains random selections of periods that replace the test's periods.
type permutations struct {
	length int
	picks  []int32 // selections, one after another
}

func newPermutations(periods, length, count int, seed uint64) *permutations {
	rng := stats.Stream(seed, math.MaxUint64-1)
	p := &permutations{length: length, picks: make([]int32, 0, length*count)}
	order := make([]int32, periods)
	for i := range order {
		order[i] = int32(i)
	}
	for range count {
		for i := range length {
			j := i + int(rng.Uint64N(uint64(periods-i)))
			order[i], order[j] = order[j], order[i]
		}
		p.picks = append(p.picks, order[:length]...)
	}
	return p
}

// unusual returns the share of selections in which the sum of x is at least the observed sum, in absolute value. The
// observed selection is included.
func (p *permutations) unusual(x []float64, start int) float64 {
	var observed float64
	for _, v := range x[start:] {
		observed += v
	}
	observed = math.Abs(observed) * (1 - 1e-12)
	extreme, count := 1, 1
	for choice := range slices.Chunk(p.picks, p.length) {
		var sum float64
		for _, t := range choice {
			sum += x[t]
		}
		if math.Abs(sum) >= observed {
			extreme++
		}
		count++
	}
	return float64(extreme) / float64(count)
}
