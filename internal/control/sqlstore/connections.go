package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// maxConnections is the maximum number of connections of a workspace.
const maxConnections = 50

const connectionColumns = `platform, account, sealed, sandbox, created_at, status, problem, hint, tested_at, name, currency, zone, expires, permissions`

// AddConnection stores a connection, or replaces the credentials and the state of a connection to the same account.
// Exceeding the maximum number of connections is a fault of kind conflict. A person who does not manage the workspace
// receives a fault of kind forbidden.
func (s *connectionStore) AddConnection(ctx context.Context, c control.Connection, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, c.Workspace); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, c.Workspace, by, control.Role.Manages); err != nil {
			return err
		}
		var others int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM connections WHERE workspace = $1 AND NOT (platform = $2 AND account = $3)`,
			c.Workspace, c.Platform, c.Account).Scan(&others); err != nil {
			return err
		}
		if others >= maxConnections {
			return fault.Conflict("the workspace has %d connections", others).WithHint("remove an unused one")
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO connections (workspace, `+connectionColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
			ON CONFLICT (workspace, platform, account) DO UPDATE SET
				sealed = excluded.sealed, sandbox = excluded.sandbox, created_at = excluded.created_at, status = excluded.status,
				problem = excluded.problem, hint = excluded.hint, tested_at = excluded.tested_at, name = excluded.name,
				currency = excluded.currency, zone = excluded.zone, expires = excluded.expires, permissions = excluded.permissions`,
			c.Workspace, c.Platform, c.Account, hex.EncodeToString(c.Sealed), bit(c.Sandbox), micros(c.CreatedAt),
			c.Status, c.Problem, c.Hint, micros(c.TestedAt), c.Name, c.Currency, c.Zone, micros(c.Expires), strings.Join(c.Permissions, " "))
		if err != nil {
			return err
		}
		return record(ctx, tx, c.Workspace, control.ConnectionAdded, by, subjectOf(c.Platform, c.Account), "")
	})
	if err != nil {
		return fmt.Errorf("connection: %w", err)
	}
	return nil
}

// subjectOf names a connection in audit events.
func subjectOf(p measure.Platform, account string) string { return string(p) + " " + account }

// Connections returns a workspace's connections, sorted by platform and account.
func (s *connectionStore) Connections(ctx context.Context, ws measure.WorkspaceID) ([]control.Connection, error) {
	return collect(ctx, s.read, func(row scanner) (control.Connection, error) {
		c := control.Connection{Workspace: ws}
		var sealed, permissions string
		var sandbox, created, tested, expires int64
		if err := row.Scan(&c.Platform, &c.Account, &sealed, &sandbox, &created, &c.Status, &c.Problem, &c.Hint, &tested,
			&c.Name, &c.Currency, &c.Zone, &expires, &permissions); err != nil {
			return c, engineFault(err)
		}
		c.Sandbox, c.CreatedAt, c.TestedAt, c.Expires = sandbox != 0, instant(created), instant(tested), instant(expires)
		if permissions != "" {
			c.Permissions = strings.Split(permissions, " ")
		}
		var err error
		c.Sealed, err = hex.DecodeString(sealed)
		return c, err
	}, `SELECT `+connectionColumns+` FROM connections WHERE workspace = $1 ORDER BY platform, account`, ws)
}

// SetConnectionState stores the result of a connection test. The sealed credentials identify the tested connection. A
// connection that was removed or got other credentials meanwhile is not changed.
func (s *connectionStore) SetConnectionState(ctx context.Context, c control.Connection) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE connections SET status = $1, problem = $2, hint = $3, tested_at = $4, name = $5,
			currency = $6, zone = $7, expires = $8, permissions = $9
			WHERE workspace = $10 AND platform = $11 AND account = $12 AND sealed = $13`,
			c.Status, c.Problem, c.Hint, micros(c.TestedAt), c.Name, c.Currency, c.Zone, micros(c.Expires), strings.Join(c.Permissions, " "),
			c.Workspace, c.Platform, c.Account, hex.EncodeToString(c.Sealed))
		return err
	})
}

// RemoveConnection removes a connection with its credentials. A missing connection is a fault of kind not_found. A
// person who does not manage the workspace receives a fault of kind forbidden.
func (s *connectionStore) RemoveConnection(
	ctx context.Context, ws measure.WorkspaceID, p measure.Platform, account string, by control.By,
) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if err := stillMay(ctx, tx, ws, by, control.Role.Manages); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `DELETE FROM connections WHERE workspace = $1 AND platform = $2 AND account = $3`, ws, p, account)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.NotFound("account %s of %s is not connected to this workspace", account, p)
		}
		return record(ctx, tx, ws, control.ConnectionRemoved, by, subjectOf(p, account), "")
	})
}
