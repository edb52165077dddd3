package mmm

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
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

// drawPrior draws parameters from their priors and, with geos, the coefficients of each geo given the parameters.
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

// simulate returns a target that is drawn from the likelihood with the parameters theta.
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

// withTarget returns a copy of the model with another target, on the likelihood's scale. Scales and priors do not
// change.
func (m *model) withTarget(y []float64) *model {
	other := *m
	other.y = y
	other.observe()
	return &other
}

// observe sets the fields that define the sampler's coordinates and depend on the target.
func (m *model) observe() {
	mean, sd := stats.MeanSD(m.fitted(m.y))
	m.yMean = mean
	m.resolution = math.Max(sd, 1e-6) / math.Sqrt(float64(m.rows))
}

// measureLifts replaces the results of lift tests with simulated results.
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

// Predictive returns a simulated target for each draw, in the target's unit.
func (p *Posterior) Predictive(seed uint64) [][]float64 {
	out := make([][]float64, len(p.draws))
	for i, theta := range p.draws {
		out[i] = p.model.unscaled(p.model.simulate(theta, stats.Stream(seed, uint64(i))))
	}
	return out
}

// SamplePrior draws from the priors. It returns the draws as a posterior, and one simulated target per draw in the
// target's unit. Invalid data or settings result in a fault of kind invalid. Data that cannot identify the model result
// in a not-ready fault.
func SamplePrior(d Data, s Spec, seed uint64, draws int) (p *Posterior, targets [][]float64, err error) {
	m, err := newModel(d, s)
	if err != nil {
		return nil, nil, err
	}
	if reasons := m.unidentified(d); len(reasons) > 0 {
		return nil, nil, fault.NotReady("%s", reasons[0].Text).WithHint("%s", reasons[0].Remedy)
	}
	p = &Posterior{model: m, data: d, chains: 1}
	for i := range uint64(draws) {
		random := stats.Stream(seed, i)
		theta := m.drawPrior(random)
		p.draws, targets = append(p.draws, theta), append(targets, m.unscaled(m.simulate(theta, random)))
	}
	return p, targets, nil
}

// Simulation is a simulated data set with known parameters.
type Simulation struct {
	Truth *Posterior // its only draw contains the true parameters

	model *model
	data  Data
}

// Simulate draws a data set. The channels' parameters come from the priors, and all other parameters from one of the
// posterior's draws. Results of lift tests are also simulated.
func (p *Posterior) Simulate(random *rand.Rand) Simulation {
	m := p.model
	truth := m.drawPrior(random)[:len(m.parameters)]
	copy(truth[m.baselineAt:], p.draws[random.IntN(len(p.draws))][m.baselineAt:len(m.parameters)])
	truth = m.withGeos(truth, random)
	simulated := m.withTarget(m.simulate(truth, random))
	d := p.data
	d.Target = m.unscaled(simulated.y)
	simulated.measureLifts(truth, random)
	return Simulation{Truth: &Posterior{simulated, d, 1, [][]float64{truth}}, model: simulated, data: d}
}

// Fit fits the model to the simulated data, with the model's scales and priors.
func (s Simulation) Fit(how Sampling) (*Result, error) {
	return s.model.fit(s.data, how.withDefaults())
}
