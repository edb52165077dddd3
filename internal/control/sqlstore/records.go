package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const (
	annotationColumns = `workspace, id, first_day, last_day, label, type, author, at`
	reportColumns     = `workspace, id, name, tool, arguments, author, at`
	dismissedColumns  = `workspace, insight, reason, author, at`
)

// AddAnnotation stores an annotation and returns it with its ID. An annotation with the same content is returned
// unchanged. Here and below, an invalid record is a fault of kind invalid, and a missing workspace is a fault of kind
// not_found. Too many records are a fault of kind conflict. A person without permission receives a fault of kind
// forbidden.
func (s *recordStore) AddAnnotation(ctx context.Context, a control.Annotation, by control.By) (control.Kept[control.Annotation], error) {
	a, err := a.Checked()
	if err != nil {
		return control.Kept[control.Annotation]{}, err
	}
	a.Author, a.At = by.Actor, instant(micros(by.At))
	return addRecord(ctx, s.database, newRecord[control.Annotation]{
		in: a.Workspace, record: a, by: by, scan: scanAnnotation,
		same:     `SELECT ` + annotationColumns + ` FROM annotations WHERE workspace = $1 AND first_day = $2 AND last_day = $3 AND label = $4 AND type = $5`,
		sameArgs: []any{a.Workspace, a.Days.First.String(), a.Days.Last.String(), a.Label, a.Type},
		count:    `SELECT count(*) FROM annotations WHERE workspace = $1`, most: control.MaxAnnotations, what: "annotations",
		insert: `INSERT INTO annotations (` + annotationColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		values: []any{a.Workspace, a.ID, a.Days.First.String(), a.Days.Last.String(), a.Label, a.Type, a.Author, micros(a.At)},
		kind:   control.AnnotationAdded, subject: string(a.ID), detail: a.Days.First.String() + " " + a.Label,
	})
}

// Annotations returns the workspace's annotations by day.
func (s *recordStore) Annotations(ctx context.Context, ws measure.WorkspaceID) ([]control.Annotation, error) {
	return collect(ctx, s.read, scanAnnotation, `
		SELECT `+annotationColumns+` FROM annotations WHERE workspace = $1 ORDER BY first_day, last_day, at, id`, ws)
}

// RemoveAnnotation removes an annotation. A missing annotation is a fault of kind not_found.
func (s *recordStore) RemoveAnnotation(ctx context.Context, ws measure.WorkspaceID, id control.AnnotationID, by control.By) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		a, err := removed(ctx, tx, ws, by, scanAnnotation, `DELETE FROM annotations WHERE workspace = $1 AND id = $2 RETURNING `+annotationColumns, id)
		if errors.Is(err, sql.ErrNoRows) {
			return fault.NotFound("there is no annotation %q", id).WithHint("list the annotations with: assay annotations list --workspace %s", ws)
		}
		if err != nil {
			return err
		}
		return record(ctx, tx, ws, control.AnnotationRemoved, by, string(id), a.Days.First.String()+" "+a.Label)
	})
}

// SaveReport stores a report and returns it with its ID. A report with the same content is returned unchanged. If
// another report has the name, SaveReport returns a fault of kind conflict.
func (s *recordStore) SaveReport(ctx context.Context, r control.SavedReport, by control.By) (control.Kept[control.SavedReport], error) {
	r, err := r.Checked()
	if err != nil {
		return control.Kept[control.SavedReport]{}, err
	}
	r.Author, r.At = by.Actor, instant(micros(by.At))
	kept, err := addRecord(ctx, s.database, newRecord[control.SavedReport]{
		in: r.Workspace, record: r, by: by, scan: scanReport,
		same:     `SELECT ` + reportColumns + ` FROM reports WHERE workspace = $1 AND name = $2`,
		sameArgs: []any{r.Workspace, r.Name},
		count:    `SELECT count(*) FROM reports WHERE workspace = $1`, most: control.MaxReports, what: "saved reports",
		insert: `INSERT INTO reports (` + reportColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		values: []any{r.Workspace, r.ID, r.Name, r.Tool, string(r.Arguments), r.Author, micros(r.At)},
		kind:   control.ReportSaved, subject: string(r.ID), detail: r.Name,
	})
	if err == nil && !kept.Changed && !kept.Record.Same(r) {
		err = fault.Conflict("another saved report has the name %q", r.Name).
			WithHint("Use another name, or remove the other one: assay reports remove %s --workspace %s", kept.Record.ID, r.Workspace)
	}
	return kept, err
}

// Reports returns the workspace's saved reports by name.
func (s *recordStore) Reports(ctx context.Context, ws measure.WorkspaceID) ([]control.SavedReport, error) {
	return collect(ctx, s.read, scanReport, `SELECT `+reportColumns+` FROM reports WHERE workspace = $1 ORDER BY name, id`, ws)
}

// Report returns a saved report of the workspace, or a fault of kind not_found.
func (s *recordStore) Report(ctx context.Context, ws measure.WorkspaceID, id control.ReportID) (control.SavedReport, error) {
	r, err := scanReport(s.read.QueryRowContext(ctx, `SELECT `+reportColumns+` FROM reports WHERE workspace = $1 AND id = $2`, ws, id))
	if errors.Is(err, sql.ErrNoRows) {
		return r, noReport(id)
	}
	return r, err
}

func noReport(id control.ReportID) error {
	return fault.NotFound("there is no saved report %q", id).WithHint("resources/list lists saved reports")
}

