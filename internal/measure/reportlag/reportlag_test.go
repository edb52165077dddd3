package reportlag

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/measure"
)

// first is the first day of the tests.
var first = civil.MustParse("2026-01-01")

// imported returns a platform's versions of n days. The spend of a version depends on its age; the final spend is 1000.
func imported(n int, byAge map[int]int64, order ...int) (versions []measure.DayVersion) {
	for i := range n {
		day := first.AddDays(i)
		for _, age := range order {
			versions = append(versions, measure.DayVersion{
				DayPart:   measure.DayPart{Day: day, Kind: measure.SpendTotals, Name: "facebook"},
				DayTotals: measure.DayTotals{Spend: byAge[age]}, Seen: day.AddDays(age),
			})
		}
	}
	return versions
}

// lookedAt returns one import for each of n days. Each day is imported age days later.
func lookedAt(n int, age int) (looks []measure.Look) {
	for i := range n {
		day := first.AddDays(i)
		looks = append(looks, measure.Look{
			Kind: measure.SpendTotals, Name: "facebook", Seen: day.AddDays(age), Days: civil.Range{First: day, Last: day},
		})
	}
	return looks
}

func spendCurve(t *testing.T, versions []measure.DayVersion, looks []measure.Look) Curve {
	t.Helper()
	curves := Curves(versions, looks, measure.RevenueBasis{})
	if len(curves) != 2 || curves[0].Quantity != Spend {
		t.Fatalf("curves %+v, want spend and conversions", curves)
	}
	return curves[0]
}

func TestSharesAreRelativeToTheFinalFigure(t *testing.T) {
	t.Parallel()
	c := spendCurve(t, imported(20, map[int]int64{1: 800, 2: 960, 5: 1000}, 1, 2, 5), lookedAt(20, 30))
	got := map[int]float64{}
	for _, s := range c.Shares {
		got[s.Age] = s.Median
		if s.Days != 20 || s.Low != s.Median || s.High != s.Median {
			t.Errorf("share %+v, want one value over 20 days", s)
		}
	}
	want := map[int]float64{1: 0.8, 2: 0.96, 3: 0.96, 5: 1, 7: 1, 10: 1, 14: 1, 21: 1, 28: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("median shares by age (-want +got):\n%s", diff)
	}
	if c.Settled == nil || *c.Settled != 5 || c.Late() {
		t.Errorf("settled %v, late %t; want after 5 days and not late", c.Settled, c.Late())
	}
	want20 := "The known share of a day’s spend was 80% (80% to 80%) after 1 day, 96% (96% to 96%) after 3 days, " +
		"100% (100% to 100%) after 7 days, 100% (100% to 100%) after 14 days. " +
		"The values are the median and the range of 20 days. The figures of a day are final after 5 days."
	if got := c.Words(); got != want20 {
		t.Errorf("words\n%s\nwant\n%s", got, want20)
	}
}

// Some figures are final at the end of the day, and some still change at the last age.
func TestWordsStateWhenADayIsFinal(t *testing.T) {
	t.Parallel()
	shares := []Share{{Age: 0, Days: 20, Median: 1, Low: 0.9, High: 1}, {Age: 3, Days: 20, Median: 0.98, Low: 0.9, High: 1}, {Age: 28, Days: 20, Median: 1, Low: 1, High: 1}}
	for _, c := range []struct {
		settled *int
		window  int
		want    string
	}{
		{new(0), 7, " The values are the median and the range of 20 days. The figures of a day are final at the end of the day."},
		{new(1), 7, " The figures of a day are final after 1 day."},
		{new(7), 7, " The figures of a day are final after 7 days."},
		{new(14), 14, " The figures of a day are final after 14 days."},
		{new(14), 3, " The figures of a day are final after 14 days. This is later than the attribution window of the platform, 3 days."},
		{nil, 0, " The figures of a day still changed at an age of 28 days."},
	} {
		curve := Curve{Quantity: Spend, Days: 20, Window: c.window, Shares: shares, Settled: c.settled}
		if got := curve.Words(); !strings.HasSuffix(got, c.want) {
			t.Errorf("a window of %d days: %q, want at the end %q", c.window, got, c.want)
		}
	}
}

