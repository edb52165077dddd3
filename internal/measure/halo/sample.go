package halo

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

const (
	tails   = 4.0 // degrees of freedom of the errors, to allow for outliers
	mostPhi = 0.9
	warmup  = 200

	// haloSize and homeSize are the prior standard deviations of halo effects and of effects on the channel's own
	// surface, in revenue per unit of spend.
	haloSize, homeSize = 0.2, 2.0
)

// surface returns the effects of every channel on one surface. The model is
//
//	revenue(t) = level(t) + weekday + holidays + Σ_k β_k S_k(adstock(spend_k; λ_k)) + e(t),   e(t) = φ e(t-1) + u(t)
//
// where β_k ~ N(0, 0.2²) for halo effects, and (λ_k, S_k) is uniform over the pairs in lags. u is Student's t
// distributed with 4 degrees of freedom. The parameter φ and the weights of the days come from a preliminary fit.
// Controls have flat priors and are integrated out. Gibbs sampling draws the other parameters.
func (d Data) surface(s Surface, m media, o Options, index uint64) []Effect {
	effects := make([]Effect, len(d.Channels))
	for k, c := range d.Channels {
		effects[k] = Effect{Channel: c.Name, Surface: s.Name, Home: c.Home == s.Name}
	}
	sold := 0
	for _, v := range s.Revenue {
		sold += int(indicator(v != 0))
	}
	var usable []int
	for k := range d.Channels {
		effects[k].Reason = m.reasons[k]
		if sold < LeastDays {
			effects[k].Reason = FewDays
		}
		if effects[k].Reason == "" {
			usable = append(usable, k)
		}
	}
	defer d.fallBack(effects, o.Level)
	if len(usable) == 0 {
		return effects
	}
	columns := make([][]float64, 0, len(usable)*len(lags))
	first := slices.Clone(m.controls)
	for _, k := range usable {
		columns = append(columns, m.responses[k]...)
		first = append(first, m.responses[k][usualLag])
	}
	known := firstFit(s.Revenue, baseOf(first))
	regressed := model{regression: sweep(s.Revenue, columns, m.controls, known), priors: make([]prior, len(usable))}
	for i, k := range usable {
		regressed.priors[i] = d.priorOf(effects[k])
		effects[k].Experiments = regressed.priors[i].experiments
	}
	drawn := regressed.draw(o.Draws, stats.Stream(o.Seed, index))
	typical := make([][]float64, len(usable))
	for i, k := range usable {
		drawn.describe(i, o.Level, &effects[k])
		typical[i] = drawn.response(i, columns)
	}
	d.examine(s.Revenue, m.controls, known, usable, typical, effects)
	return effects
}

// media contains the data that all surfaces share.
type media struct {
	controls  [][]float64
	responses [][][]float64 // by channel and lag
	reasons   []Reason      // by channel: reason why the channel's spend is unusable on all surfaces
}

func (d Data) media(controls [][]float64) media {
	m := media{
		controls: controls, responses: make([][][]float64, len(d.Channels)), reasons: make([]Reason, len(d.Channels)),
	}
	taken := baseOf(controls)
	l := taken.factor()
	for k, c := range d.Channels {
		m.responses[k] = make([][]float64, len(lags))
		for j, lag := range lags {
			m.responses[k][j] = lag.response(c.Spend)
		}
		rest := slices.Clone(m.responses[k][usualLag])
		taken.take(l.back(l.forward(taken.products(rest))), rest)
		m.reasons[k] = cannotTell(c.Spend, rest)
	}
	return m
}

// cannotTell returns the reason why a channel's spend is not usable in a regression, or "" if it is usable. The
// parameter rest is the channel's response with the usual lag, orthogonalized against the controls.
func cannotTell(spend, rest []float64) Reason {
	active, total := 0, 0.0
	for _, x := range spend {
		active += int(indicator(x != 0))
		total += x
	}
	if active < LeastSpendDays || total <= 0 {
		return FewSpendDays
	}
	if math.Sqrt(stats.Dot(rest, rest)/float64(len(rest))) < leastVariation*total/float64(len(spend)) {
		return Constant
	}
	return ""
}

// errors contains the parameters of the regression errors. They are estimated before the effects.
type errors struct {
	phi    float64   // correlation of neighboring days
	weight []float64 // weight of each day
	excess float64   // long-run variance of the errors after the first lag, relative to their variance
}

