// Command load measures three nodes of the service on one cluster under a rising rate of mixed tool calls. It finds the
// knee: the highest rate that the nodes answer in time. It then prints the latency at half of the knee. At twice the
// knee, it prints the outcomes of the calls and the recovery time, first without a rate limit, then with a rate limit
// of half of the knee.
//
//	test/cluster/up --all go run ./bench/load [--assay bin/assay] [--orders 60000] [--step 15s] [--overload 1m]
//
// The script test/cluster/up starts the servers and sets ASSAY_TEST_CLICKHOUSE, ASSAY_TEST_POSTGRES and
// ASSAY_TEST_REDIS. Calls are sent at fixed times, even if earlier calls are not answered. Latency is measured from the
// time at which the call was due.
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
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// settings configure the measurement.
type settings struct {
	assay    string // the program
	facts    string // URLs of the servers
	control  string
	redis    string
	orders   int
	days     int
	nodes    int
	first    float64 // calls per second of the first step
	factor   float64 // factor by which the rate rises from step to step
	step     time.Duration
	late     time.Duration // the knee is passed when the 99th percentile of latency exceeds this value
	overload time.Duration // duration of each overload
}

func options(args []string) settings {
	s := settings{
		facts: os.Getenv("ASSAY_TEST_CLICKHOUSE"), control: os.Getenv("ASSAY_TEST_POSTGRES"), redis: os.Getenv("ASSAY_TEST_REDIS"),
	}
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	flags.StringVar(&s.assay, "assay", "bin/assay", "the program")
	flags.IntVar(&s.orders, "orders", 60_000, "orders of the store")
	flags.IntVar(&s.days, "days", 400, "days of the store")
	flags.IntVar(&s.nodes, "nodes", 3, "number of nodes")
	flags.Float64Var(&s.first, "first", 20, "calls per second of the first step")
	flags.Float64Var(&s.factor, "factor", 1.5, "factor of the rate from step to step")
	flags.DurationVar(&s.step, "step", 15*time.Second, "duration of a step")
	flags.DurationVar(&s.late, "late", time.Second, "99th percentile above which a rate is past the knee")
	flags.DurationVar(&s.overload, "overload", time.Minute, "duration of each overload")
	_ = flags.Parse(args) // the flag set exits on an error
	return s
}

func run(ctx context.Context, o settings) (err error) {
	if o.facts == "" || o.control == "" || o.redis == "" {
		return errors.New("the servers are not started: run it under test/cluster/up --all")
	}
	dir, err := os.MkdirTemp("", "assay-load-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := prepare(ctx, o, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	half, err := s.knee(ctx, o)
	if err != nil {
		return err
	}
	if err := s.overload(ctx, o, half); err != nil {
		return err
	}
	limit := int(60 * half.rate)
	fmt.Fprintf(os.Stdout, "\nwith a rate limit of %d calls per minute:\n", limit)
	if err := errors.Join(s.stop(), s.start(ctx, o, limit)); err != nil {
		return err
	}
	return s.overload(ctx, o, half)
}