// A version without the day has unknown totals. It has no share.
func TestAVersionWithoutTheDayHasNoShare(t *testing.T) {
	t.Parallel()
	versions := imported(20, map[int]int64{1: 900, 3: 0, 5: 1000}, 1, 3, 5)
	for i := 1; i < len(versions); i += 3 {
		versions[i].Gone = true
	}
	for _, s := range spendCurve(t, versions, lookedAt(20, 30)).Shares {
		if s.Age == 3 || s.Low == 0 {
			t.Errorf("share %+v at an age without totals", s)
		}
	}
}

func TestDaysWithoutALaterImportDoNotCount(t *testing.T) {
	t.Parallel()
	versions := imported(40, map[int]int64{1: 800, 2: 1000}, 1, 2)
	for name, looks := range map[string][]measure.Look{
		"never":              nil,
		"too early":          lookedAt(40, LastLook-1),
		"too few":            lookedAt(Enough-1, LastLook),
		"another platform's": renamed(lookedAt(40, 30), "google"),
		"of days before them": {{Kind: measure.SpendTotals, Name: "facebook", Seen: first.AddDays(90), Days: civil.Range{
			First: first.AddDays(-9), Last: first.AddDays(-1),
		}}},
	} {
		if c := spendCurve(t, versions, looks); c.Known() || c.Settled != nil || !strings.HasPrefix(c.Words(), "The delay is unknown. To estimate the delay, Assay needs 14 days") {
			t.Errorf("looked at %s: %+v, want not known", name, c)
		}
	}
	if c := spendCurve(t, versions, lookedAt(Enough, LastLook)); !c.Known() {
		t.Error("enough days, told late enough, and not known")
	}
}

func renamed(looks []measure.Look, name string) []measure.Look {
	for i := range looks {
		looks[i].Name = name
	}
	return looks
}

func TestDaysFirstImportedLateDoNotCount(t *testing.T) {
	t.Parallel()
	c := spendCurve(t, imported(40, map[int]int64{FirstLook + 1: 800, 30: 1000}, FirstLook+1, 30), nil)
	if c.Known() || c.Days != 0 {
		t.Errorf("days that were imported years later: %+v, want none", c)
	}
}

// A report that changes after the platform's window is flagged. Shares end at the latest observed age.
func TestASourceThatSettlesAfterItsWindowIsLate(t *testing.T) {
	t.Parallel()
	versions := imported(20, map[int]int64{1: 800, 35: 1000}, 1, 35)
	c := spendCurve(t, versions, lookedAt(20, 50))
	if !c.Late() || c.Settled == nil || *c.Settled != 42 {
		t.Errorf("late %t, settled %v; want late and settled after 42 days", c.Late(), c.Settled)
	}
	if c = spendCurve(t, versions, lookedAt(20, 36)); !c.Late() || c.Settled != nil {
		t.Errorf("late %t, settled %v; want late, and no settled age", c.Late(), c.Settled)
	}
}

func TestRangeIsFromMinimumToMaximum(t *testing.T) {
	t.Parallel()
	versions := imported(15, map[int]int64{1: 900, 4: 1000}, 1, 4)
	versions[0].Spend, versions[2].Spend = 500, 1500 // spend of two days; the second figure decreased later
	c := spendCurve(t, versions, lookedAt(15, 30))
	s, _ := c.At(1)
	if s.Median != 0.9 || s.Low != 0.5 || s.High != 1.5 {
		t.Errorf("share %+v, want 0.9 from 0.5 to 1.5", s)
	}
}

func TestRevenueIsMinusRefundsOnTheBasis(t *testing.T) {
	t.Parallel()
	var versions []measure.DayVersion
	for i := range Enough {
		day := first.AddDays(i)
		part := measure.DayPart{Day: day, Kind: measure.OrderTotals, Name: "retail"}
		versions = append(versions,
			measure.DayVersion{DayPart: part, Seen: day, DayTotals: measure.DayTotals{
				Sums: measure.Sums{Charged: 1200, Tax: 200},
			}},
			measure.DayVersion{DayPart: part, Seen: day.AddDays(30), DayTotals: measure.DayTotals{
				Sums: measure.Sums{Charged: 1200, Tax: 200, Refunds: 500},
			}})
	}
	curves := Curves(versions, nil, measure.RevenueBasis{WithoutTax: true})
	if len(curves) != 1 || curves[0].Window != 0 || curves[0].Late() {
		t.Fatalf("curves %+v, want one without a window", curves)
	}
	if s, _ := curves[0].At(0); s.Median != 2 {
		t.Errorf("share %+v, want twice of what is left", s)
	}
}
