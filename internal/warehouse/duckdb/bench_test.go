package duckdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// benchOrders returns the number of orders of the benchmarks: ASSAY_BENCH_ORDERS, or a small number for a quick run.
func benchOrders(b *testing.B) int {
	b.Helper()
	text := os.Getenv("ASSAY_BENCH_ORDERS")
	if text == "" {
		return 200_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

var benchDays = civil.Range{First: civil.New(2024, 1, 1), Last: civil.New(2025, 12, 31)}

// benchBatch fills a batch with orders. Their numbers begin at the parameter from. They are sorted by time, as in an
// export.
func benchBatch(rows []warehouse.Order, from, all int) []warehouse.Order {
	channels := []measure.Channel{"google", "facebook", "email", "direct", "tiktok", "amazon", "", "affiliate"}
	regions := []string{"CA", "NY", "TX", "FL", "WA"}
	start, span := benchDays.First.UTC(), time.Duration(benchDays.Days())*24*time.Hour
	for i := range rows {
		n := from + i
		at := start.Add(span / time.Duration(all) * time.Duration(n))
		mixed := uint64(n) * 0x9E3779B97F4A7C15 >> 20
		rows[i] = warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "shopify", Key: strconv.Itoa(5_000_000_000 + n)}, Name: "#" + strconv.Itoa(n),
			At: at, Day: civil.DayOf(at, time.UTC), Surface: measure.Surfaces()[mixed%5],
			Customer: "c" + strconv.FormatUint(mixed%uint64(all/3+1), 16), Channel: channels[mixed>>3%8],
			Charged: int64(mixed>>5%20_000) + 500, Tax: int64(mixed >> 5 % 1500), Shipping: 495, Discounts: int64(mixed >> 9 % 900),
			Original: money.Amount{Minor: int64(mixed>>5%20_000) + 500, Currency: "USD"}, Status: "paid", Country: "US",
			Region: regions[mixed>>7%5], Units: int64(mixed%4) + 1, UpdatedAt: at,
		}
	}
	return rows
}

// importOrders imports n orders in batches of 5,000.
func importOrders(b *testing.B, w *warehouse.Warehouse, ws measure.WorkspaceID, n int) warehouse.Outcome {
	b.Helper()
	in, err := w.Begin(b.Context(), warehouse.ImportSpec{Workspace: ws})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Abort()
	rows := make([]warehouse.Order, 5000)
	for from := 0; from < n; from += len(rows) {
		part := benchBatch(rows[:min(len(rows), n-from)], from, n)
		if err := in.Add(b.Context(), &warehouse.Batch{Orders: part}); err != nil {
			b.Fatal(err)
		}
	}
	out, err := in.Commit(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// BenchmarkImport measures a first import, including roll-ups and commit. For comparison, it measures the time that
// DuckDB's own CSV reader needs to load the same orders into a table.
func BenchmarkImport(b *testing.B) {
	n := benchOrders(b)
	b.Run("import", func(b *testing.B) {
		for range b.N {
			importOrders(b, warehouse.New(open(b, Options{})), "shop", n)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "orders/s")
	})
	b.Run("read_csv", func(b *testing.B) {
		e := open(b, Options{})
		importOrders(b, warehouse.New(e), "shop", n)
		file := filepath.Join(e.options.Dir, "orders.csv")
		benchExec(b, e, "COPY {{orders}} TO "+quoted(file))
		b.ResetTimer()
		for range b.N {
			benchExec(b, e, fmt.Sprintf("CREATE OR REPLACE TABLE {{read_copy}} AS SELECT * FROM read_csv(%s)", quoted(file)))
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "orders/s")
	})
}

func benchExec(b *testing.B, e *Engine, text string) {
	b.Helper()
	w, release, err := e.acquire(b.Context(), "shop")
	if err != nil {
		b.Fatal(err)
	}
	defer release()
	if _, err := w.instance.db.ExecContext(b.Context(), w.text(text)); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTotals measures the queries of a typical first call, over 30 days. For comparison, it measures handwritten
// statements with a constant period on the same roll-ups.
func BenchmarkTotals(b *testing.B) {
	e := open(b, Options{})
	w := warehouse.New(e)
	importOrders(b, w, "shop", benchOrders(b))
	days := civil.Range{First: benchDays.Last.AddDays(-29), Last: benchDays.Last}
	in := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	b.Run("StoreTotals", func(b *testing.B) {
		for range b.N {
			if _, err := w.StoreTotals(b.Context(), "shop", in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ChannelTotals", func(b *testing.B) {
		for range b.N {
			if _, err := w.ChannelTotals(b.Context(), "shop", measure.LastTouch, in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("StoreDays", func(b *testing.B) {
		for range b.N {
			if _, err := w.StoreDays(b.Context(), "shop", days); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("raw orders by channel", func(b *testing.B) {
		text := fmt.Sprintf(`SELECT channel, count(*), sum(charged), sum(tax), sum(shipping), sum(discounts), sum(units) FROM {{orders}}
WHERE NOT cancelled AND NOT test AND day BETWEEN '%s' AND '%s' GROUP BY channel ORDER BY channel`, days.First, days.Last)
		for range b.N {
			benchRead(b, e, text)
		}
	})
	b.Run("roll-up by channel, one window", func(b *testing.B) {
		text := fmt.Sprintf(`SELECT channel, sum(orders), sum(charged), sum(tax), sum(shipping), sum(discounts), sum(refunds), sum(undated), sum(new_orders), sum(units)
FROM {{credit_days}} WHERE model = 'last_touch' AND day BETWEEN '%s' AND '%s' GROUP BY channel ORDER BY channel`, days.First, days.Last)
		for range b.N {
			benchRead(b, e, text)
		}
	})
}

func benchRead(b *testing.B, e *Engine, text string) {
	b.Helper()
	s := warehouse.Statement{Name: "bench", Text: warehouse.Render(Dialect{}, "shop", text)}
	err := e.Select(context.Background(), "shop", s, func(warehouse.Row) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRepetition measures the import of existing rows and of one new order into a large store.
func BenchmarkRepetition(b *testing.B) {
	n := benchOrders(b)
	w := warehouse.New(open(b, Options{}))
	before := importOrders(b, w, "shop", n).Version
	b.Run("the same file again", func(b *testing.B) {
		for range b.N {
			if out := importOrders(b, w, "shop", n); out.Version != before {
				b.Fatalf("something changed: %+v", out)
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "orders/s")
	})
	b.Run("one more order", func(b *testing.B) {
		for i := range b.N {
			importOne(b, w, n+i)
		}
	})
}

func importOne(b *testing.B, w *warehouse.Warehouse, number int) {
	b.Helper()
	in, err := w.Begin(b.Context(), warehouse.ImportSpec{Workspace: "shop"})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Abort()
	order := benchBatch(make([]warehouse.Order, 1), number, number+1)
	if err := in.Add(b.Context(), &warehouse.Batch{Orders: order}); err != nil {
		b.Fatal(err)
	}
	if _, err := in.Commit(b.Context()); err != nil {
		b.Fatal(err)
	}
}
