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

// Complete reports whether a source has data after the day. It also returns true if data of the day were imported after
// the end of the day in the time zone.
func Complete(s warehouse.SourceState, day civil.Date, zone *time.Location) bool {
	return s.Days.Last.After(day) || s.Days.Last == day && civil.DayOf(s.LastImport, zone).After(day)
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
