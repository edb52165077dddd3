package duckdb

import (
	"fmt"
	"strconv"
	"syscall"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// BenchmarkStored measures the processor time per row of imports of 10,000 and 100,000 rows, as from Singer taps. The
// rows are ad reports, and orders with a line, a coupon, a refund and a touchpoint.
func BenchmarkStored(b *testing.B) {
	for _, kind := range []struct {
		name  string
		batch func(from, n, all int) warehouse.Batch
	}{{"ads", benchAds}, {"orders", benchSales}} {
		for _, at := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("%s by %d", kind.name, at), func(b *testing.B) {
				n := benchOrders(b)
				var spent time.Duration
				for b.Loop() {
					w := warehouse.New(open(b, Options{}))
					before := processorTime(b)
					for from := 0; from < n; from += at {
						in, err := w.Begin(b.Context(), warehouse.ImportSpec{Workspace: "shop", Source: "meta", Feed: true})
						if err != nil {
							b.Fatal(err)
						}
						rows := kind.batch(from, min(at, n-from), n)
						if err := in.Add(b.Context(), &rows); err != nil {
							b.Fatal(err)
						}
						if _, err := in.Commit(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
					spent += processorTime(b) - before
				}
				b.ReportMetric(float64(spent.Nanoseconds())/1000/float64(n)/float64(b.N), "cpu-us/row")
			})
		}
	}
}

// processorTime returns the process's user and system time so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// benchAds returns rows of 600 ads per day.
func benchAds(from, n, _ int) warehouse.Batch {
	rows := make([]warehouse.AdDay, n)
	for i := range rows {
		ad, day := (from+i)%600, benchDays.First.AddDays((from+i)/600)
		rows[i] = warehouse.AdDay{
			Source: "meta", Platform: "facebook", Account: "1234567890", Channel: "facebook", Day: day,
			CampaignID: strconv.Itoa(120210000000000000 + ad/20), CampaignName: "Prospecting " + strconv.Itoa(ad/20),
			AdSetID: strconv.Itoa(120220000000000000 + ad/5), AdSetName: "Broad", AdID: strconv.Itoa(120230000000000000 + ad), AdName: "UGC " + strconv.Itoa(ad),
			Impressions: int64(5400 + ad), Clicks: 61, Spend: int64(6210 + ad), Original: money.Amount{Minor: int64(6210 + ad), Currency: "USD"},
			Conversions: 3_000_000, Value: 20_140, Attribution: "7d_click,1d_view",
		}
	}
	return warehouse.Batch{AdDays: rows}
}

// benchSales returns the orders of benchBatch, each with a line, a coupon, a refund and a touchpoint.
func benchSales(from, n, all int) warehouse.Batch {
	channels := []measure.Channel{"google", "facebook", "email", "direct"}
	batch := warehouse.Batch{Orders: benchBatch(make([]warehouse.Order, n), from, all)}
	for i := range batch.Orders {
		o := &batch.Orders[i]
		o.Channel = ""
		batch.Lines = append(batch.Lines, warehouse.OrderLine{
			OrderRef: o.OrderRef, Line: 1, SKU: "TEE-" + strconv.Itoa(i%50), Title: "Tee " + strconv.Itoa(i%50), Quantity: o.Units, Net: o.Charged - o.Tax,
		})
		batch.Coupons = append(batch.Coupons, warehouse.OrderCoupon{OrderRef: o.OrderRef, Code: "SAVE10", Discount: o.Discounts})
		batch.Refunds = append(batch.Refunds, warehouse.Refund{
			OrderRef: o.OrderRef, Refund: "31", At: o.At.Add(time.Hour), Day: civil.DayOf(o.At.Add(time.Hour), time.UTC), Amount: 200,
		})
		batch.Touches = append(batch.Touches, warehouse.Touch{
			OrderRef: o.OrderRef, Seq: 1, At: o.At.Add(-time.Hour), Channel: channels[i%4], Platform: "facebook", Campaign: "120210000000000001", Kind: "click",
		})
	}
	return batch
}
