package cohort

import (
	"fmt"
	"slices"

	"assay/internal/measure/stats"
)

// Minimum data for projections.
const (
	// LeastRepeatBuyers is the minimum number of repeat buyers for a projection.
	LeastRepeatBuyers = 200
	// LeastGaps is the minimum length of the observation period, in median times between purchases.
	LeastGaps = 3
)

// Readiness reports whether the purchase histories are sufficient for a projection.
type Readiness struct {
	RepeatBuyers int
	MedianGap    float64  // median over customers of their mean time between purchases; 0 without repeats
	Observed     float64  // the longest age
	Reasons      []string // reasons why the histories are not sufficient; empty if they are
}

// Ready checks whether there are enough data for a projection. A projection needs at least [LeastRepeatBuyers] repeat
// buyers. The longest observation of a customer must be at least [LeastGaps] times the median gap between purchases.
// With fewer data, a model can be fitted but predicts inaccurately.
func Ready(histories []History) Readiness {
	var r Readiness
	var gaps []float64
	for _, h := range histories {
		r.Observed = max(r.Observed, h.Age)
		if h.Repeats > 0 {
			gaps = append(gaps, h.Recency/float64(h.Repeats))
		}
	}
	r.RepeatBuyers = len(gaps)
	slices.Sort(gaps)
	if len(gaps) > 0 {
		r.MedianGap = stats.Quantile(gaps, 0.5)
	}
	if r.RepeatBuyers < LeastRepeatBuyers {
		r.Reasons = append(r.Reasons,
			fmt.Sprintf("%d customers placed a second order, but a projection requires %d repeat customers", r.RepeatBuyers, LeastRepeatBuyers))
	}
	if r.Observed < LeastGaps*r.MedianGap {
		r.Reasons = append(r.Reasons, fmt.Sprintf(
			"customers were observed for %.4g weeks, less than %d times the median time of %.4g weeks between purchases",
			r.Observed, LeastGaps, r.MedianGap))
	}
	return r
}
