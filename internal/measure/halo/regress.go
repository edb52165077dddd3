package halo

import (
	"math"

	"assay/internal/measure/stats"
)

// regression is a surface's days with the controls taken out. Every product below is of what remains.
type regression struct {
	yy   float64     // of revenue
	xy   []float64   // of each column with revenue
	xx   [][]float64 // of columns
	free float64     // degrees of freedom that remain

	excess float64 // see errors
}

// sweep takes the controls out of all columns and of y, each day with its weight, and returns what remains. Errors
// of neighbouring days are alike, so all series are differenced by phi first (Cochrane and Orcutt 1949; Prais and
// Winsten 1954 for the first day).
func sweep(y []float64, columns, without [][]float64, known errors) regression {
	phi, weight := known.phi, known.weight
	prepare := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for t := range x {
			if t == 0 {
				out[t] = math.Sqrt(1-phi*phi) * x[t]
			} else {
				out[t] = x[t] - phi*x[t-1]
			}
			out[t] *= math.Sqrt(weight[t])
		}
		return out
	}
	z := make([][]float64, 0, len(without))
	for _, x := range without {
		v := prepare(x)
		before := stats.Dot(v, v)
		// Twice: once loses digits (Giraud and others 2005).
		for range 2 {
			for _, q := range z {
				axpy(-stats.Dot(q, v), q, v)
			}
		}
		if norm := math.Sqrt(stats.Dot(v, v)); norm > 1e-7*math.Sqrt(before) {
			scale(1/norm, v)
			z = append(z, v)
		}
	}
	remain := func(x []float64) []float64 {
		v := prepare(x)
		for _, q := range z {
			axpy(-stats.Dot(q, v), q, v)
		}
		return v
	}
	ry := remain(y)
	rx := make([][]float64, len(columns))
	for i, x := range columns {
		rx[i] = remain(x)
	}
	r := regression{yy: stats.Dot(ry, ry), xy: make([]float64, len(columns)), xx: make([][]float64, len(columns)), free: float64(len(y) - len(z)), excess: known.excess}
	for i := range rx {
		r.xy[i] = stats.Dot(rx[i], ry)
		r.xx[i] = make([]float64, len(columns))
		for j := range i + 1 {
			r.xx[i][j] = stats.Dot(rx[i], rx[j])
			r.xx[j][i] = r.xx[i][j]
		}
	}
	return r
}

// residuals returns what remains of y, not differenced and not weighted, after a weighted fit of columns and controls.
func residuals(y []float64, columns [][]float64, weight []float64) []float64 {
	var q [][]float64
	var plain [][]float64 // the same columns without weights
	out := make([]float64, len(y))
	copy(out, y)
	wy := weighted(y, weight)
	for _, x := range columns {
		v, p := weighted(x, weight), append([]float64(nil), x...)
		before := stats.Dot(v, v)
		for i := range q {
			c := stats.Dot(q[i], v)
			axpy(-c, q[i], v)
			axpy(-c, plain[i], p)
		}
		norm := math.Sqrt(stats.Dot(v, v))
		if norm <= 1e-7*math.Sqrt(before) {
			continue
		}
		scale(1/norm, v)
		scale(1/norm, p)
		q, plain = append(q, v), append(plain, p)
		axpy(-stats.Dot(v, wy), p, out)
		axpy(-stats.Dot(v, wy), v, wy)
	}
	return out
}

func weighted(x, weight []float64) []float64 {
	out := make([]float64, len(x))
	for t := range x {
		out[t] = x[t] * math.Sqrt(weight[t])
	}
	return out
}

func axpy(c float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += c * v
	}
}

func scale(c float64, x []float64) {
	for i := range x {
		x[i] *= c
	}
}
