package backup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/warehouse/duckdb"
)

// These environment variables configure a child process, which runs this test binary again.
const (
	roleVariable = "ASSAY_TEST_ROLE"
	dataVariable = "ASSAY_TEST_DATA"
	dirVariable  = "ASSAY_TEST_DIR"
)

// TestMain runs a child process instead of the tests if the variable of the role is set.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := roles[role](context.Background(), os.Getenv(dataVariable), os.Getenv(dirVariable)); err != nil {
			fmt.Println("child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(ctx context.Context, data, dir string) error{"loop": childLoop, "full": childFull}

func child(t *testing.T, role, data, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, dataVariable+"="+data, dirVariable+"="+dir)
	return cmd
}

// continueAfter sets the clock to the time of the newest backup in a folder.
func (p *place) continueAfter(dir string) error {
	f, err := openFolder(dir)
	if err != nil {
		return err
	}
	all, err := f.manifests()
	for _, m := range all {
		p.ticks.Store(max(p.ticks.Load(), int64(m.At.Sub(noon)/time.Minute)))
	}
	return errors.Join(err, f.close())
}

// childLoop makes backups of a growing store, and prints a line for each step of each backup.
func childLoop(ctx context.Context, data, dir string) error {
	p, err := openPlace(ctx, data, dir)
	if err != nil {
		return err
	}
	if err := p.continueAfter(dir); err != nil {
		return err
	}
	_, err = p.store.CreateWorkspace(ctx, control.NewWorkspace("Hats"), by())
	if err != nil && fault.KindOf(err) != fault.KindConflict {
		return err
	}
	for i := range 100 {
		if err := sell(ctx, p.facts, "hats", fmt.Sprintf("%d-%d-", os.Getpid(), i), 3); err != nil {
			return err
		}
		_, err := p.Make(ctx, Request{Dir: dir, Keep: 3}, func(done, total int64) { fmt.Println("step", done, total) })
		if err != nil {
			return err
		}
		fmt.Println("made")
	}
	return nil
}

// A backup that is killed at any moment leaves the earlier backups complete, and the next backup succeeds.
func TestAKilledBackupLeavesTheEarlierOnesComplete(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), t.TempDir()
	chance := rand.New(rand.NewPCG(7, 7))
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		cmd := child(t, "loop", data, dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for left := 1 + chance.IntN(12); left > 0 && lines.Scan(); left-- {
			if strings.HasPrefix(lines.Text(), "child:") {
				t.Fatal(lines.Text())
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		f, err := openFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		all, err := f.manifests()
		if err = errors.Join(err, f.close()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for _, m := range all {
			if _, _, err := restore(t, dir, m.At); err != nil {
				t.Errorf("round %d: the backup of %s: %v", round, m.At, err)
			}
		}
	}
	p, err := openPlace(t.Context(), data, dir)
	if err != nil {
		t.Fatal(err)
	}
	coverage, err := p.facts.Coverage(t.Context(), "hats")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.continueAfter(dir); err != nil {
		t.Fatal(err)
	}
	p.mustMake(t, Request{})
	if err := p.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	restored, _, err := restore(t, dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	wantOrders(t, restored, "hats", coverage.Orders)
	for name := range content(t, dir) {
		if strings.HasPrefix(name, unfinishedDir) {
			t.Errorf("%s remains", name)
		}
	}
}

func TestAFullDiskLeavesTheEarlierBackupsComplete(t *testing.T) {
	t.Parallel()
	if out, err := child(t, "full", t.TempDir(), t.TempDir()).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// childFull limits the size of its own files. For the process, this limit has the same effect as a full disk.
func childFull(ctx context.Context, data, dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	p, err := openPlace(ctx, data, dir)
	if err != nil {
		return err
	}
	if _, err := p.store.CreateWorkspace(ctx, control.NewWorkspace("Hats"), by()); err != nil {
		return err
	}
	if err := sell(ctx, p.facts, "hats", "a", 50); err != nil {
		return err
	}
	if _, err := p.Make(ctx, Request{Dir: dir}, nil); err != nil {
		return err
	}
	if err := sell(ctx, p.facts, "hats", "b", 50); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for _, most := range []uint64{1 << 10, 64 << 10, 256 << 10, 1 << 20} {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: limit.Max}); err != nil {
			return err
		}
		_, err := p.Make(ctx, Request{Dir: dir}, nil)
		text, hint, _ := fault.Public(err)
		if fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(hint, "free space") {
			return fmt.Errorf("backup with %d bytes a file: %q (%s): %w", most, text, hint, err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		to, err := os.MkdirTemp(data, "restored-*")
		if err != nil {
			return err
		}
		if _, err := (Restore{Dir: dir, Data: to, Totals: duckdb.FileTotals}).Run(ctx, nil); err != nil {
			return fmt.Errorf("restore of the earlier backup: %w", err)
		}
		if err := os.RemoveAll(to); err != nil {
			return err
		}
	}
	if made, err := p.Make(ctx, Request{Dir: dir}, nil); err != nil || len(made.Copied) != 1 {
		return fmt.Errorf("backup after space was freed: %+v: %w", made, err)
	}
	return nil
}
