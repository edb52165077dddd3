package singer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/internal/ingest/singer"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// nowhere accepts rows and discards them.
type nowhere struct{}

func (nowhere) Begin(context.Context, warehouse.ImportSpec) (warehouse.Import, error) {
	return nowhere{}, nil
}

func (nowhere) FXRates(context.Context, measure.WorkspaceID) ([]warehouse.FXRate, error) {
	return nil, nil
}
func (nowhere) Add(context.Context, *warehouse.Batch) error { return nil }
func (nowhere) Replace(...warehouse.AdWindow)               {}
func (nowhere) Commit(context.Context) (warehouse.Outcome, error) {
	return warehouse.Outcome{}, nil
}
func (nowhere) Abort() {}

const benchRecords = 200_000

// adMessages returns the Singer messages of a year of Meta ad reports, with a STATE message after every 10,000 records.
func adMessages() string {
	var all strings.Builder
	all.WriteString(metaSchema + "\n")
	for i := range benchRecords {
		row := strings.Replace(metaRow, `"1203"`, fmt.Sprintf(`"%d"`, i%600), 1)
		day := i / 600
		row = strings.ReplaceAll(row, "2026-11-18", fmt.Sprintf("2026-%02d-%02d", day/28%12+1, day%28+1))
		all.WriteString(row + "\n")
		if i%10_000 == 0 {
			all.WriteString(state + "\n")
		}
	}
	return all.String()
}

func orderMessages() string {
	var all strings.Builder
	all.WriteString(restSchema + "\n")
	for i := range benchRecords {
		row := strings.Replace(restOrder, `"id":5001`, fmt.Sprintf(`"id":%d`, 10_000_000+i), 1)
		all.WriteString(strings.Replace(row, "2026-11-18", fmt.Sprintf("2026-%02d-%02d", i*12/benchRecords+1, i*336/benchRecords%28+1), 1) + "\n")
	}
	return all.String() + state
}

func measured(b *testing.B, messages string, store singer.Store) {
	b.Helper()
	o := (&bench{workspace: newWorkspace()}).options()
	b.SetBytes(int64(len(messages)))
	b.ReportAllocs()
	for b.Loop() {
		report, err := singer.Run(b.Context(), store, strings.NewReader(messages), o)
		if err != nil || report.Records != benchRecords {
			b.Fatalf("%d records, %v", report.Records, err)
		}
	}
	b.ReportMetric(benchRecords*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// The benchmarks measure the reading of messages without a store and with a store.
func BenchmarkAds(b *testing.B)          { measured(b, adMessages(), nowhere{}) }
func BenchmarkOrders(b *testing.B)       { measured(b, orderMessages(), nowhere{}) }
func BenchmarkAdsStored(b *testing.B)    { measured(b, adMessages(), newBench(b)) }
func BenchmarkOrdersStored(b *testing.B) { measured(b, orderMessages(), newBench(b)) }
