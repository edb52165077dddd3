package snapshot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure/holiday"
	"assay/internal/measure/stats"
	"assay/internal/money"
)

// EventKind is a kind of event that may cause a change. The types of annotations are also kinds.
type EventKind string

// The kinds of events that are not annotations.
const (
	NoOrders     EventKind = "no_orders" // an outage or a missing import
	HighRevenue  EventKind = "high_revenue"
	LowRevenue   EventKind = "low_revenue"
	HolidayEvent EventKind = "holiday"
	LostTracking EventKind = "lost_tracking"
	OutOfStock   EventKind = "out_of_stock" // a product without sales for improbably long
	SpendChange  EventKind = "spend_change"
	PriceChange  EventKind = "price_change"
	MoreDiscount EventKind = "discount_change"
)

// Event is a possible cause of a change, in one of the two compared windows.
type Event struct {
	Kind    EventKind
	Days    civil.Range
	Earlier bool    // in the earlier window
	Subject string  // channel, product, holiday, or label of an annotation; "" for the store
	Effect  *int64  // estimated part of the change, in minor units; nil: unknown
	Pct     float64 // percent for spend and list prices, percentage points for discounts and untracked orders
}

// Along reports whether the event has an effect in the direction of a change.
func (e Event) Along(total int64) bool {
	return e.Effect != nil && *e.Effect != 0 && (*e.Effect > 0) == (total > 0)
}

// leastShare is the minimum effect of a cause, as a share of the change.
const leastShare = 0.2

// Causes returns the events that may be causes of a change, largest first. Their effects have the direction of the
// change and are at least 20% of the change.
func (c Change) Causes() []Event {
	var out []Event
	for _, e := range c.Events {
		if e.Along(c.Total) && math.Abs(float64(*e.Effect)) >= leastShare*math.Abs(float64(c.Total)) {
			out = append(out, e)
		}
	}
	return out
}

// ranked sorts events: first events in the direction of the change, by effect, then the other events, by effect and
// day.
func ranked(events []Event, total int64) []Event {
	along := func(e Event) int {
		if e.Along(total) {
			return 1
		}
		return 0
	}
	size := func(e Event) float64 {
		if e.Effect == nil {
			return 0
		}
		return math.Abs(float64(*e.Effect))
	}
	slices.SortStableFunc(events, func(a, b Event) int {
		return cmp.Or(along(b)-along(a), cmp.Compare(size(b), size(a)), a.Days.First.Compare(b.Days.First), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Subject, b.Subject))
	})
	return events
}

// calendar contains the complete days of the two windows with their usual revenue.
type calendar struct {
	days   []changeDay // by day
	series Series      // series of the store or of the channel
	orders float64     // mean orders of the store on a day with orders
	noise  float64     // standard deviation of a day's revenue around its usual revenue
}

// changeDay is a complete day of one of the windows.
type changeDay struct {
	civil.Date
	earlier bool
	value   float64 // revenue in minor units
	usual   float64 // usual revenue of this weekday in this window
	orders  float64 // orders of the store
	judged  JudgedPoint
}

// effect returns the part of the change that comes from the deviation of a day.
func (d changeDay) effect(deviation float64) float64 {
	if d.earlier {
		return -deviation
	}
	return deviation
}

func (d changeDay) odd() bool { return d.judged.Known && d.judged.Actionable }

// in returns the days of a range that are in the earlier window, or in the recent window if earlier is false.
func (c *calendar) in(days civil.Range, earlier bool) []changeDay {
	var out []changeDay
	for _, d := range c.days {
		if d.earlier == earlier && days.Contains(d.Date) {
			out = append(out, d)
		}
	}
	return out
}

// readDays reads the days of both windows, and finds their anomalies, their days without orders, annotations and
// holidays.
func (w *changes) readDays(ctx context.Context) (err error) {
	windows := w.of.Windows
	c := &w.calendar
	if c.series, err = w.History(ctx, w.of.Channel, windows.Recent.Span(windows.Earlier)); err != nil {
		return err
	}
	sold := c.series
	if w.of.Channel != "" {
		if sold, err = w.SeriesOf(ctx, "", windows.Recent.Span(windows.Earlier)); err != nil {
			return err
		}
	}
	for _, earlier := range []bool{true, false} {
		window := windows.Recent
		if earlier {
			window = windows.Earlier
		}
		judged, err := w.JudgedPoints(c.series, Revenue, civil.ByDay, window)
		if err != nil {
			return fmt.Errorf("causes of a change: %w", err)
		}
		known := window.Intersect(civil.Range{First: w.Store.OrderDays.First, Last: w.Today.AddDays(-1)})
		for _, p := range judged {
			day := civil.Range{First: p.Date, Last: p.Date}
			if known.Contains(p.Date) && (!earlier || !windows.Recent.Contains(p.Date)) {
				c.days = append(c.days, changeDay{
					Date: p.Date, earlier: earlier, judged: p,
					value: float64(w.revenue(c.series.Total(day).Sums)), orders: sold.Total(day).OrderCount(),
				})
			}
		}
	}
	c.settle()
	w.findNotes()
	w.findEmptyDays()
	w.findAnomalies()
	return nil
}

