package health

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/answer"
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

// The imports of a day without a file are one line, with the time of the latest import and the sums of all.
func TestImportsWithoutAFileAreOneLinePerDay(t *testing.T) {
	t.Parallel()
	march := func(day int) civil.Date { return civil.New(2026, 3, day) }
	record := func(source, file, hash string, at time.Time, days civil.Range) warehouse.ImportRecord {
		return warehouse.ImportRecord{Source: source, File: file, FileHash: hash, At: at, Inserted: 1, Updated: 2, Unchanged: 3, Removed: 4, Days: days}
	}
	line := func(source, file string, at time.Time, imports int64, days civil.Range) ImportLine {
		return ImportLine{
			At: at, Source: answer.Foreign(source), File: answer.Foreign(file), Inserted: imports, Updated: 2 * imports, Unchanged: 3 * imports, Removed: 4 * imports,
			FirstDay: days.First, LastDay: days.Last,
		}
	}
	days := func(first, last int) civil.Range { return civil.Range{First: march(first), Last: march(last)} }
	noon := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	early, late := noon.Add(-12*time.Hour), noon.Add(12*time.Hour-time.Second)
	abroad := time.Date(2026, 3, 11, 1, 0, 0, 5, time.FixedZone("", 3*3600)) // March 10 in UTC
	for name, c := range map[string]struct {
		imports []warehouse.ImportRecord
		want    []ImportLine
	}{
		"none": {},
		"a day's messages": {
			[]warehouse.ImportRecord{record("shop", "", "", late, days(9, 9)), record("shop", "", "", noon, days(5, 6)), record("shop", "", "", early, civil.Range{})},
			[]ImportLine{line("shop", "", late, 3, days(5, 9))},
		},
		"the day is in UTC": {
			[]warehouse.ImportRecord{record("shop", "", "", abroad, days(9, 9)), record("shop", "", "", noon, days(9, 10))},
			[]ImportLine{line("shop", "", abroad.UTC().Truncate(time.Second), 2, days(9, 10))},
		},
		"another day": {
			[]warehouse.ImportRecord{record("shop", "", "", early, days(9, 9)), record("shop", "", "", early.Add(-time.Second), days(9, 9))},
			[]ImportLine{line("shop", "", early, 1, days(9, 9)), line("shop", "", early.Add(-time.Second), 1, days(9, 9))},
		},
		"another source": {
			[]warehouse.ImportRecord{record("shop", "", "", noon, days(9, 9)), record("ads", "", "", noon, days(9, 9)), record("shop", "", "", noon, days(9, 9))},
			[]ImportLine{line("shop", "", noon, 1, days(9, 9)), line("ads", "", noon, 1, days(9, 9)), line("shop", "", noon, 1, days(9, 9))},
		},
		"another name": {
			[]warehouse.ImportRecord{record("shop", "a", "", noon, days(9, 9)), record("shop", "b", "", noon, days(9, 9)), record("shop", "b", "", noon, days(8, 8))},
			[]ImportLine{line("shop", "a", noon, 1, days(9, 9)), line("shop", "b", noon, 2, days(8, 9))},
		},
		"files": {
			[]warehouse.ImportRecord{record("shop", "a", "1", noon, days(9, 9)), record("shop", "a", "2", noon, days(9, 9))},
			[]ImportLine{line("shop", "a", noon, 1, days(9, 9)), line("shop", "a", noon, 1, days(9, 9))},
		},
	} {
		got := ImportLines(c.imports)
		if diff := cmp.Diff(c.want, got, cmpopts.EquateComparable(civil.Date{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var many []warehouse.ImportRecord
	for i := range maxImports + 1 {
		many = append(many, record(strconv.Itoa(i/2), "", "", noon.Add(-24*time.Hour*time.Duration(i%2)), days(9, 9)))
	}
	last := many[maxImports-1]
	many = slices.Insert(many, maxImports, last)
	if got := ImportLines(many); len(got) != maxImports || got[maxImports-1].Inserted != 2 {
		t.Errorf("%d lines of %d imports, the last with %d rows; want %d with 2", len(got), len(many), got[len(got)-1].Inserted, maxImports)
	}
}
