package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"assay/bench/report"
	"assay/internal/ingest/demo"
	"assay/internal/warehouse"
)

// besideDays is on how many distinct days calls are made beside the import, before those come round.
const besideDays = 300

// importedDays is the last days of the store that the import's orders are of.
const importedDays = 30

// measureBesideImport makes the calls in turn while orders of the last month are imported into the same store, and once
// more when they are there. What the process spends is not told, since the import is in it.
func (b *bench) measureBesideImport(ctx context.Context, o settings, calm []report.Spread) error {
	batches, err := b.more(o.imported)
	if err != nil {
		return err
	}
	lines := make([]report.Spread, len(calm))
	for i, c := range calm {
		lines[i] = report.Spread{What: c.What, Goal: 2 * c.Wall.Quantile(0.5), WorstGoal: 2 * c.Wall.Quantile(0.99)}
	}
	began := time.Now() //nolint:forbidigo // a benchmark is about the time that really passes
	imported := make(chan error, 1)
	go func() { imported <- b.bring(ctx, batches) }()
	rounds, ended := 0, false
	for ; !ended; rounds++ {
		select {
		case err := <-imported:
			if err != nil {
				return err
			}
			ended = true
			fmt.Fprintf(os.Stdout, "\n%d orders imported beside calls in %s\n", o.imported, time.Since(began).Round(time.Second))
		default:
		}
		if err := b.round(ctx, o, rounds, lines); err != nil {
			return err
		}
	}
	return report.PrintSpreads(os.Stdout, fmt.Sprintf("The same while %d orders are imported, %d rounds; the goal is twice what it was", o.imported, rounds), lines)
}

// round makes each call once, on a day that no earlier round had.
func (b *bench) round(ctx context.Context, o settings, n int, lines []report.Spread) error {
	if n%besideDays == 0 {
		if _, err := b.first(ctx); err != nil {
			return err
		}
	}
	b.back.Store(int64(1 + n%besideDays))
	for i, c := range chosen(o) {
		if err := timed(ctx, b.session(), c, &lines[i]); err != nil {
			return err
		}
		lines[i].CPU = nil
	}
	return nil
}

// more generates the orders of another month with what hangs on them.
func (b *bench) more(orders int) ([]*warehouse.Batch, error) {
	var batches []*warehouse.Batch
	longer := newLonger()
	_, err := demo.Generate(b.storeOf(demo.Options{Seed: 8, Days: importedDays, Orders: orders}), func(made *warehouse.Batch) error {
		longer.lengthen(made)
		batches = append(batches, ordersOf(made))
		return nil
	})
	return batches, err
}

// ordersOf copies the orders of a batch and what hangs on them, under keys that the store does not have.
func ordersOf(of *warehouse.Batch) *warehouse.Batch {
	b := &warehouse.Batch{
		Orders: slices.Clone(of.Orders), Lines: slices.Clone(of.Lines), Refunds: slices.Clone(of.Refunds), Coupons: slices.Clone(of.Coupons),
		Touches: slices.Clone(of.Touches), Surveys: slices.Clone(of.Surveys),
	}
	rename := func(r *warehouse.OrderRef) { r.Key = "9" + r.Key }
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
		b.Surveys[i].Key = "9" + b.Surveys[i].Key
	}
	return b
}

// bring imports batches.
func (b *bench) bring(ctx context.Context, batches []*warehouse.Batch) error {
	load, err := b.begin(ctx)
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
