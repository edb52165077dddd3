package geo

import (
	"math"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Factor returns an incrementality factor: a test's iROAS divided by last-touch ROAS on the same days. Last-touch ROAS
// is treated as exact. A factor of 1 means that all attributed revenue is incremental. With a factor of 0.5, half of
// this revenue would have occurred without ads.
func Factor(incremental measure.Estimate, reported float64) (measure.Estimate, error) {
	if !(reported > 0) || math.IsInf(reported, 0) {
		return measure.Estimate{}, fault.Invalid("the reported ROAS is %v; want a positive ROAS", reported)
	}
	i := incremental.Interval
	known := i.Low <= i.High && !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) && i.Level > 0 && i.Level < 1
	if !known || math.IsNaN(incremental.Value) {
		return measure.Estimate{}, fault.Invalid("invalid iROAS %v with interval %v", incremental.Value, i)
	}
	factor := incremental
	factor.Value, factor.Low, factor.High = incremental.Value/reported, i.Low/reported, i.High/reported
	return factor, nil
}

// Pooled is the combined factor of several tests of one channel.
type Pooled struct {
	measure.Estimate
	Between float64 // standard deviation of the true factors between tests
	Tests   int
}

// Prior returns the incrementality factor of a channel before any test, with an interval of the given level. It is
// normal with mean 1 and standard deviation [Untested]. The prior assumes that last-touch attribution is correct on
// average. For a single channel, the attribution error can be large in both directions.
func Prior(level float64) measure.Estimate {
	return measure.Estimate{
		Value: 1, Interval: measure.NormalInterval(1, Untested, level), Method: measure.FactorPrior, Basis: measure.Modelled,
	}
}

// Posterior returns the incrementality factor of a channel after its tests: the product of [Prior] and the pooled
// measurements, both normal,
//
//	mean = (1/σ₀² + f/σ²)·v,  v = 1/(1/σ₀² + 1/σ²),
//
// where f ± σ is the result of [Pool] and 1 ± σ₀ is the prior. After an inconclusive test, the factor remains near the
// prior. A precise test outweighs the prior.
func Posterior(factors []measure.Estimate, level float64) (Pooled, error) {
	pooled, err := Pool(factors, level)
	if err != nil {
		return pooled, err
	}
	sd := max(pooled.NormalSD(), 1e-9)
	prior, measured := 1/(Untested*Untested), 1/(sd*sd)
	value := (prior + measured*pooled.Value) / (prior + measured)
	pooled.Estimate = measure.Estimate{
		Value: value, Interval: measure.NormalInterval(value, 1/math.Sqrt(prior+measured), level),
		Method: measure.FactorPosterior, Basis: measure.Incremental,
	}
	return pooled, nil
}

// Pool combines the incrementality factors of several tests by a random-effects meta-analysis (DerSimonian and Laird
// 1986, "Meta-analysis in clinical trials", section 2). It uses the method of moments:
//
//	w = 1/(se² + τ²),  τ² = max(0, (Q - (k-1)) / (Σw₀ - Σw₀²/Σw₀)),  Q = Σ w₀ (f - f̄₀)²,  w₀ = 1/se².
//
// For a single factor, Pool changes only the level of the interval.
func Pool(factors []measure.Estimate, level float64) (Pooled, error) {
	switch {
	case !(level > 0 && level < 1):
		return Pooled{}, fault.Invalid("level %v is not between 0 and 1", level)
	case len(factors) == 0:
		return Pooled{}, fault.NotReady("there are no factors to pool")
	case len(factors) == 1:
		return Pooled{Estimate: factors[0].At(level), Tests: 1}, nil
	}
	var weights, squares, first float64
	for _, f := range factors {
		if !(f.NormalSD() > 0) {
			return Pooled{}, fault.Invalid("the interval of factor %v has no length", f.Value)
		}
		w := 1 / (f.NormalSD() * f.NormalSD())
		weights, squares, first = weights+w, squares+w*w, first+w*f.Value
	}
	var q float64
	for _, f := range factors {
		q += (f.Value - first/weights) * (f.Value - first/weights) / (f.NormalSD() * f.NormalSD())
	}
	between := max(0, (q-float64(len(factors)-1))/(weights-squares/weights))
	var value, all float64
	for _, f := range factors {
		w := 1 / (f.NormalSD()*f.NormalSD() + between)
		all, value = all+w, value+w*f.Value
	}
	value /= all
	return Pooled{
		Estimate: measure.Estimate{
			Value: value, Interval: measure.NormalInterval(value, 1/math.Sqrt(all), level),
			Method: measure.MetaAnalysis, Basis: measure.Incremental,
		},
		Between: math.Sqrt(between), Tests: len(factors),
	}, nil
}

// Constants of [Uncertainty].
const (
	// Untested is the standard deviation of the factor of a channel without any test. Published factors range from near
	// 0 to above 1.
	Untested = 0.5
	// yearly is the standard deviation added by a year without a new test.
	yearly = 0.25
)

// Uncertainty returns the standard deviation of a channel's incrementality factor today: √(sd² + (yearly·years)²). Here
// sd is the standard deviation of f, the factor of the channel, and years is the time since the last test. The maximum
// is [Untested]. This value also applies to a channel without a test (f is nil). The constants [Untested] and yearly
// are assumptions. They affect the ranking of channels for testing, and [Untested] also affects [Prior] and
// [Posterior].
func Uncertainty(f *measure.Estimate, years float64) float64 {
	if f == nil {
		return Untested
	}
	return min(Untested, math.Hypot(f.NormalSD(), yearly*max(0, years)))
}
