package hmc_test

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// This file contains the models of posteriordb. Each density includes the log Jacobian of its constraints.

// field is a density that is defined by a function.
type field struct {
	dim int
	f   func(x, grad []float64) float64
}

func (d field) Dim() int { return d.dim }

func (d field) LogDensity(x, grad []float64) float64 {
	clear(grad)
	return d.f(x, grad)
}

func read[T any](data map[string]json.RawMessage, name string) T {
	var v T
	if err := json.Unmarshal(data[name], &v); err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	return v
}

func indexed(name string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s[%d]", name, i+1)
	}
	return out
}

func eightSchools(data map[string]json.RawMessage) target {
	y, sigma := read[[]float64](data, "y"), read[[]float64](data, "sigma")
	f := func(x, grad []float64) float64 {
		mu, tau := x[8], math.Exp(x[9])
		logp := -mu*mu/50 + x[9] - math.Log1p(tau*tau/25)
		grad[8] = -mu / 25
		grad[9] = 1 - 2*tau*tau/25/(1+tau*tau/25)
		for j := range y {
			r := (y[j] - mu - tau*x[j]) / sigma[j]
			logp -= (x[j]*x[j] + r*r) / 2
			grad[j] = -x[j] + r/sigma[j]*tau
			grad[8] += r / sigma[j]
			grad[9] += r / sigma[j] * tau * x[j]
		}
		return logp
	}
	values := func(x []float64) []float64 {
		out := make([]float64, 0, 10)
		tau := math.Exp(x[9])
		for j := range y {
			out = append(out, x[8]+tau*x[j])
		}
		return append(out, x[8], tau)
	}
	return target{field{10, f}, append(indexed("theta", 8), "mu", "tau"), values}
}

// linear returns the density of y ~ Normal(X beta, sigma), computed from its sums of squares. priors may add to the
// value and gradient.
func linear(x [][]float64, y []float64, priors func(beta []float64, sigma float64, grad []float64) float64) field {
	n, k := len(y), len(x[0])
	xx, xy, yy := make([]float64, k*k), make([]float64, k), 0.0
	for i, row := range x {
		yy += y[i] * y[i]
		for a := range k {
			xy[a] += row[a] * y[i]
			for b := range k {
				xx[a*k+b] += row[a] * row[b]
			}
		}
	}
	return field{k + 1, func(q, grad []float64) float64 {
		beta, sigma := q[:k], math.Exp(q[k])
		squares := yy
		for a := range k {
			fit := 0.0
			for b := range k {
				fit += xx[a*k+b] * beta[b]
			}
			squares += beta[a] * (fit - 2*xy[a])
			grad[a] = (xy[a] - fit) / (sigma * sigma)
		}
		grad[k] = squares/(sigma*sigma) - float64(n) + 1
		logp := -squares/(2*sigma*sigma) + float64(1-n)*q[k]
		if priors == nil {
			return logp
		}
		return logp + priors(beta, sigma, grad)
	}}
}

func coefficients(names ...string) ([]string, func([]float64) []float64) {
	return append(names, "sigma"), func(x []float64) []float64 {
		out := append([]float64(nil), x...)
		out[len(out)-1] = math.Exp(out[len(out)-1])
		return out
	}
}

func blr(data map[string]json.RawMessage) target {
	priors := func(beta []float64, sigma float64, grad []float64) (logp float64) {
		for i, b := range beta {
			logp -= b * b / 200
			grad[i] -= b / 100
		}
		grad[len(beta)] -= sigma * sigma / 100
		return logp - sigma*sigma/200
	}
	names, values := coefficients(indexed("beta", 5)...)
	return target{linear(read[[][]float64](data, "X"), read[[]float64](data, "y"), priors), names, values}
}

func kilpisjarvi(data map[string]json.RawMessage) target {
	var rows [][]float64
	for _, x := range read[[]float64](data, "x") {
		rows = append(rows, []float64{1, x})
	}
	mean := []float64{read[float64](data, "pmualpha"), read[float64](data, "pmubeta")}
	sd := []float64{read[float64](data, "psalpha"), read[float64](data, "psbeta")}
	priors := func(beta []float64, _ float64, grad []float64) (logp float64) {
		for i, b := range beta {
			z := (b - mean[i]) / sd[i]
			logp -= z * z / 2
			grad[i] -= z / sd[i]
		}
		return logp
	}
	names, values := coefficients("alpha", "beta")
	return target{linear(rows, read[[]float64](data, "y"), priors), names, values}
}

