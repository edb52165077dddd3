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

// SaveMapping keeps a mapping of files' columns under its name, in place of one that has it. An unknown workspace is a
// fault of kind not_found, a person whose role no longer allows it one of kind forbidden.
func (s *Store) SaveMapping(ctx context.Context, m control.Mapping, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, m.Workspace); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, m.Workspace, by, control.Role.Writes); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO mappings (workspace, name, content, at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (workspace, name) DO UPDATE SET content = excluded.content, at = excluded.at`,
			m.Workspace, m.Name, m.Content, micros(m.At)); err != nil {
			return err
		}
		return record(ctx, tx, m.Workspace, control.MappingSaved, by, m.Name, "")
	})
	if err != nil {
		return fmt.Errorf("mapping %q: %w", m.Name, err)
	}
	return nil
}

const mappingColumns = `workspace, name, content, at`

// Mappings returns the mappings of a workspace by name.
func (s *Store) Mappings(ctx context.Context, id measure.WorkspaceID) ([]control.Mapping, error) {
	return collect(ctx, s.read, scanMapping, `SELECT `+mappingColumns+` FROM mappings WHERE workspace = $1 ORDER BY name`, id)
}

// Mapping returns a mapping of a workspace. One that does not exist is a fault of kind not_found.
func (s *Store) Mapping(ctx context.Context, id measure.WorkspaceID, name string) (control.Mapping, error) {
	m, err := scanMapping(s.read.QueryRowContext(ctx, `SELECT `+mappingColumns+` FROM mappings WHERE workspace = $1 AND name = $2`, id, name))
	if errors.Is(err, sql.ErrNoRows) {
		return control.Mapping{}, noMapping(id, name)
	}
	if err != nil {
		return control.Mapping{}, fmt.Errorf("mapping %q: %w", name, err)
	}
	return m, nil
}

// DeleteMapping removes a mapping of a workspace. One that does not exist is a fault of kind not_found, a person whose
// role no longer allows it one of kind forbidden.
func (s *Store) DeleteMapping(ctx context.Context, id measure.WorkspaceID, name string, by control.By) error {
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
	return fault.NotFound("workspace %q has no mapping %q", id, name).WithHint("assay mapping list shows them")
}

func scanMapping(row scanner) (control.Mapping, error) {
	var m control.Mapping
	var at int64
	err := row.Scan(&m.Workspace, &m.Name, &m.Content, &at)
	m.At = instant(at)
	return m, engineFault(err)
}
