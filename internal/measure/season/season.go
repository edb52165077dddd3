// Package season estimates the yearly pattern of a daily series: the time of year, holidays and shopping events.
//
// [Fit] returns a factor for every day of the history and of the future, with the covariance of the future factors. The
// package makes no forecast. A forecaster divides the history by its factors, forecasts the result, and multiplies the
// forecast by the future factors.
package season

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
)

// Ask contains the history and the days ahead.
type Ask struct {
	First     civil.Date
	Values    []float64 // one per day; NaN is unknown
	Ahead     int       // days after the history
	Countries []string  // countries with holidays, in the notation of holiday.Of; none: only events of all countries
}

// Year is the estimated yearly pattern.
type Year struct {
	Factors    []float64   // one per day of the history and of the days ahead; 1 is an ordinary day
	Covariance [][]float64 // covariance of the logarithms of the future factors
	Unseen     []Unseen    // seasons ahead without a day in the history, by first day
}

// Unseen is an upcoming season that the history does not include. The factor comes from the prior only.
type Unseen struct {
	Name string
	From int // first day ahead, counted from 0
}

const (
	leastDays = 56   // minimum number of known days
	mostZero  = 0.05 // maximum share of days without a positive value: logarithms need positive values
	yearDays  = 365.25
	fullYear  = 365
	// timeOfYear names the smooth season.
	timeOfYear = "the time of year"
)

// Fit estimates the yearly pattern jointly with level and weekday. Let x be the logarithm of the value on day t. Then
//
//	x_t = ℓ_t + w(weekday) + Σ_k (a_k cos(2πkd/365.25) + b_k sin(2πkd/365.25)) + Σ_e β_e D_e(t) + ε_t.
//
// ℓ is a random walk with drift, linear between weekly knots. d is the day of the year. D_e are the events of the
// calendar: days around Thanksgiving, blocks of the Christmas season, national holidays and gift days. A holiday next to
// a weekend includes the weekend. A gift day includes the nine days before it. The errors have Student's t distribution
// with four degrees of freedom, so single anomalies have little weight. All coefficients have normal priors (see
// [events]). Without data, the estimate is the prior. With each year of history, the estimate moves toward the data. The scales of
// the level and of the smooth season maximize the marginal likelihood (empirical Bayes; MacKay 1992, "Bayesian
// interpolation"). With less than 18 months of data, the scale of the smooth season is fixed, because such data cannot
// separate season and level. The effect of an event differs between years, which widens the covariance.
//
// A factor of a future day is relative to the last two weeks of the history, with a known level. A constant error
// factor of the smooth season therefore changes no forecast.
//
// A series that is too short or too often zero results in a not-ready fault.
func Fit(ask Ask) (*Year, error) {
	if ask.Ahead < 0 {
		return nil, fault.Invalid("%d days ahead, want 0 or more", ask.Ahead)
	}
	x, err := logarithms(ask.Values)
	if err != nil {
		return nil, err
	}
	d, err := newDesign(ask)
	if err != nil {
		return nil, err
	}
	f := fitted{design: d, x: x, weights: make([]float64, len(x))}
	f.estimate()
	y := &Year{Factors: f.factors(), Covariance: f.covariance()}
	y.Unseen = d.unseen(x, y.Covariance)
	return y, nil
}

// logarithms returns the logarithm of each value. A value that is not positive is unknown.
func logarithms(values []float64) ([]float64, error) {
	x := make([]float64, len(values))
	known, zero := 0, 0
	for t, y := range values {
		x[t] = math.NaN()
		switch {
		case math.IsInf(y, 0):
			return nil, fault.Invalid("value %d is %v, want a finite number", t, y)
		case y > 0:
			x[t] = math.Log(y)
			known++
		case !math.IsNaN(y):
			zero++
		}
	}
	if known < leastDays || float64(zero) > mostZero*float64(known) {
		return nil, fault.NotReady("%d days have a positive value and %d days do not. Yearly seasonality requires %d days with a positive value and at most %v%% other days",
			known, zero, leastDays, 100*mostZero)
	}
	return x, nil
}

// unseen lists the seasons ahead that the history does not include. A season is unseen if one of its blocks ahead has
// no known day in the history. The time of year is unseen if less than a year is known and the smooth season of an
// ordinary day is imprecise; see vague.
func (d *design) unseen(x []float64, covariance [][]float64) []Unseen {
	first := map[string]int{}
	event := make([]bool, d.ahead)
	for _, e := range d.effects {
		ahead, seen := d.ahead, false
		for _, at := range e.days {
			if h := at.day - d.history; h >= 0 {
				ahead, event[h] = min(ahead, h), true
			} else {
				seen = seen || !math.IsNaN(x[at.day])
			}
		}
		if from, ok := first[e.season]; e.season != "" && ahead < d.ahead && !seen && (!ok || ahead < from) {
			first[e.season] = ahead
		}
	}
	for h, row := range covariance {
		if d.history < fullYear && !event[h] && math.Sqrt(row[h]) > vague {
			first[timeOfYear] = h
			break
		}
	}
	return sorted(first)
}

// vague is the standard deviation of an ordinary day's log factor above which the time of year is unseen.
const vague = 0.10

func sorted(first map[string]int) []Unseen {
	var all []Unseen
	for name, from := range first {
		all = append(all, Unseen{Name: name, From: from})
	}
	slices.SortFunc(all, func(a, b Unseen) int { return cmp.Or(a.From-b.From, cmp.Compare(a.Name, b.Name)) })
	return all
}

// Ahead lists all seasons in a range of days as [Unseen]. It is for series without a yearly pattern.
func Ahead(days civil.Range) []Unseen {
	first := map[string]int{}
	for _, e := range seasons(days) {
		for _, at := range e.days {
			if from, ok := first[e.season]; e.season != "" && (!ok || at.day < from) {
				first[e.season] = at.day
			}
		}
	}
	return sorted(first)
}
