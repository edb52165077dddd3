package geo

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Factor is an incrementality factor: incremental return / reported return. 1 means that reports are correct, .5 that
// half of what is reported would have happened anyway.
type Factor struct {
	Value float64
	measure.Interval
}

// NewFactor divides a test's incremental return and its interval by the return reported for the same days. The reported
// return is taken as exact.
func NewFactor(incremental float64, i measure.Interval, reported float64) (Factor, error) {
	if !(reported > 0) || math.IsInf(reported, 0) {
		return Factor{}, fault.Invalid("the reported return is %v; want a positive one", reported)
	}
	if !(i.Low <= i.High) || math.IsInf(i.Low, 0) || math.IsInf(i.High, 0) || !(i.Level > 0 && i.Level < 1) || math.IsNaN(incremental) {
		return Factor{}, fault.Invalid("invalid return %v with interval %v", incremental, i)
	}
	return Factor{Value: incremental / reported, Interval: measure.Interval{Low: i.Low / reported, High: i.High / reported, Level: i.Level}}, nil
}

// SD returns the standard deviation implied by the interval under normality.
func (f Factor) SD() float64 { return (f.High - f.Low) / 2 / distuv.UnitNormal.Quantile((1+f.Level)/2) }

// At returns the factor with an interval of another level, under normality.
func (f Factor) At(level float64) Factor {
	if level == f.Level {
		return f
	}
	stretch := distuv.UnitNormal.Quantile((1+level)/2) / distuv.UnitNormal.Quantile((1+f.Level)/2)
	return Factor{Value: f.Value, Interval: measure.Interval{
		Low: f.Value - (f.Value-f.Low)*stretch, High: f.Value + (f.High-f.Value)*stretch, Level: level,
	}}
}

// Times applies the factor to a reported figure and propagates the factor's error.
func (f Factor) Times(reported float64) (value float64, in measure.Interval) {
	return f.Value * reported, *f.Interval.Times(reported)
}

// Pooled is the combined result of several tests of one channel.
type Pooled struct {
	Factor
	Between float64 // standard deviation of the true factors between tests
	Tests   int
}

// Pool combines the factors of several tests by a random-effects meta-analysis with the method of moments (DerSimonian
// and Laird 1986, "Meta-analysis in clinical trials", section 2):
//
//	w = 1/(se² + τ²),  τ² = max(0, (Q - (k-1)) / (Σw₀ - Σw₀²/Σw₀)),  Q = Σ w₀ (f - f̄₀)²,  w₀ = 1/se².
//
// A single factor is returned unchanged.
func Pool(factors []Factor, level float64) (Pooled, error) {
	switch {
	case !(level > 0 && level < 1):
		return Pooled{}, fault.Invalid("level %v is not between 0 and 1", level)
	case len(factors) == 0:
		return Pooled{}, fault.NotReady("there are no factors to pool")
	case len(factors) == 1:
		return Pooled{Factor: factors[0].At(level), Tests: 1}, nil
	}
	var weights, squares, first float64
	for _, f := range factors {
		if !(f.SD() > 0) {
			return Pooled{}, fault.Invalid("the interval of factor %v has no length", f.Value)
		}
		w := 1 / (f.SD() * f.SD())
		weights, squares, first = weights+w, squares+w*w, first+w*f.Value
	}
	var q float64
	for _, f := range factors {
		q += (f.Value - first/weights) * (f.Value - first/weights) / (f.SD() * f.SD())
	}
	between := max(0, (q-float64(len(factors)-1))/(weights-squares/weights))
	var value, all float64
	for _, f := range factors {
		w := 1 / (f.SD()*f.SD() + between)
		all, value = all+w, value+w*f.Value
	}
	value /= all
	reach := distuv.UnitNormal.Quantile((1+level)/2) / math.Sqrt(all)
	return Pooled{
		Factor:  Factor{Value: value, Interval: measure.Interval{Low: value - reach, High: value + reach, Level: level}},
		Between: math.Sqrt(between), Tests: len(factors),
	}, nil
}

// The uncertainty of channels without recent tests.
const (
	// Untested is the standard deviation of the factor of a channel without any test. Published factors range from near
	// 0 to above 1.
	Untested = 0.5
	// yearly is the standard deviation added by a year without a new test.
	yearly = 0.25
)

// Uncertainty returns the standard deviation of a channel's factor today: √(sd² + (yearly·years)²), with sd that of its
// tests' factor f and years since the last of them, and at most [Untested], which is that of a channel without a test
// (nil). Both constants are judgments. They rank channels for testing and enter no result.
func Uncertainty(f *Factor, years float64) float64 {
	if f == nil {
		return Untested
	}
	return min(Untested, math.Hypot(f.SD(), yearly*max(0, years)))
}
