package ingest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/xuri/excelize/v2"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/ingesttest"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

const shopifyHeader = "Name,Email,Financial Status,Currency,Subtotal,Total,Created at,Lineitem quantity,Lineitem name,Lineitem price,Refunded Amount,Id\n"

// shopifyOrder returns an order. The order's number determines the number of its lines.
func shopifyOrder(n int) string {
	var out strings.Builder
	lines := n%3 + 1
	at := fmt.Sprintf("2026-0%d-%02d 23:5%d:00 -0400", n%6+4, n%28+1, n%10)
	fmt.Fprintf(&out, "#%d,c%d@example.com,paid,USD,%d.00,%d.00,%s,1,Cap,10.00,%d.50,%d\n", n, n%7, 10*lines, 10*lines, at, n%2, 9000+n)
	for range lines - 1 {
		fmt.Fprintf(&out, "#%d,c%d@example.com,,,,,%s,1,Hat,10.00,,\n", n, n%7, at)
	}
	return out.String()
}

// contents contains the store's data about its orders.
type contents struct {
	Coverage warehouse.Coverage
	Days     []warehouse.DayTotal
	Products warehouse.ProductPage
}

func (b bench) contents(t testing.TB) contents {
	t.Helper()
	all := civil.Range{First: civil.MustParse("2026-01-01"), Last: civil.MustParse("2026-12-31")}
	coverage, err := b.Coverage(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	days, err := b.StoreDays(t.Context(), shop, all)
	if err != nil {
		t.Fatal(err)
	}
	products, err := b.Products(t.Context(), shop, warehouse.ProductsOf{Windows: warehouse.Windows{Recent: all}, Sort: warehouse.ByUnits, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	coverage.Version = 0
	return contents{coverage, days, products}
}

var comparable = cmpopts.EquateComparable(civil.Date{})

func TestPartsOfAnExportGiveTheSameStoreAsTheWhole(t *testing.T) {
	t.Parallel()
	const orders = 12
	whole := shopifyHeader
	for n := range orders {
		whole += shopifyOrder(n)
	}
	one := newBench(t, "USD", "America/New_York")
	one.run(t, one.options(text("whole.csv", whole)))
	want := one.contents(t)
	if want.Coverage.Orders != orders {
		t.Fatalf("the whole file gives %d orders, want %d", want.Coverage.Orders, orders)
	}
	for _, cut := range []int{1, 5, 11} {
		first, second := shopifyHeader, shopifyHeader
		for n := range orders {
			if n < cut {
				first += shopifyOrder(n)
			} else {
				second += shopifyOrder(n)
			}
		}
		two := newBench(t, "USD", "America/New_York")
		two.run(t, two.options(text("1.csv", first), text("2.csv", second)))
		if diff := cmp.Diff(want, two.contents(t), comparable); diff != "" {
			t.Errorf("cut before order %d (-whole +parts):\n%s", cut, diff)
		}
	}
}

func TestOverlappingExportsChangeOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "America/New_York")
	store.run(t, store.options(text("monday.csv", shopifyHeader+shopifyOrder(1)+shopifyOrder(2))))
	changed := strings.Replace(shopifyOrder(2), "paid", "refunded", 1)
	report := store.run(t, store.options(text("tuesday.csv", shopifyHeader+shopifyOrder(1)+changed+shopifyOrder(3)))).Files[0]
	if diff := cmp.Diff(ingest.RowCounts{Inserted: 1, Updated: 1, Unchanged: 1}, report.Tables["orders"]); diff != "" {
		t.Errorf("orders (-want +got):\n%s", diff)
	}
}

func TestARefusedFileChangesNothingAndTheOthersAreImported(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "America/New_York")
	bad := shopifyHeader + shopifyOrder(1) + strings.Replace(shopifyOrder(2), "USD", "?", 1)
	report, err := ingest.Run(t.Context(), store, store.options(text("bad.csv", bad), text("good.csv", shopifyHeader+shopifyOrder(3))))
	if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), `"bad.csv"`) {
		t.Errorf("%v, want a refusal of bad.csv", err)
	}
	if report.Files[0].Status != ingest.Refused || report.Files[1].Status != ingest.Imported {
		t.Errorf("the files are %s and %s", report.Files[0].Status, report.Files[1].Status)
	}
	if got := store.contents(t).Coverage.Orders; got != 1 {
		t.Errorf("the store has %d orders, want the one of good.csv", got)
	}
	skipping := store.options(text("bad.csv", bad))
	skipping.SkipRejected = true
	if got := store.run(t, skipping).Files[0]; got.Status != ingest.Imported || got.Rejected != 3 {
		t.Errorf("without its rejected rows it is %s, with %d rows left out; want 3", got.Status, got.Rejected)
	}
	if got := store.contents(t).Coverage.Orders; got != 2 {
		t.Errorf("the store has %d orders, want 2", got)
	}
}

