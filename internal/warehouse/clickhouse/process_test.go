package clickhouse

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
	"assay/internal/warehouse/facts"
)

// These environment variables configure a child process, which runs this test binary again.
const (
	roleVariable    = "ASSAY_TEST_ROLE"
	dirVariable     = "ASSAY_TEST_DIR"
	storeVariable   = "ASSAY_TEST_STORE"
	addressVariable = "ASSAY_TEST_CLICKHOUSE"
)

// childImport imports 2,000 orders and stops at the point that the role names.
func childImport(ctx context.Context, role string) error {
	e, err := Open(ctx, Options{
		URL: os.Getenv(addressVariable), Fresh: -1, Local: duckdb.Options{Dir: os.Getenv(dirVariable), Clock: clock, Threads: 1},
	})
	if err != nil {
		return err
	}
	e.store.prefix = os.Getenv(storeVariable)
	if role == "full" {
		return readOntoFullDisk(ctx, e)
	}
	stops := map[string]*func(){"rows": &e.beforeCommit, "committed": &e.afterCommit}
	if stop, ok := stops[role]; ok {
		*stop = reached
	}
	in, err := warehouse.New(e).Begin(ctx, warehouse.ImportSpec{Workspace: "shop", Source: "test", Base: "USD"})
	if err != nil {
		return err
	}
	b := someOrders("child", 2000, 1000)
	if err := in.Add(ctx, &b); err != nil {
		return err
	}
	if role == "added" {
		reached()
	}
	if _, err := in.Commit(ctx); err != nil {
		return err
	}
	reached()
	return nil
}

// readOntoFullDisk limits the size of the process's files, which has the same effect as a full disk. The query must
// fail and name the local disk. Without the limit, the same query must succeed.
func readOntoFullDisk(ctx context.Context, e *Engine) error {
	signal.Ignore(syscall.SIGXFSZ)
	february := civil.Range{First: civil.MustParse("2026-02-01"), Last: civil.MustParse("2026-02-28")}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: limit.Max}); err != nil {
		return err
	}
	_, failed := warehouse.New(e).StoreTotals(ctx, "shop", warehouse.Windows{Recent: february})
	if text, _, _ := fault.Public(failed); fault.KindOf(failed) != fault.KindUnavailable || !strings.Contains(text, "no disk space left") {
		return fmt.Errorf("query on a full disk: %w", failed)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	totals, err := warehouse.New(e).StoreTotals(ctx, "shop", warehouse.Windows{Recent: february})
	if got := totals.Recent.Orders / measure.Millionths; err == nil && got != 150_000 {
		err = fmt.Errorf("%d orders", got)
	}
	return err
}

func TestAFullLocalDiskIsNamedAndRecovers(t *testing.T) {
	t.Parallel()
	store := newStore()
	mustLoad(t, node(t, store, clock), someOrders("big", 150_000, 1000))
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=full", dirVariable+"="+t.TempDir(), storeVariable+"="+store, addressVariable+"="+address)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// An error of the local copy is not an error of ClickHouse.
func TestErrorsOfTheLocalCopyAreReturnedUnchanged(t *testing.T) {
	t.Parallel()
	e := node(t, newStore(), clock)
	mustLoad(t, e, someOrders("a", 10, 1000))
	all, err := e.store.commits(t.Context(), "shop", 0)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("could not write file")
	err = e.Apply(t.Context(), "shop", all.last().place(), true, func(tables []duckdb.StoredTable, _ func(duckdb.StoredTable, int8, *facts.Columnar) error) error {
		for _, table := range tables {
			if err := e.store.read(t.Context(), "shop", all.live(), table, func(duckdb.StoredTable, int8, *facts.Columnar) error { return broken }); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, broken) || fault.KindOf(err) == fault.KindUnavailable {
		t.Errorf("a local error became %v", err)
	}
}

// reached signals the parent and blocks until the parent kills the process.
func reached() {
	fmt.Println("reached")
	select {}
}

// The test kills a node at four points: before and after it writes rows to ClickHouse, between the commits in
// ClickHouse and in the local copy, and after both commits. Another node and the restarted node must then have the
// state before or after the import.
func TestAKilledImportIsThereCompletelyOrNotAtAll(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]int64{"added": 50, "rows": 50, "committed": 2050, "ended": 2050} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			store, dir := newStore(), t.TempDir()
			other := node(t, store, clock)
			mustLoad(t, other, someOrders("before", 50, 1000))
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir, storeVariable+"="+store, addressVariable+"="+address)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "reached\n" {
				t.Fatalf("the child said %q, %v", line, err)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			wantOrders(t, other, want)
			again := nodeIn(t, dir, store, clock)
			wantOrders(t, again, want)
			wantSame(t, "after the kill", other, again)
			mustLoad(t, again, someOrders("child", 2000, 1000)) // the import is repeated
			wantOrders(t, other, 2050)
			wantSame(t, "after the repeated import", other, again, node(t, store, clock))
		})
	}
}

