package cohort

import (
	"math"

	"assay/internal/fault"
)

// Crossing is the first day on which something reached a mark, or the last day on which it had not.
type Crossing struct {
	Day     int
	Reached bool // false: not reached by Day, the last one observed
}

// Payback is when a customer has earned what it cost to win one.
type Payback struct {
	Cost     float64  // of winning a customer, in minor units
	Day      Crossing // first day on which the margin per customer covers the cost
	Earliest Crossing // the interval of Day: where the upper and the lower end
	Latest   Crossing // of the margin's interval cover the cost
	Level    float64
}

// PaybackOf returns when the observed margin per customer of a curve reaches the cost of winning a customer. The curve
// must be one of contribution margin: revenue pays nothing back. The cost is ad spend over new customers, in minor
// units.
//
// The interval of the day inverts the intervals of the curve: it holds each day on which the margin is not clearly
// below and has not clearly been above the cost (Brookmeyer and Crowley 1982, for the median survival time). "Not
// reached by day X" is an answer and not a failure. A curve without days is not ready.
func PaybackOf(margin Curve, cost float64) (Payback, error) {
	if !(cost >= 0) || math.IsInf(cost, 1) {
		return Payback{}, fault.Invalid("cost of winning a customer is %v, want an amount from 0 up", cost)
	}
	if len(margin.Points) == 0 {
		return Payback{}, fault.NotReady("channel %q has %d customers, too few for a payback", margin.Channel, margin.Customers)
	}
	return Payback{
		Cost:     cost,
		Day:      margin.reaches(cost, func(p Point) float64 { return p.Value }),
		Earliest: margin.reaches(cost, func(p Point) float64 { return p.Interval.High }),
		Latest:   margin.reaches(cost, func(p Point) float64 { return p.Interval.Low }),
		Level:    margin.Points[0].Interval.Level,
	}, nil
}

func (c Curve) reaches(mark float64, of func(Point) float64) Crossing {
	for day, p := range c.Points {
		if of(p) >= mark {
			return Crossing{Day: day, Reached: true}
		}
	}
	return Crossing{Day: len(c.Points) - 1}
}
