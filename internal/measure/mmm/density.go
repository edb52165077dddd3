package mmm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// density is the log posterior in the sampler's coordinates, with one chain's scratch space.
//
// The sampler's coordinates differ from the parameters in two places where the posterior of the parameters is a narrow
// curved ridge. First, the data identify a channel's scaled effect: the standard deviation of its incremental outcome
// over the fitted rows. A linear curve with a small coefficient, a concave curve and an immediately saturated curve can
// fit equally well. Second, the data identify the mean of mu, not the intercept. The coordinates are therefore the
// scaled effect, in units of the resolution and transformed by [soft], and the mean of mu:
//
//	beta = scaled effect / sd(s)
//	intercept = mean of mu - sum of beta mean(s) - sum of coefficients times their terms' means
//
// For a channel with lift tests, the coordinate is the predicted result of one test; see [model.rise]. Priors apply to
// the parameters, so the log Jacobian is added. With geos, the coordinates of scaled effects and of the mean of mu are
// in standard errors; see [model.scaleMean] and [model.rescale].
type density struct {
	*model
	theta, slope []float64 // parameters on their own scale, and their derivatives with respect to the coordinates
	gradient     []float64 // derivatives of the log density with respect to the parameters
	u            []float64 // coordinates with scaled effects in units of the resolution
	scalings     []scaling // scalings of the channels; nil without geos
	mu, byMu     []float64
	byWeight     []float64
	curves       []curve
	geoEffects   *geoEffects // nil without geos
}

// curve is one channel's adstocked, saturated exposure with derivatives.
type curve struct {
	kernel      *kernel
	a           []float64    // adstocked exposure
	saturated                // saturated exposure
	mean, sd    float64      // mean and standard deviation of s, the saturated exposure, over the fitted rows
	level       float64      // mean of s times the geo's size over the fitted rows
	beta        float64      // coefficient of s that is common to all geos
	confounding float64      // coefficient of s from confounding; 0 without lift tests
	betas       []float64    // one per geo; set by evaluateAt only
	byS         []float64    // derivatives with respect to s through differences between geos; nil without geos
	timeVarying *timeVarying // nil if the effect is constant
}

func (m *model) newDensity() *density {
	row := func() []float64 { return make([]float64, m.rows) }
	d := &density{
		model: m, mu: row(), byMu: row(), byWeight: make([]float64, max(m.spec.Adstock.Lags, 1)),
		theta: make([]float64, len(m.parameters)), slope: make([]float64, len(m.parameters)),
		gradient: make([]float64, len(m.parameters)), u: make([]float64, len(m.parameters)),
		scalings: make([]scaling, len(m.scaledEffects)),
	}
	d.curves = m.newCurves()
	if m.geos > 1 {
		d.geoEffects = m.newGeoEffects()
		for i := range d.curves {
			d.curves[i].byS = row()
		}
	}
	return d
}

// newCurves allocates every channel's curve over the fitted rows.
func (m *model) newCurves() []curve {
	curves := make([]curve, len(m.channels))
	for i := range curves {
		curves[i] = m.newCurve(m.rows)
	}
	return curves
}

func (m *model) newCurve(rows int) curve {
	return curve{
		kernel: m.spec.Adstock.newKernel(), a: make([]float64, rows), saturated: newSaturated(rows),
		betas:       make([]float64, m.geos),
		timeVarying: m.newTimeVarying(rows),
	}
}

func (d *density) Dim() int { return len(d.parameters) }

