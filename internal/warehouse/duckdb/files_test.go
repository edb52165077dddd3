package duckdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// month is the period of the orders in these tests.
var month = civil.Range{First: civil.New(2026, 1, 1), Last: civil.New(2026, 1, 31)}

// someOrders returns a batch of n orders of 1.00 each on the first days of the month.
func someOrders(prefix string, n int) warehouse.Batch {
	var b warehouse.Batch
	for i := range n {
		day := month.First.AddDays(i % 28)
		b.Orders = append(b.Orders, warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "test", Key: fmt.Sprintf("%s%07d", prefix, i)}, At: day.UTC(), Day: day,
			Customer: fmt.Sprintf("%s-%x", prefix, i*7919), Name: fmt.Sprintf("#%x", i*104729), Charged: 100,
		})
	}
	return b
}

func mustImport(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, b warehouse.Batch) {
	t.Helper()
	if err := importInto(t.Context(), w, ws, b); err != nil {
		t.Fatal(err)
	}
}

func importInto(ctx context.Context, w *warehouse.Warehouse, ws measure.WorkspaceID, b warehouse.Batch) error {
	in, err := w.Begin(ctx, warehouse.ImportSpec{Workspace: ws, Source: "test"})
	if err != nil {
		return err
	}
	defer in.Abort()
	if err := in.Add(ctx, &b); err != nil {
		return err
	}
	_, err = in.Commit(ctx)
	return err
}

func mustVersion(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID) uint64 {
	t.Helper()
	version, err := w.Version(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	return version
}

// wantOrders checks that orders and roll-ups have the same number of orders.
func wantOrders(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, want int64) {
	t.Helper()
	totals, err := w.StoreTotals(t.Context(), ws, warehouse.Windows{Recent: month})
	if err != nil {
		t.Fatal(err)
	}
	coverage, err := w.Coverage(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	if got := totals.Recent.Orders / measure.Millionths; got != want || coverage.Orders != want {
		t.Errorf("%s has %d orders by its days and %d by its orders, want %d", ws, got, coverage.Orders, want)
	}
}

func TestUnusedWorkspacesAreDetachedAndAttachedAgain(t *testing.T) {
	t.Parallel()
	e := open(t, Options{MaxAttached: 2})
	w := warehouse.New(e)
	var versions [5]uint64
	for i := range 5 {
		ws := measure.WorkspaceID(fmt.Sprintf("shop-%d", i))
		mustImport(t, w, ws, someOrders("a", i+1))
		versions[i] = mustVersion(t, w, ws)
	}
	for range 2 {
		for i := range 5 {
			ws := measure.WorkspaceID(fmt.Sprintf("shop-%d", i))
			wantOrders(t, w, ws, int64(i+1))
			if got := mustVersion(t, w, ws); got != versions[i] {
				t.Errorf("version of %s is %d, want %d", ws, got, versions[i])
			}
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.instance.attached); n > 2 {
		t.Errorf("%d workspaces are attached, want at most 2", n)
	}
}

func TestWorkspacesWithoutRecentUseAreDetached(t *testing.T) {
	t.Parallel()
	e := open(t, Options{MaxAttached: 8})
	w := warehouse.New(e)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	e.now = func() time.Time { return now }
	open := func(first, last int) {
		for i := first; i <= last; i++ {
			mustImport(t, w, measure.WorkspaceID(fmt.Sprintf("shop-%d", i)), someOrders("a", 1))
		}
	}
	open(1, 4)
	now = now.Add(idleTime - time.Second)
	open(5, 5)
	if n := attachedCount(e); n != 5 {
		t.Errorf("%d workspaces are attached within the time, want 5", n)
	}
	now = now.Add(time.Second)
	wantOrders(t, w, "shop-3", 1)
	open(6, 6)
	if n := attachedCount(e); n != 3 { // shop-3, 5 and 6
		t.Errorf("%d workspaces are attached after the time, want 3", n)
	}
	open(7, 9)
	now = now.Add(2 * idleTime)
	mustVersion(t, w, "shop-7") // does not need the file
	if err := e.CloseIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := attachedCount(e); n != 2 { // a quarter remains open
		t.Errorf("%d workspaces are attached after a long time, want 2", n)
	}
	for i := range 9 {
		wantOrders(t, w, measure.WorkspaceID(fmt.Sprintf("shop-%d", i+1)), 1)
	}
}

func TestARestedWorkspaceKeepsItsVersionWithoutItsFile(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 3))
	version := mustVersion(t, w, "shop")
	if err := e.Rest(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	if got := mustVersion(t, w, "shop"); got != version {
		t.Errorf("version of a closed workspace is %d, want %d", got, version)
	}
	if n := attachedCount(e); n != 0 {
		t.Errorf("%d workspaces are attached after a rest and a question for the version, want 0", n)
	}
	wantOrders(t, w, "shop", 3)
	mustImport(t, w, "shop", someOrders("b", 1))
	if got := mustVersion(t, w, "shop"); got != version+1 {
		t.Errorf("version after another import is %d, want %d", got, version+1)
	}
}

func TestADroppedWorkspaceLeavesNoVersion(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 3))
	version := mustVersion(t, w, "shop")
	if err := e.Drop(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	if got := mustVersion(t, w, "shop"); got == version {
		t.Errorf("a new workspace has the version %d of the deleted one, so it would get the deleted one's cached answers", got)
	}
}

func TestAVersionOfBeforeAnImportDoesNotReturnAfterAFailure(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 3))
	if err := e.Rest(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	mustImport(t, w, "shop", someOrders("b", 1))
	version := mustVersion(t, w, "shop")
	e.mu.Lock()
	e.noteFatal(e.instance, errors.New("FATAL Error: database has been invalidated because of a previous fatal error"))
	e.mu.Unlock()
	mustImport(t, w, "other", someOrders("c", 1)) // on a new instance
	if got := mustVersion(t, w, "shop"); got != version {
		t.Errorf("version after the store restarted is %d, want %d", got, version)
	}
}

