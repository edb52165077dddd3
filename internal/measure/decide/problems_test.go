package decide

import (
	"fmt"
	"math"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// shape is a known Hill curve: magnitude x^slope / (half^slope + x^slope). It is S-shaped for slope > 1.
type shape struct{ magnitude, half, slope float64 }

func (s shape) at(x float64) (value, derivative float64) {
	if x == 0 {
		return 0, 0
	}
	q := math.Pow(x/s.half, s.slope)
	return s.magnitude * q / (1 + q), s.magnitude * s.slope * q / (x * (1 + q) * (1 + q))
}

// response returns a response with one draw per shape, on a grid of spend that is denser near 0.
func response(top float64, draws ...shape) Response {
	const n = 40
	var r Response
	for i := range n + 1 {
		x := top * float64(i*i) / (n * n)
		values, slopes := make([]float64, len(draws)), make([]float64, len(draws))
		for d, s := range draws {
			values[d], slopes[d] = s.at(x)
		}
		r.Spend, r.Value, r.Slope = append(r.Spend, x), append(r.Value, values), append(r.Slope, slopes)
	}
	return r
}

func certain(top float64, s shape) Response { return response(top, s, s, s, s) }

// line returns a response proportional to spend, with one draw per slope.
func line(top float64, slopes []float64) Response {
	r := Response{Spend: []float64{0, top / 2, top}}
	for _, x := range r.Spend {
		values := make([]float64, len(slopes))
		for d, slope := range slopes {
			values[d] = slope * x
		}
		r.Value, r.Slope = append(r.Value, values), append(r.Slope, slopes)
	}
	return r
}

// mixed returns a problem of ten channels with random sizes, slopes between the two limits and any share of the budget.
func mixed(seed uint64, leastSlope, mostSlope float64) Problem {
	random := stats.Stream(seed, 3)
	var p Problem
	for i := range 10 {
		current := 100 * math.Exp(random.NormFloat64())
		p.Budget += current
		p.Channels = append(p.Channels, Channel{Name: measure.Channel(fmt.Sprintf("c%d", i)), Current: current})
	}
	for i := range p.Channels {
		c := &p.Channels[i]
		c.Max = p.Budget
		c.Response = certain(p.Budget, shape{
			c.Current * (1 + 4*random.Float64()), c.Current * (0.5 + 2*random.Float64()),
			leastSlope + (mostSlope-leastSlope)*random.Float64(),
		})
	}
	return p
}

// uncertain returns a problem of ten channels with correlated draws. The spend of a channel can change by at most the
// share move of its current spend.
func uncertain(seed uint64, draws int, move float64) Problem {
	random := stats.Stream(seed, 4)
	common := make([]float64, draws)
	for d := range common {
		common[d] = random.NormFloat64()
	}
	p := mixed(seed, 0.6, 2.5)
	for j := range p.Channels {
		c := &p.Channels[j]
		centre := shape{
			c.Current * (1 + 4*random.Float64()), c.Current * (0.5 + 2*random.Float64()), 0.6 + 1.9*random.Float64(),
		}
		shapes := make([]shape, draws)
		for d := range shapes {
			shapes[d] = shape{
				centre.magnitude * math.Exp(0.3*random.NormFloat64()-0.1*common[d]),
				centre.half * math.Exp(0.3*random.NormFloat64()), centre.slope * math.Exp(0.1*random.NormFloat64()),
			}
		}
		c.Response = response(2*c.Current, shapes...)
		c.Min, c.Max = (1-move)*c.Current, (1+move)*c.Current
	}
	return p
}
