// Package reportlag measures how late figures arrive: which part of what a day adds up to in the end was known when the day was
// so many days old. It is a matter of counting, from the versions of each day's totals and the times at which somebody
// looked again; the curve is the one that reporting-delay corrections start from (Lawless 1994, "Adjustments for reporting
// delays and the prediction of occurred but not reported events"), without their model and without correcting anything.
//
// What nobody looked at again cannot have changed as far as the store knows, and says nothing: a day counts only when it was
// told again at an age of [LastLook] or more, and was first told within [FirstLook].
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

// What a curve needs.
const (
	Enough    = 14   // days that a share rests on; with fewer it is not known yet
	FirstLook = 7    // days of age within which a day is first told
	LastLook  = 21   // days of age at which, or later, a day is told again
	Tolerance = 0.01 // by which a figure that has settled may differ from the end
	Watched   = 120  // days before today that are looked at
)

// ages are the days of age at which shares are told. The window of a platform is one of them besides.
var ages = []int{0, 1, 2, 3, 5, 7, 10, 14, 21, 28, 42, 60, 90}

// Quantity is what settles.
type Quantity string

// The quantities.
const (
	Revenue     Quantity = "revenue"     // less refunds, on the workspace's basis
	Spend       Quantity = "spend"       // as the platform reports it
	Conversions Quantity = "conversions" // that the platform claims
)

// Curve says how one quantity of a sales surface or an ad platform settles.
type Curve struct {
	Kind     measure.TotalsKind
	Name     string // of the surface or the platform
	Quantity Quantity
	Window   int     // trailing days that the platform may change; 0 for surfaces, which have no such rule
	Days     int     // closed days: told within FirstLook, told again at LastLook or later, and not 0 in the end
	Shares   []Share // by age; only those that rest on Enough days
	Settled  *int    // age from which on the median stays within Tolerance of the end; nil: not known
}

// Share is which part of a day's final figure was known at an age, over days that had been told by then and were told again
// later. 1 is all of it; more than 1 was taken back afterwards.
type Share struct {
	Age    int // whole days after the day: 0 is its own evening
	Days   int
	Median float64
	Low    float64 // the lowest of them
	High   float64 // the highest
}

// Known reports whether there are days enough to say anything.
func (c Curve) Known() bool { return len(c.Shares) > 0 }

// At returns the share of an age.
func (c Curve) At(age int) (Share, bool) {
	at, ok := slices.BinarySearchFunc(c.Shares, age, func(s Share, age int) int { return cmp.Compare(s.Age, age) })
	if !ok {
		return Share{}, false
	}
	return c.Shares[at], true
}

// Late reports whether the quantity has been seen to settle after the window that the platform is known for.
func (c Curve) Late() bool {
	s, ok := c.At(c.Window)
	return ok && c.Window > 0 && !settled(s)
}

// Period returns the days to look at, seen from today.
func Period(today civil.Date) civil.Range {
	return civil.Range{First: today.AddDays(-Watched), Last: today.AddDays(-LastLook)}
}

// Curves returns the curves of every part that the versions are of, sorted by kind, part and quantity. Versions are sorted by
// part, day and time and are of one kind, as looks are. Spend entered by hand has no curve.
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

// day is one day with its versions and the age at which it was told last.
type day struct {
	versions []measure.DayVersion
	told     int
}

// daysOf groups a part's versions by day, and leaves those that were seen from the beginning to the end.
func daysOf(versions []measure.DayVersion, looks []measure.Look) []day {
	looks = slices.DeleteFunc(slices.Clone(looks), func(l measure.Look) bool { return l.Name != versions[0].Name })
	var days []day
	for len(versions) > 0 {
		date := versions[0].Day
		n := slices.IndexFunc(versions, func(v measure.DayVersion) bool { return v.Day != date })
		if n < 0 {
			n = len(versions)
		}
		d := day{versions: versions[:n], told: versions[n-1].Seen.Sub(date)}
		for _, l := range looks {
			if l.Days.Contains(date) {
				d.told = max(d.told, l.Seen.Sub(date))
			}
		}
		if versions[0].Seen.Sub(date) <= FirstLook && d.told >= LastLook {
			days = append(days, d)
		}
		versions = versions[n:]
	}
	return days
}

func (c *Curve) measure(days []day, of func(measure.DayVersion) int64) {
	days = slices.DeleteFunc(slices.Clone(days), func(d day) bool { return of(d.versions[len(d.versions)-1]) <= 0 })
	c.Days = len(days)
	told := slices.Clone(ages)
	if c.Window > 0 && !slices.Contains(told, c.Window) {
		told = append(told, c.Window)
		slices.Sort(told)
	}
	for _, age := range told {
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

// share returns which part of the final figure was known at an age. A day that was not told by then, or was not told again
// after it, does not say.
func (d day) share(age int, of func(measure.DayVersion) int64) (float64, bool) {
	if d.told <= age {
		return 0, false
	}
	known := false
	var value int64
	for _, v := range d.versions {
		if v.Seen.Sub(v.Day) > age {
			break
		}
		known, value = true, of(v)
	}
	return float64(value) / float64(of(d.versions[len(d.versions)-1])), known
}

func settled(s Share) bool { return s.Median >= 1-Tolerance && s.Median <= 1+Tolerance }

// spokenAges are the ages that a sentence names.
var spokenAges = []int{1, 3, 7, 14}

// Words says the curve in a sentence without the name of its part.
func (c Curve) Words() string {
	if !c.Known() {
		return fmt.Sprintf("Not known yet: of the %[2]d days that it takes, %[1]d were imported within %[3]d days and again when they were at least %[4]d days old.",
			c.Days, Enough, FirstLook, LastLook)
	}
	var parts []string
	for _, age := range spokenAges {
		if s, ok := c.At(age); ok {
			parts = append(parts, fmt.Sprintf("after %s %s (%s to %s)", dayCount(age), percent(s.Median), percent(s.Low), percent(s.High)))
		}
	}
	if len(parts) == 0 {
		s := c.Shares[0]
		parts = append(parts, fmt.Sprintf("after %s %s (%s to %s)", dayCount(s.Age), percent(s.Median), percent(s.Low), percent(s.High)))
	}
	text := fmt.Sprintf("Of a day’s %s was known %s; median and range of %d days.", c.Noun(), strings.Join(parts, ", "), c.Days)
	switch {
	case c.Settled == nil:
		text += fmt.Sprintf(" It was still changing when days were %s old.", dayCount(c.Shares[len(c.Shares)-1].Age))
	case *c.Settled == 0:
		text += " It is settled in the evening of the day."
	default:
		text += fmt.Sprintf(" It is settled after %s.", dayCount(*c.Settled))
	}
	if c.Late() {
		text += fmt.Sprintf(" That is later than the %d days that the platform is known for.", c.Window)
	}
	return text
}

// Noun names the quantity for people.
func (c Curve) Noun() string {
	switch c.Quantity {
	case Revenue:
		return "revenue after refunds"
	case Spend:
		return "spend"
	case Conversions:
		return "claimed conversions"
	}
	return string(c.Quantity)
}

func dayCount(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