// A lock that is lost during an import ends the import.
func TestAnImportWithoutItsLockIsNotCommitted(t *testing.T) {
	t.Parallel()
	e := node(t, newStore(), clock)
	lock := locked(e, 1, 0)
	if _, err := load(t, e, someOrders("a", 5, 1000)); err == nil || lock.released != 1 {
		t.Errorf("the import ended with %v, its lock was released %d times; want an error, and once", err, lock.released)
	}
	wantOrders(t, e, 0)
}

// An import that lost its lock and the next import can continue the same commit. Their rows have different attempts.
func TestRowsOfAnEndedImportAreNotRead(t *testing.T) {
	t.Parallel()
	store := newStore()
	a, b, c := node(t, store, clock), node(t, store, clock), node(t, store, clock)
	locked(a, 1, 2)
	locked(b, 2, 0)
	locked(c, 3, 2)
	mustLoad(t, a, someOrders("a", 5, 1000))
	if _, err := load(t, b, someOrders("b", 7, 1000)); err == nil {
		t.Fatal("an import without its lock is committed")
	}
	mustLoad(t, c, someOrders("c", 9, 1000))
	for _, e := range []*Engine{a, b, c, node(t, store, clock)} {
		wantOrders(t, e, 14)
	}
}

// An import can lose its lock immediately before its commit, and the next import can commit first. The commit of the
// next import is then valid, and the late import reports an error.
func TestALateCommitIsNotValid(t *testing.T) {
	t.Parallel()
	store := newStore()
	late, next := node(t, store, clock), node(t, store, clock)
	locked(late, 1, 1)
	locked(next, 2, 2)
	late.beforeCommit = func() { mustLoad(t, next, someOrders("next", 7, 1000)) }
	_, err := load(t, late, someOrders("late", 5, 1000))
	if fault.KindOf(err) != fault.KindUnavailable || !errors.Is(err, warehouse.ErrUnknownOutcome) {
		t.Errorf("the late import ended with %v; want an unknown outcome of kind unavailable", err)
	}
	late.beforeCommit = func() {}
	nodes := []*Engine{late, next, node(t, store, clock)}
	for _, e := range nodes {
		wantOrders(t, e, 7)
	}
	locked(late, 3, 2)
	mustLoad(t, late, someOrders("late", 5, 1000)) // the import is repeated
	for _, e := range nodes {
		wantOrders(t, e, 12)
	}
	wantSame(t, "after the late commit", nodes...)
}

// Two imports lose their lock immediately before their commits, and a third import continues the commit of the first. The
// commit of the second is not valid, even if it is stored last.
func TestALateCommitDoesNotReplaceThePredecessorOfAnother(t *testing.T) {
	t.Parallel()
	store := newStore()
	first, second, third := node(t, store, clock), node(t, store, clock), node(t, store, clock)
	locked(first, 1, 1)
	locked(second, 2, 1)
	locked(third, 3, 2)
	second.beforeCommit = func() {
		if _, err := load(t, first, someOrders("first", 5, 1000)); !errors.Is(err, warehouse.ErrUnknownOutcome) {
			t.Errorf("the first import ended with %v; want an unknown outcome", err)
		}
		mustLoad(t, third, someOrders("third", 7, 1000))
	}
	if _, err := load(t, second, someOrders("second", 9, 1000)); !errors.Is(err, warehouse.ErrUnknownOutcome) {
		t.Errorf("the second import ended with %v; want an unknown outcome", err)
	}
	nodes := []*Engine{first, second, third, node(t, store, clock)}
	for _, e := range nodes {
		wantOrders(t, e, 12)
	}
	wantSame(t, "after the late commits", nodes...)
}

// A deletion that loses its lock immediately before its commit deletes no rows that an import needs.
func TestALateDeletionKeepsTheNextImport(t *testing.T) {
	t.Parallel()
	store := newStore()
	late, next := node(t, store, clock), node(t, store, clock)
	mustLoad(t, late, someOrders("a", 5, 1000))
	locked(late, 1, 1)
	locked(next, 2, 2)
	late.beforeCommit = func() { mustLoad(t, next, someOrders("next", 7, 1000)) }
	if err := late.Drop(t.Context(), "shop"); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("the late deletion ended with %v; want an error of kind unavailable", err)
	}
	for _, e := range []*Engine{late, next, node(t, store, clock)} {
		wantOrders(t, e, 12)
	}
	locked(late, 3, 0)
	if err := late.Drop(t.Context(), "shop"); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("a deletion without its lock ended with %v; want an error of kind unavailable", err)
	}
	wantOrders(t, next, 12)
}

