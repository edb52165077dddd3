package diag

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"assay/internal/measure/stats"
)

// ESSTail returns the smaller of the effective sample sizes for the 5% and 95% quantiles.
func ESSTail(chains [][]float64) float64 {
	if degenerate(chains) {
		return math.NaN()
	}
	all := sorted(chains)
	return math.Min(essBelow(chains, stats.Quantile(all, 0.05)), essBelow(chains, stats.Quantile(all, 0.95)))
}

// essBelow returns the effective sample size of the indicator of draws up to q.
func essBelow(chains [][]float64, q float64) float64 {
	below := transformed(split(chains), func(x float64) float64 {
		if x <= q {
			return 1
		}
		return 0
	})
	if degenerate(below) {
		return math.NaN()
	}
	return ess(below)
}

// ess estimates the effective sample size of all chains together. It sums autocorrelations in pairs while the pairs are
// positive, and makes the pairs decrease monotonically (Geyer 1992).
func ess(chains [][]float64) float64 {
	m, n := len(chains), len(chains[0])
	acov := make([]float64, n)
	means := make([]float64, m)
	covariance := newAutocovariance(n)
	for i, c := range chains {
		means[i], _ = stats.MeanSD(c)
		for lag, v := range covariance.of(c) {
			acov[lag] += v / float64(m)
		}
	}
	within := acov[0] * float64(n) / float64(n-1)
	total := acov[0]
	if m > 1 {
		_, between := stats.MeanSD(means)
		total += between * between
	}
	rho := func(lag int) float64 { return 1 - (within-acov[lag])/total }

	size := float64(m * n)
	tau := autocorrelationTime(rho, n)
	return size / math.Max(tau, 1/math.Log10(size))
}

// autocorrelationTime returns -1 + 2 sum of rho over Geyer's initial monotone sequence. The sum also contains half of
// the next even term, which reduces the variance for antithetic chains.
func autocorrelationTime(rho func(lag int) float64, n int) float64 {
	even, odd := 1.0, rho(1)
	sum := 0.0
	last := even + odd
	lag := 0
	for lag < n-5 && even+odd > 0 {
		last = math.Min(last, even+odd)
		sum += last
		lag += 2
		even, odd = rho(lag), rho(lag+1)
	}
	return -1 + 2*sum + math.Max(even, 0)
}

// autocovariance contains scratch space and factors for a number of values.
type autocovariance struct {
	fft      *fourier.FFT
	padded   []float64
	spectrum []complex128
}

func newAutocovariance(n int) *autocovariance {
	size := 1
	for size < 2*n {
		size *= 2
	}
	return &autocovariance{fourier.NewFFT(size), make([]float64, size), make([]complex128, size/2+1)}
}

// of returns the autocovariances of x with divisor n at all lags, by the fast Fourier transform of x padded with zeros.
// The next call overwrites the result.
func (a *autocovariance) of(x []float64) []float64 {
	clear(a.padded)
	mean, _ := stats.MeanSD(x)
	for i, v := range x {
		a.padded[i] = v - mean
	}
	a.fft.Coefficients(a.spectrum, a.padded)
	for i, c := range a.spectrum {
		a.spectrum[i] = complex(real(c)*real(c)+imag(c)*imag(c), 0)
	}
	acov := a.fft.Sequence(a.padded, a.spectrum)[:len(x)]
	for i := range acov {
		acov[i] /= float64(len(a.padded)) * float64(len(x))
	}
	return acov
}
