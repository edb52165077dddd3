package forecast

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Calendar contains the yearly pattern of a series. The caller estimates the pattern.
type Calendar struct {
	Factors    []float64   // positive, one per point of the history and of the horizon
	Covariance [][]float64 // covariance of the logarithms of the horizon's factors
}

// check returns a fault unless the calendar covers n points and the horizon.
func (c *Calendar) check(n, horizon int) error {
	if c == nil {
		return nil
	}
	if len(c.Factors) < n+horizon || len(c.Covariance) < horizon {
		return fault.Invalid("the calendar has %d factors and %d rows of covariance, want %d and %d",
			len(c.Factors), len(c.Covariance), n+horizon, horizon)
	}
	for t, f := range c.Factors {
		if !(f > 0) || math.IsInf(f, 1) {
			return fault.Invalid("factor %d of the calendar is %v, want a positive number", t, f)
		}
	}
	return nil
}

// without returns the values divided by their factors.
func (c *Calendar) without(values []float64) []float64 {
	if c == nil {
		return values
	}
	out := make([]float64, len(values))
	for t, y := range values {
		out[t] = y / c.Factors[t]
	}
	return out
}

// withCalendar multiplies the forecast by the future factors.
func (p *Prediction) withCalendar(n int, c *Calendar) {
	if c == nil {
		return
	}
	p.calendar = c.Covariance
	p.factors = c.Factors[n:]
	for h := range p.Points {
		p.Points[h] *= p.factors[h]
	}
}

// widened returns a half-width at step h that includes the calendar's factor and its uncertainty.
func (p *Prediction) widened(h int, reach, level float64) float64 {
	if p.calendar == nil {
		return reach
	}
	own := distuv.UnitNormal.Quantile((1+level)/2) * math.Sqrt(max(0, p.calendar[h][h]))
	if p.ratio {
		return math.Hypot(reach, own)
	}
	return math.Hypot(reach*p.factors[h], own*p.Points[h])
}

// factor returns the calendar's factor at step h.
func (p *Prediction) factor(h int) float64 {
	if p.factors == nil {
		return 1
	}
	return p.factors[h]
}

// calendarSD returns the uncertainty of the calendar's factors as a standard deviation of the logarithm of a sum. The
// sum is over the first n points, where n is steps. The result is a first-order approximation.
func (p *Prediction) calendarSD(steps int) float64 {
	sum := stats.Sum(p.Points[:steps])
	if p.calendar == nil || !(sum > 0) {
		return 0
	}
	var v float64
	for h, row := range p.calendar[:steps] {
		v += p.Points[h] / sum * stats.Dot(row[:steps], p.Points[:steps]) / sum
	}
	return math.Sqrt(max(0, v))
}

// blurs is the number of quantiles that represent the calendar's uncertainty in each draw.
const blurs = 9

// blurred returns draws of a sum with the calendar's uncertainty added. It multiplies every draw by each of [blurs]
// quantiles of a lognormal distribution.
func blurred(draws []float64, sd float64) []float64 {
	if sd == 0 {
		return draws
	}
	out := make([]float64, 0, blurs*len(draws))
	for k := range blurs {
		factor := math.Exp(min(widest, sd*distuv.UnitNormal.Quantile((float64(k)+0.5)/blurs)/quantileSD))
		for _, d := range draws {
			out = append(out, d*factor)
		}
	}
	return out
}

// quantileSD is the standard deviation of the standard normal quantiles at (k + 1/2) / [blurs].
const quantileSD = 0.9311
