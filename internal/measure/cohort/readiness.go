package cohort

import (
	"fmt"
	"slices"
)

// The gate in front of projections.
const (
	// LeastRepeatBuyers is the number of customers who bought again below which nothing is projected.
	LeastRepeatBuyers = 200
	// LeastGaps is the number of median times between purchases that the observation has to last.
	LeastGaps = 3
)

// Readiness says whether histories carry a projection.
type Readiness struct {
	RepeatBuyers int
	MedianGap    float64  // median over customers of their mean time between purchases; 0 without repeats
	Observed     float64  // the longest age
	Reasons      []string // why they do not; none when they do
}

// Ready returns whether the histories are long and many enough to project from: at least [LeastRepeatBuyers] customers
// who bought again, watched for at least [LeastGaps] times the median gap between purchases. Shorter data fit as well
// and project badly.
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
	r.MedianGap = quantile(gaps, 0.5)
	if r.RepeatBuyers < LeastRepeatBuyers {
		r.Reasons = append(r.Reasons, fmt.Sprintf("%d customers bought again, a projection needs %d", r.RepeatBuyers, LeastRepeatBuyers))
	}
	if r.Observed < LeastGaps*r.MedianGap {
		r.Reasons = append(r.Reasons, fmt.Sprintf(
			"customers were watched for %.4g, less than %d times the median %.4g between purchases", r.Observed, LeastGaps, r.MedianGap))
	}
	return r
}

// quantile returns the p-quantile of sorted values, between neighbours by distance, and 0 of none.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