// LogDensity returns the log posterior at u, up to a constant, and its gradient.
func (d *density) LogDensity(u, grad []float64) float64 {
	copy(d.u, u)
	logp := d.rescale(d.u, d.scalings)
	for i, p := range d.parameters {
		var logJacobian float64
		d.theta[i], d.slope[i], logJacobian, grad[i] = p.support.constrain(d.u[i])
		logp += logJacobian
	}
	for i := range d.channels {
		scaled := d.theta[d.channels[i].at]
		d.evaluate(&d.curves[i], &d.channels[i], d.theta)
		logp += math.Log(d.effectOfCoordinate(&d.curves[i], &d.channels[i], d.theta) / scaled)
		if at := d.channels[i].confoundingAt; at > 0 {
			d.slope[at] = d.confoundingOfCoordinate(&d.curves[i], &d.channels[i], d.theta)
			logp += math.Log(d.slope[at])
		}
		d.setConfounding(&d.curves[i], &d.channels[i], d.theta)
	}
	mean := u[d.baselineAt]
	scale := d.scaleMean(d.theta, d.scalings)
	d.slope[d.baselineAt] = scale
	logp += math.Log(scale)
	d.center(d.theta, d.curves)
	logp += d.priors()
	logp += d.likelihood(grad)
	byMean := d.gradient[d.baselineAt]
	byScale := byMean*mean + 1/scale
	if d.geos > 1 {
		d.gradient[d.pooledAt] += byScale * d.theta[d.pooledAt] / (float64(d.geos) * scale)
	}
	for i, s := range d.scalings {
		at, level := d.channels[i].at, d.levels[i]
		byBy := grad[at]*u[at] + 1/s.by // derivative of the coordinate's scaling
		byBy += byMean*level*u[at]*(1+1/(s.by*s.by)) + byScale*level*level/(s.by*s.by*s.by*scale)
		d.gradient[d.pooledAt+1+i] += byBy * s.bySpread
		grad[at] = grad[at]*s.by + byMean*level*(s.by-1/s.by)
	}
	for i := range grad {
		grad[i] += d.gradient[i] * d.slope[i]
	}
	return logp
}

// priors returns the log density of all priors at theta and sets the gradient with respect to the parameters.
func (d *density) priors() (logp float64) {
	for i, p := range d.parameters {
		if p.joint || d.pooledEffects.holds(i) {
			continue
		}
		prior, byPrior := p.prior.logp(d.theta[i])
		logp += prior
		d.gradient[i] = byPrior
	}
	if d.pooledEffects != nil {
		logp += d.pooledEffects.logp(d.theta, d.gradient)
	}
	for _, b := range d.controlGroups {
		logp += b.logp(d.theta, d.gradient)
	}
	return logp
}

