package cohort

import (
	"math"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Crossing is the first day on which a threshold was reached. If the threshold was not reached, it is the last observed
// day.
type Crossing struct {
	Day     int
	Reached bool // false: not reached by Day, the last observed day
}

// Payback is the time until a customer's margin covers the acquisition cost (CAC).
type Payback struct {
	Cost     float64  // acquisition cost per customer, in minor units
	Day      Crossing // first day on which the margin per customer covers the cost
	Earliest Crossing // first day on which the upper limit of the margin's interval covers the cost
	Latest   Crossing // first day on which the lower limit of the margin's interval covers the cost
	Level    float64
}

// PaybackOf returns the day on which the observed gross margin per customer reaches the acquisition cost. The curve
// must contain gross margin, not revenue. The cost is ad spend / new customers, in minor units.
//
// The interval of the day inverts the curve's intervals. It starts on the first day on which the margin is not
// significantly below the cost. It ends on the first day on which the margin is significantly above the cost.
// Brookmeyer and Crowley (1982) define the interval of the median survival time in this way. "Not reached by day X" is
// a result, not an error. A curve without days results in a not-ready fault.
func PaybackOf(margin Curve, cost float64) (Payback, error) {
	if !(cost >= 0) || math.IsInf(cost, 1) {
		return Payback{}, fault.Invalid("acquisition cost is %v, want an amount of at least 0", cost)
	}
	if len(margin.Points) == 0 {
		return Payback{}, fault.NotReady("channel %q has %d customers, too few for a payback",
			margin.Channel, margin.Customers)
	}
	return Payback{
		Cost:     cost,
		Day:      margin.reaches(cost, func(p Point) float64 { return p.Value }),
		Earliest: margin.reaches(cost, func(p Point) float64 { return p.High }),
		Latest:   margin.reaches(cost, func(p Point) float64 { return p.Low }),
		Level:    margin.Points[0].Level,
	}, nil
}

// Days returns the day of the payback with its interval. If payback is not reached, the day is the last observed day.
func (p Payback) Days() measure.Estimate {
	return measure.Estimate{
		Value:    float64(p.Day.Day),
		Interval: measure.Interval{Low: float64(p.Earliest.Day), High: float64(p.Latest.Day), Level: p.Level},
		Method:   measure.Threshold, Basis: measure.Attributed,
	}
}

func (c Curve) reaches(mark float64, of func(Point) float64) Crossing {
	for day, p := range c.Points {
		if of(p) >= mark {
			return Crossing{Day: day, Reached: true}
		}
	}
	return Crossing{Day: len(c.Points) - 1}
}
