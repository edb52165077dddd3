package cohort

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
)

// Wait is how long a customer was watched for the next purchase.
type Wait struct {
	Days   int  // until the purchase, or until the end of the observation
	Bought bool // false: not yet, when the observation ended
}

// Return is the share of customers who have bought again by a day.
type Return struct {
	Days     int
	AtRisk   int     // customers still waiting and watched at the start of the day
	Share    float64 // who have bought again by the end of the day
	Interval Interval
}

// Returns is the Kaplan-Meier estimate of the share of customers who have bought again, at each day on which somebody
// did (Kaplan and Meier 1958). Customers who have not been watched that long leave the count and not the estimate. It
// assumes that they would have behaved like the others: a change of customers over time breaks that.
//
// The interval is Greenwood's on the scale log(-log), which keeps it between 0 and 1 (Kalbfleisch and Prentice 2002,
// section 1.4). Negative waits are refused by their index.
func Returns(waits []Wait, level float64) ([]Return, error) {
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	for i, w := range waits {
		if w.Days < 0 {
			return nil, fault.Invalid("customer %d waits %d days", i, w.Days)
		}
	}
	sorted := slices.Clone(waits)
	slices.SortFunc(sorted, func(a, b Wait) int { return a.Days - b.Days })
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	var curve []Return
	waiting, greenwood := 1.0, 0.0
	for i := 0; i < len(sorted); {
		end, bought := i, 0
		for ; end < len(sorted) && sorted[end].Days == sorted[i].Days; end++ {
			if sorted[end].Bought {
				bought++
			}
		}
		if bought > 0 {
			atRisk := float64(len(sorted) - i)
			waiting *= 1 - float64(bought)/atRisk
			greenwood += float64(bought) / (atRisk * (atRisk - float64(bought)))
			curve = append(curve, Return{
				Days: sorted[i].Days, AtRisk: len(sorted) - i, Share: 1 - waiting,
				Interval: logLogInterval(waiting, greenwood, z, level),
			})
		}
		i = end
	}
	return curve, nil
}

// logLogInterval returns the interval of 1 - s, for a survival s with Greenwood's sum g.
func logLogInterval(s, g, z, level float64) Interval {
	if s <= 0 {
		return Interval{Low: 0, High: 1, Level: level} // everybody bought: Greenwood says nothing
	}
	half := z * math.Sqrt(g) / math.Abs(math.Log(s))
	return Interval{Low: 1 - math.Pow(s, math.Exp(-half)), High: 1 - math.Pow(s, math.Exp(half)), Level: level}
}
