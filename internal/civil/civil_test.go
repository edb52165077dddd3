package civil

import (
	"testing"
	"time"
)

func TestParseAcceptsOnlyRealDays(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"2024-02-29", "1970-01-01", "1969-12-31", "2199-12-31", "1900-01-01"} {
		d, err := Parse(s)
		if err != nil || d.String() != s {
			t.Errorf("Parse(%q) = %v, %v; want the same day", s, d, err)
		}
	}
	bad := []string{
		"", "2025-02-29", "2026-02-30", "2026-1-5", "30.10.2026", "yesterday",
		"2026-10-01T00:00:00Z", "2026-13-01", "0000-01-01", "2200-01-01", "20261001", " 2026-10-01", "2026-10-0１",
	}
	for _, s := range bad {
		if d, err := Parse(s); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", s, d)
		}
	}
}

func TestDayIsTheStoresDay(t *testing.T) {
	t.Parallel()
	cases := []struct{ zone, instant, want string }{
		{"America/New_York", "2026-03-08T04:59:59Z", "2026-03-07"},
		{"America/New_York", "2026-03-08T05:00:00Z", "2026-03-08"}, // the day the clock goes forward
		{"America/New_York", "2026-03-09T03:59:59Z", "2026-03-08"}, // which has 23 hours
		{"Asia/Tokyo", "2026-03-07T15:00:00Z", "2026-03-08"},
		{"Pacific/Kiritimati", "2026-03-07T10:00:00Z", "2026-03-08"},
		{"UTC", "1969-12-31T23:59:59Z", "1969-12-31"},
	}
	for _, c := range cases {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		instant, err := time.Parse(time.RFC3339, c.instant)
		if err != nil {
			t.Fatal(err)
		}
		got := DayOf(instant, zone)
		if got.String() != c.want {
			t.Errorf("DayOf(%s, %s) = %s, want %s", c.instant, c.zone, got, c.want)
		}
		start := StartOf(got, zone)
		if DayOf(start, zone) != got || DayOf(start.Add(-time.Second), zone) != got.AddDays(-1) {
			t.Errorf("StartOf(%s, %s) = %s is not the first second of that day", got, c.zone, start)
		}
	}
}

func TestStartOfADayWithoutMidnight(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	day := MustParse("2018-11-04") // the clock went from 00:00 to 01:00
	if got := StartOf(day, zone); DayOf(got, zone) != day || DayOf(got.Add(-time.Second), zone) != day.AddDays(-1) {
		t.Errorf("StartOf(%s) = %s", day, got)
	}
}

func TestRangeCountsBothEnds(t *testing.T) {
	t.Parallel()
	r := Range{MustParse("2026-10-01"), MustParse("2026-10-31")}
	if got := r.Days(); got != 31 {
		t.Errorf("Days = %d, want 31", got)
	}
	if got := r.Previous().String(); got != "2026-08-31 to 2026-09-30" {
		t.Errorf("Previous = %s", got)
	}
	if got := (Range{r.Last, r.First}).Days(); got != 0 {
		t.Errorf("Days of a reversed range = %d, want 0", got)
	}
}

func TestBucketsTileTheRange(t *testing.T) {
	t.Parallel()
	r := Range{MustParse("2026-10-01"), MustParse("2026-10-31")} // a Thursday to a Saturday
	want := map[Granularity]int{ByDay: 31, ByWeek: 5, ByMonth: 1}
	for g, n := range want {
		buckets := r.Buckets(g)
		days := 0
		for i, b := range buckets {
			days += b.Days()
			if i > 0 && b.First != buckets[i-1].Last.AddDays(1) {
				t.Errorf("%s: bucket %d starts on %s, not the day after %s", g, i, b.First, buckets[i-1].Last)
			}
			if g == ByWeek && i > 0 && b.First.Weekday() != time.Monday {
				t.Errorf("week %d starts on a %s", i, b.First.Weekday())
			}
		}
		if len(buckets) != n || days != 31 {
			t.Errorf("%s: %d buckets of %d days, want %d of 31", g, len(buckets), days, n)
		}
	}
}

func TestDatesCrossTheDatabaseUnchanged(t *testing.T) {
	t.Parallel()
	for _, d := range []Date{{}, MustParse("1969-07-20"), MustParse("2026-11-20")} {
		v, err := d.Value()
		if err != nil {
			t.Fatal(err)
		}
		got := MustParse("2000-01-01")
		if err := got.Scan(v); err != nil || got != d {
			t.Errorf("Scan(Value(%s)) = %s, %v", d, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("2026-02-30")
	f.Add("2024-02-29")
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := Parse(s); err == nil && d.String() != s {
			t.Errorf("Parse(%q) prints as %q", s, d)
		}
	})
}
