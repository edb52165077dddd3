package cohort

import (
	"fmt"
	"math"
	"math/rand/v2"

	"assay/internal/measure/stats"
)

// BGNBD is the beta-geometric / NBD model of repeat purchases (Fader, Hardie and Lee 2005, "Counting your customers the
// easy way", Marketing Science 24(2)). An active customer buys at random with rate λ and becomes inactive after each
// repeat purchase with probability p. Over customers, λ is Gamma(R, Alpha) distributed and p is Beta(A, B) distributed,
// independently.
//
// The model assumes constant rates: no seasonality, no promotions, no change with age. A customer without repeat
// purchases is treated as active, because customers become inactive only after a repeat purchase.
type BGNBD struct {
	R     float64 // shape of the rates
	Alpha float64 // inverse scale of the rates, in the unit of time: the mean rate is R / Alpha
	A, B  float64 // shapes of the dropout probability: its mean is A / (A + B)
}

func buildBGNBD(v []float64) BGNBD { return BGNBD{R: v[0], Alpha: v[1], A: v[2], B: v[3]} }

// FitBGNBD returns the maximum likelihood model. It needs at least one repeat purchase. A likelihood without a maximum
// results in a not-ready fault. The error for an impossible history names the history's index.
func FitBGNBD(histories []History) (Fit[BGNBD], error) {
	all, err := grouped(histories)
	if err != nil {
		return Fit[BGNBD]{}, fmt.Errorf("fit of BG/NBD: %w", err)
	}
	n := float64(len(histories))
	f := all.bgnbdLikelihood(n)
	p, err := maximize(f, []float64{0, 0, 0, math.Ln2}, n)
	if err != nil {
		return Fit[BGNBD]{}, fmt.Errorf("fit of BG/NBD: %w", err)
	}
	fit, err := fitOf(p, []float64{0, math.Log(all.longest), 0, 0}, buildBGNBD)
	if err != nil {
		return Fit[BGNBD]{}, fmt.Errorf("fit of BG/NBD: %w", err)
	}
	fit.Customers = len(histories)
	fit.LogLikelihood = n*f(p.logs, make([]float64, 4)) - float64(all.repeats())*math.Log(all.longest)
	return fit, nil
}

// bgnbdLikelihood returns the log-likelihood per customer and its gradient. The likelihood, equation 6 of Fader, Hardie
// and Lee 2005, is
//
//	Γ(r+x)/Γ(r) α^r · Γ(a+b) Γ(b+x) / (Γ(b) Γ(a+b+x)) · [ (α+T)^-(r+x) + δ(x>0) a/(b+x-1) (α+t_x)^-(r+x) ].
//
// Histories are in days, so many times are equal. The logarithm of each distinct time is computed once.
func (all grouping) bgnbdLikelihood(n float64) likelihood {
	logTimes, logLeft := make([]float64, len(all.times)), make([]float64, all.most+1)
	return func(logs, gradient []float64) float64 {
		r, alpha, a, b := math.Exp(logs[0]), math.Exp(logs[1]), math.Exp(logs[2]), math.Exp(logs[3])
		logR, slopeR := rising(r, all.most)
		logB, slopeB := rising(b, all.most)
		logAB, slopeAB := rising(a+b, all.most)
		for i, t := range all.times {
			logTimes[i] = math.Log(alpha + t)
		}
		for x := 1; x <= all.most; x++ {
			logLeft[x] = logs[2] - math.Log(b+float64(x)-1)
		}
		var sum, dr, dAlpha, da, db float64
		for i := range all.groups {
			g := &all.groups[i]
			x := float64(g.x)
			logT, logTx := logTimes[g.atT], 0.0
			bracket, left := -(r+x)*logT, 0.0
			if g.x > 0 {
				logTx = logTimes[g.atTx]
				bracket, left = addLogs(bracket, logLeft[g.x]-(r+x)*logTx)
				db -= g.n * left / (b + x - 1)
			}
			sum += g.n * (logR[g.x] + r*logs[1] + logB[g.x] - logAB[g.x] + bracket)
			dr += g.n * (slopeR[g.x] + logs[1] - (1-left)*logT - left*logTx)
			dAlpha += g.n * (r/alpha - (r+x)*((1-left)/(alpha+g.T)+left/(alpha+g.tx)))
			da += g.n * (left/a - slopeAB[g.x])
			db += g.n * (slopeB[g.x] - slopeAB[g.x])
		}
		gradient[0], gradient[1], gradient[2], gradient[3] = dr*r/n, dAlpha*alpha/n, da*a/n, db*b/n
		return sum / n
	}
}

