package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// ControlEffect is what a control of a batch brought over all periods, held-out ones included.
type ControlEffect struct {
	Name    string `json:"name"`
	Batch   string `json:"batch"`
	Periods int    `json:"periods"` // in which it had a part
	// Contribution is in the target's unit: how much less, or more where it is negative, would have been sold without.
	Contribution stats.Summary `json:"contribution"`
	Share        stats.Summary `json:"share"` // of the target's sum, as a fraction
}

// Batched returns the effect of every control that belongs to a batch, in the data's order.
func (p *Posterior) Batched() []ControlEffect {
	m, sales, l := p.model, floats.Sum(p.data.Target), p.model.newLocator()
	var out []ControlEffect
	for k, t := range m.terms {
		if !t.batched {
			continue
		}
		e := ControlEffect{Name: t.name, Batch: t.group}
		for _, v := range t.values[:m.span] {
			if v != 0 {
				e.Periods++
			}
		}
		total := series(len(p.draws), func(draw int) float64 { return l.brought(p.draws[draw], k) })
		e.Contribution, e.Share = stats.Summarize(total), stats.Summarize(divided(total, sales))
		out = append(out, e)
	}
	return out
}

// brought is what a term that is common to all geos brought under one draw.
func (l *locator) brought(theta []float64, k int) (total float64) {
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