// settle estimates the usual revenue of each day: the median of its window, times the factor of its weekday.
func (c *calendar) settle() {
	ordinary := func(keep func(d changeDay) bool) []float64 {
		var out []float64
		for _, d := range c.days {
			if d.orders > 0 && keep(d) {
				out = append(out, d.value)
			}
		}
		return out
	}
	all := median(ordinary(func(changeDay) bool { return true }))
	if all <= 0 {
		return
	}
	own := map[bool]float64{}
	for _, earlier := range []bool{false, true} {
		own[earlier] = median(ordinary(func(d changeDay) bool { return d.earlier == earlier }))
	}
	var factor [7]float64
	for weekday := range factor {
		same := ordinary(func(d changeDay) bool { return d.Weekday() == time.Weekday(weekday) })
		if factor[weekday] = 1; len(same) >= 3 {
			factor[weekday] = median(same) / all
		}
	}
	var gaps []float64
	for i, d := range c.days {
		c.days[i].usual = own[d.earlier] * factor[d.Weekday()]
		if d.orders > 0 {
			gaps = append(gaps, math.Abs(d.value-c.days[i].usual))
			c.orders += d.orders
		}
	}
	c.orders /= float64(len(gaps))
	c.noise = 1.4826 * median(gaps)
}

// median sorts the values and returns their median, or 0 if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return stats.Quantile(values, 0.5)
}

// shortHoliday is the maximum length, in days, of a holiday that explains anomalies on its days.
const shortHoliday = 5

// findNotes adds the annotations and the holidays of both windows. The effect of an annotation or holiday is the
// deviation of its days from usual revenue. An effect below two standard deviations is unknown.
func (w *changes) findNotes() {
	windows := map[bool]civil.Range{false: w.of.Windows.Recent, true: w.of.Windows.Earlier}
	holidays, err := holiday.Of(countries(w.Workspace.Zone), true)
	if err != nil {
		holidays = nil // the country is not in the calendar
	}
	for _, earlier := range []bool{false, true} {
		for _, a := range control.AnnotationsIn(w.Annotations, windows[earlier]) {
			w.note(Event{Kind: EventKind(a.Type), Days: a.Days.Intersect(windows[earlier]), Earlier: earlier, Subject: a.Label}, true)
		}
		for _, h := range holidays {
			for _, days := range h.Within(windows[earlier]) {
				w.note(Event{
					Kind: HolidayEvent, Days: days.Intersect(windows[earlier]), Earlier: earlier, Subject: h.Name,
				}, days.Days() <= shortHoliday)
			}
		}
	}
}

// countries returns the country of a time zone as a list, which is empty if the country is unknown.
func countries(zone string) []string {
	if country := holiday.CountryOf(zone); country != "" {
		return []string{country}
	}
	return nil
}

// note adds a labeled event with the deviation of its days. Anomalies that the event explains are part of the event's
// effect, not separate events.
func (w *changes) note(e Event, explains bool) {
	var effect float64
	n := 0
	for _, d := range w.calendar.in(e.Days, e.Earlier) {
		if explains || !d.odd() && d.orders > 0 {
			effect += d.effect(d.value - d.usual)
			n++
		}
	}
	if n > 0 && math.Abs(effect) > 2*w.calendar.noise*math.Sqrt(float64(n)) {
		e.Effect = new(int64(math.Round(effect)))
		if explains {
			w.explained = append(w.explained, e)
		}
	}
	w.events = append(w.events, e)
}

// known reports whether a labeled event explains the deviation of a day.
func (w *changes) known(d changeDay) bool {
	return slices.ContainsFunc(w.explained, func(e Event) bool {
		return e.Earlier == d.earlier && e.Days.Contains(d.Date) && (*e.Effect > 0) == (d.effect(d.value-d.usual) > 0)
	})
}

// leastExpected is the minimum expected number of orders or units at which days without orders or units are an event.
// The Poisson probability of zero orders or units is then at most one in a thousand.
var leastExpected = math.Log(1000)

// findEmptyDays adds the runs of days without orders on which at least leastExpected orders were expected.
func (w *changes) findEmptyDays() {
	for _, run := range w.runs(func(d changeDay) bool { return d.orders == 0 && !w.known(d) }) {
		if float64(len(run))*w.calendar.orders >= leastExpected {
			w.addRun(NoOrders, run, func(d changeDay) float64 { return d.value - d.usual })
		}
	}
}

// findAnomalies adds the runs of anomalies that no labeled event explains.
func (w *changes) findAnomalies() {
	for _, side := range []struct {
		kind EventKind
		sign float64
	}{{HighRevenue, 1}, {LowRevenue, -1}} {
		for _, run := range w.runs(func(d changeDay) bool {
			return d.odd() && d.orders > 0 && side.sign*d.judged.Z > 0 && !w.known(d)
		}) {
			w.addRun(side.kind, run, func(d changeDay) float64 {
				return (d.judged.Value - d.judged.Expected) / money.Major(1, w.Workspace.Currency)
			})
		}
	}
}

// runs returns the runs of consecutive days of one window that have a property.
func (w *changes) runs(has func(changeDay) bool) (runs [][]changeDay) {
	days := w.calendar.days
	for i, d := range days {
		switch {
		case !has(d):
		case i > 0 && len(runs) > 0 && has(days[i-1]) && days[i-1].earlier == d.earlier && days[i-1].AddDays(1) == d.Date:
			runs[len(runs)-1] = append(runs[len(runs)-1], d)
		default:
			runs = append(runs, []changeDay{d})
		}
	}
	return runs
}

func (w *changes) addRun(kind EventKind, run []changeDay, deviation func(changeDay) float64) {
	var effect float64
	for _, d := range run {
		effect += d.effect(deviation(d))
	}
	w.events = append(w.events, Event{
		Kind: kind, Days: spanOf(run), Earlier: run[0].earlier, Effect: new(int64(math.Round(effect))),
	})
}

func spanOf(run []changeDay) civil.Range {
	return civil.Range{First: run[0].Date, Last: run[len(run)-1].Date}
}
