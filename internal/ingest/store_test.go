package ingest_test

import (
	"compress/gzip"
	"context"
	"io"
	"os"
	"testing"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/ingest"
	"assay/internal/ingest/ingesttest"
	"assay/internal/ingest/mapper"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

const shop = ingesttest.Shop

var (
	text      = ingesttest.Text
	workspace = ingesttest.Workspace
	clock     = ingesttest.Clock
)

// bench contains a store for imports.
type bench struct {
	*warehouse.Warehouse
	workspace control.Workspace
}

func newBench(t testing.TB, currency money.Currency, zone string) bench {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: clock, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return bench{warehouse.New(engine), workspace(currency, zone)}
}

func mappingAt(t testing.TB, path string) *mapper.Mapping {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mapper.Parse(content)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

func gunzip(t testing.TB, packed io.Reader) io.Reader {
	t.Helper()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func (b bench) options(files ...ingest.File) ingest.Options {
	return ingesttest.Options(b.workspace, files...)
}

// run imports files that must be accepted.
func (b bench) run(t testing.TB, o ingest.Options) ingest.Report {
	t.Helper()
	report, err := ingest.Run(t.Context(), b, o)
	if err != nil {
		t.Fatalf("import: %v\n%s", err, report.Text())
	}
	return report
}

// shared returns a file of the reference data, or skips the test if the file does not exist.
func shared(t testing.TB, path string) ingest.File {
	t.Helper()
	f, err := ingest.FileAt("../../../shared/data/commerce/" + path)
	if os.IsNotExist(err) {
		t.Skipf("the reference data %s is not there", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (b bench) sums(t testing.TB, first, last string) measure.Sums {
	t.Helper()
	days := civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
	totals, err := b.StoreTotals(t.Context(), shop, warehouse.Windows{Recent: days})
	if err != nil {
		t.Fatal(err)
	}
	return totals.Recent
}