func TestAWorkspaceInUseDoesNotRest(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	in, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	if err := e.Rest(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	if n := attachedCount(e); n != 1 {
		t.Errorf("%d workspaces are attached during an import, want 1", n)
	}
	if err := e.Rest(t.Context(), "never-there"); err != nil {
		t.Errorf("rest of a workspace that is not open: %v", err)
	}
}

func TestAFileDamagedWhileClosedIsReported(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 3))
	if err := e.Rest(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.path("shop"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Try(t.Context(), "shop"); err == nil {
		t.Error("a damaged file opens")
	}
	if _, err := w.Version(t.Context(), "shop"); err == nil {
		t.Error("a workspace whose file is damaged has a version")
	}
}

func TestASmallStoreTakesLittleDisk(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 300))
	if err := e.Rest(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(e.path("shop"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 2<<20 {
		t.Errorf("300 orders take %d bytes, want at most 2 MiB", info.Size())
	}
}

// ending is a context that is canceled after a number of calls of Err.
type ending struct {
	context.Context
	cancel func()
	left   *atomic.Int64 // number of calls of Err before it is canceled
}

// endingAt returns a context that is canceled after a number of calls of Err. DuckDB's driver calls Err between the steps
// of a statement.
func endingAt(t *testing.T, calls int) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	e := ending{ctx, cancel, new(atomic.Int64)}
	e.left.Store(int64(calls))
	return e
}

// Err implements [context.Context].
func (c ending) Err() error {
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

func TestAWorkspaceIsUsableAfterACanceledRest(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 3))
	for calls := range 12 {
		if err := e.Rest(endingAt(t, calls), "shop"); err != nil {
			t.Errorf("canceled after %d calls of Err: %v", calls, err)
		}
		if n := attachedCount(e); n != 0 {
			t.Errorf("canceled after %d calls of Err: %d workspaces are attached, want 0", calls, n)
		}
		wantOrders(t, w, "shop", 3)
	}
}

func attachedCount(e *Engine) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.instance.attached)
}

func TestDropDeletesTheFile(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 3))
	mustImport(t, w, "other", someOrders("a", 2))
	in, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Drop(impatient, "shop"); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("drop during an import: %v, want unavailable", err)
	}
	in.Abort()
	if err := e.Drop(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(e.path("shop")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file still exists: %v", err)
	}
	wantOrders(t, w, "shop", 0)
	wantOrders(t, w, "other", 2)
	if err := e.Drop(t.Context(), "never-there"); err != nil {
		t.Errorf("drop of a workspace without a file: %v", err)
	}
}

func TestACommitOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w, release, err := e.acquire(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	s, err := e.session(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Commit(gone); err != nil {
		t.Errorf("commit for a caller that has canceled: %v", err)
	}
}

func TestVersionOfAStoreThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	if err := os.WriteFile(e.path("shop"), []byte("this is no database, but it is long enough to be taken for one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if version, err := warehouse.New(e).Version(t.Context(), "shop"); err == nil {
		t.Errorf("version is %d and no error", version)
	}
}

func TestAClosedEngineReportsIt(t *testing.T) {
	t.Parallel()
	e, err := Open(t.Context(), Options{Dir: t.TempDir(), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, asked := e.Version(t.Context(), "shop")
	for what, err := range map[string]error{"drop": e.Drop(t.Context(), "shop"), "version": asked} {
		if fault.KindOf(err) != fault.KindUnavailable {
			t.Errorf("%s after close: %v, want unavailable", what, err)
		}
	}
}

func TestOpeningAFileDelaysItsOwnWorkspaceOnly(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	e.mu.Lock()
	done := e.move(e.instance, "slow")
	e.mu.Unlock()
	mustImport(t, w, "quick", someOrders("a", 2))
	wantOrders(t, w, "quick", 2)
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Version(impatient, "slow"); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("a workspace that is being opened: %v, want unavailable", err)
	}
	e.mu.Lock()
	done()
	e.mu.Unlock()
	wantOrders(t, w, "slow", 0)
}

func TestManyWorkspacesComeAndGoAtOnce(t *testing.T) {
	t.Parallel()
	e := open(t, Options{MaxAttached: 2})
	w := warehouse.New(e)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 4 {
				ws := measure.WorkspaceID(fmt.Sprintf("shop-%d", (worker+i)%4))
				if err := importInto(t.Context(), w, ws, someOrders(fmt.Sprintf("%d-%d-", worker, i), 1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for i := range 4 {
		wantOrders(t, w, measure.WorkspaceID(fmt.Sprintf("shop-%d", i)), 8)
	}
	wantOrders(t, w, "another", 0)
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.instance.attached); n > 2 {
		t.Errorf("%d workspaces are attached, want at most 2", n)
	}
}

func TestHeavyQuestionsRunOneAtATime(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 2))
	e.pools.heavy <- struct{}{}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Coverage(impatient, "shop"); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("coverage while the heavy pool is full: %v, want unavailable", err)
	}
	if _, err := w.StoreTotals(t.Context(), "shop", warehouse.Windows{Recent: month}); err != nil {
		t.Errorf("totals while the heavy pool is full: %v", err)
	}
	<-e.pools.heavy
	wantOrders(t, w, "shop", 2)
}

// snapshotOf writes a snapshot and returns it with a warehouse that has opened it as the workspace "copy".
func snapshotOf(t *testing.T, e *Engine, ws measure.WorkspaceID) (warehouse.Snapshot, *Engine) {
	t.Helper()
	dir := t.TempDir()
	s, err := e.Snapshot(t.Context(), ws, dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := FileTotals(t.Context(), s.Path); err != nil || !warehouse.EqualTotals(got, s.Tables) {
		t.Errorf("totals of the copy: %v, %v; want %v", got, err, s.Tables)
	}
	if err := os.Rename(s.Path, filepath.Join(dir, "copy.duckdb")); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(e.options.Dir, stagingFolder)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return s, open(t, Options{Dir: dir})
}

func TestASnapshotDuringAnImportHasTheStateBeforeIt(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 500))
	running, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	defer running.Abort()
	b := someOrders("b", 3000)
	if err := running.Add(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	s, copied := snapshotOf(t, e, "shop")
	if _, err := running.Commit(t.Context()); err != nil {
		t.Fatalf("the import during the snapshot: %v", err)
	}
	wantOrders(t, warehouse.New(copied), "copy", 500)
	wantOrders(t, w, "shop", 3500)
	later, err := e.State(t.Context(), "shop")
	if err != nil || later == s.State {
		t.Errorf("the state is %v before and %v after an import, %v", s.State, later, err)
	}
	mustImport(t, warehouse.New(copied), "copy", someOrders("c", 7)) // the copy accepts imports
	wantOrders(t, warehouse.New(copied), "copy", 507)
}

// Copies are compared by their totals, so the totals must show every difference.
func TestTotalsOfTables(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	totals := func(table string) warehouse.TableTotals {
		t.Helper()
		all, err := e.Totals(t.Context(), "shop")
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(of warehouse.TableTotals) bool { return of.Table == table })
		if i < 0 {
			t.Fatalf("no totals of %s in %v", table, all)
		}
		return all[i]
	}
	b := someOrders("a", 30)
	b.Orders[0].Charged, b.Orders[29].Charged = 700, -100
	mustImport(t, w, "shop", b)
	got := totals("order_rows")
	if got.Rows != 30 || got.Sums["charged"] != "3400" || len(got.Days) != 64 {
		t.Errorf("%+v, want 30 rows with 3400 charged and a hash of the days", got)
	}
	if version := totals("data_version"); version.Rows != 1 || version.Days != "" {
		t.Errorf("%+v, want one row without days", version)
	}
	// The amounts have the same sum but are on other days.
	b.Orders[0].Charged, b.Orders[1].Charged = 100, 700
	mustImport(t, w, "shop", b)
	moved := totals("order_rows")
	if moved.Rows != 30 || moved.Sums["charged"] != "3400" || moved.Days == got.Days {
		t.Errorf("%+v after %+v, want the same sums and another hash of the days", moved, got)
	}
}

