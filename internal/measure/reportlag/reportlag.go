// Package reportlag measures reporting delay: the share of a day's final figure that was known at a given age. The
// package uses the versions of each day's totals and the times of the imports. The package does not correct figures for
// reporting delay. Its curve is an input for such a correction. See Lawless 1994, "Adjustments for reporting delays and
// the prediction of occurred but not reported events".
//
// A figure that was not imported again may still be wrong. A curve therefore uses only days that were first imported
// within [FirstLook] days and again at an age of at least [LastLook].
package reportlag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Requirements of a curve.
const (
	Enough    = 14   // minimum number of days for a share
	FirstLook = 7    // maximum age in days at the first import
	LastLook  = 21   // minimum age in days at the last import
	Tolerance = 0.01 // maximum relative difference between a settled figure and the final figure
	Watched   = 120  // days before today in the analysis
)

// ages contains the ages, in days, for which a curve has a share. If a platform has an attribution window, the window's
// length is an additional age.
var ages = []int{0, 1, 2, 3, 5, 7, 10, 14, 21, 28, 42, 60, 90}

// Quantity is the delayed figure.
type Quantity string

// The quantities.
const (
	Revenue     Quantity = "revenue"     // revenue minus refunds, on the workspace's basis
	Spend       Quantity = "spend"       // as the platform reports it
	Conversions Quantity = "conversions" // as the platform reports them
)

// Curve is the reporting delay of one quantity of a sales surface or an ad platform.
type Curve struct {
	Kind     measure.TotalsKind
	Name     string // name of the surface or platform
	Quantity Quantity
	Window   int // trailing days that the platform can change; 0 for surfaces
	// Days is the number of complete days. A complete day is imported within FirstLook days and again at an age of
	// LastLook or later. Its final figure is not zero.
	Days    int
	Shares  []Share // by age; only shares with at least Enough days
	Settled *int    // age from which the median share is within Tolerance of 1; nil: unknown
}

// Share is the share of a day's final figure that was known at an age. It includes days that were imported at or before
// that age and again later. A share above 1 means that the figure decreased later.
type Share struct {
	Age    int // whole days after the day: 0 is the end of the day itself
	Days   int
	Median float64
	Low    float64 // minimum
	High   float64 // maximum
}

// Known reports whether there are enough days for a curve.
func (c Curve) Known() bool { return len(c.Shares) > 0 }

// At returns the share at an age.
func (c Curve) At(age int) (Share, bool) {
	at, ok := slices.BinarySearchFunc(c.Shares, age, func(s Share, age int) int { return cmp.Compare(s.Age, age) })
	if !ok {
		return Share{}, false
	}
	return c.Shares[at], true
}

// Late reports whether the quantity settles after the platform's documented window.
func (c Curve) Late() bool {
	s, ok := c.At(c.Window)
	return ok && c.Window > 0 && !settled(s)
}

// Period returns the days to analyze, given today.
func Period(today civil.Date) civil.Range {
	return civil.Range{First: today.AddDays(-Watched), Last: today.AddDays(-LastLook)}
}

// Curves returns the curves of every part in the versions, sorted by kind, part and quantity. The caller passes
// versions and looks of one kind, and versions sorted by part, day and time. Manually entered spend has no curve.
func Curves(versions []measure.DayVersion, looks []measure.Look, basis measure.RevenueBasis) []Curve {
	var curves []Curve
	for len(versions) > 0 {
		part := versions[0]
		n := slices.IndexFunc(versions, func(v measure.DayVersion) bool { return v.Name != part.Name })
		if n < 0 {
			n = len(versions)
		}
		if part.Kind == measure.OrderTotals || part.Name != "" {
			days := daysOf(versions[:n], looks)
			for _, q := range quantitiesOf(part.Kind, basis) {
				c := Curve{Kind: part.Kind, Name: part.Name, Quantity: q.name}
				if part.Kind == measure.SpendTotals {
					c.Window = measure.Platform(part.Name).Restating()
				}
				c.measure(days, q.of)
				curves = append(curves, c)
			}
		}
		versions = versions[n:]
	}
	return curves
}

// quantity is a figure of a version.
type quantity struct {
	name Quantity
	of   func(measure.DayVersion) int64
}

func quantitiesOf(kind measure.TotalsKind, basis measure.RevenueBasis) []quantity {
	if kind == measure.OrderTotals {
		return []quantity{{Revenue, func(v measure.DayVersion) int64 { return basis.NetRevenue(v.Sums) }}}
	}
	return []quantity{
		{Spend, func(v measure.DayVersion) int64 { return v.Spend }},
		{Conversions, func(v measure.DayVersion) int64 { return v.Claimed }},
	}
}

