package mmm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// density is the model's posterior as the sampler sees it, with one chain's scratch space.
//
// Two of the sampler's coordinates are not the parameters themselves, because in those the posterior is a narrow,
// bent ridge. What the data know of a channel is its swing, the standard deviation of its contribution over the fitted
// rows: a straight curve with a small coefficient, a bent one and one that saturates at once and is nearly constant
// can look alike. And what the data know of the intercept is the mean of mu, whatever the channels share among
// them. So the coordinates are the swing, in units of the resolution and straightened by [soft], and that mean:
//
//	beta = swing / sd(s)
//	intercept = mean of mu - sum of beta mean(s) - sum of coefficients times their terms' means
//
// A channel with lift tests has the result of one for its swing: see [model.rise]. The priors stay on the parameters. With geos
// both count in standard errors: see [model.scaleMean], [model.stretch].
type density struct {
	*model
	theta, slope []float64 // parameters on their own scale, and their derivatives by the coordinates
	gradient     []float64 // by the parameters
	u            []float64 // coordinates with swings in units of the resolution
	stretches    []stretch // of the channels; nil without geos
	mu, byMu     []float64
	byWeight     []float64
	curves       []curve
	pool         *pool // nil without geos
}

// curve is one channel's carried-over, saturated exposure with derivatives.
type curve struct {
	kernel      *kernel
	a           []float64 // carried over
	worth                 // saturated
	mean, sd    float64   // of s over the fitted rows
	level       float64   // mean of s times the geo's size over the fitted rows
	beta        float64   // common to all geos
	confounding float64   // what moves with s besides; 0 without lift tests
	betas       []float64 // of each geo; set by evaluateAt only
	byS         []float64 // derivatives by s that come from differences between geos; nil without geos
	wave        *wave     // nil when the effect is constant
}

func (m *model) newDensity() *density {
	row := func() []float64 { return make([]float64, m.rows) }
	d := &density{
		model: m, mu: row(), byMu: row(), byWeight: make([]float64, max(m.spec.Adstock.Lags, 1)),
		theta: make([]float64, len(m.parameters)), slope: make([]float64, len(m.parameters)),
		gradient: make([]float64, len(m.parameters)), u: make([]float64, len(m.parameters)), stretches: make([]stretch, len(m.swings)),
	}
	d.curves = m.newCurves()
	if m.geos > 1 {
		d.pool = m.newPool()
		for i := range d.curves {
			d.curves[i].byS = row()
		}
	}
	return d
}

// newCurves returns room for every channel's curve over the fitted rows.
func (m *model) newCurves() []curve {
	curves := make([]curve, len(m.channels))
	for i := range curves {
		curves[i] = m.newCurve(m.rows)
	}
	return curves
}

func (m *model) newCurve(rows int) curve {
	return curve{
		kernel: m.spec.Adstock.newKernel(), a: make([]float64, rows), worth: newWorth(rows), betas: make([]float64, m.geos),
		wave: m.newWave(rows),
	}
}

// Dim returns the number of parameters.
func (d *density) Dim() int { return len(d.parameters) }

// LogDensity returns the log posterior at u, up to a constant, and its gradient.
func (d *density) LogDensity(u, grad []float64) float64 {
	copy(d.u, u)
	logp := d.stretch(d.u, d.stretches)
	for i, p := range d.parameters {
		var logJacobian float64
		d.theta[i], d.slope[i], logJacobian, grad[i] = p.support.constrain(d.u[i])
		logp += logJacobian
	}
	for i := range d.channels {
		swing := d.theta[d.channels[i].at]
		d.evaluate(&d.curves[i], &d.channels[i], d.theta)
		logp += math.Log(d.effectOfSwing(&d.curves[i], &d.channels[i], d.theta) / swing)
		if at := d.channels[i].confoundingAt; at > 0 {
			d.slope[at] = d.confoundingOfSwing(&d.curves[i], &d.channels[i], d.theta)
			logp += math.Log(d.slope[at])
		}
		d.setConfounding(&d.curves[i], &d.channels[i], d.theta)
	}
	mean := u[d.baselineAt]
	scale := d.scaleMean(d.theta, d.stretches)
	d.slope[d.baselineAt] = scale
	logp += math.Log(scale)
	d.centre(d.theta, d.curves)
	logp += d.priors()
	logp += d.likelihood(grad)
	byMean := d.gradient[d.baselineAt]
	byScale := byMean*mean + 1/scale
	if d.geos > 1 {
		d.gradient[d.pooledAt] += byScale * d.theta[d.pooledAt] / (float64(d.geos) * scale)
	}
	for i, s := range d.stretches {
		at, level := d.channels[i].at, d.levels[i]
		byBy := grad[at]*u[at] + 1/s.by // by how much the coordinate is stretched
		byBy += byMean*level*u[at]*(1+1/(s.by*s.by)) + byScale*level*level/(s.by*s.by*s.by*scale)
		d.gradient[d.pooledAt+1+i] += byBy * s.bySpread
		grad[at] = grad[at]*s.by + byMean*level*(s.by-1/s.by)
	}
	for i := range grad {
		grad[i] += d.gradient[i] * d.slope[i]
	}
	return logp
}

