package clickhouse

import (
	"context"
	"fmt"
	"testing"

	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// BenchmarkImport imports orders that each have a line and a touchpoint. It measures an import into ClickHouse, the
// first read of the whole workspace on another node, and an import into DuckDB without ClickHouse.
func BenchmarkImport(b *testing.B) {
	const orders = 200_000
	rows := someOrders("a", orders, 1000)
	importInto := func(b *testing.B, e warehouse.Engine) {
		b.Helper()
		in, err := warehouse.New(e).Begin(b.Context(), warehouse.ImportSpec{Workspace: "shop", Source: "test", Base: "USD"})
		if err != nil {
			b.Fatal(err)
		}
		if err := in.Add(b.Context(), &rows); err != nil {
			b.Fatal(err)
		}
		if _, err := in.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	rate := func(b *testing.B) {
		b.Helper()
		b.ReportMetric(orders*float64(b.N)/b.Elapsed().Seconds(), "orders/s")
	}
	b.Run("clickhouse", func(b *testing.B) {
		for b.Loop() {
			importInto(b, node(b, newStore(), clock))
		}
		rate(b)
	})
	b.Run("first question of another node", func(b *testing.B) {
		store := newStore()
		importInto(b, node(b, store, clock))
		for b.Loop() {
			if err := node(b, store, clock).Try(b.Context(), "shop"); err != nil {
				b.Fatal(err)
			}
		}
		rate(b)
	})
	b.Run("duckdb", func(b *testing.B) {
		for b.Loop() {
			e, err := duckdb.Open(b.Context(), duckdb.Options{Dir: b.TempDir(), Clock: clock, Threads: 2})
			if err != nil {
				b.Fatal(err)
			}
			importInto(b, e)
			if err := e.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
		rate(b)
	})
}

// BenchmarkSmallImport imports 20 orders into a workspace with 50,000.
func BenchmarkSmallImport(b *testing.B) {
	e := node(b, newStore(), clock)
	n := 0
	add := func(orders int) {
		n++
		rows := someOrders(fmt.Sprint("n", n), orders, 1000)
		in, err := warehouse.New(e).Begin(b.Context(), warehouse.ImportSpec{Workspace: "shop", Source: "test", Base: "USD", Feed: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := in.Add(b.Context(), &rows); err != nil {
			b.Fatal(err)
		}
		if _, err := in.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	add(50_000)
	for b.Loop() {
		add(20)
	}
}
