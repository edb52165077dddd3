package cohort

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Wilson returns the score interval of a proportion hits/n, which inverts the test of a proportion (Wilson 1927; Brown,
// Cai and DasGupta 2001, "Interval estimation for a binomial proportion", section 3.1.1). With p = hits/n and z the
// normal quantile,
//
//	(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n).
//
// For n = 0 it is 0 to 1.
func Wilson(hits, n int, level float64) (measure.Interval, error) {
	if err := checkRate(hits, n, level); err != nil {
		return measure.Interval{}, err
	}
	if n == 0 {
		return measure.Interval{Low: 0, High: 1, Level: level}, nil
	}
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	size := float64(n)
	p := float64(hits) / size
	middle := p + z*z/(2*size)
	half := z * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	shrink := 1 + z*z/size
	i := measure.Interval{Low: max(0, (middle-half)/shrink), High: min(1, (middle+half)/shrink), Level: level}
	if hits == 0 {
		i.Low = 0
	}
	if hits == n {
		i.High = 1
	}
	return i, nil
}

// Jeffreys returns the equal-tailed interval of Beta(hits + 1/2, n - hits + 1/2), the posterior of a rate under
// Jeffreys' prior, with a limit of 0 or 1 when none or all are hits (Brown, Cai and DasGupta 2001, section 3.1.2).
func Jeffreys(hits, n int, level float64) (measure.Interval, error) {
	if err := checkRate(hits, n, level); err != nil {
		return measure.Interval{}, err
	}
	i := measure.Interval{Low: 0, High: 1, Level: level}
	a, b := float64(hits)+.5, float64(n-hits)+.5
	if hits > 0 {
		i.Low = mathext.InvRegIncBeta(a, b, (1-level)/2)
	}
	if hits < n {
		i.High = mathext.InvRegIncBeta(a, b, (1+level)/2)
	}
	return i, nil
}

func checkRate(hits, n int, level float64) error {
	if hits < 0 || n < hits {
		return fault.Invalid("invalid rate: %d of %d", hits, n)
	}
	return checkLevel(level)
}
