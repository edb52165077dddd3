package season

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"assay/internal/civil"
	"assay/internal/measure/stats"
)

const (
	harmonics = 2
	knotDays  = 7
	weekdays  = 7

	driftSD   = 0.5  // prior standard deviation of the growth per year
	weekdaySD = 0.5  // prior standard deviation of a weekday's log factor
	freedom   = 4    // degrees of freedom of the errors
	settled   = 14   // days at the end of the history to which the factors are relative
	fixedSD   = 0.10 // scale of the smooth season for a short history
	longDays  = 548  // days of history from which the scale is estimated
)

// design contains the columns of the regression: knots of the level, their drift, weekdays, harmonics and effects.
type design struct {
	history, ahead int
	first          civil.Date
	effects        []effect
	knots          int
	rows           [][]entry // nonzero columns of each day
}

// entry is the value of a column.
type entry struct {
	column int
	by     float64
}

func newDesign(ask Ask) (*design, error) {
	d := &design{history: len(ask.Values), ahead: ask.Ahead, first: ask.First}
	d.knots = (d.history+knotDays-2)/knotDays + 1
	n := d.history + d.ahead
	var err error
	if d.effects, err = events(civil.Range{First: ask.First, Last: ask.First.AddDays(n - 1)}, ask.Countries); err != nil {
		return nil, err
	}
	d.rows = make([][]entry, n)
	for t := range d.rows {
		d.rows[t] = d.row(t)
	}
	for i, e := range d.effects {
		for _, at := range e.days {
			d.rows[at.day] = append(d.rows[at.day], entry{d.effect(i), at.by})
		}
	}
	return d, nil
}

func (d *design) drift() int         { return d.knots }
func (d *design) weekday(w int) int  { return d.knots + 1 + w }
func (d *design) harmonic(k int) int { return d.knots + 1 + weekdays + k }
func (d *design) effect(i int) int   { return d.harmonic(2*harmonics) + i }
func (d *design) columns() int       { return d.effect(len(d.effects)) }

// row returns the columns of a day, except those of the effects. A future day has no level column and no weekday
// column.
func (d *design) row(t int) []entry {
	var row []entry
	day := d.first.AddDays(t)
	if t < d.history {
		knot, part := t/knotDays, float64(t%knotDays)/knotDays
		row = append(row, entry{knot, 1 - part}, entry{d.weekday(int(day.Weekday())), 1})
		if part > 0 {
			row = append(row, entry{knot + 1, part})
		}
	}
	angle := 2 * math.Pi * float64(day.YearDay()) / yearDays
	for k := range harmonics {
		sin, cos := math.Sincos(float64(k+1) * angle)
		row = append(row, entry{d.harmonic(2 * k), cos}, entry{d.harmonic(2*k + 1), sin})
	}
	return row
}

// scales are the hyperparameters: standard deviations of the level's change per week and of the first harmonic.
type scales struct{ level, smooth float64 }

// prior is the normal prior of the coefficients.
type prior struct {
	precision *mat.SymDense
	product   []float64 // product of the precision with the means
}

func (p *prior) add(i, j int, x float64) { p.precision.SetSym(i, j, p.precision.At(i, j)+x) }

func (p *prior) normal(i int, mean, sd float64) {
	p.add(i, i, 1/(sd*sd))
	p.product[i] += mean / (sd * sd)
}

// prior returns the prior for the scales. The level starts near start.
func (d *design) prior(s scales, start float64) prior {
	p := prior{mat.NewSymDense(d.columns(), nil), make([]float64, d.columns())}
	p.normal(0, start, 2)
	step, drift := 1/(s.level*s.level), d.drift()
	for i := range d.knots - 1 { // (ℓ_{i+1} - ℓ_i - drift)² / level²
		p.add(i, i, step)
		p.add(i+1, i+1, step)
		p.add(i, i+1, -step)
		p.add(i, drift, step)
		p.add(i+1, drift, -step)
		p.add(drift, drift, step)
	}
	p.normal(drift, 0, driftSD*knotDays/yearDays)
	for w := range weekdays {
		p.normal(d.weekday(w), 0, weekdaySD)
	}
	for j := range 2 * harmonics {
		p.normal(d.harmonic(j), 0, s.smooth/float64(1+j/2))
	}
	for i, e := range d.effects {
		p.normal(d.effect(i), e.mean, e.sd)
	}
	return p
}

