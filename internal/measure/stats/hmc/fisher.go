package hmc

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"assay/internal/measure/stats"
)

const (
	ridge       = 1e-5 // added to the sums of squares of standardized draws and gradients
	stretchFrom = 2.0  // a direction enters the metric if its variance differs from the diagonal's by this factor
	lowRankFrom = 20   // minimum number of draws for a search of directions
	scaleLimit  = 1e10 // scales are between 1/scaleLimit and scaleLimit
)

// learn estimates the metric from draws and their gradients, one row each, by minimizing the Fisher divergence between
// the density and a normal distribution. For a normal density, the metric is exact if the draws span the space. learn
// returns false if the draws do not vary.
func (m *metric) learn(draws, grads [][]float64, diagonal bool) bool {
	dim := len(m.scale)
	next := metric{scale: make([]float64, dim)}
	x, g := mat.NewDense(dim, len(draws), nil), mat.NewDense(dim, len(draws), nil)
	for i := range dim {
		xMean, xSD := stats.MeanSD(column(draws, i))
		gMean, gSD := stats.MeanSD(column(grads, i))
		scale := math.Sqrt(xSD / gSD)
		if !(scale > 1/scaleLimit) || scale > scaleLimit {
			return false
		}
		next.scale[i] = scale
		for j := range draws {
			x.Set(i, j, (draws[j][i]-xMean)/scale)
			g.Set(i, j, (grads[j][i]-gMean)*scale)
		}
	}
	if !diagonal && dim > 1 && len(draws) >= lowRankFrom {
		next.values, next.u = directions(x, g)
		next.along = make([]float64, len(next.values))
	}
	*m = next
	return true
}

func column(rows [][]float64, i int) []float64 {
	out := make([]float64, len(rows))
	for j, row := range rows {
		out[j] = row[i]
	}
	return out
}

// directions returns the directions in which standardized draws x and gradients g (one column each) have a variance far
// from 1, and the variances. Within the span of x and g, the covariance is the geometric mean of the draws' covariance
// and the inverse of the gradients' covariance.
func directions(x, g *mat.Dense) (values []float64, u [][]float64) {
	basis, ok := span(x, g)
	if !ok {
		return nil, nil
	}
	mean, ok := geometricMean(projected(basis, x), projected(basis, g))
	if !ok {
		return nil, nil
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mean, true) {
		return nil, nil
	}
	var vectors, inSpace mat.Dense
	eigen.VectorsTo(&vectors)
	inSpace.Mul(basis, &vectors)
	for j, value := range eigen.Values(nil) {
		if value > 0 && !math.IsInf(value, 0) && (value > stretchFrom || value < 1/stretchFrom) {
			values = append(values, value)
			u = append(u, mat.Col(nil, j, &inSpace))
		}
	}
	return values, u
}

// span returns an orthonormal basis of the columns of x and g together. Small and large columns have equal weight.
func span(x, g *mat.Dense) (basis *mat.Dense, ok bool) {
	dim, n := x.Dims()
	if 2*n >= dim {
		identity := mat.NewDense(dim, dim, nil)
		for i := range dim {
			identity.Set(i, i, 1)
		}
		return identity, true
	}
	both := mat.NewDense(dim, 2*n, nil)
	for i, part := range []*mat.Dense{x, g} {
		var svd mat.SVD
		if !svd.Factorize(part, mat.SVDThinU) {
			return nil, false
		}
		var u mat.Dense
		svd.UTo(&u)
		both.Slice(0, dim, i*n, (i+1)*n).(*mat.Dense).Copy(&u)
	}
	var svd mat.SVD
	if !svd.Factorize(both, mat.SVDThinU) {
		return nil, false
	}
	basis = new(mat.Dense)
	svd.UTo(basis)
	return basis, true
}

// projected returns the sum of the columns' outer products in the coordinates of the basis, plus the ridge on the
// diagonal.
func projected(basis, columns *mat.Dense) *mat.SymDense {
	var p mat.Dense
	p.Mul(basis.T(), columns)
	k, _ := p.Dims()
	s := mat.NewSymDense(k, nil)
	s.SymOuterK(1, &p)
	for i := range k {
		s.SetSym(i, i, s.At(i, i)+ridge)
	}
	return s
}

// geometricMean returns the matrix M with M B M = A: A^(1/2) (A^(1/2) B A^(1/2))^(-1/2) A^(1/2). This is the geometric
// mean of A and the inverse of B.
func geometricMean(a, b *mat.SymDense) (m *mat.SymDense, ok bool) {
	root, ok := power(a, 0.5)
	if !ok {
		return nil, false
	}
	inner, ok := power(sandwich(root, b), -0.5)
	if !ok {
		return nil, false
	}
	return sandwich(root, inner), true
}

// sandwich returns s b s.
func sandwich(s, b *mat.SymDense) *mat.SymDense {
	var product mat.Dense
	product.Product(s, b, s)
	k, _ := product.Dims()
	out := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			out.SetSym(i, j, (product.At(i, j)+product.At(j, i))/2)
		}
	}
	return out
}

// power returns the power of a symmetric positive definite matrix.
func power(a *mat.SymDense, exponent float64) (*mat.SymDense, bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(a, true) {
		return nil, false
	}
	values := eigen.Values(nil)
	largest := values[len(values)-1]
	if !(largest > 0) || math.IsInf(largest, 0) {
		return nil, false
	}
	var vectors, scaled mat.Dense
	eigen.VectorsTo(&vectors)
	for i, v := range values {
		values[i] = math.Pow(math.Max(v, largest*1e-16), exponent/2)
	}
	scaled.Mul(&vectors, mat.NewDiagDense(len(values), values))
	out := mat.NewSymDense(len(values), nil)
	out.SymOuterK(1, &scaled)
	return out, true
}
