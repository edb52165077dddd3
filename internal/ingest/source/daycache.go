package source

import (
	"time"

	"assay/internal/civil"
)

// dayCache converts instants to days of a time zone. Files are usually sorted by time, so most instants are on the same
// day as the previous instant.
type dayCache struct {
	zone       *time.Location
	from, till time.Time // first instant of the cached day, and of the next day
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