// fitted is the regression of a series on its design.
type fitted struct {
	*design
	x       []float64
	noise   float64       // scale of the errors
	weights []float64     // weights of the days, 0 for an unknown day
	gram    *mat.SymDense // products of the columns over the weighted days
	product []float64     // products of the columns with the weighted values
	beta    []float64
	inverse mat.Cholesky // Cholesky factor of the posterior precision
}

// estimate chooses the scales by marginal likelihood and sets the posterior of the coefficients.
func (f *fitted) estimate() {
	f.noise = noiseOf(f.x)
	for t, x := range f.x {
		if !math.IsNaN(x) {
			f.weights[t] = 1
		}
	}
	best := scales{level: 0.03, smooth: fixedSD}
	f.collect()
	f.solve(best)
	f.reweight()
	f.solve(best)
	f.reweight()
	try := func(all []float64, with func(float64) scales) {
		most, from := f.solve(best), best
		for _, x := range all {
			if s := with(x); s != from {
				if e := f.solve(s); e > most {
					most, best = e, s
				}
			}
		}
	}
	try([]float64{0.005, 0.015, 0.06, 0.12}, func(x float64) scales { return scales{x, best.smooth} })
	if f.history >= longDays {
		try([]float64{0.02, 0.05, 0.2}, func(x float64) scales { return scales{best.level, x} })
	}
	f.solve(best)
	f.reweight()
	f.solve(best)
}

// collect computes the weighted sums of the normal equations over all days: gram and product.
func (f *fitted) collect() {
	k := f.columns()
	gram := make([]float64, k*k)
	f.product = make([]float64, k)
	for t, x := range f.x {
		w := f.weights[t] / (f.noise * f.noise)
		if w == 0 {
			continue
		}
		for i, c := range f.rows[t] {
			f.product[c.column] += w * c.by * x
			for _, o := range f.rows[t][i:] {
				gram[min(c.column, o.column)*k+max(c.column, o.column)] += w * c.by * o.by
			}
		}
	}
	f.gram = mat.NewSymDense(k, gram)
}

// noiseOf returns the scale of the noise: the robust spread of the differences from the mean of the same weekday one
// week before and after.
func noiseOf(x []float64) float64 {
	var sizes []float64
	for t := 7; t+7 < len(x); t++ {
		if e := x[t] - (x[t-7]+x[t+7])/2; !math.IsNaN(e) {
			sizes = append(sizes, math.Abs(e))
		}
	}
	if len(sizes) == 0 {
		return leastNoise
	}
	slices.Sort(sizes)
	return max(leastNoise, 1.4826*stats.Quantile(sizes, 0.5)/math.Sqrt(1.5))
}

// leastNoise is the smallest scale of the noise.
const leastNoise = 0.01

// solve sets the posterior for the scales and returns the log marginal likelihood up to a constant.
func (f *fitted) solve(s scales) float64 {
	start, counted := 0.0, 0.0
	for t, x := range f.x[:min(len(f.x), 4*knotDays)] {
		if f.weights[t] > 0 {
			start, counted = start+x, counted+1
		}
	}
	p := f.prior(s, start/max(1, counted))
	var a mat.SymDense
	a.AddSym(p.precision, f.gram)
	if !f.inverse.Factorize(&a) {
		return math.Inf(-1)
	}
	b := slices.Clone(f.product)
	for i, x := range p.product {
		b[i] += x
	}
	f.beta = f.times(b)
	var fit float64
	for t, x := range f.x {
		if f.weights[t] > 0 {
			e := (x - f.at(t)) / f.noise
			fit += f.weights[t] * e * e
		}
	}
	// (β-m)'P(β-m) = β'Pβ - 2β'Pm + m'Pm; the last term does not depend on the scales.
	v := mat.NewVecDense(len(f.beta), f.beta)
	penalty := mat.Inner(v, p.precision, v) - 2*stats.Dot(f.beta, p.product)
	logPrior := -2*float64(f.knots-1)*math.Log(s.level) - 4*harmonics*math.Log(s.smooth)
	return -(fit + penalty + f.inverse.LogDet() - logPrior) / 2
}

