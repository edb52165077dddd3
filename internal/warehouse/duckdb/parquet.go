package duckdb

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"

	"assay/internal/fault"
)

// ParquetToCSV writes the rows of a Parquet file to a new file as CSV with a header: times with an offset in UTC, what is
// missing as nothing. A file that cannot be read as Parquet is a fault of kind invalid. The database that reads it is
// one of its own, which can reach these two files and no others.
func ParquetToCSV(ctx context.Context, from, to string) error {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return fmt.Errorf("reader of Parquet: %w", err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reader of Parquet: %w", err)
	}
	defer conn.Close()
	for _, setting := range []string{
		"SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false", "SET TimeZone = 'UTC'",
		"SET memory_limit = '1GB'", "SET threads = 2", "SET temp_directory = ''",
		"SET allowed_paths = [" + quoted(from) + ", " + quoted(to) + "]", "SET enable_external_access = false", "SET lock_configuration = true",
	} {
		if _, err := conn.ExecContext(ctx, setting); err != nil {
			return fmt.Errorf("reader of Parquet: %s: %w", setting, err)
		}
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("COPY (FROM read_parquet(%s)) TO %s (FORMAT csv, HEADER)", quoted(from), quoted(to))); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fault.Invalid("it is not a Parquet file that can be read").WithHint("write it again, or export it as CSV").Wrap(err)
	}
	return nil
}
