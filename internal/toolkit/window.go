package toolkit

import (
	"assay/internal/answer"
	"assay/internal/civil"
)

// OpenWindow returns the period between two days. The start defaults to the store's first day, the end to today.
func (c *Call) OpenWindow(start, end civil.Date) (civil.Range, error) {
	have := c.Store.Days()
	if have.Days() == 0 {
		have = civil.Range{First: c.Today, Last: c.Today}
	}
	last := end.Or(c.Today)
	return answer.Window(c.Today, start.Or(civil.Earliest(have.First, last)), last, 0)
}

// AgainstWindow formats a change for a window with an explicit start. Otherwise it returns "", because the window of
// all days has no previous window.
func AgainstWindow(start civil.Date, change *answer.Percent, days civil.Range) string {
	if start.IsZero() {
		return ""
	}
	return ", " + answer.Against(change, days)
}

// WarnWindow adds the warnings about a window's days. Without an explicit start it warns of a missing previous window and
// of missing days at the end only.
func (c *Call) WarnWindow(a *answer.Closing, start civil.Date, days civil.Range, undated int64, withAds bool) {
	c.WarnBefore(a, days, withAds)
	if start.IsZero() {
		c.warnEnd(a, days)
		return
	}
	c.WarnDays(a, days, undated, withAds)
}
