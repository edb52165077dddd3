package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"assay/internal/measure"
)

// Backup writes a copy of the workspace's current file to a path. Imports wait until it is complete; questions do
// not. The file gets its name only when it is complete.
func (e *Engine) Backup(ctx context.Context, ws measure.WorkspaceID, path string) error {
	leave, err := e.enterWriter(ctx, ws)
	if err != nil {
		return err
	}
	defer leave()
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return err
	}
	defer release()
	// The checkpoint moves everything from the write-ahead log into the file, and no import writes after it.
	if _, err := w.instance.db.ExecContext(ctx, "CHECKPOINT "+identifier(catalog(ws))); err != nil {
		return fmt.Errorf("backup of workspace %s: %w", ws, e.noticed(ctx, w, err))
	}
	if info, err := os.Stat(e.path(ws) + ".wal"); err == nil && info.Size() > 0 {
		return fmt.Errorf("backup of workspace %s: the write-ahead log is not empty after a checkpoint", ws)
	}
	if err := copyFile(ctx, e.path(ws), path); err != nil {
		return fmt.Errorf("backup of workspace %s: %w", ws, e.explained(ctx, err))
	}
	return nil
}

// copyFile copies to a temporary name, syncs the copy to disk, and renames it.
func copyFile(ctx context.Context, from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	copied, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".part-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(copied.Name()))
		}
	}()
	_, err = io.Copy(copied, reader(ctx, source))
	if err = errors.Join(err, copied.Sync(), copied.Close()); err != nil {
		return err
	}
	return os.Rename(copied.Name(), to)
}

// reader stops when the context ends.
func reader(ctx context.Context, source io.Reader) io.Reader {
	return readFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return source.Read(p)
	})
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
