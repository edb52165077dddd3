package cohort

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"
)

// ParetoNBD is the Pareto / NBD model of repeat purchases (Schmittlein, Morrison and Colombo 1987). The formulas are
// from Fader and Hardie 2005, "A note on deriving the Pareto/NBD model and related expressions". An active customer
// buys at random with rate λ and becomes inactive at a random time with rate μ. Over customers, λ is Gamma(R, Alpha)
// distributed and μ is Gamma(S, Beta) distributed, independently.
//
// The model assumes constant rates: no seasonality, no promotions, no change with age.
type ParetoNBD struct {
	R     float64 // shape of the purchase rates
	Alpha float64 // inverse scale of the purchase rates, in the unit of time
	S     float64 // shape of the dropout rates
	Beta  float64 // inverse scale of the dropout rates, in the unit of time
}

func buildParetoNBD(v []float64) ParetoNBD {
	return ParetoNBD{R: v[0], Alpha: v[1], S: v[2], Beta: v[3]}
}

// FitParetoNBD returns the maximum likelihood model, under the conditions of [FitBGNBD].
func FitParetoNBD(histories []History) (Fit[ParetoNBD], error) {
	all, err := grouped(histories)
	if err != nil {
		return Fit[ParetoNBD]{}, fmt.Errorf("fit of Pareto/NBD: %w", err)
	}
	n := float64(len(histories))
	rule := newRule()
	f := func(logs, gradient []float64) float64 {
		return paretoLikelihood(all.groups, all.most, n, rule, logs, gradient)
	}
	p, err := maximize(f, []float64{0, 0, 0, 0}, n)
	if err != nil {
		return Fit[ParetoNBD]{}, fmt.Errorf("fit of Pareto/NBD: %w", err)
	}
	shift := math.Log(all.longest)
	fit, err := fitOf(p, []float64{0, shift, 0, shift}, buildParetoNBD)
	if err != nil {
		return Fit[ParetoNBD]{}, fmt.Errorf("fit of Pareto/NBD: %w", err)
	}
	fit.Customers = len(histories)
	fit.LogLikelihood = n*f(p.logs, make([]float64, 4)) - float64(all.repeats())*shift
	return fit, nil
}

// paretoLikelihood returns the log-likelihood per customer and sets the gradient. The likelihood is
//
//	Γ(r+x)/Γ(r) α^r β^s · [ (α+T)^-(r+x) (β+T)^-s + s ∫ from t_x to T of (α+t)^-(r+x) (β+t)^-(s+1) dt ].
//
// The two terms are "active until T" and "inactive since t". Fader and Hardie (2005) write the integral as a difference
// of two hypergeometric functions. For t_x near T, the difference loses precision by cancellation. The integral has no
// cancellation.
func paretoLikelihood(groups []group, most int, n float64, rule rule, logs, gradient []float64) float64 {
	m := buildParetoNBD([]float64{math.Exp(logs[0]), math.Exp(logs[1]), math.Exp(logs[2]), math.Exp(logs[3])})
	logR, slopeR := rising(m.R, most)
	var sum, dr, dAlpha, ds, dBeta float64
	for _, g := range groups {
		x := float64(g.x)
		logAT, logBT := math.Log(m.Alpha+g.T), math.Log(m.Beta+g.T)
		left := m.left(rule, x, g.tx, g.T)
		bracket, w := addLogs(-(m.R+x)*logAT-m.S*logBT, left.log)
		sum += g.n * (logR[g.x] + m.R*logs[1] + m.S*logs[3] + bracket)
		dr += g.n * (slopeR[g.x] + logs[1] - (1-w)*logAT - w*left.logAlpha)
		dAlpha += g.n * (m.R/m.Alpha - (m.R+x)*((1-w)/(m.Alpha+g.T)+w*left.perAlpha))
		ds += g.n * (logs[3] - (1-w)*logBT + w*(1/m.S-left.logBeta))
		dBeta += g.n * (m.S/m.Beta - (1-w)*m.S/(m.Beta+g.T) - w*(m.S+1)*left.perBeta)
	}
	gradient[0], gradient[1], gradient[2], gradient[3] = dr*m.R/n, dAlpha*m.Alpha/n, ds*m.S/n, dBeta*m.Beta/n
	return sum / n
}

// leaving is the likelihood term of a customer who became inactive before T. It contains the term's logarithm, and the
// conditional means for the gradient.
type leaving struct {
	log               float64
	logAlpha, logBeta float64 // means of ln(α+t) and ln(β+t)
	perAlpha, perBeta float64 // means of 1/(α+t) and 1/(β+t)
}

