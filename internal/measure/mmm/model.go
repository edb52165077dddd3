package mmm

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
)

// parameter is one number the model infers.
type parameter struct {
	name    string
	support support
	prior   Prior
	joint   bool // a [batch] holds it, and not the prior
}

// model is data and settings made ready for evaluation. It does not change, so chains share it.
//
// A parameter vector holds for each channel its effect, the adstock's and the saturation's parameters and what moves with it, then the
// baseline's coefficients, then the likelihood's parameters.
type model struct {
	spec       Spec
	geos       int       // 1 when there are none
	span       int       // periods of each geo
	periods    int       // those in the likelihood; the rest is held out
	rows       int       // periods in the likelihood, of all geos
	size       []float64 // of each geo, 1 on average: everything is divided by it
	y          []float64 // the target as the likelihood sees it, of all periods
	yMean      float64   // over the rows
	yScale     float64   // largest target by size among the rows
	channels   []channel
	terms      []term
	resolution float64   // the smallest swing of a channel that the rows could show; see [density]
	termMeans  []float64 // over the rows, of all terms but the intercept
	parameters []parameter
	kin        *kin        // joint prior of effects; nil when they are independent
	batches    []batch     // joint priors of controls' coefficients
	carryOver  int         // parameters of a channel's adstock
	shape      int         // parameters of a channel's saturation
	waves      [][]float64 // basis of the slow changes of effects, one row each over the periods; nil when they are constant
	baselineAt int         // first coefficient
	noiseAt    int         // first parameter of the likelihood
	pooledAt   int         // first parameter of the differences between geos
	local      []int       // terms whose coefficients differ between geos
	swings     []float64   // a guess at each channel's swing, in units of the resolution; nil without geos
	levels     []float64   // a guess at the mean of each channel's contribution where its swing is the resolution
}

// channel is one channel's exposure, ready for evaluation.
type channel struct {
	name          measure.Channel
	x             []float64 // exposure by size, divided by scale
	often         []float64 // frequency, divided by its largest; nil without
	scale         float64
	mostOften     float64 // largest frequency
	cost          []float64
	index         int
	at            int     // first parameter: the effect
	effectOf      float64 // what a return or share is a multiple of, in maxima of the target
	lifts         []lift
	confoundingAt int  // parameter of what moves with the channel and not because of it; 0 without
	anchor        lift // with it the test that the channel's coordinate is the result of
}

// lift is a [Lift] in the model's units.
type lift struct {
	from, to, delta, sigma float64
	geo                    bool // the test ran in one geo, whose effect differs from the common one
}

// newModel checks data and settings and prepares them.
func newModel(d Data, s Spec) (*model, error) {
	s = s.withDefaults()
	if err := s.known(); err != nil {
		return nil, err
	}
	if err := d.validate(s); err != nil {
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
	if s.Varying > 0 {
		m.waves = waveBasis(m.span, s.Varying)
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
	if m.kin, err = m.newKin(); err != nil {
		return nil, err
	}
	m.batches = m.newBatches()
	m.swings, m.levels = m.guessSwings()
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
		c := channel{name: media.Channel, scale: m.spec.Saturation.unit(m.fitted(x)), cost: media.cost(), at: len(m.parameters), index: len(m.channels)}
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
		case Coefficient: // on the scale of the target already
		}
		for _, l := range m.spec.Lifts {
			if l.Channel == media.Channel {
				c.lifts = append(c.lifts, m.scaledLift(l, d, c.scale))
			}
		}
		shared := slices.Concat(
			[]parameter{{name: m.spec.Effect.parameter(), support: soft, prior: m.spec.Effect.prior(spend/total, len(d.Media))}},
			m.spec.Adstock.parameters(), m.spec.Saturation.parameters(), m.waveParameters())
		for _, p := range shared {
			p.name = string(media.Channel) + "." + p.name
			m.parameters = append(m.parameters, p)
		}
		m.confoundingParameter(&c)
		m.channels = append(m.channels, c)
	}
}

// prior is the default of a channel's effect. A coefficient's grows with the channel's share of spend, so that
// before the data every channel is believed to return about alike.
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

// applyPriors replaces defaults by the caller's, from the general name to the particular one.
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
				return fault.Invalid("the prior of %q cannot be %s: its values do not match the parameter's", name, prior.Family)
			}
			p.prior, used[name] = prior, true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.spec.Priors)) {
		if !used[name] {
			return fault.Invalid("there is a prior for %q, which is no parameter of this model", name).
				WithHint("the parameters are %v", m.parameterNames())
		}
	}
	return nil
}

// names lists what a prior for the parameter can be given under: its group, then its own name.
func (m *model) names(i int) []string {
	name := m.parameters[i].name
	if i >= m.baselineAt && i < m.noiseAt {
		return []string{m.terms[i-m.baselineAt].group, name}
	}
	for _, c := range m.channels {
		if prefix := string(c.name) + "."; (i < m.baselineAt || i >= m.pooledAt) && len(name) > len(prefix) && name[:len(prefix)] == prefix {
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

// baselineMean adds the baseline's mean of each period to mu, which holds the first periods of every geo.
func (m *model) baselineMean(mu, theta []float64) {
	periods := len(mu) / m.geos
	for k, term := range m.terms {
		for g := range m.geos {
			floats.AddScaled(mu[g*periods:(g+1)*periods], theta[m.baselineAt+k], term.values[g*m.span:g*m.span+periods])
		}
	}
}
