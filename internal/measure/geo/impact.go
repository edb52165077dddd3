package geo

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// ImpactOptions contains the settings of a single-market analysis. Zero values mean the defaults of CausalImpact.
type ImpactOptions struct {
	Alpha   float64 // 1 - level of intervals; default 0.05
	Draws   int     // stored draws; default 4000
	Warmup  int     // burn-in draws; default 500
	LevelSD float64 // prior guess of the level's daily change, in standard deviations of the series; default 0.01
	Seed    uint64
}

// Forecasted is a posterior mean with its interval.
type Forecasted struct {
	measure.Estimate
	SD float64
}

// Impact contains the effect of a change in one market.
type Impact struct {
	Periods    int
	Actual     float64    // mean outcome after the start
	Predicted  Forecasted // counterfactual
	Average    Forecasted // actual minus predicted, per period
	Cumulative Forecasted
	Relative   Forecasted // as a share of the prediction; zero if the prediction is not clearly positive
	Tail       float64    // one-sided posterior tail probability of the observed sum without an effect
}

// Priors of CausalImpact 1.2 in standardized units. Sizes and weights are equivalent numbers of observations.
const (
	levelPriorSize    = 32
	residualPriorSize = 50
	residualPriorR2   = .8
	slabWeight        = .01 // weight of the prior of the coefficients
	slabShrinkage     = .5  // shrinkage of the coefficients' correlations
)

// Interrupted estimates the effect of a change at position start of a series from its own past and covariates that the
// change did not affect. The model is a local level with regression,
//
//	y_t = μ_t + βᵀx_t + ε_t,   μ_t+1 = μ_t + η_t.
//
// The model is fitted by Gibbs sampling to the periods before the start, and projected to the following periods. See
// Brodersen et al. 2015, "Inferring causal impact using Bayesian structural time-series models", sections 2.1 to 2.4.
// All coefficients have the slab prior, without a spike. Covariates are series of the same length. This design is for
// markets without donors. Its evidence is weaker than the evidence of a geo experiment: the estimate includes every
// other change at the same time.
func Interrupted(y []float64, covariates [][]float64, start int, o ImpactOptions) (*Impact, error) {
	o.Alpha, o.Draws, o.Warmup, o.LevelSD = orElse(o.Alpha, .05), orElse(o.Draws, 4000), orElse(o.Warmup, 500),
		orElse(o.LevelSD, .01)
	if err := checkInterrupted(y, covariates, start, o); err != nil {
		return nil, err
	}
	shift, scale := standard(y[:start])
	m := newLocalLevel(y, covariates, start, shift, scale)
	m.levelGuess = o.LevelSD
	rng := stats.Stream(o.Seed, 0)
	sums := make([]float64, o.Draws)
	for i := range o.Warmup + o.Draws {
		m.step(rng)
		if i >= o.Warmup {
			sums[i-o.Warmup] = shift*float64(len(y)-start) + scale*m.project(rng)
		}
	}
	return summarizeImpact(y[start:], sums, o.Alpha), nil
}

func orElse[T int | float64](v, fallback T) T {
	if v == 0 {
		return fallback
	}
	return v
}

func checkInterrupted(y []float64, covariates [][]float64, start int, o ImpactOptions) error {
	if start < 2*LeastHistory || start >= len(y) {
		return fault.Invalid("the change is at position %d of %d; want at least %d periods before it and one after",
			start, len(y), 2*LeastHistory)
	}
	if !(o.Alpha > 0 && o.Alpha < 1) || o.Draws < 100 || o.Warmup < 0 || !(o.LevelSD > 0) {
		return fault.Invalid("alpha is %v, draws %d, warm-up %d and the level's standard deviation %v; want alpha between 0 and 1, at least 100 draws, a warm-up of at least 0 and a positive standard deviation",
			o.Alpha, o.Draws, o.Warmup, o.LevelSD)
	}
	for i, series := range append([][]float64{y}, covariates...) {
		name := "the outcome"
		if i > 0 {
			name = "a covariate"
		}
		if len(series) != len(y) {
			return fault.Invalid("%s has %d periods, but the outcome has %d", name, len(series), len(y))
		}
		for t, v := range series {
			if math.IsNaN(v) || math.Abs(v) > largest {
				return fault.Invalid("%s is %v in period %d, want a finite number", name, v, t+1)
			}
		}
	}
	if _, scale := standard(y[:start]); scale == 0 {
		return fault.Invalid("the outcome is constant before position %d", start)
	}
	return nil
}

