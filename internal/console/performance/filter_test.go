package performance

import (
	"net/url"
	"testing"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/tools"
)

// TestChartsHaveAtMostOneHundredPoints checks periods that start on each day of a week.
func TestChartsHaveAtMostOneHundredPoints(t *testing.T) {
	t.Parallel()
	for days := 1; days <= 800; days++ {
		for start := range 7 {
			first := civil.New(2024, 1, 1).AddDays(start)
			f := filter{Days: civil.Range{First: first, Last: first.AddDays(days - 1)}}
			if n := len(f.Days.Buckets(f.Granularity())); n > pageRows {
				t.Fatalf("%d days from %s: %d points by %s, want at most %d", days, first, n, f.Granularity(), pageRows)
			}
		}
	}
}

// TestPeriodsEndToday checks that a comparison does not count the days after today as days without sales.
func TestPeriodsEndToday(t *testing.T) {
	t.Parallel()
	today := civil.New(2026, 3, 10)
	f, err := filterIn(url.Values{startParam: {"2026-03-01"}, endParam: {"2026-03-31"}}, today)
	if err != nil || f.Days.Last != today || f.Earlier() != (civil.Range{First: civil.New(2026, 2, 19), Last: civil.New(2026, 2, 28)}) {
		t.Errorf("%s compared with %s, %v; want ten days of each", f.Days, f.Earlier(), err)
	}
}

// TestHeadingsNameAttributedRevenue checks the overview without a comparison.
func TestHeadingsNameAttributedRevenue(t *testing.T) {
	t.Parallel()
	a := &tools.CompareAnswer{Channel: "google"}
	a.Currency = "USD"
	v := reportView{Side: []block{{}}}
	if v.alone(a); v.Heading != "Attributed revenue of Google Ads is unknown." {
		t.Errorf("without revenue: %q", v.Heading)
	}
	revenue := answer.Money(1234)
	a.Metrics.Revenue.Value = &revenue
	v.Side = []block{{}}
	if v.alone(a); v.Heading != "Attributed revenue of Google Ads is $1,234." {
		t.Errorf("of a channel: %q", v.Heading)
	}
	a.Channel, v.Side = "", []block{{}}
	if v.alone(a); v.Heading != "Revenue is $1,234." {
		t.Errorf("of the store: %q", v.Heading)
	}
}