// The rules of a mapping can omit every row. Such a file has no usable facts, but no row is rejected.
func TestAFileOfOmittedRowsIsImported(t *testing.T) {
	t.Parallel()
	omitting, err := mapper.Parse([]byte("name: till\nkind: orders\ncolumns: {order: No, at: When, total: Sum}\nrules:\n  - {column: Sum, below: 5, then: skip}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, skips := range []bool{false, true} {
		for content, want := range map[string]struct {
			status   ingest.Status
			rejected int
		}{
			"No,When,Sum\n": {ingest.Empty, 0},
			"No,When,Sum\n1,2026-09-01,1.00\n2,2026-09-01,2.00\n": {ingest.Imported, 0},
			"No,When,Sum\n1,2026-09-01,1.00\n2,2026-09-01,much\n": {ingest.Refused, 1},
		} {
			store := newBench(t, "USD", "America/New_York")
			o := store.options(text("till.csv", content))
			o.Mapping, o.SkipRejected = &omitting, skips
			report, err := ingest.Run(t.Context(), store, o)
			got := report.Files[0]
			if got.Status != want.status || got.Rejected != want.rejected || (err != nil) != (want.status == ingest.Refused) {
				t.Errorf("skipping %t: %q is %s with %d rejected rows, %v; want %s with %d", skips, content, got.Status, got.Rejected, err, want.status, want.rejected)
			}
			if orders := store.contents(t).Coverage.Orders; orders != 0 {
				t.Errorf("skipping %t: %q gives %d orders", skips, content, orders)
			}
		}
	}
}

func TestADryRunReportsAndStoresNothing(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "America/New_York")
	o := store.options(text("orders.csv", shopifyHeader+shopifyOrder(1)))
	o.DryRun = true
	report := store.run(t, o).Files[0]
	if report.Status != ingest.Checked || report.Tables["orders"].Inserted != 1 {
		t.Errorf("%s, %+v; want one order that would be inserted", report.Status, report.Tables)
	}
	if got := store.contents(t).Coverage.Orders; got != 0 {
		t.Errorf("the store has %d orders", got)
	}
	o.DryRun = false
	if got := store.run(t, o).Files[0].Status; got != ingest.Imported {
		t.Errorf("afterwards the file is %s", got)
	}
}

// batches records the number of orders in the largest batch.
type batches struct {
	ingest.Store
	largest *int
}

// Begin implements [ingest.Store].
func (b batches) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	into, err := b.Store.Begin(ctx, spec)
	return batchesInto{into, b.largest}, err
}

type batchesInto struct {
	warehouse.Import
	largest *int
}

// Add implements [warehouse.Import].
func (b batchesInto) Add(ctx context.Context, batch *warehouse.Batch) error {
	*b.largest = max(*b.largest, len(batch.Orders))
	return b.Import.Add(ctx, batch)
}

func TestABatchOfLargeRowsHasFewRows(t *testing.T) {
	t.Parallel()
	store, largest := newBench(t, "USD", "UTC"), 0
	file := "order_id,created_at,currency,total,note\n"
	for n := range 40 {
		file += fmt.Sprintf("%d,2026-09-01 10:00:00,USD,10.00,%s\n", n, strings.Repeat("x", 1<<20))
	}
	report, err := ingest.Run(t.Context(), batches{store, &largest}, store.options(text("orders.csv", file)))
	if err != nil || report.Files[0].Tables["orders"].Inserted != 40 {
		t.Fatalf("%v, %+v", err, report)
	}
	if largest > 16 {
		t.Errorf("a batch has %d rows of 1 MiB, want at most 16", largest)
	}
}