func earnings(data map[string]json.RawMessage) target {
	height, male := read[[]float64](data, "height"), read[[]float64](data, "male")
	y := read[[]float64](data, "earn")
	var rows [][]float64
	for i := range y {
		y[i] = math.Log(y[i])
		rows = append(rows, []float64{1, height[i], male[i], height[i] * male[i]})
	}
	names, values := coefficients(indexed("beta", 4)...)
	return target{linear(rows, y, nil), names, values}
}

func nes(data map[string]json.RawMessage) target {
	age := read[[]int](data, "age_discrete")
	ideology, race := read[[]float64](data, "real_ideo"), read[[]float64](data, "race_adj")
	education, gender, income := read[[]float64](data, "educ1"), read[[]float64](data, "gender"),
		read[[]float64](data, "income")
	var rows [][]float64
	for i := range age {
		row := []float64{1, ideology[i], race[i], 0, 0, 0, education[i], gender[i], income[i]}
		if age[i] > 1 {
			row[age[i]+1] = 1
		}
		rows = append(rows, row)
	}
	names, values := coefficients(indexed("beta", 9)...)
	return target{linear(rows, read[[]float64](data, "partyid7"), nil), names, values}
}

func diamonds(data map[string]json.RawMessage) target {
	x := read[[][]float64](data, "X")
	const k = 24
	var mean [k]float64
	for _, row := range x {
		for j := range k {
			mean[j] += row[j+1] / float64(len(x))
		}
	}
	rows := make([][]float64, len(x))
	for i, row := range x {
		for j := range k {
			rows[i] = append(rows[i], row[j+1]-mean[j])
		}
		rows[i] = append(rows[i], 1)
	}
	// t3 returns the log density of Student's t with 3 degrees of freedom and scale 10, and its derivative, at distance
	// d.
	t3 := func(d float64) (logp, slope float64) {
		return -2 * math.Log1p(d*d/300), -4 * d / (300 + d*d)
	}
	priors := func(beta []float64, sigma float64, grad []float64) (logp float64) {
		for j := range k {
			logp -= beta[j] * beta[j] / 2
			grad[j] -= beta[j]
		}
		a, da := t3(beta[k] - 8)
		s, ds := t3(sigma)
		grad[k] += da
		grad[k+1] += ds * sigma
		return logp + a + s
	}
	names, values := coefficients(append(indexed("b", k), "Intercept")...)
	return target{linear(rows, read[[]float64](data, "Y"), priors), names, values}
}

