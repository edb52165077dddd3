// Package civil contains calendar days and periods, and the only conversions between instants and days.
//
// A day in a report is a day in the workspace's time zone. An instant is a [time.Time] in UTC. Only [DayOf] and
// [StartOf] convert between the two, so a missing time zone cannot be overlooked.
package civil

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Date is a calendar day without a zone. The zero Date means "no date given".
type Date struct {
	days int32 // days since 0001-01-01, which is never used as a date
}

const (
	secondsPerDay = 24 * 60 * 60
	unixEpoch     = 719162 // 1970-01-01 in days since 0001-01-01
)

// New returns the day y-m-d. Days outside the month carry over, as in [time.Date].
func New(y int, m time.Month, d int) Date {
	return fromUnix(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix())
}

func fromUnix(seconds int64) Date {
	days := seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		days--
	}
	return Date{days: int32(days) + unixEpoch}
}

// Parse reads a day as YYYY-MM-DD, in the years 1900 to 2199. It rejects times, other orders of the parts and
// nonexistent days.
func Parse(s string) (Date, error) {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return Date{}, fmt.Errorf("%q is not a date written YYYY-MM-DD", s)
	}
	t, err := time.Parse("2006-01-02", s)
	if err != nil {
		return Date{}, fmt.Errorf("%q is not a calendar date (want YYYY-MM-DD)", s)
	}
	if y := t.Year(); y < 1900 || y > 2199 {
		return Date{}, fmt.Errorf("%q is outside the years 1900 to 2199", s)
	}
	return fromUnix(t.Unix()), nil
}

// MustParse works like [Parse], but panics on an invalid date. It is for constants.
func MustParse(s string) Date {
	d, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return d
}

// DayOf returns the day that the instant falls on in the zone.
func DayOf(t time.Time, zone *time.Location) Date {
	y, m, d := t.In(zone).Date()
	return New(y, m, d)
}

// StartOf returns the first instant of the day in the zone, in UTC. If a clock change skips midnight, the result is the
// instant of the clock change.
func StartOf(d Date, zone *time.Location) time.Time {
	y, m, day := d.parts()
	t := time.Date(y, m, day, 0, 0, 0, 0, zone)
	for DayOf(t, zone).Before(d) {
		t = t.Add(15 * time.Minute)
	}
	return t.UTC()
}

// IsZero reports whether no date was given.
func (d Date) IsZero() bool { return d.days == 0 }

// Or returns d, or the other day if d is the zero Date.
func (d Date) Or(other Date) Date {
	if d.IsZero() {
		return other
	}
	return d
}

// AddDays returns the day n days later. n may be negative.
func (d Date) AddDays(n int) Date { return Date{days: d.days + int32(n)} }

// Sub returns the number of days from other to d.
func (d Date) Sub(other Date) int { return int(d.days - other.days) }

// Earliest returns the earlier of two days.
func Earliest(a, b Date) Date {
	if b.Before(a) {
		return b
	}
	return a
}

// Before reports whether d is before other.
func (d Date) Before(other Date) bool { return d.days < other.days }

// After reports whether d is after other.
func (d Date) After(other Date) bool { return d.days > other.days }

// Compare orders days: negative when d is before other, 0 when equal, positive when after.
func (d Date) Compare(other Date) int { return int(d.days - other.days) }

// UTC returns midnight UTC of the day: the form in which a database driver accepts a date.
func (d Date) UTC() time.Time { return time.Unix(int64(d.days-unixEpoch)*secondsPerDay, 0).UTC() }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.UTC().Weekday() }

// YearDay returns the day of the year, 1 to 366.
func (d Date) YearDay() int { return d.UTC().YearDay() }

// Year returns the year.
func (d Date) Year() int { return d.UTC().Year() }

// Month returns the month.
func (d Date) Month() time.Month { return d.UTC().Month() }

// Day returns the day of the month, 1 to 31.
func (d Date) Day() int { return d.UTC().Day() }

func (d Date) parts() (int, time.Month, int) { return d.UTC().Date() }

// String returns the day as YYYY-MM-DD, and "" for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.UTC().Format("2006-01-02")
}

// MarshalText writes the day as YYYY-MM-DD.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a day as [Parse] does.
func (d *Date) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// Value gives a database driver the day as midnight UTC, and NULL for the zero Date.
func (d Date) Value() (driver.Value, error) {
	if d.IsZero() {
		return nil, nil
	}
	return d.UTC(), nil
}

// Scan reads a DATE column, a text of the form YYYY-MM-DD or NULL.
func (d *Date) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*d = Date{}
		return nil
	case time.Time:
		*d = DayOf(v, time.UTC)
		return nil
	case string:
		return d.UnmarshalText([]byte(v))
	case []byte:
		return d.UnmarshalText(v)
	}
	return fmt.Errorf("cannot read %T as a date", src)
}
