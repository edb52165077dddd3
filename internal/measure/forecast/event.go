package forecast

import (
	"math"

	"assay/internal/fault"
)

// Event is a known event that affects a series, such as a holiday or a promotion. Points after the end of the series
// are points of the forecast horizon.
type Event struct {
	Name   string
	Points []int // positions; the first value has position 0
}

// Effect is the effect of an event on a point.
type Effect struct {
	Name   string
	Size   float64 // a factor for positive series, otherwise an amount in the series' unit
	Error  float64 // standard error, of the factor's logarithm or of the amount
	Points int     // past points with the event
}

// ridgeWeight is the weight, in points, of the prior that an event has no effect.
const ridgeWeight = 1

// effects estimates the events' effects. It returns the values without the effects, the effects, and their standard
// errors. If all values are positive, an effect is the logarithm of a factor, otherwise an amount.
//
// Points with events are predicted from the points around them (see [Anomalies]). Their deviations are regressed on the
// events by ridge regression (Hoerl and Kennard 1970) with a penalty of one point. The estimate for an event with one
// observation is half of the observed deviation. The estimate for an event that was never observed is zero.
func effects(values []float64, season int, events []Event) (clean []float64, sizes, errors []float64, err error) {
	n, k := len(values), len(events)
	touched := make([][]int, n)
	for i, e := range events {
		for _, t := range e.Points {
			if t < 0 {
				return nil, nil, nil, fault.Invalid("event %q includes point %d, want 0 or later", e.Name, t)
			}
			if t < n {
				touched[t] = append(touched[t], i)
			}
		}
	}
	positive := allPositive(values)
	x := make([]float64, n)
	apart := make([]bool, n)
	for t, y := range values {
		x[t], apart[t] = y, len(touched[t]) > 0
		if positive {
			x[t] = math.Log(y)
		}
	}
	expected := around(x, season, apart, nil)
	gram, slope := make([]float64, k*k), make([]float64, k)
	var quiet []float64
	for t, list := range touched {
		d := x[t] - expected[t]
		if len(list) == 0 {
			quiet = append(quiet, d)
		}
		for _, i := range list {
			slope[i] += d
			for _, j := range list {
				gram[i*k+j]++
			}
		}
	}
	if len(quiet) < leastModelled {
		return nil, nil, nil, fault.NotReady("only %d points have no event, but the estimate needs %d points", len(quiet), leastModelled)
	}
	errors = make([]float64, k)
	spread := 1.4826 * typical(quiet)
	for i := range k {
		gram[i*k+i] += ridgeWeight
		errors[i] = spread / math.Sqrt(gram[i*k+i])
	}
	sizes = make([]float64, k)
	cholesky(gram, slope, sizes)
	clean = make([]float64, n)
	for t := range x {
		clean[t] = values[t]
		for _, i := range touched[t] {
			if positive {
				clean[t] /= math.Exp(sizes[i])
			} else {
				clean[t] -= sizes[i]
			}
		}
	}
	return clean, sizes, errors, nil
}

// withEvents adds the effects of future events to the forecast.
func (p *Prediction) withEvents(n int, events []Event, sizes, errors []float64) {
	for i, e := range events {
		effect := Effect{Name: e.Name, Size: sizes[i], Error: errors[i]}
		if p.ratio {
			effect.Size = math.Exp(sizes[i])
		}
		for _, t := range e.Points {
			h := t - n
			switch {
			case h < 0:
				effect.Points++
			case h < len(p.Points):
				if p.ratio {
					p.Points[h] *= effect.Size
				} else {
					p.Points[h] += effect.Size
				}
				p.spread[h] = math.Hypot(p.spread[h], errors[i])
			}
		}
		if effect.Points == 0 {
			p.Notes = append(p.Notes, "The event "+e.Name+" has no past points, so it has no effect on the forecast.")
		}
		p.Effects = append(p.Effects, effect)
	}
}
