package duckdb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"

	"assay/internal/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate updates a workspace's file to the latest schema. Migrations are numbered and run forward only. A new file gets
// all of them in one transaction, because a commit takes longer than most migrations of an empty file. In an
// existing file, each has its own transaction.
func migrate(ctx context.Context, db *sql.DB, w *workspace) error {
	_, err := db.ExecContext(ctx, w.text("CREATE TABLE IF NOT EXISTS {{schema_version}} (version BIGINT)"))
	if err != nil {
		return fmt.Errorf("schema version: %w", err)
	}
	var done int
	row := db.QueryRowContext(ctx, w.text("SELECT coalesce(max(version), 0) FROM {{schema_version}}"))
	if err := row.Scan(&done); err != nil {
		return fmt.Errorf("schema version: %w", err)
	}
	files, err := migrationFiles()
	if err != nil {
		return err
	}
	if done > len(files) {
		return fault.Unavailable("a newer release wrote the fact store (schema %d; this release supports %d)", done, len(files)).
			WithHint("run the newer release, or restore a backup")
	}
	if done == 0 {
		return apply(ctx, db, w, 1, files...)
	}
	for i := done; i < len(files); i++ {
		if err := apply(ctx, db, w, i+1, files[i]); err != nil {
			return err
		}
	}
	return nil
}

// migrationFiles returns the migrations in order.
func migrationFiles() ([]string, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	slices.Sort(files)
	return files, err
}

// apply runs migrations in one transaction. The parameter number is the number of the first.
func apply(ctx context.Context, db *sql.DB, w *workspace, number int, files ...string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("migrations from %d: %w", number, err)
	}
	defer tx.Rollback() //nolint:errcheck // no effect after a commit
	for i, file := range files {
		if err := step(ctx, tx, w, file, number+i); err != nil {
			return fmt.Errorf("migration %s: %w", file, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit of migrations from %d: %w", number, err)
	}
	return nil
}

// executor runs statements. It is a transaction, or a connection with an open transaction.
type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// step runs a migration and records it.
func step(ctx context.Context, on executor, w *workspace, file string, number int) error {
	text, err := fs.ReadFile(migrations, file)
	if err != nil {
		return err
	}
	if _, err := on.ExecContext(ctx, w.text(string(text))); err != nil {
		return err
	}
	_, err = on.ExecContext(ctx, w.text("INSERT INTO {{schema_version}} VALUES ($1)"), number)
	return err
}