// Alive returns the probability that the customer is still active at the end of the observation period.
func (m BGNBD) Alive(h History) float64 {
	if h.Repeats == 0 {
		return 1
	}
	x := float64(h.Repeats)
	odds := math.Log(m.A/(m.B+x-1)) + (m.R+x)*math.Log((m.Alpha+h.Age)/(m.Alpha+h.Recency))
	return 1 / (1 + math.Exp(odds))
}

// Purchases returns the expected number of repeat purchases of a new customer within the given time.
func (m BGNBD) Purchases(time float64) float64 { return m.whileActive(0, m.Alpha, time) }

// Expected returns the expected number of further purchases of a customer within the given time after the observation
// period. The formula is equation 10 of Fader, Hardie and Lee 2005.
func (m BGNBD) Expected(h History, time float64) float64 {
	return m.Alive(h) * m.whileActive(float64(h.Repeats), m.Alpha+h.Age, time)
}

// whileActive returns the expected purchases within t of a customer who is active now, after x repeats:
//
//	(a+b+x-1)/(a-1) · [1 - (1-z)^(r+x) ₂F₁(r+x, b+x; a+b+x-1; z)],   z = t / (since + t),
//
// after Euler's transformation of the series, (1-z)^(a-1) ₂F₁(a+b-r-1, a-1; a+b+x-1; z). The series has small
// parameters, and its first term cancels with the leading 1. It is therefore accurate near a = 1 and for a + b < 1. Its
// terms overflow for large a. Then the dropout probabilities barely differ, and [BGNBD.meanOverDropout] is accurate.
func (m BGNBD) whileActive(x, since, t float64) float64 {
	if t <= 0 {
		return 0
	}
	z, l := t/(since+t), -math.Log1p(t/since) // l = ln(1-z)
	if m.A > seriesLimit || (1-m.A)*l > seriesLimit {
		return m.meanOverDropout(x, since, t)
	}
	c := m.A + m.B + x - 1
	lead := -l
	if m.A != 1 {
		lead = -math.Expm1((m.A-1)*l) / (m.A - 1)
	}
	// term is the n-th term of the series: c (a+b-r-1)_n (a)_(n-1) / ((c)_n n!) zⁿ, where (x)_n is the rising
	// factorial.
	top := m.A + m.B - m.R - 1
	term, series := top*z, 0.0
	for n := 1.0; n < 1e6; n++ {
		series += term
		if math.Abs(term) <= 1e-17*math.Abs(series) {
			break
		}
		term *= (top + n) * (m.A + n - 1) / ((c + n) * (n + 1)) * z
	}
	return c*lead - math.Exp((m.A-1)*l)*series
}

// seriesLimit is the largest parameter a, and the largest logarithm of a term, for which whileActive sums the series.
const seriesLimit = 100

