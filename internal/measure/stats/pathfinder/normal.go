package pathfinder

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// curvature is the approximation of the inverse Hessian on a path: a diagonal alpha and the latest pairs of steps and
// gradient changes.
type curvature struct {
	alpha []float64
	pairs []pair
	keep  int // number of used pairs; at most half the dimension, so that the thin factors have full rank
}

func newCurvature(dim int) *curvature {
	c := &curvature{alpha: make([]float64, dim), keep: min(memory, dim/2)}
	for i := range c.alpha {
		c.alpha[i] = 1
	}
	return c
}

// update adds one step. The diagonal follows Gilbert and Lemaréchal (1989), equation 4.9.
func (c *curvature) update(from, to iterate) {
	p := between(from, to)
	if !p.curved() {
		return
	}
	var a, s float64
	for i, alpha := range c.alpha {
		a += p.y[i] * alpha * p.y[i]
		s += p.s[i] * p.s[i] / alpha
	}
	b := p.sy
	for i, alpha := range c.alpha {
		c.alpha[i] = 1 / (a/(b*alpha) + p.y[i]*p.y[i]/b - a*p.s[i]*p.s[i]/(b*s*alpha*alpha))
	}
	c.pairs = append(c.pairs, p)
	c.pairs = c.pairs[max(0, len(c.pairs)-c.keep):]
}

// normal is a normal distribution with covariance A + B G B'. Here A = diag(alpha), B = [A Y, S] and G comes from the
// pairs (Byrd, Nocedal, Schnabel 1994). Let A^-1/2 B = Q R and L L' = I + R G R'. For a standard normal u, a draw is
// mean + A^1/2 (Q L Q'u + u - Q Q'u).
type normal struct {
	mean, scale []float64 // scale is the root of alpha
	q           [][]float64
	l           *mat.TriDense
	logDet      float64
}

// normalAt returns the approximation at the iterate, or nil if it is not numerically positive definite.
func (c *curvature) normalAt(at iterate) *normal {
	n := &normal{scale: make([]float64, len(at.x))}
	for i, alpha := range c.alpha {
		if !(alpha > 0) || math.IsInf(alpha, 0) {
			return nil
		}
		n.scale[i] = math.Sqrt(alpha)
		n.logDet += math.Log(alpha)
	}
	if len(c.pairs) > 0 && !n.bend(c.pairs) {
		return nil
	}
	n.mean = make([]float64, len(at.x))
	floats.MulTo(n.mean, n.scale, at.grad)
	n.rootTransposed(n.mean)
	n.root(n.mean)
	floats.Mul(n.mean, n.scale)
	floats.Add(n.mean, at.x)
	if !allFinite(n.mean) {
		return nil
	}
	return n
}

// bend adds the low-rank term of the L-BFGS update pairs to the diagonal covariance. It returns false if the sum is not
// positive definite.
func (n *normal) bend(pairs []pair) bool {
	m := len(pairs)
	columns := make([][]float64, 2*m)
	for j, p := range pairs {
		columns[j], columns[m+j] = make([]float64, len(n.scale)), make([]float64, len(n.scale))
		floats.MulTo(columns[j], n.scale, p.y)
		floats.DivTo(columns[m+j], p.s, n.scale)
	}
	q, r := orthogonal(columns)
	var inner mat.Dense
	inner.Product(r, gamma(pairs, columns[:m]), r.T())
	sym := mat.NewSymDense(2*m, nil)
	for i := range 2 * m {
		for j := i; j < 2*m; j++ {
			sym.SetSym(i, j, (inner.At(i, j)+inner.At(j, i))/2)
		}
		sym.SetSym(i, i, sym.At(i, i)+1)
	}
	var chol mat.Cholesky
	if !chol.Factorize(sym) {
		return false
	}
	n.q, n.l = q, mat.NewTriDense(2*m, mat.Lower, nil)
	chol.LTo(n.l)
	n.logDet += chol.LogDet()
	return true
}