// firstFit estimates the errors' parameters from a robust fit of the columns: the controls and the media.
//
// The variance does not include the factor n Σψ² / (Σψ')² for estimated weights (Huber 1964), because the priors
// compensate for the estimation. In simulated stores with normal and t-distributed errors, 95% intervals have a
// coverage of 0.94 to 0.97, and of 0.98 to 0.99 with this factor.
func firstFit(y []float64, columns base) errors {
	weight, phi, excess := make([]float64, len(y)), 0.0, 1.0
	for t := range weight {
		weight[t] = 1
	}
	for range 4 {
		e := residuals(y, columns, weight)
		phi = 0
		if v := stats.Dot(e[1:], e[1:]); v > 0 {
			var num, den float64
			for t := 1; t < len(e); t++ {
				w := min(weight[t], weight[t-1])
				num += w * e[t] * e[t-1]
				den += w * e[t-1] * e[t-1]
			}
			phi = persistence(num/den, float64(len(columns))/float64(len(y)))
		}
		u := make([]float64, len(e))
		u[0] = e[0] * math.Sqrt(1-phi*phi)
		for t := 1; t < len(e); t++ {
			u[t] = e[t] - phi*e[t-1]
		}
		size := medianSize(u) / 0.7407 // median of |t| with 4 degrees of freedom
		if size <= 0 {
			break
		}
		for t := range weight {
			weight[t] = (tails + 1) / (tails + u[t]*u[t]/(size*size))
		}
		excess = lasting(u, weight, float64(len(columns))/float64(len(y)))
	}
	return errors{phi, weight, excess}
}

// persistence returns the lag-1 autocorrelation of the errors, given left, the autocorrelation of the residuals. It
// corrects for the fit. Slow columns remove the low frequencies of the errors' spectrum. The number of these columns is
// a share p of the days. At these frequencies, AR(1) errors have (1+φ)/(1-φ) times the average power. This power is a
// share s of the errors' variance and is fully correlated. The remaining variance has autocorrelation (φ-s)/(1-s).
func persistence(left, p float64) float64 {
	phi := min(max(left, 0), mostPhi)
	for range 20 {
		s := min(0.5, p*(1+phi)/(1-phi))
		phi = min(max(left*(1-s)+s, 0), mostPhi)
	}
	return phi
}

// lastingDays is the maximum lag of [lasting], in days.
const lastingDays = 10

// lasting returns the ratio of the long-run variance to the variance of the prewhitened errors, at least 1:
//
//	1 + 2 Σ (1 - l/(L+1)) ρ(l)
//
// Each ρ(l) is increased by p, the number of fitted columns per day, because the fit lowers the autocorrelation. See
// Newey and West 1987 and, for prewhitening, Andrews and Monahan 1992.
func lasting(u, weight []float64, p float64) float64 {
	ratio, variance := 1.0, 0.0
	for t := range u {
		variance += weight[t] * u[t] * u[t]
	}
	for l := 1; l <= lastingDays && variance > 0; l++ {
		sum := 0.0
		for t := l; t < len(u); t++ {
			sum += math.Sqrt(weight[t]*weight[t-l]) * u[t] * u[t-l]
		}
		ratio += 2 * (1 - float64(l)/(lastingDays+1)) * (sum/variance + p)
	}
	return max(1, ratio)
}

func medianSize(u []float64) float64 {
	far := make([]float64, len(u))
	for i, v := range u {
		far[i] = math.Abs(v)
	}
	slices.Sort(far)
	return stats.Quantile(far, 0.5)
}

// prior is the normal prior of a coefficient.
type prior struct {
	mean, variance float64
	experiments    int // number of experiments in the prior
}

// priorOf returns the general prior of an effect, combined with the experiments on the effect by precision weights.
func (d Data) priorOf(e Effect) prior {
	size := haloSize
	if e.Home {
		size = homeSize
	}
	precision, pull, n := 1/(size*size), 0.0, 0
	for _, x := range d.Experiments {
		if x.Channel == e.Channel && x.Surface == e.Surface && x.Error > 0 {
			precision, pull, n = precision+1/(x.Error*x.Error), pull+x.Coefficient/(x.Error*x.Error), n+1
		}
	}
	return prior{mean: pull / precision, variance: 1 / precision, experiments: n}
}

// fallBack uses the experiments alone for effects that the observational data cannot identify.
func (d Data) fallBack(effects []Effect, level float64) {
	for k := range effects {
		e := &effects[k]
		known := d.priorOf(*e)
		if e.Reason == "" || known.experiments == 0 {
			continue
		}
		sd := math.Sqrt(known.variance)
		e.Reason, e.Alone, e.Experiments, e.MeanLag = "", true, known.experiments, 0
		e.SD, e.Positive = sd, distuv.UnitNormal.CDF(known.mean/sd)
		e.Coefficient = measure.Estimate{
			Value: known.mean, Interval: measure.NormalInterval(known.mean, sd, level), Method: measure.GeoExperiment,
			Basis: measure.Incremental,
		}
		e.Wide = measure.NormalInterval(known.mean, sd, wideLevel)
	}
}

