package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
)

// CreateClient stores a registered client.
func (s *clientStore) CreateClient(ctx context.Context, c control.Client) error {
	err := s.exec(ctx, `
		INSERT INTO oauth_clients (id, name, redirects, created_at, used_at) VALUES ($1, $2, $3, $4, $5)`,
		c.ID, c.Name, strings.Join(c.Redirects, "\n"), micros(c.CreatedAt), micros(c.UsedAt))
	if err != nil {
		return fmt.Errorf("client %q: %w", c.ID, engineFault(err))
	}
	return nil
}

// Client returns the registered client with the ID, or a fault of kind not_found.
func (s *clientStore) Client(ctx context.Context, id control.ClientID) (control.Client, error) {
	var c control.Client
	var redirects string
	var created, used int64
	err := s.read.QueryRowContext(ctx, `SELECT id, name, redirects, created_at, used_at FROM oauth_clients WHERE id = $1`, id).
		Scan(&c.ID, &c.Name, &redirects, &created, &used)
	if errors.Is(err, sql.ErrNoRows) {
		return control.Client{}, fault.NotFound("there is no such client")
	}
	if err != nil {
		return control.Client{}, fmt.Errorf("client %q: %w", id, engineFault(err))
	}
	c.Redirects, c.CreatedAt, c.UsedAt = strings.Split(redirects, "\n"), instant(created), instant(used)
	return c, nil
}

// DeleteClient removes the registered client and revokes its grants.
func (s *clientStore) DeleteClient(ctx context.Context, id control.ClientID, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM oauth_clients WHERE id = $1`, id)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.NotFound("there is no such client")
		}
		return endGrants(ctx, tx, `client = $2`, "with its client", by, id)
	})
	if err != nil {
		return fmt.Errorf("client %q: %w", id, err)
	}
	return nil
}
