package duckdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// validID is the format of a workspace ID, which is part of file and catalog names.
var validID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// workspace is the attached database file of a workspace.
type workspace struct {
	id       measure.WorkspaceID
	instance *instance
	users    int           // guarded by Engine.mu
	used     uint64        // order of last use, guarded by Engine.mu
	usedAt   time.Time     // end of last use, guarded by Engine.mu
	version  atomic.Uint64 // the data version, set by the import that has the lock

	statements sync.Map // text → *sql.Stmt
}

// text returns the SQL text of a template, with the full names of the workspace's tables.
func (w *workspace) text(template string) string {
	return warehouse.Render(Dialect{}, w.id, template)
}

func (e *Engine) path(ws measure.WorkspaceID) string {
	return filepath.Join(e.options.Dir, string(ws)+".duckdb")
}

// acquire returns a workspace that stays attached until release is called. It attaches the workspace if necessary.
func (e *Engine) acquire(ctx context.Context, ws measure.WorkspaceID) (w *workspace, release func(), err error) {
	if !validID.MatchString(string(ws)) {
		return nil, nil, fault.Invalid("%q is not a valid workspace ID", ws)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if w, err = e.attached(ctx, ws); err != nil {
		return nil, nil, err
	}
	w.instance.users++
	w.users++
	e.uses++
	w.used = e.uses
	return w, func() { e.letGo(w) }, nil
}

// attached returns a workspace and attaches it if necessary. The caller holds the lock. attached releases the lock
// while it opens and closes files, so a slow file delays only its own workspace.
func (e *Engine) attached(ctx context.Context, ws measure.WorkspaceID) (*workspace, error) {
	for {
		if err := e.ready(ctx); err != nil {
			return nil, err
		}
		if !e.moving[string(ws)] {
			break
		}
		if err := e.awaitRelease(ctx); err != nil {
			return nil, fault.Unavailable("workspace %s is being opened", ws).WithHint("try again in a second").Wrap(err)
		}
	}
	if w := e.instance.attached[string(ws)]; w != nil {
		return w, nil
	}
	in := e.instance
	w, err := e.attach(ctx, in, ws)
	if err != nil {
		e.noteFatal(in, err)
		err = fmt.Errorf("workspace %s: %w", ws, e.explained(ctx, err))
		e.noteFailed(ctx, ws, err)
		return nil, err
	}
	delete(e.failed, ws)
	return w, nil
}

// noteFailed records that a file failed to open, and logs the failure once. The caller holds the lock.
func (e *Engine) noteFailed(ctx context.Context, ws measure.WorkspaceID, err error) {
	// The caller canceled, or the error does not concern this file.
	if ctx.Err() != nil || isFatal(err) || fault.KindOf(err) == fault.KindNotFound {
		return
	}
	if e.failed[ws] == nil {
		e.options.Log.ErrorContext(ctx, "facts file of a workspace cannot be opened", slog.String("workspace", string(ws)), slog.Any("error", err))
	}
	e.failed[ws] = err
	delete(e.detached, ws)
}

// Unopened returns the errors of the files that could not be opened at the last attempt, by workspace.
func (e *Engine) Unopened() map[measure.WorkspaceID]error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.failed)
}

// Try opens the file of a workspace, if there is a file, and returns the error if opening fails.
func (e *Engine) Try(ctx context.Context, ws measure.WorkspaceID) error {
	if e.lacksFile(ws) && fault.KindOf(e.options.Files.MayMake(ctx, ws)) != fault.KindUnavailable { // deleted or new
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.failed, ws)
		return nil
	}
	_, release, err := e.acquire(ctx, ws)
	if err == nil {
		release()
	}
	return err
}

func (e *Engine) letGo(w *workspace) {
	e.mu.Lock()
	defer e.mu.Unlock()
	w.users--
	w.usedAt = e.now()
	w.instance.users--
	e.wake()
}

// wake wakes all waiting calls of awaitRelease. The caller holds the lock.
func (e *Engine) wake() {
	close(e.released)
	e.released = make(chan struct{})
}

// move reserves a workspace's file and keeps the instance open until done is called. The caller holds the lock when it
// calls move and done, and may release the lock in between.
func (e *Engine) move(in *instance, ws measure.WorkspaceID) (done func()) {
	e.moving[string(ws)] = true
	in.users++
	return func() {
		delete(e.moving, string(ws))
		in.users--
		e.wake()
	}
}

// unlocked runs a slow operation with the lock released.
func (e *Engine) unlocked(do func() error) error {
	e.mu.Unlock()
	defer e.mu.Lock()
	return do()
}

