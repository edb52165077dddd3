package ingest_test

import (
	"context"
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

// An export in Parquet, imported again through the readers of its tables, gives the facts that an export in CSV gives.
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
		for _, table := range []string{"fx_rates", "products"} {
			file, err := ingest.FileAt(filepath.Join(dir, table+"."+string(format)))
			if err != nil {
				t.Fatal(err)
			}
			o := store.options(file)
			o.Parquet, o.Source = duckdb.ParquetToCSV, table
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

func TestBrokenParquetIsRefused(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "UTC")
	for _, content := range []string{"PAR1", "PAR1 and then nothing", "PAR1" + strings.Repeat("\x00", 1000) + "PAR1"} {
		o := store.options(text("x.parquet", content))
		for _, convert := range []func(context.Context, string, string) error{duckdb.ParquetToCSV, nil} {
			o.Parquet = convert
			if _, err := ingest.Run(t.Context(), store, o); fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), `"x.parquet"`) {
				t.Errorf("%q: %v", content[:4], err)
			}
		}
	}
}