func TestALaterReportReplacesItsDays(t *testing.T) {
	t.Parallel()
	const header = "Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Reporting starts\n"
	store := newBench(t, "USD", "America/New_York")
	store.run(t, store.options(text("first.csv", header+
		"2026-09-01,A,1,10.00,1,2026-09-01\n2026-09-02,B,2,20.00,1,2026-09-01\n2026-09-03,C,3,40.00,1,2026-09-01\n")))
	store.run(t, store.options(text("later.csv", header+"2026-09-02,B,2,21.00,1,2026-09-02\n2026-09-03,D,4,1.00,1,2026-09-02\n")))
	spend := map[string]int64{}
	for _, day := range store.contents(t).Days {
		spend[day.Day.String()] = day.Spend
	}
	if diff := cmp.Diff(map[string]int64{"2026-09-01": 1000, "2026-09-02": 2100, "2026-09-03": 100}, spend); diff != "" {
		t.Errorf("spend (-want +got):\n%s", diff)
	}
}

func TestTheSameFileUnderAnotherMappingIsAnotherImport(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "America/New_York")
	o := store.options(text("spend.csv", "Date,Amount\n2026-09-01,10.00\n"))
	for _, want := range []struct {
		channel string
		status  ingest.Status
	}{{"tv", ingest.Imported}, {"tv", ingest.Already}, {"radio", ingest.Imported}} {
		o.Channel = "tv"
		if want.channel != "tv" {
			o.Channel = "radio"
		}
		if got := store.run(t, o).Files[0].Status; got != want.status {
			t.Errorf("as %s the file is %s, want %s", want.channel, got, want.status)
		}
	}
}

func TestCancellationLeavesTheStoreAsItWas(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "America/New_York")
	const orders, lines = 20_000, 39_999 // several batches
	var csv strings.Builder
	csv.WriteString(shopifyHeader)
	for n := range orders {
		csv.WriteString(shopifyOrder(n))
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := store.options(text("orders.csv", csv.String()))
	o.Progress = func(done, total int64) {
		if done > 0 && done <= total {
			cancel()
		}
	}
	if _, err := ingest.Run(ctx, store, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the cancellation", err)
	}
	if got := store.contents(t).Coverage.Orders; got != 0 {
		t.Errorf("the store has %d orders", got)
	}
	o.Progress = nil
	store.run(t, o)
	if got := store.contents(t).Coverage.Counts; got["orders"] != orders || got["order_lines"] != lines {
		t.Errorf("imported again, the store has %v; want %d orders with %d lines", got, orders, lines)
	}
}

// interrupted is a store with commits that fail.
type interrupted struct {
	sumStore
	err error
}

func (s *interrupted) Begin(context.Context, warehouse.ImportSpec) (warehouse.Import, error) {
	return s, nil
}

func (s *interrupted) Commit(context.Context) (warehouse.Outcome, error) {
	return warehouse.Outcome{}, s.err
}

func TestAnInterruptedCommitMayBeStored(t *testing.T) {
	t.Parallel()
	o := newBench(t, "USD", "America/New_York").options(text("orders.csv", shopifyHeader+shopifyOrder(1)))
	for want, failure := range map[string]error{
		"orders.csv: outcome unknown, may be stored": fault.Unavailable("the lock is lost").Wrap(warehouse.ErrUnknownOutcome),
		"orders.csv: rejected, nothing changed":      fault.Unavailable("the disk is full"),
	} {
		report, err := ingest.Run(t.Context(), &interrupted{err: failure}, o)
		if !errors.Is(err, failure) || !strings.HasPrefix(report.Text(), want) {
			t.Errorf("%v, %s; want %q", err, report.Text(), want)
		}
	}
}

