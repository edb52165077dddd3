package duckdb

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// copyFile copies a file to a temporary name, syncs the copy to disk, and renames it.
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

// reader returns a reader that stops when the context ends.
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
