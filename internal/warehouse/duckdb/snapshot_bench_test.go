package duckdb

import (
	"os"
	"testing"

	"assay/internal/warehouse"
)

// BenchmarkSnapshot measures a snapshot of a store and reports the sizes of the file and of the copy.
func BenchmarkSnapshot(b *testing.B) {
	e := open(b, Options{})
	w := warehouse.New(e)
	importOrders(b, w, "shop", benchOrders(b))
	if _, err := e.instance.db.ExecContext(b.Context(), "CHECKPOINT "+identifier(catalog("shop"))); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := e.Snapshot(b.Context(), "shop", b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		from, err := os.Stat(e.path("shop"))
		if err != nil {
			b.Fatal(err)
		}
		to, err := os.Stat(s.Path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(from.Size())/1e6, "store-MB")
		b.ReportMetric(float64(to.Size())/1e6, "copy-MB")
	}
}