func TestASnapshotKeepsTheSchema(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	mustImport(t, warehouse.New(e), "shop", someOrders("a", 500))
	_, copied := snapshotOf(t, e, "shop")
	if _, err := copied.Version(t.Context(), "copy"); err != nil {
		t.Fatal(err)
	}
	schema := func(e *Engine, ws measure.WorkspaceID) string {
		t.Helper()
		var all string
		err := e.instance.db.QueryRowContext(t.Context(), `
SELECT string_agg(sql, '; ' ORDER BY sql)
FROM (SELECT database_name, sql FROM duckdb_tables() UNION ALL SELECT database_name, sql FROM duckdb_views())
WHERE database_name = $1`, catalog(ws)).Scan(&all)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got, want := schema(copied, "copy"), schema(e, "shop"); got != want {
		t.Errorf("schema of the copy:\n%s\nwant\n%s", got, want)
	}
}

func TestAnInvalidatedInstanceIsReplaced(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 3))
	_, release, err := e.acquire(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	broken := e.instance
	e.mu.Lock()
	e.noteFatal(broken, errors.New("FATAL Error: database has been invalidated because of a previous fatal error"))
	e.mu.Unlock()
	_, err = w.StoreTotals(t.Context(), "shop", warehouse.Windows{Recent: month})
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("question while the broken instance is in use: %v, want unavailable", err)
	}
	release()
	wantOrders(t, w, "shop", 3)
	if e.instance == broken {
		t.Error("the broken instance still answers")
	}
}

func TestAnEngineCannotAccessFilesOutsideItsDirectory(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := open(t, Options{})
	for _, text := range []string{
		"SELECT * FROM read_csv(" + quoted(secret) + ")",
		"ATTACH " + quoted(filepath.Join(t.TempDir(), "x.duckdb")),
		"COPY (SELECT 1) TO " + quoted(secret),
		"INSTALL httpfs", "LOAD httpfs", "SET enable_external_access = true",
	} {
		if _, err := e.instance.db.ExecContext(t.Context(), text); err == nil {
			t.Errorf("%s is allowed", text)
		}
	}
}

func TestQuestionsWaitForASlotUntilTheirDeadline(t *testing.T) {
	t.Parallel()
	e := open(t, Options{Threads: 1})
	e.pools.ordinary <- struct{}{}
	e.pools.ordinary <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := warehouse.New(e).StoreTotals(ctx, "shop", warehouse.Windows{Recent: month})
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
}

func TestAnswersHaveARowLimit(t *testing.T) {
	t.Parallel()
	e := open(t, Options{MaxRows: 3})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 4))
	if _, err := w.StoreDays(t.Context(), "shop", month); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("four days against a cap of three: %v, want invalid", err)
	}
	if days, err := w.StoreDays(t.Context(), "shop", civil.Range{First: month.First, Last: month.First.AddDays(2)}); err != nil || len(days) != 3 {
		t.Errorf("three days: %d, %v", len(days), err)
	}
}

// noted records files in memory.
type noted struct {
	mu     sync.Mutex // guards the fields below
	files  map[measure.WorkspaceID]bool
	broken error // error that the next call returns
}

func (n *noted) MayMake(_ context.Context, ws measure.WorkspaceID) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.files[ws] {
		return fault.Unavailable("the file is missing")
	}
	return nil
}

func (n *noted) Opened(_ context.Context, ws measure.WorkspaceID) error {
	return n.note(ws, true)
}

func (n *noted) Dropping(_ context.Context, ws measure.WorkspaceID) error {
	return n.note(ws, false)
}