// RemoveReport removes a saved report. A missing report is a fault of kind not_found.
func (s *recordStore) RemoveReport(ctx context.Context, ws measure.WorkspaceID, id control.ReportID, by control.By) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		r, err := removed(ctx, tx, ws, by, scanReport, `DELETE FROM reports WHERE workspace = $1 AND id = $2 RETURNING `+reportColumns, id)
		if errors.Is(err, sql.ErrNoRows) {
			return noReport(id)
		}
		if err != nil {
			return err
		}
		return record(ctx, tx, ws, control.ReportRemoved, by, string(id), r.Name)
	})
}

// DismissInsight records that an insight is dismissed. If the insight is already dismissed, nothing changes.
func (s *recordStore) DismissInsight(ctx context.Context, d control.DismissedInsight, by control.By) (control.Kept[control.DismissedInsight], error) {
	d, err := d.Checked()
	if err != nil {
		return control.Kept[control.DismissedInsight]{}, err
	}
	d.Author, d.At = by.Actor, instant(micros(by.At))
	return addRecord(ctx, s.database, newRecord[control.DismissedInsight]{
		in: d.Workspace, record: d, by: by, scan: scanDismissed,
		same:     `SELECT ` + dismissedColumns + ` FROM dismissed_insights WHERE workspace = $1 AND insight = $2`,
		sameArgs: []any{d.Workspace, d.Insight},
		count:    `SELECT count(*) FROM dismissed_insights WHERE workspace = $1`, most: control.MaxDismissed, what: "dismissed insights",
		insert: `INSERT INTO dismissed_insights (` + dismissedColumns + `) VALUES ($1, $2, $3, $4, $5)`,
		values: []any{d.Workspace, d.Insight, d.Reason, d.Author, micros(d.At)},
		kind:   control.InsightDismissed, subject: string(d.Insight), detail: d.Reason,
	})
}

// DismissedInsights returns the workspace's dismissed insights, the latest first.
func (s *recordStore) DismissedInsights(ctx context.Context, ws measure.WorkspaceID) ([]control.DismissedInsight, error) {
	return collect(ctx, s.read, scanDismissed, `
		SELECT `+dismissedColumns+` FROM dismissed_insights WHERE workspace = $1 ORDER BY at DESC, insight`, ws)
}

// RestoreInsight removes the record that an insight is dismissed. A missing record is a fault of kind not_found.
func (s *recordStore) RestoreInsight(ctx context.Context, ws measure.WorkspaceID, id control.InsightID, by control.By) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		d, err := removed(ctx, tx, ws, by, scanDismissed, `DELETE FROM dismissed_insights WHERE workspace = $1 AND insight = $2 RETURNING `+dismissedColumns, id)
		if errors.Is(err, sql.ErrNoRows) {
			return fault.NotFound("there is no dismissed insight %q", id)
		}
		if err != nil {
			return err
		}
		return record(ctx, tx, ws, control.InsightRestored, by, string(id), d.Reason)
	})
}

// newRecord describes a record to add. It contains the query for an existing record with the same content, the maximum
// number of records, the row and its audit event.
type newRecord[T any] struct {
	in     measure.WorkspaceID
	record T
	by     control.By
	scan   func(scanner) (T, error)

	same     string
	sameArgs []any
	count    string
	most     int
	what     string
	insert   string
	values   []any

	kind            control.EventKind
	subject, detail string
}

// addRecord adds a record in one transaction, or returns the existing record with the same content.
func addRecord[T any](ctx context.Context, d *database, n newRecord[T]) (kept control.Kept[T], err error) {
	err = d.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, n.in); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, n.in, n.by, control.Role.Writes); err != nil {
			return err
		}
		kept = control.Kept[T]{}
		kept.Record, err = n.scan(tx.QueryRowContext(ctx, n.same, n.sameArgs...))
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var have int
		if err := tx.QueryRowContext(ctx, n.count, n.in).Scan(&have); err != nil {
			return err
		}
		if have >= n.most {
			return fault.Conflict("the workspace has %d %s, which is the maximum", have, n.what).WithHint("Remove one first.")
		}
		if _, err := tx.ExecContext(ctx, n.insert, n.values...); err != nil {
			return err
		}
		kept = control.Kept[T]{Record: n.record, Changed: true}
		return record(ctx, tx, n.in, n.kind, n.by, n.subject, n.detail)
	})
	if err != nil {
		return control.Kept[T]{}, fmt.Errorf("%s of workspace %q: %w", n.what, n.in, err)
	}
	return kept, nil
}

// removed deletes a record and returns it. If the record is missing, the error is sql.ErrNoRows.
func removed[T any](ctx context.Context, tx *sql.Tx, ws measure.WorkspaceID, by control.By, scan func(scanner) (T, error), query string, id any) (T, error) {
	if err := stillMay(ctx, tx, ws, by, control.Role.Writes); err != nil {
		var none T
		return none, err
	}
	return scan(tx.QueryRowContext(ctx, query, ws, id))
}

func scanAnnotation(row scanner) (control.Annotation, error) {
	var a control.Annotation
	var at int64
	err := row.Scan(&a.Workspace, &a.ID, &a.Days.First, &a.Days.Last, &a.Label, &a.Type, &a.Author, &at)
	a.At = instant(at)
	return a, engineFault(err)
}

func scanReport(row scanner) (control.SavedReport, error) {
	var r control.SavedReport
	var arguments string
	var at int64
	err := row.Scan(&r.Workspace, &r.ID, &r.Name, &r.Tool, &arguments, &r.Author, &at)
	r.Arguments, r.At = []byte(arguments), instant(at)
	return r, engineFault(err)
}

func scanDismissed(row scanner) (control.DismissedInsight, error) {
	var d control.DismissedInsight
	var at int64
	err := row.Scan(&d.Workspace, &d.Insight, &d.Reason, &d.Author, &at)
	d.At = instant(at)
	return d, engineFault(err)
}
