package halo

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// span is a column restricted to the range of its nonzero values. The restriction saves time, because most controls are
// zero on most days.
type span struct {
	from   int
	values []float64
}

func spanOf(column []float64) span {
	from, to := 0, len(column)
	for from < to && column[from] == 0 {
		from++
	}
	for to > from && column[to-1] == 0 {
		to--
	}
	return span{from, column[from:to]}
}

func (s span) dot(x []float64) float64 { return stats.Dot(s.values, x[s.from:s.from+len(s.values)]) }

// with returns the product of two columns.
func (s span) with(o span) float64 {
	from, to := max(s.from, o.from), min(s.from+len(s.values), o.from+len(o.values))
	if from >= to {
		return 0
	}
	return stats.Dot(s.values[from-s.from:to-s.from], o.values[from-o.from:to-o.from])
}

// base contains the columns that other columns are orthogonalized against, each with the range of its nonzero values.
type base []span

// baseOf returns the columns with the ranges of their nonzero values.
func baseOf(columns [][]float64) base {
	b := make(base, len(columns))
	for i, x := range columns {
		b[i] = spanOf(x)
	}
	return b
}

// factor returns the Cholesky factor of the columns' Gram matrix.
func (b base) factor() factor {
	return factorOf(len(b), func(i, j int) float64 { return b[i].with(b[j]) })
}

// products returns the dot product of each column and x.
func (b base) products(x []float64) []float64 {
	out := make([]float64, len(b))
	for i, s := range b {
		out[i] = s.dot(x)
	}
	return out
}

// take subtracts the columns times their coefficients from x.
func (b base) take(coefficients, x []float64) {
	for i, s := range b {
		floats.AddScaled(x[s.from:s.from+len(s.values)], -coefficients[i], s.values)
	}
}

// factor is the lower Cholesky factor L of a matrix of products A = L L', by rows. A column that is a linear
// combination of previous columns has a zero on the diagonal and is ignored. Gonum's factorization fails in this case.
type factor [][]float64

// explainedShare is the residual share of a column's sum of squares below which the column is treated as linearly
// dependent.
const explainedShare = 1e-9

func factorOf(n int, product func(i, j int) float64) factor {
	l := make(factor, n)
	room := make([]float64, n*(n+1)/2)
	for i := range n {
		l[i], room = room[:i+1], room[i+1:]
		for j := range i {
			if l[j][j] > 0 {
				l[i][j] = (product(i, j) - stats.Dot(l[i][:j], l[j][:j])) / l[j][j]
			}
		}
		own := product(i, i)
		if left := own - stats.Dot(l[i][:i], l[i][:i]); left > explainedShare*own {
			l[i][i] = math.Sqrt(left)
		}
	}
	return l
}

// forward solves L z = c in place.
func (l factor) forward(c []float64) []float64 {
	for i, row := range l {
		if row[i] > 0 {
			c[i] = (c[i] - stats.Dot(row[:i], c[:i])) / row[i]
		} else {
			c[i] = 0
		}
	}
	return c
}

// back solves L' b = z in place.
func (l factor) back(z []float64) []float64 {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i][i] > 0 {
			z[i] /= l[i][i]
			floats.AddScaled(z[:i], -z[i], l[i][:i])
		}
	}
	return z
}

// rank returns the number of linearly independent columns.
func (l factor) rank() (n int) {
	for i, row := range l {
		if row[i] > 0 {
			n++
		}
	}
	return n
}

// regression contains the normal equations of a surface's days after the controls are removed. All products are inner
// products of residuals.
type regression struct {
	yy   float64     // sum of squares of revenue
	xy   []float64   // products of each column with revenue
	xx   [][]float64 // products of the columns with each other
	free float64     // residual degrees of freedom

	excess float64 // long-run variance of the errors relative to their variance
}

// sweep removes the controls from all columns and from y, with daily weights, and returns the products of the
// residuals: x'x - x'Z (Z'Z)⁻¹ Z'x. Errors are autocorrelated, so sweep first takes quasi-differences of all series
// with phi (Cochrane and Orcutt 1949; Prais and Winsten 1954 for the first day).
func sweep(y []float64, columns, without [][]float64, known errors) regression {
	root := make([]float64, len(y))
	for t, w := range known.weight {
		root[t] = math.Sqrt(w)
	}
	prepare := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for t := range x {
			if t == 0 {
				out[t] = math.Sqrt(1-known.phi*known.phi) * x[t] * root[t]
			} else {
				out[t] = (x[t] - known.phi*x[t-1]) * root[t]
			}
		}
		return out
	}
	controls := make(base, len(without))
	for i, x := range without {
		controls[i] = spanOf(prepare(x))
	}
	l := controls.factor()
	all := make([][]float64, len(columns)+1) // revenue last
	taken := make([][]float64, len(all))
	for i := range all {
		if i < len(columns) {
			all[i] = prepare(columns[i])
		} else {
			all[i] = prepare(y)
		}
		taken[i] = l.forward(controls.products(all[i]))
	}
	product := func(i, j int) float64 { return floats.Dot(all[i], all[j]) - floats.Dot(taken[i], taken[j]) }
	n := len(columns)
	r := regression{
		xy: make([]float64, n), xx: make([][]float64, n), free: float64(len(y) - l.rank()), excess: known.excess,
	}
	r.yy = product(n, n)
	for i := range n {
		r.xx[i] = make([]float64, n)
		r.xy[i] = product(i, n)
		for j := range i + 1 {
			r.xx[i][j] = product(i, j)
			r.xx[j][i] = r.xx[i][j]
		}
	}
	return r
}

// residuals returns the unweighted residuals of y after a weighted fit of columns.
func residuals(y []float64, columns base, weight []float64) []float64 {
	weighted := make(base, len(columns))
	for i, s := range columns {
		weighted[i] = span{s.from, make([]float64, len(s.values))}
		for t, x := range s.values {
			weighted[i].values[t] = x * weight[s.from+t]
		}
	}
	l := factorOf(len(columns), func(i, j int) float64 { return columns[i].with(weighted[j]) })
	out := slices.Clone(y)
	columns.take(l.back(l.forward(weighted.products(y))), out)
	return out
}