// meanOverDropout returns the same expectation as [BGNBD.whileActive], computed as the mean over the dropout
// probability p. The distribution of p is Beta(a, b+x):
//
//	E[(1 - (since / (since + p t))^(r+x)) / p].
//
// meanOverDropout integrates over the logit of p by the trapezoidal rule. As a function of the logit, the density has
// no singularities.
func (m BGNBD) meanOverDropout(x, since, t float64) float64 {
	const nodes, reach = 40, 10.0 // number of nodes on each side of the mode, and reach in standard deviations
	b := m.B + x
	center, sd := math.Log(m.A/b), math.Sqrt(1/m.A+1/b)
	logDensity := func(s float64) float64 { return -m.A*math.Log1p(math.Exp(-s)) - b*math.Log1p(math.Exp(s)) }
	most := logDensity(center)
	var sum, weights float64
	for i := -nodes; i <= nodes; i++ {
		s := center + float64(i)/nodes*reach*sd
		weight := math.Exp(logDensity(s) - most)
		p := 1 / (1 + math.Exp(-s))
		sum -= weight * math.Expm1(-(m.R+x)*math.Log1p(p*t/since)) / p
		weights += weight
	}
	return sum / weights
}

// futures draws the number of purchases of each customer within the given time after the observation period. Rate and
// dropout probability are integrated out. Given the history, they are Gamma(r+x, α+T) and Beta(a, b+x) distributed and
// independent while the customer is active. The n-th purchase happens if none of the n-1 earlier purchases is the last
// one and there is time for n purchases,
//
//	P(N ≥ n) = P(active) · Π_(j<n-1) (b+x+j)/(a+b+x+j) · P(K ≥ n),
//
// with K negative binomial, P(K = 0) = ((α+T)/(α+T+t))^(r+x) (equation 8 of the paper, for a customer with a history).
// One random number gives n by inversion.
func (m BGNBD) futures(group []Buyer, time float64, r *rand.Rand, counts []int, room []float64) {
	active, none := room[:len(group)], room[len(group):2*len(group)]
	for i := range group {
		h := &group[i].History
		since := m.Alpha + h.Age
		active[i], none[i] = since/(m.Alpha+h.Recency), since/(since+time)
	}
	stats.Log(room[:2*len(group)], room[:2*len(group)])
	for i := range group {
		rates := m.R + float64(group[i].Repeats)
		active[i], none[i] = rates*active[i], rates*none[i]
	}
	stats.Exp(room[:2*len(group)], room[:2*len(group)])
	for i := range group {
		h := &group[i].History
		at := r.Float64()
		if h.Repeats > 0 {
			at *= 1 + m.A/(m.B+float64(h.Repeats)-1)*active[i] // divided by [BGNBD.Alive]
		}
		switch {
		case at >= 1:
			counts[i] = 0
		case none[i] < leastNone:
			counts[i] = m.lived(h, time, r)
		default:
			counts[i] = m.purchases(h, time, at, none[i])
		}
	}
}

// leastNone is a bound on the probability of no purchase. Below this bound, products with this probability as a factor
// lose precision. Only customers with hundreds of purchases are below the bound.
const leastNone = 1e-280

// lived draws the number of purchases of an active customer by simulating one purchase after another.
func (m BGNBD) lived(h *History, time float64, r *rand.Rand) int {
	x := float64(h.Repeats)
	rate := gamma(m.R+x, r) / (m.Alpha + h.Age)
	leave := beta(m.A, m.B+x, r)
	n := 0
	for t := r.ExpFloat64() / rate; t <= time; t += r.ExpFloat64() / rate {
		n++
		if r.Float64() < leave {
			break
		}
	}
	return n
}

// purchases returns the largest n with P(N ≥ n | active) > at, where at is a probability. The parameter none is the
// probability of no purchase.
func (m BGNBD) purchases(h *History, time, at, none float64) int {
	if at >= 1-none {
		return 0
	}
	x := float64(h.Repeats)
	share := time / (m.Alpha + h.Age + time)
	stays, exactly, atLeast := 1.0, none, 1-none // P(the first n-1 are not the last), P(K = n-1), P(K ≥ n)
	n := 0
	for at < stays*atLeast {
		k := float64(n)
		exactly *= share * (m.R + x + k) / (k + 1)
		stays *= (m.B + x + k) / (m.A + m.B + x + k)
		n++
		left := atLeast - exactly
		if left >= atLeast { // the rest is rounding
			break
		}
		atLeast = left
	}
	return n
}