// awaitRelease releases the lock until a workspace or its file is released, and then locks it again.
func (e *Engine) awaitRelease(ctx context.Context) error {
	released := e.released
	e.mu.Unlock()
	defer e.mu.Lock()
	select {
	case <-released:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ready ensures a working instance. It replaces a broken instance when the instance has no users. Until then, the files
// of the broken instance must not be opened a second time.
func (e *Engine) ready(ctx context.Context) error {
	if e.closed {
		return fault.Unavailable("the fact store is closed")
	}
	if !e.instance.broken {
		return nil
	}
	if e.instance.users > 0 {
		return fault.Unavailable("the fact store is restarting after a failure").WithHint("try again in a second")
	}
	if err := e.instance.db.Close(); err != nil {
		e.options.Log.WarnContext(ctx, "broken fact store did not close cleanly", slog.Any("error", err))
	}
	fresh, err := e.start(ctx)
	if err != nil {
		return err
	}
	e.instance = fresh
	return nil
}

// noteFatal marks an instance as unusable. The caller holds the lock.
func (e *Engine) noteFatal(in *instance, err error) {
	if err != nil && isFatal(err) && !in.broken {
		in.broken = true
		e.options.Log.Error("fact store invalidated; it will be reopened", slog.Any("error", err))
	}
}

// noticed returns the error with its kind. If the error is fatal, noticed records that the instance is unusable.
func (e *Engine) noticed(ctx context.Context, w *workspace, err error) error {
	if err == nil {
		return nil
	}
	e.mu.Lock()
	e.noteFatal(w.instance, err)
	e.mu.Unlock()
	return e.explained(ctx, err)
}

// attach opens the workspace's file. If too many files are open, it first closes other files.
func (e *Engine) attach(ctx context.Context, in *instance, ws measure.WorkspaceID) (*workspace, error) {
	defer e.move(in, ws)()
	if err := e.detachIdle(ctx, in); err != nil {
		return nil, err
	}
	w := &workspace{id: ws, instance: in}
	err := e.unlocked(func() error {
		if err := e.mayMake(ctx, ws); err != nil {
			return err
		}
		if err := w.open(ctx, e.path(ws)); err != nil {
			return err
		}
		if err := e.options.Files.Opened(ctx, ws); err != nil {
			return errors.Join(err, w.detach(ctx))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	in.attached[string(ws)] = w
	delete(e.detached, ws)
	return w, nil
}

// mayMake returns an error if the missing file of a workspace must not be created. A deletion waits until the file is
// open. Therefore, if a workspace is deleted after this check, its new file is deleted too.
func (e *Engine) mayMake(ctx context.Context, ws measure.WorkspaceID) error {
	if !e.lacksFile(ws) {
		return nil
	}
	return e.options.Files.MayMake(ctx, ws)
}

// lacksFile reports whether the workspace has no file. If it cannot examine the file, it returns false, and opening the
// file reports the error.
func (e *Engine) lacksFile(ws measure.WorkspaceID) bool {
	_, err := os.Stat(e.path(ws))
	return errors.Is(err, os.ErrNotExist)
}

// newFile contains the options of a new file. Each column of a small table uses a block. A store of 300 orders needs 6
// MB with DuckDB's default block size of 256 KiB, and 2 MB with the smallest size (docs/decisions/0027).
const newFile = " (BLOCK_SIZE 16384)"

// open attaches the file, migrates its schema and reads the data version.
func (w *workspace) open(ctx context.Context, path string) error {
	db := w.instance.db
	options := ""
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		options = newFile
	}
	if _, err := db.ExecContext(ctx, "ATTACH "+quoted(path)+" AS "+identifier(catalog(w.id))+options); err != nil {
		return err
	}
	err := migrate(ctx, db, w)
	if err == nil {
		err = w.readVersion(ctx)
	}
	if err != nil {
		return errors.Join(err, w.detach(ctx))
	}
	return nil
}

// detach closes the file. It continues if the caller cancels, because a canceled DETACH can close the file and return
// an error.
func (w *workspace) detach(ctx context.Context) error {
	_, err := w.instance.db.ExecContext(context.WithoutCancel(ctx), "DETACH "+identifier(catalog(w.id)))
	return err
}

func (w *workspace) readVersion(ctx context.Context) error {
	var version uint64
	row := w.instance.db.QueryRowContext(ctx, w.text("SELECT max(version) FROM {{data_version}}"))
	if err := row.Scan(&version); err != nil {
		return fmt.Errorf("data version: %w", err)
	}
	w.version.Store(version)
	return nil
}

// idleTime is the time without use after which the engine closes a file. It applies if more than a quarter of the
// maximum number of files are open. An open file of a small store needs about 10 MB after an import and some queries.
// Most answers come from the cache and need no open file.
const idleTime = 5 * time.Minute

// detachIdle closes the least recently used files if too many are open. If all files are in use, it allows one more
// open file.
func (e *Engine) detachIdle(ctx context.Context, in *instance) error {
	for len(in.attached) > e.options.MaxAttached/4 {
		var oldest *workspace
		for id, w := range in.attached {
			if w.users == 0 && !e.moving[id] && (oldest == nil || w.used < oldest.used) {
				oldest = w
			}
		}
		if oldest == nil || len(in.attached) < e.options.MaxAttached && e.now().Sub(oldest.usedAt) < idleTime {
			return nil
		}
		if err := e.detach(ctx, oldest); err != nil {
			return err
		}
	}
	return nil
}

// detach closes the file of an unused workspace.
func (e *Engine) detach(ctx context.Context, w *workspace) error {
	defer e.move(w.instance, w.id)()
	err := e.unlocked(func() error {
		if err := w.forget(); err != nil {
			return err
		}
		return w.detach(ctx)
	})
	if err != nil {
		return fmt.Errorf("detach of workspace %s: %w", w.id, err)
	}
	delete(w.instance.attached, string(w.id))
	e.detached[w.id] = w.version.Load()
	return nil
}

// Version returns the data version of a workspace; see [warehouse.Warehouse.Version]. It does not open a file that this
// engine has opened before, because no other process may change the file.
func (e *Engine) Version(ctx context.Context, ws measure.WorkspaceID) (uint64, error) {
	if version, ok := e.knownVersion(ws); ok {
		return version, nil
	}
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return 0, err
	}
	defer release()
	return w.version.Load(), nil
}

// knownVersion returns the data version of a workspace that is or was attached.
func (e *Engine) knownVersion(ws measure.WorkspaceID) (version uint64, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.instance == nil || e.instance.broken || e.moving[string(ws)] {
		return 0, false
	}
	if w := e.instance.attached[string(ws)]; w != nil {
		return w.version.Load(), true
	}
	version, ok = e.detached[ws]
	return version, ok
}

// CloseIdle closes files without recent use; see idleTime.
func (e *Engine) CloseIdle(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.instance == nil || e.instance.broken {
		return nil
	}
	return e.detachIdle(ctx, e.instance)
}

// Rest closes the file of an unused workspace. The next query opens it again.
func (e *Engine) Rest(ctx context.Context, ws measure.WorkspaceID) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.instance == nil || e.instance.broken || e.moving[string(ws)] {
		return nil
	}
	if w := e.instance.attached[string(ws)]; w != nil && w.users == 0 {
		return e.detach(ctx, w)
	}
	return nil
}

// Drop waits until the workspace is unused, then deletes its file. A missing file is not an error.
func (e *Engine) Drop(ctx context.Context, ws measure.WorkspaceID) error {
	if !validID.MatchString(string(ws)) {
		return fault.Invalid("%q is not a valid workspace ID", ws)
	}
	leave, err := e.enterWriter(ctx, ws)
	if err != nil {
		return err
	}
	defer leave()
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.detachUnused(ctx, ws); err != nil {
		return err
	}
	delete(e.detached, ws)
	defer e.move(e.instance, ws)()
	err = e.unlocked(func() error {
		if err := e.options.Files.Dropping(ctx, ws); err != nil {
			return err
		}
		for _, file := range []string{e.path(ws), e.path(ws) + ".wal"} {
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("deletion of workspace %s: %w", ws, err)
	}
	delete(e.failed, ws)
	return nil
}

// detachUnused waits until the workspace is unused, then closes its file. The caller holds the lock. When detachUnused
// returns, no other caller has opened the file.
func (e *Engine) detachUnused(ctx context.Context, ws measure.WorkspaceID) error {
	for {
		if err := e.ready(ctx); err != nil {
			return err
		}
		w := e.instance.attached[string(ws)]
		switch {
		case e.moving[string(ws)] || w != nil && w.users > 0:
			if err := e.awaitRelease(ctx); err != nil {
				return fault.Unavailable("workspace %s is in use", ws).Wrap(err)
			}
		case w == nil:
			return nil
		default:
			return e.detach(ctx, w)
		}
	}
}

// enterWriter waits for the workspace's import lock and returns the function that releases it.
func (e *Engine) enterWriter(ctx context.Context, ws measure.WorkspaceID) (leave func(), err error) {
	e.mu.Lock()
	lock, ok := e.writers[string(ws)]
	if !ok {
		lock = make(chan struct{}, 1)
		e.writers[string(ws)] = lock
	}
	e.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, fault.Unavailable("another import into %s is running", ws).
			WithHint("try again when it has ended").Wrap(ctx.Err())
	}
}