// rule is a Gauss-Legendre rule on [-1, 1].
type rule struct{ x, weight []float64 }

func newRule() rule {
	const nodes = 10
	r := rule{x: make([]float64, nodes), weight: make([]float64, nodes)}
	quad.Legendre{}.FixedLocations(r.x, r.weight, -1, 1)
	return r
}

// mostPanels is the maximum number of panels of a numerical integration. The limit keeps the search fast at parameters
// that do not fit the data.
const mostPanels = 1e5

// left returns the likelihood term of a customer who became inactive before T, the parameter until. It integrates over
// v = ln(γ+t), where γ is the smaller of α and β. In v, the log integrand is steepest at T and its singularities are at
// distance π. Panels have width 2, or eight e-folds if that is narrower, which gives about fourteen digits with ten
// nodes. left skips negligible panels.
func (m ParetoNBD) left(rule rule, x, tx, until float64) leaving {
	if tx >= until {
		return leaving{log: math.Inf(-1)}
	}
	gamma := min(m.Alpha, m.Beta)
	from, to := math.Log(gamma+tx), math.Log(gamma+until)
	steepest := (gamma + until) * ((m.R+x)/(m.Alpha+until) + (m.S+1)/(m.Beta+until))
	width := min(2, 8/steepest)
	panels := max(1, math.Ceil((to-from)/width))
	half := (to - from) / panels / 2
	level := -(m.R+x)*math.Log(m.Alpha+tx) - (m.S+1)*math.Log(m.Beta+tx) + from
	var total float64
	var mean leaving
	for panel := 0.0; panel < min(panels, mostPanels); panel++ {
		before := total
		for i, u := range rule.x {
			grown := math.Exp(from + (2*panel+1+u)*half)
			a, b := grown+(m.Alpha-gamma), grown+(m.Beta-gamma)
			logA, logB := math.Log(a), math.Log(b)
			w := rule.weight[i] * grown * math.Exp(-(m.R+x)*logA-(m.S+1)*logB-level)
			total += w
			mean.logAlpha += w * logA
			mean.logBeta += w * logB
			mean.perAlpha += w / a
			mean.perBeta += w / b
		}
		if total-before < 1e-17*total {
			break
		}
	}
	mean.log = math.Log(m.S) + level + math.Log(total*half)
	mean.logAlpha /= total
	mean.logBeta /= total
	mean.perAlpha /= total
	mean.perBeta /= total
	return mean
}

// Alive returns the probability that the customer is still active at the end of the observation period.
func (m ParetoNBD) Alive(h History) float64 {
	x := float64(h.Repeats)
	active := -(m.R+x)*math.Log(m.Alpha+h.Age) - m.S*math.Log(m.Beta+h.Age)
	return 1 / (1 + math.Exp(m.left(newRule(), x, h.Recency, h.Age).log-active))
}

// Purchases returns the expected number of repeat purchases of a new customer within the given time.
func (m ParetoNBD) Purchases(time float64) float64 {
	return m.R / m.Alpha * m.activeTime(m.Beta, time)
}

// Expected returns the expected number of further purchases of a customer within the given time after the observation
// period.
func (m ParetoNBD) Expected(h History, time float64) float64 {
	return m.Alive(h) * (m.R + float64(h.Repeats)) / (m.Alpha + h.Age) * m.activeTime(m.Beta+h.Age, time)
}

// activeTime returns the expected active time within t of a customer active now: β/(s-1) · [1 - (β/(β+t))^(s-1)], also
// at s = 1.
func (m ParetoNBD) activeTime(beta, t float64) float64 {
	l := math.Log1p(t / beta)
	if m.S == 1 {
		return beta * l
	}
	return -beta * math.Expm1(-(m.S-1)*l) / (m.S - 1)
}

// futures draws the number of purchases of each customer within the given time after the observation period.
func (m ParetoNBD) futures(group []Buyer, time float64, r *rand.Rand, counts []int, _ []float64) {
	for i := range group {
		counts[i] = m.future(group[i].History, time, r)
	}
}

// future draws the number of purchases of a customer.
func (m ParetoNBD) future(h History, time float64, r *rand.Rand) int {
	if r.Float64() >= m.Alive(h) {
		return 0
	}
	rate := gamma(m.R+float64(h.Repeats), r) / (m.Alpha + h.Age)
	leaving := gamma(m.S, r) / (m.Beta + h.Age)
	time = min(time, r.ExpFloat64()/leaving)
	n := 0
	for t := r.ExpFloat64() / rate; t <= time; t += r.ExpFloat64() / rate {
		n++
	}
	return n
}
