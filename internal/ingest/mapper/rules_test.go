package mapper_test

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/ingest/ingesttest"
	"assay/internal/ingest/mapper"
)

// mapped reads a table with a mapping of orders.
func mapped(t *testing.T, more, table string) ingesttest.Reading {
	t.Helper()
	m, err := mapper.Parse([]byte("name: till\nkind: orders\ncolumns: {order: No, at: When, total: Sum}\n" + more))
	if err != nil {
		t.Fatal(err)
	}
	return ingesttest.Read(t, mapper.New(m), ingesttest.ReaderOptions(), table)
}

// Row 1 has no grade. The grades of rows 2 to 4 are -1, 2.5 and 3.
func TestConditionsOfRules(t *testing.T) {
	t.Parallel()
	const numbers = "No,When,Sum,Grade\n1,2026-09-01,1.00,\n2,2026-09-01,1.00,-1\n3,2026-09-01,1.00,2.5\n4,2026-09-01,1.00,3\n"
	for rule, want := range map[string]string{
		"below: 2.5": "134", "at_most: 2.5": "14", "above: 2.5": "123", "below: -1": "1234", "at_most: -1": "134", `equals: "3"`: "123", "starts: \"2\"": "124", "empty: true": "234", "empty: false": "1",
	} {
		got := mapped(t, "rules:\n  - {column: Grade, "+rule+", then: skip}\n", numbers)
		keys := ""
		for _, o := range got.Batch.Orders {
			keys += o.Key
		}
		if keys != want || len(got.Errors) > 0 {
			t.Errorf("%s leaves the orders %s (%v), want %s", rule, keys, got.Errors, want)
		}
	}
	got := mapped(t, "rules:\n  - {column: Grade, above: 1, then: skip}\n", "No,When,Sum,Grade\n1,2026-09-01,1.00,good\n")
	check(t, "a grade that is no number", map[int]string{2: "Grade"}, lines(got.Errors))
	// The first rule that matches applies.
	got = mapped(t, "rules:\n  - {column: Grade, above: 2, then: cancelled}\n  - {column: Grade, above: 1, then: test}\n", numbers+"5,2026-09-01,1.00,2\n")
	totals := got.Summary.Totals
	if totals.Orders != 2 || totals.Cancelled != 2 || totals.Tests != 1 {
		t.Errorf("totals %+v, want two orders, two canceled and a test", totals)
	}
}

// Without rules, the mapped columns decide whether an order is a test order or is canceled.
func TestTestsAndCancellationsHaveColumns(t *testing.T) {
	t.Parallel()
	const table = "No,When,Sum,Status,Cancelled at,Test\n" +
		"1,2026-09-01,1.00,paid,,\n2,2026-09-01,1.00,paid,,yes\n3,2026-09-01,1.00,paid,,No\n4,2026-09-01,1.00,paid,,TRUE\n" +
		"5,2026-09-01,1.00,paid,2026-09-02,\n6,2026-09-01,1.00,Storniert,,\n7,2026-09-01,1.00,paid,,1\n8,2026-09-01,1.00,paid,,0\n"
	m, err := mapper.Parse([]byte("name: till\nkind: orders\ncolumns: {order: No, at: When, total: Sum, status: Status, cancelled_at: Cancelled at, test: Test}\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := ingesttest.Read(t, mapper.New(m), ingesttest.ReaderOptions(), table)
	tests, cancelled := "", ""
	for _, o := range got.Batch.Orders {
		if o.Test {
			tests += o.Key
		}
		if o.Cancelled {
			cancelled += o.Key
		}
	}
	if tests != "247" || cancelled != "56" || len(got.Errors) > 0 {
		t.Errorf("the tests are %s and the canceled orders %s (%v), want 247 and 56", tests, cancelled, got.Errors)
	}
}

func TestNegativeTotals(t *testing.T) {
	t.Parallel()
	const table = "No,When,Sum\n1,2026-09-01,-2.00\n2,2026-09-01,0.00\n3,2026-09-01,5.00\n"
	for negative, want := range map[string]struct {
		orders, refunds, rejected int
		charged                   int64
	}{"": {2, 0, 1, 500}, "reject": {2, 0, 1, 500}, "keep": {3, 0, 0, 300}, "refund": {2, 1, 0, 500}} {
		more := ""
		if negative != "" {
			more = "negative: " + negative + "\n"
		}
		got := mapped(t, more, table)
		if len(got.Batch.Orders) != want.orders || len(got.Batch.Refunds) != want.refunds || len(got.Errors) != want.rejected || got.Summary.Totals.Charged["USD"] != want.charged {
			t.Errorf("negative: %q: %d orders, %d refunds, %v, totals %+v; want %+v", negative, len(got.Batch.Orders), len(got.Batch.Refunds), got.Errors, got.Summary.Totals, want)
		}
		for _, r := range got.Batch.Refunds {
			if r.Amount != 200 || r.Key != "1" {
				t.Errorf("refund %+v", r)
			}
		}
	}
}

// The layout's order of day and month also applies to ad reports.
func TestDaysOfAnAdReportFollowTheLayout(t *testing.T) {
	t.Parallel()
	for layout, want := range map[string]string{"DD/MM/YYYY": "2026-12-11", "MM/DD/YYYY": "2026-11-12", "": ""} {
		text := "name: ads\nkind: ad_spend\ncolumns: {day: When, campaign: Name, spend: Cost}\nfixed: {platform: tiktok}\n"
		if layout != "" {
			text += fmt.Sprintf("dates: {layout: %q}\n", layout)
		}
		m, err := mapper.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := ingesttest.Read(t, mapper.New(m), ingesttest.ReaderOptions(), "When,Name,Cost\n11/12/2026,A,1.00\n")
		if want == "" {
			if len(got.Errors) != 1 {
				t.Errorf("without a layout: %v", got.Errors)
			}
			continue
		}
		if len(got.Batch.AdDays) != 1 || got.Batch.AdDays[0].Day.String() != want {
			t.Errorf("%s: %+v (%v), want %s", layout, got.Batch.AdDays, got.Errors, want)
		}
	}
}

func TestCostsOfProducts(t *testing.T) {
	t.Parallel()
	got := read(t, "products", "sku,title,cost\nA,Tee,0\nB,Cap,0.01\nC,Mug,-0.01\nD,Bag,\n")
	check(t, "rejected", map[int]string{4: "cost"}, lines(got.Errors))
	costs := map[string]int64{}
	for _, c := range got.Batch.Costs {
		costs[c.SKU] = c.Cost
	}
	check(t, "costs", map[string]int64{"A": 0, "B": 1}, costs)
}

// Large counts keep their precision: a fifth of the sent messages bounced.
func TestLargeCountsFromRates(t *testing.T) {
	t.Parallel()
	for delivered, want := range map[string]int64{"800000000": 200_000_000, "800000001": 200_000_000, "4000000000000": 1_000_000_000_000} {
		got := read(t, "messages", "date,entity,entity name,delivered,bounce rate\n2026-09-01,flow,Welcome,"+delivered+",20%\n")
		if len(got.Batch.Messages) != 1 || got.Batch.Messages[0].Bounces != want {
			t.Errorf("%s delivered: %+v (%s), want %d bounces", delivered, got.Batch.Messages, strings.TrimSpace(fmt.Sprint(got.Errors)), want)
		}
	}
}
