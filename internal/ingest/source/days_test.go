package source

import (
	"testing"
	"time"

	"assay/internal/civil"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestDaysAreReadAsTheFileWritesThem(t *testing.T) {
	t.Parallel()
	cases := []struct {
		cell  string
		order DayOrder
		want  string
	}{
		{"2026-09-03", UnknownOrder, "2026-09-03"},
		{"2026-09-03 10:00:00", UnknownOrder, "2026-09-03"},
		{"2026-09-03T10:00:00Z", UnknownOrder, "2026-09-03"},
		{"20260903", UnknownOrder, "2026-09-03"},
		{"2026/09/03", UnknownOrder, "2026-09-03"},
		{"Sep 3, 2026", UnknownOrder, "2026-09-03"},
		{"03.09.2026", UnknownOrder, "2026-09-03"},
		{"09/03/2026", MonthFirst, "2026-09-03"},
		{"03/09/2026", DayFirst, "2026-09-03"},
		{"9/9/2026", UnknownOrder, "2026-09-09"},
		{"46268", UnknownOrder, "2026-09-03"}, // serial number of a workbook
	}
	for _, c := range cases {
		if got, err := ParseDay(c.cell, c.order); err != nil || got.String() != c.want {
			t.Errorf("ParseDay(%q) = %s, %v; want %s", c.cell, got, err, c.want)
		}
	}
	for _, cell := range []string{"", "03/09/2026", "2026-02-30", "2026-13-01", "yesterday", "1", "Total", "2026-09-03x"} {
		if got, err := ParseDay(cell, UnknownOrder); err == nil {
			t.Errorf("ParseDay(%q) = %s, want an error", cell, got)
		}
	}
}

func TestDaysOutsideTheCalendarAreRejected(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		"1899-12-31": false, "1900-01-01": true, "2199-12-31": true, "2200-01-01": false,
		"2026-00-10": false, "2026-01-10": true, "2026-12-10": true, "2026-13-10": false,
		"2026-10-00": false, "2026-10-01": true, "2026-10-31": true, "2026-10-32": false,
		"2026-02-29": false, "2028-02-29": true,
		"18991231": false, "19000101": true,
		"20000": false, "20001": true, "79999": true, "80000": false, // serial numbers of workbooks
	}
	for cell, valid := range cases {
		if got, err := ParseDay(cell, UnknownOrder); (err == nil) != valid {
			t.Errorf("ParseDay(%q) = %s, %v; want valid = %t", cell, got, err, valid)
		}
	}
}

func TestTimesOutsideTheClockAreRejected(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		"2026-10-31 00:00:00 +0000": true, "2026-10-31 23:59:60 +0000": true, "2026-10-31 24:00:00 +0000": false,
		"2026-10-31 23:60:00 +0000": false, "2026-10-31 23:59:61 +0000": false,
		"2026-10-31 12:00:00 +1459": true, "2026-10-31 12:00:00 +1500": false, "2026-10-31 12:00:00 +0060": false,
		"2026-10-31 23:59": true, "2026-10-31 24:00": false, "2026-10-31 23:60": false,
	}
	for cell, valid := range cases {
		if got, err := ParseInstant(cell, UnknownOrder, time.UTC); (err == nil) != valid {
			t.Errorf("ParseInstant(%q) = %s, %v; want valid = %t", cell, got, err, valid)
		}
	}
}

func TestOneUnambiguousDayDecidesTheOrder(t *testing.T) {
	t.Parallel()
	cases := map[DayOrder][]string{
		DayFirst:     {"03/04/2026", "13/04/2026 10:00"},
		MonthFirst:   {"03/04/2026", "04/13/2026"},
		UnknownOrder: {"03/04/2026", "2026-04-13", ""},
	}
	for want, cells := range cases {
		if got := DayOrderOf(cells); got != want {
			t.Errorf("DayOrderOf(%q) = %d, want %d", cells, got, want)
		}
	}
}

func TestInstantsKeepTheirOffset(t *testing.T) {
	t.Parallel()
	chicago := zone(t, "America/Chicago")
	cases := map[string]string{
		"2025-12-08 11:28:18 -0600": "2025-12-08T17:28:18Z",
		"2025-12-08T11:28:18-06:00": "2025-12-08T17:28:18Z",
		"2025-12-08T11:28:18.123Z":  "2025-12-08T11:28:18Z",
		"2025-12-08 11:28:18 UTC":   "2025-12-08T11:28:18Z",
		"2025-12-08 11:28:18":       "2025-12-08T17:28:18Z", // local time in the zone
		"2025-12-08 11:28":          "2025-12-08T17:28:00Z",
		"2025-12-08 11:28 PM":       "2025-12-09T05:28:00Z",
		"2025-12-08 12:05 AM":       "2025-12-08T06:05:00Z",
		"2025-12-08":                "2025-12-08T06:00:00Z",
		"2025-07-08":                "2025-07-08T05:00:00Z", // in summer
		"45999.5":                   "2025-12-08T18:00:00Z",
		"2025-12-08 11:28:18 +0530": "2025-12-08T05:58:18Z",
	}
	for cell, want := range cases {
		if got, err := ParseInstant(cell, UnknownOrder, chicago); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("ParseInstant(%q) = %s, %v; want %s", cell, got.Format(time.RFC3339), err, want)
		}
	}
	for _, cell := range []string{"", "2025-12-08 25:00:00", "2025-12-08 11:61", "2025-12-08 11:28:18 +9900", "2025-12-08 noon", "2025-12-08 M", "11:28"} {
		if got, err := ParseInstant(cell, UnknownOrder, chicago); err == nil {
			t.Errorf("ParseInstant(%q) = %s, want an error", cell, got)
		}
	}
}

func TestDayCacheAgreesWithTheCalendar(t *testing.T) {
	t.Parallel()
	z := zone(t, "America/New_York")
	cache := dayCache{zone: z}
	at := time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC)
	for range 24 * 6 { // back and forth over the day with 23 hours
		for _, instant := range []time.Time{at, at.Add(-50 * time.Hour)} {
			if got, want := cache.of(instant), civil.DayOf(instant, z); got != want {
				t.Fatalf("%s falls on %s, want %s", instant, got, want)
			}
		}
		at = at.Add(time.Hour)
	}
}

// FuzzParseInstant checks that no text panics, and that accepted times are in the valid years.
func FuzzParseInstant(f *testing.F) {
	for _, seed := range []string{"2025-12-08 11:28:18 -0600", "13/04/2026 10:00 PM", "45999.5", "Sep 3, 2026", "20260903"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		at, err := ParseInstant(cell, DayFirst, time.UTC)
		if err == nil && (at.Year() < 1899 || at.Year() > 2200) {
			t.Errorf("%q is %s", cell, at)
		}
	})
}
