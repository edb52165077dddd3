package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"assay/internal/fault"
	"assay/internal/panics"
)

// ParquetToCSV writes the rows of a Parquet file to a new CSV file with a header. Times are in UTC with an offset,
// missing values are empty cells, and lists and structs are JSON. A separate database reads the file and can access
// only these two files. The parameter most is the maximum size of the CSV output in bytes. If the output exceeds it or
// the file is unreadable, ParquetToCSV returns a fault of kind invalid. The file's size does not limit the output: a
// few kilobytes can contain billions of equal rows.
func ParquetToCSV(ctx context.Context, from, to string, most int64) error {
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
	if err := touch(to); err != nil {
		return fmt.Errorf("reader of Parquet: %w", err)
	}
	bounded, done := whileSmall(ctx, to, most)
	defer done()
	columns, err := asText(bounded, conn, from)
	if err == nil {
		_, err = conn.ExecContext(bounded, fmt.Sprintf("COPY (SELECT %s FROM read_parquet(%s)) TO %s (FORMAT csv, HEADER, USE_TMP_FILE false)", columns, quoted(from), quoted(to)))
	}
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case bounded.Err() != nil:
			return context.Cause(bounded)
		}
		return fault.Invalid("it is not a readable Parquet file").WithHint("create it again, or export it as CSV").Wrap(err)
	}
	if isAbove(to, most) {
		return unpacksTooFar(most)
	}
	return nil
}

// touch creates an empty file that only this user can read. Everyone can read a file that the database creates.
func touch(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// asText returns the select list of a Parquet file's columns, in the order of the file.
func asText(ctx context.Context, conn *sql.Conn, from string) (columns string, err error) {
	rows, err := conn.QueryContext(ctx, fmt.Sprintf("SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(%s))", quoted(from)))
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return "", err
		}
		column := identifier(name)
		if strings.HasSuffix(kind, "]") || strings.HasPrefix(kind, "STRUCT(") || strings.HasPrefix(kind, "MAP(") {
			column = "to_json(" + column + ") AS " + column
		}
		list = append(list, column)
	}
	return strings.Join(list, ", "), rows.Err()
}

func isAbove(path string, most int64) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > most
}

// lookEvery is the interval between checks of a growing file. The checks have negligible cost, and the interval is
// short compared with the time to write a few megabytes.
const lookEvery = 20 * time.Millisecond

// whileSmall returns a context that ends when the file exceeds the maximum size in bytes, the parameter most. The
// caller must call done.
func whileSmall(ctx context.Context, path string, most int64) (small context.Context, done func()) {
	small, end := context.WithCancelCause(ctx)
	var watching panics.Group
	watching.Go(func() {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-small.Done():
				return
			case <-look.C:
				if isAbove(path, most) {
					end(unpacksTooFar(most))
				}
			}
		}
	})
	return small, func() {
		end(nil)
		watching.Wait()
	}
}

func unpacksTooFar(most int64) error {
	return fault.Invalid("it is larger than %d MiB when decompressed", most>>20).WithHint("split the export")
}