func arma11(data map[string]json.RawMessage) target {
	y := read[[]float64](data, "y")
	f := func(x, grad []float64) float64 {
		mu, phi, theta, sigma := x[0], x[1], x[2], math.Exp(x[3])
		logp := -mu*mu/200 - phi*phi/8 - theta*theta/8 - math.Log1p(sigma*sigma/6.25) + x[3]
		grad[0], grad[1], grad[2] = -mu/100, -phi/4, -theta/4
		grad[3] = 1 - 2*sigma*sigma/6.25/(1+sigma*sigma/6.25)
		e := y[0] - mu - phi*mu
		d := [3]float64{-1 - phi, -mu, 0} // derivatives of e by mu, phi, theta
		for t := range y {
			if t > 0 {
				d = [3]float64{-1 - theta*d[0], -y[t-1] - theta*d[1], -e - theta*d[2]}
				e = y[t] - mu - phi*y[t-1] - theta*e
			}
			z := e / sigma
			logp -= z*z/2 + x[3]
			grad[3] += z*z - 1
			for i := range d {
				grad[i] -= z / sigma * d[i]
			}
		}
		return logp
	}
	values := func(x []float64) []float64 { return []float64{x[0], x[1], x[2], math.Exp(x[3])} }
	return target{field{4, f}, []string{"mu", "phi", "theta", "sigma"}, values}
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func garch11(data map[string]json.RawMessage) target {
	y, sigma1 := read[[]float64](data, "y"), read[float64](data, "sigma1")
	values := func(x []float64) []float64 {
		alpha1 := sigmoid(x[2])
		return []float64{x[0], math.Exp(x[1]), alpha1, (1 - alpha1) * sigmoid(x[3])}
	}
	f := func(x, grad []float64) float64 {
		v := values(x)
		mu, a0, a1, b1 := v[0], v[1], v[2], v[3]
		s := sigmoid(x[3])
		// The Jacobian has the factors a0, a1 (1 - a1), and (1 - a1) s (1 - s).
		logp := x[1] + math.Log(a1) + 2*math.Log1p(-a1) + math.Log(s) + math.Log1p(-s)
		var g [4]float64 // gradient by mu, a0, a1, b1
		h := sigma1 * sigma1
		var d [4]float64 // derivatives of h
		for t := range y {
			if t > 0 {
				r := y[t-1] - mu
				d = [4]float64{-2*a1*r + b1*d[0], 1 + b1*d[1], r*r + b1*d[2], h + b1*d[3]}
				h = a0 + a1*r*r + b1*h
			}
			r := y[t] - mu
			logp -= math.Log(h)/2 + r*r/(2*h)
			slope := (r*r/h - 1) / (2 * h)
			for i := range g {
				g[i] += slope * d[i]
			}
			g[0] += r / h
		}
		grad[0] = g[0]
		grad[1] = g[1]*a0 + 1
		grad[2] = (g[2]-g[3]*s)*a1*(1-a1) + (1 - a1) - 2*a1
		grad[3] = g[3]*(1-a1)*s*(1-s) + 1 - 2*s
		return logp
	}
	return target{field{4, f}, []string{"mu", "alpha0", "alpha1", "beta1"}, values}
}

func gaussMix(data map[string]json.RawMessage) target {
	y := read[[]float64](data, "y")
	values := func(x []float64) []float64 {
		return []float64{x[0], x[0] + math.Exp(x[1]), math.Exp(x[2]), math.Exp(x[3]), sigmoid(x[4])}
	}
	f := func(x, grad []float64) float64 {
		v := values(x)
		m1, m2, s1, s2, theta := v[0], v[1], v[2], v[3], v[4]
		gap := m2 - m1
		logp := x[1] + x[2] + x[3] - (m1*m1+m2*m2+s1*s1+s2*s2)/8 + 5*(math.Log(theta)+math.Log1p(-theta))
		g := [5]float64{-m1 / 4, -m2 / 4, -s1 / 4, -s2 / 4, 0}
		var first float64
		for _, yi := range y {
			z1, z2 := (yi-m1)/s1, (yi-m2)/s2
			l1, l2 := math.Log(theta)-x[2]-z1*z1/2, math.Log1p(-theta)-x[3]-z2*z2/2
			top := math.Max(l1, l2)
			total := top + math.Log1p(math.Exp(math.Min(l1, l2)-top))
			logp += total
			p := math.Exp(l1 - total)
			first += p
			g[0] += p * z1 / s1
			g[1] += (1 - p) * z2 / s2
			g[2] += p * (z1*z1 - 1) / s1
			g[3] += (1 - p) * (z2*z2 - 1) / s2
		}
		grad[0] = g[0] + g[1]
		grad[1] = g[1]*gap + 1
		grad[2] = g[2]*s1 + 1
		grad[3] = g[3]*s2 + 1
		grad[4] = first - float64(len(y))*theta + 5*(1-2*theta)
		return logp
	}
	return target{field{5, f}, []string{"mu[1]", "mu[2]", "sigma[1]", "sigma[2]", "theta"}, values}
}

func gpRegression(data map[string]json.RawMessage) target {
	at, y := read[[]float64](data, "x"), read[[]float64](data, "y")
	n := len(y)
	values := func(x []float64) []float64 { return []float64{math.Exp(x[0]), math.Exp(x[1]), math.Exp(x[2])} }
	f := func(x, grad []float64) float64 {
		rho, alpha, sigma := math.Exp(x[0]), math.Exp(x[1]), math.Exp(x[2])
		k := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				d := (at[i] - at[j]) / rho
				k.SetSym(i, j, alpha*alpha*math.Exp(-d*d/2))
			}
			k.SetSym(i, i, k.At(i, i)+sigma)
		}
		var chol mat.Cholesky
		if !chol.Factorize(k) {
			return math.Inf(-1)
		}
		var solved mat.VecDense
		var inverse mat.SymDense
		if chol.SolveVecTo(&solved, mat.NewVecDense(n, y)) != nil || chol.InverseTo(&inverse) != nil {
			return math.Inf(-1)
		}
		logp := -mat.Dot(&solved, mat.NewVecDense(n, y))/2 - chol.LogDet()/2
		for i := range n {
			for j := range n {
				w := (solved.AtVec(i)*solved.AtVec(j) - inverse.At(i, j)) / 2
				signal := k.At(i, j)
				if i == j {
					signal -= sigma
					grad[2] += w * sigma
				}
				d := (at[i] - at[j]) / rho
				grad[0] += w * signal * d * d
				grad[1] += w * signal * 2
			}
		}
		logp += 25*x[0] - 4*rho + x[1] - alpha*alpha/8 + x[2] - sigma*sigma/2
		grad[0] += 25 - 4*rho
		grad[1] += 1 - alpha*alpha/4
		grad[2] += 1 - sigma*sigma
		return logp
	}
	return target{field{3, f}, []string{"rho", "alpha", "sigma"}, values}
}
