package stats

import "math"

// Exponentials dominate the cost of saturated exposures, and package math computes them one by one with a function
// call. Here, exp(x) = 2^(n/steps) exp(r), where n is the nearest integer to x steps / log 2. The power of two comes
// from a table and the exponent's bits. The exponential of the remainder r, at most log 2 / (2 steps) in size, comes
// from four terms of its series (Tang 1989). Loop iterations are independent.
const (
	steps    = 256
	logSteps = 8
	// stepHigh and stepLow are log 2 / steps in two parts. The first has enough trailing zeros that its
	// product with n is exact.
	stepHigh = 0x1.62e42fefp-9
	stepLow  = 0x1.473de6af278edp-42
	toWhole  = 0x1.8p52 // adding toWhole moves the rounded number to the lowest bits; subtracting it returns the integer
	expLimit = 700      // for larger arguments, results may not be normal numbers
)

// powers contains the bits of 2^(i/steps).
var powers = func() (bits [steps]uint64) {
	for i := range bits {
		bits[i] = math.Float64bits(math.Exp2(float64(i) / steps))
	}
	return bits
}()

// Exp sets dst to the exponentials of x, with a relative error below 3e-16, as in package math. dst and x have the same
// length and may be one slice.
func Exp(dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		if !(v > -expLimit && v < expLimit) {
			dst[i] = math.Exp(v)
			continue
		}
		shifted := v*(steps/math.Ln2) + toWhole
		n := math.Float64bits(shifted)
		whole := shifted - toWhole
		r := v - whole*stepHigh - whole*stepLow
		power := math.Float64frombits(powers[n%steps] + n>>logSteps<<52)
		dst[i] = power + power*(r+r*r*(1.0/2+r*(1.0/6+r*(1.0/24))))
	}
}
