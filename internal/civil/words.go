package civil

import "strconv"

// Short formats a day without its year, for pages and charts: "Oct 23".
func (d Date) Short() string { return d.Month().String()[:3] + " " + strconv.Itoa(d.Day()) }

// Words formats a day for pages and charts: "Oct 23, 2026". Data have ISO dates.
func (d Date) Words() string { return d.Short() + ", " + strconv.Itoa(d.Year()) }

// Words formats a period for pages and charts: "Oct 23 – Nov 22, 2026".
func (r Range) Words() string {
	switch {
	case r.First == r.Last:
		return r.Last.Words()
	case r.First.Year() == r.Last.Year():
		return r.First.Short() + " – " + r.Last.Words()
	}
	return r.First.Words() + " – " + r.Last.Words()
}
