package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/measure"
)

const callColumns = `workspace, id, at, tool, status, micros, bytes, actor, client, client_name, arguments`

// callsAtOnce is the number of rows per statement. The driver looks up each value by name among all values of the
// statement, so larger statements cost more per row.
const callsAtOnce = 5

var (
	callFields    = strings.Count(callColumns, ",") + 1
	appendOne     = inserting("calls", callColumns, callFields, 1)
	appendSeveral = inserting("calls", callColumns, callFields, callsAtOnce)
)

// AppendCalls implements [control.CallLog].
func (s *callStore) AppendCalls(ctx context.Context, calls []control.Call) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		made, err := workspacesMade(ctx, tx)
		if err != nil {
			return err
		}
		values := make([]any, 0, len(calls)*callFields)
		for _, c := range calls {
			if at, alive := made[c.Workspace]; !alive || micros(c.At) < at {
				continue
			}
			values = append(values, string(c.Workspace), eventID(micros(c.At)), micros(c.At), c.Tool, string(c.Status), c.Took.Microseconds(),
				int64(c.Bytes), c.Actor, string(c.Client), c.ClientName, c.Arguments)
		}
		return appendValues(ctx, tx, values)
	})
	if err != nil {
		return fmt.Errorf("%d calls: %w", len(calls), err)
	}
	return nil
}

// appendValues appends callFields values for each row.
func appendValues(ctx context.Context, tx *sql.Tx, values []any) error {
	size := callsAtOnce * callFields
	insert, err := tx.PrepareContext(ctx, appendSeveral)
	if err != nil {
		return err
	}
	defer insert.Close()
	for ; len(values) >= size; values = values[size:] {
		if _, err := insert.ExecContext(ctx, values[:size]...); err != nil {
			return err
		}
	}
	for ; len(values) > 0; values = values[callFields:] {
		if _, err := tx.ExecContext(ctx, appendOne, values[:callFields]...); err != nil {
			return err
		}
	}
	return nil
}

// workspacesMade returns the creation time of each workspace in microseconds.
func workspacesMade(ctx context.Context, q querier) (map[measure.WorkspaceID]int64, error) {
	all, err := collect(ctx, q, scanWorkspace, `SELECT `+workspaceColumns+` FROM workspaces`)
	made := make(map[measure.WorkspaceID]int64)
	for _, w := range all {
		made[w.ID] = micros(w.CreatedAt)
	}
	return made, err
}

// Calls implements [control.CallLog].
func (s *callStore) Calls(ctx context.Context, f control.CallFilter) ([]control.Call, error) {
	var is conditions
	is.add(`workspace = ?`, f.Workspace)
	if f.Tool != "" {
		is.add(`tool = ?`, f.Tool)
	}
	if f.Actor != "" {
		is.add(`actor = ?`, f.Actor)
	}
	if f.Client != "" {
		is.add(`client = ?`, f.Client)
	}
	if f.Status != "" {
		is.add(`status = ?`, f.Status)
	}
	if f.Before != "" {
		is.add(`id < ?`, f.Before)
	}
	return collect(ctx, s.read, scanCall,
		`SELECT `+callColumns+` FROM calls`+is.where()+` ORDER BY id DESC LIMIT `+is.bind(f.Limit), is.args...)
}

func scanCall(row scanner) (control.Call, error) {
	var c control.Call
	var at, took int64
	err := row.Scan(&c.Workspace, &c.ID, &at, &c.Tool, &c.Status, &took, &c.Bytes, &c.Actor, &c.Client, &c.ClientName, &c.Arguments)
	c.At, c.Took = instant(at), time.Duration(took)*time.Microsecond
	return c, engineFault(err)
}

// PruneCalls implements [control.CallLog].
func (s *callStore) PruneCalls(ctx context.Context, before time.Time, rows int) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		all, err := collect(ctx, tx, scanWorkspace, `SELECT `+workspaceColumns+` FROM workspaces`)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM calls WHERE workspace NOT IN (SELECT id FROM workspaces)`); err != nil {
			return err
		}
		for _, w := range all {
			if _, err := tx.ExecContext(ctx, `
				DELETE FROM calls
				WHERE workspace = $1 AND (id < $2 OR id <= (
					SELECT id FROM calls WHERE workspace = $1 ORDER BY id DESC LIMIT 1 OFFSET $3))`,
				w.ID, eventTime(micros(before)), rows); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("removal of old calls: %w", err)
	}
	return nil
}
