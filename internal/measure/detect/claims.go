package detect

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/measure/stats"
)

// claimWindows are the windows for the comparison of platform-reported orders. The longer window finds smaller changes
// in channels with few orders.
var claimWindows = []windows{{recent: 7, base: 56}, {recent: 14, base: 84}}

// Limits of a break in platform-reported orders.
const (
	claimTests  = 4                 // per channel: two windows and two predictions
	claimP      = 1e-3 / claimTests // maximum p-value of a test (Bonferroni): 1e-3 per channel
	leastClaims = 5                 // minimum expected number of reported orders
	mostClaims  = 1.6               // minimum change of reported orders per last-touch order after a rise
	lostClaims  = 0.3               // maximum change after a fall; platforms report some recent conversions later
)

// claims compares a channel's platform-reported orders with a prediction from other series, the drivers. All series are
// prefix sums. Let C be the reported orders in the base window, and r the relative change of each of n drivers since
// the base window. The expected number of reported orders is
//
//	e = C (r₁ ··· rₙ)^(1/n).
//
// The drivers are either the channel's last-touch orders alone, or these orders, the store's orders and the channel's
// spend. The number of last-touch orders is as small as the number of reported orders, so its noise hides a one-week
// break. The mean of several predictions has less noise (Bates and Granger 1969, "The combination of forecasts"). Only
// the prediction from last-touch orders alone shows a loss of last-touch orders.
//
// Reported and last-touch orders are counts. Let o and O be the last-touch orders in the recent window and in the base
// window. The variance of the number of reported orders is φ e (1 + e (1/C + (1/o + 1/O)/n²)). The dispersion φ is
// estimated from the errors of earlier windows, as in outbreak detection (Noufaily et al. 2013, Statistics in Medicine
// 32:1206). The p-value is a tail of the scaled Poisson distribution.
type claims struct {
	claimed []float64
	drivers [][]float64 // the first is last-touch orders
	windows
}

// claimTest is the test result of one window.
type claimTest struct {
	claimed, expected float64
	spread            float64 // variance relative to expected
	now, before       float64 // reported orders per last-touch order
	p                 float64 // probability of a deviation of this size in its direction
}

func (c claimTest) change() float64 { return c.now / c.before }

func (c claimTest) alarms() bool {
	return c.p < claimP && (c.claimed > c.expected && c.change() >= mostClaims || c.claimed < c.expected && c.change() <= lostClaims)
}

// confidence returns the probability that the break is not noise: from 0.8 at the limit of the p-value to 0.99.
func (c claimTest) confidence() float64 { return min(0.99, 1-0.2*c.p/claimP) }

// totals returns a series' totals in the base window and in the recent window that ends before index t.
func (c claims) totals(sums []float64, t int) (before, now float64) {
	mid := t - c.recent
	return sums[mid] - sums[mid-c.base], sums[t] - sums[mid]
}

// expect returns the test of the recent window that ends before index t, without a p-value and with dispersion φ = 1.
// The result ok is false without sufficient history or with too few expected orders.
func (c claims) expect(t int) (out claimTest, ok bool) {
	if t < c.recent+c.base {
		return out, false
	}
	before, now := c.totals(c.claimed, t)
	ordersBefore, orders := c.totals(c.drivers[0], t)
	change, n := 1.0, float64(len(c.drivers))
	for _, sums := range c.drivers {
		driverBefore, driver := c.totals(sums, t)
		change *= driver / driverBefore
	}
	out = claimTest{claimed: now, expected: before * math.Pow(change, 1/n), before: before / ordersBefore, now: now / orders}
	out.spread = 1 + out.expected*(1/before+(1/orders+1/ordersBefore)/(n*n))
	return out, out.expected >= leastClaims && !math.IsInf(out.expected, 1)
}

// at tests the window that ends before index t. It returns false without sufficient history.
func (c claims) at(t int) (claimTest, bool) {
	out, ok := c.expect(t)
	if !ok {
		return out, false
	}
	var misses []float64 // squared standardized errors of windows that do not overlap the recent window
	for u := t - stepDays*((c.recent+stepDays-1)/stepDays); u >= c.recent+c.base; u -= stepDays {
		if past, ok := c.expect(u); ok {
			miss := past.claimed - past.expected
			misses = append(misses, miss*miss/(past.expected*past.spread))
		}
	}
	if len(misses) < leastPositions {
		return out, false
	}
	stats.Sort(misses)
	out.spread *= max(1, stats.Quantile(misses, 0.5)/chiMedian)
	if out.claimed > out.expected {
		out.p = atLeast(out.claimed, out.expected, out.spread)
	} else {
		out.p = atMost(out.claimed, out.expected, out.spread)
	}
	return out, true
}

// chiMedian is the median of a chi-squared variable with one degree of freedom. The dispersion is estimated from the
// median of squared errors, because the median is robust to earlier breaks.
var chiMedian = distuv.ChiSquared{K: 1}.Quantile(0.5)

// since returns the index of the first day of the break that at(end) detects.
func (c claims) since(end int) int {
	last, _ := c.at(end)
	t := end - 1
	for ; t > end-onsetDays; t-- {
		if earlier, ok := c.at(t); !ok || !earlier.alarms() || (earlier.claimed > earlier.expected) != (last.claimed > last.expected) {
			break
		}
	}
	return t
}

// claimsBreaks finds channels with platform-reported orders that jump or end while spend continues. The cause is
// usually a pixel that fires twice, or not at all. The windows end with the channel's last ad report. A tracking break
// or pixel loss is the cause of such a change and replaces this finding (see [consequences]).
func claimsBreaks(s Store) (all []Finding) {
	for _, ch := range s.Channels {
		if ch.Late >= claimWindows[0].recent || len(ch.Claimed) == 0 {
			continue // all recent reported orders are unknown
		}
		end := len(ch.Claimed) - ch.Late
		for _, c := range s.claims(ch) {
			found, ok := c.at(end)
			if !ok || !found.alarms() || lately(ch.Spend[:end], c.recent) == 0 {
				continue
			}
			all = append(all, Finding{
				Kind: ClaimsBreak, Subject: string(ch.Name), Channel: ch.Name, Since: s.day(c.since(end)), Confidence: found.confidence(),
				Effort: Small, Severity: Warning,
				Evidence: []Figure{{"claims_per_order", found.now, Ratio}, {"earlier_claims_per_order", found.before, Ratio}, {"change", found.change() - 1, Share}},
			})
			break
		}
	}
	return all
}

// claims returns the tests of a channel.
func (s Store) claims(ch Channel) (tests []claims) {
	if len(ch.Claimed) == 0 {
		return nil
	}
	drivers := [][]float64{prefix(floored(ch.Orders)), prefix(s.Orders), prefix(ch.Spend)}
	for _, w := range claimWindows {
		tests = append(tests, claims{prefix(ch.Claimed), drivers, w}, claims{prefix(ch.Claimed), drivers[:1], w})
	}
	return tests
}
