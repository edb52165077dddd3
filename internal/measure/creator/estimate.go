package creator

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Estimate is the estimated number of a creator's orders in a period. Every order is counted once.
type Estimate struct {
	Orders     measure.Estimate
	Confidence float64 // 1 - half of the interval's width / Orders, between 0 and 1
	Parts      []Part  // the estimate of each signal, with its weight
}

// Part is the estimate of one signal.
type Part struct {
	Signal Signal
	Orders float64 // all orders of the creator, estimated from this signal alone
	Weight float64 // weight in the estimate; weights sum to 1

	perOrder, fixed float64 // the variance of Orders is perOrder × true orders + fixed
}

// Signal is a source of evidence that an order is a creator's.
type Signal string

// The signals.
const (
	ByCode   Signal = "code"
	BySurvey Signal = "survey"
	ByLink   Signal = "link"
)

// Of returns the estimate for a creator with the signals s in a period.
//
// Each signal divided by its rate estimates the number of orders T. Given T, a signal is binomial, so its variance is
// proportional to T. The weights are inverse variances and depend only on the rates. The interval is a score interval,
// like Wilson's (1927). It contains each T for which the estimate is within z standard deviations of T. At the limits,
// the estimate x satisfies (x - T)² = z² (a T + d + e T²). a T + d is the variance of the signals' estimates, times
// Noise. e T² is the variance of the rates' common level. The estimate and both limits are at least the number of orders
// in surveys and at least the number of orders in links.
func (r Rates) Of(s Signals, level float64) (Estimate, error) {
	if !(level > 0 && level < 1) {
		return Estimate{}, fault.Invalid("level of the interval is %v, want a fraction between 0 and 1", level)
	}
	out := Estimate{Parts: r.parts(s)}
	if len(out.Parts) == 0 {
		return out, nil
	}
	x := blend(out.Parts)
	var a, d float64
	for _, p := range out.Parts {
		a += r.Noise * p.Weight * p.Weight * p.perOrder
		d += r.Noise * p.Weight * p.Weight * p.fixed
	}
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	floor := max(s.Named, s.Link)
	low, high := within(x, z, a, d, r.Spread*r.Spread)
	value := max(x, floor)
	out.set(value, measure.Interval{Low: min(max(low, floor), value), High: max(high, value), Level: level})
	return out, nil
}

// set stores the number of orders and the confidence, which follows from the interval.
func (e *Estimate) set(orders float64, i measure.Interval) {
	e.Orders = measure.Estimate{Value: orders, Interval: i, Method: measure.CaptureRecapture, Basis: measure.Modelled}
	if orders > 0 {
		e.Confidence = max(0, 1-(i.High-i.Low)/(2*orders))
	}
}

// within returns the two solutions T of (x - T)² = z² (a T + d + e T²).
func within(x, z, a, d, e float64) (low, high float64) {
	z2 := z * z
	e = min(e, 0.9/z2) // keeps the upper limit finite, even if the error is as large as the level
	A, B, C := 1-z2*e, -(2*x + z2*a), x*x-z2*d
	root := math.Sqrt(max(0, B*B-4*A*C))
	return max(0, (-B-root)/(2*A)), max(0, (-B+root)/(2*A))
}

// parts returns the estimates from the creator's signals (code, survey and link), with their weights.
func (r Rates) parts(s Signals) []Part {
	var out []Part
	if s.HasCode && r.Code > 0 {
		p := Part{Signal: ByCode, Orders: r.codeOrders(s) / r.Code}
		p.perOrder, p.fixed = r.codeVariance(s)
		out = append(out, p)
	}
	if r.Known.Named > 0 {
		out = append(out, Part{Signal: BySurvey, Orders: s.Named / r.Survey, perOrder: (1 - r.Survey) / r.Survey})
	}
	if s.HasLink {
		out = append(out, Part{Signal: ByLink, Orders: s.Link / r.Link, perOrder: (1 - r.Link) / r.Link})
	}
	sum := 0.0
	for _, p := range out {
		sum += 1 / p.perOrder
	}
	for i, p := range out {
		out[i].Weight = 1 / p.perOrder / sum
	}
	return out
}

// codeVariance returns the variance of the code estimate: the variance per order of the creator, and the variance of
// leaked code orders.
func (r Rates) codeVariance(s Signals) (perOrder, fixed float64) {
	if !r.Cleaned {
		q := Assumed * r.Code
		return (1 - q) / q, 0
	}
	b, m, c := r.Stray, r.Met, r.Code
	scale := c * c * (m - b) * (m - b)
	second := c * (m*(1-b)*(1-b) + (1-m)*b*b)
	strays := max(0, s.Code-max(0, r.codeOrders(s)))
	return (second - scale) / scale, strays * b * (1 - b) / scale
}

// blend returns the weighted mean of the signals' estimates.
func blend(parts []Part) float64 {
	sum := 0.0
	for _, p := range parts {
		sum += p.Weight * p.Orders
	}
	return sum
}

// Sum returns the estimate for several creators together. Sampling errors are independent between creators. The error
// of the rates' common level is the same for all creators.
func (r Rates) Sum(all []Estimate, level float64) Estimate {
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	var out Estimate
	var sum, below, above float64
	for _, e := range all {
		o := e.Orders
		shared := z * r.Spread * o.Value
		sum += o.Value
		below += max(0, (o.Value-o.Low)*(o.Value-o.Low)-shared*shared)
		above += max(0, (o.High-o.Value)*(o.High-o.Value)-shared*shared)
	}
	shared := z * r.Spread * sum
	out.set(sum, measure.Interval{
		Low: max(0, sum-math.Sqrt(below+shared*shared)), High: sum + math.Sqrt(above+shared*shared), Level: level,
	})
	return out
}
