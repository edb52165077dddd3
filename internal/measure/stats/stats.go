// Package stats contains shared parts of Bayesian inference: a log density, random number streams, and summaries of
// draws. The sampler, its starting points and its diagnostics are in the subpackages.
package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Density is an unnormalized log density over unconstrained real parameters.
//
// An implementation can have scratch space, so it is not safe for concurrent use.
type Density interface {
	// Dim returns the number of parameters.
	Dim() int
	// LogDensity returns the log density at x and writes its gradient to grad. Both slices have length Dim. The
	// implementation must not retain or modify x. Outside the support it returns -Inf or NaN, and grad is arbitrary.
	LogDensity(x, grad []float64) float64
}

// Stream returns the random number generator for one piece of work. Streams of one seed with different indices are
// independent. Pieces of work can therefore run in any order, on any number of cores, with the same result.
func Stream(seed, index uint64) *rand.Rand {
	return rand.New(rand.NewPCG(mix(seed), mix(mix(seed)^mix(index+1))))
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014), which decorrelates neighboring seeds.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Dot returns the dot product of two slices of the same length. It uses four partial sums, always in the same order.
// The processor can compute them in parallel.
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// Summary summarizes the draws of one quantity, in the quantity's unit.
type Summary struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
	Q05  float64 `json:"q05"`
	Q25  float64 `json:"q25"`
	Q50  float64 `json:"q50"`
	Q75  float64 `json:"q75"`
	Q95  float64 `json:"q95"`
}

// Summarize returns a summary of at least two draws. The order of draws has no effect.
func Summarize(draws []float64) Summary {
	sorted := slices.Clone(draws)
	Sort(sorted)
	mean, sd := MeanSD(sorted)
	return Summary{
		Mean: mean, SD: sd,
		Q05: Quantile(sorted, 0.05), Q25: Quantile(sorted, 0.25), Q50: Quantile(sorted, 0.5),
		Q75: Quantile(sorted, 0.75), Q95: Quantile(sorted, 0.95),
	}
}

// Sum returns the sum of x, added in order.
func Sum(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// Mean returns the mean of x, or NaN if x is empty.
func Mean(x []float64) float64 { return Sum(x) / float64(len(x)) }

// MeanSD returns the mean and the standard deviation (divisor n-1) of x. Both are NaN if x is empty. The standard
// deviation is also NaN if x has one element.
func MeanSD(x []float64) (mean, sd float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v
	}
	mean /= n
	var ss float64
	for _, v := range x {
		ss += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(ss / (n - 1))
}

// Quantile returns the p-quantile of increasing values by linear interpolation between order statistics. It is type 7
// of Hyndman and Fan 1996, the default of R and NumPy. It panics if sorted is empty.
func Quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	lo := int(math.Floor(h))
	if lo >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[lo] + (h-float64(lo))*(sorted[lo+1]-sorted[lo])
}
