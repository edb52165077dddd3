package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// answerAs decodes the object of a successful call.
func answerAs[A any](t *testing.T, tool, args string) A {
	t.Helper()
	return decoded[A](t, call(t, "full", tool, args).StructuredContent)
}

func decoded[A any](t *testing.T, object json.RawMessage) A {
	t.Helper()
	var a A
	if err := json.Unmarshal(object, &a); err != nil {
		t.Fatalf("%v in %s", err, object)
	}
	return a
}

// near compares sums of n amounts that are rounded to cents.
func near(t *testing.T, what string, got, want float64, n int) {
	t.Helper()
	if math.Abs(got-want) > 0.005*float64(n)+1e-9 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

const february = `"start_date":"2026-02-01","end_date":"2026-02-28","detail_level":"debug"`

func TestChannelRowsSumToTheStoreForEveryModel(t *testing.T) {
	t.Parallel()
	var first toolkit.StoreMetrics
	for i, model := range append(measure.Models(), measure.Fitted()...) {
		a := answerAs[PerformanceAnswer](t, "performance", fmt.Sprintf(`{%s,"model":%q}`, february, model))
		var revenue, orders, spend float64
		for _, r := range a.Rows {
			revenue += float64(r.Revenue)
			orders += float64(r.Orders)
			if r.Spend != nil {
				spend += float64(*r.Spend)
			}
		}
		near(t, string(model)+": revenue of the rows", revenue, float64(*a.Metrics.Revenue.Value), len(a.Rows)+1)
		near(t, string(model)+": orders of the rows", orders, float64(*a.Metrics.Orders.Value), len(a.Rows)+1)
		near(t, string(model)+": spend of the rows", spend, float64(*a.Metrics.Spend.Value), len(a.Rows)+1)
		if model == measure.PlatformReported { // platforms report no refunds and no new customers
			a.Metrics.Refunds, a.Metrics.NetRevenue, a.Metrics.NewOrders = first.Refunds, first.NetRevenue, first.NewOrders
		}
		if i == 0 {
			first = a.Metrics
		} else if diff := cmp.Diff(first, a.Metrics); diff != "" {
			t.Errorf("the store's metrics under %s differ from the first model's (-first +this):\n%s", model, diff)
		}
	}
}

func TestRatiosAreCalculatedFromSums(t *testing.T) {
	t.Parallel()
	m := answerAs[PerformanceAnswer](t, "performance", `{`+february+`}`).Metrics
	near(t, "aov", float64(*m.AOV.Value), float64(*m.Revenue.Value)/float64(*m.Orders.Value), 2)
	near(t, "roas", float64(*m.ROAS.Value), float64(*m.Revenue.Value)/float64(*m.Spend.Value), 2)
	near(t, "net revenue", float64(*m.NetRevenue.Value), float64(*m.Revenue.Value)-float64(*m.Refunds.Value), 2)
}

func TestDaysWeeksAndMonthsSumToPerformance(t *testing.T) {
	t.Parallel()
	m := answerAs[PerformanceAnswer](t, "performance", `{`+february+`}`).Metrics
	want := map[string]float64{"revenue": float64(*m.Revenue.Value), "orders": float64(*m.Orders.Value), "spend": float64(*m.Spend.Value)}
	for metric, total := range want {
		for _, width := range []string{"day", "week", "month"} {
			a := answerAs[TrendsAnswer](t, "trends", fmt.Sprintf(`{%s,"metric":%q,"granularity":%q,"limit":100}`, february, metric, width))
			var sum float64
			for _, r := range a.Rows {
				sum += *r.Value
			}
			near(t, metric+" by "+width, sum, total, len(a.Rows)+1)
		}
	}
}

func TestChannelFilterShowsTheChannelsRow(t *testing.T) {
	t.Parallel()
	all := answerAs[PerformanceAnswer](t, "performance", `{`+february+`}`)
	for _, row := range all.Rows {
		one := answerAs[PerformanceAnswer](t, "performance", fmt.Sprintf(`{%s,"channel":%q}`, february, row.Channel))
		if len(one.Rows) != 1 || one.Rows[0].Channel != row.Channel {
			t.Fatalf("channel=%s: rows %+v", row.Channel, one.Rows)
		}
		if diff := cmp.Diff(row, one.Rows[0]); diff != "" {
			t.Errorf("%s alone differs from its row (-row +alone):\n%s", row.Channel, diff)
		}
		near(t, string(row.Channel)+": revenue", float64(*one.Metrics.Revenue.Value), float64(row.Revenue), 1)
		days := answerAs[TrendsAnswer](t, "trends", fmt.Sprintf(`{%s,"channel":%q,"limit":100}`, february, row.Channel))
		var sum float64
		for _, r := range days.Rows {
			sum += *r.Value
		}
		near(t, string(row.Channel)+": days", sum, float64(row.Revenue), len(days.Rows)+1)
	}
}

func TestPreviousIsThePreviousWindow(t *testing.T) {
	t.Parallel()
	now := answerAs[PerformanceAnswer](t, "performance", `{`+february+`}`).Metrics
	before := answerAs[PerformanceAnswer](t, "performance", `{"start_date":"2026-01-04","end_date":"2026-01-31","detail_level":"debug"}`).Metrics
	near(t, "previous revenue", float64(*now.Revenue.Previous), float64(*before.Revenue.Value), 1)
	near(t, "previous orders", float64(*now.Orders.Previous), float64(*before.Orders.Value), 1)
	near(t, "previous roas", float64(*now.ROAS.Previous), float64(*before.ROAS.Value), 1)
	both := answerAs[CompareAnswer](t, "compare", `{"period1_start":"2026-01-04","period1_end":"2026-01-31","period2_start":"2026-02-01","period2_end":"2026-02-28","detail_level":"debug","include_channels":true}`)
	if diff := cmp.Diff(now, both.Metrics); diff != "" {
		t.Errorf("compare differs from performance (-performance +compare):\n%s", diff)
	}
	var revenue, previous float64
	for _, r := range both.Rows {
		revenue, previous = revenue+float64(r.Revenue), previous+float64(*r.RevenuePrevious)
	}
	near(t, "compare: channels of period 2", revenue, float64(*now.Revenue.Value), len(both.Rows)+1)
	near(t, "compare: channels of period 1", previous, float64(*before.Revenue.Value), len(both.Rows)+1)
}

func TestPagesCoverAllRowsOnce(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"trends", "campaigns", "products", "customers", "surveys"} {
		extra := ""
		switch tool {
		case "customers":
			extra = `,"view":"journeys"`
		case "surveys":
			extra = `,"view":"individual"`
		}
		if tool == "campaigns" {
			extra = `,"level":"creative"`
		}
		type rows struct {
			Rows       []map[string]any
			Pagination answer.Pagination
			Metrics    any
		}
		whole := answerAs[rows](t, tool, fmt.Sprintf(`{%s,"limit":5%s}`, february, extra))
		var parts []map[string]any
		for offset := 0; offset < 5; {
			page := answerAs[rows](t, tool, fmt.Sprintf(`{%s,"limit":2,"offset":%d%s}`, february, offset, extra))
			if diff := cmp.Diff(whole.Metrics, page.Metrics); diff != "" {
				t.Errorf("%s: the totals change with the page:\n%s", tool, diff)
			}
			parts = append(parts, page.Rows...)
			if page.Pagination.NextOffset == nil {
				break
			}
			offset = *page.Pagination.NextOffset
		}
		if diff := cmp.Diff(whole.Rows, parts[:min(5, len(parts))]); diff != "" {
			t.Errorf("%s: pages of two (-whole +pages):\n%s", tool, diff)
		}
		past := answerAs[rows](t, tool, fmt.Sprintf(`{%s,"limit":2,"offset":100000%s}`, february, extra))
		if len(past.Rows) != 0 || past.Pagination.Total != whole.Pagination.Total || past.Pagination.HasMore {
			t.Errorf("%s past the end: %d rows, %+v", tool, len(past.Rows), past.Pagination)
		}
	}
}

