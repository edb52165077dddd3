package duckdb

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// These environment variables configure a child process, which runs this test binary again.
const (
	roleVariable = "ASSAY_TEST_ROLE"
	dirVariable  = "ASSAY_TEST_DIR"
)

// TestMain runs the child if a role is set.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := roles[role](context.Background(), os.Getenv(dirVariable)); err != nil {
			fmt.Println("child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(ctx context.Context, dir string) error{
	"add": func(ctx context.Context, dir string) error { return childImport(ctx, dir, clock, reached, nil) },
	"commit": func(ctx context.Context, dir string) error {
		// The ledger reads the clock after the merge and the roll-ups and before the commit.
		return childImport(ctx, dir, func() time.Time { reached(); return clock() }, nil, nil)
	},
	"committed": func(ctx context.Context, dir string) error { return childImport(ctx, dir, clock, nil, reached) },
	"hold": func(ctx context.Context, dir string) error {
		e, err := Open(ctx, Options{Dir: dir, Clock: clock})
		if err != nil {
			return err
		}
		if _, err := e.Version(ctx, "shop"); err != nil {
			return err
		}
		reached()
		return nil
	},
	"full": childFull,
}

// reached signals the parent and blocks until the parent kills the process.
func reached() {
	fmt.Println("reached")
	select {}
}

// childImport imports enough rows for several blocks. It calls added before the commit and committed after it, unless
// they are nil.
func childImport(ctx context.Context, dir string, clock func() time.Time, added, committed func()) error {
	e, err := Open(ctx, Options{Dir: dir, Clock: clock, Threads: 1}) // a block per span
	if err != nil {
		return err
	}
	in, err := warehouse.New(e).Begin(ctx, warehouse.ImportSpec{Workspace: "shop"})
	if err != nil {
		return err
	}
	b := someOrders("child", spanRows+10_000)
	if err := in.Add(ctx, &b); err != nil {
		return err
	}
	if added != nil {
		added()
	}
	if _, err := in.Commit(ctx); err != nil {
		return err
	}
	if committed != nil {
		committed()
	}
	return nil
}

// child starts a process in a role, waits for the signal of [reached] and returns the running process.
func child(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "reached\n" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	return cmd
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the child ended without being killed")
	}
}

func TestAKilledImportLeavesTheStoreUnchanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role   string
		before int // orders in the store when the child starts
		after  int64
	}{
		{"add", 0, 0}, {"add", 50, 50}, {"commit", 0, 0}, {"commit", 50, 50}, {"committed", 50, spanRows + 10_050},
	} {
		t.Run(c.role+" on "+strconv.Itoa(c.before), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && c.before > 0 && c.role != "committed" {
				t.Skip("a long series")
			}
			dir := t.TempDir()
			if c.before > 0 {
				e, err := Open(t.Context(), Options{Dir: dir, Clock: clock})
				if err != nil {
					t.Fatal(err)
				}
				mustImport(t, warehouse.New(e), "shop", someOrders("before", c.before))
				if err := e.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			kill(t, child(t, c.role, dir))
			w := warehouse.New(open(t, Options{Dir: dir}))
			wantOrders(t, w, "shop", c.after)
			mustImport(t, w, "shop", someOrders("afterwards", 7))
			wantOrders(t, w, "shop", c.after+7)
		})
	}
}

func TestAStoreInUseNamesTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	holder := child(t, "hold", dir)
	defer kill(t, holder)
	e := open(t, Options{Dir: dir})
	_, err := warehouse.New(e).StoreTotals(t.Context(), "shop", warehouse.Windows{Recent: month})
	text, hint, _ := fault.Public(err)
	if fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(text, strconv.Itoa(holder.Process.Pid)) || hint == "" {
		t.Errorf("got %q, %q from %v; want the process %d named", text, hint, err, holder.Process.Pid)
	}
}

func TestAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=full", dirVariable+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// childFull limits the size of its own files, which has the same effect as a full disk.
func childFull(ctx context.Context, dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	e, err := Open(ctx, Options{Dir: dir, Clock: clock})
	if err != nil {
		return err
	}
	w := warehouse.New(e)
	if err := importInto(ctx, w, "shop", someOrders("before", 50)); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: limit.Max}); err != nil {
		return err
	}
	failed := importInto(ctx, w, "shop", someOrders("big", 150_000))
	if text, _, _ := fault.Public(failed); fault.KindOf(failed) != fault.KindUnavailable || !strings.Contains(text, "space") {
		return fmt.Errorf("import on a full disk: %w", failed)
	}
	if err := expect(ctx, w, 50); err != nil {
		return fmt.Errorf("with the disk still full: %w", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := importInto(ctx, w, "shop", someOrders("big", 150_000)); err != nil {
		return fmt.Errorf("import after space was made: %w", err)
	}
	return expect(ctx, w, 150_050)
}

func expect(ctx context.Context, w *warehouse.Warehouse, want int64) error {
	totals, err := w.StoreTotals(ctx, "shop", warehouse.Windows{Recent: month})
	if err != nil {
		return err
	}
	if got := totals.Recent.Orders / measure.Millionths; got != want {
		return fmt.Errorf("%d orders, want %d", got, want)
	}
	return nil
}