// standard returns the mean and the standard deviation (divisor n-1). It returns 0 for a numerically zero standard
// deviation.
func standard(x []float64) (m, sd float64) {
	m, sd = stats.MeanSD(x)
	if sd <= 1e-12*math.Abs(m) {
		return m, 0
	}
	return m, sd
}

// localLevel is the state of the sampler, in standardized units.
type localLevel struct {
	y          []float64   // series before the start
	x          [][]float64 // all periods, by period and covariate
	level      []float64
	beta       []float64
	residual   float64 // variance of ε
	drift      float64 // variance of η
	levelGuess float64
	precision  []float64 // prior precision of β, divided by the residual variance, by rows
	products   []float64 // XᵀX before the start, plus precision
	solver     cholesky
	predicted  []float64 // scratch space of the filter: mean and variance of the level given the past
	variance   []float64
	post       []float64
}

func newLocalLevel(y []float64, covariates [][]float64, start int, shift, scale float64) *localLevel {
	m := &localLevel{
		level: make([]float64, start), residual: 1 - residualPriorR2, drift: 1e-4,
		predicted: make([]float64, start), variance: make([]float64, start),
	}
	for _, v := range y[:start] {
		m.y = append(m.y, (v-shift)/scale)
	}
	m.x = make([][]float64, len(y))
	for _, series := range covariates {
		mx, sx := standard(series[:start])
		if sx == 0 {
			continue // later periods have no likelihood
		}
		for t, v := range series {
			m.x[t] = append(m.x[t], (v-mx)/sx)
		}
	}
	m.beta = make([]float64, len(m.x[0]))
	m.prior()
	return m
}

// prior sets the slab prior. The prior has the weight of 0.01 observations, with correlations shrunk by half.
func (m *localLevel) prior() {
	p, n := len(m.beta), float64(len(m.y))
	m.precision, m.products, m.post = make([]float64, p*p), make([]float64, p*p), make([]float64, p)
	for _, row := range m.x[:len(m.y)] {
		for i, a := range row {
			for j, b := range row {
				m.products[i*p+j] += a * b
			}
		}
	}
	for i := range p {
		for j := range p {
			m.precision[i*p+j] = slabWeight / n * m.products[i*p+j]
			if i != j {
				m.precision[i*p+j] *= 1 - slabShrinkage
			}
		}
	}
	for i, v := range m.precision {
		m.products[i] += v
	}
	if p > 0 {
		m.solver.factor(m.products, p, 0)
	}
}

// step draws level, coefficients and variances in turn (Gibbs sampling).
func (m *localLevel) step(rng *rand.Rand) {
	m.drawLevel(rng)
	m.drawRegression(rng)
	changes := 0.0
	for t := 1; t < len(m.level); t++ {
		d := m.level[t] - m.level[t-1]
		changes += d * d
	}
	size := levelPriorSize + float64(len(m.level)-1)
	for range 100 {
		m.drift = inverseGamma(rng, size, levelPriorSize*m.levelGuess*m.levelGuess+changes)
		if m.drift <= 1 { // the level changes by at most one standard deviation of the series per period
			return
		}
	}
	m.drift = 1
}

// inverseGamma draws a variance from an inverse gamma distribution, given the degrees of freedom and the sum of
// squares.
func inverseGamma(rng *rand.Rand, size, ss float64) float64 {
	return ss / 2 / distuv.Gamma{Alpha: size / 2, Beta: 1, Src: rng}.Rand()
}

