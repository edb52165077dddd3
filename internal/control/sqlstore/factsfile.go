package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assay/internal/fault"
	"assay/internal/measure"
)

// HasFactsFile reports whether the workspace has a facts file, as set by [Store.SetHasFactsFile]. A workspace that
// does not exist is a fault of kind not_found.
func (s *workspaceStore) HasFactsFile(ctx context.Context, id measure.WorkspaceID) (has bool, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT facts_file FROM workspaces WHERE id = $1`, id).Scan(&has)
	if errors.Is(err, sql.ErrNoRows) {
		return false, fault.NotFound("there is no workspace %q", id).WithHint("list the workspaces with: assay workspace list")
	}
	if err != nil {
		return false, fmt.Errorf("facts file of workspace %q: %w", id, engineFault(err))
	}
	return has, nil
}

// SetHasFactsFile records whether the workspace has a facts file. It ignores a workspace that does not exist.
func (s *workspaceStore) SetHasFactsFile(ctx context.Context, id measure.WorkspaceID, has bool) error {
	noted, err := s.HasFactsFile(ctx, id)
	if fault.KindOf(err) == fault.KindNotFound || err == nil && noted == has {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE workspaces SET facts_file = $1 WHERE id = $2`, bit(has), id)
		return err
	})
	if err != nil {
		return fmt.Errorf("facts file of workspace %q: %w", id, err)
	}
	return nil
}
