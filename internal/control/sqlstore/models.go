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

// SaveModels replaces the models of a workspace in one step. Models that are not newer than the stored models are a
// fault of kind conflict. A workspace that was deleted, or deleted and created again, is a fault of kind not_found.
func (s *modelStore) SaveModels(ctx context.Context, m control.StoredModels) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		w, err := workspace(ctx, tx, m.Workspace)
		if err != nil {
			return err
		}
		if !w.CreatedAt.Equal(m.Made) {
			return fault.NotFound("workspace %q was deleted and created again", m.Workspace)
		}
		done, err := tx.ExecContext(ctx, `
			INSERT INTO models (workspace, version, trained_at, body) VALUES ($1, $2, $3, $4)
			ON CONFLICT (workspace) DO UPDATE SET version = excluded.version, trained_at = excluded.trained_at, body = excluded.body
			WHERE models.version < excluded.version`, m.Workspace, m.Version, micros(m.TrainedAt), m.Body)
		hit, err := touched(done, err)
		if err == nil && !hit {
			err = fault.Conflict("another training of workspace %q has stored a newer model", m.Workspace).WithHint("train again if necessary")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("models of workspace %q: %w", m.Workspace, err)
	}
	return nil
}

// ModelState returns the state of a workspace's models without reading them.
func (s *modelStore) ModelState(ctx context.Context, ws measure.WorkspaceID) (state control.ModelState, err error) {
	var at int64
	err = s.read.QueryRowContext(ctx, `SELECT version, trained_at FROM models WHERE workspace = $1`, ws).Scan(&state.Version, &at)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return control.ModelState{}, fmt.Errorf("models of workspace %q: %w", ws, engineFault(err))
	}
	state.TrainedAt = instant(at)
	return state, nil
}

// Models returns the models of a workspace, without the creation time of the workspace. If there are none, the state
// and the body are zero values.
func (s *modelStore) Models(ctx context.Context, ws measure.WorkspaceID) (control.StoredModels, error) {
	m := control.StoredModels{Workspace: ws}
	var at int64
	err := s.read.QueryRowContext(ctx, `SELECT version, trained_at, body FROM models WHERE workspace = $1`, ws).Scan(&m.Version, &at, &m.Body)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return m, fmt.Errorf("models of workspace %q: %w", ws, engineFault(err))
	}
	m.TrainedAt = instant(at)
	return m, nil
}

// RemoveModels removes the models of a workspace, if there are any.
func (s *modelStore) RemoveModels(ctx context.Context, ws measure.WorkspaceID) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM models WHERE workspace = $1`, ws)
		return err
	})
	if err != nil {
		return fmt.Errorf("models of workspace %q: %w", ws, err)
	}
	return nil
}
