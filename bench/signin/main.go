// Command signin measures the cost of a hundred concurrent sign-ins, by users or by an attacker. The cost is the
// service's memory above its idle state and the duration of tool calls during the sign-ins.
//
//	signin --assay bin/assay [--rounds 5] [--seconds 4] [--attempts 100]
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"assay/bench/process"
	"assay/bench/report"
)

// options configure the measurement.
type options struct {
	program  string
	rounds   int
	lasting  time.Duration // duration of each half of a round
	attempts int           // number of concurrent attempts
}

func main() {
	var o options
	flag.StringVar(&o.program, "assay", "bin/assay", "the program")
	flag.IntVar(&o.rounds, "rounds", 5, "how often everything is measured")
	flag.IntVar(&o.attempts, "attempts", 100, "sign-ins at the same time")
	seconds := flag.Float64("seconds", 4, "how long calls are measured, with and without sign-ins")
	flag.Parse()
	o.lasting = time.Duration(*seconds * float64(time.Second))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := measure(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "signin:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, o options) (err error) {
	data, err := os.MkdirTemp("", "assay-signin-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	// Each attempt has its own IP address, as if the attempts came from many machines, so rate limits by address do not
	// apply.
	if err := os.Setenv("ASSAY_TRUSTED_PROXIES", "127.0.0.1"); err != nil {
		return err
	}
	// Another process creates the store, so that the idle memory does not include it.
	p, _, err := demo(ctx, o.program, data)
	if err != nil {
		return err
	}
	if err := p.Stop(); err != nil {
		return err
	}
	p, base, err := demo(ctx, o.program, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	s := service{base: base, process: p, asked: new(atomic.Int64)}
	if s.key, err = keyOf(data); err != nil {
		return err
	}
	if _, err := s.calls(ctx, o.lasting/4); err != nil { // the first calls fill caches
		return err
	}
	var m measured
	for range o.rounds {
		if err := m.round(ctx, s, o); err != nil {
			return err
		}
	}
	return m.print(o)
}

func demo(ctx context.Context, program, data string) (p *process.Process, base string, err error) {
	return process.Start(ctx, "ready: ", program, "demo", "--addr", "127.0.0.1:0", "--data", data,
		"--days", "400", "--orders", "8000", "--rate-limit", "100000000")
}

func keyOf(data string) (string, error) {
	text, err := os.ReadFile(filepath.Join(data, "demo.json"))
	if err != nil {
		return "", err
	}
	var access struct {
		Key string `json:"api_key"`
	}
	return access.Key, json.Unmarshal(text, &access)
}

// measured contains the measurements, one per round.
type measured struct {
	idle, peak, above   report.Sample // MB
	quiet, busy         report.Sample // median duration of a call in milliseconds
	slowQuiet, slowBusy report.Sample // 95th percentile, in milliseconds
	signIns             report.Sample // answered per second
}

func (m *measured) round(ctx context.Context, s service, o options) error {
	idle, err := s.process.Memory()
	if err != nil {
		return err
	}
	quiet, err := s.calls(ctx, o.lasting)
	if err != nil {
		return err
	}
	attacked, end := context.WithCancel(ctx)
	defer end()
	var peak, signedIn atomic.Int64
	var group sync.WaitGroup
	failed := make(chan error, o.attempts+1)
	group.Go(func() { failed <- s.watch(attacked, &peak) })
	for i := range o.attempts {
		group.Go(func() { failed <- s.signIns(attacked, i, &signedIn) })
	}
	busy, err := s.calls(ctx, o.lasting)
	end()
	group.Wait()
	close(failed)
	for each := range failed {
		err = errors.Join(err, each)
	}
	if err != nil {
		return err
	}
	m.idle, m.peak = append(m.idle, float64(idle)/1e6), append(m.peak, float64(peak.Load())/1e6)
	m.above = append(m.above, float64(peak.Load()-idle)/1e6)
	m.quiet, m.busy = append(m.quiet, quiet.Median()), append(m.busy, busy.Median())
	m.slowQuiet, m.slowBusy = append(m.slowQuiet, slow(quiet)), append(m.slowBusy, slow(busy))
	m.signIns = append(m.signIns, float64(signedIn.Load())/o.lasting.Seconds())
	return nil
}

func (m *measured) print(o options) error {
	slower := report.Times(m.busy, m.quiet)
	return report.Print(os.Stdout, fmt.Sprintf("%d concurrent sign-ins, with one caller", o.attempts), []report.Row{
		{What: "idle memory", Of: m.idle, Unit: "MB"},
		{What: "memory at most, under sign-ins", Of: m.peak, Unit: "MB"},
		{What: "above idle", Of: m.above, Unit: "MB", Verdict: m.above.AtMost(200)},
		{What: "sign-ins answered each second", Of: m.signIns, Unit: ""},
		{What: "a call, alone, median", Of: m.quiet, Unit: "ms"},
		{What: "a call, under sign-ins, median", Of: m.busy, Unit: "ms"},
		{What: "under sign-ins / alone", Of: slower, Unit: "", Verdict: slower.AtMost(1.2)},
		{What: "a call, alone, slowest of twenty", Of: m.slowQuiet, Unit: "ms"},
		{What: "a call, under sign-ins, slowest of twenty", Of: m.slowBusy, Unit: "ms"},
	})
}
