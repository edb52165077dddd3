package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// exported returns the tables of an export: all facts, the import ledger and the history of days. An export omits
// roll-ups, because they are derived from facts.
func exported() []string {
	var names []string
	for _, t := range facts.Tables {
		names = append(names, t.Name)
	}
	return append(names, "imports", "import_tables", "day_history", "told_days")
}

// Export writes every table of a workspace to a directory, one file per table, from one snapshot; see
// [warehouse.Exporter].
func (e *Engine) Export(ctx context.Context, ws measure.WorkspaceID, dir string, format warehouse.ExportFormat) ([]warehouse.ExportedTable, error) {
	options, ok := map[warehouse.ExportFormat]string{
		warehouse.CSV: "FORMAT csv, HEADER", warehouse.Parquet: "FORMAT parquet, COMPRESSION zstd",
	}[format]
	if !ok {
		return nil, fault.Invalid("%q is not an export format; use csv or parquet", format)
	}
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return nil, err
	}
	defer release()
	// The database can access only its own directory.
	staging, err := os.MkdirTemp(e.options.Dir, stagingFolder)
	if err != nil {
		return nil, unusable(e.options.Dir, err)
	}
	tables, err := e.copyTables(ctx, w, staging, "."+string(format), options)
	if err != nil {
		err = e.noticed(ctx, w, err)
	}
	for _, t := range tables {
		if err == nil {
			err = copyFile(ctx, filepath.Join(staging, t.File), filepath.Join(dir, t.File))
		}
	}
	if err = errors.Join(err, os.RemoveAll(staging)); err != nil {
		return nil, fmt.Errorf("export of workspace %s: %w", ws, e.explained(ctx, err))
	}
	return tables, nil
}

// stagingFolder is the name pattern of directories with unfinished exports. Only directories match, because the facts
// of a workspace named "export-…" are a file.
const stagingFolder = "export-*"

// removeStaged deletes the unfinished exports of a killed process.
func removeStaged(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var failed []error
	for _, entry := range entries {
		if staged, _ := filepath.Match(stagingFolder, entry.Name()); staged && entry.IsDir() {
			failed = append(failed, os.RemoveAll(filepath.Join(dir, entry.Name())))
		}
	}
	return errors.Join(failed...)
}

// copyTables writes the tables in one transaction, so the files are consistent even during an import.
func (e *Engine) copyTables(ctx context.Context, w *workspace, dir, ending, options string) ([]warehouse.ExportedTable, error) {
	tx, err := w.instance.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // read-only
	tables := make([]warehouse.ExportedTable, 0, len(facts.Tables)+4)
	for _, name := range exported() {
		t := warehouse.ExportedTable{Table: name, File: name + ending}
		text := fmt.Sprintf("COPY (SELECT * FROM {{%s}} ORDER BY ALL) TO %s (%s)", name, quoted(filepath.Join(dir, t.File)), options)
		done, err := tx.ExecContext(ctx, w.text(text))
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
		if t.Rows, err = done.RowsAffected(); err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
		tables = append(tables, t)
	}
	return tables, nil
}