// priors returns the log density of all priors at theta, and sets the gradient to its derivatives.
func (d *density) priors() (logp float64) {
	for i, p := range d.parameters {
		if p.joint || d.kin.holds(i) {
			continue
		}
		prior, byPrior := p.prior.logp(d.theta[i])
		logp += prior
		d.gradient[i] = byPrior
	}
	if d.kin != nil {
		logp += d.kin.logp(d.theta, d.gradient)
	}
	for _, b := range d.batches {
		logp += b.logp(d.theta, d.gradient)
	}
	return logp
}

// effectOfSwing turns the channel's swing, or a test's result, in theta into beta and its effect, and returns the effect.
func (m *model) effectOfSwing(v *curve, c *channel, theta []float64) float64 {
	if c.confoundingAt > 0 {
		_, shape := m.split(c, theta)
		rise, _ := m.rise(c, shape)
		v.beta = theta[c.at] / rise
	} else {
		v.beta = theta[c.at] * m.resolution / v.sd
	}
	theta[c.at] = v.beta
	if m.spec.Effect != Coefficient {
		theta[c.at] *= v.level * float64(m.rows) / c.effectOf
	}
	return theta[c.at]
}

// stretch is by how much a channel's coordinate is stretched, the derivative of that by its spread, and the coordinate.
type stretch struct{ by, bySpread, u float64 }

// stretch turns the coordinates of swings into swings, in units of the resolution, and returns the log of the Jacobian.
// With geos the common swing is known the better the less their effects differ: their mean is known to about the
// resolution, and the common one differs from that by the spread by the root of their number. A coordinate that does not
// know this is a funnel. So it counts, from a guess w, in standard errors: sqrt(1 + (w spread)^2 / geos).
func (m *model) stretch(u []float64, stretches []stretch) (logJacobian float64) {
	for i, guess := range m.swings {
		spread, _, _, _ := positive.constrain(u[m.pooledAt+1+i])
		share := guess * guess / float64(m.geos)
		by := math.Sqrt(1 + share*spread*spread)
		at := m.channels[i].at
		stretches[i] = stretch{by, share * spread / by, u[at]}
		u[at] = guess + u[at]*by
		logJacobian += math.Log(by)
	}
	return logJacobian
}

// scaleMean turns the coordinate of the mean of mu in theta into that mean, and returns the derivative. With geos the
// mean is known the better the less their intercepts and effects differ; a coordinate that does not know this is a funnel.
// Data know the mean of the geos' own means. A common swing that is k standard errors, each by = sqrt(1 + share) resolutions, off
// the guess differs from the geos' mean swing by k (by - 1/by) of these, of which the mean of the normal distributions on both
// sides has the part share / (1 + share), with a variance of as many squared resolutions. With a channel's level l, the mean of
// its contribution where its swing is one resolution, the coordinate counts from
//
//	mean of the targets + sum of k l (by - 1/by)     in units of     sqrt(intercept.spread^2 / geos + resolution^2 + sum of l^2 (1 - 1/by^2))
func (m *model) scaleMean(theta []float64, stretches []stretch) float64 {
	if m.geos == 1 {
		return 1
	}
	spread := theta[m.pooledAt]
	from, square := m.yMean, spread*spread/float64(m.geos)+m.resolution*m.resolution
	for i, s := range stretches {
		from += s.u * m.levels[i] * (s.by - 1/s.by)
		square += m.levels[i] * m.levels[i] * (1 - 1/(s.by*s.by))
	}
	scale := math.Sqrt(square)
	theta[m.baselineAt] = from + theta[m.baselineAt]*scale
	return scale
}

