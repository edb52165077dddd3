package mmm

import "assay/internal/measure/stats"

// PredictLift returns the model's prediction of a lift test's result. The result is the change of the target per
// period, in the target's unit, when the channel's exposure changes as in the test. The prediction does not use
// l.DeltaY and l.Sigma. PredictLift panics if the channel is not in the model.
func (p *Posterior) PredictLift(l Lift) stats.Summary {
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
