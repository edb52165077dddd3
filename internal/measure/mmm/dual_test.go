package mmm

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/num/dual"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// This file is a second implementation of the national density, in dual numbers and directly from the formulas. It
// shares only data and priors with the first implementation. Values and derivatives must agree.

type number2 = dual.Number

func constant(v float64) number2 { return number2{Real: v} }

func sum(values ...number2) (out number2) {
	for _, v := range values {
		out = dual.Add(out, v)
	}
	return out
}

func times(by float64, v number2) number2 { return dual.Scale(by, v) }

func quotient(a, b number2) number2 { return dual.Mul(a, dual.Inv(b)) }

// dualValue returns the saturation at a.
func (s Saturation) dualValue(a number2, theta []number2) number2 {
	one := constant(1)
	switch s {
	case Logistic:
		e := dual.Exp(times(-1, dual.Mul(theta[0], a)))
		return quotient(dual.Sub(one, e), dual.Add(one, e))
	case MichaelisMenten:
		return quotient(a, dual.Add(theta[0], a))
	case Hill:
		if a.Real == 0 {
			return number2{}
		}
		return quotient(one, dual.Add(one, dual.Pow(quotient(theta[0], a), theta[1])))
	case CES:
		if a.Real == 0 {
			return number2{}
		}
		inverse := quotient(one, a)
		mixed := dual.Add(dual.Mul(theta[0], dual.Pow(inverse, theta[1])), dual.Sub(one, theta[0]))
		return dual.Pow(mixed, times(-1, dual.Inv(theta[1])))
	case Tanh, Root, Log, Unsaturated:
	}
	panic("no dual form")
}

// dualWeights returns the weights of geometric adstock.
func dualWeights(lags int, alpha number2) []number2 {
	w := []number2{constant(1)}
	for l := 1; l < lags; l++ {
		w = append(w, dual.Mul(w[l-1], alpha))
	}
	total := sum(w...)
	for l := range w {
		w[l] = quotient(w[l], total)
	}
	return w
}

// dualCurve returns s over the fitted periods.
func (m *model) dualCurve(c *channel, theta []number2) []number2 {
	w := dualWeights(m.spec.Adstock.Lags, theta[c.at+1])
	shape := theta[c.at+2 : c.at+2+m.shape]
	out := make([]number2, m.periods)
	for t := range out {
		for l := 0; l < len(w) && l <= t; l++ {
			x := constant(c.x[t-l])
			if c.often != nil {
				x = dual.Mul(x, m.spec.Saturation.dualValue(constant(c.often[t-l]), shape))
			}
			out[t] = dual.Add(out[t], dual.Mul(w[l], x))
		}
		if c.often == nil {
			out[t] = m.spec.Saturation.dualValue(out[t], shape)
		}
		if m.hsgp != nil {
			out[t] = dual.Mul(out[t], dual.Exp(m.dualWave(t, theta[c.at+2+m.shape:])))
		}
	}
	return out
}

func (m *model) dualWave(t int, theta []number2) (g number2) {
	l := 0.75 * float64(m.span)
	for j := range m.hsgp {
		omega := float64(j+1) * math.Pi / (2 * l)
		phi := math.Sin(omega*(float64(t)-float64(m.span-1)/2+l)) / math.Sqrt(l)
		lengths := omega * float64(m.spec.TimeVarying)
		density := math.Sqrt(2*math.Pi) * float64(m.spec.TimeVarying) * math.Exp(-lengths*lengths/2)
		g = dual.Add(g, times(phi*math.Sqrt(density), dual.Mul(theta[0], theta[1+j])))
	}
	return g
}

// dualPrior returns the log density of a prior.
func (p Prior) dualPrior(v number2) number2 {
	switch p.Family {
	case NormalPrior:
		z := times(1/p.B, dual.Sub(v, constant(p.A)))
		return times(-0.5, dual.Mul(z, z))
	case HalfNormalPrior:
		z := times(1/p.A, v)
		return times(-0.5, dual.Mul(z, z))
	case LogNormalPrior:
		z := times(1/p.B, dual.Sub(dual.Log(v), constant(p.A)))
		return dual.Sub(times(-0.5, dual.Mul(z, z)), dual.Log(v))
	case GammaPrior:
		return dual.Sub(times(p.A-1, dual.Log(v)), times(p.B, v))
	case BetaPrior:
		return dual.Add(times(p.A-1, dual.Log(v)), times(p.B-1, dual.Log(dual.Sub(constant(1), v))))
	case LaplacePrior:
	}
	panic("no dual form")
}