// centre turns the mean of mu in theta into the intercept.
func (m *model) centre(theta []float64, curves []curve) {
	intercept := theta[m.baselineAt]
	for i := range curves {
		intercept -= curves[i].beta * curves[i].mean
	}
	for k, mean := range m.termMeans {
		intercept -= theta[m.baselineAt+1+k] * mean
	}
	theta[m.baselineAt] = intercept
}

// likelihood returns the log likelihood of the rows and the lift tests. It adds to the gradient by the parameters,
// and for the channels' swings to grad.
func (d *density) likelihood(grad []float64) float64 {
	clear(d.mu)
	d.baselineMean(d.mu, d.theta)
	for i := range d.channels {
		d.curves[i].addTo(d.mu)
	}
	noise := d.noiseAt
	var logp float64
	if d.pool != nil {
		logp = d.pooled()
	} else {
		logp = d.spec.Likelihood.logp(d.y[:d.rows], d.mu, d.theta[noise:], d.byMu, d.gradient[noise:])
	}

	coefficients := d.gradient[d.baselineAt:noise]
	for k, term := range d.terms {
		for g := range d.geos {
			coefficients[k] += floats.Dot(d.byMu[g*d.periods:(g+1)*d.periods], term.values[g*d.span:g*d.span+d.periods])
		}
	}
	for i := range d.channels {
		logp += d.channelGradient(&d.curves[i], &d.channels[i], grad)
	}
	for k, mean := range d.termMeans {
		coefficients[k+1] -= coefficients[0] * mean
	}
	return logp
}

// addTo adds to mu the effect of the channel and what moves with it besides. Mu holds as many rows as the curve.
func (v *curve) addTo(mu []float64) {
	floats.AddScaled(mu, v.beta+v.confounding, v.s)
	if v.confounding != 0 {
		floats.AddConst(-v.confounding*v.mean, mu)
	}
}

// evaluate sets the curve for the parameters over as many periods as it has room for, all but beta.
func (m *model) evaluate(v *curve, c *channel, theta []float64) {
	adstock, saturation := m.split(c, theta)
	m.spec.Adstock.weights(v.kernel, adstock)
	rows := len(v.a) / m.geos
	if c.often != nil {
		m.reached(v, c, saturation)
	} else {
		for g := range m.geos {
			v.kernel.spread(v.a[g*rows:(g+1)*rows], c.x[g*m.span:g*m.span+rows])
		}
		m.spec.Saturation.fill(v.worth, v.a, saturation)
	}
	if v.wave != nil {
		amplitude, z := m.waveOf(c, theta)
		v.wave.set(m.waves, *amplitude, z)
		v.wave.vary(v.s)
	}
	m.measure(v, rows)
}

// reached sets s for a channel with reach and frequency: what reach times saturated frequency leaves after carry-over. A
// holds that product before carry-over, and dTheta its derivatives.
func (m *model) reached(v *curve, c *channel, saturation []float64) {
	rows := len(v.a) / m.geos
	for g := range m.geos {
		from, to := g*rows, (g+1)*rows
		reach, often := c.x[g*m.span:g*m.span+rows], c.often[g*m.span:g*m.span+rows]
		w := worth{v.a[from:to], v.ds[from:to], [maxSaturationParameters][]float64{v.dTheta[0][from:to], v.dTheta[1][from:to]}}
		m.spec.Saturation.fill(w, often, saturation)
		floats.Mul(w.s, reach)
		for _, by := range w.dTheta {
			floats.Mul(by, reach)
		}
		v.kernel.spread(v.s[from:to], v.a[from:to])
	}
}

