package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"assay/bench/process"
	"assay/bench/report"
	"assay/internal/mcp"
)

// The goals, in milliseconds.
const (
	medianGoal = 50
	worstGoal  = 250 // goal for the slowest of a hundred calls
	chartGoal  = 20
	keptGoal   = 1 // CPU
)

// keptCalls is the number of calls with a cached answer.
const keptCalls = 1000

// profiled measures the calls, with a CPU profile if requested.
func (b *bench) profiled(ctx context.Context, o settings) (err error) {
	if o.profile == "" {
		return b.measureCalls(ctx, o)
	}
	file, err := os.Create(o.profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return b.measureCalls(ctx, o)
}

// measureCalls measures each call, first on distinct days and then with a cached answer.
func (b *bench) measureCalls(ctx context.Context, o settings) error {
	opening, err := b.first(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "first call after a start: %s\n", opening.Round(time.Millisecond))
	var lines []report.Spread
	for _, c := range chosen(o) {
		line, err := b.spread(ctx, c, o.calls)
		if err != nil {
			return err
		}
		if line.Kept, err = b.kept(ctx, c); err != nil {
			return err
		}
		lines = append(lines, line)
	}
	return report.PrintSpreads(os.Stdout, fmt.Sprintf("Default calls, not cached, %d days each, %d processors", o.calls, runtime.GOMAXPROCS(0)), lines)
}

func chosen(o settings) []asked {
	var out []asked
	for _, c := range calls() {
		if o.only == "" || o.only == c.name {
			out = append(out, c)
		}
	}
	return out
}

// first returns the duration of the first call after a start. It calls the tool discover.
func (b *bench) first(ctx context.Context) (time.Duration, error) {
	b.back.Store(0)
	if err := b.start(); err != nil {
		return 0, err
	}
	watch := process.Begin()
	err := call(ctx, b.session(), asked{name: "discover", tool: "discover", arguments: `{}`})
	wall, _ := watch.Took()
	return wall, err
}

// spread measures the durations of a call. Before each call, the clock moves back one day. It starts at the last day.
func (b *bench) spread(ctx context.Context, c asked, days int) (report.Spread, error) {
	line := report.Spread{What: c.name, Goal: medianGoal, WorstGoal: worstGoal}
	if c.tool == "chart" {
		line.Goal = chartGoal
	}
	session := b.session()
	b.back.Store(int64(days)) // an unmeasured call prepares the statements
	if err := call(ctx, session, c); err != nil {
		return line, err
	}
	for i := range days {
		b.back.Store(int64(i))
		if err := timed(ctx, session, c, &line); err != nil {
			return line, err
		}
	}
	return line, nil
}

// timed makes a call and records its wall time and CPU time.
func timed(ctx context.Context, session mcp.Session, c asked, line *report.Spread) error {
	watch := process.Begin()
	err := call(ctx, session, c)
	wall, cpu := watch.Took()
	line.Wall = append(line.Wall, milliseconds(wall))
	line.CPU = append(line.CPU, milliseconds(cpu))
	return err
}

// kept returns the CPU time of a call with a cached answer, in milliseconds.
func (b *bench) kept(ctx context.Context, c asked) (float64, error) {
	if c.perAnswer {
		return 0, nil
	}
	session := b.session()
	watch := process.Begin()
	for range keptCalls {
		if err := call(ctx, session, c); err != nil {
			return 0, err
		}
	}
	_, cpu := watch.Took()
	return milliseconds(cpu) / keptCalls, nil
}

// call makes a call that must succeed.
func call(ctx context.Context, session mcp.Session, c asked) error {
	text, err := session.CallTool(ctx, c.tool, json.RawMessage(c.arguments))
	if err == nil && bytes.HasSuffix(text, []byte(`"isError":true}`)) {
		err = fmt.Errorf("refused: %s", text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