// dualDensity returns the log posterior at u. It includes the log Jacobians of the transformations.
func (m *model) dualDensity(u []number2) (logp number2) {
	theta := make([]number2, len(u))
	for i, p := range m.parameters {
		one := constant(1)
		switch e := dual.Exp(u[i]); p.support {
		case real:
			theta[i] = u[i]
		case positive:
			theta[i] = e
			logp = dual.Add(logp, u[i])
		case unit:
			theta[i] = quotient(e, dual.Add(one, e))
			logp = sum(logp, dual.Log(theta[i]), dual.Log(dual.Sub(one, theta[i])))
		case soft:
			theta[i] = dual.Log(dual.Add(one, e))
			logp = sum(logp, dual.Log(quotient(e, dual.Add(one, e))))
		}
	}
	n := float64(m.periods)
	sigma := theta[m.noiseAt]
	mu := make([]number2, m.periods)
	intercept := theta[m.baselineAt]
	for i := range m.channels {
		c := &m.channels[i]
		s := m.dualCurve(c, theta)
		mean := times(1/n, sum(s...))
		var squares number2
		for _, v := range s {
			d := dual.Sub(v, mean)
			squares = dual.Add(squares, dual.Mul(d, d))
		}
		sd := dual.Sqrt(times(1/n, squares))
		scaled := theta[c.at]
		beta := quotient(times(m.resolution, scaled), sd)
		if c.confoundingAt > 0 {
			shape := theta[c.at+2 : c.at+2+m.shape]
			from, to := m.spec.Saturation.dualValue(constant(c.anchor.from), shape),
				m.spec.Saturation.dualValue(constant(c.anchor.to), shape)
			beta = quotient(times(c.anchor.sigma, scaled), dual.Abs(dual.Sub(to, from)))
			by := quotient(constant(m.resolution), sigma)
			x := dual.Sub(dual.Mul(theta[c.confoundingAt], by), quotient(dual.Mul(beta, sd), sigma))
			theta[c.confoundingAt] = x
			logp = dual.Add(logp, dual.Log(by))
			for t := range mu {
				mu[t] = dual.Add(mu[t], dual.Mul(dual.Mul(sigma, x), quotient(dual.Sub(s[t], mean), sd)))
			}
		}
		for _, l := range c.lifts {
			shape := theta[c.at+2 : c.at+2+m.shape]
			rise := dual.Sub(m.spec.Saturation.dualValue(constant(l.to), shape),
				m.spec.Saturation.dualValue(constant(l.from), shape))
			miss := times(1/l.sigma, dual.Sub(constant(l.delta), dual.Mul(beta, rise)))
			logp = dual.Add(logp, times(-0.5, dual.Mul(miss, miss)))
		}
		theta[c.at] = beta
		if m.spec.Effect != Coefficient {
			theta[c.at] = times(n/c.effectOf, dual.Mul(beta, mean))
		}
		logp = dual.Add(logp, dual.Log(quotient(theta[c.at], scaled)))
		for t := range mu {
			mu[t] = dual.Add(mu[t], dual.Mul(beta, s[t]))
		}
		intercept = dual.Sub(intercept, dual.Mul(beta, mean))
	}
	for k, mean := range m.termMeans {
		intercept = dual.Sub(intercept, times(mean, theta[m.baselineAt+1+k]))
	}
	theta[m.baselineAt] = intercept
	for i, p := range m.parameters {
		if !p.joint {
			logp = dual.Add(logp, p.prior.dualPrior(theta[i]))
		}
	}
	for _, b := range m.controlGroups {
		squares := constant(pooledFreedom * pooledScale * pooledScale)
		for _, i := range b.at {
			squares = dual.Add(squares, dual.Mul(theta[i], theta[i]))
		}
		logp = dual.Add(logp, times(-(pooledFreedom+float64(len(b.at)))/2, dual.Log(squares)))
	}
	for t := range mu {
		for k := range m.terms {
			mu[t] = dual.Add(mu[t], times(m.terms[k].values[t], theta[m.baselineAt+k]))
		}
		z := quotient(dual.Sub(constant(m.y[t]), mu[t]), sigma)
		square := dual.Mul(z, z)
		if m.spec.Likelihood != StudentT {
			logp = sum(logp, times(-0.5, square), times(-1, dual.Log(sigma)))
			continue
		}
		nu := theta[m.noiseAt+1]
		half := times(0.5, dual.Add(nu, constant(1)))
		logp = sum(logp, dualLogGamma(half), times(-1, dualLogGamma(times(0.5, nu))), times(-0.5, dual.Log(nu)),
			times(-1, dual.Log(sigma)),
			times(-1, dual.Mul(half, dual.Log(dual.Add(constant(1), quotient(square, nu))))))
	}
	return logp
}