// model is the regression of a surface. Columns are ordered by channel, then lag.
type model struct {
	regression
	priors []prior
}

// draws contains the stored draws by channel.
type draws struct {
	beta [][]float64
	lag  [][]int
}

func (m model) draw(keep int, rng *rand.Rand) draws {
	n, g := len(m.priors), len(lags)
	beta, at := make([]float64, n), make([]int, n)
	for k := range at {
		at[k] = k*g + usualLag
	}
	noise := m.excess * m.yy / m.free
	squares := make([]float64, n*g) // for all columns, in one allocation
	for j := range squares {
		squares[j] = m.xx[j][j]
	}
	out := draws{beta: make([][]float64, n), lag: make([][]int, n)}
	for k := range n {
		out.beta[k], out.lag[k] = make([]float64, 0, keep), make([]int, 0, keep)
	}
	rest, means, sizes, heights := make([]float64, g), make([]float64, g), make([]float64, g), make([]float64, g)
	for i := range warmup + keep {
		certainty := 1 / noise
		for k := range n {
			own := k * g
			copy(rest, m.xy[own:own+g])
			for l, b := range beta {
				if l != k {
					floats.AddScaled(rest, -b, m.xx[at[l]][own:own+g])
				}
			}
			most, precision, pull := math.Inf(-1), 1/m.priors[k].variance, m.priors[k].mean/m.priors[k].variance
			for j, r := range rest {
				variance := 1 / (squares[own+j]*certainty + precision)
				towards := r*certainty + pull
				means[j], sizes[j] = towards*variance, math.Sqrt(variance)
				heights[j] = 0.5 * towards * means[j]
				most = max(most, heights[j])
			}
			for j := range heights {
				heights[j] -= most
			}
			stats.Exp(heights, heights)
			for j, size := range sizes {
				heights[j] *= size // posterior of the lag, with the coefficient integrated out
			}
			j := pick(heights, rng)
			at[k], beta[k] = own+j, means[j]+rng.NormFloat64()*sizes[j]
		}
		noise = m.excess * m.left(beta, at) / (2 * distuv.Gamma{Alpha: m.free / 2, Beta: 1, Src: rng}.Rand())
		if i >= warmup {
			for k := range n {
				out.beta[k], out.lag[k] = append(out.beta[k], beta[k]), append(out.lag[k], at[k]-k*g)
			}
		}
	}
	return out
}

// left returns the residual sum of squares.
func (m model) left(beta []float64, at []int) float64 {
	sum := m.yy
	for k, b := range beta {
		sum -= 2 * b * m.xy[at[k]]
		for l, c := range beta {
			sum += b * c * m.xx[at[k]][at[l]]
		}
	}
	return max(sum, 1e-12*m.yy)
}

// pick draws an index with probabilities proportional to the weights.
func pick(weights []float64, rng *rand.Rand) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	u := rng.Float64() * sum
	for i, w := range weights {
		if u -= w; u < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// wideLevel is the level of [Effect.Wide].
const wideLevel = 0.95

// describe summarizes the draws of a channel.
func (d draws) describe(i int, level float64, e *Effect) {
	sorted := slices.Sorted(slices.Values(d.beta[i]))
	within := func(level float64) measure.Interval {
		return measure.Interval{
			Low: stats.Quantile(sorted, (1-level)/2), High: stats.Quantile(sorted, (1+level)/2), Level: level,
		}
	}
	e.Coefficient = measure.Estimate{Interval: within(level), Method: measure.DistributedLag, Basis: measure.Modelled}
	e.Coefficient.Value, e.SD = stats.MeanSD(sorted)
	e.Wide = within(wideLevel)
	for k, b := range d.beta[i] {
		e.Positive += indicator(b > 0) / float64(len(sorted))
		e.MeanLag += lags[d.lag[i][k]].meanLag() / float64(len(sorted))
	}
}

// response returns the mean response of channel i over the draws.
func (d draws) response(i int, columns [][]float64) []float64 {
	out := make([]float64, len(columns[0]))
	times := make([]float64, len(lags))
	for _, j := range d.lag[i] {
		times[j]++
	}
	for j, n := range times {
		if n > 0 {
			floats.AddScaled(out, n/float64(len(d.lag[i])), columns[i*len(lags)+j])
		}
	}
	return out
}
