package forecast

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/measure/stats"
)

// form is one of fifteen exponential smoothing models from the taxonomy of Hyndman, Koehler, Ord and Snyder (2008),
// "Forecasting with exponential smoothing", table 2.1. Numerically unstable models and multiplicative trends are
// excluded.
type form struct {
	relative bool // the error is multiplicative
	trend    bool
	damped   bool // the trend
	season   byte // 'N', 'A' or 'M'
}

func (f form) String() string {
	text := []byte("ETS(A,N,N)")
	if f.relative {
		text[4] = 'M'
	}
	text[8] = f.season
	switch {
	case f.damped:
		return string(text[:6]) + "Ad" + string(text[7:])
	case f.trend:
		text[6] = 'A'
	}
	return string(text)
}

// forms lists the candidate forms: seasonal forms only with a season, multiplicative forms only for positive values.
func forms(season int, positive bool) []form {
	var all []form
	for _, s := range []byte{'N', 'A', 'M'} {
		if s != 'N' && season < 2 || s == 'M' && !positive {
			continue
		}
		for _, relative := range []bool{false, true} {
			if relative && !positive || s == 'M' && !relative {
				continue
			}
			for _, trend := range []form{{}, {trend: true}, {trend: true, damped: true}} {
				trend.relative, trend.season = relative, s
				all = append(all, trend)
			}
		}
	}
	return all
}

// Limits of the smoothing parameters, as in the R package forecast.
const (
	leastSmoothing, mostSmoothing = 1e-4, 0.9999
	leastDamping, mostDamping     = 0.8, 0.98
)

// smoother is an exponential smoothing model with its state after the last point.
//
//	q = ℓ + φ b,  μ = q, q + s or q s,  ℓ' = q + α (y ⊖ s - q),  b' = φ b + β/α (ℓ' - q),  s' = s + γ (y ⊖ q - s),
//
// where ⊖ is the difference or the ratio. Additive and multiplicative errors have the same recursions and differ only
// in the likelihood (Hyndman et al. 2008, section 2.5).
type smoother struct {
	form
	alpha, beta, gamma, phi float64
	level, slope            float64
	seasonal                []float64 // states of the next points; the first one is at place
	place                   int
	criterion               float64 // AICc
}

func (s *smoother) String() string { return s.form.String() }

// expect returns q and μ of the next point.
func (s *smoother) expect() (q, mu float64) {
	q = s.level + s.phi*s.slope
	switch s.season {
	case 'A':
		return q, q + s.seasonal[s.place]
	case 'M':
		return q, q * s.seasonal[s.place]
	}
	return q, q
}

func (s *smoother) observe(y float64) {
	q, _ := s.expect()
	adjusted := y
	switch s.season {
	case 'A':
		adjusted = y - s.seasonal[s.place]
		s.seasonal[s.place] += s.gamma * (y - q - s.seasonal[s.place])
	case 'M':
		adjusted = y / s.seasonal[s.place]
		s.seasonal[s.place] += s.gamma * (y/q - s.seasonal[s.place])
	}
	s.level = q + s.alpha*(adjusted-q)
	if s.trend {
		s.slope = s.phi*s.slope + s.beta/s.alpha*(s.level-q)
	}
	if s.place++; s.place >= len(s.seasonal) {
		s.place = 0
	}
}

func (s *smoother) ahead(out []float64) {
	at, factor, slope := s.place, s.phi, 0.0
	for h := range out {
		slope += factor
		factor *= s.phi
		out[h] = s.level + slope*s.slope
		switch s.season {
		case 'A':
			out[h] += s.seasonal[at]
		case 'M':
			out[h] *= s.seasonal[at]
		}
		if at++; at >= len(s.seasonal) {
			at = 0
		}
	}
}

// layout describes the parameter vector of a form. The order is: smoothing parameters on the scale of [between], level
// and slope in the series' unit, and all seasonal states except the last.
type layout struct {
	form
	season                 int
	unit                   float64 // size of the series
	beta, gamma, phi       int     // positions after alpha, which is first; -1 if the form lacks the parameter
	level, slope, seasonal int
	length                 int
}

