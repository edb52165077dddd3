// Package clickhouse is the engine of the warehouse for several nodes. ClickHouse stores the facts. Each node answers
// queries from a local copy in DuckDB (docs/decisions/0035).
//
// An import runs in the local copy, with the statements that every engine uses. Before the import commits in the copy,
// it writes the changed rows to ClickHouse. One row in the table commits then makes these rows valid. The local copy is
// disposable: the engine creates it again from the commits.
package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/panics"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// Options are the settings of an engine. The comments state the meaning of zero values.
type Options struct {
	URL   string         // clickhouse://user:password@host:port,host:port/database?cluster=name&quorum=2
	Local duckdb.Options // settings of the local copies

	// Lock makes this process the only process that imports into a workspace. If it is nil, no other process may
	// import.
	Lock func(ctx context.Context, ws measure.WorkspaceID) (Lock, error)
	// Fresh is the maximum time for which queries reuse the latest known commit. Imports of other nodes are visible
	// after this time. 0 means half a second. With a negative value, each query looks up the latest commit.
	Fresh time.Duration
}

// Lock is a lock on a workspace that all nodes respect.
type Lock interface {
	// Token is the fencing token. It is positive, and larger than the tokens of the workspace's earlier locks.
	Token() int64
	// Held returns an error if another process may have the lock.
	Held(ctx context.Context) error
	Release()
}

// Engine stores facts in ClickHouse. It is safe for concurrent use.
type Engine struct {
	*duckdb.Engine // the local copies
	store          *store
	options        Options
	log            *slog.Logger

	beforeCommit, afterCommit func() // test hooks, called around the commit in ClickHouse
	beforeApply               func() // test hook, called before rows are read from ClickHouse

	open context.Context //nolint:containedctx // context of updates that outlive calls; ends when the engine is closed
	stop func()          // ends open

	mu        sync.Mutex // guards the fields below
	copies    map[measure.WorkspaceID]*localCopy
	failed    map[measure.WorkspaceID]error // errors of the last attempts to update a copy
	refreshes panics.Group

	small, large chan struct{} // one element per running update of a copy
}

// localCopy is the engine's state for the local copy of a workspace.
type localCopy struct {
	writer chan struct{} // one slot, for an import or for an update of the copy

	mu      sync.Mutex // guards the fields below
	known   bool       // the field place is up to date
	place   duckdb.Place
	checked time.Time    // last time when no later commit was found
	running *refresh     // nil: no update runs
	settled duckdb.Place // last commit of this process that was acknowledged; no late commit replaces it
	ours    bool         // an import of this node has the workspace's lock, so no other commits are expected

	lock   Lock    // lock of the running import; guarded by writer
	latest history // commits that the running import continues; guarded by writer
	purge  bool    // the running import forgets customers; guarded by writer
}

// These are the maximum numbers of concurrent updates of local copies. An update of at least largeRows rows is large.
// Each update has a connection to ClickHouse. Large updates do not delay small updates.
const (
	mostSmall = 8
	mostLarge = 2
	largeRows = 1_000_000
)

// refresh is a running update of a local copy. Calls share it, and it continues when a call ends: the first update of a
// large workspace can exceed the deadline of a call.
type refresh struct {
	done chan struct{} // closed at the end
	err  error         // valid after the end
}

// Open connects to ClickHouse and creates missing tables. An unreachable server is an error of kind unavailable.
func Open(ctx context.Context, options Options) (*Engine, error) {
	if options.Fresh == 0 {
		options.Fresh = 500 * time.Millisecond
	}
	log := options.Local.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	store, err := open(ctx, options.URL)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		store: store, options: options, log: log, beforeCommit: func() {}, afterCommit: func() {}, beforeApply: func() {},
		copies: map[measure.WorkspaceID]*localCopy{}, failed: map[measure.WorkspaceID]error{},
		small: make(chan struct{}, mostSmall), large: make(chan struct{}, mostLarge),
	}
	e.open, e.stop = context.WithCancel(context.Background())
	local := options.Local
	local.Publish = e.publish
	if e.Engine, err = duckdb.Open(ctx, local); err != nil {
		e.stop()
		return nil, errors.Join(err, store.close())
	}
	return e, nil
}

// Close cancels updates of copies. It waits for them and for running queries and imports until ctx ends, then closes
// the copies and the connections.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	e.stop()
	e.mu.Unlock()
	ended := make(chan struct{})
	new(panics.Group).Go(func() {
		defer close(ended)
		e.refreshes.Wait()
	})
	select {
	case <-ended:
	case <-ctx.Done():
	}
	return errors.Join(e.Engine.Close(ctx), e.store.close())
}

// Ping returns an error if ClickHouse or the local engine does not answer.
func (e *Engine) Ping(ctx context.Context) error {
	return errors.Join(e.Engine.Ping(ctx), e.store.ping(ctx))
}

// copyOf returns the engine's state for the local copy of a workspace.
func (e *Engine) copyOf(ws measure.WorkspaceID) *localCopy {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, ok := e.copies[ws]
	if !ok {
		c = &localCopy{writer: make(chan struct{}, 1)}
		e.copies[ws] = c
	}
	return c
}

// enter waits until no import and no update of the copy runs.
func (c *localCopy) enter(ctx context.Context, ws measure.WorkspaceID) error {
	select {
	case c.writer <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.Unavailable("another import into %s is running", ws).WithHint("try again when it has ended").Wrap(ctx.Err())
	}
}

func (c *localCopy) leave() { <-c.writer }

// forget makes the next query look up the position of the local copy and the latest commit.
func (c *localCopy) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.checked = false, time.Time{}
}

