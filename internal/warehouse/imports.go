package warehouse

import (
	"context"
	"strconv"

	"assay/internal/measure"
)

// Begin starts an import. A workspace has one import at a time. A second import waits for the first, until ctx ends.
func (w *Warehouse) Begin(ctx context.Context, spec ImportSpec) (Import, error) {
	load, err := w.begin(ctx, spec)
	if err != nil || spec.FileHash == "" {
		return load, err
	}
	// From here on, no other import can change the workspace, so the result is valid until Commit.
	_, current, err := w.imported(ctx, spec.Workspace, spec.FileHash)
	if err != nil {
		load.Abort()
		return nil, err
	}
	return &fileImport{Import: load, already: current}, nil
}

// fileImport is the import of a file. It records whether the same file was imported before.
type fileImport struct {
	Import
	already bool
}

// Commit commits the import and sets Already if the same file was imported before.
func (f *fileImport) Commit(ctx context.Context) (Outcome, error) {
	out, err := f.Import.Commit(ctx)
	out.Already = f.already
	return out, err
}

// Imports returns the latest entries of the import ledger, newest first.
func (w *historyQuestions) Imports(ctx context.Context, ws measure.WorkspaceID, limit int) ([]ImportRecord, error) {
	return w.ledger(ctx, ws, values{"id": 0, "limit": orAll(limit)})
}

// Imported returns the last import of a file with this hash. It returns false if there is none, or if a later import
// changed one of its tables or the exchange rates. If settle is true, no late commit of another process can change this
// answer. In this case, the caller must not have a running import into the workspace.
func (w *historyQuestions) Imported(ctx context.Context, ws measure.WorkspaceID, fileHash string, settle bool) (ImportRecord, bool, error) {
	record, known, err := w.imported(ctx, ws, fileHash)
	s, late := w.engine.(Settler)
	if err != nil || !known || !late || !settle {
		return record, known, err
	}
	if err := s.Settle(ctx, ws); err != nil {
		return ImportRecord{}, false, err
	}
	return w.imported(ctx, ws, fileHash)
}

func (w *historyQuestions) imported(ctx context.Context, ws measure.WorkspaceID, fileHash string) (ImportRecord, bool, error) {
	var id int64
	err := w.ask(ctx, ws, "imported", values{"file_hash": fileHash}, func(row Row) error { return row.Scan(&id) })
	if err != nil || id == 0 {
		return ImportRecord{}, false, err
	}
	lines, err := w.ledger(ctx, ws, values{"id": id, "limit": 1})
	if err != nil || len(lines) == 0 {
		return ImportRecord{}, false, err
	}
	return lines[0], true, nil
}

func (w *historyQuestions) ledger(ctx context.Context, ws measure.WorkspaceID, bind values) ([]ImportRecord, error) {
	var lines []ImportRecord
	err := w.ask(ctx, ws, "imports", bind, func(row Row) error {
		var r ImportRecord
		var id int64
		err := row.Scan(&id, &r.Source, &r.File, &r.FileHash, &r.At, &r.Inserted, &r.Updated, &r.Unchanged, &r.Removed,
			&r.Days.First, &r.Days.Last)
		r.ID = strconv.FormatInt(id, 10)
		r.Rows = r.Inserted + r.Updated + r.Unchanged
		lines = append(lines, r)
		return err
	})
	return lines, err
}
