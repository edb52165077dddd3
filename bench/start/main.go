// Command start measures how long `assay demo` takes until it is ready, without and with an existing store. It also
// measures how much memory an idle `assay serve` uses.
//
//	start --assay bin/assay [--cold 3] [--warm 5]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"

	"assay/bench/process"
	"assay/bench/report"
)

// idle is the wait before the server's memory is measured. It is long enough for the server's work after startup.
const idle = 3 * time.Second

func main() {
	program := flag.String("assay", "bin/assay", "the program")
	cold := flag.Int("cold", 3, "how often a store is made")
	warm := flag.Int("warm", 5, "how often an existing store is served")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := measure(ctx, *program, *cold, *warm)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, program string, cold, warm int) (err error) {
	dir, err := os.MkdirTemp("", "assay-start-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := measured{program: program}
	for i := range cold {
		took, cpu, err := m.demo(ctx, filepath.Join(dir, strconv.Itoa(i)))
		if err != nil {
			return err
		}
		m.cold, m.coldCPU = append(m.cold, took), append(m.coldCPU, cpu)
	}
	data := filepath.Join(dir, "0")
	for range warm {
		took, _, err := m.demo(ctx, data)
		if err != nil {
			return err
		}
		m.warm = append(m.warm, took)
		if err := m.serve(ctx, data); err != nil {
			return err
		}
	}
	return report.Print(os.Stdout, "The demo store of 60000 orders and two years", []report.Row{
		{What: "assay demo ready, no store yet", Of: m.cold, Unit: "s", Verdict: m.cold.AtMost(30)},
		{What: "assay demo, CPU until then", Of: m.coldCPU, Unit: "s"},
		{What: "assay demo ready, store exists", Of: m.warm, Unit: "s", Verdict: m.warm.AtMost(2)},
		{What: "assay serve ready", Of: m.served, Unit: "s"},
		{What: "assay serve, idle since its start", Of: m.memory, Unit: "MB", Verdict: m.memory.AtMost(120)},
	})
}

// measured contains the measurements of a program.
type measured struct {
	program                     string
	cold, coldCPU, warm, served report.Sample // seconds
	memory                      report.Sample // MB
}

// demo starts a demo, stops it when it is ready, and returns its wall time and its CPU time in seconds.
func (m *measured) demo(ctx context.Context, data string) (took, cpu float64, err error) {
	p, _, err := process.Start(ctx, "ready: ", m.program, "demo", "--addr", "127.0.0.1:0", "--data", data)
	if err != nil {
		return 0, 0, err
	}
	used, err := p.CPU()
	return p.Took.Seconds(), used.Seconds(), errors.Join(err, p.Stop())
}

// serve starts the service and measures its memory use after an idle period without calls.
func (m *measured) serve(ctx context.Context, data string) (err error) {
	p, _, err := process.Start(ctx, "ready: ", m.program, "serve", "--addr", "127.0.0.1:0", "--data", data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	m.served = append(m.served, p.Took.Seconds())
	select {
	case <-time.After(idle):
	case <-ctx.Done():
		return ctx.Err()
	}
	bytes, err := p.Memory()
	m.memory = append(m.memory, float64(bytes)/1e6)
	return err
}
