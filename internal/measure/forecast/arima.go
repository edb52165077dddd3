package forecast

import (
	"fmt"
	"math"

	"assay/internal/measure/stats"
)

// order is the order of a seasonal ARIMA model, (p,d,q)(P,D,Q)[m].
type order struct {
	p, d, q    int
	sp, sd, sq int
	season     int
	constant   bool // mean of the differenced series: a level without differences, a drift with one difference
}

func (o order) String() string {
	text := fmt.Sprintf("ARIMA(%d,%d,%d)", o.p, o.d, o.q)
	if o.sp+o.sd+o.sq > 0 {
		text += fmt.Sprintf("(%d,%d,%d)[%d]", o.sp, o.sd, o.sq, o.season)
	}
	switch {
	case o.constant && o.d+o.sd > 0:
		text += " with drift"
	case o.constant:
		text += " with mean"
	}
	return text
}

// terms returns the number of coefficients.
func (o order) terms() int { return o.p + o.q + o.sp + o.sq }

// arima is a fitted model. Let w be the differenced series with mean c, B the backshift operator and m the season
// length. Then
//
//	φ(B) Φ(B^m) (w_t - c) = θ(B) Θ(B^m) e_t.
type arima struct {
	order
	ar, ma    lags // products of the polynomials, with the signs of the recursion
	full      lags // ar times the differences: y_t = Σ full_k y_{t-k} + constant + e_t + Σ ma_k e_{t-k}
	mean      float64
	shift     float64   // contribution of the mean to each point
	values    []float64 // the last values of y, up to the largest lag of full
	errors    []float64 // aligned with values
	criterion float64
	params    []float64 // unconstrained partial autocorrelations in the order of the terms, then the mean
}

// lags contains the nonzero coefficients of a recursion.
type lags struct {
	at   []int
	by   []float64
	most int
}

// product returns the lags of 1 - Σ = (1 - Σ a_i B^i)(1 - Σ b_j B^(mj)). It reuses the memory of room.
func product(a, b []float64, m int, room *lags) {
	room.at, room.by, room.most = room.at[:0], room.by[:0], len(a)+m*len(b)
	for i, x := range a {
		room.at, room.by = append(room.at, i+1), append(room.by, x)
	}
	for j, y := range b {
		room.at, room.by = append(room.at, m*(j+1)), append(room.by, y)
		for i, x := range a {
			room.at, room.by = append(room.at, m*(j+1)+i+1), append(room.by, -x*y)
		}
	}
}

// stationary maps unconstrained numbers to partial autocorrelations, and the partial autocorrelations to the
// coefficients of a stationary autoregression. See Monahan 1984, "A note on enforcing stationarity in
// autoregressive-moving average models". With reversed signs, the coefficients are those of an invertible moving
// average.
func stationary(free, out []float64) {
	const edge = 0.995 // keeps roots away from the unit circle, where forecasts from few points diverge
	var before [8]float64
	for k, u := range free {
		r := edge * math.Tanh(u)
		copy(before[:k], out[:k])
		out[k] = r
		for i := range k {
			out[i] = before[i] - r*before[k-1-i]
		}
	}
}

// differenced applies (1-B)^d (1-B^m)^D.
func differenced(values []float64, d, seasonal, m int) []float64 {
	w := values
	for range seasonal {
		w = stride(w, m)
	}
	for range d {
		w = stride(w, 1)
	}
	return w
}

func stride(values []float64, lag int) []float64 {
	if len(values) <= lag {
		return nil
	}
	out := make([]float64, len(values)-lag)
	for t := range out {
		out[t] = values[t+lag] - values[t]
	}
	return out
}

// candidate contains the data that are common to all ARIMA orders with the same differencing.
type candidate struct {
	values []float64
	w      []float64 // differenced
	center float64   // mean of w
	spread float64   // standard deviation of w
	trail  *trail
	room   room // scratch space of searches
	bases  room // scratch space of derivatives
}