func TestAReportHasAJSONForm(t *testing.T) {
	t.Parallel()
	store := &ingesttest.Recorder{}
	o := bench{workspace: workspace("USD", "UTC")}.options(text("orders.csv", "Order ID,Date,Total,Currency\nA,2026-09-01,1.00,USD\nB,2026-09-01,much,USD\n"))
	o.SkipRejected = true
	report, err := ingest.Run(t.Context(), store, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "workspace": "shop",
  "files": [
    {
      "file": "orders.csv",
      "status": "imported",
      "source": "orders",
      "title": "orders, one per row",
      "encoding": "UTF-8",
      "delimiter": "comma",
      "header_line": 1,
      "sha256": "SUM",
      "rows": 2,
      "rejected": 1,
      "rejected_rows": [
        {
          "line": 3,
          "column": "Total",
          "value": "much",
          "reason": "\"much\" is not an amount of money"
        }
      ],
      "totals": {
        "orders": 1,
        "charged": {
          "USD": "1.00"
        },
        "first_day": "2026-09-01",
        "last_day": "2026-09-01"
      },
      "warnings": [
        {
          "code": "rows_rejected",
          "text": "rejected rows were omitted: 1 of 2",
          "count": 1
        }
      ]
    }
  ]
}`
	want = strings.Replace(want, "SUM", report.Files[0].Hash, 1)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFileThatChangesWhileItIsReadIsNotImported(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "America/New_York")
	f := text("orders.csv", shopifyHeader+shopifyOrder(1))
	opened := 0
	first := f.Open
	f.Open = func() (io.ReadCloser, error) {
		if opened++; opened == 1 {
			return first()
		}
		return text("orders.csv", shopifyHeader+shopifyOrder(2)).Open()
	}
	if _, err := ingest.Run(t.Context(), store, store.options(f)); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("%v, want a conflict", err)
	}
}

func TestSpooledContentIsImportedAndRemoved(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "America/New_York")
	f, remove, err := ingest.Spool("", "/home/ada/orders.csv", strings.NewReader(shopifyHeader+shopifyOrder(1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := store.run(t, store.options(f)).Files[0]; got.File != "orders.csv" || got.Status != ingest.Imported {
		t.Errorf("%q is %s", got.File, got.Status)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, err := f.Open(); !os.IsNotExist(err) {
		t.Errorf("the spool is still there: %v", err)
	}
}

func TestWrongOptionsAreRefusedBeforeAnythingIsRead(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "UTC")
	o := store.options(text("orders.csv", shopifyHeader+shopifyOrder(1)))
	o.Source = "shopify"
	if _, err := ingest.Run(t.Context(), store, o); err == nil || !strings.Contains(err.Error(), "shopify_orders") {
		t.Errorf("an unknown source: %v, want the known ones", err)
	}
	o.Source, o.HashKey = ingest.Auto, nil
	if _, err := ingest.Run(t.Context(), store, o); fault.KindOf(err) != fault.KindMisconfigured {
		t.Errorf("no key: %v", err)
	}
}

func TestAnAmbiguousFileIsRefused(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "UTC")
	_, err := ingest.Run(t.Context(), store, store.options(text("x.csv", "by day,date,campaign name,cost,impr.,impressions,clicks\n2026-09-01,2026-09-01,A,1.00,2,2,3\n")))
	if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), "google_ads") || !strings.Contains(err.Error(), "tiktok_ads") {
		t.Errorf("%v, want both sources named", err)
	}
}

func TestAWorkbookIsReadLikeAnyReport(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	for i, row := range [][]any{
		{"Campaign name", "By Day", "Currency", "Cost", "Impressions", "Clicks (destination)", "Complete payment"},
		{"UGC", "2026-09-01", "USD", 48.2, 9000, 120, 2},
		{"UGC", "2026-09-02", "USD", 0.1 + 0.2, 10}, // empty cells at the end are not stored
		{"Total of 2 results", "-", "USD", 48.5, 9010, 120, 2},
	} {
		if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	content, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	store := newBench(t, "USD", "America/New_York")
	report := store.run(t, store.options(text("report.xlsx", content.String()))).Files[0]
	if report.Source != "tiktok_ads" || report.Encoding != "xlsx" || report.Rows != 2 || report.PassedOver != 1 || report.Totals.Spend["USD"] != "48.50" {
		t.Errorf("%+v", report)
	}
	if got := store.contents(t).Days; len(got) != 2 || got[0].Spend != 4820 || got[1].Spend != 30 {
		t.Errorf("days: %+v", got)
	}
}

func TestANamedSourceSaysWhichColumnsItMisses(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "UTC")
	o := store.options(text("weather.csv", "Station,Temperature\nBerlin,20\n"))
	o.Source = "fx_rates"
	_, err := ingest.Run(t.Context(), store, o)
	if err == nil || !strings.HasSuffix(err.Error(), "missing columns of fx_rates (exchange rates): date, from, to, rate") {
		t.Errorf("%v", err)
	}
}

func TestNamesOfReadersAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range ingest.Readers() {
		if seen[r.Name()] || r.Title() == "" || r.Name() == ingest.Auto {
			t.Errorf("the name %q is taken, or it has no title", r.Name())
		}
		seen[r.Name()] = true
	}
}

// The reader does not store ascending or descending keys. It finds duplicates in any order of rows.
func TestTheOrderOfAFilesRowsDoesNotMatter(t *testing.T) {
	t.Parallel()
	row := func(id, total string) string {
		return id + ",2026-05-0" + id[len(id)-1:] + "T10:00:00Z,USD," + total + "\n"
	}
	header := "order_id,created_at,currency,total\n"
	ordered := row("11", "1.00") + row("12", "2.00") + row("13", "3.00") + row("14", "4.00")
	store := newBench(t, "USD", "UTC")
	store.run(t, store.options(text("ordered.csv", header+ordered)))
	want := store.contents(t)
	for _, c := range []struct {
		name, rows         string
		repeated, replaced int64
	}{
		{"newest first", row("14", "4.00") + row("13", "3.00") + row("12", "2.00") + row("11", "1.00"), 0, 0},
		{"in no order", row("13", "3.00") + row("11", "1.00") + row("14", "4.00") + row("12", "2.00"), 0, 0},
		{"a copy at the end", ordered + row("11", "1.00"), 1, 0},
		{"a copy next to it", ordered + row("14", "4.00"), 1, 0},
		{"an old version above", row("12", "9.00") + ordered, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store := newBench(t, "USD", "UTC")
			report := store.run(t, store.options(text("file.csv", header+c.rows))).Files[0]
			if diff := cmp.Diff(want, store.contents(t), comparable); diff != "" {
				t.Errorf("the store (-ordered +%s):\n%s", c.name, diff)
			}
			if report.Totals.Repeated != c.repeated || report.Totals.Charged["USD"] != "10.00" || report.Rows != strings.Count(c.rows, "\n") {
				t.Errorf("report has %d rows, %d repeated, %s charged; want %d, %d, 10.00",
					report.Rows, report.Totals.Repeated, report.Totals.Charged["USD"], strings.Count(c.rows, "\n"), c.repeated)
			}
			twice := slices.ContainsFunc(report.Warnings, func(n source.Note) bool { return n.Code == "orders_twice" })
			if twice != (c.replaced > 0) {
				t.Errorf("orders_twice noted: %t, want %t", twice, c.replaced > 0)
			}
		})
	}
}

// cancelling ends a context after a number of bytes of the content were read.
type cancelling struct {
	io.ReadCloser
	left   int
	cancel context.CancelFunc
}

func (c *cancelling) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.left -= n; c.left <= 0 {
		c.cancel()
	}
	return n, err
}

// A canceled import does not report the file as unreadable.
func TestAnImportCancelledWithinARowIsNotRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, "USD", "America/New_York")
	hostile := "order_id,created_at,total,currency\n" + strings.Repeat(`"",`, 1_000_000) + "\n"
	for _, opened := range []int{1, 3} { // the file is opened for its hash, for its kind and for its rows
		ctx, cancel := context.WithCancel(t.Context())
		f, opens := text("orders.csv", hostile), 0
		content := f.Open
		f.Open = func() (io.ReadCloser, error) {
			plain, err := content()
			if opens++; opens != opened {
				return plain, err
			}
			return &cancelling{plain, len(hostile) / 2, cancel}, err
		}
		report, err := ingest.Run(ctx, b, b.options(f))
		cancel()
		if !errors.Is(err, context.Canceled) || report.Files[0].Status != "" {
			t.Errorf("cancelled in reading %d: %v, status %q", opened, err, report.Files[0].Status)
		}
	}
	if b.contents(t).Coverage.Orders != 0 {
		t.Error("orders of a cancelled import are stored")
	}
}

func TestAFileIsConvertedAgainAfterItsRatesChange(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "UTC")
	orders := text("orders.csv", "order_id,created_at,total,currency\n1,2026-09-01 10:00:00,100.00,EUR\n")
	for _, at := range []struct {
		rate    string
		charged int64
	}{{"1.80", 180_00}, {"1.08", 108_00}} {
		store.run(t, store.options(text("rates.csv", "date,from,to,rate\n2026-09-01,EUR,USD,"+at.rate+"\n")))
		if got := store.run(t, store.options(orders)).Files[0].Status; got != ingest.Imported {
			t.Errorf("at %s the file is %s", at.rate, got)
		}
		if sums := store.sums(t, "2026-09-01", "2026-09-01"); sums.Charged != at.charged {
			t.Errorf("at %s: charged %d, want %d", at.rate, sums.Charged, at.charged)
		}
	}
}

func TestReportsOfAmazonsProductsAddUp(t *testing.T) {
	t.Parallel()
	sp := text("sp.csv", "Date,Portfolio name,Currency,Campaign Name,Impressions,Clicks,Spend,7 Day Total Sales ,7 Day Total Orders (#)\n"+
		"\"Apr 02, 2026\",Main,USD,Brand,10,1,$9.00,$0.00,0\n")
	sb := text("sb.csv", "Date,Portfolio name,Currency,Campaign Name,Impressions,Clicks,Spend,14 Day Total Sales,14 Day Total Orders (#)\n"+
		"\"Apr 02, 2026\",Main,USD,Video,10,1,$4.00,$0.00,0\n")
	sd := text("sd.csv", "Date,Portfolio name,Currency,Campaign Name,Cost Type,Impressions,Viewable Impressions,Clicks,Spend,14 Day Total Sales\n"+
		"\"Apr 02, 2026\",Main,USD,Display,CPC,10,9,1,$2.00,$0.00\n")
	vendor := text("vendor.csv", "Date,Portfolio name,Currency,Campaign Name,Advertised ASIN,Impressions,Clicks,Spend,14 Day Total Sales\n"+
		"\"Apr 02, 2026\",Main,USD,Brand,B01,10,1,$9.50,$0.00\n")
	store := newBench(t, "USD", "UTC")
	for _, step := range []struct {
		file  ingest.File
		spend int64
	}{{sp, 900}, {sb, 1300}, {sd, 1500}, {sp, 1500}, {vendor, 1550}} {
		store.run(t, store.options(step.file))
		if days := store.contents(t).Days; len(days) != 1 || days[0].Spend != step.spend {
			t.Errorf("after %s: days %+v, want spend of %d", step.file.Name, days, step.spend)
		}
	}
}

// One file does not name the ad account, and another does.
func TestAReportWithItsAccountReplacesTheSameCampaignsWithout(t *testing.T) {
	t.Parallel()
	const ids, days = "Campaign name,Campaign ID,Amount spent (USD),Impressions,Reporting starts,Day", "Amount spent (USD),Impressions,Reporting starts,Day"
	plain := text("plain.csv", ids+"\nA,1,10.00,1,2026-09-01,2026-09-01\nB,2,20.00,1,2026-09-01,2026-09-02\nD,4,40.00,1,2026-09-01,2026-09-03\n")
	named := text("named.csv", "Campaign name,"+days+"\nA,10.00,1,2026-09-01,2026-09-01\nB,20.00,1,2026-09-01,2026-09-02\n")
	full := text("full.csv", "Account ID,"+ids+"\n123,A new,1,10.00,1,2026-09-01,2026-09-01\n123,B,2,20.00,1,2026-09-01,2026-09-02\n"+
		"123,C,3,5.00,1,2026-09-01,2026-09-02\n123,C,3,5.00,1,2026-09-01,2026-09-03\n")
	other := text("other.csv", "Account ID,"+ids+"\n456,E,5,5.00,1,2026-09-01,2026-09-01\n")
	for _, c := range []struct {
		files []ingest.File
		warns []string // accounts of the warning, by file
		spend map[string]int64
	}{
		{[]ingest.File{plain, other, full}, []string{"", "", ""}, map[string]int64{"2026-09-01": 1500, "2026-09-02": 2500, "2026-09-03": 4500}},
		{
			[]ingest.File{full, plain, full},
			[]string{"", `2026-09-01 to 2026-09-02: the account "default" of this import and the stored account "123"`, ""},
			map[string]int64{"2026-09-01": 1000, "2026-09-02": 2500, "2026-09-03": 4500},
		},
		{
			[]ingest.File{named, full, plain, full},
			[]string{"", `2026-09-02 to 2026-09-02: the account "123" of this import and the stored account "default"`, "the account", ""},
			map[string]int64{"2026-09-01": 1000, "2026-09-02": 2500, "2026-09-03": 4500},
		},
	} {
		store := newBench(t, "USD", "America/New_York")
		for i, f := range c.files {
			warned := ""
			for _, w := range store.run(t, store.options(f)).Files[0].Warnings {
				if w.Code == "spend_twice" {
					warned = w.Text
				}
			}
			if (warned != "") != (c.warns[i] != "") || !strings.Contains(warned, c.warns[i]) {
				t.Errorf("%s as file %d: warning %q, want %q", f.Name, i+1, warned, c.warns[i])
			}
		}
		spend := map[string]int64{}
		for _, day := range store.contents(t).Days {
			spend[day.Day.String()] = day.Spend
		}
		if diff := cmp.Diff(c.spend, spend); diff != "" {
			t.Errorf("%s first: spend (-want +got):\n%s", c.files[0].Name, diff)
		}
	}
}
