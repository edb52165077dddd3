// Command stores measures a service with many small workspaces: disk and memory per workspace, and the time of the
// first answer of a workspace that is not open. It also measures memory during a longer period of mixed calls and
// imports.
//
//	stores --assay bin/assay [--stores 1000] [--orders 300] [--calls 5000] [--soak 30m] [--folder DIR]
//
// Every workspace is a demo store with the number of orders in --orders and with every kind of fact.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, options(os.Args[1:]))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "stores:", err)
		os.Exit(1)
	}
}

// settings configure the measurement.
type settings struct {
	assay  string // the program
	stores int
	orders int
	days   int
	calls  int // mixed calls over all workspaces
	soak   time.Duration
	folder string // keeps the stores for the next run; "": temporary
}

func options(args []string) settings {
	var s settings
	flags := flag.NewFlagSet("stores", flag.ExitOnError)
	flags.StringVar(&s.assay, "assay", "bin/assay", "the program")
	flags.IntVar(&s.stores, "stores", 1000, "number of workspaces")
	flags.IntVar(&s.orders, "orders", 300, "orders in each")
	flags.IntVar(&s.days, "days", 90, "days of each store")
	flags.IntVar(&s.calls, "calls", 5000, "mixed calls, each to a random workspace")
	flags.DurationVar(&s.soak, "soak", 0, "how long mixed calls and imports continue, such as 30m; 0: not at all")
	flags.StringVar(&s.folder, "folder", "", "a folder that keeps the stores for the next run")
	_ = flags.Parse(args) // the flag set exits on an error
	return s
}

func run(ctx context.Context, o settings) (err error) {
	if o.folder == "" {
		if o.folder, err = os.MkdirTemp("", "assay-stores-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.folder)) }()
	}
	stores, err := prepare(ctx, o)
	if err != nil {
		return err
	}
	return measured(ctx, o, stores)
}
