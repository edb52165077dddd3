package civil

import "fmt"

// Range is a period of whole days with both ends included.
type Range struct {
	First, Last Date
}

// Days returns the number of days in the period. It returns 0 if the period is empty or reversed.
func (r Range) Days() int {
	if r.Last.Before(r.First) || r.First.IsZero() {
		return 0
	}
	return r.Last.Sub(r.First) + 1
}

// Contains reports whether the day is in the period.
func (r Range) Contains(d Date) bool { return !d.Before(r.First) && !d.After(r.Last) }

// Previous returns the period of the same length that ends the day before this period starts.
func (r Range) Previous() Range {
	n := r.Days()
	return Range{First: r.First.AddDays(-n), Last: r.First.AddDays(-1)}
}

// Intersect returns the days in both periods. If the periods have no common day, the result has 0 days.
func (r Range) Intersect(other Range) Range {
	if other.First.After(r.First) {
		r.First = other.First
	}
	if other.Last.Before(r.Last) {
		r.Last = other.Last
	}
	return r
}

// UpTo returns the period without the days after today. A period that starts after today is returned unchanged.
func (r Range) UpTo(today Date) Range {
	if !r.First.After(today) {
		r.Last = Earliest(r.Last, today)
	}
	return r
}

// Span returns the shortest range that contains both ranges. An empty range adds nothing.
func (r Range) Span(other Range) Range {
	switch {
	case r.Days() == 0:
		return other
	case other.Days() == 0:
		return r
	}
	if other.First.Before(r.First) {
		r.First = other.First
	}
	if other.Last.After(r.Last) {
		r.Last = other.Last
	}
	return r
}

// String returns "first to last".
func (r Range) String() string { return fmt.Sprintf("%s to %s", r.First, r.Last) }

// Granularity is the length of the period that a point of a series covers.
type Granularity string

// The granularities of a series. Weeks start on Monday.
const (
	ByDay   Granularity = "day"
	ByWeek  Granularity = "week"
	ByMonth Granularity = "month"
)

// Start returns the first day of the day, week or month that contains d.
func (g Granularity) Start(d Date) Date {
	switch g {
	case ByWeek:
		return d.AddDays(-((int(d.Weekday()) + 6) % 7))
	case ByMonth:
		return New(d.Year(), d.Month(), 1)
	case ByDay:
		return d
	}
	return d
}

// Next returns the first day of the bucket after the bucket that starts at d.
func (g Granularity) Next(d Date) Date {
	switch g {
	case ByWeek:
		return d.AddDays(7)
	case ByMonth:
		return New(d.Year(), d.Month()+1, 1)
	case ByDay:
		return d.AddDays(1)
	}
	return d.AddDays(1)
}

// Buckets splits the period into days, weeks or months. The first and the last bucket contain only the days within the
// period.
func (r Range) Buckets(g Granularity) []Range {
	var out []Range
	for start := r.First; !start.After(r.Last) && r.Days() > 0; {
		next := g.Next(g.Start(start))
		out = append(out, Range{First: start, Last: next.AddDays(-1)}.Intersect(r))
		start = next
	}
	return out
}
