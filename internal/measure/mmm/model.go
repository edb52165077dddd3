package mmm

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
)

// parameter is one number that the model estimates.
type parameter struct {
	name    string
	support support
	prior   Prior
	joint   bool // its prior is part of [pooledEffects] or [pooledControls]
}

// model contains data and settings prepared for evaluation. It is immutable, so chains share it.
//
// A parameter vector starts with the parameters of each channel: effect, adstock, saturation, time-varying effect and
// confounding term. The baseline's coefficients and the likelihood's parameters follow.
type model struct {
	spec          Spec
	geos          int       // 1 for a single series
	span          int       // number of periods of each geo
	periods       int       // number of periods in the likelihood; later periods are held out
	rows          int       // number of rows in the likelihood, for all geos
	size          []float64 // size of each geo, 1 on average
	y             []float64 // target as in the likelihood, for all periods
	yMean         float64   // mean of y over the rows
	yScale        float64   // largest target by size among the rows
	channels      []channel
	terms         []term
	resolution    float64   // smallest scaled effect of a channel that the rows identify; see [density]
	termMeans     []float64 // means over the rows of all terms except the intercept
	parameters    []parameter
	pooledEffects *pooledEffects   // nil if effects are independent
	controlGroups []pooledControls // hierarchical priors of controls
	carryOver     int              // number of parameters of a channel's adstock
	shape         int              // number of parameters of a channel's saturation
	// hsgp is the basis of time-varying effects (Hilbert space Gaussian process), with one row per basis function over
	// the periods. It is nil if effects are constant.
	hsgp          [][]float64
	baselineAt    int       // first coefficient of the baseline
	noiseAt       int       // first parameter of the likelihood
	pooledAt      int       // first parameter of the spread between geos
	local         []int     // terms with coefficients that vary by geo
	scaledEffects []float64 // guess of each channel's scaled effect, in units of the resolution; nil without geos
	levels        []float64 // guess of each channel's mean incremental outcome at a scaled effect of one resolution
}

// channel contains one channel's exposure, ready for evaluation.
type channel struct {
	name          measure.Channel
	x             []float64 // exposure by size, divided by scale
	often         []float64 // frequency divided by the largest; nil without frequency
	scale         float64
	mostOften     float64 // largest frequency
	cost          []float64
	index         int
	at            int     // first parameter: the effect
	effectOf      float64 // an ROI or share is a multiple of effectOf, as a fraction of the largest target
	lifts         []lift
	confoundingAt int  // position of the confounding term; 0 if there is none
	anchor        lift // the channel's coordinate is this test's predicted result
}

// lift is a [Lift] in the model's units.
type lift struct {
	from, to, delta, sigma float64
	geo                    bool // the test ran in one geo
}

// newModel validates data and settings and returns them as a model.
func newModel(d Data, s Spec) (*model, error) {
	s = s.withDefaults()
	if err := s.known(); err != nil {
		return nil, err
	}
	if err := d.Validate(s); err != nil {
		return nil, err
	}
	m := &model{
		spec: s, geos: max(len(d.Geos), 1), span: len(d.Dates), periods: len(d.Dates) - s.Holdout, terms: baseline(d, s),
		carryOver: len(s.Adstock.parameters()), shape: len(s.Saturation.parameters()),
	}
	m.rows = m.geos * m.periods
	m.size = d.sizes(m.periods)
	target := m.bySize(d.Target)
	m.yScale = largest(m.fitted(target))
	m.y = series(len(d.Target), func(t int) float64 {
		if s.Likelihood == LogNormal {
			return math.Log(target[t] / m.yScale)
		}
		return target[t] / m.yScale
	})
	m.observe()
	if s.TimeVarying > 0 {
		m.hsgp = hsgpBasis(m.span, s.TimeVarying)
	}
	m.addChannels(d)
	m.addBaseline()
	m.noiseAt = len(m.parameters)
	m.parameters = append(m.parameters, s.Likelihood.parameters()...)
	m.pooledAt = len(m.parameters)
	m.local = m.localTerms()
	m.parameters = append(m.parameters, m.spreads()...)
	if err := m.applyPriors(); err != nil {
		return nil, err
	}
	var err error
	if m.pooledEffects, err = m.newPooledEffects(); err != nil {
		return nil, err
	}
	m.controlGroups = m.newPooledControls()
	m.scaledEffects, m.levels = m.guessScaledEffects()
	return m, nil
}