func (f form) layout(season int, unit float64) layout {
	l := layout{form: f, season: season, unit: unit, beta: -1, gamma: -1, phi: -1, slope: -1, seasonal: -1}
	l.length = 1
	next := func() int { l.length++; return l.length - 1 }
	if f.trend {
		l.beta = next()
	}
	if f.season != 'N' {
		l.gamma = next()
	}
	if f.damped {
		l.phi = next()
	}
	l.level = next()
	if f.trend {
		l.slope = next()
	}
	if f.season != 'N' {
		l.seasonal = l.length
		l.length += season - 1
	}
	return l
}

// set reads the smoothing parameters and the state before the first point from params.
func (l *layout) set(s *smoother, params []float64) {
	s.alpha = between(params[0], leastSmoothing, mostSmoothing)
	s.phi = 1
	if l.beta >= 0 {
		s.beta = between(params[l.beta], leastSmoothing, s.alpha)
	}
	if l.gamma >= 0 {
		s.gamma = between(params[l.gamma], leastSmoothing, max(2*leastSmoothing, 1-s.alpha))
	}
	if l.phi >= 0 {
		s.phi = between(params[l.phi], leastDamping, mostDamping)
	}
	s.level, s.slope, s.place = params[l.level]*l.unit, 0, 0
	if l.slope >= 0 {
		s.slope = params[l.slope] * l.unit
	}
	if l.seasonal < 0 {
		return
	}
	scale, last := l.unit, 0.0
	if l.form.season == 'M' {
		scale, last = 1, float64(l.season)
	}
	for i, x := range params[l.seasonal:] {
		s.seasonal[i] = x * scale
		last -= x * scale
	}
	s.seasonal[l.season-1] = last
}

// run is one model in a pass over the values. Several models of the same form share a pass.
type run struct {
	*smoother
	ratio         float64 // β/α
	product, logs float64 // product and logarithms of the expectations so far
	out           []float64
	allowed       bool
}

// errors runs the models over the values. It sets their errors and updates their states. It scales multiplicative
// errors by the geometric mean of |μ|. For both kinds of errors, the logarithm of the sum of squares
// is then the likelihood in equation (5.3) of Hyndman et al. (2008). A model with multiplicative errors is rejected if
// an expectation is not positive.
// The recursion of [smoother.observe] takes nearly all of a fit's time, so errors repeats it here for several models in
// step. Each model depends only on its own previous step, so the processor can interleave the models.
func (f form) errors(values []float64, runs []run) {
	for i := range runs {
		l := &runs[i]
		l.ratio, l.product, l.logs, l.allowed = 0, 1, 0, true
		if f.trend {
			l.ratio = l.beta / l.alpha
		}
	}
	for t, y := range values {
		for i := range runs {
			l := &runs[i]
			s := l.smoother
			q := s.level + s.phi*s.slope
			mu, adjusted := q, y
			switch f.season {
			case 'A':
				x := &s.seasonal[s.place]
				mu, adjusted = q+*x, y-*x
				*x += s.gamma * (y - mu)
			case 'M':
				x := &s.seasonal[s.place]
				mu, adjusted = q**x, y / *x
				*x += s.gamma * (y/q - *x)
			}
			s.level = q + s.alpha*(adjusted-q)
			s.slope = s.phi*s.slope + l.ratio*(s.level-q)
			if s.place++; s.place >= len(s.seasonal) {
				s.place = 0
			}
			l.out[t] = y - mu
			if f.relative {
				l.out[t] /= mu
				l.allowed = l.allowed && mu > 0
				if l.product *= mu; l.product > 1e150 || l.product < 1e-150 {
					l.logs += math.Log(l.product)
					l.product = 1
				}
			}
		}
	}
	if !f.relative {
		return
	}
	for i := range runs {
		l := &runs[i]
		scale := math.Exp((l.logs + math.Log(l.product)) / float64(len(values)))
		for t := range l.out {
			l.out[t] *= scale
		}
	}
}

