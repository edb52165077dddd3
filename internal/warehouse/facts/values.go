package facts

import (
	"time"

	"assay/internal/civil"
)

var epoch = civil.New(1970, time.January, 1)

// Micros returns an instant as the value of a column of type [Instant]. The zero time is NULL.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return NullInt
	}
	return t.UnixMicro()
}

// Days returns a day as the value of a column of type [Day]. The zero day is NULL.
func Days(d civil.Date) int32 {
	if d.IsZero() {
		return NullDay
	}
	return int32(d.Sub(epoch))
}

// known returns a number, or NULL if it is unknown.
func known(n int64, is bool) int64 {
	if !is {
		return NullInt
	}
	return n
}