// gamma returns the middle matrix [[0, -R^-1], [-R^-T, R^-T (E + Y'AY) R^-1]], where R is the upper triangle and E the
// diagonal of S'Y. The parameter scaledY contains the columns of A^1/2 Y.
func gamma(pairs []pair, scaledY [][]float64) *mat.Dense {
	m := len(pairs)
	r := mat.NewTriDense(m, mat.Upper, nil)
	mid := mat.NewDense(m, m, nil)
	for i := range pairs {
		for j := range pairs {
			if j >= i {
				r.SetTri(i, j, floats.Dot(pairs[i].s, pairs[j].y))
			}
			mid.Set(i, j, floats.Dot(scaledY[i], scaledY[j]))
		}
		mid.Set(i, i, mid.At(i, i)+pairs[i].sy)
	}
	var inverse mat.TriDense
	out := mat.NewDense(2*m, 2*m, nil)
	// An ill-conditioned inverse is still usable. The Cholesky factorization checks the result.
	_ = inverse.InverseTri(r)
	var corner mat.Dense
	corner.Product(inverse.T(), mid, &inverse)
	for i := range m {
		for j := range m {
			out.Set(i, m+j, -inverse.At(i, j))
			out.Set(m+i, j, -inverse.At(j, i))
			out.Set(m+i, m+j, corner.At(i, j))
		}
	}
	return out
}

// orthogonal returns the thin QR factors of the columns by modified Gram-Schmidt, applied twice for accuracy. A column
// that depends on previous columns is zero in Q.
func orthogonal(columns [][]float64) (q [][]float64, r *mat.Dense) {
	k := len(columns)
	q, r = make([][]float64, k), mat.NewDense(k, k, nil)
	for j, column := range columns {
		v := append([]float64(nil), column...)
		size := floats.Norm(v, 2)
		for range 2 {
			for i := range j {
				part := floats.Dot(q[i], v)
				floats.AddScaled(v, -part, q[i])
				r.Set(i, j, r.At(i, j)+part)
			}
		}
		length := floats.Norm(v, 2)
		if length > 1e-13*size {
			r.Set(j, j, length)
			floats.Scale(1/length, v)
		} else {
			clear(v)
		}
		q[j] = v
	}
	return q, r
}

// root multiplies v by the root Q L Q' + I - Q Q' of the scaled covariance.
func (n *normal) root(v []float64) {
	n.apply(v, func(x, in *mat.VecDense) { x.MulVec(n.l, in) })
}

// rootTransposed multiplies v by the transposed matrix of [normal.root].
func (n *normal) rootTransposed(v []float64) {
	n.apply(v, func(x, in *mat.VecDense) { x.MulVec(n.l.T(), in) })
}

func (n *normal) apply(v []float64, inner func(out, in *mat.VecDense)) {
	if len(n.q) == 0 {
		return
	}
	in, out := mat.NewVecDense(len(n.q), nil), mat.NewVecDense(len(n.q), nil)
	for j, q := range n.q {
		in.SetVec(j, floats.Dot(q, v))
	}
	inner(out, in)
	for j, q := range n.q {
		floats.AddScaled(v, out.AtVec(j)-in.AtVec(j), q)
	}
}

// draw returns a random point of the approximation and the log density at this point.
func (n *normal) draw(random *rand.Rand) (x []float64, logq float64) {
	x = make([]float64, len(n.mean))
	var square float64
	for i := range x {
		x[i] = random.NormFloat64()
		square += x[i] * x[i]
	}
	n.root(x)
	floats.Mul(x, n.scale)
	floats.Add(x, n.mean)
	return x, -0.5 * (square + n.logDet + float64(len(x))*math.Log(2*math.Pi))
}

// variances returns the diagonal of the covariance.
func (n *normal) variances() []float64 {
	out := make([]float64, len(n.scale))
	row := make([]float64, len(n.q))
	for i, scale := range n.scale {
		for j, q := range n.q {
			row[j] = q[i]
		}
		size := 1.0 // squared length of row i of the root
		for j := range row {
			var along float64
			for k := range row {
				if k >= j {
					along += row[k] * n.l.At(k, j)
				}
			}
			size += along*along - row[j]*row[j]
		}
		out[i] = scale * scale * size
	}
	return out
}
