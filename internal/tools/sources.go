package tools

import (
	"assay/internal/warehouse"
)

// The kinds of sources, as the warehouse names them.
const (
	fromOrders = "orders"
	fromAds    = "ads"
	fromSpend  = "spend"

	fromCreators = "creators"
	fromSurveys  = "surveys"
)

// staleAfter is how many days behind today a daily source may be before it is called stale.
const staleAfter = 2

// stateOf says in a word whether a source can be relied on.
func (c *Snapshot) stateOf(s warehouse.SourceState) string {
	switch {
	case daily(s.Kind) && c.Today.Sub(s.Days.Last) > staleAfter:
		return "stale"
	case s.MissingDays > 0:
		return "gaps"
	}
	return "current"
}

// daily reports whether a kind of source is expected to deliver every day.
func daily(kind string) bool { return kind == fromOrders || kind == fromAds || kind == "messages" }