// day is one day with its versions and the age at its last import.
type day struct {
	versions []measure.DayVersion
	reported int
}

// daysOf groups a part's versions by day and returns the complete days.
func daysOf(versions []measure.DayVersion, looks []measure.Look) []day {
	looks = slices.DeleteFunc(slices.Clone(looks), func(l measure.Look) bool { return l.Name != versions[0].Name })
	var days []day
	for len(versions) > 0 {
		date := versions[0].Day
		n := slices.IndexFunc(versions, func(v measure.DayVersion) bool { return v.Day != date })
		if n < 0 {
			n = len(versions)
		}
		d := day{versions: versions[:n], reported: versions[n-1].Seen.Sub(date)}
		for _, l := range looks {
			if l.Days.Contains(date) {
				d.reported = max(d.reported, l.Seen.Sub(date))
			}
		}
		if versions[0].Seen.Sub(date) <= FirstLook && d.reported >= LastLook {
			days = append(days, d)
		}
		versions = versions[n:]
	}
	return days
}

func (c *Curve) measure(days []day, of func(measure.DayVersion) int64) {
	days = slices.DeleteFunc(slices.Clone(days), func(d day) bool { return of(d.versions[len(d.versions)-1]) <= 0 })
	c.Days = len(days)
	reported := slices.Clone(ages)
	if c.Window > 0 && !slices.Contains(reported, c.Window) {
		reported = append(reported, c.Window)
		slices.Sort(reported)
	}
	for _, age := range reported {
		var shares []float64
		for _, d := range days {
			if share, ok := d.share(age, of); ok {
				shares = append(shares, share)
			}
		}
		if len(shares) < Enough {
			continue
		}
		slices.Sort(shares)
		c.Shares = append(c.Shares, Share{
			Age: age, Days: len(shares), Median: stats.Quantile(shares, 0.5), Low: shares[0], High: shares[len(shares)-1],
		})
	}
	for _, s := range slices.Backward(c.Shares) {
		if !settled(s) {
			break
		}
		c.Settled = new(s.Age)
	}
}

// share returns the share of the final figure that was known at an age. It returns false unless the day was imported at
// or before that age and again later. It also returns false if the store had no data of the day at that age.
func (d day) share(age int, of func(measure.DayVersion) int64) (float64, bool) {
	if d.reported <= age {
		return 0, false
	}
	known := false
	var value int64
	for _, v := range d.versions {
		if v.Seen.Sub(v.Day) > age {
			break
		}
		known, value = !v.Gone, of(v)
	}
	return float64(value) / float64(of(d.versions[len(d.versions)-1])), known
}

func settled(s Share) bool { return s.Median >= 1-Tolerance && s.Median <= 1+Tolerance }

// spokenAges lists the ages in the summary sentence.
var spokenAges = []int{1, 3, 7, 14}

// Words describes the curve in a sentence that does not name the surface or platform.
func (c Curve) Words() string {
	if !c.Known() {
		return fmt.Sprintf(
			"The delay is unknown. To estimate the delay, Assay needs %[2]d days that were imported within %[3]d days and again "+
				"at an age of at least %[4]d days. There are %[1]d such days.",
			c.Days, Enough, FirstLook, LastLook)
	}
	var parts []string
	for _, age := range spokenAges {
		if s, ok := c.At(age); ok {
			parts = append(parts,
				fmt.Sprintf("%s (%s to %s) after %s", percent(s.Median), percent(s.Low), percent(s.High), dayCount(age)))
		}
	}
	if len(parts) == 0 {
		s := c.Shares[0]
		parts = append(parts,
			fmt.Sprintf("%s (%s to %s) after %s", percent(s.Median), percent(s.Low), percent(s.High), dayCount(s.Age)))
	}
	text := fmt.Sprintf("The known share of a day’s %s was %s. The values are the median and the range of %d days.",
		c.Noun(), strings.Join(parts, ", "), c.Days)
	switch {
	case c.Settled == nil:
		text += fmt.Sprintf(" The figures of a day still changed at an age of %s.", dayCount(c.Shares[len(c.Shares)-1].Age))
	case *c.Settled == 0:
		text += " The figures of a day are final at the end of the day."
	default:
		text += fmt.Sprintf(" The figures of a day are final after %s.", dayCount(*c.Settled))
	}
	if c.Late() {
		text += fmt.Sprintf(" This is later than the attribution window of the platform, %d days.", c.Window)
	}
	return text
}

// Noun returns the display name of the quantity.
func (c Curve) Noun() string {
	switch c.Quantity {
	case Revenue:
		return "revenue after refunds"
	case Spend:
		return "spend"
	case Conversions:
		return "reported conversions"
	}
	return string(c.Quantity)
}

func dayCount(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}

func percent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }
