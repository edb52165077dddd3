package geo

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
)

// Factor is by what a reported return has to be multiplied to become the incremental one: 1 where reports tell the
// truth, .5 where half of what is reported would have come anyway.
type Factor struct {
	Value float64
	Interval
}

// NewFactor divides the incremental return of a test, with its interval, by the return that was reported for the same
// days. What is reported is counted and not estimated, so the interval only changes its unit.
func NewFactor(incremental float64, i Interval, reported float64) (Factor, error) {
	if !(reported > 0) || math.IsInf(reported, 0) {
		return Factor{}, fault.Invalid("a reported return of %v cannot be divided by", reported)
	}
	if !(i.Low <= i.High) || math.IsInf(i.Low, 0) || math.IsInf(i.High, 0) || !(i.Level > 0 && i.Level < 1) || math.IsNaN(incremental) {
		return Factor{}, fault.Invalid("the return %v with the interval %v makes no factor", incremental, i)
	}
	return Factor{Value: incremental / reported, Interval: Interval{Low: i.Low / reported, High: i.High / reported, Level: i.Level}}, nil
}

// SD returns the standard deviation that the interval stands for, were the error normal.
func (f Factor) SD() float64 { return (f.High - f.Low) / 2 / distuv.UnitNormal.Quantile((1+f.Level)/2) }

// At returns the factor with an interval of another level, were the error normal; its own interval at its own level.
func (f Factor) At(level float64) Factor {
	if level == f.Level {
		return f
	}
	stretch := distuv.UnitNormal.Quantile((1+level)/2) / distuv.UnitNormal.Quantile((1+f.Level)/2)
	return Factor{Value: f.Value, Interval: Interval{
		Low: f.Value - (f.Value-f.Low)*stretch, High: f.Value + (f.High-f.Value)*stretch, Level: level,
	}}
}

// Times applies the factor to a reported figure: the error of the factor is carried through, that of the report is none.
func (f Factor) Times(reported float64) (value float64, in Interval) {
	return f.Value * reported, *f.times(reported)
}

// Pooled is what several tests of one channel say together.
type Pooled struct {
	Factor
	Between float64 // standard deviation of the true factors of different tests, beyond the tests' own errors
	Tests   int
}

// Pool weighs the factors of several tests by how sure they are, and widens the interval by how much they disagree:
// random effects by the method of moments (DerSimonian and Laird 1986, "Meta-analysis in clinical trials", section 2),
//
//	w = 1/(se² + τ²),  τ² = max(0, (Q - (k-1)) / (Σw₀ - Σw₀²/Σw₀)),  Q = Σ w₀ (f - f̄₀)²,  w₀ = 1/se².
//
// A single factor stays as it is.
func Pool(factors []Factor, level float64) (Pooled, error) {
	switch {
	case !(level > 0 && level < 1):
		return Pooled{}, fault.Invalid("level %v lies outside 0 to 1", level)
	case len(factors) == 0:
		return Pooled{}, fault.NotReady("there is no factor to pool")
	case len(factors) == 1:
		return Pooled{Factor: factors[0].At(level), Tests: 1}, nil
	}
	var weights, squares, first float64
	for _, f := range factors {
		if !(f.SD() > 0) {
			return Pooled{}, fault.Invalid("the factor %v has an interval without length", f.Value)
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
		Factor:  Factor{Value: value, Interval: Interval{Low: value - reach, High: value + reach, Level: level}},
		Between: math.Sqrt(between), Tests: len(factors),
	}, nil
}

// Ageing and doubt: what is not known of a channel that was not tested lately.
const (
	// Untested is the standard deviation of the factor of a channel without any test: reports of such channels have
	// been seen anywhere from empty to understated.
	Untested = 0.5
	// yearly is what a year without a new test adds.
	yearly = 0.25
)

// Doubt returns the standard deviation of a channel's factor today: that of its tests, f, enlarged by the years since
// the latest of them, √(sd² + (yearly·years)²), and never more than [Untested], which is that of a channel without a
// test (nil). The two constants are judgements; they rank channels and enter no result.
func Doubt(f *Factor, years float64) float64 {
	if f == nil {
		return Untested
	}
	return min(Untested, math.Hypot(f.SD(), yearly*max(0, years)))
}
