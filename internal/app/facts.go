package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"assay/internal/config"
	"assay/internal/control/sqlstore"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/clickhouse"
	"assay/internal/warehouse/duckdb"
)

// engine is the part of a fact store that the app manages.
type engine interface {
	warehouse.Engine
	Close(ctx context.Context) error
	Ping(ctx context.Context) error
	Drop(ctx context.Context, ws measure.WorkspaceID) error
	Try(ctx context.Context, ws measure.WorkspaceID) error
	Rest(ctx context.Context, ws measure.WorkspaceID) error
	Unopened() map[measure.WorkspaceID]error
	CloseIdle(ctx context.Context) error
}

// openFacts opens the fact store that the settings select: ClickHouse, or files in the data directory.
func openFacts(ctx context.Context, c config.Config, store *sqlstore.Store, log *slog.Logger, now func() time.Time) (engine, error) {
	if c.FactsURL.Text() == "" {
		return opened(openFiles(ctx, c, store, log, now))
	}
	return opened(openClickHouse(ctx, c, store, log, now))
}

// opened returns a nil interface after an error, because an interface that contains a nil pointer is not nil.
func opened[E engine](e E, err error) (engine, error) {
	if err != nil {
		return nil, err
	}
	return e, nil
}

// options returns the settings of DuckDB for a folder of the data directory.
func options(c config.Config, folder string, log *slog.Logger, now func() time.Time) duckdb.Options {
	return duckdb.Options{
		Dir: filepath.Join(c.Data, folder), Log: log, Clock: now, MemoryLimit: c.MemoryLimit,
		MaxAttached: c.MaxAttached, ImportThreads: c.ImportThreads,
	}
}

func openFiles(ctx context.Context, c config.Config, store *sqlstore.Store, log *slog.Logger, now func() time.Time) (*duckdb.Engine, error) {
	o := options(c, datadir.Facts, log, now)
	o.Files = factFiles{store, o.Dir}
	return duckdb.Open(ctx, o)
}

func openClickHouse(ctx context.Context, c config.Config, store *sqlstore.Store, log *slog.Logger, now func() time.Time) (*clickhouse.Engine, error) {
	local := options(c, datadir.Copies, log, now)
	local.Files = copyFiles{factFiles{store, filepath.Join(c.Data, datadir.Facts)}}
	return clickhouse.Open(ctx, clickhouse.Options{URL: c.FactsURL.Text(), Local: local, Lock: importLock(store)})
}

// importLock returns the function that takes the lock on a workspace's imports.
func importLock(store *sqlstore.Store) func(context.Context, measure.WorkspaceID) (clickhouse.Lock, error) {
	return func(ctx context.Context, ws measure.WorkspaceID) (clickhouse.Lock, error) {
		lock, err := store.LockImport(ctx, ws)
		if err != nil {
			return nil, err // not the nil pointer, because an interface with a nil pointer is not nil
		}
		return lock, nil
	}
}

// factFiles records in the control data which workspaces have a facts file. It implements [duckdb.Files].
type factFiles struct {
	store *sqlstore.Store
	dir   string
}

// MayMake implements [duckdb.Files].
func (f factFiles) MayMake(ctx context.Context, ws measure.WorkspaceID) error {
	had, err := f.store.HasFactsFile(ctx, ws)
	if err != nil || !had {
		return err
	}
	return fault.Unavailable("the facts of workspace %q are missing", ws).Wrap(fmt.Errorf("no file %s", f.path(ws))).
		WithHint("restore the workspace's file from a backup. To start without facts, delete the workspace and create it again")
}

func (f factFiles) path(ws measure.WorkspaceID) string {
	return filepath.Join(f.dir, string(ws)+".duckdb")
}

// has reports whether the workspace may have a facts file.
func (f factFiles) has(ws measure.WorkspaceID) bool {
	_, err := os.Lstat(f.path(ws))
	return !errors.Is(err, fs.ErrNotExist)
}

// Opened implements [duckdb.Files].
func (f factFiles) Opened(ctx context.Context, ws measure.WorkspaceID) error {
	return f.store.SetHasFactsFile(ctx, ws, true)
}

// Dropping implements [duckdb.Files].
func (f factFiles) Dropping(ctx context.Context, ws measure.WorkspaceID) error {
	return f.store.SetHasFactsFile(ctx, ws, false)
}

// copyFiles permits the engine to create missing local copies, except for workspaces with facts in a file of this data
// directory. It implements [duckdb.Files].
type copyFiles struct{ files factFiles }

// MayMake implements [duckdb.Files].
func (f copyFiles) MayMake(_ context.Context, ws measure.WorkspaceID) error {
	if !f.files.has(ws) {
		return nil
	}
	return fault.Unavailable("the facts of workspace %q are in a DuckDB file, not in ClickHouse", ws).
		WithHint("stop the service and run: assay facts move --workspace %s --to clickhouse", ws)
}

