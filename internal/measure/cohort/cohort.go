// Package cohort says what customers are worth: how many come back, what they bring by channel, when they have paid
// for themselves, and what may still be expected of them.
//
// What was observed comes first and needs no model. Projections come from the BG/NBD or the Pareto/NBD model for
// purchases and the Gamma-Gamma model for their value, fitted by maximum likelihood, with a gate that refuses data
// too short or too few. Times are in any one unit, days or weeks; parameters and horizons follow it.
package cohort

import (
	"math"

	"assay/internal/fault"
)

// DefaultLevel is the level of intervals unless said otherwise.
const DefaultLevel = 0.9

// Interval is a range that holds the truth with the level's probability, if the method's assumptions hold.
type Interval struct {
	Low, High float64
	Level     float64 // between 0 and 1
}

// History is the purchase record of one customer, counted from the first purchase.
type History struct {
	Repeats int     // purchases after the first one
	Recency float64 // time of the last purchase; 0 without repeats
	Age     float64 // time until the end of the observation
}

// mostRepeats is more than anybody buys; a larger number is a mistake in the data.
const mostRepeats = 1_000_000

// check refuses, naming the customer, what no record can be.
func (h History) check(i int) error {
	switch {
	case h.Repeats < 0 || h.Repeats > mostRepeats:
		return fault.Invalid("customer %d: %d repeat purchases", i, h.Repeats)
	case !(h.Age >= 0) || math.IsInf(h.Age, 1):
		return fault.Invalid("customer %d: age is %v, want a time from 0 up", i, h.Age)
	case !(h.Recency >= 0 && h.Recency <= h.Age):
		return fault.Invalid("customer %d: recency is %v, want a time from 0 to the age %v", i, h.Recency, h.Age)
	case h.Repeats == 0 && h.Recency != 0:
		return fault.Invalid("customer %d: recency is %v without a repeat purchase", i, h.Recency)
	case h.Repeats > 0 && h.Recency == 0:
		return fault.Invalid("customer %d: %d repeat purchases at the time of the first", i, h.Repeats)
	}
	return nil
}

func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fault.Invalid("level of the interval is %v, want a fraction between 0 and 1", level)
	}
	return nil
}
