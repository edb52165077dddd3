package mmm

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// geoEffects is scratch space for integrating out the coefficients of geos. The sampler then draws only the common
// parameters and the spreads. A geo's deviations b are normal a priori and, given all other parameters, a posteriori.
// The integral therefore has a closed form (Lindley and Smith 1972). Let W be the columns 1, s_1, .., s_C and the geo's
// local terms. Let r be the geo's targets minus the common mean. Let D be the diagonal matrix of squared spreads and n
// the geo's number of rows. Then
//
//	M = I + D^1/2 W'W D^1/2 / sigma^2         mean of b: u = D^1/2 M^-1 D^1/2 W'r / sigma^2
//	cov of b: V = D^1/2 M^-1 D^1/2            log p(r) = -n log sigma - log|M| / 2 - (r'r - r'W u) / (2 sigma^2)
//
// The gradient is the expectation over b of the gradient with b known (Fisher's identity).
type geoEffects struct {
	k         int
	spread    []float64 // square roots of D's diagonal
	gram      []float64 // W'W, k x k
	inverse   []float64 // inverse of M
	cov       []float64 // V
	q, u      []float64 // W'r and the mean of b
	r         []float64
	byBeta    []float64 // derivatives with respect to the channels' common coefficients through D
	columns   [][]float64
	ones      []float64
	logDet    float64
	explained float64 // r'W u
}

func (m *model) newGeoEffects() *geoEffects {
	k := m.differences()
	p := &geoEffects{
		k: k, spread: make([]float64, k), gram: make([]float64, k*k), inverse: make([]float64, k*k),
		cov: make([]float64, k*k),
		q:   make([]float64, k), u: make([]float64, k), r: make([]float64, m.periods),
		byBeta:  make([]float64, len(m.channels)),
		columns: make([][]float64, k), ones: make([]float64, m.periods),
	}
	floats.AddConst(1, p.ones)
	return p
}

// condition sets the posterior of one geo's deviations. mu is the common mean of all fitted rows.
func (p *geoEffects) condition(m *model, g int, mu, theta []float64, curves []curve) {
	from, to := g*m.periods, (g+1)*m.periods
	sigma2 := theta[m.noiseAt] * theta[m.noiseAt]
	floats.SubTo(p.r, m.y[g*m.span:g*m.span+m.periods], mu[from:to])
	p.columns[0], p.spread[0] = p.ones, theta[m.pooledAt]
	for i := range curves {
		p.columns[i+1], p.spread[i+1] = curves[i].s[from:to], curves[i].beta*theta[m.pooledAt+1+i]
	}
	for i, k := range m.local {
		at := 1 + len(curves) + i
		p.columns[at], p.spread[at] = m.terms[k].values[g*m.span:g*m.span+m.periods], theta[m.pooledAt+at]
	}
	for i, column := range p.columns {
		p.q[i] = floats.Dot(column, p.r)
		for j := range i + 1 {
			dot := floats.Dot(column, p.columns[j])
			p.gram[i*p.k+j], p.gram[j*p.k+i] = dot, dot
			scaled := p.spread[i] * p.spread[j] * dot / sigma2
			p.inverse[i*p.k+j], p.inverse[j*p.k+i] = scaled, scaled
		}
		p.inverse[i*p.k+i]++
	}
	p.logDet = invert(p.inverse, p.k)
	for i := range p.k {
		p.u[i] = 0
		for j := range p.k {
			p.cov[i*p.k+j] = p.spread[i] * p.inverse[i*p.k+j] * p.spread[j]
			p.u[i] += p.cov[i*p.k+j] * p.q[j] / sigma2
		}
	}
	p.explained = floats.Dot(p.q, p.u)
}