func (n *noted) note(ws measure.WorkspaceID, has bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.broken
	n.broken = nil
	if err == nil {
		n.files[ws] = has
	}
	return err
}

func TestAFileIsUsedAfterItIsRecorded(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk of the notes is full")
	files := &noted{files: map[measure.WorkspaceID]bool{}, broken: full}
	dir := t.TempDir()
	e := open(t, Options{Dir: dir, Files: files})
	w := warehouse.New(e)
	if err := importInto(t.Context(), w, "shop", someOrders("a", 3)); !errors.Is(err, full) {
		t.Errorf("an import before the file is recorded: %v, want %v", err, full)
	}
	mustImport(t, w, "shop", someOrders("a", 3))
	wantOrders(t, w, "shop", 3)

	files.broken = full
	if err := e.Drop(t.Context(), "shop"); !errors.Is(err, full) {
		t.Errorf("a deletion that is not recorded: %v, want %v", err, full)
	}
	wantOrders(t, w, "shop", 3)
	if err := e.Drop(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	mustImport(t, w, "shop", someOrders("b", 2))
	wantOrders(t, w, "shop", 2)

	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(e.path("shop")); err != nil {
		t.Fatal(err)
	}
	e = open(t, Options{Dir: dir, Files: files})
	for what, ask := range map[string]func() error{
		"an import":  func() error { return importInto(t.Context(), warehouse.New(e), "shop", someOrders("a", 3)) },
		"a question": func() error { _, err := warehouse.New(e).Coverage(t.Context(), "shop"); return err },
		"a try":      func() error { return e.Try(t.Context(), "shop") },
	} {
		if err := ask(); fault.KindOf(err) != fault.KindUnavailable {
			t.Errorf("%s to a file that was lost: %v, want unavailable", what, err)
		}
	}
	if lost := e.Unopened(); len(lost) != 1 || lost["shop"] == nil {
		t.Errorf("%v cannot be opened, want shop", lost)
	}
	if err := e.Try(t.Context(), "fresh"); err != nil {
		t.Errorf("Try of a workspace without facts: %v", err)
	}
}

// An error concerns a file unless the caller canceled, the whole instance failed or the workspace does not exist.
// Repeated errors of a file are logged once.
func TestFilesThatFailToOpenAreNotedAndLoggedOnce(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("not a database")
	for what, c := range map[string]struct {
		ctx  context.Context
		err  error
		want bool
	}{
		"a damaged file":          {t.Context(), broken, true},
		"a missing file":          {t.Context(), fault.Unavailable("the file is missing"), true},
		"a canceled caller":       {canceled, broken, false},
		"a fatal error":           {t.Context(), &duckdb.Error{Type: duckdb.ErrorTypeFatal}, false},
		"an invalidated instance": {t.Context(), errors.New("FATAL: database has been invalidated"), false},
		"a deleted workspace":     {t.Context(), fault.NotFound("no workspace"), false},
	} {
		var log strings.Builder
		e := &Engine{
			options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, failed: map[measure.WorkspaceID]error{},
			detached: map[measure.WorkspaceID]uint64{"shop": 3, "other": 4},
		}
		for range 2 {
			e.noteFailed(c.ctx, "shop", c.err)
		}
		_, version := e.detached["shop"]
		if failed := e.Unopened()["shop"]; (failed != nil) != c.want || c.want && !errors.Is(failed, c.err) || version == c.want || e.detached["other"] != 4 {
			t.Errorf("%s: noted %v, versions %v; want it noted: %v", what, failed, e.detached, c.want)
		}
		if lines := strings.Count(log.String(), "facts file of a workspace cannot be opened"); c.want && lines != 1 || !c.want && lines != 0 {
			t.Errorf("%s: %d lines in the log:\n%s", what, lines, log.String())
		}
	}
}

func TestOpeningRemovesUnfinishedExports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := filepath.Join(dir, "export-123", "orders.csv")
	if err := os.MkdirAll(filepath.Dir(left), 0o700); err != nil {
		t.Fatal(err)
	}
	facts := filepath.Join(dir, "export-hats.duckdb")
	for _, path := range []string{left, facts} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open(t, Options{Dir: dir})
	if _, err := os.Stat(filepath.Dir(left)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of an export still exists: %v", err)
	}
	if _, err := os.Stat(facts); err != nil {
		t.Errorf("the facts of a workspace: %v", err)
	}
}
