package merge

import (
	"context"
	"fmt"
	"sync/atomic"

	"assay/internal/fault"
	"assay/internal/panics"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// failure is the error of a block that could not be written.
type failure struct{ atomic.Pointer[error] }

// block is a block of rows to write.
type block struct {
	facts.Full
	ctx context.Context //nolint:containedctx // a message to the writer, not a long-lived field
}

// Begin starts an import. The import collects rows in blocks. A goroutine writes full blocks to the database while the
// caller continues reading. If the import cannot start, Begin closes the session.
func Begin(ctx context.Context, o Options) (*Import, error) {
	i := &Import{
		plan: &plan{
			session: o.Session, texts: texts{o.Dialect, o.Spec.Workspace}, spec: o.Spec, clock: o.Clock,
			panelSize: o.PanelSize, version: o.Version, buffers: facts.NewBuffers(o.BlockRows),
			windows: append([]warehouse.AdWindow(nil), o.Spec.Replace...), counts: map[string]warehouse.Counts{},
		},
		explain: o.Explain, committed: o.Committed, ended: o.Ended,
		inTurn: o.InTurn, turn: make(chan struct{}, 1), blocks: make(chan block), written: make(chan struct{}),
	}
	for _, t := range facts.Tables {
		i.all = append(i.all, &part{Table: t, Course: i.buffers.Course(t)})
	}
	if err := i.readOrders(ctx); err != nil {
		i.end()
		return nil, i.failed(ctx, err)
	}
	go i.write()
	return i, nil
}

func (i *Import) failed(ctx context.Context, err error) error {
	return fmt.Errorf("import into %s: %w", i.spec.Workspace, i.explain(ctx, err))
}

// readOrders reads the numbers that the store has assigned to kinds and places of orders, so that the import uses the
// same numbers.
func (p *plan) readOrders(ctx context.Context) error {
	any, err := p.any(ctx, facts.OrdersTable.Stored)
	if err != nil {
		return err
	}
	p.fresh = !any
	shared := p.buffers.Texts()
	err = p.each(ctx, "sql/known_kinds", nil, func(row warehouse.Row) error { return shared.KnowKind(row.Scan) })
	if err != nil {
		return fmt.Errorf("kinds of orders: %w", err)
	}
	err = p.each(ctx, "sql/known_places", nil, func(row warehouse.Row) error { return shared.KnowPlace(row.Scan) })
	if err != nil {
		return fmt.Errorf("places of orders: %w", err)
	}
	return nil
}

// Add adds rows; see [warehouse.Import].
func (i *Import) Add(ctx context.Context, b *facts.Batch) error {
	if i.over {
		return fault.Conflict("the import has ended")
	}
	if err := b.Check(); err != nil {
		return err
	}
	if err := i.buffers.Add(b, i.sender(ctx)); err != nil {
		return i.failed(ctx, err)
	}
	return nil
}

// Replace adds windows of ad reports that the import replaces. It is for readers that find a window only while they
// read.
func (i *Import) Replace(windows ...warehouse.AdWindow) { i.windows = append(i.windows, windows...) }

// sender returns a function that passes a block to the writer or returns the failure of an earlier block.
func (i *Import) sender(ctx context.Context) func(facts.Full) error {
	return func(full facts.Full) error {
		if failed := i.failure.Load(); failed != nil {
			return *failed
		}
		select {
		case i.blocks <- block{i.awaited(full), context.WithoutCancel(ctx)}:
		case <-ctx.Done():
			return ctx.Err()
		}
		if i.inTurn {
			<-i.turn
		}
		return nil
	}
}

// awaited returns a block that notifies the waiting caller when it is written.
func (i *Import) awaited(full facts.Full) facts.Full {
	if !i.inTurn {
		return full
	}
	done := full.Done
	full.Done = func() {
		done()
		i.turn <- struct{}{}
	}
	return full
}

// write is the goroutine that owns the session until all blocks are written.
func (i *Import) write() {
	defer close(i.written)
	for b := range i.blocks {
		if i.failure.Load() == nil {
			if err := panics.Caught(func() error { return i.writeBlock(b) }); err != nil {
				i.failure.Store(&err)
			}
		}
		b.Done()
	}
}

func (p *plan) writeBlock(b block) error {
	to := p.of(b.Table)
	if !to.opened {
		if err := p.open(b.ctx, to); err != nil {
			return fmt.Errorf("rows of %s: %w", b.Table.Name, err)
		}
	}
	to.rows += int64(b.Rows.Len())
	if err := p.session.Append(b.ctx, to.target, b.Rows, b.InOrder); err != nil {
		return fmt.Errorf("rows of %s: %w", b.Table.Name, err)
	}
	return nil
}

// open selects the target of a table's rows: the table itself for an empty table, otherwise a staging table.
func (p *plan) open(ctx context.Context, to *part) error {
	to.opened = true
	any, err := p.any(ctx, to.Stored)
	if err != nil {
		return err
	}
	to.direct = !any && (to.Kind != facts.PartOfOrder || p.fresh)
	if to.direct {
		to.target = p.texts.table(to.Stored)
		return nil
	}
	to.target = "stage_" + to.Stored
	return p.run(ctx, "sql/stage", args{"stored": to.Stored})
}

// drain writes the remaining rows in the buffers and waits for the writer.
func (i *Import) drain(ctx context.Context) error {
	err := i.buffers.Flush(i.sender(ctx))
	close(i.blocks)
	<-i.written
	if failed := i.failure.Load(); failed != nil {
		return *failed
	}
	if err != nil {
		return err
	}
	shared := i.buffers.Texts()
	for table, rows := range map[string]facts.Rows{"order_kinds": shared.Kinds(), "order_places": shared.Places()} {
		if rows.Len() == 0 {
			continue
		}
		if err := i.session.Append(ctx, i.texts.table(table), rows, true); err != nil {
			return fmt.Errorf("rows of %s: %w", table, err)
		}
	}
	return nil
}

// Abort discards the import; see [warehouse.Import].
func (i *Import) Abort() {
	if i.over {
		return
	}
	close(i.blocks)
	<-i.written
	i.end()
}

func (i *Import) end() {
	if i.over {
		return
	}
	i.over = true
	i.session.Close()
	i.ended()
}

// Commit merges the rows, rebuilds roll-ups and makes the changes visible; see [warehouse.Import].
func (i *Import) Commit(ctx context.Context) (warehouse.Outcome, error) {
	if i.over {
		return warehouse.Outcome{}, fault.Conflict("the import has ended")
	}
	defer i.end()
	err := i.drain(ctx)
	var out warehouse.Outcome
	if err == nil {
		out, err = i.merge(ctx)
	}
	if err == nil && !i.spec.DryRun {
		err = i.session.Commit(ctx)
	}
	if err != nil {
		return warehouse.Outcome{}, i.failed(ctx, err)
	}
	if !i.spec.DryRun {
		i.committed(out.Version)
	}
	return out, nil
}
