// Command backup measures `assay backup` during an import, for an unchanged store and for a changed store. It also
// measures `assay restore`, and fails if the totals of a restored store differ from its backup.
//
//	backup --assay bin/assay [--orders 1000000]
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"assay/bench/process"
	"assay/internal/panics"
)

func main() {
	program := flag.String("assay", "bin/assay", "the program")
	orders := flag.Int("orders", 1_000_000, "orders of the store, and of the import during the backup")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := measure(ctx, *program, *orders)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "backup:", err)
		os.Exit(1)
	}
}

// bench is the data directory of a running service and the folder of its backups.
type bench struct {
	program, dir, data string
}

func measure(ctx context.Context, program string, orders int) (err error) {
	dir, err := os.MkdirTemp("", "assay-backup-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := bench{program: program, dir: filepath.Join(dir, "backups"), data: filepath.Join(dir, "data")}
	if _, err := b.run(ctx, "workspace", "create", "Shop"); err != nil {
		return err
	}
	service, _, err := process.Start(ctx, "ready: ", program, "serve", "--addr", "127.0.0.1:0", "--data", b.data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.Stop()) }()
	first, second := filepath.Join(dir, "first.csv"), filepath.Join(dir, "second.csv")
	if err := errors.Join(write(first, 0, orders), write(second, orders, orders)); err != nil {
		return err
	}
	alone, err := b.run(ctx, "import", first, "--workspace", "shop")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "import of %d orders alone: %.1f s\n", orders, alone.Wall.Seconds())
	if err := b.backup(ctx, "backup of a quiet store"); err != nil {
		return err
	}
	if err := b.backup(ctx, "backup without a change"); err != nil {
		return err
	}
	if err := b.during(ctx, second); err != nil {
		return err
	}
	if err := b.backup(ctx, "backup after the import"); err != nil {
		return err
	}
	restored, err := b.run(ctx, "restore", b.dir, "--data", filepath.Join(dir, "restored"))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "restore with all checks: %.1f s\n", restored.Wall.Seconds())
	return nil
}

// during makes a backup while a file is imported. Both commands start at the same time.
func (b bench) during(ctx context.Context, file string) error {
	var (
		work     panics.Group
		imported process.Usage
		failed   error
	)
	work.Go(func() { imported, failed = b.run(ctx, "import", file, "--workspace", "shop") })
	// A backup does not copy an unchanged store again, so this backup goes to a new folder.
	other := b
	other.dir = b.dir + "-during"
	err := other.backup(ctx, "backup during an import")
	work.Wait()
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "import during the backup: %.1f s\n", imported.Wall.Seconds())
	_, err = other.run(ctx, "restore", other.dir, "--data", b.data+"-during")
	return err
}

func (b bench) backup(ctx context.Context, what string) error {
	used, err := b.run(ctx, "backup", b.dir, "--json")
	if err != nil {
		return err
	}
	var made struct {
		Bytes    int64 `json:"bytes"`
		NewBytes int64 `json:"new_bytes"`
	}
	if err := json.Unmarshal(used.Output, &made); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%s: %.1f s, %.1f MB, %.1f MB new\n", what, used.Wall.Seconds(),
		float64(made.Bytes)/1e6, float64(made.NewBytes)/1e6)
	return nil
}

// run runs a command on the data directory. The arguments of the restore command already contain the data directory.
func (b bench) run(ctx context.Context, args ...string) (process.Usage, error) {
	all := append([]string{b.program}, args...)
	if args[0] != "restore" {
		all = append(all, "--data", b.data)
	}
	return process.Run(ctx, all...)
}

// write writes orders to a file.
func write(path string, from, n int) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	to := bufio.NewWriter(file)
	fmt.Fprintln(to, "order_id,created_at,currency,total,customer")
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := from; i < from+n; i++ {
		at := day.Add(time.Duration(i) * 30 * time.Second)
		fmt.Fprintf(to, "%d,%s,USD,%d.%02d,c%d@example.com\n", 10_000_000+i,
			at.Format(time.RFC3339), 5+i%200, i%100, i%(n/3+1))
	}
	return to.Flush()
}