// placeOf returns the position of the local copy in the workspace's commits.
func (e *Engine) placeOf(ctx context.Context, ws measure.WorkspaceID, c *localCopy) (duckdb.Place, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		return c.place, nil
	}
	p, _, err := e.Place(ctx, ws)
	c.place, c.known = p, err == nil
	return p, err
}

// update waits until the local copy has the commits that the call must see. If ClickHouse has no later commit than the
// copy, update does not wait for the copy's writer lock.
func (e *Engine) update(ctx context.Context, ws measure.WorkspaceID) error {
	c := e.copyOf(ws)
	c.mu.Lock()
	fresh := c.ours || c.known && time.Since(c.checked) < e.options.Fresh
	c.mu.Unlock()
	if fresh {
		return nil
	}
	for {
		began := time.Now() //nolint:forbidigo // the import clock is fixed in tests and demos
		place, err := e.placeOf(ctx, ws, c)
		if err != nil {
			return err
		}
		commits, err := e.store.commits(ctx, ws, place.Sequence)
		if err != nil {
			return err
		}
		if commits.upToDate(place) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.checked = began
			return nil
		}
		r := e.refresh(ws, c, commits)
		select {
		case <-r.done:
		case <-ctx.Done():
			return fault.Unavailable("this node is still copying the facts of %s from ClickHouse", ws).WithHint("try again in a minute").Wrap(ctx.Err())
		}
		if r.err != nil {
			return r.err
		}
	}
}

// setOurs records whether an import of this node has the workspace's lock. The import's queries must not wait for an
// update of the copy, because the update waits for the import.
func (c *localCopy) setOurs(ours bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ours = ours
}

// refresh returns the running update of a copy. If no update runs, it starts an update, which applies the missing
// commits and later commits.
func (e *Engine) refresh(ws measure.WorkspaceID, c *localCopy, missing history) *refresh {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		return c.running
	}
	slots := e.small
	if missing.rows() > largeRows {
		slots = e.large
	}
	r := &refresh{done: make(chan struct{})}
	end := func(err error) {
		r.err = err
		close(r.done)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open.Err() != nil {
		end(fault.Unavailable("this node is shutting down"))
		return r
	}
	c.running = r
	e.refreshes.Go(func() {
		err := panics.Caught(func() error {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-e.open.Done():
				return e.open.Err()
			}
			if err := c.enter(e.open, ws); err != nil {
				return err
			}
			defer c.leave()
			_, err := e.applyLatest(e.open, ws, c)
			return err
		})
		e.noteUpdate(e.open, ws, err)
		c.mu.Lock()
		c.running = nil
		c.mu.Unlock()
		end(err)
	})
	return r
}

// noteUpdate records whether the update of a workspace's copy succeeded.
func (e *Engine) noteUpdate(ctx context.Context, ws measure.WorkspaceID, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err == nil:
		delete(e.failed, ws)
	case ctx.Err() == nil && fault.KindOf(err) != fault.KindNotFound:
		if e.failed[ws] == nil {
			e.log.ErrorContext(ctx, "facts of a workspace cannot be read from ClickHouse", slog.String("workspace", string(ws)), slog.Any("error", err))
		}
		e.failed[ws] = err
	}
}

// Unopened returns the workspaces with facts that could not be read at the last attempt.
func (e *Engine) Unopened() map[measure.WorkspaceID]error {
	unopened := e.Engine.Unopened()
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.Copy(unopened, e.failed)
	return unopened
}

// Try updates the local copy of a workspace, and returns the error if the update fails.
func (e *Engine) Try(ctx context.Context, ws measure.WorkspaceID) error {
	err := e.update(ctx, ws)
	e.noteUpdate(ctx, ws, err)
	return err
}

// Select runs a statement that reads one workspace; see [warehouse.Engine].
func (e *Engine) Select(ctx context.Context, ws measure.WorkspaceID, s warehouse.Statement, each func(warehouse.Row) error) error {
	if err := e.Try(ctx, ws); err != nil {
		return fmt.Errorf("question %s: %w", s.Name, err)
	}
	return e.Engine.Select(ctx, ws, s, each)
}

// Version returns the data version of a workspace; see [warehouse.Warehouse.Version].
func (e *Engine) Version(ctx context.Context, ws measure.WorkspaceID) (uint64, error) {
	if err := e.Try(ctx, ws); err != nil {
		return 0, err
	}
	return e.Engine.Version(ctx, ws)
}

// State returns the contents of a snapshot taken now; see [warehouse.Snapshotter].
func (e *Engine) State(ctx context.Context, ws measure.WorkspaceID) (warehouse.SnapshotState, error) {
	if err := e.Try(ctx, ws); err != nil {
		return warehouse.SnapshotState{}, err
	}
	return e.Engine.State(ctx, ws)
}

// Snapshot writes the committed facts to a DuckDB file; see [warehouse.Snapshotter].
func (e *Engine) Snapshot(ctx context.Context, ws measure.WorkspaceID, dir string) (warehouse.Snapshot, error) {
	if err := e.Try(ctx, ws); err != nil {
		return warehouse.Snapshot{}, err
	}
	return e.Engine.Snapshot(ctx, ws, dir)
}

// Export writes every table of a workspace to a directory; see [warehouse.Exporter].
func (e *Engine) Export(ctx context.Context, ws measure.WorkspaceID, dir string, format warehouse.ExportFormat) ([]warehouse.ExportedTable, error) {
	if err := e.Try(ctx, ws); err != nil {
		return nil, err
	}
	return e.Engine.Export(ctx, ws, dir, format)
}

// CatchUp rebuilds the roll-ups of days that a migration marked; see [warehouse.Successor].
func (e *Engine) CatchUp(ctx context.Context, ws measure.WorkspaceID) (bool, error) {
	if err := e.Try(ctx, ws); err != nil {
		return false, err
	}
	return e.CatchUpBy(ctx, ws, e.Begin)
}
