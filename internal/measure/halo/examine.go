package halo

import (
	"math"
	"slices"

	"assay/internal/measure/stats"
)

// leadDays is the number of following days in the mean spend of the lead placebo.
const leadDays = 7

// examine sets the variance inflation factor and the lead placebo of each effect, and rejects effects that fail these
// checks.
//
// The lead placebo is a Granger (1969) test with time reversed. Given the channels' responses, it estimates the
// coefficient of the mean spend of the next seven days. The coefficient is positive if spend follows demand.
func (d Data) examine(y []float64, base [][]float64, known errors, usable []int, typical [][]float64,
	effects []Effect,
) {
	columns := slices.Clone(typical)
	for _, k := range usable {
		columns = append(columns, ahead(d.Channels[k].Spend))
	}
	r := sweep(y, columns, base, known)
	n := len(usable)
	for i, k := range usable {
		e := &effects[k]
		e.Inflation = r.inflation(i, n)
		e.LeadZ = r.lead(n, n+i)
		switch {
		case e.Inflation > mostInflation:
			e.Reason = Collinear
		case e.LeadZ > mostLeadZ:
			e.Reason = LeadsSales
		}
	}
}

// ahead returns, for each day, the mean spend of the next leadDays days, or of fewer days at the end of the data.
func ahead(spend []float64) []float64 {
	out := make([]float64, len(spend))
	for t := range spend {
		next := spend[min(t+1, len(spend)-1):min(t+1+leadDays, len(spend))]
		for _, x := range next {
			out[t] += x / float64(max(1, len(next)))
		}
	}
	return out
}

// inflation returns the variance inflation factor 1 / (1 - R²) of column i among the first n.
func (r regression) inflation(i, n int) float64 {
	others := make([]int, 0, n)
	for j := range n {
		if j != i {
			others = append(others, j)
		}
	}
	left := r.xx[i][i] - r.explained(others, func(j int) float64 { return r.xx[i][j] })
	if left <= 1e-9*r.xx[i][i] {
		return math.Inf(1)
	}
	return r.xx[i][i] / left
}

// lead returns the t-statistic of a column if it is added to the first n columns.
func (r regression) lead(n, column int) float64 {
	held := make([]int, n)
	for j := range held {
		held[j] = j
	}
	both := append(slices.Clone(held), column)
	without := r.yy - r.explained(held, func(j int) float64 { return r.xy[j] })
	with := r.yy - r.explained(both, func(j int) float64 { return r.xy[j] })
	own := r.xx[column][column] - r.explained(held, func(j int) float64 { return r.xx[column][j] })
	cross := r.xy[column] - r.bilinear(held, column)
	if own <= 1e-9*r.xx[column][column] || with <= 0 {
		return 0
	}
	free := max(1, r.free-float64(n+1))
	return math.Copysign(math.Sqrt(max(0, without-with)/(r.excess*with/free)), cross)
}

// explained returns c' A⁻¹ c for the chosen columns, where A is their Gram matrix and c contains their products with a
// target.
func (r regression) explained(chosen []int, target func(int) float64) float64 {
	c := make([]float64, len(chosen))
	for i, j := range chosen {
		c[i] = target(j)
	}
	z := r.forward(chosen, c)
	return stats.Dot(z, z)
}

// bilinear returns a' A⁻¹ c. A is the Gram matrix of the chosen columns, and a and c are their products with the column
// and with revenue.
func (r regression) bilinear(chosen []int, column int) float64 {
	a, c := make([]float64, len(chosen)), make([]float64, len(chosen))
	for i, j := range chosen {
		a[i], c[i] = r.xx[column][j], r.xy[j]
	}
	return stats.Dot(r.forward(chosen, a), r.forward(chosen, c))
}

// forward solves L z = c, where L L' is the Gram matrix of the chosen columns.
func (r regression) forward(chosen []int, c []float64) []float64 {
	return factorOf(len(chosen), func(i, j int) float64 { return r.xx[chosen[i]][chosen[j]] }).forward(c)
}
