package detect

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/civil"
	"assay/internal/measure/stats"
)

// alarmZ is the minimum robust z-score of a finding. The threshold 3 results in 0.2 one-sided false findings per month,
// for 40 log-normal series and four independent runs per month. The comparison with the previous year and the minimum
// changes reduce this rate. Real series have heavier tails, so the evaluation on simulated stores measures the rate.
const alarmZ = 3.0

// Parameters of a drift's history.
const (
	stepDays       = 7   // days between two positions; whole weeks, so windows contain the same weekdays
	leastPositions = 12  // minimum number of positions in a history
	yearDays       = 364 // days to the same weekday a year before
	nearYear       = 14  // days around that weekday
	unusualZ       = 2   // minimum z-score of a season
	leastScale     = 0.03
	onsetDays      = 60 // number of days to search for the first day of an alarm
)

// windows are the lengths of a recent window and of the base window before it, in days.
type windows struct {
	recent, base int
	anySeason    bool // no comparison with the year before
}

// drift is a change of the ratio of two daily series between a recent window and the base window before it. An example
// is spend per new customer. Let d be the logarithm of the recent ratio divided by the base ratio. The score compares d
// with its own past values, at steps of a week:
//
//	z = (d - median) / max(1.4826 MAD, 0.03).
//
// The median absolute deviation (MAD) is robust to past outliers. If the standard deviation is smaller than 1.4826 MAD,
// as with ratios that alternate between two levels, the score uses the standard deviation. If the series is longer than
// a year, d is also compared with the most extreme value around the same day a year before. That value must be at least
// two robust standard deviations from the median. A smaller value is often noise, because it is the most extreme of
// five weekly values around that day. The score then uses the smaller of two distances of d: from the median, and from
// that value. A yearly sale is therefore not a finding. If the series is shorter than a year, the score is halved.
type drift struct {
	z           float64
	before, now float64 // ratio
	sd          float64 // standard deviation of d
	since       int     // index of the first day of the alarm
	yearly      bool    // compared with the year before
}

// driftOf returns the drift at the end of the series. It returns false without sufficient history.
func driftOf(num, den []float64, w windows) (drift, bool) {
	r := ratios{prefix(num), prefix(den), w}
	end := len(num)
	d, ok := r.at(end)
	if !ok {
		return d, false
	}
	d.since = end - 1
	for t := end - 1; t > end-onsetDays && math.Abs(d.z) >= alarmZ; t-- {
		earlier, ok := r.at(t)
		if !ok || earlier.z*d.z < 0 || math.Abs(earlier.z) < alarmZ {
			break
		}
		d.since = t - 1
	}
	return d, true
}

// change returns the relative change of the ratio.
func (d drift) change() float64 { return d.now/d.before - 1 }

// confidence returns the probability that the drift is not noise: from 0.8 at the threshold to 0.99. Without a year of
// history, a season can be the cause, so this probability is multiplied by 0.8.
func (d drift) confidence() float64 {
	c := min(0.99, 0.8+0.05*(math.Abs(d.z)-alarmZ))
	if !d.yearly {
		c *= 0.8
	}
	return c
}

// span returns the interval of the change as factors: the 5% and 95% quantiles for a normally distributed error of d.
func (d drift) span() (low, high float64) {
	reach := distuv.UnitNormal.Quantile((1+Level)/2) * d.sd
	return d.before / d.now * math.Exp(-reach), d.before / d.now * math.Exp(reach)
}

// ratios contains the prefix sums of a ratio's numerator and denominator.
type ratios struct {
	num, den []float64
	windows
}

func prefix(series []float64) []float64 {
	sums := make([]float64, len(series)+1)
	for i, x := range series {
		sums[i+1] = sums[i] + x
	}
	return sums
}

// value returns the ratios in the base window and in the recent window, and the logarithm of the recent ratio divided
// by the base ratio. The recent window ends before index t.
func (r ratios) value(t int) (before, now, d float64, ok bool) {
	mid, first := t-r.recent, t-r.recent-r.base
	if first < 0 {
		return 0, 0, 0, false
	}
	n, m := r.num[t]-r.num[mid], r.den[t]-r.den[mid]
	nb, mb := r.num[mid]-r.num[first], r.den[mid]-r.den[first]
	if !(n > 0 && m > 0 && nb > 0 && mb > 0) {
		return 0, 0, 0, false
	}
	before, now = nb/mb, n/m
	return before, now, math.Log(now / before), true
}

// at returns the drift at index t, from data before t.
func (r ratios) at(t int) (drift, bool) {
	before, now, d, ok := r.value(t)
	if !ok {
		return drift{}, false
	}
	past := r.past(t)
	if len(past) < leastPositions {
		return drift{}, false
	}
	middle, scale := robust(past)
	out := drift{before: before, now: now, sd: scale}
	distance := d - middle
	season, known := r.season(t, distance)
	if known && math.Abs(season-middle) < unusualZ*scale {
		season = middle
	}
	switch {
	case r.anySeason:
		known = t >= yearDays
	case known && (d-season)*distance < 0:
		distance = 0
	case known && math.Abs(d-season) < math.Abs(distance):
		distance = d - season
	case !known:
		distance /= 2
	}
	out.z, out.yearly = distance/scale, known
	return out, true
}

// past returns the changes at earlier positions with a recent window that does not overlap the recent window at t.
func (r ratios) past(t int) []float64 {
	var all []float64
	for u := t - stepDays*((r.recent+stepDays-1)/stepDays); u >= r.recent+r.base; u -= stepDays {
		if _, _, d, ok := r.value(u); ok {
			all = append(all, d)
		}
	}
	return all
}

// season returns the most extreme change, in the given direction, around the same day of the previous year.
func (r ratios) season(t int, direction float64) (most float64, ok bool) {
	for u := t - yearDays - nearYear; u <= t-yearDays+nearYear; u += stepDays {
		_, _, d, known := r.value(max(u, 0))
		if known && (!ok || (d-most)*direction > 0) {
			most, ok = d, true
		}
	}
	return most, ok
}

// robust returns the median and a robust standard deviation. The standard deviation is the smaller of the estimates
// from the median absolute deviation and from the variance, but at least leastScale.
func robust(values []float64) (middle, scale float64) {
	spread := math.Sqrt(stat.PopVariance(values, nil))
	sorted := slices.Clone(values)
	stats.Sort(sorted)
	middle = stats.Quantile(sorted, 0.5)
	for i, x := range sorted {
		sorted[i] = math.Abs(x - middle)
	}
	stats.Sort(sorted)
	return middle, max(min(1.4826*stats.Quantile(sorted, 0.5), spread), leastScale)
}

// atMost returns the probability of at most k events. The expected number is mean, and the variance is dispersion times
// mean.
func atMost(k, mean, dispersion float64) float64 {
	return distuv.Poisson{Lambda: mean / dispersion}.CDF(math.Floor(k / dispersion))
}

// atLeast returns the probability of at least k events.
func atLeast(k, mean, dispersion float64) float64 {
	n := math.Ceil(k / dispersion)
	return distuv.Poisson{Lambda: mean / dispersion}.Survival(n - 1)
}

// dispersion is the assumed ratio of variance to mean of counts per week: orders cluster by campaign and weather.
const dispersion = 2.0

// rare is the p-value threshold of findings on campaigns, ads and discount codes. For products, [stopped] multiplies it
// by 1,000. It is small to correct for multiple testing: a store has about 200 campaigns, ads, products and codes.
const rare = 1e-6

// day returns the date of an index.
func (s Store) day(i int) civil.Date { return s.Days.First.AddDays(i) }
