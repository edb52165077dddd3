package facts_test

import (
	"testing"

	"assay/internal/civil"
	"assay/internal/warehouse/facts"
)

func TestATargetCoversWholePeriods(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ period, start, last string }{
		{"daily", "2026-02-28", "2026-02-28"},
		{"weekly", "2026-02-23", "2026-03-01"},
		{"monthly", "2026-02-01", "2026-02-28"},
		{"monthly", "2026-12-15", "2027-01-14"},
		{"monthly", "2026-01-31", "2026-03-02"},
		{"quarterly", "2026-10-01", "2026-12-31"},
	} {
		got := facts.Target{Period: c.period, Start: civil.MustParse(c.start)}.Days()
		if want := (civil.Range{First: civil.MustParse(c.start), Last: civil.MustParse(c.last)}); got != want {
			t.Errorf("%s from %s: %s, want %s", c.period, c.start, got, want)
		}
	}
}
