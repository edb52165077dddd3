// Package cohort measures customer value: retention, lifetime value (LTV) by channel, payback, and projections.
//
// Observed figures need no model. Projections use the BG/NBD or Pareto/NBD model for purchases and the Gamma-Gamma
// model for their value, fitted by maximum likelihood. [Ready] checks that there are enough data. Times are in days or
// in weeks; parameters and horizons have the same unit.
package cohort

import (
	"math"

	"assay/internal/fault"
)

// DefaultLevel is the default level of intervals.
const DefaultLevel = 0.9

// History is a customer's purchase history, with times since the first purchase.
type History struct {
	Repeats int     // purchases after the first one
	Recency float64 // time of the last purchase; 0 without repeats
	Age     float64 // time until the end of the observation period
}

// mostRepeats is the maximum number of repeat purchases. A larger number is a data error.
const mostRepeats = 1_000_000

// check rejects impossible histories. The error names the customer's index.
func (h History) check(i int) error {
	switch {
	case h.Repeats < 0 || h.Repeats > mostRepeats:
		return fault.Invalid("customer %d: the number of repeat purchases, %d, is out of range", i, h.Repeats)
	case !(h.Age >= 0) || math.IsInf(h.Age, 1):
		return fault.Invalid("customer %d: age is %v, want a time of at least 0", i, h.Age)
	case !(h.Recency >= 0 && h.Recency <= h.Age):
		return fault.Invalid("customer %d: recency is %v, want a time from 0 to the age %v", i, h.Recency, h.Age)
	case h.Repeats == 0 && h.Recency != 0:
		return fault.Invalid("customer %d: recency is %v without a repeat purchase", i, h.Recency)
	case h.Repeats > 0 && h.Recency == 0:
		return fault.Invalid("customer %d: %d repeat purchases at the time of the first purchase", i, h.Repeats)
	}
	return nil
}

func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fault.Invalid("level of the interval is %v, want a fraction between 0 and 1", level)
	}
	return nil
}
