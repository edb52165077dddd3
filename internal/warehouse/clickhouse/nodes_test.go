package clickhouse

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
	"assay/internal/warehouse/facts"
)

// someOrders returns orders of one day with a product line and a touchpoint each.
func someOrders(prefix string, n int, charged int64) warehouse.Batch {
	day := civil.MustParse("2026-02-10")
	var b warehouse.Batch
	for i := range n {
		ref := warehouse.OrderRef{Source: "csv", Key: fmt.Sprintf("%s-%06d", prefix, i)}
		at := day.UTC().Add(time.Duration(i) * time.Second)
		b.Orders = append(b.Orders, warehouse.Order{
			OrderRef: ref, Name: "#" + ref.Key, At: at, Day: day, Surface: measure.OnlineStore, Customer: fmt.Sprintf("c%d", i%1000),
			Charged: charged, Original: money.Amount{Minor: charged, Currency: "USD"}, Status: "paid", Country: "US", Region: "CA", Units: 1,
		})
		b.Lines = append(b.Lines, warehouse.OrderLine{OrderRef: ref, Line: 1, SKU: "sku", Quantity: 1, Net: charged})
		b.Touches = append(b.Touches, warehouse.Touch{OrderRef: ref, Seq: 1, At: at.Add(-time.Hour), Channel: "facebook", Kind: "click"})
	}
	return b
}

func load(t *testing.T, e *Engine, batches ...warehouse.Batch) (warehouse.Outcome, error) {
	t.Helper()
	in, err := warehouse.New(e).Begin(t.Context(), warehouse.ImportSpec{Workspace: "shop", Source: "test", Base: "USD"})
	if err != nil {
		return warehouse.Outcome{}, err
	}
	defer in.Abort()
	for i := range batches {
		if err := in.Add(t.Context(), &batches[i]); err != nil {
			return warehouse.Outcome{}, err
		}
	}
	return in.Commit(t.Context())
}

