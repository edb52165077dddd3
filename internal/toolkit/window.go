package toolkit

import (
	"assay/internal/answer"
	"assay/internal/civil"
)

// OpenWindow returns the period between two days; an end that was not given is that of the store's days, today at most.
func (c *Call) OpenWindow(start, end civil.Date) (civil.Range, error) {
	have := c.Store.Days()
	if have.Days() == 0 {
		have = civil.Range{First: c.Today, Last: c.Today}
	}
	last := end.Or(c.Today)
	return answer.Window(c.Today, start.Or(civil.Earliest(have.First, last)), last, 0)
}

// AgainstWindow writes a change for a window whose start was asked for. One that holds all there is has none before it.
func AgainstWindow(start civil.Date, change *answer.Percent, days civil.Range) string {
	if start.IsZero() {
		return ""
	}
	return ", " + answer.Against(change, days)
}

// WarnWindow warns of a window's days. Over all of the store's days, the last one does not matter.
func (c *Call) WarnWindow(a *answer.Closing, start civil.Date, days civil.Range, undated int64, withAds bool) {
	if start.IsZero() {
		c.warnEnd(a, days)
		return
	}
	c.WarnBefore(a, days)
	c.WarnDays(a, days, undated, withAds)
}
