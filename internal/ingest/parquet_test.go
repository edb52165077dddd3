package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// A Parquet export that is imported again gives the same facts as a CSV export.
func TestParquetIsReadLikeCSV(t *testing.T) {
	t.Parallel()
	from := newBench(t, "USD", "America/New_York")
	for _, name := range []string{"fx_rates", "products"} {
		content, err := ingest.Template(name)
		if err != nil {
			t.Fatal(err)
		}
		from.run(t, from.options(text(name+".csv", string(content))))
	}
	got := map[warehouse.ExportFormat]map[string][]string{}
	for _, format := range []warehouse.ExportFormat{warehouse.CSV, warehouse.Parquet} {
		dir := t.TempDir()
		if _, err := from.Export(t.Context(), shop, dir, format); err != nil {
			t.Fatal(err)
		}
		store := newBench(t, "USD", "America/New_York")
		for _, table := range []string{"fx_rates", "product_costs"} {
			file, err := ingest.FileAt(filepath.Join(dir, table+"."+string(format)))
			if err != nil {
				t.Fatal(err)
			}
			o := store.options(file)
			o.Parquet, o.Source = duckdb.ParquetToCSV, "products"
			if table == "fx_rates" {
				m, err := mapper.Parse([]byte("name: rates\nkind: fx_rates\ncolumns: {date: day, from: from_currency, to: to_currency, rate: rate}"))
				if err != nil {
					t.Fatal(err)
				}
				o.Source, o.Mapping = "", &m
			}
			report := store.run(t, o).Files[0]
			if (report.Encoding == "parquet") != (format == warehouse.Parquet) || report.Rows == 0 {
				t.Errorf("%s as %s: %+v", table, format, report)
			}
			if again := store.run(t, o).Files[0]; again.Status != ingest.Already {
				t.Errorf("%s as %s again is %s", table, format, again.Status)
			}
		}
		got[format] = rowsOf(t, store)
	}
	if diff := cmp.Diff(got[warehouse.CSV], got[warehouse.Parquet]); diff != "" {
		t.Errorf("(-CSV +Parquet):\n%s", diff)
	}
}

// One connector writes nested members as lists and structures, another as JSON. Both give the same facts.
func TestNestedParquetIsReadAsJSON(t *testing.T) {
	t.Parallel()
	file := text("orders.parquet", parquetOf(t, `SELECT 7001 AS id, '2026-09-01T10:00:00Z' AS created_at, '2026-09-01T10:00:00Z' AS processed_at, 'USD' AS currency,
		'90.00' AS total_price, '90.00' AS subtotal_price, 'paid' AS financial_status,
		[{'id': 9, 'sku': 'TEE "M"', 'title': 'Tee', 'quantity': 2, 'price': '50.00', 'discount_allocations': [{'amount': '10.00'}]}] AS line_items,
		[{'code': 'SAVE10', 'amount': '10.00'}] AS discount_codes, {'country_code': 'US', 'province_code': 'NY'} AS shipping_address`))
	store := newBench(t, "USD", "UTC")
	o := store.options(file)
	o.Parquet = duckdb.ParquetToCSV
	store.run(t, o)
	rows := rowsOf(t, store)
	if diff := cmp.Diff([]string{`shopify,7001,1,"TEE ""M""",Tee,2,9000,1000,0,false`}, rows["order_lines"]); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"shopify,7001,SAVE10,1000"}, rows["order_coupons"]); diff != "" || !strings.Contains(rows["orders"][0], ",US,NY,2,") {
		t.Errorf("order %q, coupons (-want +got):\n%s", rows["orders"], diff)
	}
}

func TestBrokenParquetIsRefused(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "UTC")
	for _, content := range []string{"PAR1", "PAR1 and then nothing", "PAR1" + strings.Repeat("\x00", 1000) + "PAR1"} {
		o := store.options(text("x.parquet", content))
		for _, convert := range []func(context.Context, string, string, int64) error{duckdb.ParquetToCSV, nil} {
			o.Parquet = convert
			if _, err := ingest.Run(t.Context(), store, o); fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), `"x.parquet"`) {
				t.Errorf("%q: %v", content[:4], err)
			}
		}
	}
}

// A small file may unpack to more data than a disk can store. The unpacked size is limited for every format, and the
// error names the limit.
func TestFilesThatUnpackToTooMuchAreRefused(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	row := "2026-03-01,campaign of no end,1.00\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, "day,campaign,spend\n"+strings.Repeat(row, most/len(row)+1)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	store := newBench(t, "USD", "UTC")
	for name, content := range map[string]string{
		"bomb.csv.gz": packed.String(), "bomb.parquet": bombParquet(t),
	} {
		if len(content) > most/10 {
			t.Errorf("%s has %d bytes, which is no bomb", name, len(content))
		}
		for _, unpacked := range []int64{most, 0} {
			o := store.options(text(name, content))
			o.Parquet, o.Unpacked, o.DryRun, o.Channel = duckdb.ParquetToCSV, unpacked, true, "facebook"
			_, err := ingest.Run(t.Context(), store, o)
			told := err != nil && strings.Contains(err.Error(), "larger than 1 MiB when decompressed")
			if told != (unpacked == most) || told && fault.KindOf(err) != fault.KindInvalid {
				t.Errorf("%s, up to %d bytes: %v", name, unpacked, err)
			}
			if _, hint, _ := fault.Public(err); told && hint == "" {
				t.Errorf("%s: no hint", name)
			}
		}
	}
}

// bombParquet returns a file of a few kilobytes with many equal rows.
func bombParquet(t *testing.T) string {
	t.Helper()
	return parquetOf(t, "SELECT DATE '2026-03-01' AS day, 'campaign of no end' AS campaign, 1 AS spend FROM range(40000)")
}

// parquetOf returns a file with the rows of a query.
func parquetOf(t *testing.T, question string) string {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	path := filepath.Join(t.TempDir(), "some.parquet")
	if _, err := db.ExecContext(t.Context(), "COPY ("+question+") TO '"+path+"' (FORMAT parquet)"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A Parquet import stores the rows of the file in the given folder. Only the user of the process can read them, and the
// import removes them afterwards.
func TestRowsOfParquetArePrivate(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "UTC")
	o := store.options(text("x.parquet", parquetOf(t, "SELECT DATE '2026-03-01' AS day, 'spring' AS campaign, 1 AS spend")))
	o.TempDir, o.DryRun, o.Channel = t.TempDir(), true, "facebook"
	o.Parquet = func(ctx context.Context, from, to string, most int64) error {
		err := duckdb.ParquetToCSV(ctx, from, to, most)
		for _, path := range []string{from, to, filepath.Dir(to)} {
			info, missing := os.Stat(path)
			if missing != nil || info.Mode().Perm()&0o077 != 0 || !strings.HasPrefix(path, o.TempDir+string(filepath.Separator)) {
				t.Errorf("%s below %s: %v, %v", path, o.TempDir, info, missing)
			}
		}
		return err
	}
	store.run(t, o)
	if left, err := os.ReadDir(o.TempDir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