// measure sets the moments of s over the fitted rows of a curve with so many rows for each geo.
func (m *model) measure(v *curve, rows int) {
	n := float64(m.rows)
	v.mean, v.level = 0, 0
	for g, size := range m.size {
		sum := floats.Sum(v.s[g*rows : g*rows+m.periods])
		v.mean += sum / n
		v.level += size * sum / n
	}
	var squares float64
	for g := range m.geos {
		squares += squaresAround(v.mean, v.s[g*rows:g*rows+m.periods])
	}
	v.sd = math.Sqrt(squares / n)
}

// squaresAround returns the sum of squared distances from a mean, in four strands as [stats.Dot] sums.
func squaresAround(mean float64, values []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(values) >= 4 {
		d0, d1, d2, d3 := values[0]-mean, values[1]-mean, values[2]-mean, values[3]-mean
		s0, s1, s2, s3 = s0+d0*d0, s1+d1*d1, s2+d2*d2, s3+d3*d3
		values = values[4:]
	}
	for _, v := range values {
		s0 += (v - mean) * (v - mean)
	}
	return (s0 + s1) + (s2 + s3)
}

// evaluateAt sets the curve, beta included, for parameters that are all on their own scale.
func (m *model) evaluateAt(v *curve, c *channel, theta []float64) {
	m.evaluate(v, c, theta)
	v.beta = theta[c.at]
	m.setConfounding(v, c, theta)
	if m.spec.Effect != Coefficient {
		v.beta *= c.effectOf / (v.level * float64(m.rows))
	}
	for g := range v.betas {
		v.betas[g] = v.beta
		if len(theta) > len(m.parameters) {
			v.betas[g] = theta[m.ofGeo(g)+1+c.index]
		}
	}
}

// constrain sets theta to the parameters on their own scale at the coordinates u. The curves are scratch.
func (m *model) constrain(theta, u []float64, curves []curve) {
	u = slices.Clone(u)
	stretches := make([]stretch, len(m.swings))
	m.stretch(u, stretches)
	for i, p := range m.parameters {
		theta[i], _, _, _ = p.support.constrain(u[i])
	}
	for i := range m.channels {
		m.evaluate(&curves[i], &m.channels[i], theta)
		m.effectOfSwing(&curves[i], &m.channels[i], theta)
		if m.channels[i].confoundingAt > 0 {
			m.confoundingOfSwing(&curves[i], &m.channels[i], theta)
		}
		m.setConfounding(&curves[i], &m.channels[i], theta)
	}
	m.scaleMean(theta, stretches)
	m.centre(theta, curves)
}

// split returns the channel's parameters of adstock and saturation.
func (m *model) split(c *channel, theta []float64) (adstock, saturation []float64) {
	from := c.at + 1
	to := from + m.carryOver
	return theta[from:to], theta[to : to+m.shape]
}