// dualLogGamma returns the log gamma function. It uses Stirling's series for x of at least 15, and the recurrence for
// smaller x.
func dualLogGamma(x number2) (out number2) {
	for x.Real < 15 {
		out = dual.Sub(out, dual.Log(x))
		x = dual.Add(x, constant(1))
	}
	inverse := dual.Inv(x)
	square := dual.Mul(inverse, inverse)
	series := constant(1.0 / 1188)
	for _, c := range []float64{-1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12} {
		series = dual.Add(constant(c), dual.Mul(square, series))
	}
	return sum(out, dual.Mul(dual.Sub(x, constant(0.5)), dual.Log(x)), times(-1, x), constant(math.Log(2*math.Pi)/2),
		dual.Mul(inverse, series))
}

// contacts returns [toy] with a channel that has reach and frequency.
func contacts() Data {
	d := toy()
	random := stats.Stream(17, 0)
	d.Media[1].Frequency = series(len(d.Dates), func(int) float64 { return 1 + 4*random.Float64() })
	return d
}

func TestDensityAgreesWithDualNumbers(t *testing.T) {
	t.Parallel()
	random := stats.Stream(16, 0)
	for _, c := range []struct {
		data Data
		spec Spec
	}{
		{toy(), Spec{Yearly: 1}},
		{toy(), Spec{Saturation: Hill, Effect: ROI, Holdout: 4}},
		{toy(), Spec{Likelihood: StudentT, Saturation: MichaelisMenten}},
		{toy(), Spec{Likelihood: LogNormal}},
		{toy(), Spec{Saturation: CES, Effect: ROI, Holdout: 4}},
		{contacts(), Spec{Saturation: Hill}},
		{contacts(), Spec{Effect: Share, Adstock: Adstock{Geometric, 3}, Holdout: 3}},
		{toy(), Spec{TimeVarying: 9}},
		{toy(), Spec{Lifts: toyLifts(), Saturation: Hill, Effect: ROI, Holdout: 4}},
		{toy(), Spec{Lifts: toyLifts()[1:], Saturation: MichaelisMenten, Likelihood: StudentT}},
		{toy(), Spec{Lifts: toyLifts(), Saturation: CES, Unconfounded: []measure.Channel{toyLifts()[0].Channel}}},
		{festive(), Spec{Holdout: 4}},
		{contacts(), Spec{TimeVarying: 9, Effect: ROI, Holdout: 6}},
	} {
		m, err := newModel(c.data, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		d := m.newDensity()
		u, grad := make([]float64, d.Dim()), make([]float64, d.Dim())
		var offset float64 // constants may differ
		for point := range 3 {
			for i := range u {
				u[i] = random.NormFloat64() / 2
			}
			got := d.LogDensity(u, grad)
			duals := make([]number2, len(u))
			for i := range u {
				duals[i] = constant(u[i])
			}
			want := m.dualDensity(duals).Real
			if point == 0 {
				offset = got - want
			}
			if !near(got, want+offset, 1e-10) {
				t.Errorf("%+v: density %v, want %v", c.spec, got, want+offset)
			}
			for i := range u {
				moved := slices.Clone(duals)
				moved[i].Emag = 1
				if want := m.dualDensity(moved).Emag; !near(grad[i], want, 1e-10) {
					t.Errorf("%+v: derivative by %s is %v, want %v", c.spec, m.parameters[i].name, grad[i], want)
				}
			}
		}
	}
}
