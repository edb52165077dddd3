package facts

import (
	"time"

	"assay/internal/civil"
)

// SameGoal reports whether two targets are for the same metric, kind of period, first day and channel.
func (t Target) SameGoal(other Target) bool {
	t.Value, other.Value = 0, 0
	return t == other
}

// Days returns the days of the target. A daily target has one day, and a weekly target has seven days. A monthly or
// quarterly target ends on the day before the same day of the month, one or three months later. If that month lacks the
// day, the days after the month's end are used: April 31 is May 1.
func (t Target) Days() civil.Range {
	days := civil.Range{First: t.Start, Last: t.Start}
	later := func(months int) civil.Date {
		return civil.New(t.Start.Year(), t.Start.Month()+time.Month(months), t.Start.Day()).AddDays(-1)
	}
	switch t.Period {
	case "weekly":
		days.Last = t.Start.AddDays(6)
	case "monthly":
		days.Last = later(1)
	case "quarterly":
		days.Last = later(3)
	}
	return days
}
