package forecast

import (
	"math"

	"assay/internal/fault"
)

// Event is something known beforehand that moves a series: a holiday, a promotion. Points that stand beyond the end of
// the series are the ones to be forecast.
type Event struct {
	Name   string
	Points []int // positions, 0 for the first value
}

// Effect is what an event does to a point it touches.
type Effect struct {
	Name   string
	Size   float64 // a factor where all values are positive, otherwise an amount in the unit of the series
	Error  float64 // standard error, of the factor's logarithm or of the amount
	Points int     // of the history that it rests on
}

// doubtful is how much is believed before any point is seen, in points without an effect: the weight of the ridge.
const doubtful = 1

// effects estimates what the events do and returns the values without it, and the effects on the scale of the errors.
//
// The points that events touch are expected from those around them ([Oddities] says how), and their deviations are
// regressed on the events by ridge regression (Hoerl and Kennard 1970) with the weight of one point without an effect.
// So an event seen once counts for half of what it did then, and one never seen for nothing.
func effects(values []float64, season int, events []Event) (clean []float64, sizes, errors []float64, err error) {
	n, k := len(values), len(events)
	touched := make([][]int, n)
	for i, e := range events {
		for _, t := range e.Points {
			if t < 0 {
				return nil, nil, nil, fault.Invalid("event %q touches point %d, want 0 or later", e.Name, t)
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
	expected := around(x, season, apart)
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
		return nil, nil, nil, fault.NotReady("only %d points are touched by no event, an effect needs %d to stand out from", len(quiet), leastModelled)
	}
	errors = make([]float64, k)
	spread := 1.4826 * typical(quiet)
	for i := range k {
		gram[i*k+i] += doubtful
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

// withEvents moves the forecast by the events to come.
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
			p.Notes = append(p.Notes, "No past point was touched by the event "+e.Name+": it moves nothing.")
		}
		p.Effects = append(p.Effects, effect)
	}
}
