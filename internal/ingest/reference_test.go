package ingest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/civil"
	"assay/internal/ingest"
)

// month contains the figures that the description of the reference data publishes.
type month struct {
	first, last       string
	orders            int64
	charged, refunded int64
	units             int64
}

func check(t *testing.T, store bench, months []month) {
	t.Helper()
	for _, want := range months {
		sums := store.sums(t, want.first, want.last)
		got := month{want.first, want.last, sums.Orders / 1e6, sums.Charged, sums.Refunds, sums.Units}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(month{})); diff != "" {
			t.Errorf("from %s (-want +got):\n%s", want.first, diff)
		}
	}
}

func TestShopifyExportGivesThePublishedTotals(t *testing.T) {
	t.Parallel()
	store := newBench(t, "GBP", "Europe/London")
	file := shared(t, "derived_shopify_format/orders_export_2011-03_2011-05.csv.gz")
	report := store.run(t, store.options(file)).Files[0]
	want := &ingest.Totals{
		Orders: 4381, Refunds: 570, Charged: map[string]string{"GBP": "2025984.00"}, Refunded: map[string]string{"GBP": "32160.59"},
	}
	got := *report.Totals
	got.First, got.Last = want.First, want.Last
	if diff := cmp.Diff(want, &got, cmpopts.EquateComparable(civil.Date{})); diff != "" || report.Rows != 101063 {
		t.Errorf("%d rows, totals (-want +got):\n%s", report.Rows, diff)
	}
	months := []month{
		{"2011-03-01", "2011-03-31", 1454, 71763936, 993915, 377526},
		{"2011-04-01", "2011-04-30", 1246, 53780862, 1275473, 308815},
		{"2011-05-01", "2011-05-31", 1681, 77053602, 946671, 395738},
	}
	check(t, store, months)

	before, err := store.Version(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	again := store.run(t, store.options(file)).Files[0]
	after, err := store.Version(t.Context(), shop)
	if err != nil || again.Status != ingest.Already || after != before {
		t.Errorf("a second import is %s and changes the version from %d to %d, %v", again.Status, before, after, err)
	}
	check(t, store, months)
}

func TestMappedInvoiceLinesGiveThePublishedTotals(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("imports 320,705 lines")
	}
	store := newBench(t, "GBP", "Europe/London")
	options := store.options(shared(t, "uci_online_retail/online_retail_2010-12_2011-08.csv.gz"))
	options.Mapping = mappingAt(t, "mapper/testdata/online_retail.yaml")
	report, err := ingest.Run(t.Context(), store, options)
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Files[0]; got.Rows != 320705 || got.Rejected != 0 || got.Totals.Refunded["GBP"] != "520770.56" {
		t.Errorf("%d rows, %d rejected, refunded %s; want 320705, none and 520770.56", got.Rows, got.Rejected, got.Totals.Refunded)
	}
	published := []month{
		{"2010-12-01", "2010-12-31", 1559, 82374614, 7478912, 359239},
		{"2011-01-01", "2011-01-31", 1086, 69136456, 13136430, 387785},
		{"2011-02-01", "2011-02-28", 1100, 52363189, 2556924, 283555},
		{"2011-03-01", "2011-03-31", 1454, 71763936, 3437228, 377526},
		{"2011-04-01", "2011-04-30", 1246, 53780862, 4460150, 308815},
		{"2011-05-01", "2011-05-31", 1681, 77053602, 4720251, 395738},
		{"2011-06-01", "2011-06-30", 1533, 76173990, 7061678, 389213},
		{"2011-07-01", "2011-07-31", 1475, 71922119, 3792108, 401759},
		{"2011-08-01", "2011-08-31", 1361, 75913838, 5433375, 421770},
	}
	for _, want := range published {
		sums := store.sums(t, want.first, want.last)
		got := month{want.first, want.last, sums.Orders / 1e6, sums.Charged, sums.Refunds, sums.Units}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(month{})); diff != "" {
			t.Errorf("from %s (-want +got):\n%s", want.first, diff)
		}
	}
}
