package snapshot

import (
	"assay/internal/warehouse"
)

// Kinds of sources in the warehouse.
const (
	FromOrders = "orders"
	FromAds    = "ads"
	FromSpend  = "spend"

	FromCreators = "creators"
	FromSurveys  = "surveys"
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
	return kind == FromOrders || kind == FromAds || kind == "messages"
}
