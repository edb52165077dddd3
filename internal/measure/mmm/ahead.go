package mmm

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
)

// flight is what a channel's spends in the periods after the data bring, over some draws. What was spent before works on in the
// first of them, and what is spent in the last works on after it. Then the channel is taken to spend a multiple of what it usually does,
// so that the last periods are no better a place for money than others; what comes then counts as far as it exceeds what that
// spend alone would bring. It serves one goroutine at a time.
//
// Exposure follows money at the window's mean price and, with geos, is divided among them as it was. An effect that changes goes
// on as it was at the end of the data.
type flight struct {
	saturation Saturation
	periods    int
	cells      []cell // those of a draw one after another, one for each geo
	geos       int
	a, back    []float64 // room for one cell
	part       []float64 // of [nearZero] where an exposure is less, else 1
	worth      worth
}

// cell is a flight under one draw in one geo.
type cell struct {
	kernel []float64 // exposure that a unit of money makes in its own and later periods
	around []float64 // exposure of what is spent before and after
	alone  []float64 // worth of what is spent after
	shape  []float64 // parameters of saturation
	weight float64   // what a worth of 1 brings
}

// nearZero is the exposure up to which a worth is taken to be straight: at 0 some shapes are infinitely steep.
const nearZero = 1e-6

// flights returns the responses of channels under some draws to spends in periods that begin after the data, a gap of periods
// later, in which every channel spends what it usually does; after them it spends later times that. A fault of kind invalid says why a model has none.
func (p *Posterior) flights(names []measure.Channel, draws []int, periods, gap int, later float64) ([]*flight, error) {
	if p.model.spec.Likelihood == LogNormal {
		return nil, fault.Invalid("a plan over time needs effects that add up, and those of a log-normal model multiply what is there").
			WithHint("fit the model with another likelihood")
	}
	out := make([]*flight, len(names))
	for i, name := range names {
		c := p.channel(name)
		if c.often != nil {
			return nil, fault.Invalid("a plan over time needs the money of each period, and %s has reach and frequency", name).WithHint("fit the model with the spend of %s", name)
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
		a: make([]float64, room), part: make([]float64, room), back: make([]float64, periods), worth: newWorth(room),
	}
	for _, draw := range draws {
		theta := p.draws[draw]
		m.evaluateAt(&v, c, theta)
		_, shape := m.split(c, theta)
		for g := range m.geos {
			x := c.x[g*m.span : (g+1)*m.span]
			all := floats.Sum(x)
			one := cell{kernel: make([]float64, len(v.kernel.w)), shape: shape, weight: v.betas[g] * m.size[g] * m.yScale}
			if v.wave != nil {
				one.weight *= v.wave.multiple[m.span-1]
			}
			floats.ScaleTo(one.kernel, all/cost, v.kernel.w)
			one.around = make([]float64, room)
			copy(one.around[periods:], going(v.kernel.w, later*all/float64(m.span)))
			one.alone = make([]float64, room)
			f.fill(one, nil)
			copy(one.alone[periods:], f.worth.s[periods:])
			floats.Add(one.around[:len(v.kernel.w)-1], left(v.kernel.w, x, all/float64(m.span), gap))
			f.cells = append(f.cells, one)
		}
	}
	return f
}

// going returns the exposures of equal spends since the first period of a carry-over.
func going(weights []float64, each float64) []float64 {
	out := floats.CumSum(make([]float64, len(weights)-1), weights[:len(weights)-1])
	floats.Scale(each, out)
	return out
}

// left returns what is carried into the periods after exposures x and a gap at the usual one.
func left(weights, x []float64, usual float64, gap int) []float64 {
	out := make([]float64, len(weights)-1)
	for t := range out {
		for l := t + 1; l < len(weights); l++ {
			switch ago := l - t; { // periods before the first one
			case ago <= gap:
				out[t] += weights[l] * usual
			case ago-gap <= len(x):
				out[t] += weights[l] * x[len(x)-(ago-gap)]
			}
		}
	}
	return out
}

// fill sets what a cell's exposures are worth more than those of later spends alone, and their slopes by exposure.
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
	f.saturation.fill(f.worth, f.a, one.shape)
	for t, part := range f.part {
		if part < 1 {
			f.worth.s[t], f.worth.ds[t] = part*f.worth.s[t], f.worth.s[t]/nearZero
		}
	}
	floats.Sub(f.worth.s, one.alone)
}

// concave reports whether returns diminish in every draw, wherever the spends lie.
func (f *flight) concave() bool {
	return !slices.ContainsFunc(f.cells, func(one cell) bool {
		return one.weight < 0 || f.saturation == Hill && one.shape[1] > 1
	})
}

// Response returns what the spends bring in the mean of the draws, with what is left of earlier ones, to the end of all
// carry-over, and adds its derivatives to slope.
func (f *flight) Response(spend, slope []float64) (sum float64) {
	clear(f.back)
	for _, one := range f.cells {
		f.fill(one, spend)
		sum += one.weight * floats.Sum(f.worth.s)
		for t := range f.back {
			var by float64
			for l, w := range one.kernel {
				by += w * f.worth.ds[t+l]
			}
			f.back[t] += one.weight * by
		}
	}
	draws := float64(len(f.cells) / f.geos)
	floats.AddScaled(slope, 1/draws, f.back)
	return sum / draws
}

// addPeriods adds to each draw's row what the spends bring in each period, those of the carry-over after the last included.
func (f *flight) addPeriods(rows [][]float64, spend []float64) {
	for i, one := range f.cells {
		f.fill(one, spend)
		floats.AddScaled(rows[i/f.geos][:len(f.worth.s)], one.weight, f.worth.s)
	}
}