// problem returns the least-squares problem of an order, its model and starting parameters of zero. Each evaluation of
// the problem sets the model's parameters.
func (c *candidate) problem(o order) (problem, *arima, []float64) {
	k := o.terms()
	if o.constant {
		k++
	}
	a := &arima{order: o, params: make([]float64, k)}
	var ar, sar, ma, sma [8]float64
	set := func(params []float64) {
		stationary(params[:o.p], ar[:o.p])
		stationary(params[o.p:o.p+o.sp], sar[:o.sp])
		stationary(params[o.p+o.sp:o.p+o.sp+o.q], ma[:o.q])
		stationary(params[o.p+o.sp+o.q:o.terms()], sma[:o.sq])
		product(ar[:o.p], sar[:o.sp], o.season, &a.ar)
		product(ma[:o.q], sma[:o.sq], o.season, &a.ma)
		a.mean = 0
		if o.constant {
			a.mean = c.center + params[o.terms()]*c.spread
		}
	}
	p := problem{points: len(c.w), room: &c.room, residuals: func(params, out []float64) bool {
		set(params)
		a.residuals(c.w, out)
		return true
	}, derive: func(params, now, columns []float64) {
		set(params)
		c.derive(a, params, now, columns)
	}}
	return p, a, a.params
}

// fit returns the model of an order, estimated by conditional least squares (Box, Jenkins and Reinsel 2008, section
// 7.1). Before the first point, values equal the mean and errors are zero. The search starts at the parameters in the
// trail, otherwise at the parameters of the similar model near, if there is one. The search stops when it is unlikely
// to reach near's AICc.
func (c *candidate) fit(o order, near *arima) (*arima, bool) {
	p, a, params := c.problem(o)
	size, parameters := float64(len(c.w)), float64(len(params)+1)
	if size-parameters-1 < 1 || len(c.w) <= o.p+o.season*o.sp+1 {
		return nil, false
	}
	penalty := 2 * parameters * size / (size - parameters - 1)
	o.start(params, near)
	c.trail.order(o, c, params)
	if near != nil {
		p.rival = size * math.Exp((near.criterion-penalty)/size)
	}
	sum := p.solve(params)
	if math.IsInf(sum, 1) {
		return nil, false
	}
	c.trail.leaveOrder(o, c, params)
	p.residuals(params, c.room.take(len(c.w)))
	a.criterion = size*math.Log(max(sum/size, 1e-300)) + penalty
	return a, true
}

// derive sets columns to the derivatives of the errors e with respect to the parameters. The model a must have the lags
// at these parameters. Let x = w - c. Then
//
//	θ(B) Θ(B^m) e = φ(B) Φ(B^m) x,   X = x / θΘ,   E = e / θΘ,
//	∂e/∂φ_i = -B^i Φ X,   ∂e/∂Φ_j = -B^(mj) φ X,   ∂e/∂θ_i = B^i Θ E,   ∂e/∂Θ_j = B^(mj) θ E,   ∂e/∂c = -φ Φ 1 / θΘ,
//
// where all values before the first point are zero.
func (c *candidate) derive(a *arima, params, e, columns []float64) {
	n := len(c.w)
	bases := c.bases.take(3 * n)
	filtered, reduced, errors := bases[:n], bases[n:2*n], bases[2*n:]
	for t, y := range c.w {
		filtered[t] = y - a.mean
	}
	a.ma.filter(filtered)
	copy(errors, e)
	a.ma.filter(errors)
	o := a.order
	ar, rest := params[:o.p], params[o.p:]
	sar, rest := rest[:o.sp], rest[o.sp:]
	ma, rest := rest[:o.q], rest[o.q:]
	sma, rest := rest[:o.sq], rest[o.sq:]
	for _, part := range []struct {
		own, other  []float64
		near, far   int // steps of the lags
		base        []float64
		orientation float64
	}{
		{ar, sar, 1, o.season, filtered, -1},
		{sar, ar, o.season, 1, filtered, -1},
		{ma, sma, 1, o.season, errors, 1},
		{sma, ma, o.season, 1, errors, 1},
	} {
		if len(part.own) == 0 {
			continue
		}
		var by [8]float64
		stationary(part.other, by[:len(part.other)])
		copy(reduced, part.base)
		for j, x := range by[:len(part.other)] {
			addLater(-x, part.base, reduced, part.far*(j+1))
		}
		for k := range part.own {
			column := columns[k*n : (k+1)*n]
			clear(column)
			slope := slopeOf(part.own, k)
			for i, x := range slope[:len(part.own)] {
				addLater(part.orientation*x, reduced, column, part.near*(i+1))
			}
		}
		columns = columns[len(part.own)*n:]
	}
	if len(rest) == 0 {
		return
	}
	for t := range columns {
		columns[t] = -c.spread
	}
	for i, lag := range a.ar.at {
		for t := lag; t < n; t++ {
			columns[t] += a.ar.by[i] * c.spread
		}
	}
	a.ma.filter(columns)
}