// drawLevel draws the level by forward filtering and backward sampling (Carter and Kohn 1994).
func (m *localLevel) drawLevel(rng *rand.Rand) {
	at, spread := m.y[0], 1.0 // prior of the first level
	n := len(m.y)
	for t, y := range m.y {
		gain := spread / (spread + m.residual)
		at += gain * (y - stats.Dot(m.beta, m.x[t]) - at)
		spread *= 1 - gain
		m.predicted[t], m.variance[t] = at, spread
		spread += m.drift
	}
	m.level[n-1] = m.predicted[n-1] + math.Sqrt(m.variance[n-1])*rng.NormFloat64()
	for t := n - 2; t >= 0; t-- {
		gain := m.variance[t] / (m.variance[t] + m.drift)
		mean := m.predicted[t] + gain*(m.level[t+1]-m.predicted[t])
		m.level[t] = mean + math.Sqrt(m.variance[t]*(1-gain))*rng.NormFloat64()
	}
}

// drawRegression draws the residual variance with the coefficients integrated out, then the coefficients.
func (m *localLevel) drawRegression(rng *rand.Rand) {
	clear(m.post)
	var squares float64
	for t, y := range m.y {
		r := y - m.level[t]
		squares += r * r
		for i, x := range m.x[t] {
			m.post[i] += x * r
		}
	}
	p := len(m.beta)
	linear := slices.Clone(m.post)
	if p > 0 {
		m.solver.solve(m.post)
		squares -= stats.Dot(linear, m.post)
	}
	m.residual = inverseGamma(
		rng, residualPriorSize+float64(len(m.y)), residualPriorSize*(1-residualPriorR2)+max(0, squares))
	m.solver.scatter(m.beta, math.Sqrt(m.residual), rng)
	for i := range m.beta {
		m.beta[i] += m.post[i]
	}
}

// scatter fills x with normal draws. Their covariance is sd² times the inverse of the factorized matrix: Lᵀx = sd z.
func (c *cholesky) scatter(x []float64, sd float64, rng *rand.Rand) {
	n := len(x)
	for i := range x {
		x[i] = sd * rng.NormFloat64()
	}
	for i := n - 1; i >= 0; i-- {
		x[i] /= c.a[i*n+i]
		for j := range i {
			x[j] -= c.a[i*n+j] * x[i]
		}
	}
}

// project simulates one counterfactual path of the series after the start of the change and returns its sum.
func (m *localLevel) project(rng *rand.Rand) float64 {
	level, sum := m.level[len(m.level)-1], 0.0
	for _, x := range m.x[len(m.y):] {
		level += math.Sqrt(m.drift) * rng.NormFloat64()
		sum += level + stats.Dot(m.beta, x) + math.Sqrt(m.residual)*rng.NormFloat64()
	}
	return sum
}

// summarizeImpact compares the actual total with the totals of projected paths without the change.
func summarizeImpact(actual, sums []float64, alpha float64) *Impact {
	n := float64(len(actual))
	total := stats.Mean(actual) * n
	result := &Impact{Periods: len(actual), Actual: total / n}
	result.Predicted = forecasted(sums, alpha, func(s float64) float64 { return s / n })
	result.Average = forecasted(sums, alpha, func(s float64) float64 { return (total - s) / n })
	result.Cumulative = forecasted(sums, alpha, func(s float64) float64 { return total - s })
	if result.Predicted.Low > 0 {
		result.Relative = forecasted(sums, alpha, func(s float64) float64 { return (total - s) / s })
	}
	above, below := 1.0, 1.0 // the observed series is included as one path
	for _, s := range sums {
		above += indicatorOf(s >= total)
		below += indicatorOf(s <= total)
	}
	result.Tail = min(above, below) / float64(len(sums)+1)
	return result
}

func indicatorOf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func forecasted(sums []float64, alpha float64, of func(float64) float64) Forecasted {
	values := make([]float64, len(sums))
	for i, s := range sums {
		values[i] = of(s)
	}
	slices.Sort(values)
	m, sd := stats.MeanSD(values)
	return Forecasted{SD: sd, Estimate: measure.Estimate{
		Value: m,
		Interval: measure.Interval{
			Low: stats.Quantile(values, alpha/2), High: stats.Quantile(values, 1-alpha/2), Level: 1 - alpha,
		},
		Method: measure.StructuralModel, Basis: measure.Modelled,
	}}
}
