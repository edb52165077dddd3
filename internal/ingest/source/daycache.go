package source

import (
	"time"

	"assay/internal/civil"
)

// dayCache turns instants into days of a zone. Files are in order of time, so most instants fall on the day of
// the one before.
type dayCache struct {
	zone       *time.Location
	from, till time.Time // of the day
	day        civil.Date
}

func (c *dayCache) of(at time.Time) civil.Date {
	if c.day.IsZero() || at.Before(c.from) || !at.Before(c.till) {
		c.day = civil.DayOf(at, c.zone)
		c.from = civil.StartOf(c.day, c.zone)
		c.till = civil.StartOf(c.day.AddDays(1), c.zone)
	}
	return c.day
}
