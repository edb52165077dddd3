package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"assay/bench/report"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// importDays is the number of distinct days that calls during imports use before the days repeat.
const importDays = 300

// importedDays is the number of days at the end of the store's data that receive the imported orders.
const importedDays = 30

// anotherID is the ID of an empty workspace. Orders are imported into it during calls to the first workspace.
const anotherID measure.WorkspaceID = "another"

// measureDuringImports measures rounds of all calls. The calls run first alone, then during an import of a month of
// orders into another workspace, and then during the same import into the measured workspace.
func (b *bench) measureDuringImports(ctx context.Context, o settings) error {
	batches, err := b.more(ctx, o.imported)
	if err != nil {
		return err
	}
	alone := spreadsOf(o)
	for n := range o.calls {
		if err := b.round(ctx, o, n, alone); err != nil {
			return err
		}
	}
	another, err := b.during(ctx, o, anotherID, batches)
	if err := errors.Join(err, b.engine.Drop(ctx, anotherID)); err != nil {
		return err
	}
	same, err := b.during(ctx, o, workspaceID, batches)
	if err != nil {
		return err
	}
	return report.PrintDuring(os.Stdout, fmt.Sprintf("Calls alone, %d rounds, and while %d orders are imported; the goal is at most twice the p99", o.calls, o.imported),
		alone, []report.During{{What: "another workspace", Spreads: another}, {What: "the same workspace", Spreads: same}})
}

// during makes rounds of calls until an import ends.
func (b *bench) during(ctx context.Context, o settings, into measure.WorkspaceID, batches []*warehouse.Batch) ([]report.Spread, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now() //nolint:forbidigo // a benchmark measures the real time
	imported := make(chan error, 1)
	go func() { imported <- b.bring(ctx, into, batches) }()
	lines := spreadsOf(o)
	for n := 0; ; n++ {
		select {
		case err := <-imported:
			fmt.Fprintf(os.Stdout, "%d orders imported into %q during %d rounds of calls in %s\n", o.imported, into, n, time.Since(began).Round(time.Second))
			return lines, err
		default:
		}
		if err := b.round(ctx, o, n, lines); err != nil {
			cancel()
			return nil, errors.Join(err, <-imported)
		}
	}
}

func spreadsOf(o settings) []report.Spread {
	var lines []report.Spread
	for _, c := range chosen(o) {
		lines = append(lines, report.Spread{What: c.name})
	}
	return lines
}

// round makes each call once, on a day that no earlier round used.
func (b *bench) round(ctx context.Context, o settings, n int, lines []report.Spread) error {
	if n%importDays == 0 {
		if _, err := b.first(ctx); err != nil {
			return err
		}
	}
	b.back.Store(int64(1 + n%importDays))
	for i, c := range chosen(o) {
		if err := timed(ctx, b.session(), c, &lines[i]); err != nil {
			return err
		}
		lines[i].CPU = nil // the CPU time includes the import
	}
	return nil
}

// more generates the orders of another month and the rows that belong to them. The store does not contain the orders'
// keys.
func (b *bench) more(ctx context.Context, orders int) ([]*warehouse.Batch, error) {
	have, err := b.facts.Coverage(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	prefix := strconv.FormatInt(have.Counts["orders"], 10) + "-"
	var batches []*warehouse.Batch
	longer := newLonger()
	_, err = demo.Generate(b.storeOf(demo.Options{Seed: 8, Days: importedDays, Orders: orders}), func(made *warehouse.Batch) error {
		longer.lengthen(made)
		batches = append(batches, ordersOf(made, prefix))
		return nil
	})
	return batches, err
}

// ordersOf copies the orders of a batch and their rows. Each key gets the prefix.
func ordersOf(of *warehouse.Batch, prefix string) *warehouse.Batch {
	b := &warehouse.Batch{
		Orders: slices.Clone(of.Orders), Lines: slices.Clone(of.Lines), Refunds: slices.Clone(of.Refunds), Coupons: slices.Clone(of.Coupons),
		Touches: slices.Clone(of.Touches), Surveys: slices.Clone(of.Surveys),
	}
	rename := func(r *warehouse.OrderRef) { r.Key = prefix + r.Key }
	for i := range b.Orders {
		rename(&b.Orders[i].OrderRef)
	}
	for i := range b.Lines {
		rename(&b.Lines[i].OrderRef)
	}
	for i := range b.Refunds {
		rename(&b.Refunds[i].OrderRef)
	}
	for i := range b.Coupons {
		rename(&b.Coupons[i].OrderRef)
	}
	for i := range b.Touches {
		rename(&b.Touches[i].OrderRef)
	}
	for i := range b.Surveys {
		rename(&b.Surveys[i].OrderRef)
		b.Surveys[i].Key = prefix + b.Surveys[i].Key
	}
	return b
}

// bring imports batches.
func (b *bench) bring(ctx context.Context, into measure.WorkspaceID, batches []*warehouse.Batch) error {
	load, err := b.begin(ctx, into)
	if err != nil {
		return err
	}
	defer load.Abort()
	for _, batch := range batches {
		if err := load.Add(ctx, batch); err != nil {
			return err
		}
	}
	_, err = load.Commit(ctx)
	return err
}