// climb is the state of the parameter search for a form of exponential smoothing.
type climb struct {
	layout
	problem
	values []float64
	runs   [abreast]run
	params []float64
	sum    float64 // sum of squares at params
}

// begin returns the form's search at the best of several starting points. The parameter known is one of them unless it
// is nil. begin returns false if there are too few values for the form's parameters.
func (f form) begin(values []float64, season int, start initial, known []float64, r *room) (*climb, bool) {
	if f.season == 'N' {
		season = 1
	}
	c := &climb{layout: f.layout(season, start.unit), values: values}
	if c.freedom() < 1 {
		return nil, false
	}
	for i := range c.runs {
		c.runs[i].smoother = &smoother{form: f}
		if f.season != 'N' {
			c.runs[i].seasonal = make([]float64, season)
		}
	}
	c.problem = problem{points: len(values), several: c.several, room: r, residuals: func(params, out []float64) bool {
		var allowed [1]bool
		c.several([][]float64{params}, [][]float64{out}, allowed[:])
		return allowed[0]
	}}
	starts := c.starts(start)
	if known != nil {
		starts = append(starts, known)
	}
	c.params, c.sum = c.least(starts)
	return c, true
}

// several computes the residuals of the form's model for several sets of parameters; see [problem].
func (c *climb) several(params, out [][]float64, allowed []bool) {
	for i, of := range params {
		c.set(c.runs[i].smoother, of)
		c.runs[i].out = out[i]
	}
	c.errors(c.values, c.runs[:len(params)])
	for i := range params {
		allowed[i] = c.runs[i].allowed
	}
}

// freedom returns the number of values minus the number of parameters, minus 1, as in AICc.
func (c *climb) freedom() float64 { return float64(len(c.values)) - float64(c.length+1) - 1 }

// penalty returns AICc's penalty. The variance is treated as a parameter.
func (c *climb) penalty() float64 {
	return 2 * float64(c.length+1) * float64(len(c.values)) / c.freedom()
}

// criterion returns AICc for a sum of squares, up to a constant.
func (c *climb) criterion(sum float64) float64 {
	return float64(len(c.values))*math.Log(max(sum, 1e-300)) + c.penalty()
}

// fit maximizes the likelihood and returns the model in its state after the last value. It stops early if it is
// unlikely to reach an AICc below beat. It returns false if the starting parameters are not allowed.
func (c *climb) fit(beat float64) (*smoother, bool) {
	c.rival = math.Exp((beat - c.penalty()) / float64(len(c.values)))
	sum := c.solve(c.params)
	if math.IsInf(sum, 1) {
		return nil, false
	}
	c.residuals(c.params, c.room.take(len(c.values))) // moves the state to the end of the values
	s := c.runs[0].smoother
	s.criterion = c.criterion(sum)
	return s, true
}

// fit returns the form's maximum likelihood model in its state after the last value. It returns false if there are too
// few values for the form's parameters. The parameter start contains the initial states of the search.
func (f form) fit(values []float64, season int, start initial) (*smoother, bool) {
	c, ok := f.begin(values, season, start, nil, new(room))
	if !ok {
		return nil, false
	}
	return c.fit(math.Inf(1))
}

// least returns the starting point with the smallest sum of squares. There are several starting points, because the sum
// of squares can have several minima. If no starting point is allowed, it returns the first.
func (c *climb) least(starts [][]float64) ([]float64, float64) {
	best, least := starts[0], math.Inf(1)
	var out [abreast][]float64
	n := len(c.values)
	all := c.room.take(abreast * n)
	for i := range out {
		out[i] = all[i*n : (i+1)*n]
	}
	for len(starts) > 0 {
		n := min(abreast, len(starts))
		var allowed [abreast]bool
		c.several(starts[:n], out[:n], allowed[:n])
		for i, params := range starts[:n] {
			if sum := squares(out[i]); allowed[i] && sum < least {
				best, least = params, sum
			}
		}
		starts = starts[n:]
	}
	return best, least
}