// invert replaces a symmetric positive definite matrix with its inverse and returns its log determinant. It uses
// Gauss-Jordan elimination without pivoting: the eigenvalues of the matrix are at least 1, so pivots are not small.
func invert(a []float64, k int) (logDet float64) {
	for i := range k {
		pivot := a[i*k+i]
		logDet += math.Log(pivot)
		row := a[i*k : (i+1)*k]
		row[i] = 1
		floats.Scale(1/pivot, row)
		for j := range k {
			if j != i {
				factor := a[j*k+i]
				a[j*k+i] = 0
				floats.AddScaled(a[j*k:(j+1)*k], -factor, row)
			}
		}
	}
	return logDet
}

// geoLikelihood returns the log likelihood of all geos. It sets byMu and adds the gradient with respect to sigma and
// the spreads. It stores the gradient with respect to s in the curves' byS, and the gradient with respect to the
// coefficients in the scratch space.
func (d *density) geoLikelihood() (logp float64) {
	p := d.geoEffects
	clear(p.byBeta)
	sigma := d.theta[d.noiseAt]
	sigma2, n := sigma*sigma, float64(d.periods)
	for g := range d.geos {
		p.condition(d.model, g, d.mu, d.theta, d.curves)
		logp += -n*math.Log(sigma) - p.logDet/2 - (floats.Dot(p.r, p.r)-p.explained)/(2*sigma2)

		e := p.r
		for i, column := range p.columns {
			floats.AddScaled(e, -p.u[i], column)
		}
		d.gradient[d.noiseAt] += -n/sigma + (floats.Dot(e, e)+floats.Dot(p.cov, p.gram))/(sigma2*sigma)
		floats.ScaleTo(d.byMu[g*d.periods:(g+1)*d.periods], 1/sigma2, e)
		for i := range d.curves {
			byS := d.curves[i].byS[g*d.periods : (g+1)*d.periods]
			floats.ScaleTo(byS, p.u[i+1]/sigma2, e)
			for j, column := range p.columns {
				floats.AddScaled(byS, -p.cov[(i+1)*p.k+j]/sigma2, column)
			}
		}
		d.bySpread(p)
	}
	return logp
}

// bySpread adds a geo's gradient with respect to the spreads. With v = u / spread, the gradient is (v^2 + inverse - 1)
// / spread.
func (d *density) bySpread(p *geoEffects) {
	for i, spread := range p.spread {
		if spread == 0 {
			continue // underflow: the derivative with respect to the log is 0
		}
		v := p.u[i] / spread
		by := (v*v + p.inverse[i*p.k+i] - 1) / spread
		if i == 0 || i > len(d.curves) {
			d.gradient[d.pooledAt+i] += by
			continue
		}
		d.gradient[d.pooledAt+i] += by * d.curves[i-1].beta
		p.byBeta[i-1] += by * d.theta[d.pooledAt+i]
	}
}

// drawGeos appends one draw of every geo's coefficients to theta. The curves must contain the values at the fitted
// rows.
func (m *model) drawGeos(theta []float64, curves []curve, random *rand.Rand) []float64 {
	p := m.newGeoEffects()
	mu := make([]float64, m.rows)
	m.baselineMean(mu, theta)
	for i := range curves {
		curves[i].addTo(mu)
	}
	common := theta
	for g := range m.geos {
		p.condition(m, g, mu, common, curves)
		var root mat.Cholesky
		if !root.Factorize(mat.NewSymDense(p.k, p.inverse)) {
			panic("mmm: the inverse of a positive definite matrix is not positive definite")
		}
		noise := mat.NewVecDense(p.k, nil)
		for i := range p.k {
			noise.SetVec(i, random.NormFloat64())
		}
		noise.MulVec(root.RawU().T(), noise)
		theta = append(theta, common[m.baselineAt]+p.u[0]+p.spread[0]*noise.AtVec(0))
		for i := range curves {
			theta = append(theta, curves[i].beta+p.u[i+1]+p.spread[i+1]*noise.AtVec(i+1))
		}
		for i, k := range m.local {
			at := 1 + len(curves) + i
			theta = append(theta, common[m.baselineAt+k]+p.u[at]+p.spread[at]*noise.AtVec(at))
		}
	}
	return theta
}
