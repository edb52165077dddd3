// Package storetest opens a real store in a temporary folder and fills it with a small shop. The shop is small enough
// to compute its figures by hand.
package storetest

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
	"assay/internal/warehouse/clickhouse"
	"assay/internal/warehouse/duckdb"
)

// The shop's days and clock. At the clock's time, the last day has not ended in New York, but the next day has begun in
// UTC.
var (
	Now   = time.Date(2026, 3, 11, 2, 0, 0, 0, time.UTC)
	Today = civil.MustParse("2026-03-10")
	First = Today.AddDays(-59)
)

// Zone is the shop's time zone.
const Zone = "America/New_York"

// Clock returns [Now].
func Clock() time.Time { return Now }

// Open opens an empty store.
func Open(t testing.TB) *warehouse.Warehouse {
	t.Helper()
	return OpenAt(t, Clock)
}

// OpenAt opens an empty store with another clock. If ASSAY_TEST_CLICKHOUSE is set, the store is a database in
// ClickHouse with two nodes. One node imports. The other node answers from the facts that it reads in ClickHouse.
func OpenAt(t testing.TB, clock func() time.Time) *warehouse.Warehouse {
	t.Helper()
	if Servers() == "" {
		engine, err := duckdb.Open(t.Context(), local(t, clock))
		if err != nil {
			t.Fatal(err)
		}
		closeAfter(t, engine)
		return warehouse.New(engine)
	}
	address, err := url.Parse(Servers())
	if err != nil {
		t.Fatal(err)
	}
	address.Path = fmt.Sprintf("/test_%d_%d", os.Getpid(), databases.Add(1))
	node := func() *clickhouse.Engine {
		engine, err := clickhouse.Open(t.Context(), clickhouse.Options{URL: address.String(), Fresh: -1, Local: local(t, clock)})
		if err != nil {
			t.Fatal(err)
		}
		closeAfter(t, engine)
		return engine
	}
	return warehouse.New(nodes{Engine: node(), importer: node()})
}

// Servers returns the URL of the ClickHouse servers that test/cluster/up has started, or "" if there are none.
func Servers() string { return os.Getenv("ASSAY_TEST_CLICKHOUSE") }

// databases is the number of databases in ClickHouse that this process has created.
var databases atomic.Int64

// nodes are two nodes with the same facts. The embedded node answers queries, and the other node imports.
type nodes struct {
	*clickhouse.Engine
	importer *clickhouse.Engine
}

// Begin starts an import on the other node.
func (n nodes) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	return n.importer.Begin(ctx, spec)
}

func local(t testing.TB, clock func() time.Time) duckdb.Options {
	t.Helper()
	return duckdb.Options{Dir: t.TempDir(), Clock: clock, Threads: 2, Log: slog.New(slog.DiscardHandler)}
}

func closeAfter(t testing.TB, engine interface {
	Close(ctx context.Context) error
},
) {
	t.Helper()
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// Load imports a batch. Each file name is imported only once, so batches of a workspace need different names.
func Load(t testing.TB, w *warehouse.Warehouse, ws measure.WorkspaceID, file string, b *warehouse.Batch) {
	t.Helper()
	i, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: ws, Source: "test", File: file, FileHash: file, Base: "USD"})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Abort()
	if err := i.Add(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Shop returns 60 days of a shop in California and New York. Each day has an order of USD 100.00 after a click on a
// facebook ad and an order of USD 50.00 without a channel. Each customer orders every ten days. Facebook spend is USD
// 20.00 per day in each of the two regions, through two days before today.
func Shop() *warehouse.Batch {
	b := &warehouse.Batch{}
	for n := range Today.Sub(First) + 1 {
		day := First.AddDays(n)
		for i, charged := range []int64{10000, 5000} {
			region := []string{"CA", "NY"}[i]
			ref := warehouse.OrderRef{Source: "shop", Key: fmt.Sprintf("%s-%d", day, i)}
			at := day.UTC().Add(17 * time.Hour)
			b.Orders = append(b.Orders, warehouse.Order{
				OrderRef: ref, Name: "#" + ref.Key, At: at, Day: day, Surface: measure.OnlineStore, Customer: fmt.Sprintf("c%d-%d", i, n%10), Charged: charged,
				Original: money.Amount{Minor: charged, Currency: "USD"}, Status: "paid", Country: "US", Region: region, Units: 1,
			})
			if i == 0 {
				b.Touches = append(b.Touches, warehouse.Touch{
					OrderRef: ref, Seq: 1, At: at.Add(-time.Hour), Channel: "facebook", Platform: measure.Facebook, Campaign: "f", Kind: "click",
				})
			}
			if day.After(Today.AddDays(-2)) {
				continue
			}
			b.AdDays = append(b.AdDays, warehouse.AdDay{
				Source: "facebook_ads", Platform: measure.Facebook, Account: "a", Channel: "facebook", Day: day, CampaignID: "f", AdSetID: "s", AdID: "1",
				Country: "US", Region: region, Spend: 2000, Original: money.Amount{Minor: 2000, Currency: "USD"},
			})
		}
	}
	return b
}