// Opened implements [duckdb.Files]. It rejects a copy if the facts are in a file of this data directory. Otherwise it
// records that the workspace has a facts file. Backups contain the workspaces with this record. Without ClickHouse, the
// service reports that the facts of these workspaces are missing.
func (f copyFiles) Opened(ctx context.Context, ws measure.WorkspaceID) error {
	if err := f.MayMake(ctx, ws); err != nil { // an interrupted move can leave a copy
		return err
	}
	return f.files.Opened(ctx, ws)
}

// Dropping implements [duckdb.Files]. The record remains if the facts are in a file of this data directory.
func (f copyFiles) Dropping(ctx context.Context, ws measure.WorkspaceID) error {
	if f.files.has(ws) {
		return nil
	}
	return f.files.Dropping(ctx, ws)
}

// Moved describes a move of facts between engines.
type Moved struct {
	Workspace measure.WorkspaceID     `json:"workspace"`
	To        string                  `json:"to"`
	Tables    []warehouse.TableTotals `json:"tables"`
	Kept      string                  `json:"kept,omitempty"` // the file that is no longer used
}

// MoveFacts copies the facts of a workspace between DuckDB and ClickHouse and compares the totals of all tables by day.
// Then it switches the workspace to the other engine. No service may run on the data directory.
func MoveFacts(ctx context.Context, c config.Config, log *slog.Logger, now func() time.Time, ws measure.WorkspaceID, to string) (moved Moved, err error) {
	if c.FactsURL.Text() == "" {
		return moved, fault.New(fault.KindMisconfigured, "facts_url is not set").WithHint("set ASSAY_FACTS_URL to the ClickHouse servers")
	}
	lock, err := datadir.Acquire(c.Data)
	if err != nil {
		return moved, err
	}
	defer func() { err = joined(err, lock.Release()) }()
	o := ControlOf(c, now)
	o.Log = log
	control, err := OpenControl(ctx, o)
	if err != nil {
		return moved, err
	}
	defer func() { err = joined(err, control.Close()) }()
	if _, err := control.Store.Workspace(ctx, ws); err != nil {
		return moved, err
	}
	files, err := openFiles(ctx, c, control.Store, log, now)
	if err != nil {
		return moved, err
	}
	defer func() { err = joined(err, files.Close(ctx)) }()
	servers, err := clickhouse.Open(ctx, clickhouse.Options{
		URL: c.FactsURL.Text(), Local: options(c, datadir.Copies, log, now), Lock: importLock(control.Store),
	})
	if err != nil {
		return moved, err
	}
	defer func() { err = joined(err, servers.Close(ctx)) }()
	m := factsMove{files: files, servers: servers, record: factFiles{control.Store, filepath.Join(c.Data, datadir.Facts)}, now: now}
	moved = Moved{Workspace: ws, To: to}
	if to == "clickhouse" {
		moved.Tables, moved.Kept, err = m.toClickHouse(ctx, ws)
	} else {
		moved.Tables, err = m.toFile(ctx, ws)
	}
	return moved, err
}

// joined returns the first error that is not nil.
func joined(err, closing error) error {
	if err != nil {
		return err
	}
	return closing
}

// factsMove moves facts between the engines of a data directory.
type factsMove struct {
	files   *duckdb.Engine
	servers *clickhouse.Engine
	record  factFiles
	now     func() time.Time
}

// toClickHouse copies the facts to ClickHouse, then renames the DuckDB file and returns its new path.
func (m factsMove) toClickHouse(ctx context.Context, ws measure.WorkspaceID) (tables []warehouse.TableTotals, kept string, err error) {
	if !m.record.has(ws) {
		return nil, "", fault.NotFound("workspace %q has no facts in a DuckDB file", ws)
	}
	if tables, err = m.servers.Receive(ctx, ws, m.files); err != nil {
		return nil, "", err
	}
	if err := m.files.Rest(ctx, ws); err != nil {
		return nil, "", err
	}
	kept = m.record.path(ws) + ".moved-" + m.now().UTC().Format("20060102T150405")
	if err := os.Rename(m.record.path(ws), kept); err != nil { // from here on, queries read ClickHouse
		return nil, "", fault.Unavailable("the file of workspace %q cannot be renamed", ws).Wrap(err)
	}
	return tables, kept, nil
}

// toFile copies the facts to a file and then removes them from ClickHouse. After an interrupted call, the file may
// already exist.
func (m factsMove) toFile(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.TableTotals, error) {
	if !m.record.has(ws) {
		if err := m.servers.Give(ctx, ws, m.record.path(ws)); err != nil {
			return nil, err
		}
	}
	if err := datadir.Sync(m.record.dir); err != nil {
		return nil, err
	}
	return m.servers.DropCopied(ctx, ws, m.files)
}
