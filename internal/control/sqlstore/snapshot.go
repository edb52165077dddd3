package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"assay/internal/measure"
)

// Snapshot writes a consistent copy of the data to a new SQLite file. Readers and writers of all processes continue.
func (d *database) Snapshot(ctx context.Context, path string) error {
	if d.path == "" {
		return d.snapshotOfPostgres(ctx, path)
	}
	// The copy uses its own connection, so that it does not delay waiting writes.
	db, err := pool(d.path, "deferred", []string{fmt.Sprintf("busy_timeout(%d)", defaultBusyTimeout.Milliseconds())}, 1)
	if err != nil {
		return fmt.Errorf("copy of the control database: %w", err)
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO $1`, path)
	if err = errors.Join(engineFault(err), db.Close()); err != nil {
		return fmt.Errorf("copy of the control database: %w", err)
	}
	return nil
}

// snapshotOfPostgres copies the rows of one state of the database.
func (d *database) snapshotOfPostgres(ctx context.Context, path string) error {
	to, err := openSQLite(ctx, Options{Path: path, BusyTimeout: defaultBusyTimeout, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	_, err = d.moveTo(ctx, to)
	if err = errors.Join(engineFault(err), to.Close()); err == nil {
		err = withoutLog(ctx, path)
	}
	if err != nil {
		return fmt.Errorf("copy of the control database: %w", err)
	}
	return nil
}

// withoutLog converts a closed database to a single file. Reading the file then creates no write-ahead log.
func withoutLog(ctx context.Context, path string) error {
	db, err := pool(path, "deferred", []string{"journal_mode(DELETE)"}, 1)
	if err != nil {
		return err
	}
	return errors.Join(engineFault(db.PingContext(ctx)), db.Close())
}

// Counts returns the number of rows per table of a database file. It does not change the file.
func Counts(ctx context.Context, path string) (map[string]int64, error) {
	db, err := reading(path)
	if err != nil {
		return nil, err
	}
	counts, err := countRows(ctx, db)
	if err = errors.Join(engineFault(err), db.Close()); err != nil {
		return nil, fmt.Errorf("rows of the control database %s: %w", path, err)
	}
	return counts, nil
}

// reading opens a database file for reading only.
func reading(path string) (*sql.DB, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("control database %s: %w", path, err)
	}
	db, err := pool(full, "deferred", []string{"query_only(1)"}, 1)
	if err != nil {
		return nil, fmt.Errorf("control database %s: %w", path, err)
	}
	return db, nil
}

func countRows(ctx context.Context, db *sql.DB) (map[string]int64, error) {
	var damage string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&damage); err != nil {
		return nil, err
	}
	if damage != "ok" {
		return nil, fmt.Errorf("damaged: %s", damage)
	}
	names, err := tablesOf(ctx, sqliteEngine, db)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, name := range names {
		var n int64
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM "`+name+`"`).Scan(&n); err != nil {
			return nil, err
		}
		counts[name] = n
	}
	return counts, nil
}

// FactsFiles returns the workspaces that have a facts file according to a database file.
func FactsFiles(ctx context.Context, path string) ([]measure.WorkspaceID, error) {
	db, err := reading(path)
	if err != nil {
		return nil, err
	}
	ids, err := collect(ctx, db, func(row scanner) (id measure.WorkspaceID, err error) {
		return id, row.Scan(&id)
	}, `SELECT id FROM workspaces WHERE facts_file ORDER BY id`)
	if err = errors.Join(engineFault(err), db.Close()); err != nil {
		return nil, fmt.Errorf("workspaces of the control database %s: %w", path, err)
	}
	return ids, nil
}