// addLater adds by · from[t] to to[t+lag] for every t with both elements.
func addLater(by float64, from, to []float64, lag int) {
	if by == 0 || lag >= len(to) {
		return
	}
	to = to[lag:]
	for t, x := range from[:len(to)] {
		to[t] += by * x
	}
}

// slopeOf returns the derivative of the coefficients of [stationary] with respect to its k-th input.
func slopeOf(free []float64, k int) (slope [8]float64) {
	var moved, up, down [8]float64
	const h = 1e-5
	copy(moved[:], free)
	moved[k] += h
	stationary(moved[:len(free)], up[:])
	moved[k] -= 2 * h
	stationary(moved[:len(free)], down[:])
	for i := range free {
		slope[i] = (up[i] - down[i]) / (2 * h)
	}
	return slope
}

// filter divides the values by the lag polynomial 1 - Σ, with zeros before the first value.
func (l *lags) filter(values []float64) {
	start := min(len(values), l.most)
	for t := range start {
		for i, lag := range l.at {
			if lag <= t {
				values[t] += l.by[i] * values[t-lag]
			}
		}
	}
	l.recur(values, start)
}

// start sets the starting parameters of the search. It copies the parameters of the similar model near if that model
// has them. Other parameters are 0.1 for coefficients and 0 for the mean.
func (o order) start(params []float64, near *arima) {
	for i := range o.terms() {
		params[i] = 0.1
	}
	if near == nil {
		return
	}
	to, from := params, near.params
	for _, n := range [][2]int{{o.p, near.p}, {o.sp, near.sp}, {o.q, near.q}, {o.sq, near.sq}} {
		copy(to[:n[0]], from[:n[1]])
		to, from = to[n[0]:], from[n[1]:]
	}
	copy(to, from) // the mean
	o.hold(params)
}

// hold moves parameters away from the limits at which derivatives vanish.
func (o order) hold(params []float64) {
	const most = 3
	for i := range o.terms() {
		params[i] = max(-most, min(most, params[i]))
	}
}

// residuals sets the errors. Terms that reach before the first point are zero.
func (a *arima) residuals(w, out []float64) {
	start := min(len(w), max(a.ar.most, a.ma.most))
	shift := a.mean
	for _, x := range a.ar.by {
		shift -= x * a.mean
	}
	for t := range start {
		x := w[t] - a.mean
		for i, lag := range a.ar.at {
			if lag <= t {
				x -= a.ar.by[i] * (w[t-lag] - a.mean)
			}
		}
		for i, lag := range a.ma.at {
			if lag <= t {
				x += a.ma.by[i] * out[t-lag]
			}
		}
		out[t] = x
	}
	if start == len(w) {
		return
	}
	rest := out[start:]
	for t, y := range w[start:] {
		rest[t] = y - shift
	}
	for i, lag := range a.ar.at { // by lag, not by point, so that terms are independent of each other
		by := a.ar.by[i]
		for t, y := range w[start-lag : len(w)-lag] {
			rest[t] -= by * y
		}
	}
	a.ma.recur(out, start)
}