// starts returns the starting points of a search.
func (l *layout) starts(start initial) [][]float64 {
	var all [][]float64
	for _, alpha := range []float64{0.05, 0.2, 0.5, 0.9} {
		for _, beta := range []float64{0.02, 0.2} {
			params := make([]float64, l.length)
			params[0] = inside(alpha, leastSmoothing, mostSmoothing)
			if l.beta >= 0 {
				params[l.beta] = inside(beta*alpha, leastSmoothing, alpha)
				params[l.slope] = start.slope / l.unit
			} else if beta > 0.1 {
				continue
			}
			if l.gamma >= 0 {
				params[l.gamma] = inside(0.05*(1-alpha), leastSmoothing, 1-alpha)
			}
			if l.phi >= 0 {
				params[l.phi] = inside(0.96, leastDamping, mostDamping)
			}
			params[l.level] = start.level / l.unit
			if l.form.season == 'N' {
				params[l.level] = start.plain / l.unit
			}
			if l.seasonal >= 0 {
				factors, scale := start.differences, l.unit
				if l.form.season == 'M' {
					factors, scale = start.ratios, 1
				}
				for i := range l.season - 1 {
					params[l.seasonal+i] = factors[i] / scale
				}
			}
			all = append(all, params)
		}
	}
	return all
}

// initial is a set of initial states.
type initial struct {
	unit                float64 // mean of |y|, or 1 if the mean is 0
	level, slope, plain float64 // states at the first point: level and slope after seasonal adjustment, and the level without adjustment
	differences, ratios []float64
}

// initialOf estimates initial states from a line through the first points and from the mean cycle.
func initialOf(values []float64, season int, positive bool) initial {
	var start initial
	for _, y := range values {
		start.unit += math.Abs(y) / float64(len(values))
	}
	if start.unit == 0 {
		start.unit = 1
	}
	adjusted := values
	if season > 1 {
		start.differences = cycle(values, season, false)
		adjusted = make([]float64, len(values))
		for t, y := range values {
			adjusted[t] = y - start.differences[t%season]
		}
		if positive {
			start.ratios = cycle(values, season, true)
		}
	}
	first := min(len(values), max(10, 2*season))
	intercept, slope := line(adjusted[:first])
	start.level, start.slope = intercept-slope, slope
	intercept, slope = line(values[:first])
	start.plain = intercept - slope
	if positive && start.level <= 0 {
		start.level, start.slope = stats.Mean(adjusted[:first]), 0
	}
	if positive && start.plain <= 0 {
		start.plain = stats.Mean(values[:first])
	}
	return start
}

// fitETS returns the form with the smallest AICc (Hyndman, Koehler, Snyder and Grose 2002, "A state space framework for
// automatic forecasting using exponential smoothing methods"). It returns false if there are too few values for any
// form. It first fits the forms with the best starting points, so the fits of the other forms can stop early. Each
// search starts from the best of the form's starting points and the final parameters in the trail. fitETS then updates
// the trail.
func fitETS(values []float64, season int, t *trail) (*smoother, bool) {
	positive := allPositive(values)
	start := initialOf(values, season, positive)
	r := new(room)
	var climbs []*climb
	for _, f := range forms(season, positive) {
		if c, ok := f.begin(values, season, start, t.form(f, season, start.unit), r); ok {
			climbs = append(climbs, c)
		}
	}
	slices.SortStableFunc(climbs, func(a, b *climb) int { return cmp.Compare(a.criterion(a.sum), b.criterion(b.sum)) })
	var best *smoother
	least := math.Inf(1)
	for _, c := range climbs {
		if s, ok := c.fit(least); ok && s.criterion < least {
			best, least = s, s.criterion
		}
		t.leaveForm(c)
	}
	return best, best != nil
}
