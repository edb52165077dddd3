package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sync/errgroup"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/ingesttest"
	"assay/internal/warehouse"
)

// everySource returns files of all kinds of facts: the templates, and files of the test archives with disjoint facts.
func everySource(t *testing.T) []ingest.File {
	t.Helper()
	var files []ingest.File
	for _, d := range ingest.Catalogue() {
		content, err := ingest.Template(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(content), "\n") > 1 && d.Name != "order_lines" { // its order is also in orders.csv
			files = append(files, text(d.Name+".csv", string(content)))
		}
	}
	for _, path := range []string{
		"adreport/testdata/snapchat", "adreport/testdata/tiktok", "connector/testdata/landed", "mapper/testdata/catalogue_shopify", "mapper/testdata/customers",
		"mapper/testdata/klaviyo", "mapper/testdata/regions", "mapper/testdata/surfaces", "mapper/testdata/surveys", "mapper/testdata/woocommerce",
		"shopify/testdata/landed", "shopify/testdata/landed_lines",
	} {
		archive, err := txtar.ParseFile(path + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name != "want" && !strings.Contains(f.Name, "broken") && f.Name != "template.csv" {
				files = append(files, ingesttest.InForm(t, f))
			}
		}
	}
	return files
}

// The store has the same rows for any order, number and parallelism of imports.
func TestTheOrderAndNumberOfImportsDoNotMatter(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("imports every source three times")
	}
	files := everySource(t)
	whole := func(load func(store bench)) map[string][]string {
		store := newBench(t, "USD", "America/New_York")
		load(store)
		return rowsOf(t, store)
	}
	once := func(store bench, f ingest.File) {
		if _, err := ingest.Run(t.Context(), store, store.options(f)); err != nil && fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	want := whole(func(store bench) {
		for _, f := range files {
			once(store, f)
		}
	})
	for _, table := range []string{"orders", "ad_days", "ad_names", "ad_states", "channel_spend", "products", "product_costs", "profiles", "message_days", "survey_responses", "creators", "creator_codes", "creator_costs", "link_days", "coupon_channels", "targets", "fx_rates", "region_days", "surface_days", "totals of days", "landed_orders", "landed_lines", "landed_discounts", "landed_codes"} {
		if len(want[table]) == 0 {
			t.Errorf("no file has rows of %s", table)
		}
	}
	got := whole(func(store bench) {
		twice := slices.Concat(files, files)
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(twice), func(i, j int) { twice[i], twice[j] = twice[j], twice[i] })
		var some errgroup.Group
		some.SetLimit(4)
		for _, f := range twice {
			some.Go(func() error {
				once(store, f)
				return nil
			})
		}
		_ = some.Wait()
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("twice, shuffled and four at a time (-in order +shuffled):\n%s", diff)
	}
}

// rowsOf returns the rows of all fact tables as text, sorted.
func rowsOf(t *testing.T, store bench) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	tables, err := store.Export(t.Context(), shop, dir, warehouse.CSV)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, table := range tables {
		if strings.HasPrefix(table.Table, "import") || table.Table == "day_history" || table.Table == "told_days" {
			continue // they describe the imports
		}
		content, err := os.ReadFile(filepath.Join(dir, table.File))
		if err != nil {
			t.Fatal(err)
		}
		rows[table.Table] = strings.Split(strings.TrimSpace(string(content)), "\n")[1:]
		if int64(len(rows[table.Table])) != table.Rows {
			t.Errorf("%s has %d lines for %d rows", table.File, len(rows[table.Table]), table.Rows)
		}
	}
	known, err := store.DaysAsOf(t.Context(), shop, civil.Range{First: civil.New(2000, 1, 1), Last: civil.New(2100, 1, 1)}, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range known {
		if !v.Gone {
			rows["totals of days"] = append(rows["totals of days"], fmt.Sprint(v.DayPart, v.DayTotals))
		}
	}
	return rows
}

// The line items of an order are in memory until its last row. An order without end must not use all memory.
func TestAnOrderWithoutEndIsRejected(t *testing.T) {
	t.Parallel()
	const most = 10_000
	const shopifyRow, mappedRow = "#1,,,,,,,1,,,,\n", "A,2026-05-01,CAP,1,10\n"
	shopify := shopifyHeader + "#1,a@example.com,paid,USD,10.00,10.00,2026-05-01 10:00:00 -0400,1,Cap,10.00,,9001\n"
	const mapped = "order,date,sku,quantity,price\n"
	for name, c := range map[string]struct {
		content, reason string
		rejected        int
	}{
		"a Shopify export":          {shopify + strings.Repeat(shopifyRow, most), "more than 10000 line items", most + 1},
		"a file of order lines":     {mapped + strings.Repeat(mappedRow, most+1), "more than 10000 line items", most + 1},
		"long rows of an export":    {shopify + strings.Repeat("#1,,,,,,,1,"+strings.Repeat("x", 1<<20)+",,,\n", 17), "more than 16 MiB", 18},
		"long rows of order lines":  {mapped + strings.Repeat("A,2026-05-01,"+strings.Repeat("x", 1<<20)+",1,10\n", 17), "more than 16 MiB", 17},
		"the most in an export":     {shopify + strings.Repeat(shopifyRow, most-1), "", 0},
		"the most in a file of its": {mapped + strings.Repeat(mappedRow, most), "", 0},
	} {
		store := newBench(t, "USD", "America/New_York")
		o := store.options(text("orders.csv", c.content))
		o.DryRun = true
		report, err := ingest.Run(t.Context(), store, o)
		file := report.Files[0]
		if rejects := fault.KindOf(err) == fault.KindInvalid; rejects != (c.rejected > 0) || file.Rejected != c.rejected {
			t.Errorf("%s: %v, %d rows rejected, want %d", name, err, file.Rejected, c.rejected)
		} else if rejects && !strings.Contains(file.RejectedRows[0].Reason, c.reason) {
			t.Errorf("%s: rejected because %q, want %q", name, file.RejectedRows[0].Reason, c.reason)
		}
	}
}