func TestExplicitLimitOverridesTheLevel(t *testing.T) {
	t.Parallel()
	a := answerAs[TrendsAnswer](t, "trends", `{"start_date":"2026-02-01","end_date":"2026-02-28","limit":28}`)
	if len(a.Rows) != 28 {
		t.Errorf("%d rows at the summary level with limit 28", len(a.Rows))
	}
	a = answerAs[TrendsAnswer](t, "trends", `{"start_date":"2026-02-01","end_date":"2026-02-28","limit":null}`)
	if len(a.Rows) != answer.SummaryRows {
		t.Errorf("%d rows at the summary level without a limit, want %d", len(a.Rows), answer.SummaryRows)
	}
}

func TestLowerThresholdFlagsMore(t *testing.T) {
	t.Parallel()
	count := func(threshold float64) int {
		return answerAs[TrendsAnswer](t, "trends", fmt.Sprintf(`{"anomaly_threshold":%v}`, threshold)).Metrics.Anomalies
	}
	if loose, strict := count(1), count(6); loose <= strict || strict != 1 {
		t.Errorf("%d anomalies at 1.0, %d at 6.0; want more, and the one planted", loose, strict)
	}
}

func TestDayHasTheSameScoreInEveryWindow(t *testing.T) {
	t.Parallel()
	z := func(first, last string) answer.Ratio {
		a := answerAs[TrendsAnswer](t, "trends", fmt.Sprintf(`{"start_date":%q,"end_date":%q,"limit":100}`, first, last))
		for _, r := range a.Rows {
			if r.Date == outlier {
				return *r.Z
			}
		}
		t.Fatalf("no row of %s from %s to %s", outlier, first, last)
		return 0
	}
	short, long := z("2026-02-20", "2026-02-20"), z("2026-01-01", "2026-03-10")
	if short != long {
		t.Errorf("z of %s is %v alone and %v in a quarter", outlier, short, long)
	}
}