func (m *model) addChannels(d Data) {
	var total float64
	for _, media := range d.Media {
		total += floats.Sum(m.fitted(media.cost()))
	}
	for _, media := range d.Media {
		spend := floats.Sum(m.fitted(media.cost()))
		x := m.bySize(media.Exposure)
		c := channel{
			name: media.Channel, scale: m.spec.Saturation.unit(m.fitted(x)), cost: media.cost(),
			at: len(m.parameters), index: len(m.channels),
		}
		c.x = series(len(x), func(t int) float64 { return x[t] / c.scale })
		if media.Frequency != nil {
			top := largest(m.fitted(media.Frequency))
			c.often = series(len(x), func(t int) float64 { return media.Frequency[t] / top })
			c.mostOften = top
		}
		switch m.spec.Effect {
		case ROI:
			c.effectOf = spend / m.yScale
		case Share:
			c.effectOf = floats.Sum(m.fitted(d.Target)) / m.yScale
		case Coefficient: // already on the target's scale
		}
		for _, l := range m.spec.Lifts {
			if l.Channel == media.Channel {
				c.lifts = append(c.lifts, m.scaledLift(l, d, c.scale))
			}
		}
		shared := slices.Concat(
			[]parameter{{name: m.spec.Effect.parameter(), support: soft, prior: m.spec.Effect.prior(spend/total, len(d.Media))}},
			m.spec.Adstock.parameters(), m.spec.Saturation.parameters(), m.timeVaryingParameters())
		for _, p := range shared {
			p.name = string(media.Channel) + "." + p.name
			m.parameters = append(m.parameters, p)
		}
		m.confoundingParameter(&c)
		m.channels = append(m.channels, c)
	}
}

// prior returns the default prior of a channel's effect. The prior of a coefficient is proportional to the channel's
// share of spend, so that all channels have the same ROI prior.
func (e Effect) prior(shareOfSpend float64, channels int) Prior {
	switch e {
	case Coefficient:
		scale := shareOfSpend * float64(channels)
		if !(scale > 0.1) {
			scale = 0.1
		}
		return Prior{HalfNormalPrior, scale, 0}
	case ROI:
		return Prior{LogNormalPrior, 0.2, 0.9}
	case Share:
		return Prior{HalfNormalPrior, 0.2, 0}
	}
	panic("mmm: unknown effect")
}

func (m *model) addBaseline() {
	m.baselineAt = len(m.parameters)
	for _, term := range m.terms[1:] {
		m.termMeans = append(m.termMeans, floats.Sum(m.fitted(term.values))/float64(m.rows))
	}
	for _, term := range m.terms {
		m.parameters = append(m.parameters, parameter{name: term.name, support: real, prior: term.prior})
	}
}

// applyPriors overrides the defaults with the caller's priors, from general to specific names.
func (m *model) applyPriors() error {
	used := map[string]bool{}
	for i := range m.parameters {
		p := &m.parameters[i]
		for _, name := range m.names(i) {
			prior, ok := m.spec.Priors[name]
			if !ok {
				continue
			}
			if !p.support.allows(prior.Family) {
				return fault.Invalid("the prior of %q cannot be %s: their supports differ", name, prior.Family)
			}
			p.prior, used[name] = prior, true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.spec.Priors)) {
		if !used[name] {
			return fault.Invalid("the prior of %q belongs to no parameter of this model", name).
				WithHint("the parameters are %v", m.parameterNames())
		}
	}
	return nil
}

// names lists the keys in [Spec.Priors] that apply to a parameter: its group, then its own name.
func (m *model) names(i int) []string {
	name := m.parameters[i].name
	if i >= m.baselineAt && i < m.noiseAt {
		return []string{m.terms[i-m.baselineAt].group, name}
	}
	for _, c := range m.channels {
		if prefix := string(c.name) + "."; (i < m.baselineAt || i >= m.pooledAt) && len(name) > len(prefix) &&
			name[:len(prefix)] == prefix {
			return []string{name[len(prefix):], name}
		}
	}
	return []string{name}
}

func (m *model) parameterNames() []string {
	names := make([]string, len(m.parameters))
	for i, p := range m.parameters {
		names[i] = p.name
	}
	return names
}

// baselineMean adds the baseline's mean to mu, which has the first periods of every geo.
func (m *model) baselineMean(mu, theta []float64) {
	periods := len(mu) / m.geos
	for k, term := range m.terms {
		for g := range m.geos {
			floats.AddScaled(mu[g*periods:(g+1)*periods], theta[m.baselineAt+k], term.values[g*m.span:g*m.span+periods])
		}
	}
}
