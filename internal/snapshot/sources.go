package snapshot

import (
	"slices"
	"time"

	"assay/internal/civil"
	"assay/internal/warehouse"
)

// Kinds of sources in the warehouse.
const (
	FromOrders = "orders"
	FromAds    = "ads"
	FromSpend  = "spend"

	FromCreators = "creators"
	FromSurveys  = "surveys"
	FromMessages = "messages"
	FromSurfaces = "surfaces"
)

// StaleAfter is the maximum number of days that a daily source may be behind today before it is stale.
const StaleAfter = 2

// SourceStatus returns the status of a source.
func (c *Snapshot) SourceStatus(s warehouse.SourceState) string {
	switch {
	case DeliversDaily(s.Kind) && c.Today.Sub(s.Days.Last) > StaleAfter:
		return "stale"
	case s.MissingDays > 0:
		return "gaps"
	}
	return "current"
}

// DeliversDaily reports whether a kind of source is expected to deliver every day.
func DeliversDaily(kind string) bool {
	return kind == FromOrders || kind == FromAds || kind == FromMessages
}

// OrdersComplete reports whether the store has all orders of a day, from any source. This is the case if a source has
// orders of a later day. It is also the case if orders of the day were imported after the end of the day in the time
// zone. A webhook after the end of the day is also sufficient, because webhooks about the day's orders would have
// arrived too. The import of a file shows only the days of its orders, because the file may be old.
func (s Contents) OrdersComplete(day civil.Date, zone *time.Location) bool {
	after := func(at time.Time) bool { return civil.DayOf(at, zone).After(day) }
	return after(s.LastWebhook) || slices.ContainsFunc(s.Sources, func(o warehouse.SourceState) bool {
		return o.Kind == FromOrders && (o.Days.Last.After(day) || o.Days.Last == day && after(o.LastImport))
	})
}

const (
	webhookGrace = 6 * time.Hour // Shopify repeats a failed webhook for 4 hours
	webhookAlive = 7             // maximum number of days without a webhook or an order
)

// OrdersAssumed reports whether a day that is not complete by [Contents.OrdersComplete] can be treated as complete. The
// reason is that nothing arrives from a shop without orders, for example if its checkout is broken. There are two
// cases. In the first case, a tap has read the shop's orders after the end of the day. In the second case, the day
// ended at least 6 hours ago. The last webhook and the last order must also not be more than 7 days before the day. If
// the tap or the webhooks are broken, the assumption is wrong.
func (c *Snapshot) OrdersAssumed(day civil.Date) bool {
	if c.RealDay(c.Store.LastTapRun).After(day) {
		return true
	}
	ended := civil.StartOf(day.AddDays(1), c.Workspace.Location())
	first := day.AddDays(-webhookAlive)
	return c.Now.Sub(ended) >= webhookGrace && !c.Store.OrderDays.Last.Before(first) && !c.RealDay(c.Store.LastWebhook).Before(first)
}

// FirstDay returns the store's first day with data from the given kinds of sources, or zero if there are none. The kind
// FromOrders includes FromSurfaces.
func (s Contents) FirstDay(kinds ...string) civil.Date {
	var days civil.Range
	if slices.Contains(kinds, FromOrders) {
		days, kinds = s.OrderDays, append(slices.Clone(kinds), FromSurfaces)
	}
	for _, source := range s.Sources {
		if source.Kind != FromOrders && slices.Contains(kinds, source.Kind) {
			days = days.Span(source.Days)
		}
	}
	return days.First
}

// Covers reports whether the store's data of these kinds of sources start on or before the first day of a window. If
// the data start later, the window's figures cover only a part of its days and are not comparable with other windows.
func (s Contents) Covers(days civil.Range, kinds ...string) bool {
	first := s.FirstDay(kinds...)
	return !first.IsZero() && !days.First.Before(first)
}
