// Command tools measures the tools that describe a store, on a store with many orders. It measures the call of each
// tool and view with new windows, then with cached answers, then without and during imports.
//
//	tools [--orders 10000000] [--calls 100] [--import 100000] [--store DIR] [--only NAME] [--during-imports]
//
// The store is a demo store from one import. It has the number of orders in --orders, and three touchpoints per
// conversion path on average. The clock moves back one day per call, so each call has new windows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"

	"assay/internal/civil"
)

// lastDay is the last day of the store, two years after its first day.
var lastDay = civil.New(2026, 1, 15)

const storeDays = 730

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, options(os.Args[1:]))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tools:", err)
		os.Exit(1)
	}
}

// settings configure the measurement.
type settings struct {
	orders   int
	calls    int    // distinct days on which each call is made
	imported int    // orders of the import that runs during calls
	store    string // folder of the store, created if missing; "": temporary
	only     string // the only call to measure; "": all
	bare     bool   // orders have no touchpoints and no lines, which take most of the import time
	memory   string // memory limit of the database
	threads  int    // threads of an import; see the setting import_threads
	profile  string // file for the CPU profile of the calls; "": none
	during   bool   // measure only calls during imports, and the same calls alone
}

func options(args []string) settings {
	var s settings
	flags := flag.NewFlagSet("tools", flag.ExitOnError)
	flags.IntVar(&s.orders, "orders", 10_000_000, "orders in the store")
	flags.IntVar(&s.calls, "calls", 100, "on how many distinct days each call is made")
	flags.IntVar(&s.imported, "import", 100_000, "orders of the import that runs during calls; 0: none")
	flags.StringVar(&s.store, "store", "", "a folder that keeps the store for the next run")
	flags.StringVar(&s.only, "only", "", "the one call to measure, by its name in the table")
	flags.BoolVar(&s.bare, "bare", false, "omit touchpoints and lines, which take most of the import time")
	flags.StringVar(&s.memory, "memory", "", "what the database may use, such as 4GB")
	flags.IntVar(&s.threads, "import-threads", 0, "the setting import_threads")
	flags.StringVar(&s.profile, "profile", "", "write a CPU profile of the calls to this file")
	flags.BoolVar(&s.during, "during-imports", false, "measure only calls during imports, and the same calls alone")
	_ = flags.Parse(args) // the flag set exits on an error
	return s
}

// heapGrowth is the value of GOGC that the service uses, in percent.
const heapGrowth = 400

func run(ctx context.Context, o settings) (err error) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if o.store == "" {
		if o.store, err = os.MkdirTemp("", "assay-tools-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.store)) }()
	}
	s, err := open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if err := s.fill(ctx, o); err != nil {
		return err
	}
	if !o.during {
		if err := s.profiled(ctx, o); err != nil || o.imported == 0 {
			return err
		}
	}
	return s.measureDuringImports(ctx, o)
}