// An order one second before midnight in the store's time zone belongs to the day that ends, independent of UTC and of
// daylight saving time.
func TestDayBeginsAtTheStoresMidnight(t *testing.T) {
	t.Parallel()
	cases := []struct{ zone, day string }{
		{"Asia/Tokyo", "2026-03-01"},
		{"America/Los_Angeles", "2026-03-01"},
		{"America/Los_Angeles", "2026-03-08"}, // 23 hours
		{"Europe/Berlin", "2025-10-26"},       // 25 hours
		{"America/Sao_Paulo", "2018-11-04"},   // midnight was skipped
		{"Pacific/Kiritimati", "2026-03-01"},
	}
	facts, err := openFacts(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		day := civil.MustParse(c.day)
		w := newWorkspace(measure.WorkspaceID(fmt.Sprintf("zone-%d", i)))
		w.Zone = c.zone
		start, end := civil.StartOf(day, zone), civil.StartOf(day.AddDays(1), zone)
		b := &warehouse.Batch{}
		for n, at := range []time.Time{start.Add(-time.Second), start, end.Add(-time.Second), end} {
			b.Orders = append(b.Orders, warehouse.Order{
				OrderRef: warehouse.OrderRef{Source: "shop", Key: fmt.Sprint(n)}, At: at, Day: civil.DayOf(at, zone), Charged: 1000 << n, Customer: fmt.Sprint(n),
			})
		}
		if err := load(t.Context(), facts, w.ID, b); err != nil {
			t.Fatal(err)
		}
		// The clock shows the last second of the day in the store's time zone.
		s, err := toolkit.NewService(plainDeps(facts, func() time.Time { return end.Add(-time.Second) }), All())
		if err != nil {
			t.Fatal(err)
		}
		session := s.Session(reader(w), "r1")
		a := decoded[PerformanceAnswer](t, callAs(t, session, "performance", fmt.Sprintf(`{"start_date":%q,"end_date":%q}`, c.day, c.day)).StructuredContent)
		if got := float64(*a.Metrics.Revenue.Value); got != 60 {
			t.Errorf("%s in %s: revenue %v, want the 20 and 40 of its first and last second", c.day, c.zone, got)
		}
		a = decoded[PerformanceAnswer](t, callAs(t, session, "performance", `{}`).StructuredContent)
		if a.Period.End != day || a.Period.Start != day.AddDays(-30) || !a.Period.Partial {
			t.Errorf("default window in %s at the last second of %s: %+v", c.zone, c.day, a.Period)
		}
	}
}

func TestFixtureHasNoFutureData(t *testing.T) {
	t.Parallel()
	a := answerAs[TrendsAnswer](t, "trends", `{"start_date":"2026-03-01","end_date":"2026-03-31","limit":100}`)
	if len(a.Rows) != 10 || !a.Period.Partial || a.Rows[9].Z != nil {
		t.Errorf("%d rows of a window that ends in the future, the last %+v; want ten, today unjudged", len(a.Rows), a.Rows[len(a.Rows)-1])
	}
}

var _ snapshot.Facts = (*warehouse.Warehouse)(nil)
