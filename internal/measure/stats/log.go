package stats

import "math"

// Logarithms are computed like exponentials in [Exp]: log(x) = n log 2 + log(c) + log(1 + r). n comes from the
// exponent's bits. c is the middle of the mantissa's interval; its logarithm is in a table. r is at most 1 / 512 in
// size, and log(1 + r) comes from six terms of its series (Tang 1990).
const (
	logStretches = 8  // log2 of the number of intervals
	mantissaBits = 52 // bits of the mantissa of a float64
	exponentBias = 1023
)

// middle contains the middle of an interval of mantissas, its inverse and its logarithm.
type middle struct{ at, inverse, log float64 }

var middles = func() (m [1 << logStretches]middle) {
	for i := range m {
		c := 1 + (float64(i)+0.5)/float64(len(m))
		m[i] = middle{c, 1 / c, math.Log(c)}
	}
	return m
}()

// Log sets dst to the natural logarithms of x. The error of a logarithm is below 3e-16 times the larger of 1 and its
// absolute value. dst and x have the same length and may be one slice. The logarithm is -Inf at 0 and NaN below 0.
func Log(dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		bits := math.Float64bits(v)
		exponent := int64(bits >> mantissaBits)
		if exponent <= 0 || exponent >= 2*exponentBias+1 { // 0, not normal, negative, not finite
			dst[i] = math.Log(v)
			continue
		}
		c := &middles[bits>>(mantissaBits-logStretches)&(1<<logStretches-1)]
		mantissa := math.Float64frombits(bits&(1<<mantissaBits-1) | exponentBias<<mantissaBits)
		r := (mantissa - c.at) * c.inverse
		rest := r - r*r*(1.0/2-r*(1.0/3-r*(1.0/4-r*(1.0/5-r*(1.0/6)))))
		dst[i] = float64(exponent-exponentBias)*math.Ln2 + (c.log + rest)
	}
}
