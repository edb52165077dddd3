package mmm

import "assay/internal/measure/stats"

// Foretell returns by how much the target changes a period when a test moves its channel's exposure, by the model alone: what the
// test found is not looked at. The summary is over draws and in the target's unit. It panics on a channel that is not in the model.
func (p *Posterior) Foretell(l Lift) stats.Summary {
	m, c := p.model, p.channel(l.Channel)
	l.DeltaY = 1
	v, scaled := m.newCurve(len(m.y)), m.scaledLift(l, p.data, c.scale)
	return stats.Summarize(series(len(p.draws), func(draw int) float64 {
		theta := p.draws[draw]
		m.evaluateAt(&v, c, theta)
		_, shape := m.split(c, theta)
		from, _, _ := m.spec.Saturation.value(scaled.from, shape)
		to, _, _ := m.spec.Saturation.value(scaled.to, shape)
		return v.beta * (to - from) / scaled.delta
	}))
}
