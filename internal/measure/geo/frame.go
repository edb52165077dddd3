package geo

import (
	"math"

	"assay/internal/measure/stats"
)

// form is the transformation of outcomes to the series that a method matches.
type form int

const (
	levels   form = iota // unchanged outcome
	demeaned             // outcome minus the region's mean over the fitted periods
	scaled               // demeaned, divided by the region's mean absolute outcome before the test
)

func (m Method) form() form {
	switch m {
	case Synthetic:
		return levels
	case Scaled, ScaledDiD, Ensemble, Combined:
		return scaled
	default:
		return demeaned
	}
}

// fixed reports whether the donors' weights are independent of their fit.
func (m Method) fixed() bool { return m == DiD || m == ScaledDiD }

// contrasts reports whether the method mainly compares totals of regions.
func (m Method) contrasts() bool { return m == ScaledDiD || m == Combined }

// span defines the periods of a frame.
type span struct {
	start, end int // first and last period of the test
	fit        int // periods 0 … fit-1 are matched: start in an estimate, end+1 in a refit under a hypothesis
}

func before(start, end int) span { return span{start: start, end: end, fit: start} }

// frame is a panel in a method's form, with the data that all estimates on it share. Estimates for any treated regions
// and donors need only products of series and their means after the start.
type frame struct {
	span
	form
	z     [][]float64 // region × period, up to the end of the test
	gram  []float64   // products of series over the matched periods, region × region
	after []float64   // mean of z over the test, by region
	level []float64   // mean absolute outcome before the test, in outcome units, by region
}

func newFrame(p *Panel, f form, s span) *frame {
	n := len(p.Regions)
	fr := &frame{span: s, form: f, z: make([][]float64, n), after: make([]float64, n), level: make([]float64, n)}
	values := make([]float64, n*(s.end+1))
	for r, y := range p.Values {
		fr.z[r] = values[r*(s.end+1) : (r+1)*(s.end+1)]
		for _, v := range y[:s.start] {
			fr.level[r] += math.Abs(v)
		}
		fr.level[r] /= float64(s.start)
		shift, scale := 0.0, 1.0
		if f != levels {
			for _, v := range y[:s.fit] {
				shift += v
			}
			shift /= float64(s.fit)
		}
		if f == scaled && fr.level[r] > 0 {
			scale = fr.level[r]
		}
		for t := range fr.z[r] {
			fr.z[r][t] = (y[t] - shift) / scale
		}
		fr.after[r] = stats.Mean(fr.z[r][s.start:])
	}
	fr.products()
	return fr
}

// products fills the Gram matrix.
func (f *frame) products() {
	n := len(f.z)
	f.gram = make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			sum := stats.Dot(f.z[i][:f.fit], f.z[j][:f.fit])
			f.gram[i*n+j], f.gram[j*n+i] = sum, sum
		}
	}
}

// target represents a group of treated regions as one unit: the mean of their outcomes, transformed as in the frame.
type target struct {
	rows    []int
	weights []float64 // weights of the rows' series in the group's series; their sum is 1
	unit    float64   // outcome units, per region and period, of one unit of the group's series
	level   float64   // mean absolute outcome of the group's regions before the test
}

func (f *frame) target(rows []int) target {
	t := target{rows: rows, weights: make([]float64, len(rows)), unit: 1}
	var sum float64
	for _, r := range rows {
		sum += f.level[r]
	}
	t.level = sum / float64(len(rows))
	for i, r := range rows {
		t.weights[i] = 1 / float64(len(rows))
		if f.form == scaled && sum > 0 {
			t.weights[i] = f.level[r] / sum
		}
	}
	if f.form == scaled && sum > 0 {
		t.unit = t.level
	}
	return t
}

// series returns the group's series, transformed as in the frame.
func (f *frame) series(t target) []float64 {
	out := make([]float64, f.end+1)
	for i, r := range t.rows {
		for k, z := range f.z[r] {
			out[k] += t.weights[i] * z
		}
	}
	return out
}

// linear sets each element of c to the dot product of the target's series and a region's series over the matched
// periods.
func (f *frame) linear(c []float64, t target) {
	n := len(f.z)
	clear(c)
	for i, r := range t.rows {
		for j, g := range f.gram[r*n : (r+1)*n] {
			c[j] += t.weights[i] * g
		}
	}
}

func (t target) combine(x []float64) float64 {
	var sum float64
	for i, r := range t.rows {
		sum += t.weights[i] * x[r]
	}
	return sum
}
