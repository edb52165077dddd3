package mmm

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/measure/stats"
)

// draw returns a draw from the prior.
func (p Prior) draw(random *rand.Rand) float64 {
	switch p.Family {
	case NormalPrior:
		return p.A + p.B*random.NormFloat64()
	case LaplacePrior:
		return distuv.Laplace{Mu: p.A, Scale: p.B, Src: random}.Rand()
	case HalfNormalPrior:
		return p.A * math.Abs(random.NormFloat64())
	case LogNormalPrior:
		return math.Exp(p.A + p.B*random.NormFloat64())
	case GammaPrior:
		return distuv.Gamma{Alpha: p.A, Beta: p.B, Src: random}.Rand()
	case BetaPrior:
		return distuv.Beta{Alpha: p.A, Beta: p.B, Src: random}.Rand()
	}
	panic("mmm: prior without a family")
}

// drawPrior draws parameters from their priors and, with geos, the coefficients of each geo given those.
func (m *model) drawPrior(random *rand.Rand) []float64 {
	theta := make([]float64, len(m.parameters))
	for i, p := range m.parameters {
		theta[i] = p.prior.draw(random)
	}
	if m.pooledEffects != nil {
		m.pooledEffects.draw(theta, random)
	}
	for _, b := range m.controlGroups {
		b.draw(theta, random)
	}
	return m.withGeos(theta, random)
}

// withGeos appends the coefficients of each geo, drawn given the spread between geos.
func (m *model) withGeos(theta []float64, random *rand.Rand) []float64 {
	if m.geos == 1 {
		return theta
	}
	common := theta
	curves := m.newCurves()
	for i := range curves {
		m.evaluateAt(&curves[i], &m.channels[i], common)
	}
	for range m.geos {
		theta = append(theta, common[m.baselineAt]+common[m.pooledAt]*random.NormFloat64())
		for i, v := range curves {
			theta = append(theta, v.beta*(1+common[m.pooledAt+1+i]*random.NormFloat64()))
		}
		for i, k := range m.local {
			theta = append(theta, common[m.baselineAt+k]+common[m.pooledAt+1+len(curves)+i]*random.NormFloat64())
		}
	}
	return theta
}

// simulate returns a target simulated from a draw, as in the likelihood.
func (m *model) simulate(theta []float64, random *rand.Rand) []float64 {
	y := m.newLocator().location(theta)
	noise := func() float64 { return random.NormFloat64() }
	if m.spec.Likelihood == StudentT {
		noise = distuv.StudentsT{Sigma: 1, Nu: theta[m.noiseAt+1], Src: random}.Rand
	}
	for t := range y {
		y[t] += theta[m.noiseAt] * noise()
	}
	return y
}

// unscaled converts a series from the likelihood's scale to the target's unit.
func (m *model) unscaled(y []float64) []float64 {
	return series(len(y), func(t int) float64 {
		if m.spec.Likelihood == LogNormal {
			return math.Exp(y[t]) * m.yScale * m.size[t/m.span]
		}
		return y[t] * m.yScale * m.size[t/m.span]
	})
}

// withTarget returns the same model, scales and priors included, with another target on the likelihood's scale.
func (m *model) withTarget(y []float64) *model {
	other := *m
	other.y = y
	other.observe()
	return &other
}

// observe sets the parts of the coordinates that depend on the target.
func (m *model) observe() {
	mean, sd := stats.MeanSD(m.fitted(m.y))
	m.yMean = mean
	m.resolution = math.Max(sd, 1e-6) / math.Sqrt(float64(m.rows))
}

// measureLifts replaces the results of lift tests by simulated ones.
func (m *model) measureLifts(theta []float64, random *rand.Rand) {
	m.channels = slices.Clone(m.channels)
	for i := range m.channels {
		c, v := &m.channels[i], m.newCurve(m.rows)
		m.evaluateAt(&v, c, theta)
		_, shape := m.split(c, theta)
		c.lifts = slices.Clone(c.lifts)
		for k := range c.lifts {
			l := &c.lifts[k]
			from, _, _ := m.spec.Saturation.value(l.from, shape)
			to, _, _ := m.spec.Saturation.value(l.to, shape)
			l.delta = v.beta*(to-from) + l.sigma*random.NormFloat64()
			if l.geo {
				l.delta += v.beta * (to - from) * theta[m.pooledAt+1+i] * random.NormFloat64()
			}
		}
	}
}
