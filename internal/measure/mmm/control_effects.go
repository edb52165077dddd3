package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// ControlEffect is the effect of a pooled control over all periods, including the holdout.
type ControlEffect struct {
	Name    string `json:"name"`
	Group   string `json:"batch"`
	Periods int    `json:"periods"` // number of periods in which the control is not 0
	// Contribution is the expected target minus the expected target without the control, in the target's unit.
	Contribution stats.Summary `json:"contribution"`
	Share        stats.Summary `json:"share"` // share of the target's sum, as a fraction
}

// PooledControls returns the effects of controls with a hierarchical prior, in the data's order.
func (p *Posterior) PooledControls() []ControlEffect {
	m, sales, l := p.model, floats.Sum(p.data.Target), p.model.newLocator()
	var out []ControlEffect
	for k, t := range m.terms {
		if !t.pooled {
			continue
		}
		e := ControlEffect{Name: t.name, Group: t.group}
		for _, v := range t.values[:m.span] {
			if v != 0 {
				e.Periods++
			}
		}
		total := series(len(p.draws), func(draw int) float64 { return l.contribution(p.draws[draw], k) })
		e.Contribution, e.Share = stats.Summarize(total), stats.Summarize(divided(total, sales))
		out = append(out, e)
	}
	return out
}

// contribution returns the incremental outcome of a term that is common to all geos. It is the sum over all periods and
// geos under one draw.
func (l *locator) contribution(theta []float64, k int) (total float64) {
	gamma, values := theta[l.baselineAt+k], l.terms[k].values
	if l.spec.Likelihood == LogNormal {
		for t, mean := range l.mean(theta) {
			total -= mean * math.Expm1(-gamma*values[t])
		}
		return total
	}
	for t, v := range values {
		total += gamma * v * l.size[t/l.span] * l.yScale
	}
	return total
}
