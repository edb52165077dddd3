package ingest_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// sumStore sums rows and discards them.
type sumStore struct{ charged, spend int64 }

func (s *sumStore) Begin(context.Context, warehouse.ImportSpec) (warehouse.Import, error) {
	return s, nil
}

func (s *sumStore) Imported(context.Context, measure.WorkspaceID, string, bool) (warehouse.ImportRecord, bool, error) {
	return warehouse.ImportRecord{}, false, nil
}

func (s *sumStore) FXRates(context.Context, measure.WorkspaceID) ([]warehouse.FXRate, error) {
	return nil, nil
}

func (s *sumStore) Add(_ context.Context, b *warehouse.Batch) error {
	for _, o := range b.Orders {
		if !o.Cancelled && !o.Test && o.Original.Currency == "USD" {
			s.charged += o.Charged
		}
	}
	for _, d := range b.AdDays {
		if d.Original.Currency == "USD" {
			s.spend += d.Spend
		}
	}
	for _, c := range b.ChannelSpend {
		s.spend += c.Spend
	}
	for _, d := range b.SurfaceDays {
		s.charged += d.Charged
	}
	return nil
}

func (s *sumStore) Replace(...warehouse.AdWindow) {}

func (s *sumStore) Commit(context.Context) (warehouse.Outcome, error) {
	return warehouse.Outcome{}, nil
}

func (s *sumStore) Abort() {}

func measured(b *testing.B, o ingest.Options, f ingest.File, rows int) {
	b.Helper()
	o.Files = []ingest.File{f}
	b.SetBytes(f.Size)
	b.ReportAllocs()
	for b.Loop() {
		report, err := ingest.Run(b.Context(), &sumStore{}, o)
		if err != nil || report.Files[0].Rows != rows {
			b.Fatalf("%d rows, %v", report.Files[0].Rows, err)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkOrders(b *testing.B) {
	const rows = 200_000
	var csv strings.Builder
	csv.WriteString("order_id,created_at,email,total,tax,shipping,discount,currency,country,status\n")
	for i := range rows {
		fmt.Fprintf(&csv, "%d,2026-%02d-%02d %02d:%02d:00 +0000,customer%d@example.com,%d.%02d,%d.00,4.90,0.00,USD,US,paid\n",
			100000+i, i*12/rows+1, i*336/rows%28+1, i%24, i%60, i%50_000, 20+i%80, i%100, i%9)
	}
	measured(b, bench{workspace: workspace("USD", "America/New_York")}.options(), text("orders.csv", csv.String()), rows)
}

func BenchmarkShopify(b *testing.B) {
	f := unpacked(b, shared(b, "derived_shopify_format/orders_export_2011-03_2011-05.csv.gz"))
	measured(b, bench{workspace: workspace("GBP", "Europe/London")}.options(), f, 101063)
}

func BenchmarkInvoiceLines(b *testing.B) {
	o := bench{workspace: workspace("GBP", "Europe/London")}.options()
	o.Mapping = mappingAt(b, "mapper/testdata/online_retail.yaml")
	measured(b, o, unpacked(b, shared(b, "uci_online_retail/online_retail_2010-12_2011-08.csv.gz")), 320705)
}

// unpacked excludes decompression from the measurement.
func unpacked(b *testing.B, f ingest.File) ingest.File {
	b.Helper()
	packed, err := f.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer packed.Close()
	plain := gunzip(b, packed)
	content, err := io.ReadAll(plain)
	if err != nil {
		b.Fatal(err)
	}
	return text(strings.TrimSuffix(f.Name, ".gz"), string(content))
}
