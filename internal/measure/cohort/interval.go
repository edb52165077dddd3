package cohort

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Wilson returns the proportion hits/n with its score interval, which inverts the score test of a proportion. See
// Wilson 1927, and Brown, Cai and DasGupta 2001, "Interval estimation for a binomial proportion", section 3.1.1. With p
// = hits/n and z the normal quantile,
//
//	(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n).
//
// For n = 0 the proportion is unknown: the interval is 0 to 1, and the value is the middle of the interval.
func Wilson(hits, n int, level float64) (measure.Estimate, error) {
	if err := checkRate(hits, n, level); err != nil {
		return measure.Estimate{}, err
	}
	e := measure.Estimate{
		Value: 0.5, Interval: measure.Interval{Low: 0, High: 1, Level: level}, Method: measure.Proportion,
	}
	if n == 0 {
		return e, nil
	}
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	size := float64(n)
	p := float64(hits) / size
	middle := p + z*z/(2*size)
	half := z * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	shrink := 1 + z*z/size
	e.Value = p
	if hits > 0 {
		e.Low = max(0, (middle-half)/shrink)
	}
	if hits < n {
		e.High = min(1, (middle+half)/shrink)
	}
	return e, nil
}

func checkRate(hits, n int, level float64) error {
	if hits < 0 || n < hits {
		return fault.Invalid("invalid rate: %d of %d", hits, n)
	}
	return checkLevel(level)
}
