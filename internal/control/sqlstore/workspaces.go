package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const workspaceColumns = `workspaces.id, workspaces.name, workspaces.currency, workspaces.zone, workspaces.week_start,
	workspaces.without_tax, workspaces.without_shipping, workspaces.net_of_refunds,
	workspaces.rate_per_min, workspaces.retrain, workspaces.retrain_hour, workspaces.log_arguments, workspaces.cost_rules, workspaces.created_at, workspaces.version`

// CreateWorkspace stores a new workspace and returns it with its ID and version 1. Invalid settings are faults of kind
// invalid. A duplicate ID is a fault of kind conflict.
func (s *workspaceStore) CreateWorkspace(ctx context.Context, w control.Workspace, by control.By) (control.Workspace, error) {
	w, err := w.Checked()
	if err != nil {
		return control.Workspace{}, err
	}
	w.CreatedAt, w.Version = instant(micros(by.At)), 1
	err = s.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `
			INSERT INTO workspaces (id, name, currency, zone, week_start, without_tax, without_shipping, net_of_refunds,
			                        rate_per_min, retrain, retrain_hour, log_arguments, cost_rules, created_at, version)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
			ON CONFLICT DO NOTHING`,
			w.ID, w.Name, w.Currency, w.Zone, int(w.WeekStart),
			bit(w.Basis.WithoutTax), bit(w.Basis.WithoutShipping), bit(w.Basis.NetOfRefunds),
			w.RatePerMin, w.Retrain.Cadence, w.Retrain.Hour, bit(w.LogArguments), costRules{&w.Costs}, micros(w.CreatedAt), w.Version)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.Conflict("workspace %q already exists", w.ID).WithHint("choose another name")
		}
		return record(ctx, tx, w.ID, control.WorkspaceMade, by, string(w.ID), w.Name)
	})
	if err != nil {
		return control.Workspace{}, fmt.Errorf("workspace %q: %w", w.ID, err)
	}
	return w, nil
}

// Workspaces returns all workspaces, sorted by ID.
func (s *workspaceStore) Workspaces(ctx context.Context) ([]control.Workspace, error) {
	return collect(ctx, s.read, scanWorkspace, `SELECT `+workspaceColumns+` FROM workspaces ORDER BY id`)
}

// Workspace returns the workspace, or a fault of kind not_found.
func (s *workspaceStore) Workspace(ctx context.Context, id measure.WorkspaceID) (control.Workspace, error) {
	return workspace(ctx, s.read, id)
}

func workspace(ctx context.Context, q querier, id measure.WorkspaceID) (control.Workspace, error) {
	w, err := scanWorkspace(q.QueryRowContext(ctx, `SELECT `+workspaceColumns+` FROM workspaces WHERE id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return control.Workspace{}, fault.NotFound("there is no workspace %q", id).WithHint("list the workspaces with: assay workspace list")
	}
	if err != nil {
		return control.Workspace{}, fmt.Errorf("workspace %q: %w", id, err)
	}
	return w, nil
}

// UpdateWorkspace changes the settings of w.ID and returns them with the next version. If w does not have the current
// version, UpdateWorkspace returns a fault of kind conflict. A person who does not manage the workspace receives a
// fault of kind forbidden. Only SetCost and RemoveCost change costs.
func (s *workspaceStore) UpdateWorkspace(ctx context.Context, w control.Workspace, by control.By) (control.Workspace, error) {
	w, err := w.Checked()
	if err != nil {
		return control.Workspace{}, err
	}
	read := w.Version
	err = s.change(ctx, func(tx *sql.Tx) error {
		now, err := workspace(ctx, tx, w.ID)
		if err != nil {
			return err
		}
		if err := stillMay(ctx, tx, w.ID, by, control.Role.Manages); err != nil {
			return err
		}
		if now.Version != read {
			return fault.Conflict("the settings of workspace %q have changed since they were read", w.ID).WithHint("read them again and repeat the change")
		}
		w.CreatedAt, w.Version, w.Costs = now.CreatedAt, now.Version+1, now.Costs
		if _, err := tx.ExecContext(ctx, `
			UPDATE workspaces
			SET name = $1, currency = $2, zone = $3, week_start = $4, without_tax = $5, without_shipping = $6,
			    net_of_refunds = $7, rate_per_min = $8, retrain = $9, retrain_hour = $10,
			    log_arguments = $11, version = $12
			WHERE id = $13`,
			w.Name, w.Currency, w.Zone, int(w.WeekStart), bit(w.Basis.WithoutTax), bit(w.Basis.WithoutShipping),
			bit(w.Basis.NetOfRefunds), w.RatePerMin, w.Retrain.Cadence, w.Retrain.Hour, bit(w.LogArguments), w.Version, w.ID); err != nil {
			return err
		}
		return record(ctx, tx, w.ID, control.WorkspaceChanged, by, string(w.ID), differences(now, w))
	})
	if err != nil {
		return control.Workspace{}, fmt.Errorf("workspace %q: %w", w.ID, err)
	}
	return w, nil
}

// DeleteWorkspace removes the workspace with its calls, keys and grants. It does not remove the facts.
func (s *workspaceStore) DeleteWorkspace(ctx context.Context, id measure.WorkspaceID, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, id); err != nil {
			return err
		}
		keys, err := keysOf(ctx, tx, id)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if !k.Valid(by.At) {
				continue
			}
			if err := record(ctx, tx, id, control.KeyRevoked, by, string(k.ID), "with its workspace"); err != nil {
				return err
			}
		}
		if err := endGrants(ctx, tx, `workspace = $2`, "with its workspace", by, id); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM calls WHERE workspace = $1`, `DELETE FROM forgotten_customers WHERE workspace = $1`,
			`DELETE FROM mappings WHERE workspace = $1`, `DELETE FROM workspaces WHERE id = $1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, id); err != nil {
				return err
			}
		}
		return record(ctx, tx, id, control.WorkspaceDeleted, by, string(id), "")
	})
	if err != nil {
		return fmt.Errorf("workspace %q: %w", id, err)
	}
	return nil
}

func scanWorkspace(row scanner) (control.Workspace, error) {
	var w control.Workspace
	var created int64
	err := row.Scan(append(workspaceFields(&w), &created, &w.Version)...)
	w.CreatedAt = instant(created)
	return w, engineFault(err)
}

// workspaceFields returns the scan destinations for the columns up to cost_rules.
func workspaceFields(w *control.Workspace) []any {
	return []any{
		&w.ID, &w.Name, &w.Currency, &w.Zone, &w.WeekStart,
		&w.Basis.WithoutTax, &w.Basis.WithoutShipping, &w.Basis.NetOfRefunds, &w.RatePerMin,
		&w.Retrain.Cadence, &w.Retrain.Hour, &w.LogArguments,
		costRules{&w.Costs},
	}
}

// differences describes an update for the audit log.
func differences(was, is control.Workspace) string {
	var text string
	add := func(what string, before, after any) {
		if before == after {
			return
		}
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%s: %v, was %v", what, after, before)
	}
	add("name", was.Name, is.Name)
	add("currency", was.Currency, is.Currency)
	add("zone", was.Zone, is.Zone)
	add("week start", was.WeekStart, is.WeekStart)
	add("revenue", was.Basis, is.Basis)
	add("requests per minute", was.RatePerMin, is.RatePerMin)
	add("training of models", was.Retrain, is.Retrain)
	add("arguments in the call log", was.LogArguments, is.LogArguments)
	return text
}

// touched reports whether a statement changed a row.
func touched(done sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

func bit(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// micros and instant convert a time to a column value in microseconds and back. The zero time is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func instant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
