package halo

import (
	"math"
	"time"

	"assay/internal/civil"
	"assay/internal/measure/holiday"
)

// lag combines an adstock retention and a saturation.
type lag struct {
	keep float64 // geometric adstock, after Broadbent (1979)
	half float64 // adstock, in multiples of its mean, at half saturation (Hill, slope 1); 0: linear
}

// lags lists the lags for model averaging. Selecting a single lag by likelihood would make intervals too short.
var lags = func() (all []lag) {
	for _, keep := range []float64{0, 0.3, 0.5, 0.7, 0.85} {
		for _, half := range []float64{0, 3, 1} {
			all = append(all, lag{keep, half})
		}
	}
	return all
}()

// usualLag is the index in lags of a representative lag: retention 0.5, linear saturation.
const usualLag = 6

// meanLag returns the mean number of days from spend to effect.
func (l lag) meanLag() float64 { return l.keep / (1 - l.keep) }

// response returns the effect of spend by day, scaled so that it sums to the spend. For any response curve, the
// regression coefficient is then revenue per unit of spend over all days.
func (l lag) response(spend []float64) []float64 {
	out := make([]float64, len(spend))
	carried, total, mean := 0.0, 0.0, 0.0
	for t, x := range spend {
		carried = l.keep*carried + (1-l.keep)*x
		out[t] = carried
		mean += carried
		total += x
	}
	mean /= float64(max(1, len(spend)))
	sum := 0.0
	for t, a := range out {
		if l.half > 0 && mean > 0 {
			out[t] = a / (a + l.half*mean)
		}
		sum += out[t]
	}
	if sum > 0 {
		for t := range out {
			out[t] *= total / sum
		}
	}
	return out
}

// knotDays is the number of days between knots of the level: longer than a burst of spend and shorter than a season.
const knotDays = 28

// controls returns the non-media columns. The columns are a level with knots every four weeks (a linear spline),
// weekdays, and days of the year with high sales in all countries. The days with high sales are Thanksgiving to Cyber
// Monday, the weeks before Christmas, Christmas and the days after it.
func controls(first civil.Date, days int) [][]float64 {
	var out [][]float64
	column := func(of func(t int, d civil.Date) float64) {
		x := make([]float64, days)
		some := false
		for t := range x {
			x[t] = of(t, first.AddDays(t))
			some = some || x[t] != 0
		}
		if some {
			out = append(out, x)
		}
	}
	for k := 0; k*knotDays < days+knotDays; k++ {
		column(func(t int, _ civil.Date) float64 { return max(0, 1-math.Abs(float64(t)/knotDays-float64(k))) })
	}
	for w := time.Monday; w <= time.Saturday; w++ {
		column(func(_ int, d civil.Date) float64 {
			return indicator(d.Weekday() == w) - indicator(d.Weekday() == time.Sunday)
		})
	}
	for _, inside := range []func(civil.Date) bool{blackFriday, cyberMonday, runUp, christmas, afterwards} {
		column(func(_ int, d civil.Date) float64 { return indicator(inside(d)) })
	}
	return out
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func blackFriday(d civil.Date) bool {
	n := d.Sub(holiday.Thanksgiving(d.Year()))
	return n >= 0 && n <= 2
}

func cyberMonday(d civil.Date) bool {
	n := d.Sub(holiday.Thanksgiving(d.Year()))
	return n == 3 || n == 4
}

func runUp(d civil.Date) bool {
	return d.Sub(holiday.Thanksgiving(d.Year())) > 4 && d.Month() >= time.November &&
		(d.Month() == time.November || d.Day() <= 15)
}

func christmas(d civil.Date) bool {
	return d.Month() == time.December && d.Day() >= 16 && d.Day() <= 24
}

func afterwards(d civil.Date) bool { return d.Month() == time.December && d.Day() >= 25 }
