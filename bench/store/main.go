// Command store compares Assay with direct use of DuckDB on many orders. It compares the import of an orders file with
// DuckDB's own reader. It also compares the `performance` tool over 30 days with handwritten SQL for the same answer on
// the same file. With ClickHouse servers, Assay stores its facts on them and is compared with SQL on their tables.
//
//	store run --assay bin/assay [--orders 10000000] [--imports 3] [--calls 200] [--newest-first]
//	store run --facts-url "$ASSAY_TEST_CLICKHOUSE"    (in test/cluster/up; one import)
//	store read CSV DATABASE      (started by run: DuckDB's reader)
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"assay/internal/civil"
)

// lastDay is the last day of the generated store, two years after the first day.
var lastDay = civil.New(2026, 1, 15)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 3 && args[0] == "read":
		return readCSV(ctx, args[1], args[2])
	case len(args) > 0 && args[0] == "run":
		return measure(ctx, options(args[1:]))
	}
	return errors.New("usage: store run --assay FILE [...] | store read CSV DATABASE")
}

// settings configure the measurement.
type settings struct {
	assay       string // the program
	orders      int
	imports     int // rounds of importing
	calls       int // number of windows
	newestFirst bool
	factsURL    string // ClickHouse servers; "": DuckDB
}

func options(args []string) settings {
	var s settings
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	flags.StringVar(&s.assay, "assay", "bin/assay", "the program")
	flags.IntVar(&s.orders, "orders", 10_000_000, "orders in the file")
	flags.IntVar(&s.imports, "imports", 3, "how often each side imports the file")
	flags.IntVar(&s.calls, "calls", 200, "how many windows of 30 days are asked for")
	flags.BoolVar(&s.newestFirst, "newest-first", false, "write the file's latest order first")
	flags.StringVar(&s.factsURL, "facts-url", "", "ClickHouse servers, as in the setting facts_url")
	_ = flags.Parse(args) // the flag set exits on an error
	return s
}

func measure(ctx context.Context, o settings) (err error) {
	dir, err := os.MkdirTemp("", "assay-store-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	f := files{orders: filepath.Join(dir, "orders.csv"), spend: filepath.Join(dir, "spend.csv"), data: filepath.Join(dir, "data")}
	if err := writeOrders(f.orders, o.orders, lastDay.AddDays(1).UTC(), o.newestFirst); err != nil {
		return err
	}
	if err := writeSpend(f.spend, lastDay); err != nil {
		return err
	}
	if o.factsURL != "" {
		return onClickHouse(ctx, o, f)
	}
	if err := compareImports(ctx, o, f); err != nil {
		return err
	}
	return comparePerformance(ctx, o, f)
}

// files are the paths of the data.
type files struct {
	orders, spend string // CSV
	data          string // Assay's data directory
}

// copies is the folder of the node's local copies of the facts in ClickHouse.
func (f files) copies() string { return filepath.Join(f.data, "copies") }

func (f files) database() string { return filepath.Join(f.data, "facts", workspaceID+".duckdb") }
