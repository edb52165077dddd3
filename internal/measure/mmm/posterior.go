package mmm

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/measure/stats/hmc"
	"assay/internal/panics"
)

// Posterior is a model with draws of its parameters that pass the convergence checks. It is immutable and safe for
// concurrent use.
type Posterior struct {
	model  *model
	data   Data
	chains int
	draws  [][]float64 // constrained, ordered by chain; parameters, then coefficients of geos
}

func newPosterior(m *model, d Data, run *hmc.Run) *Posterior {
	perChain := len(run.Chains[0].Draws)
	p := &Posterior{model: m, data: d, chains: len(run.Chains), draws: make([][]float64, len(run.Chains)*perChain)}
	var work panics.Group
	for i, c := range run.Chains {
		work.Go(func() {
			scratch := m.newCurves()
			for j, u := range c.Draws {
				theta, at := make([]float64, len(u)), i*perChain+j
				m.constrain(theta, u, scratch)
				if m.geos > 1 {
					theta = m.drawGeos(theta, scratch, stats.Stream(geoStream, uint64(at)))
				}
				p.draws[at] = theta
			}
		})
	}
	work.Wait()
	return p
}

// geoStream is the number of the random stream for the geos' coefficients.
const geoStream = 1

// Saved is a posterior in the stored form.
type Saved struct {
	Data       Data        `json:"data"`
	Spec       Spec        `json:"spec"`
	Chains     int         `json:"chains"`
	Parameters []string    `json:"parameters"`
	Draws      [][]float64 `json:"draws"` // one row per draw, ordered by chain, in the parameters' order
}

// Save returns the posterior in the stored form.
func (p *Posterior) Save() Saved {
	return Saved{p.data, p.model.spec, p.chains, p.Parameters(), p.draws}
}

// Restore returns a saved posterior. Parts that contradict each other result in a fault of kind invalid.
func Restore(s Saved) (*Posterior, error) {
	if len(s.Spec.Lifts) > 0 && !slices.ContainsFunc(s.Parameters, ofConfounding) {
		for _, l := range s.Spec.Lifts { // models that were saved before lift tests had a confounding term
			s.Spec.Unconfounded = append(s.Spec.Unconfounded, l.Channel)
		}
	}
	m, err := newModel(s.Data, s.Spec)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(m.drawNames(s.Data), s.Parameters) || s.Chains < 1 || len(s.Draws) < 2 || len(s.Draws)%s.Chains != 0 {
		return nil, fault.Invalid("the saved draws do not match the saved model")
	}
	for _, draw := range s.Draws {
		if err := column("a saved draw", draw, len(s.Parameters), math.Inf(-1)); err != nil {
			return nil, err
		}
	}
	return &Posterior{m, s.Data, s.Chains, s.Draws}, nil
}

func ofConfounding(parameter string) bool { return strings.HasSuffix(parameter, ".confounding") }

// Parameters returns the parameter names, such as "x1.alpha", in the order of a draw. With geos, it also returns the
// names of the geos' coefficients, such as "x1.beta[north]".
func (p *Posterior) Parameters() []string { return p.model.drawNames(p.data) }

// Draws returns one slice per chain of draws in the order of [Posterior.Parameters]. Adstock and saturation parameters
// apply to exposures in the channel's unit; see [Saturation]. Coefficients apply to targets divided by their largest
// fitted value. The caller must not modify the draws.
func (p *Posterior) Draws() [][][]float64 {
	return slices.Collect(slices.Chunk(p.draws, len(p.draws)/p.chains))
}

// Dates returns the first day of each period.
func (p *Posterior) Dates() []civil.Date { return p.data.Dates }

// Target returns the target of the data.
func (p *Posterior) Target() []float64 { return p.data.Target }

// Geos returns the geos in the data's order, or nil for a single series.
func (p *Posterior) Geos() []Geo { return p.data.Geos }

// Channels returns the channels in the data's order.
func (p *Posterior) Channels() []measure.Channel {
	out := make([]measure.Channel, len(p.model.channels))
	for i, c := range p.model.channels {
		out[i] = c.name
	}
	return out
}

// perChain arranges one value per draw by chain, in the form for package diag.
func (p *Posterior) perChain(f func(draw int) float64) [][]float64 {
	n := len(p.draws) / p.chains
	out := make([][]float64, p.chains)
	for i := range out {
		out[i] = series(n, func(t int) float64 { return f(i*n + t) })
	}
	return out
}

// channel returns the channel with the name. It panics on an unknown name.
func (p *Posterior) channel(name measure.Channel) *channel {
	i := slices.Index(p.Channels(), name)
	if i < 0 {
		panic("mmm: no channel " + string(name))
	}
	return &p.model.channels[i]
}

// Spend returns the channel's spend over all periods.
func (p *Posterior) Spend(name measure.Channel) float64 { return floats.Sum(p.channel(name).cost) }