// recur adds the lag terms to each value from start on. No lag is larger than start.
func (l *lags) recur(values []float64, start int) {
	near, by := 0, [3]float64{}
	for near < min(len(by), len(l.at)) && l.at[near] == near+1 {
		by[near] = l.by[near]
		near++
	}
	if near == 0 && len(l.at) == 0 {
		return
	}
	far, of := l.at[near:], l.by[near:]
	var last [3]float64 // in registers: each value depends on the previous one
	for i := range min(near, start) {
		last[i] = values[start-1-i]
	}
	e1, e2, e3 := last[0], last[1], last[2]
	for t := start; t < len(values); t++ {
		x := values[t]
		for i, lag := range far {
			x += of[i] * values[t-lag]
		}
		x += by[2]*e3 + by[1]*e2
		x += by[0] * e1
		e1, e2, e3 = x, e1, e2
		values[t] = x
	}
}

// settle sets the state after the last value.
func (a *arima) settle(c *candidate) {
	polynomial := []float64{1}
	polynomial = multiply(polynomial, a.ar)
	for range a.sd {
		polynomial = multiply(polynomial, lags{at: []int{a.season}, by: []float64{1}, most: a.season})
	}
	for range a.d {
		polynomial = multiply(polynomial, lags{at: []int{1}, by: []float64{1}, most: 1})
	}
	for lag, x := range polynomial[1:] {
		if x != 0 {
			a.full.at, a.full.by = append(a.full.at, lag+1), append(a.full.by, -x)
		}
	}
	a.full.most = len(polynomial) - 1
	rest := 1.0
	for _, x := range a.ar.by {
		rest -= x
	}
	a.shift = a.mean * rest
	errors := make([]float64, len(c.w))
	a.residuals(c.w, errors)
	back := max(a.full.most, a.ma.most)
	a.values = tail(c.values, back)
	a.errors = tail(errors, back)
}

// multiply returns the polynomial times 1 - Σ by_i B^at_i, with the fields by and at of the lags.
func multiply(polynomial []float64, l lags) []float64 {
	out := make([]float64, len(polynomial)+l.most)
	copy(out, polynomial)
	for i, lag := range l.at {
		for k, x := range polynomial {
			out[k+lag] -= x * l.by[i]
		}
	}
	return out
}

// tail returns a copy of the last n values, with leading zeros if there are fewer.
func tail(values []float64, n int) []float64 {
	out := make([]float64, n)
	from := max(0, len(values)-n)
	copy(out[n-(len(values)-from):], values[from:])
	return out
}

func (a *arima) observe(y float64) {
	var next [1]float64
	a.ahead(next[:])
	a.values, a.errors = append(a.values, y), append(a.errors, y-next[0])
}

func (a *arima) ahead(out []float64) {
	n := len(a.values)
	for h := range out {
		x := a.shift
		for i, lag := range a.full.at {
			if lag <= h {
				x += a.full.by[i] * out[h-lag]
			} else {
				x += a.full.by[i] * a.values[n+h-lag]
			}
		}
		for i, lag := range a.ma.at {
			if lag > h {
				x -= a.ma.by[i] * a.errors[len(a.errors)+h-lag]
			}
		}
		out[h] = x
	}
}

// Limits of the order search.
const (
	mostOrder, mostSeasonalOrder = 3, 2
	mostTerms                    = 5
	mostTried                    = 60
)

// fitARIMA returns the ARIMA model with the order found stepwise by AICc. It chooses seasonal differences by the
// strength of the season, and non-seasonal differences by the KPSS test. The method is from Hyndman and Khandakar 2008,
// "Automatic time series forecasting: the forecast package for R", section 3.2.
func fitARIMA(values []float64, season int, t *trail) track {
	if len(values) < 2*season {
		season = 1
	}
	o := order{season: max(1, season)}
	if season > 1 && len(values) > 2*season+2 && seasonalStrength(values, season) > 0.64 {
		o.sd = 1
	}
	w := differenced(values, 0, o.sd, o.season)
	for o.d < 2 && len(w) > 8 && kpss(w) > 0.463 {
		w = stride(w, 1)
		o.d++
	}
	if len(w) < 5 {
		return naive(values, 1)
	}
	c := &candidate{values: values, w: w, center: stats.Mean(w), trail: t}
	for _, x := range w {
		c.spread += (x - c.center) * (x - c.center) / float64(len(w))
	}
	c.spread = math.Sqrt(c.spread)
	if c.spread == 0 {
		c.spread = 1
	}
	o.constant = o.d+o.sd <= 1
	best := stepwise(c, o)
	if best == nil {
		return naive(values, o.season)
	}
	t.choose(best.order)
	best.settle(c)
	return best
}