// effectOfCoordinate converts a channel's coordinate in theta to beta and to the channel's effect, and returns the
// effect. The coordinate is a scaled effect or a test's result.
func (m *model) effectOfCoordinate(v *curve, c *channel, theta []float64) float64 {
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

// scaling contains the factor of a channel's reparameterization, the factor's derivative with respect to the channel's
// spread between geos, and the sampler's coordinate.
type scaling struct{ by, bySpread, u float64 }

// rescale converts the sampler's coordinates to scaled effects in units of the resolution and returns the log Jacobian.
// With geos, the precision of a common effect depends on the spread between geos. The mean of the geos' effects has an
// error of about one resolution. The common effect differs from this mean by about spread / sqrt(geos). With a fixed
// scale, the posterior would have the shape of a funnel. The coordinate is therefore in units of the standard error
// sqrt(1 + (w spread)^2 / geos), where w is a least-squares estimate of the effect.
func (m *model) rescale(u []float64, scalings []scaling) (logJacobian float64) {
	for i, guess := range m.scaledEffects {
		spread, _, _, _ := positive.constrain(u[m.pooledAt+1+i])
		share := guess * guess / float64(m.geos)
		by := math.Sqrt(1 + share*spread*spread)
		at := m.channels[i].at
		scalings[i] = scaling{by, share * spread / by, u[at]}
		u[at] = guess + u[at]*by
		logJacobian += math.Log(by)
	}
	return logJacobian
}

// scaleMean converts the coordinate in theta to the mean of mu. It returns the derivative of the mean with respect to
// the coordinate. With geos, the mean's precision depends on the spread of intercepts and effects, as in
// [model.rescale]. With a fixed scale, the posterior would have the shape of a funnel.
//
// The data identify the mean of the geos' means. Let k be the distance of a common scaled effect from its least-squares
// estimate, in standard errors. A standard error is by = sqrt(1 + share) resolutions. Differences between geos cause
// the part share / (1 + share) of this distance. The effect therefore differs from the geos' mean effect by k (by -
// 1/by) resolutions on average. The variance around this average is share / (1 + share) squared resolutions. Let l be a
// channel's mean incremental outcome at a scaled effect of one resolution. The coordinate is centered at
//
//	mean of the targets + sum of k l (by - 1/by)
//
// and its unit is
//
//	sqrt(intercept.spread^2 / geos + resolution^2 + sum of l^2 (1 - 1/by^2))
func (m *model) scaleMean(theta []float64, scalings []scaling) float64 {
	if m.geos == 1 {
		return 1
	}
	spread := theta[m.pooledAt]
	from, square := m.yMean, spread*spread/float64(m.geos)+m.resolution*m.resolution
	for i, s := range scalings {
		from += s.u * m.levels[i] * (s.by - 1/s.by)
		square += m.levels[i] * m.levels[i] * (1 - 1/(s.by*s.by))
	}
	scale := math.Sqrt(square)
	theta[m.baselineAt] = from + theta[m.baselineAt]*scale
	return scale
}

// center converts the mean of mu in theta to the intercept.
func (m *model) center(theta []float64, curves []curve) {
	intercept := theta[m.baselineAt]
	for i := range curves {
		intercept -= curves[i].beta * curves[i].mean
	}
	for k, mean := range m.termMeans {
		intercept -= theta[m.baselineAt+1+k] * mean
	}
	theta[m.baselineAt] = intercept
}

// likelihood returns the log likelihood of rows and lift tests. It adds the gradient with respect to the parameters to
// d.gradient, and the gradient with respect to the channels' coordinates to grad.
func (d *density) likelihood(grad []float64) float64 {
	clear(d.mu)
	d.baselineMean(d.mu, d.theta)
	for i := range d.channels {
		d.curves[i].addTo(d.mu)
	}
	noise := d.noiseAt
	var logp float64
	if d.geoEffects != nil {
		logp = d.geoLikelihood()
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

// addTo adds the channel's effect and its confounding to mu, which has as many rows as the curve.
func (v *curve) addTo(mu []float64) {
	floats.AddScaled(mu, v.beta+v.confounding, v.s)
	if v.confounding != 0 {
		floats.AddConst(-v.confounding*v.mean, mu)
	}
}

// evaluate sets all fields of the curve except beta. The length of the curve's series determines the number of periods.
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
		m.spec.Saturation.fill(v.saturated, v.a, saturation)
	}
	if v.timeVarying != nil {
		amplitude, z := m.timeVaryingOf(c, theta)
		v.timeVarying.set(m.hsgp, *amplitude, z)
		v.timeVarying.vary(v.s)
	}
	m.measure(v, rows)
}

// reached sets s for a channel with reach and frequency. s is the adstock of the product of reach and saturated
// frequency. The field a contains this product before adstock, and dTheta contains the product's derivatives.
func (m *model) reached(v *curve, c *channel, saturation []float64) {
	rows := len(v.a) / m.geos
	for g := range m.geos {
		from, to := g*rows, (g+1)*rows
		reach, often := c.x[g*m.span:g*m.span+rows], c.often[g*m.span:g*m.span+rows]
		w := saturated{v.a[from:to], v.ds[from:to], [maxSaturationParameters][]float64{
			v.dTheta[0][from:to], v.dTheta[1][from:to],
		}}
		m.spec.Saturation.fill(w, often, saturation)
		floats.Mul(w.s, reach)
		for _, by := range w.dTheta {
			floats.Mul(by, reach)
		}
		v.kernel.spread(v.s[from:to], v.a[from:to])
	}
}

// measure sets the mean, level and standard deviation of v.s over the fitted rows. The parameter rows is the curve's
// number of rows per geo.
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

// squaresAround returns the sum of squared deviations from a mean, in four partial sums as in [stats.Dot].
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

// evaluateAt sets all fields of the curve from theta, the parameters on their own scale.
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

// constrain sets theta to the parameters at the coordinates u. The curves are scratch space.
func (m *model) constrain(theta, u []float64, curves []curve) {
	u = slices.Clone(u)
	scalings := make([]scaling, len(m.scaledEffects))
	m.rescale(u, scalings)
	for i, p := range m.parameters {
		theta[i], _, _, _ = p.support.constrain(u[i])
	}
	for i := range m.channels {
		m.evaluate(&curves[i], &m.channels[i], theta)
		m.effectOfCoordinate(&curves[i], &m.channels[i], theta)
		if m.channels[i].confoundingAt > 0 {
			m.confoundingOfCoordinate(&curves[i], &m.channels[i], theta)
		}
		m.setConfounding(&curves[i], &m.channels[i], theta)
	}
	m.scaleMean(theta, scalings)
	m.center(theta, curves)
}

// split returns the channel's adstock and saturation parameters.
func (m *model) split(c *channel, theta []float64) (adstock, saturation []float64) {
	from := c.at + 1
	to := from + m.carryOver
	return theta[from:to], theta[to : to+m.shape]
}

// channelGradient adds the channel's part of the gradient and returns the log likelihood of its lift tests.
//
// Let r be the gradient with respect to mu. The direct gradient with respect to s is beta r. In addition, s changes
// beta through the standard deviation of s. It changes the level beta mean(s) through the mean and the standard
// deviation of s. The level changes the intercept and, if the effect is an ROI or a share, the effect. Let B be the
// gradient with respect to the log of beta. Let L be the gradient with respect to the log of the level in the
// intercept. Let E be the gradient with respect to the log of the effect: its prior and the log Jacobian. Let size be
// the size of the row's geo. The derivative with respect to s_t is
//
//	beta r_t - (B + E + L) (s_t - mean) / (n sd^2) + L / (n mean), and + E size / (n level) unless the effect is beta
//
// With geos, byS from [density.geoLikelihood] is added. For a channel with lift tests, the rise at its anchor replaces
// the standard deviation of s, and [density.confoundingGradient] is added.
func (d *density) channelGradient(v *curve, c *channel, grad []float64) (logp float64) {
	adstock, saturation := d.split(c, d.gradient)
	_, shape := d.split(c, d.theta)
	byBeta := floats.Dot(d.byMu, v.s)
	var besideMean, unobservedSlope, unobservedCoordinate float64
	if c.confoundingAt > 0 {
		besideMean, unobservedSlope, unobservedCoordinate = d.confoundingGradient(v, c, byBeta)
	}
	if d.geoEffects != nil {
		byBeta += d.geoEffects.byBeta[c.index]
	}
	for _, l := range c.lifts {
		logp += d.liftGradient(v, c, l, shape, saturation, &byBeta)
	}
	n := float64(d.rows)
	byLogBeta := byBeta*v.beta + unobservedCoordinate
	byLogEffect := d.gradient[c.at] * d.theta[c.at]
	byLogLevel := -d.gradient[d.baselineAt] * v.beta * v.mean
	// byDivisor is the derivative with respect to the log of the divisor that converts the coordinate to beta.
	byDivisor := -(byLogBeta + byLogEffect + 1 + byLogLevel)
	bySD, scaled := -byDivisor/(n*v.sd*v.sd), v.beta*v.sd/d.resolution
	byMean, bySize := byLogLevel/(n*v.mean), 0.0
	if c.confoundingAt > 0 {
		rise, byShape := d.rise(c, shape)
		floats.AddScaled(saturation, byDivisor, byShape[:len(saturation)])
		bySD, scaled = v.confounding*unobservedSlope-unobservedCoordinate/(n*v.sd*v.sd), v.beta*rise
		byMean -= v.confounding * besideMean
	}
	grad[c.at] += (byLogBeta + byLogEffect + byLogLevel) * d.slope[c.at] / scaled
	d.gradient[c.at] = 0 // the whole gradient is already in grad
	if d.spec.Effect != Coefficient {
		bySize = (byLogEffect + 1) / (n * v.level)
	}
	if v.timeVarying != nil {
		copy(v.timeVarying.s, v.s)
	}
	byS := v.s // s can be overwritten
	for g, size := range d.size {
		for t := g * d.periods; t < (g+1)*d.periods; t++ {
			byS[t] = (v.beta+v.confounding)*d.byMu[t] - bySD*(v.s[t]-v.mean) + byMean + bySize*size
		}
	}
	if v.byS != nil {
		floats.Add(byS, v.byS)
	}
	if v.timeVarying != nil {
		d.timeVaryingGradient(v.timeVarying, c, byS)
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

// reachGradient adds the gradient with respect to the adstock and saturation parameters of a channel with reach and
// frequency. Before the call, v.s is overwritten with the gradient with respect to s.
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

// liftGradient returns the log likelihood of one lift test. A test lasts until adstock has settled, so the adstocked
// exposure equals the exposure and the lift is beta (s(to) - s(from)). In a test in one geo, the geo's beta differs
// from the common beta with a standard deviation of beta times spread. liftGradient adds this deviation to the test's
// error.
func (d *density) liftGradient(v *curve, c *channel, l lift, shape, saturation []float64, byBeta *float64) (
	logp float64,
) {
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
