package measure

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Method is the method of an estimate and its interval.
type Method string

// The methods.
const (
	GeoExperiment     Method = "geo experiment"
	PlatformStudy     Method = "lift study of the ad platform"
	MetaAnalysis      Method = "random-effects meta-analysis"
	FactorPrior       Method = "prior of an untested factor"
	FactorPosterior   Method = "posterior of a prior and experiments"
	MediaMixPosterior Method = "posterior of a media mix model"
	MediaMixPrior     Method = "prior of a media mix model"
	StructuralModel   Method = "Bayesian structural time series"
	DistributedLag    Method = "Bayesian distributed-lag regression"
	CaptureRecapture  Method = "capture-recapture of codes, surveys and links"
	PathBootstrap     Method = "Poisson bootstrap of conversion paths"
	SurveyBlend       Method = "touchpoints blended with survey answers"
	Proportion        Method = "proportion with its Wilson interval"
	CumulativeMean    Method = "mean cumulative function"
	PurchaseModel     Method = "parametric bootstrap of a repeat purchase model"
	Threshold         Method = "first day above a threshold, with its Brookmeyer-Crowley interval"
)

// Interval is a confidence, credible or prediction interval. Its kind depends on the method.
type Interval struct {
	Low, High float64
	Level     float64 // nominal coverage, such as 0.9
}

// NormalInterval returns the interval of a value with a normal error of the given standard deviation.
func NormalInterval(value, sd, level float64) Interval {
	reach := sd * distuv.UnitNormal.Quantile((1+level)/2)
	return Interval{Low: value - reach, High: value + reach, Level: level}
}

// NormalSD returns the standard deviation implied by the interval under normality.
func (i *Interval) NormalSD() float64 {
	return (i.High - i.Low) / 2 / distuv.UnitNormal.Quantile((1+i.Level)/2)
}

// Times returns the interval multiplied by the factor. It returns nil for nil.
func (i *Interval) Times(factor float64) *Interval {
	if i == nil {
		return nil
	}
	return &Interval{Low: min(i.Low*factor, i.High*factor), High: max(i.Low*factor, i.High*factor), Level: i.Level}
}

// Estimate is an inferred value with its interval and its origin.
type Estimate struct {
	Value float64
	Interval
	Method Method
	Basis  Basis // "" for figures other than revenue and orders, such as the share of customers who order again
}

// Times returns the estimate multiplied by a factor that has no error.
func (e Estimate) Times(factor float64) Estimate {
	e.Value, e.Interval = e.Value*factor, *e.Interval.Times(factor)
	return e
}

// Plus returns the sum of two estimates of different quantities with independent errors. Both must have the same basis
// and level. Adding the zero estimate changes nothing.
func (e Estimate) Plus(other Estimate) Estimate {
	if e == (Estimate{}) {
		return other
	}
	value := e.Value + other.Value
	below := math.Hypot(e.Value-e.Low, other.Value-other.Low)
	above := math.Hypot(e.High-e.Value, other.High-other.Value)
	e.Value, e.Low, e.High = value, value-below, value+above
	return e
}

// At returns the estimate with an interval of another level, assuming normality.
func (e Estimate) At(level float64) Estimate {
	if level == e.Level {
		return e
	}
	stretch := distuv.UnitNormal.Quantile((1+level)/2) / distuv.UnitNormal.Quantile((1+e.Level)/2)
	e.Interval = Interval{Low: e.Value - (e.Value-e.Low)*stretch, High: e.Value + (e.High-e.Value)*stretch, Level: level}
	return e
}
