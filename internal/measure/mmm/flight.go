package mmm

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
)

// flight is the response of a channel, for some posterior draws, to the spend per period after the end of the data
// (flighting). It includes the adstock of earlier spend and the later effect of the schedule's last periods. After the
// schedule, the channel's spend is a fixed multiple of its mean spend (the baseline). Without this baseline, the
// response of the schedule's last periods would be too large. A flight includes only the response above the baseline. A
// flight is not safe for concurrent use.
//
// Exposure is proportional to spend at the window's mean price. With geos, spend is split as in the data. A
// time-varying effect keeps its value at the end of the data.
type flight struct {
	saturation Saturation
	periods    int
	cells      []cell // one per geo, grouped by draw
	geos       int
	a, back    []float64 // scratch space for one cell
	part       []float64 // exposure / [nearZero], at most 1
	saturated  saturated
}

// cell contains the inputs of a flight's response for one draw and one geo.
type cell struct {
	kernel []float64 // exposure per unit of spend in its own and later periods
	around []float64 // exposure from spend before and after the schedule
	alone  []float64 // saturated exposure from spend after the schedule
	shape  []float64 // saturation parameters
	weight float64   // response per unit of saturated exposure
}

// nearZero is the exposure below which the response is linear, because some shapes have an infinite slope at 0.
const nearZero = 1e-6

// flights returns the responses of channels under the given draws. The parameter gap is the number of periods between
// the data and the schedule, in which every channel has its mean spend. After the schedule, a channel's spend is its
// mean spend times the parameter later. Multiplicative effects and channels with reach and frequency result in a fault
// of kind invalid.
func (p *Posterior) flights(names []measure.Channel, draws []int, periods, gap int, later float64) ([]*flight, error) {
	if p.model.spec.Likelihood == LogNormal {
		return nil, fault.Invalid(
			"a plan over time needs additive effects; the log-normal likelihood has multiplicative ones").
			WithHint("fit the model with another likelihood")
	}
	out := make([]*flight, len(names))
	for i, name := range names {
		c := p.channel(name)
		if c.often != nil {
			return nil, fault.Invalid("a plan over time needs spend per period, and %s has reach and frequency", name).
				WithHint("fit the model with the spend of %s", name)
		}
		out[i] = p.flight(c, draws, periods, gap, later)
	}
	return out, nil
}

func (p *Posterior) flight(c *channel, draws []int, periods, gap int, later float64) *flight {
	m := p.model
	v := m.newCurve(len(m.y))
	cost := floats.Sum(c.cost)
	room := periods + len(v.kernel.w) - 1
	f := &flight{
		saturation: m.spec.Saturation, periods: periods, geos: m.geos,
		a: make([]float64, room), part: make([]float64, room), back: make([]float64, periods), saturated: newSaturated(room),
	}
	for _, draw := range draws {
		theta := p.draws[draw]
		m.evaluateAt(&v, c, theta)
		_, shape := m.split(c, theta)
		for g := range m.geos {
			x := c.x[g*m.span : (g+1)*m.span]
			all := floats.Sum(x)
			one := cell{kernel: make([]float64, len(v.kernel.w)), shape: shape, weight: v.betas[g] * m.size[g] * m.yScale}
			if v.timeVarying != nil {
				one.weight *= v.timeVarying.multiple[m.span-1]
			}
			floats.ScaleTo(one.kernel, all/cost, v.kernel.w)
			one.around = make([]float64, room)
			copy(one.around[periods:], buildUp(v.kernel.w, later*all/float64(m.span)))
			one.alone = make([]float64, room)
			f.fill(one, nil)
			copy(one.alone[periods:], f.saturated.s[periods:])
			floats.Add(one.around[:len(v.kernel.w)-1], carriedOver(v.kernel.w, x, all/float64(m.span), gap))
			f.cells = append(f.cells, one)
		}
	}
	return f
}

// buildUp returns the adstocked exposure in each period since constant spend began.
func buildUp(weights []float64, each float64) []float64 {
	out := floats.CumSum(make([]float64, len(weights)-1), weights[:len(weights)-1])
	floats.Scale(each, out)
	return out
}

// carriedOver returns the adstock in the periods after exposures x and a gap of periods at the usual exposure.
func carriedOver(weights, x []float64, usual float64, gap int) []float64 {
	out := make([]float64, len(weights)-1)
	for t := range out {
		for l := t + 1; l < len(weights); l++ {
			switch ago := l - t; { // number of periods before the schedule's first period
			case ago <= gap:
				out[t] += weights[l] * usual
			case ago-gap <= len(x):
				out[t] += weights[l] * x[len(x)-(ago-gap)]
			}
		}
	}
	return out
}

// fill sets f.saturated for one cell. f.saturated contains the saturated exposures, minus the saturated exposures of
// the baseline spend after the schedule, and their derivatives with respect to exposure.
func (f *flight) fill(one cell, spend []float64) {
	copy(f.a, one.around)
	for t, money := range spend {
		for l, w := range one.kernel {
			f.a[t+l] += w * money
		}
	}
	for t, x := range f.a {
		f.part[t] = 1
		if x < nearZero {
			f.a[t], f.part[t] = nearZero, x/nearZero
		}
	}
	f.saturation.fill(f.saturated, f.a, one.shape)
	for t, part := range f.part {
		if part < 1 {
			f.saturated.s[t], f.saturated.ds[t] = part*f.saturated.s[t], f.saturated.s[t]/nearZero
		}
	}
	floats.Sub(f.saturated.s, one.alone)
}

// concave reports whether every draw has diminishing returns at all spends.
func (f *flight) concave() bool {
	return !slices.ContainsFunc(f.cells, func(one cell) bool {
		return one.weight < 0 || f.saturation == Hill && one.shape[1] > 1
	})
}

// Response returns the posterior mean response to the spends, until adstock has decayed, including the adstock of
// earlier spend. It adds the derivatives to slope.
func (f *flight) Response(spend, slope []float64) (sum float64) {
	clear(f.back)
	for _, one := range f.cells {
		f.fill(one, spend)
		sum += one.weight * floats.Sum(f.saturated.s)
		for t := range f.back {
			var by float64
			for l, w := range one.kernel {
				by += w * f.saturated.ds[t+l]
			}
			f.back[t] += one.weight * by
		}
	}
	draws := float64(len(f.cells) / f.geos)
	floats.AddScaled(slope, 1/draws, f.back)
	return sum / draws
}

// addPeriods adds to each draw's row the response in each period, including the periods of adstock after the schedule.
func (f *flight) addPeriods(rows [][]float64, spend []float64) {
	for i, one := range f.cells {
		f.fill(one, spend)
		floats.AddScaled(rows[i/f.geos][:len(f.saturated.s)], one.weight, f.saturated.s)
	}
}