// The deletion of a workspace without facts also commits, so that a late import does not bring orders back.
func TestALateImportIntoADeletedWorkspaceIsNotValid(t *testing.T) {
	t.Parallel()
	store := newStore()
	late, next := node(t, store, clock), node(t, store, clock)
	locked(late, 1, 1)
	locked(next, 2, 2)
	late.beforeCommit = func() {
		if err := next.Drop(t.Context(), "shop"); err != nil {
			t.Error(err)
		}
	}
	if _, err := load(t, late, someOrders("late", 5, 1000)); !errors.Is(err, warehouse.ErrUnknownOutcome) {
		t.Errorf("the late import ended with %v; want an unknown outcome", err)
	}
	for _, e := range []*Engine{late, next, node(t, store, clock)} {
		wantOrders(t, e, 0)
	}
}

// A commit that appears while an import begins ends the import with a conflict. The queries of the import do not wait
// for the update of the local copy, because the update waits for the import.
func TestAnImportDoesNotWaitForItself(t *testing.T) {
	t.Parallel()
	store := newStore()
	e, other := node(t, store, clock), node(t, store, clock)
	mustLoad(t, other, someOrders("a", 5, 1000))
	locked(e, 1, 2)
	e.beforeApply = func() {
		e.beforeApply = func() {}
		mustLoad(t, other, someOrders("b", 7, 1000))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in, err := warehouse.New(e).Begin(ctx, warehouse.ImportSpec{Workspace: "shop", Source: "test", File: "c.csv", FileHash: "c", Base: "USD"})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	b := someOrders("c", 9, 1000)
	if err := in.Add(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Commit(ctx); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("the import ended with %v; want a conflict", err)
	}
	wantOrders(t, e, 12)
}

// A restored control database can issue a lock token that it already issued before the restore.
func TestATokenThatIsIssuedAgainMarksOtherRows(t *testing.T) {
	t.Parallel()
	store := newStore()
	a, b := node(t, store, clock), node(t, store, clock)
	locked(a, 1, 0)
	locked(b, 1, 2)
	if _, err := load(t, a, someOrders("a", 5, 1000)); err == nil {
		t.Fatal("an import without its lock is committed")
	}
	mustLoad(t, b, someOrders("b", 7, 1000))
	for _, e := range []*Engine{a, b} {
		wantOrders(t, e, 7)
	}
}

// testLock is a lock that is lost after a number of successful checks.
type testLock struct {
	token          int64
	held, released int
}

// locked gives an engine a lock.
func locked(e *Engine, token int64, held int) *testLock {
	lock := &testLock{token: token, held: held}
	e.options.Lock = func(context.Context, measure.WorkspaceID) (Lock, error) { return lock, nil }
	return lock
}

func (l *testLock) Token() int64 { return l.token }

func (l *testLock) Held(context.Context) error {
	if l.held--; l.held < 0 {
		return errors.New("lost")
	}
	return nil
}

func (l *testLock) Release() { l.released++ }

func TestFactsMoveToClickHouseAndBack(t *testing.T) {
	t.Parallel()
	e := node(t, newStore(), clock)
	dir := t.TempDir()
	files, err := duckdb.Open(t.Context(), duckdb.Options{Dir: dir, Clock: clock, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close(context.Background())
	in, err := warehouse.New(files).Begin(t.Context(), warehouse.ImportSpec{Workspace: "shop", Source: "test", Base: "USD"})
	if err != nil {
		t.Fatal(err)
	}
	b := someOrders("a", 500, 1000)
	if err := in.Add(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // an interrupted move is repeated
		if _, err := e.Receive(t.Context(), "shop", files); err != nil {
			t.Fatal(err)
		}
	}
	wantOrders(t, e, 500)
	mustLoad(t, e, someOrders("b", 5, 1000))
	if _, err := e.Receive(t.Context(), "shop", files); err == nil {
		t.Error("facts that differ were accepted")
	}
	if _, err := e.DropCopied(t.Context(), "shop", files); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("the deletion of facts that the file lacks ended with %v; want a conflict", err)
	}
	wantOrders(t, e, 505)
	want, err := e.Totals(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(files.Drop(t.Context(), "shop"), e.Give(t.Context(), "shop", dir+"/shop.duckdb")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // an interrupted move is repeated
		got, err := e.DropCopied(t.Context(), "shop", files)
		if err != nil || !warehouse.EqualTotals(want, got) {
			t.Errorf("totals differ after the move back, %v", err)
		}
	}
	wantOrders(t, e, 0)
	if err := e.Give(t.Context(), "shop", dir+"/again.duckdb"); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a workspace without facts was moved with %v; want a fault of kind not_found", err)
	}
}

func TestAFileWithLaterImportsOutlivesAnInterruptedMove(t *testing.T) {
	t.Parallel()
	e := node(t, newStore(), clock)
	files, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: clock, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close(context.Background())
	into := func(prefix string) {
		t.Helper()
		in, err := warehouse.New(files).Begin(t.Context(), warehouse.ImportSpec{Workspace: "shop", Source: "test", Base: "USD"})
		if err != nil {
			t.Fatal(err)
		}
		b := someOrders(prefix, 50, 1000)
		if err := in.Add(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	into("a")
	if _, err := e.Receive(t.Context(), "shop", files); err != nil {
		t.Fatal(err)
	}
	into("b") // the move was interrupted, and the file stays in use
	want, err := files.Totals(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.DropCopied(t.Context(), "shop", files)
	if err != nil || !warehouse.EqualTotals(want, got) {
		t.Errorf("the facts in ClickHouse were not deleted: %v", err)
	}
	wantOrders(t, e, 0)
	if _, err := e.Receive(t.Context(), "shop", files); err != nil {
		t.Errorf("the file cannot be moved again: %v", err)
	}
	wantOrders(t, e, 100)
}

// A file at the same place of the commits, but without later imports, must have the same facts.
func TestADamagedFileDoesNotReplaceTheFactsInClickHouse(t *testing.T) {
	t.Parallel()
	e, dir := node(t, newStore(), clock), t.TempDir()
	files, err := duckdb.Open(t.Context(), duckdb.Options{Dir: dir, Clock: clock, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close(context.Background())
	b := someOrders("a", 50, 1000)
	if err := loadFile(t, e, "f", b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "shop.duckdb")
	if err := e.Give(t.Context(), "shop", path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "DELETE FROM order_rows WHERE charged > 0")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.DropCopied(t.Context(), "shop", files); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("the facts in ClickHouse are deleted: %v", err)
	}
	wantOrders(t, e, 50)
}

// loadFile imports orders as a file.
func loadFile(t *testing.T, e *Engine, hash string, b warehouse.Batch) error {
	t.Helper()
	in, err := warehouse.New(e).Begin(t.Context(), warehouse.ImportSpec{Workspace: "shop", Source: "test", File: hash, FileHash: hash, Base: "USD"})
	if err != nil {
		return err
	}
	defer in.Abort()
	if err := in.Add(t.Context(), &b); err != nil {
		return err
	}
	_, err = in.Commit(t.Context())
	return err
}

// An import is not acknowledged, and the file is imported again at once. If the file is reported as imported, a late
// commit of another import does not replace it.
func TestAFileThatIsReportedAsImportedStays(t *testing.T) {
	t.Parallel()
	store := newStore()
	first, late, again := node(t, store, clock), node(t, store, clock), node(t, store, clock)
	locked(first, 1, 1)
	locked(late, 2, 1)
	locked(again, 3, 2)
	late.beforeCommit = func() {
		if err := loadFile(t, first, "f", someOrders("first", 5, 1000)); !errors.Is(err, warehouse.ErrUnknownOutcome) {
			t.Errorf("the first import ended with %v; want an unknown outcome", err)
		}
		if _, known, err := warehouse.New(again).Imported(t.Context(), "shop", "f", true); !known || err != nil {
			t.Errorf("the file is known: %t, %v", known, err)
		}
	}
	if err := loadFile(t, late, "g", someOrders("late", 9, 1000)); !errors.Is(err, warehouse.ErrUnknownOutcome) {
		t.Errorf("the late import ended with %v; want an unknown outcome", err)
	}
	late.beforeCommit = func() {}
	if _, known, err := warehouse.New(again).Imported(t.Context(), "shop", "f", true); !known || err != nil { // needs no lock
		t.Errorf("the file is still known: %t, %v", known, err)
	}
	nodes := []*Engine{first, late, again, node(t, store, clock)}
	for _, e := range nodes {
		wantOrders(t, e, 5)
	}
	wantSame(t, "after the late commit", nodes...)
}