// Contributions returns the channel's incremental outcome in each period, summed over geos, in the target's unit: one
// row per draw. With the log-normal likelihood, the incremental outcome is the loss without the channel, so incremental
// outcomes of channels do not add up to the total.
func (p *Posterior) Contributions(name measure.Channel) [][]float64 {
	out := make([][]float64, len(p.draws))
	p.eachContribution(p.channel(name), func(draw, _ int, row []float64) {
		if out[draw] == nil {
			out[draw] = make([]float64, p.model.span)
		}
		floats.Add(out[draw], row)
	})
	return out
}

// GeoContributions returns the channel's incremental outcome in each period in one geo. The parameter geo is the geo's
// index in the data.
func (p *Posterior) GeoContributions(name measure.Channel, geo int) [][]float64 {
	out := make([][]float64, len(p.draws))
	p.eachContribution(p.channel(name), func(draw, g int, row []float64) {
		if g == geo {
			out[draw] = slices.Clone(row)
		}
	})
	return out
}

// eachContribution calls f with the incremental outcomes of each draw and geo. f must not keep the row.
func (p *Posterior) eachContribution(c *channel, f func(draw, geo int, row []float64)) {
	m := p.model
	v, row, l := m.newCurve(len(m.y)), make([]float64, m.span), m.newLocator()
	for i, theta := range p.draws {
		m.evaluateAt(&v, c, theta)
		if m.spec.Likelihood == LogNormal {
			for t, mean := range l.mean(theta) {
				row[t] = mean * -math.Expm1(-v.beta*v.s[t])
			}
			f(i, 0, row)
			continue
		}
		for g, size := range m.size {
			floats.ScaleTo(row, v.betas[g]*size*m.yScale, v.s[g*m.span:(g+1)*m.span])
			f(i, g, row)
		}
	}
}

// ContributionTotals returns the channel's incremental outcome over all periods, one value per draw.
func (p *Posterior) ContributionTotals(name measure.Channel) []float64 {
	out := make([]float64, len(p.draws))
	p.eachContribution(p.channel(name), func(draw, _ int, row []float64) { out[draw] += floats.Sum(row) })
	return out
}

// blockOfDraws is the number of draws per unit of parallel work. Sums are first computed for each block, so rounding
// does not depend on the number of cores.
const blockOfDraws = 500

// eachBlock calls do for blocks of draws in parallel and returns the number of blocks.
func (p *Posterior) eachBlock(do func(block, from int, draws [][]float64)) (blocks int) {
	var work panics.Group
	for draws := range slices.Chunk(p.draws, blockOfDraws) {
		block := blocks
		work.Go(func() { do(block, block*blockOfDraws, draws) })
		blocks++
	}
	work.Wait()
	return blocks
}

// locator is scratch space for the means of all periods under one draw.
type locator struct {
	*model
	mu []float64
	v  curve
}

func (m *model) newLocator() *locator {
	return &locator{m, make([]float64, len(m.y)), m.newCurve(len(m.y))}
}

// location returns mu of each period under one draw. mu is a fraction of the largest target, or the log of this
// fraction for the log-normal likelihood. The next call overwrites the result.
func (l *locator) location(theta []float64) []float64 {
	clear(l.mu)
	l.baselineMean(l.mu, theta)
	for i := range l.channels {
		l.evaluateAt(&l.v, &l.channels[i], theta)
		for g, beta := range l.v.betas {
			floats.AddScaled(l.mu[g*l.span:(g+1)*l.span], beta+l.v.confounding, l.v.s[g*l.span:(g+1)*l.span])
		}
		if l.v.confounding != 0 {
			floats.AddConst(-l.v.confounding*l.v.mean, l.mu)
		}
	}
	if l.geos > 1 {
		for g := range l.geos {
			floats.AddConst(theta[l.ofGeo(g)]-theta[l.baselineAt], l.mu[g*l.span:(g+1)*l.span])
			l.localMean(l.mu[g*l.span:(g+1)*l.span], theta, g)
		}
	}
	return l.mu
}

// mean returns the expected target of each period under one draw, in the target's unit. The next call overwrites the
// result.
func (l *locator) mean(theta []float64) []float64 {
	mu := l.location(theta)
	if l.spec.Likelihood == LogNormal {
		sigma := theta[l.noiseAt]
		for t := range mu {
			mu[t] = math.Exp(mu[t] + sigma*sigma/2)
		}
	}
	for t := range mu {
		mu[t] *= l.yScale * l.size[t/l.span]
	}
	return mu
}

// Fitted returns the posterior mean of the expected target in each period, including held-out periods.
func (p *Posterior) Fitted() []float64 {
	sums := make([][]float64, len(p.draws))
	blocks := p.eachBlock(func(block, _ int, draws [][]float64) {
		l, sum := p.model.newLocator(), make([]float64, len(p.model.y))
		for _, theta := range draws {
			floats.AddScaled(sum, 1/float64(len(p.draws)), l.mean(theta))
		}
		sums[block] = sum
	})
	total := make([]float64, len(p.model.y))
	for _, sum := range sums[:blocks] {
		floats.Add(total, sum)
	}
	return total
}