// channelGradient adds the channel's part of the gradient and returns the log likelihood of its lift tests.
//
// With r the gradient by mu, the direct gradient by s is beta r. Besides, s moves beta through its deviation and the
// level beta mean(s) through both moments; the level moves the intercept and, when it is a return or a share, the
// effect. With B, E and L the gradients by the logs of beta, of the effect (its prior and the log Jacobian) and of the
// level in the intercept, and with the size of the row's geo, the derivative by s_t is
//
//	beta r_t - (B + E + L) (s_t - mean) / (n sd^2) + L / (n mean), and + E size / (n level) unless the effect is beta
//
// Differences between geos add what [density.pooled] left in byS. Of a channel with lift tests the rise at its anchor moves beta instead of
// the deviation of s, and what moves with it adds [density.confoundingGradient].
func (d *density) channelGradient(v *curve, c *channel, grad []float64) (logp float64) {
	adstock, saturation := d.split(c, d.gradient)
	_, shape := d.split(c, d.theta)
	byBeta := floats.Dot(d.byMu, v.s)
	var besideMean, besideSlope, besideSwing float64
	if c.confoundingAt > 0 {
		besideMean, besideSlope, besideSwing = d.confoundingGradient(v, c, byBeta)
	}
	if d.pool != nil {
		byBeta += d.pool.byBeta[c.index]
	}
	for _, l := range c.lifts {
		logp += d.liftGradient(v, c, l, shape, saturation, &byBeta)
	}
	n := float64(d.rows)
	byLogBeta := byBeta*v.beta + besideSwing
	byLogEffect := d.gradient[c.at] * d.theta[c.at]
	byLogLevel := -d.gradient[d.baselineAt] * v.beta * v.mean
	byDivisor := -(byLogBeta + byLogEffect + 1 + byLogLevel) // by the log of what the coordinate is divided by to give beta
	bySD, swing := -byDivisor/(n*v.sd*v.sd), v.beta*v.sd/d.resolution
	byMean, bySize := byLogLevel/(n*v.mean), 0.0
	if c.confoundingAt > 0 {
		rise, byShape := d.rise(c, shape)
		floats.AddScaled(saturation, byDivisor, byShape[:len(saturation)])
		bySD, swing = v.confounding*besideSlope-besideSwing/(n*v.sd*v.sd), v.beta*rise
		byMean -= v.confounding * besideMean
	}
	grad[c.at] += (byLogBeta + byLogEffect + byLogLevel) * d.slope[c.at] / swing
	d.gradient[c.at] = 0 // all of it is in grad
	if d.spec.Effect != Coefficient {
		bySize = (byLogEffect + 1) / (n * v.level)
	}
	if v.wave != nil {
		copy(v.wave.s, v.s)
	}
	byS := v.s // s itself is not needed any more
	for g, size := range d.size {
		for t := g * d.periods; t < (g+1)*d.periods; t++ {
			byS[t] = (v.beta+v.confounding)*d.byMu[t] - bySD*(v.s[t]-v.mean) + byMean + bySize*size
		}
	}
	if v.byS != nil {
		floats.Add(byS, v.byS)
	}
	if v.wave != nil {
		d.waveGradient(v.wave, c, byS)
	}
	if c.often != nil {
		d.reachGradient(v, adstock, saturation)
		return logp
	}
	for k := range saturation {
		saturation[k] += floats.Dot(byS, v.dTheta[k])
	}
	floats.Mul(v.ds, byS)
	for g := range d.geos {
		v.kernel.gradient(adstock, d.byWeight, v.ds[g*d.periods:(g+1)*d.periods], c.x[g*d.span:g*d.span+d.periods])
	}
	return logp
}

// reachGradient adds what a channel with reach and frequency gives to the gradient by its shape. S of the curve holds the
// gradient by s.
func (d *density) reachGradient(v *curve, adstock, saturation []float64) {
	for g := range d.geos {
		from, to := g*d.periods, (g+1)*d.periods
		v.kernel.gradient(adstock, d.byWeight, v.s[from:to], v.a[from:to])
		v.kernel.back(v.ds[from:to], v.s[from:to])
	}
	for k := range saturation {
		saturation[k] += floats.Dot(v.ds, v.dTheta[k])
	}
}

// liftGradient returns the log likelihood of one lift test. Carry-over has settled, so the carried-over exposure is
// the exposure itself and the lift is beta (s(to) - s(from)). In a single geo beta differs from the common one by a
// standard deviation of beta times spread, which adds to the test's error.
func (d *density) liftGradient(v *curve, c *channel, l lift, shape, saturation []float64, byBeta *float64) (logp float64) {
	from, _, dFrom := d.spec.Saturation.value(l.from, shape)
	to, _, dTo := d.spec.Saturation.value(l.to, shape)
	rise, spread := to-from, 0.0
	if l.geo {
		spread = d.theta[d.pooledAt+1+c.index]
	}
	deviation := v.beta * spread * rise
	variance := l.sigma*l.sigma + deviation*deviation
	miss := l.delta - v.beta*rise
	byLift := miss / variance
	byDeviation := (miss*miss/variance - 1) / variance * deviation
	*byBeta += byLift*rise + byDeviation*spread*rise
	if l.geo {
		d.gradient[d.pooledAt+1+c.index] += byDeviation * v.beta * rise
	}
	for k := range saturation {
		saturation[k] += (byLift*v.beta + byDeviation*v.beta*spread) * (dTo[k] - dFrom[k])
	}
	return -miss*miss/(2*variance) - math.Log(variance)/2
}
