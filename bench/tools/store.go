package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"assay/bench/process"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/ingest/demo"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/tools"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

const workspaceID measure.WorkspaceID = "bench"

// bench is a store with experiments and recorded forecasts, and the service that answers calls to its tools.
type bench struct {
	engine    *duckdb.Engine
	facts     *warehouse.Warehouse
	control   *sqlstore.Store
	workspace control.Workspace
	service   *toolkit.Service
	zone      *time.Location
	back      atomic.Int64 // days by which the clock is before the last day
}

func open(ctx context.Context, o settings) (*bench, error) {
	b := &bench{}
	var err error
	if b.zone, err = time.LoadLocation(demo.StoreZone); err != nil {
		return nil, err
	}
	b.engine, err = duckdb.Open(ctx, duckdb.Options{Dir: o.store, Clock: b.clock, MemoryLimit: o.memory, ImportThreads: o.threads})
	if err != nil {
		return nil, err
	}
	b.facts = warehouse.New(b.engine)
	if b.control, err = sqlstore.Open(ctx, sqlstore.Options{Path: filepath.Join(o.store, "control.db")}); err != nil {
		return nil, errors.Join(err, b.engine.Close(ctx))
	}
	if err := errors.Join(b.settle(ctx), b.start()); err != nil {
		return nil, errors.Join(err, b.close(ctx))
	}
	return b, nil
}

// settle creates the workspace if it is missing.
func (b *bench) settle(ctx context.Context) (err error) {
	if b.workspace, err = b.control.Workspace(ctx, workspaceID); fault.KindOf(err) != fault.KindNotFound {
		return err
	}
	w := control.NewWorkspace(demo.StoreName)
	w.ID, w.Currency, w.Zone = workspaceID, demo.StoreCurrency, demo.StoreZone
	b.workspace, err = b.control.CreateWorkspace(ctx, w, b.by())
	return err
}

func (b *bench) by() control.By { return control.By{Actor: "bench", At: b.clock()} }

// start creates the tools again, with an empty cache.
func (b *bench) start() (err error) {
	b.service, err = toolkit.NewService(toolkit.Deps{
		Sources: snapshot.Sources{
			Facts: b.facts, Models: toolkittest.Nothing{}, Experiments: b.control, Forecasts: b.control, Clock: b.clock, Now: b.clock,
		},
		Keys: toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Calls: toolkittest.Nothing{}, Callers: toolkittest.Nothing{},
		Log: slog.New(slog.DiscardHandler),
	}, tools.All())
	return err
}

func (b *bench) close(ctx context.Context) error {
	return errors.Join(b.control.Close(), b.engine.Close(ctx))
}

// clock returns noon of a day.
func (b *bench) clock() time.Time {
	day := lastDay.AddDays(-int(b.back.Load()))
	return civil.StartOf(day, b.zone).Add(12 * time.Hour).UTC()
}

// session returns the session of a key with read scope.
func (b *bench) session() mcp.Session {
	return b.service.Session(auth.Principal{Workspace: b.workspace, Actor: "key:bench", Kind: auth.ByKey, Scopes: []control.Scope{control.ScopeRead}}, "bench")
}

// fill imports the store unless the folder already contains it.
func (b *bench) fill(ctx context.Context, o settings) error {
	have, err := b.facts.Coverage(ctx, workspaceID)
	if err != nil {
		return err
	}
	if have.Orders == 0 {
		watch := process.Begin()
		if err := b.generate(ctx, o); err != nil {
			return err
		}
		wall, cpu := watch.Took()
		fmt.Fprintf(os.Stdout, "generated and imported in %s, CPU %s\n", wall.Round(time.Second), cpu.Round(time.Second))
		if have, err = b.facts.Coverage(ctx, workspaceID); err != nil {
			return err
		}
	}
	if err := b.service.Snapshots().Forecast(ctx, b.workspace); err != nil { // a running service does this every day
		return err
	}
	fmt.Fprintf(os.Stdout, "%d orders, %d touchpoints, %d lines, %d answers, %d coupons\n", have.Counts["orders"], have.Counts["touches"],
		have.Counts["order_lines"], have.Counts["survey_responses"], have.Counts["order_coupons"])
	return nil
}

// generate generates the store and imports it.
func (b *bench) generate(ctx context.Context, o settings) error {
	load, err := b.begin(ctx, workspaceID)
	if err != nil {
		return err
	}
	defer load.Abort()
	longer := newLonger()
	truth, err := demo.Generate(b.storeOf(demo.Options{Seed: 7, Days: storeDays, Orders: o.orders}), func(batch *warehouse.Batch) error {
		longer.lengthen(batch)
		if o.bare {
			batch.Touches, batch.Lines = batch.Touches[:0], batch.Lines[:0]
		}
		return load.Add(ctx, batch)
	})
	if err != nil {
		return err
	}
	if _, err = load.Commit(ctx); err != nil {
		return err
	}
	for _, e := range demo.Experiments(truth) {
		e.Workspace = workspaceID
		if _, err := b.control.CreateExperiment(ctx, e, b.by()); err != nil {
			return err
		}
	}
	return nil
}

// storeOf sets the fields that all generated facts share.
func (b *bench) storeOf(o demo.Options) demo.Options {
	o.Today, o.Zone, o.Currency, o.HashKey = lastDay, b.zone, demo.StoreCurrency, []byte("the key of the benchmark's customers")
	return o
}

func (b *bench) begin(ctx context.Context, into measure.WorkspaceID) (warehouse.Import, error) {
	return b.facts.Begin(ctx, warehouse.ImportSpec{Workspace: into, Source: "bench", Base: demo.StoreCurrency})
}

// Conversion paths of the demo have about two touchpoints, and a tenth of the orders have none. Additional touchpoints
// for some orders raise the average to three per order.
const (
	longerShare  = 0.35
	mostBefore   = 5
	hoursBetween = 20
)

// met are the channels of the added touchpoints, the most frequent first.
var met = []measure.Channel{"facebook", "google", "organic_search", "direct", "email", "tiktok", "referral", "affiliate"}

// longer adds touchpoints of kind view to the start of some conversion paths. It keeps its state between batches,
// because the touchpoints of an order may be in several batches.
type longer struct {
	r      *rand.Rand
	before int // touchpoints added to the current order
}

func newLonger() *longer { return &longer{r: rand.New(rand.NewPCG(3, 5))} }

func (l *longer) lengthen(b *warehouse.Batch) {
	touches := make([]warehouse.Touch, 0, len(b.Touches)*3/2)
	for _, t := range b.Touches {
		if t.Seq == 1 {
			l.before = 0
			if l.r.Float64() < longerShare {
				l.before = 1 + l.r.IntN(mostBefore)
			}
			for i := range l.before {
				touches = append(touches, warehouse.Touch{
					OrderRef: t.OrderRef, Seq: i + 1, At: t.At.Add(-time.Duration(l.before-i) * hoursBetween * time.Hour),
					Channel: met[int(float64(len(met))*l.r.Float64()*l.r.Float64())], Kind: "view",
				})
			}
		}
		t.Seq += l.before
		touches = append(touches, t)
	}
	b.Touches = touches
}