// stepwise returns the best model of a search by AICc. The search starts from the best of several orders. It moves to the
// first neighbor with a smaller AICc until no neighbor is better.
func stepwise(c *candidate, base order) *arima {
	tried := map[order]bool{}
	var best *arima
	try := func(o order) bool {
		if o.p < 0 || o.q < 0 || o.sp < 0 || o.sq < 0 || o.p > mostOrder || o.q > mostOrder || o.sp > mostSeasonalOrder ||
			o.sq > mostSeasonalOrder || o.terms() > mostTerms || o.season < 2 && o.sp+o.sq > 0 ||
			o.constant && base.d+base.sd > 1 || tried[o] || len(tried) >= mostTried {
			return false
		}
		tried[o] = true
		a, ok := c.fit(o, best)
		if !ok || best != nil && !(a.criterion < best.criterion) {
			return false
		}
		best = a
		return true
	}
	seasonal := 0
	if base.season > 1 {
		seasonal = 1
	}
	with := func(p, q, sp, sq int) order {
		o := base
		o.p, o.q, o.sp, o.sq = p, q, sp, sq
		return o
	}
	if o, ok := c.trail.chosen(base); ok {
		try(o)
	}
	try(with(2, 2, seasonal, seasonal))
	try(with(0, 0, 0, 0))
	try(with(1, 0, seasonal, 0))
	try(with(0, 1, 0, seasonal))
	bare := with(0, 0, 0, 0)
	bare.constant = false
	try(bare)
	if best == nil {
		return nil
	}
	moves := [][4]int{
		{0, 0, -1, 0},
		{0, 0, 0, -1},
		{0, 0, 1, 0},
		{0, 0, 0, 1},
		{0, 0, -1, -1},
		{0, 0, 1, 1},
		{0, 0, -1, 1},
		{0, 0, 1, -1},
		{-1, 0, 0, 0},
		{0, -1, 0, 0},
		{1, 0, 0, 0},
		{0, 1, 0, 0},
		{-1, -1, 0, 0},
		{1, 1, 0, 0},
		{-1, 1, 0, 0},
		{1, -1, 0, 0},
	}
	for better := true; better; {
		better = false
		from := best.order
		for _, m := range moves {
			o := from
			o.p, o.q, o.sp, o.sq = o.p+m[0], o.q+m[1], o.sp+m[2], o.sq+m[3]
			if try(o) {
				better = true
				break
			}
		}
		if !better {
			o := from
			o.constant = !o.constant
			better = try(o)
		}
	}
	return best
}

// kpss returns the statistic of Kwiatkowski, Phillips, Schmidt and Shin (1992) for stationarity around a level. Above
// 0.463, stationarity is rejected at a significance level of 0.05. The long-run variance uses Bartlett weights up to
// lag 3√n/13.
func kpss(values []float64) float64 {
	n := len(values)
	center := stats.Mean(values)
	e := make([]float64, n)
	var sum, eta, variance float64
	for t, y := range values {
		e[t] = y - center
		sum += e[t]
		eta += sum * sum
		variance += e[t] * e[t]
	}
	most := int(3 * math.Sqrt(float64(n)) / 13)
	for lag := 1; lag <= most && lag < n; lag++ {
		variance += 2 * (1 - float64(lag)/float64(most+1)) * stats.Dot(e[lag:], e[:n-lag])
	}
	if !(variance > 0) {
		return 0
	}
	return eta / (float64(n) * variance)
}
