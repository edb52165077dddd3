package duckdb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// State returns the contents of a snapshot taken now; see [warehouse.Snapshotter].
func (e *Engine) State(ctx context.Context, ws measure.WorkspaceID) (state warehouse.SnapshotState, err error) {
	if e.lacksFile(ws) {
		return state, e.options.Files.MayMake(ctx, ws)
	}
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return state, err
	}
	defer release()
	state, err = stateOf(ctx, w.instance.db, w)
	return state, e.noticed(ctx, w, err)
}

func stateOf(ctx context.Context, from querier, w *workspace) (s warehouse.SnapshotState, err error) {
	err = from.QueryRowContext(ctx, w.text(`
SELECT
    (SELECT max(version) FROM {{data_version}}),
    (SELECT count(*) FROM {{imports}}),
    (SELECT max(version) FROM {{schema_version}})`)).Scan(&s.Version, &s.Imports, &s.Schema)
	if err != nil {
		return s, fmt.Errorf("state of the facts: %w", err)
	}
	return s, nil
}

// Snapshot copies the committed facts to a new file; see [warehouse.Snapshotter]. One transaction reads all tables, so
// the copy is consistent while an import runs. The engine compares the copy with the original before it returns the
// copy.
func (e *Engine) Snapshot(ctx context.Context, ws measure.WorkspaceID, dir string) (s warehouse.Snapshot, err error) {
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return s, err
	}
	defer release()
	// The database can access only its own directory, so it first writes the copy there.
	staging, err := os.MkdirTemp(e.options.Dir, stagingFolder)
	if err != nil {
		return s, unusable(e.options.Dir, err)
	}
	defer func() {
		err = errors.Join(err, os.RemoveAll(staging))
	}()
	staged := filepath.Join(staging, "facts.duckdb")
	if s, err = e.copyDatabase(ctx, w, staged); err != nil {
		return s, fmt.Errorf("copy of workspace %s: %w", ws, e.noticed(ctx, w, err))
	}
	s.Path, err = moveFile(ctx, staged, dir)
	return s, err
}

// copyDatabase attaches a new database file and copies the workspace's facts into it.
func (e *Engine) copyDatabase(ctx context.Context, w *workspace, path string) (s warehouse.Snapshot, err error) {
	conn, err := w.instance.db.Conn(ctx)
	if err != nil {
		return s, err
	}
	defer conn.Close()
	// Workspace IDs cannot contain an underscore, so the name is unused.
	target := &workspace{id: measure.WorkspaceID("copy_" + filepath.Base(filepath.Dir(path))), instance: w.instance}
	if err := target.open(ctx, path); err != nil {
		return s, err
	}
	s, err = copyAll(ctx, conn, w, target)
	if err == nil {
		// The checkpoint moves all changes from the write-ahead log into the file.
		_, err = conn.ExecContext(ctx, "CHECKPOINT "+identifier(catalog(target.id)))
	}
	if err = errors.Join(err, target.detach(ctx)); err != nil {
		return s, err
	}
	if info, err := os.Stat(path + ".wal"); err == nil && info.Size() > 0 {
		return s, errors.New("the write-ahead log is not empty after a checkpoint")
	}
	return s, nil
}

// copyAll copies all rows in one transaction and compares the totals of both sides. It does not use COPY FROM DATABASE,
// which needs a setting that a locked configuration does not allow.
func copyAll(ctx context.Context, conn *sql.Conn, from, to *workspace) (s warehouse.Snapshot, err error) {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return s, err
	}
	defer tx.Rollback() //nolint:errcheck // no effect after a commit
	if s.State, err = stateOf(ctx, tx, from); err != nil {
		return s, err
	}
	if s.Tables, err = totals(ctx, tx, catalog(from.id)); err != nil {
		return s, err
	}
	for _, t := range s.Tables {
		if err := copyTable(ctx, tx, Dialect{}.Table(from.id, t.Table), Dialect{}.Table(to.id, t.Table)); err != nil {
			return s, fmt.Errorf("table %s: %w", t.Table, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return s, err
	}
	copied, err := totals(ctx, conn, catalog(to.id))
	if err != nil {
		return s, err
	}
	if !warehouse.EqualTotals(s.Tables, copied) {
		return s, errors.New("the totals of the copy differ from those of the store")
	}
	return s, nil
}

// copyTable replaces the rows of a table, because migrations may have inserted rows.
func copyTable(ctx context.Context, tx *sql.Tx, from, to string) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("DELETE FROM %[2]s; INSERT INTO %[2]s BY NAME SELECT * FROM %[1]s", from, to))
	return err
}

// FileTotals returns the totals of all tables of a file that no engine has open. It does not change the file, so a file
// of an earlier release keeps its schema.
func FileTotals(ctx context.Context, path string) ([]warehouse.TableTotals, error) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("facts file %s: %w", path, err)
	}
	db := sql.OpenDB(connector)
	var found []warehouse.TableTotals
	if _, err = db.ExecContext(ctx, "ATTACH "+quoted(path)+" AS facts (READ_ONLY)"); err == nil {
		found, err = totals(ctx, db, "facts")
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, fmt.Errorf("facts file %s: %w", path, err)
	}
	return found, nil
}

