// Package psis implements Pareto-smoothed importance sampling with its reliability diagnostic. Reference: Vehtari,
// Simpson, Gelman, Yao, Gabry: Pareto Smoothed Importance Sampling (JMLR 2024).
package psis

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// Unreliable is the shape k at and above which the weighted mean is unreliable, for several thousand draws.
const Unreliable = 0.7

// fewest is the minimum number of tail ratios for a fit.
const fewest = 5

// Smooth returns normalized log weights for log importance ratios, and the shape k of the generalized Pareto
// distribution of the largest ratios. For a shape below 0.5, the variance of the ratios is finite. For a shape of at
// least [Unreliable], the result must not be used. If there are too few distinct ratios for a fit, the shape is +Inf
// and the weights are not smoothed.
func Smooth(logRatios []float64) (logWeights []float64, shape float64) {
	n := len(logRatios)
	logWeights = slices.Clone(logRatios)
	floats.AddConst(-floats.Max(logWeights), logWeights)
	tail := int(math.Ceil(math.Min(0.2*float64(n), 3*math.Sqrt(float64(n)))))
	shape = math.Inf(1)
	if tail >= fewest && tail < n {
		sorted := slices.Clone(logWeights)
		stats.Sort(sorted)
		shape = smoothTail(logWeights, largest(logWeights, tail, sorted[n-tail]), sorted[n-tail-1])
	}
	floats.AddConst(-floats.LogSumExp(logWeights), logWeights)
	return logWeights, shape
}

// largest returns the indices of the n largest values in increasing order of value. The parameter least is the smallest
// of these values. Of equal values, the last are treated as larger.
func largest(values []float64, n int, least float64) []int {
	var at []int
	for i, v := range values {
		if v >= least {
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b)) })
	return at[len(at)-n:]
}

// smoothTail replaces the weights of the tail with expected order statistics of the fitted distribution. The tail is in
// increasing order. No new weight is above the largest weight.
func smoothTail(logWeights []float64, tail []int, cutoff float64) (shape float64) {
	least := math.Exp(cutoff)
	excess := make([]float64, len(tail))
	for i, at := range tail {
		excess[i] = math.Exp(logWeights[at]) - least
	}
	if !(excess[0] > 0) || excess[0] == excess[len(excess)-1] {
		return math.Inf(1)
	}
	shape, scale := pareto(excess)
	for i, at := range tail {
		p := (float64(i) + 0.5) / float64(len(tail))
		quantile := -scale * math.Log1p(-p)
		if math.Abs(shape) > 1e-12 {
			quantile = scale * math.Expm1(-shape*math.Log1p(-p)) / shape
		}
		logWeights[at] = math.Min(math.Log(least+quantile), 0)
	}
	return shape
}

// pareto fits a generalized Pareto distribution to positive values in increasing order. It returns the mean of the
// profile posterior over a grid (Zhang and Stephens 2009). The weak prior of Vehtari et al. shrinks the shape toward
// 0.5 with the weight of ten values.
func pareto(x []float64) (shape, scale float64) {
	n := float64(len(x))
	m := 30 + int(math.Sqrt(n))
	quartile := x[int(n/4+0.5)-1]
	b, logLik := make([]float64, m), make([]float64, m)
	for i := range b {
		b[i] = 1/x[len(x)-1] + (1-math.Sqrt(float64(m)/(float64(i)+0.5)))/(3*quartile)
		k := meanLog1p(x, -b[i])
		logLik[i] = n * (math.Log(-b[i]/k) - k - 1)
	}
	norm := floats.LogSumExp(logLik)
	var theta float64
	for i := range b {
		theta += b[i] * math.Exp(logLik[i]-norm)
	}
	shape = meanLog1p(x, -theta)
	scale = -shape / theta
	return (n*shape + 10*0.5) / (n + 10), scale
}

func meanLog1p(x []float64, by float64) (mean float64) {
	for _, v := range x {
		mean += math.Log1p(by*v) / float64(len(x))
	}
	return mean
}
