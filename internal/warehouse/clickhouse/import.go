package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
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
		c.setOurs(false)
		c.purge = false
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
	c.purge = len(spec.Forget) > 0
	c.setOurs(c.lock != nil)
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

// tokenOf returns the fencing token of a lock, or 0 without a lock.
func tokenOf(lock Lock) int64 {
	if lock == nil {
		return 0
	}
	return lock.Token()
}

// commitTime is the time limit of the commit. The commit continues even if the caller cancels, because its outcome
// would otherwise be unknown.
const commitTime = 5 * time.Minute

// heldTime is the time limit of a check of the lock.
const heldTime = 10 * time.Second

// held returns an error if another process may have the lock. A nil lock always counts as held, so held returns nil.
func held(ctx context.Context, lock Lock) error {
	if lock == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, heldTime)
	defer cancel()
	return lock.Held(ctx)
}

// publish writes the changes of an import to ClickHouse and commits them there. If the outcome of the commit is
// unknown, the local copy rolls back. If ClickHouse stored the commit, the next update applies it.
func (e *Engine) publish(ctx context.Context, ws measure.WorkspaceID, changes *duckdb.Changes) (duckdb.Place, error) {
	c := e.copyOf(ws)
	next := c.latest.next(tokenOf(c.lock), changes.Schema)
	if next.attempt <= c.latest.last().attempt {
		return duckdb.Place{}, fmt.Errorf("no attempt is possible after %d", c.latest.last().attempt)
	}
	// The rows before a base are deleted. Without a base, the rows of a forgotten customer would remain.
	if next.base = c.purge || c.latest.needsBase() || c.latest.last().schema != next.schema; next.base {
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
	if err := held(ctx, c.lock); err != nil {
		return duckdb.Place{}, fault.Unavailable("the import lost its lock; nothing was stored").WithHint("repeat the import").Wrap(err)
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
	if err := held(ctx, c.lock); err != nil { // the next import may have committed first, and then its commit is the valid one
		return duckdb.Place{}, fault.Unavailable("an import into %s lost its lock during its commit", ws).
			WithHint("repeat the import").Wrap(fmt.Errorf("%w: %w", warehouse.ErrUnknownOutcome, err))
	}
	c.settle(next.place())
	if next.base {
		e.clean(ctx, ws, c.latest, next)
	}
	return next.place(), nil
}

// Settle adds a commit without rows; see [warehouse.Settler]. Commits of imports with earlier locks have smaller
// attempts, so they are not valid even if they arrive later. If this process has acknowledged the last commit, Settle
// does nothing.
func (e *Engine) Settle(ctx context.Context, ws measure.WorkspaceID) error {
	if e.options.Lock == nil {
		return nil
	}
	c := e.copyOf(ws)
	settled := func() (history, bool, error) {
		all, err := e.store.commits(ctx, ws, 0)
		return all, len(all.live()) == 0 || c.isSettled(all.last().place()), err
	}
	if _, done, err := settled(); done || err != nil {
		return err
	}
	if err := c.enter(ctx, ws); err != nil {
		return err
	}
	defer c.leave()
	defer c.forget()
	lock, err := e.options.Lock(ctx, ws)
	if err != nil {
		return err
	}
	defer lock.Release()
	all, done, err := settled()
	if done || err != nil {
		return err
	}
	lost := func(err error) error {
		return fault.Unavailable("another process is importing into %s", ws).WithHint("repeat the import").Wrap(err)
	}
	if err := held(ctx, lock); err != nil {
		return lost(err)
	}
	next := all.next(lock.Token(), all.last().schema)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	if err := e.store.commit(ctx, ws, next); err != nil {
		return err
	}
	if err := held(ctx, lock); err != nil {
		return lost(err)
	}
	c.settle(next.place())
	return nil
}

// settle records an acknowledged commit of this process.
func (c *localCopy) settle(place duckdb.Place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled = place
}

// isSettled reports whether this process has acknowledged the commit.
func (c *localCopy) isSettled(place duckdb.Place) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settled == place
}

// Drop deletes the facts of a workspace for all nodes; see [duckdb.Engine.Drop].
func (e *Engine) Drop(ctx context.Context, ws measure.WorkspaceID) error {
	return e.drop(ctx, ws, func(*localCopy) error { return nil })
}

// drop works like Drop. The function check runs when no other process can import, and its error prevents the deletion.
func (e *Engine) drop(ctx context.Context, ws measure.WorkspaceID, check func(*localCopy) error) error {
	c := e.copyOf(ws)
	if err := c.enter(ctx, ws); err != nil {
		return err
	}
	defer c.leave()
	defer c.forget()
	if err := e.dropCommits(ctx, ws, func() error { return check(c) }); err != nil {
		return err
	}
	e.noteUpdate(ctx, ws, nil)
	return e.Engine.Drop(ctx, ws)
}

// dropCommits commits the deletion of a workspace and deletes its rows, unless check returns an error.
func (e *Engine) dropCommits(ctx context.Context, ws measure.WorkspaceID, check func() error) error {
	var lock Lock
	if e.options.Lock != nil {
		taken, err := e.options.Lock(ctx, ws)
		if err != nil {
			return err
		}
		lock = taken
		defer lock.Release()
	}
	if err := check(); err != nil {
		return err
	}
	all, err := e.store.commits(ctx, ws, 0)
	if err != nil {
		return err
	}
	// The commit is also written if there are no facts, so that a late import is not valid.
	next := all.next(tokenOf(lock), all.last().schema)
	next.dropped = true
	lost := func(err error) error {
		return fault.Unavailable("the deletion of the facts of %s lost its lock, so they may remain in ClickHouse", ws).
			WithHint("repeat the command; if the workspace is already deleted, create it again and delete it again").Wrap(err)
	}
	if err := held(ctx, lock); err != nil {
		return lost(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	e.beforeCommit()
	if err := e.store.commit(ctx, ws, next); err != nil {
		return err
	}
	if err := held(ctx, lock); err != nil { // an import may have committed first, and then the rows are valid
		return lost(err)
	}
	e.clean(ctx, ws, all, next)
	return nil
}

// clean deletes rows that no commit uses. If it fails, the next call deletes these rows.
func (e *Engine) clean(ctx context.Context, ws measure.WorkspaceID, all history, from commit) {
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
