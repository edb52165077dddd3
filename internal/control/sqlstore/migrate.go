package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"

	"assay/internal/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// lockedPause is the wait before the next attempt on a file that another process is creating.
const lockedPause = 5 * time.Millisecond

// migrate applies pending migrations, each in a transaction.
//
// Two processes may start on one file at the same time. The second process fails on a migration because the tables of
// the migration exist. The version has then advanced, and the next attempt continues from there. While one process
// creates the write-ahead log of a new file, SQLite rejects the other process without waiting. migrate retries until
// the duration wait has passed.
func migrate(ctx context.Context, e engine, db *sql.DB, wait time.Duration, log *slog.Logger) error {
	files, err := e.migrations()
	if err != nil {
		return err
	}
	before, waited := int64(-1), time.Duration(0)
	for {
		// A provider caches the version it has read, so each attempt needs a new provider.
		provider, err := goose.NewProvider(e.goose, db, files,
			goose.WithDisableGlobalRegistry(true), goose.WithSlog(log))
		if err != nil {
			return fmt.Errorf("migrations: %w", err)
		}
		version, err := provider.GetDBVersion(ctx)
		if isLocked(err) && waited < wait {
			time.Sleep(lockedPause)
			waited += lockedPause
			continue
		}
		if err != nil {
			return fmt.Errorf("version of the tables: %w", err)
		}
		sources := provider.ListSources()
		if newest := sources[len(sources)-1].Version; version > newest {
			return fault.New(fault.KindMisconfigured,
				"the control database has version %d; this release supports versions up to %d", version, newest).
				WithHint("use the release that wrote the database, or a newer one")
		}
		applied, err := provider.Up(ctx)
		for _, m := range applied {
			log.InfoContext(ctx, "control database migrated", slog.Int64("version", m.Source.Version), slog.Duration("duration", m.Duration))
		}
		if err == nil {
			return nil
		}
		if version == before {
			return fmt.Errorf("migration after version %d: %w", version, err)
		}
		before = version
	}
}
