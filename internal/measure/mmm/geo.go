package mmm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Geo is a region or market with its own series.
type Geo struct {
	Name string `json:"name"`
	// Population is the geo's size, in any unit common to all geos. Series are divided by the population, so that geos
	// of different sizes share a model. If the populations are unknown, all are 0 and the mean target replaces them.
	Population float64 `json:"population,omitempty"`
}

func (d Data) validateGeos(s Spec) error {
	if d.Geos == nil {
		return nil
	}
	if len(d.Geos) == 1 {
		return fault.Invalid("a geo model needs at least two geos, not %q alone", d.Geos[0].Name).
			WithHint("remove the geo column, or add the data of another geo")
	}
	if s.Likelihood != Normal {
		return fault.Invalid("a model of several geos needs the normal likelihood, not %s", s.Likelihood)
	}
	seen := map[string]bool{}
	for _, g := range d.Geos {
		if g.Name == "" || seen[g.Name] {
			return fault.Invalid("geos need different names; %q is empty or taken", g.Name)
		}
		seen[g.Name] = true
		if !(g.Population >= 0) || math.IsInf(g.Population, 0) || (g.Population > 0) != (d.Geos[0].Population > 0) {
			return fault.Invalid("geo %q has population %v: want a positive one for every geo, or none for all",
				g.Name, g.Population)
		}
	}
	return nil
}

// sizes returns the size of each geo, relative to the mean size. It uses only the first periods, not the holdout.
func (d Data) sizes(periods int) []float64 {
	if d.Geos == nil {
		return []float64{1}
	}
	out := make([]float64, len(d.Geos))
	for g, geo := range d.Geos {
		out[g] = geo.Population
		if geo.Population == 0 {
			at := g * len(d.Dates)
			mean, _ := stats.MeanSD(d.Target[at : at+periods])
			out[g] = math.Abs(mean)
		}
		if out[g] == 0 {
			out[g] = 1 // a geo without sales has no size
		}
	}
	mean, _ := stats.MeanSD(out)
	floats.Scale(1/mean, out)
	return out
}

// fitted returns the rows of a series that are in the likelihood.
func (m *model) fitted(values []float64) []float64 {
	if m.geos == 1 {
		return values[:m.rows]
	}
	out := make([]float64, 0, m.rows)
	for g := range m.geos {
		out = append(out, values[g*m.span:g*m.span+m.periods]...)
	}
	return out
}

// bySize divides a series by the sizes of its geos.
func (m *model) bySize(values []float64) []float64 {
	return series(len(values), func(t int) float64 { return values[t] / m.size[t/m.span] })
}

// spreads lists the parameters of the variation between geos.
//
// Let b be a geo's deviation from the common model. The geo's scaled targets are
//
//	y_t = mu_t + b_0 + sum over channels c of b_c s_c,t + sum over controls k of b_k z_k,t + noise
//	b_0 ~ Normal(0, intercept.spread),  b_c ~ Normal(0, beta_c c.spread),  b_k ~ Normal(0, k.spread)
//
// A channel's spread is the standard deviation of its effect between geos as a share of the common effect. A control's
// spread is the standard deviation of its coefficient. The effect of a single geo can be negative. Fewer than
// [manyGeos] geos contain little information on a spread. Channels then have a tighter prior, and controls are common
// to all geos.
func (m *model) spreads() []parameter {
	if m.geos == 1 {
		return nil
	}
	out := []parameter{{name: "intercept.spread", support: positive, prior: Prior{HalfNormalPrior, 0.2, 0}}}
	scale := 1.0
	if m.geos < manyGeos {
		scale = 0.3
	}
	for _, c := range m.channels {
		out = append(out, parameter{
			name: string(c.name) + ".spread", support: positive, prior: Prior{HalfNormalPrior, scale, 0},
		})
	}
	for _, k := range m.local {
		out = append(out, parameter{
			name: m.terms[k].name + ".spread", support: positive, prior: Prior{HalfNormalPrior, 0.2, 0},
		})
	}
	return out
}

// localTerms returns the terms with coefficients that vary by geo: controls, if there are enough geos.
func (m *model) localTerms() (terms []int) {
	for k, t := range m.terms {
		if m.geos >= manyGeos && t.group == controls {
			terms = append(terms, k)
		}
	}
	return terms
}

