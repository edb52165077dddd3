package health

import (
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/warehouse"
)

// TestSilenceIsTheDaysWithoutRows watches March 1 to 10, with March 10 as the current day.
func TestSilenceIsTheDaysWithoutRows(t *testing.T) {
	t.Parallel()
	march := func(day int) civil.Date { return civil.New(2026, 3, day) }
	source := warehouse.SourceState{Source: "google_ads", Kind: "ads", Account: "1", Days: civil.Range{First: march(3), Last: march(8)}}
	delivered := map[warehouse.SourceDay]bool{}
	for _, day := range []int{3, 4, 7} {
		delivered[warehouse.SourceDay{Kind: "ads", Source: "google_ads", Account: "1", Day: march(day)}] = true
		delivered[warehouse.SourceDay{Kind: "ads", Source: "google_ads", Account: "2", Day: march(day + 1)}] = true
	}
	for _, c := range []struct {
		first   int // first day of the source in March
		watched *DaySpan
		silent  []DaySpan
	}{
		{3, &DaySpan{march(3), march(9)}, []DaySpan{{march(5), march(6)}, {march(8), march(9)}}},
		{-20, &DaySpan{march(1), march(9)}, []DaySpan{{march(1), march(2)}, {march(5), march(6)}, {march(8), march(9)}}},
		{7, &DaySpan{march(7), march(9)}, []DaySpan{{march(8), march(9)}}},
		{9, &DaySpan{march(9), march(9)}, []DaySpan{{march(9), march(9)}}},
		{10, nil, nil},
	} {
		source.Days.First = march(c.first)
		watched, silent := silence(source, civil.Range{First: march(1), Last: march(10)}, delivered)
		if (watched == nil) != (c.watched == nil) || watched != nil && *watched != *c.watched || !slices.Equal(silent, c.silent) {
			t.Errorf("a source since %s: watched %v, silent %v; want %v, %v", source.Days.First, watched, silent, c.watched, c.silent)
		}
	}
}
