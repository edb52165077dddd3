package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
	"assay/internal/warehouse/facts"
)

// Begin starts an import; see [warehouse.Warehouse.Begin]. When Begin returns, the import has the workspace's lock, and
// the local copy has all commits.
func (e *Engine) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	c := e.copyOf(spec.Workspace)
	if err := c.enter(ctx, spec.Workspace); err != nil {
		return nil, err
	}
	i := &imported{ended: func() {
		if c.lock != nil {
			c.lock.Release()
			c.lock = nil
		}
		c.forget()
		c.leave()
	}}
	if err := e.begin(ctx, spec, c, i); err != nil {
		i.end()
		return nil, fmt.Errorf("import into %s: %w", spec.Workspace, err)
	}
	return i, nil
}

func (e *Engine) begin(ctx context.Context, spec warehouse.ImportSpec, c *localCopy, i *imported) (err error) {
	if e.options.Lock != nil {
		lock, err := e.options.Lock(ctx, spec.Workspace)
		if err != nil {
			return err
		}
		c.lock = lock
	}
	if c.latest, err = e.applyLatest(ctx, spec.Workspace, c); err != nil {
		return err
	}
	i.Import, err = e.Engine.Begin(ctx, spec)
	return err
}

// imported is an import that releases the workspace's lock when it ends.
type imported struct {
	warehouse.Import
	ended func() // nil after the end
}

func (i *imported) end() {
	if i.ended != nil {
		i.ended()
		i.ended = nil
	}
}

// Commit commits the import; see [warehouse.Import].
func (i *imported) Commit(ctx context.Context) (warehouse.Outcome, error) {
	defer i.end()
	return i.Import.Commit(ctx)
}

// Abort discards the import; see [warehouse.Import].
func (i *imported) Abort() {
	defer i.end()
	i.Import.Abort()
}

// attemptRange is the range of the numbers without locks. The probability that two are equal is 1e-9.
const attemptRange = 1 << 30

// numberOf returns the number of a lock. Without a lock, it returns a random number, so that two imports that continue
// the same commit still have different attempts.
func numberOf(lock Lock) int64 {
	if lock == nil {
		return 1 + rand.N(int64(attemptRange)) //nolint:forbidigo // nodes must not draw the same number
	}
	return lock.Number()
}

// commitTime is the time limit of the commit, which continues even if the caller cancels. Otherwise, the outcome would be
// unknown.
const commitTime = 5 * time.Minute

// publish writes the changes of an import to ClickHouse and commits them there. If the outcome of the commit is
// unknown, the local copy rolls back. If ClickHouse stored the commit, the next update applies it.
func (e *Engine) publish(ctx context.Context, ws measure.WorkspaceID, changes *duckdb.Changes) (duckdb.Place, error) {
	c := e.copyOf(ws)
	next := c.latest.next(numberOf(c.lock), changes.Schema)
	if next.base = c.latest.needsBase() || c.latest.last().schema != next.schema; next.base {
		changes.Complete()
	}
	for _, t := range changes.Tables() {
		err := changes.Each(ctx, t, func(sign int8, rows *facts.Columnar) error {
			return e.store.write(ctx, ws, &next, t, sign, rows)
		})
		if err != nil {
			return duckdb.Place{}, fmt.Errorf("rows of %s in ClickHouse: %w", t.Name, err)
		}
	}
	if c.lock != nil {
		if err := c.lock.Held(ctx); err != nil {
			return duckdb.Place{}, err
		}
	}
	now, err := e.store.commits(ctx, ws, 0)
	if err != nil {
		return duckdb.Place{}, err
	}
	if now.last().place() != c.latest.last().place() {
		return duckdb.Place{}, fault.Conflict("another process imported into %s at the same time", ws).WithHint("repeat the import")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	e.beforeCommit()
	if err := e.store.commit(ctx, ws, next); err != nil {
		return duckdb.Place{}, err
	}
	e.afterCommit()
	if c.lock != nil {
		if err := c.lock.Held(ctx); err != nil { // the next import may have committed first, and then it is the valid one
			return duckdb.Place{}, fault.Unavailable("the connection to the control database ended while an import into %s was stored", ws).
				WithHint("repeat the import; it changes nothing if it is already stored").Wrap(fmt.Errorf("%w: %w", warehouse.ErrUncertain, err))
		}
	}
	if next.base {
		e.clean(ctx, ws, c.latest, next)
	}
	return next.place(), nil
}

// Drop deletes the facts of a workspace for all nodes; see [duckdb.Engine.Drop].
func (e *Engine) Drop(ctx context.Context, ws measure.WorkspaceID) (err error) {
	c := e.copyOf(ws)
	if err := c.enter(ctx, ws); err != nil {
		return err
	}
	defer c.leave()
	defer c.forget()
	var lock Lock
	if e.options.Lock != nil {
		if lock, err = e.options.Lock(ctx, ws); err != nil {
			return err
		}
		defer lock.Release()
	}
	all, err := e.store.commits(ctx, ws, 0)
	if err != nil {
		return err
	}
	if len(all.live()) > 0 {
		next := all.next(numberOf(lock), all.last().schema)
		next.dropped = true
		if err := e.store.commit(ctx, ws, next); err != nil {
			return err
		}
		e.clean(ctx, ws, all, next)
	}
	e.noteUpdate(ctx, ws, nil)
	return e.Engine.Drop(ctx, ws)
}

// clean deletes rows that no commit uses any more. If it fails, the next call deletes these rows.
func (e *Engine) clean(ctx context.Context, ws measure.WorkspaceID, all history, from commit) {
	if len(all.live()) == 0 {
		return
	}
	if err := e.store.clean(ctx, ws, all, from); err != nil {
		e.log.WarnContext(ctx, "outdated facts in ClickHouse are not deleted yet", slog.String("workspace", string(ws)), slog.Any("error", err))
	}
}

// applyLatest updates the local copy to the latest commit and returns all commits. The caller must have exclusive
// access to the copy.
func (e *Engine) applyLatest(ctx context.Context, ws measure.WorkspaceID, c *localCopy) (history, error) {
	c.forget()
	place, err := e.placeOf(ctx, ws, c)
	if err != nil {
		return nil, err
	}
	all, err := e.store.commits(ctx, ws, 0)
	if err != nil || all.upToDate(place) {
		return all, err
	}
	defer c.forget()
	if len(all.live()) == 0 {
		return all, e.Engine.Drop(ctx, ws)
	}
	missing, emptied := all.since(place)
	_, schema, err := e.Place(ctx, ws)
	if err != nil {
		return nil, err
	}
	of := missing[len(missing)-1].schema
	if of > schema {
		return nil, fault.Unavailable("a later release wrote the facts of %s (schema %d; this release supports %d)", ws, of, schema).
			WithHint("update this node to the later release")
	}
	if of < schema { // a commit of a release with an earlier schema follows a base with that schema
		missing, _ = all.since(duckdb.Place{})
	}
	read := func(tables []duckdb.StoredTable, pass func(duckdb.StoredTable, int8, *facts.Columnar) error) error {
		for _, t := range tables {
			if err := e.store.read(ctx, ws, missing, t, pass); err != nil {
				return fmt.Errorf("rows of %s in ClickHouse: %w", t.Name, err)
			}
		}
		return nil
	}
	e.beforeApply()
	// A replica may not have all rows yet.
	return all, e.store.again(ctx, func() error {
		if of < schema {
			return e.Upgrade(ctx, ws, all.last().place(), of, read)
		}
		return e.Apply(ctx, ws, all.last().place(), emptied, read)
	})
}