// guessScaledEffects returns least-squares estimates within geos of each channel's scaled effect, in units of the
// resolution. The shape parameters are at the center of their coordinates. The function also returns the mean
// incremental outcome at a scaled effect of one resolution. Without geos, it returns nil. The estimates only determine
// the sampler's coordinates. Errors in the estimates therefore slow the sampler but cause no bias. With [manyGeos] geos
// or more, levels are 0, because the common mean is then well identified. A slightly wrong level would increase the
// number of gradients (by 20% for ten geos of Meridian's data).
func (m *model) guessScaledEffects() (scaledEffects, levels []float64) {
	if m.geos == 1 {
		return nil, nil
	}
	scaledEffects, levels = make([]float64, len(m.channels)), make([]float64, len(m.channels))
	theta, curves := make([]float64, len(m.parameters)), m.newCurves()
	m.constrain(theta, theta, curves)
	var columns [][]float64
	for i, v := range curves {
		columns = append(columns, m.within(v.s))
		if m.geos < manyGeos {
			levels[i] = m.resolution * v.mean / v.sd
		}
	}
	for _, t := range m.terms[1:] {
		columns = append(columns, m.within(m.fitted(t.values)))
	}
	target := m.within(m.fitted(m.y))
	k := len(columns)
	gram, along := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	for i := range k {
		along.SetVec(i, floats.Dot(columns[i], target))
		for j := range i + 1 {
			gram.SetSym(i, j, floats.Dot(columns[i], columns[j]))
		}
		gram.SetSym(i, i, gram.At(i, i)*(1+1e-6)+1e-12)
	}
	var root mat.Cholesky
	var solved mat.VecDense
	if !root.Factorize(gram) || root.SolveVecTo(&solved, along) != nil {
		return scaledEffects, levels
	}
	for i, v := range curves {
		if m.channels[i].confoundingAt > 0 {
			continue // the channel's coordinate is a test's result
		}
		if swing := solved.AtVec(i) * v.sd / m.resolution; swing > 0 && !math.IsInf(swing, 0) {
			scaledEffects[i] = swing
		}
	}
	return scaledEffects, levels
}

// manyGeos is the minimum number of geos for the vague prior of the spread between geos.
const manyGeos = 8

// ofGeo returns the position of a geo's first coefficient in a draw. A geo has an intercept, one coefficient per
// channel and one per local term.
func (m *model) ofGeo(g int) int { return len(m.parameters) + g*m.differences() }

// differences returns the number of coefficients per geo.
func (m *model) differences() int { return 1 + len(m.channels) + len(m.local) }

// localMean adds the effect of a geo's deviations in the local terms to mu.
func (m *model) localMean(mu, theta []float64, g int) {
	at := m.ofGeo(g) + 1 + len(m.channels)
	for i, k := range m.local {
		floats.AddScaled(mu, theta[at+i]-theta[m.baselineAt+k], m.terms[k].values[g*m.span:(g+1)*m.span])
	}
}

// drawNames names the elements of a draw: the parameters, then the coefficients of each geo.
func (m *model) drawNames(d Data) []string {
	names := m.parameterNames()
	for _, g := range d.Geos {
		names = append(names, fmt.Sprintf("intercept[%s]", g.Name))
		for _, c := range m.channels {
			names = append(names, fmt.Sprintf("%s.beta[%s]", c.name, g.Name))
		}
		for _, k := range m.local {
			names = append(names, fmt.Sprintf("%s[%s]", m.terms[k].name, g.Name))
		}
	}
	return names
}

// scaledLift converts a lift test to the model's units. It divides exposures and targets of one geo by the geo's size.
// For a test in all geos, it divides by the sum of sizes, as if exposure were proportional to size.
func (m *model) scaledLift(l Lift, d Data, scale float64) lift {
	size := float64(m.geos)
	if l.Geo != "" {
		size = m.size[slices.IndexFunc(d.Geos, func(g Geo) bool { return g.Name == l.Geo })]
	}
	return lift{
		from: l.X / (size * scale), to: (l.X + l.DeltaX) / (size * scale),
		delta: l.DeltaY / (size * m.yScale), sigma: l.Sigma / (size * m.yScale), geo: l.Geo != "",
	}
}
