package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assay/internal/fault"
	"assay/internal/measure"
)

// HasFactsFile reports whether the workspace has a file of facts, as [Store.SetHasFactsFile] last said. A workspace that does
// not exist is a fault of kind not_found.
func (s *Store) HasFactsFile(ctx context.Context, id measure.WorkspaceID) (has bool, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT facts_file FROM workspaces WHERE id = $1`, id).Scan(&has)
	if errors.Is(err, sql.ErrNoRows) {
		return false, fault.NotFound("there is no workspace %q", id).WithHint("assay workspace list shows them")
	}
	if err != nil {
		return false, fmt.Errorf("facts file of workspace %q: %w", id, engineFault(err))
	}
	return has, nil
}

// SetHasFactsFile notes whether the workspace has a file of facts. Of a workspace that does not exist nothing is noted.
func (s *Store) SetHasFactsFile(ctx context.Context, id measure.WorkspaceID, has bool) error {
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