// times returns the posterior covariance times a vector. An ill-conditioned precision matrix is not an error, because
// the solution is inexact only along directions that the prior determines.
func (f *fitted) times(b []float64) []float64 {
	var x mat.VecDense
	_ = f.inverse.SolveVecTo(&x, mat.NewVecDense(len(b), b))
	return x.RawVector().Data
}

// at returns the fitted value of a day.
func (f *fitted) at(t int) float64 {
	sum := 0.0
	for _, c := range f.rows[t] {
		sum += c.by * f.beta[c.column]
	}
	return sum
}

// reweight sets the weights of the days from their residuals. The weights of event days also have a maximum, because
// the effects of events vary between years.
func (f *fitted) reweight() {
	for t, x := range f.x {
		if math.IsNaN(x) {
			continue
		}
		e := (x - f.at(t)) / f.noise
		f.weights[t] = (freedom + 1) / (freedom + e*e)
	}
	for _, e := range f.effects {
		for _, at := range e.days {
			if at.day < f.history && f.weights[at.day] > 0 {
				f.weights[at.day] = min(f.weights[at.day], 1/(1+yearlySD*yearlySD/(f.noise*f.noise)))
			}
		}
	}
	f.collect()
}

// calendar returns the calendar's columns of a day, relative to their mean over the last [settled] days of the history.
func (f *fitted) calendar(t int, base []float64) []float64 {
	row := make([]float64, f.columns())
	for i, x := range base {
		row[i] = -x
	}
	for _, c := range f.rows[t] {
		if c.column >= f.harmonic(0) {
			row[c.column] += c.by
		}
	}
	return row
}

// base returns the mean of the calendar's columns over the last [settled] days of the history.
func (f *fitted) base() []float64 {
	mean := make([]float64, f.columns())
	from := max(0, f.history-settled)
	for t := from; t < f.history; t++ {
		for i, x := range f.calendar(t, nil) {
			mean[i] += x / float64(f.history-from)
		}
	}
	return mean
}

// factors returns the factor of every day, relative to an average day of the year.
func (f *fitted) factors() []float64 {
	out := make([]float64, len(f.rows))
	for t := range out {
		sum := 0.0
		for _, c := range f.rows[t] {
			if c.column >= f.harmonic(0) {
				sum += c.by * f.beta[c.column]
			}
		}
		out[t] = math.Exp(sum)
	}
	return out
}

// covariance returns the covariance of the log factors of the days ahead, relative to their mean over the last
// [settled] days of the history.
func (f *fitted) covariance() [][]float64 {
	out := make([][]float64, f.ahead)
	base := f.base()
	rows := make([][]float64, f.ahead)
	for h := range rows {
		rows[h] = f.calendar(f.history+h, base)
	}
	for h := range out {
		out[h] = make([]float64, f.ahead)
		solved := f.times(rows[h])
		for k := range h + 1 {
			out[h][k] = stats.Dot(solved, rows[k])
			out[k][h] = out[h][k]
		}
	}
	f.addYears(out)
	return out
}

// addYears adds the variation of event effects between years to the covariance.
func (f *fitted) addYears(covariance [][]float64) {
	groups := make([]map[int]bool, f.ahead)
	for _, e := range f.effects {
		for _, at := range e.days {
			if h := at.day - f.history; h >= 0 {
				if groups[h] == nil {
					groups[h] = map[int]bool{}
				}
				groups[h][e.group] = true
			}
		}
	}
	for h, own := range groups {
		for k, other := range groups {
			for g := range own {
				if other[g] && h == k {
					covariance[h][k] += yearlySD * yearlySD
				} else if other[g] {
					covariance[h][k] += alike * yearlySD * yearlySD
				}
			}
		}
	}
}
