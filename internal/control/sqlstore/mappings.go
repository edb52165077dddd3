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

// SaveMapping stores a mapping under its name and replaces an existing mapping. An unknown workspace is a fault of kind
// not_found. A person without permission receives a fault of kind forbidden.
func (s *mappingStore) SaveMapping(ctx context.Context, m control.Mapping, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, m.Workspace); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, m.Workspace, by, control.Role.Writes); err != nil {
			return err
		}
		return keepMapping(ctx, tx, m, by, "")
	})
	if err != nil {
		return fmt.Errorf("mapping %q: %w", m.Name, err)
	}
	return nil
}

// keepMapping writes a mapping and its audit event.
func keepMapping(ctx context.Context, tx *sql.Tx, m control.Mapping, by control.By, detail string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO mappings (workspace, name, content, at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (workspace, name) DO UPDATE SET content = excluded.content, at = excluded.at`,
		m.Workspace, m.Name, m.Content, micros(m.At))
	if err != nil {
		return err
	}
	return record(ctx, tx, m.Workspace, control.MappingSaved, by, m.Name, detail)
}

// ChangeMapping replaces the mapping that the caller read, under the same or another name, in one step. It returns a
// fault of kind conflict if that mapping was changed, renamed or deleted since, or if another mapping has the name.
// Sending the same mapping twice is not a conflict. Other faults are the same as for [Store.SaveMapping].
func (s *mappingStore) ChangeMapping(ctx context.Context, change control.MappingChange, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, change.Workspace); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, change.Workspace, by, control.Role.Writes); err != nil {
			return err
		}
		if change.Was != "" {
			done, err := tx.ExecContext(ctx, `DELETE FROM mappings WHERE workspace = $1 AND name = $2 AND at = $3`, change.Workspace, change.Was, micros(change.Seen))
			if err != nil {
				return err
			}
			if n, err := done.RowsAffected(); err != nil || n == 0 {
				return errors.Join(fault.Conflict("the mapping %q was changed, renamed or deleted since it was opened", change.Was).
					WithHint("open it again and repeat your changes"), err)
			}
		}
		other, err := scanMapping(tx.QueryRowContext(ctx, `SELECT `+mappingColumns+` FROM mappings WHERE workspace = $1 AND name = $2`, change.Workspace, change.Name))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			detail := ""
			if change.Was != "" && change.Was != change.Name {
				detail = "was " + change.Was
			}
			return keepMapping(ctx, tx, change.Mapping, by, detail)
		case err != nil:
			return err
		case change.Was == "" && other.Content == change.Content:
			return keepMapping(ctx, tx, change.Mapping, by, "")
		}
		return fault.Conflict("another mapping has the name %q", change.Name).WithHint("choose another name, or change the mapping with this name")
	})
	if err != nil {
		return fmt.Errorf("mapping %q: %w", change.Name, err)
	}
	return nil
}

const mappingColumns = `workspace, name, content, at`

// Mappings returns the mappings of a workspace by name.
func (s *mappingStore) Mappings(ctx context.Context, id measure.WorkspaceID) ([]control.Mapping, error) {
	return collect(ctx, s.read, scanMapping, `SELECT `+mappingColumns+` FROM mappings WHERE workspace = $1 ORDER BY name`, id)
}

// Mapping returns a mapping of a workspace, or a fault of kind not_found.
func (s *mappingStore) Mapping(ctx context.Context, id measure.WorkspaceID, name string) (control.Mapping, error) {
	m, err := scanMapping(s.read.QueryRowContext(ctx, `SELECT `+mappingColumns+` FROM mappings WHERE workspace = $1 AND name = $2`, id, name))
	if errors.Is(err, sql.ErrNoRows) {
		return control.Mapping{}, noMapping(id, name)
	}
	if err != nil {
		return control.Mapping{}, fmt.Errorf("mapping %q: %w", name, err)
	}
	return m, nil
}

// DeleteMapping removes a mapping of a workspace. A missing mapping is a fault of kind not_found. A person without
// permission receives a fault of kind forbidden.
func (s *mappingStore) DeleteMapping(ctx context.Context, id measure.WorkspaceID, name string, by control.By) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if err := stillMay(ctx, tx, id, by, control.Role.Writes); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `DELETE FROM mappings WHERE workspace = $1 AND name = $2`, id, name)
		if err != nil {
			return fmt.Errorf("mapping %q: %w", name, err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(noMapping(id, name), err)
		}
		return record(ctx, tx, id, control.MappingRemoved, by, name, "")
	})
}

func noMapping(id measure.WorkspaceID, name string) error {
	return fault.NotFound("workspace %q has no mapping %q", id, name).WithHint("list the mappings with: assay mapping list")
}

func scanMapping(row scanner) (control.Mapping, error) {
	var m control.Mapping
	var at int64
	err := row.Scan(&m.Workspace, &m.Name, &m.Content, &at)
	m.At = instant(at)
	return m, engineFault(err)
}