func mustLoad(t *testing.T, e *Engine, batches ...warehouse.Batch) warehouse.Outcome {
	t.Helper()
	out, err := load(t, e, batches...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wantSame compares the tables of all nodes by day, and the nodes' data versions.
func wantSame(t *testing.T, what string, nodes ...*Engine) {
	t.Helper()
	var first warehouse.Snapshot
	for i, e := range nodes {
		s, err := e.Snapshot(t.Context(), "shop", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		s.Path = ""
		if i == 0 {
			first = s
			continue
		}
		if diff := cmp.Diff(first, s); diff != "" {
			t.Errorf("%s: node %d differs from the first (-first +this):\n%s", what, i, diff)
		}
	}
}

func wantOrders(t *testing.T, e *Engine, want int64) {
	t.Helper()
	totals, err := warehouse.New(e).StoreTotals(t.Context(), "shop", warehouse.Windows{Recent: civil.Range{First: civil.MustParse("2026-02-01"), Last: civil.MustParse("2026-02-28")}})
	if err != nil {
		t.Fatal(err)
	}
	if got := totals.Recent.Orders / measure.Millionths; got != want {
		t.Errorf("%d orders, want %d", got, want)
	}
}

func TestNodesSeeEachOthersImports(t *testing.T) {
	t.Parallel()
	store := newStore()
	a, b := node(t, store, clock), node(t, store, clock)
	mustLoad(t, a, someOrders("a", 300, 1000))
	wantOrders(t, b, 300)
	wantSame(t, "after the first import", a, b)
	mustLoad(t, b, someOrders("b", 20, 500))
	wantOrders(t, a, 320)
	changed := someOrders("a", 10, 1500) // changed orders are removed and added
	for i := range changed.Orders {
		changed.Orders[i].UpdatedAt = clock()
	}
	out := mustLoad(t, a, changed)
	if out.Tables["orders"].Updated != 10 {
		t.Errorf("outcome %+v, want ten updated orders", out.Tables)
	}
	mustLoad(t, a, warehouse.Batch{Ties: []warehouse.CustomerTie{{Source: "csv", KnownAs: "c5", Customer: "c6"}}}) // updates orders in place
	if _, err := warehouse.New(b).Forget(t.Context(), "shop", "USD", "c7"); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "after changes", a, b, node(t, store, clock))
}

// A copy of a large workspace takes longer than a call may wait. The copying continues after the call, so a later call is
// answered.
func TestACopyContinuesAfterTheCallThatStartedIt(t *testing.T) {
	t.Parallel()
	store := newStore()
	a, b := node(t, store, clock), node(t, store, clock)
	mustLoad(t, a, someOrders("a", 300, 1000))
	var copies atomic.Int64
	asked, release := make(chan struct{}), make(chan struct{})
	b.beforeApply = func() {
		if copies.Add(1) == 1 {
			close(asked)
		}
		<-release
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := make(chan error, 2)
	go func() {
		_, err := b.Version(ctx, "shop")
		calls <- err
	}()
	<-asked
	cancel()
	if err := <-calls; fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("the first call ended with %v, want a fault of kind unavailable", err)
	}
	go func() {
		_, err := b.Version(t.Context(), "shop")
		calls <- err
	}()
	close(release)
	if err := <-calls; err != nil {
		t.Fatal(err)
	}
	wantOrders(t, b, 300)
	if n := copies.Load(); n != 1 {
		t.Errorf("the facts were copied %d times", n)
	}
}

// An update ends when its engine is closed.
func TestClosingAnEngineEndsItsUpdates(t *testing.T) {
	t.Parallel()
	store := newStore()
	a, b := node(t, store, clock), node(t, store, clock)
	mustLoad(t, a, someOrders("a", 30, 1000))
	asked := make(chan struct{})
	b.beforeApply = func() {
		close(asked)
		<-b.open.Done()
	}
	call := make(chan error, 1)
	go func() {
		_, err := b.Version(t.Context(), "shop")
		call <- err
	}()
	<-asked
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-call; err == nil {
		t.Error("the call was answered by a closed engine")
	}
	if _, err := b.Version(t.Context(), "shop"); err == nil {
		t.Error("a closed engine answered")
	}
}

func TestADeletedWorkspaceIsEmptyOnAllNodes(t *testing.T) {
	t.Parallel()
	store := newStore()
	a, b := node(t, store, clock), node(t, store, clock)
	mustLoad(t, a, someOrders("a", 30, 1000))
	wantOrders(t, b, 30)
	if err := a.Drop(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	wantOrders(t, a, 0)
	wantOrders(t, b, 0)
	mustLoad(t, b, someOrders("a", 7, 1000))
	wantOrders(t, a, 7)
	wantSame(t, "after the workspace was created again", a, b, node(t, store, clock))
}

func TestOfTwoImportsAtTheSameTimeOneIsRejected(t *testing.T) {
	t.Parallel()
	store := newStore()
	a, b := node(t, store, clock), node(t, store, clock)
	mustLoad(t, a, someOrders("a", 30, 1000))
	in, err := warehouse.New(b).Begin(t.Context(), warehouse.ImportSpec{Workspace: "shop", Base: "USD"})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	mustLoad(t, a, someOrders("first", 10, 1000)) // without a lock that both nodes respect
	orders := someOrders("second", 5, 1000)
	if err := in.Add(t.Context(), &orders); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Commit(t.Context()); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("the second import ended with %v, want a conflict", err)
	}
	wantOrders(t, b, 40)
	wantSame(t, "after the conflict", a, b)
}

func TestACommitContinuesAfterTheCallThatStartedIt(t *testing.T) {
	t.Parallel()
	for _, hook := range []string{"before the commit", "after the commit"} {
		t.Run(hook, func(t *testing.T) {
			t.Parallel()
			e := node(t, newStore(), clock)
			ctx, cancel := context.WithCancel(t.Context())
			if hook == "before the commit" {
				e.beforeCommit = cancel
			} else {
				e.afterCommit = cancel
			}
			in, err := warehouse.New(e).Begin(ctx, warehouse.ImportSpec{Workspace: "shop", Source: "test", Base: "USD"})
			if err != nil {
				t.Fatal(err)
			}
			defer in.Abort()
			b := someOrders("a", 10, 1000)
			if err := in.Add(ctx, &b); err != nil {
				t.Fatal(err)
			}
			if _, err := in.Commit(ctx); err != nil {
				t.Errorf("an import canceled %s: %v", hook, err)
			}
			wantOrders(t, e, 10)
		})
	}
}

func TestACopyIsCreatedFromTheLastBase(t *testing.T) {
	t.Parallel()
	store := newStore()
	a := node(t, store, clock)
	mustLoad(t, a, someOrders("a", 5, 1000))
	b := node(t, store, clock)
	wantOrders(t, b, 5)
	for i := range 3 {
		mustLoad(t, a, someOrders(fmt.Sprint("more", i), 20_000, 1000))
	}
	all, err := a.store.commits(t.Context(), "shop", 0)
	if err != nil {
		t.Fatal(err)
	}
	var bases int
	for _, c := range all {
		if c.base {
			bases++
		}
	}
	if bases < 1 || len(all) > 3 || !all[0].base {
		t.Errorf("commits %+v, want those from a later base on", all)
	}
	wantOrders(t, b, 60_005)
	wantSame(t, "after a base", a, b, node(t, store, clock))
}

// The facts of an earlier release are read, rebuilt once and then stored with the schema of this release. A node with the
// earlier release stops at the first commit of a later release.
func TestFactsOfAnEarlierReleaseAreUpgraded(t *testing.T) {
	t.Parallel()
	const added = "goods_days" // the table that the latest migration adds
	store := newStore()
	a := node(t, store, clock)
	mustLoad(t, a, someOrders("a", 300, 1000))
	before, err := a.store.commits(t.Context(), "shop", 0)
	if err != nil {
		t.Fatal(err)
	}
	last := before.last()
	earlier := before.next(1, last.schema-1)
	earlier.base = true
	err = a.Publish(t.Context(), "shop", func(ctx context.Context, ws measure.WorkspaceID, changes *duckdb.Changes) (duckdb.Place, error) {
		for _, table := range changes.Tables() {
			if table.Name == added {
				continue
			}
			err := changes.Each(ctx, table, func(sign int8, rows *facts.Columnar) error {
				return a.store.write(ctx, ws, &earlier, table, sign, rows)
			})
			if err != nil {
				return duckdb.Place{}, err
			}
		}
		return last.place(), a.store.commit(ctx, ws, earlier)
	})
	if err != nil {
		t.Fatal(err)
	}
	b := node(t, store, clock)
	wantOrders(t, b, 300)
	february := civil.Range{First: civil.MustParse("2026-02-01"), Last: civil.MustParse("2026-02-28")}
	goods := func(e *Engine) int {
		found, err := warehouse.New(e).GoodsDays(t.Context(), "shop", february)
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if goods(b) == 0 {
		t.Error("the migration does not run")
	}
	mustLoad(t, b, someOrders("c", 5, 1000))
	after, err := b.store.commits(t.Context(), "shop", 0)
	if err != nil {
		t.Fatal(err)
	}
	if now := after.last(); now.schema != last.schema || !now.base {
		t.Errorf("the commit after the update has schema %d and base %t, want %d and true", now.schema, now.base, last.schema)
	}
	if goods(a) == 0 || goods(b) == 0 {
		t.Error("product sales are absent after the update")
	}
	wantOrders(t, a, 305)
	mustLoad(t, a, someOrders("b", 5, 1000))
	wantSame(t, "after the update", a, b, node(t, store, clock))

	after, err = a.store.commits(t.Context(), "shop", 0)
	if err != nil {
		t.Fatal(err)
	}
	later := after.next(1, last.schema+1)
	if err := a.store.commit(t.Context(), "shop", later); err != nil {
		t.Fatal(err)
	}
	if err := node(t, store, clock).Try(t.Context(), "shop"); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("a node reads the facts of a later release: %v", err)
	}
}

func TestAForgottenCustomerLeavesClickHouse(t *testing.T) {
	t.Parallel()
	store := newStore()
	e := node(t, store, clock)
	mustLoad(t, e, someOrders("a", 300, 1000)) // each customer has one order
	if _, err := warehouse.New(e).Forget(t.Context(), "shop", "USD", "c7"); err != nil {
		t.Fatal(err)
	}
	all, err := e.store.commits(t.Context(), "shop", 0)
	if err != nil {
		t.Fatal(err)
	}
	if !all.last().base {
		t.Errorf("commits %+v, want a base at the end", all)
	}
	wantOrders(t, node(t, store, clock), 300)
	left := fmt.Sprintf("SELECT count() FROM %s.%s WHERE workspace = ? AND customer = 'c7'",
		e.store.database, e.store.table(facts.OrdersTable.Stored, all.last().schema))
	n := uint64(1)
	for tries := 0; n > 0 && tries < 200; tries++ { // ClickHouse deletes rows in the background
		time.Sleep(50 * time.Millisecond)
		if err := e.store.conn.QueryRow(t.Context(), left, e.store.prefix+"shop").Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	if n > 0 {
		t.Errorf("%d rows of the customer remain in ClickHouse", n)
	}
}
