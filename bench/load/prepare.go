package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"assay/bench/process"
	"assay/internal/civil"
	"assay/internal/ingest/demo"
	"assay/internal/warehouse"
	"assay/internal/warehouse/clickhouse"
	"assay/internal/warehouse/duckdb"
)

// now is the real clock. The nodes also use the real clock.
var now = time.Now //nolint:forbidigo // no other clock reaches another process

// workspace is the store that all calls read.
const workspace = "load"

// adRegion is the only region of the ad reports.
const adRegion = "NY"

// site is the set of running nodes, with their store.
type site struct {
	nodes  []*process.Process
	urls   []string
	key    string
	dir    string   // folder of all files
	env    []string // settings of the nodes and commands
	client *http.Client
	last   civil.Date // last day of the store
	days   int
}

// prepare creates the store in ClickHouse and starts the nodes.
func prepare(ctx context.Context, o settings, dir string) (s *site, err error) {
	s = &site{days: o.days, dir: dir, client: &http.Client{
		Timeout:   callTime,
		Transport: &http.Transport{MaxIdleConnsPerHost: maxOpen, MaxConnsPerHost: 0},
	}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	s.env = []string{
		"ASSAY_FACTS_URL=" + o.facts, "ASSAY_CONTROL_URL=" + o.control, "ASSAY_REDIS_URL=" + o.redis,
		"ASSAY_SECRET_FILE=" + filepath.Join(dir, "secret"), "ASSAY_LOG_LEVEL=warn",
	}
	assay := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, o.assay, append(args, "--data", filepath.Join(dir, "commands"))...) //nolint:gosec // the given program
		cmd.Env = append(os.Environ(), s.env...)
		out, err := cmd.Output()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("assay %s: %w: %s", args[0], err, failed.Stderr)
		}
		return out, err
	}
	if _, err := assay("workspace", "create", workspace, "--currency", string(demo.StoreCurrency), "--timezone", demo.StoreZone); err != nil {
		return s, err
	}
	out, err := assay("keys", "create", "--workspace", workspace, "--name", "bench", "--json")
	if err != nil {
		return s, err
	}
	var made struct{ Key string }
	if err := json.Unmarshal(out, &made); err != nil {
		return s, err
	}
	s.key = made.Key
	if err := s.fill(ctx, o, dir); err != nil {
		return s, err
	}
	return s, s.start(ctx, o, noLimit)
}

// noLimit is a rate limit that no load reaches.
const noLimit = 100_000_000

// start starts the nodes one after another, with a rate limit in requests per minute. A few calls then make each node
// read the store.
func (s *site) start(ctx context.Context, o settings, limit int) error {
	for i := range o.nodes {
		args := append([]string{"env", "ASSAY_RATE_LIMIT=" + strconv.Itoa(limit)}, s.env...)
		p, url, err := process.Start(ctx, "ready: ", append(args, o.assay, "serve", "--addr", "127.0.0.1:0",
			"--data", filepath.Join(s.dir, "node"+strconv.Itoa(i+1)))...)
		if err != nil {
			return err
		}
		s.nodes, s.urls = append(s.nodes, p), append(s.urls, url+"/api/mcp/rpc")
	}
	s.period(ctx, 10, 5*time.Second, 1)
	return ctx.Err()
}

// stop stops the nodes.
func (s *site) stop() (err error) {
	for _, p := range s.nodes {
		err = errors.Join(err, p.Stop())
	}
	s.nodes, s.urls = nil, nil
	return err
}

// fill imports a demo store into ClickHouse in the same way as a node.
func (s *site) fill(ctx context.Context, o settings, dir string) (err error) {
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		return err
	}
	s.last = civil.DayOf(now(), zone)
	engine, err := clickhouse.Open(ctx, clickhouse.Options{URL: o.facts, Local: duckdb.Options{Dir: filepath.Join(dir, "import"), Clock: now}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	watch := process.Begin()
	load, err := warehouse.New(engine).Begin(ctx, warehouse.ImportSpec{Workspace: workspace, Source: "demo", Base: demo.StoreCurrency})
	if err != nil {
		return err
	}
	defer load.Abort()
	_, err = demo.Generate(demo.Options{
		Seed: 1, Days: o.days, Orders: o.orders, Today: s.last, Zone: zone, Currency: demo.StoreCurrency,
		HashKey: []byte("the key of the benchmark's customers"),
	}, func(b *warehouse.Batch) error {
		b.AdDays = slices.DeleteFunc(b.AdDays, func(d warehouse.AdDay) bool { return d.Region != adRegion })
		return load.Add(ctx, b)
	})
	if err == nil {
		_, err = load.Commit(ctx)
	}
	took, _ := watch.Took()
	fmt.Fprintf(os.Stdout, "%d orders generated and imported in %s\n", o.orders, took.Round(100*time.Millisecond))
	return err
}