// totals returns the totals of the tables of a catalog, sorted by name.
func totals(ctx context.Context, from querier, catalog string) ([]warehouse.TableTotals, error) {
	tables, err := tablesOf(ctx, from, catalog)
	if err != nil {
		return nil, err
	}
	all := make([]warehouse.TableTotals, len(tables))
	for i, t := range tables {
		if all[i], err = t.totals(ctx, from, catalog); err != nil {
			return nil, fmt.Errorf("totals of %s: %w", t.name, err)
		}
	}
	return all, nil
}

// summedTable is a table with its columns of whole numbers.
type summedTable struct {
	name   string
	hasDay bool
	summed []string
}

// eachColumn calls the function each with the columns of all tables of a catalog, by table and position.
func eachColumn(ctx context.Context, from querier, catalog string, each func(table, column, kind string) error) error {
	rows, err := from.QueryContext(ctx, `
SELECT c.table_name, c.column_name, c.data_type
FROM duckdb_columns() c
SEMI JOIN duckdb_tables() t ON t.table_oid = c.table_oid AND t.database_oid = c.database_oid
WHERE c.database_name = $1
ORDER BY c.table_name, c.column_index`, catalog)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var table, column, kind string
		if err := rows.Scan(&table, &column, &kind); err != nil {
			return err
		}
		if err := each(table, column, kind); err != nil {
			return err
		}
	}
	return rows.Err()
}

func tablesOf(ctx context.Context, from querier, catalog string) (tables []summedTable, err error) {
	err = eachColumn(ctx, from, catalog, func(table, column, kind string) error {
		if len(tables) == 0 || tables[len(tables)-1].name != table {
			tables = append(tables, summedTable{name: table})
		}
		t := &tables[len(tables)-1]
		t.hasDay = t.hasDay || column == "day" && kind == "DATE"
		if slices.Contains([]string{"BIGINT", "INTEGER", "HUGEINT"}, kind) {
			t.summed = append(t.summed, column)
		}
		return nil
	})
	return tables, err
}

// totals returns the totals of the table by day.
func (t summedTable) totals(
	ctx context.Context, from querier, catalog string,
) (total warehouse.TableTotals, err error) {
	day, by := "''", ""
	if t.hasDay {
		day, by = "coalesce(CAST(day AS VARCHAR), '')", "GROUP BY ALL ORDER BY 1"
	}
	selected := []string{day, "count(*)"}
	for _, column := range t.summed {
		selected = append(selected, "CAST(coalesce(sum("+identifier(column)+"), 0) AS VARCHAR)")
	}
	rows, err := from.QueryContext(ctx, fmt.Sprintf("SELECT %s FROM %s.main.%s %s",
		strings.Join(selected, ", "), identifier(catalog), identifier(t.name), by))
	if err != nil {
		return total, err
	}
	defer rows.Close()
	total.Table = t.name
	sums, hash := make([]big.Int, len(t.summed)), sha256.New()
	for rows.Next() {
		var (
			name  string
			n     int64
			texts = make([]string, len(t.summed))
			dest  = []any{&name, &n}
		)
		for i := range texts {
			dest = append(dest, &texts[i])
		}
		if err := rows.Scan(dest...); err != nil {
			return total, err
		}
		total.Rows += n
		for i, text := range texts {
			of, ok := new(big.Int).SetString(text, 10)
			if !ok {
				return total, fmt.Errorf("sum %q of column %s is not a number", text, t.summed[i])
			}
			sums[i].Add(&sums[i], of)
		}
		fmt.Fprintf(hash, "%s|%d|%s\n", name, n, strings.Join(texts, "|"))
	}
	if t.hasDay {
		total.Days = hex.EncodeToString(hash.Sum(nil))
	}
	if len(sums) > 0 {
		total.Sums = map[string]string{}
	}
	for i, column := range t.summed {
		total.Sums[column] = sums[i].String()
	}
	return total, rows.Err()
}

// moveFile moves a file to a directory under a new name and syncs it to disk. If the directory is on another disk, it
// copies the file.
func moveFile(ctx context.Context, from, dir string) (path string, err error) {
	file, err := os.OpenFile(from, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(file.Sync(), file.Close())
	}
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, filepath.Base(filepath.Dir(from))+".duckdb")
	if os.Rename(from, to) == nil {
		return to, nil
	}
	if err := copyFile(ctx, from, to); err != nil {
		return "", fault.Unavailable("the copy of the facts cannot be written to %s", dir).Wrap(err).
			WithHint("make the folder writable for the user that runs the service and free space on its disk")
	}
	return to, nil
}

// Totals returns the totals of all tables of a workspace.
func (e *Engine) Totals(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.TableTotals, error) {
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return nil, err
	}
	defer release()
	found, err := totals(ctx, w.instance.db, catalog(ws))
	return found, e.noticed(ctx, w, err)
}
