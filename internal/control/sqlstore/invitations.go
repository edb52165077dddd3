package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const invitationColumns = `id, hash, workspace, email, role, invited_by, created_at, expires_at`

// CreateInvitation stores an invitation and replaces earlier invitations of the address to the workspace. A missing
// workspace or person is a fault of kind not_found. A person who may not give the role receives a fault of kind
// forbidden.
func (s *memberStore) CreateInvitation(ctx context.Context, n control.Invitation, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, n.Workspace); err != nil {
			return err
		}
		if _, err := user(ctx, tx, `SELECT `+userColumns+` FROM users WHERE id = $1`, n.By); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, n.Workspace, by, func(r control.Role) bool { return r.MayGive(n.Role) }); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM invitations WHERE workspace = $1 AND email = $2`, n.Workspace, n.Email); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO invitations (`+invitationColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			n.ID, hex.EncodeToString(n.Hash), n.Workspace, n.Email, n.Role, n.By, micros(n.CreatedAt), micros(n.ExpiresAt)); err != nil {
			return err
		}
		return record(ctx, tx, n.Workspace, control.UserInvited, by, string(n.ID), string(n.Role))
	})
	if err != nil {
		return fmt.Errorf("invitation to workspace %q: %w", n.Workspace, err)
	}
	return nil
}

// Invitations returns the workspace's invitations, including expired invitations, oldest first.
func (s *memberStore) Invitations(ctx context.Context, ws measure.WorkspaceID) ([]control.Invitation, error) {
	return collect(ctx, s.read, scanInvitation,
		`SELECT `+invitationColumns+` FROM invitations WHERE workspace = $1 ORDER BY created_at, id`, ws)
}

// Invitation returns the invitation with the hash, or a fault of kind not_found. The caller checks whether it is
// still valid.
func (s *memberStore) Invitation(ctx context.Context, hash []byte) (control.Invitation, error) {
	return invitation(s.read.QueryRowContext(ctx, `SELECT `+invitationColumns+` FROM invitations WHERE hash = $1`, hex.EncodeToString(hash)))
}

func invitation(row scanner) (control.Invitation, error) {
	n, err := scanInvitation(row)
	if errors.Is(err, sql.ErrNoRows) {
		return n, fault.NotFound("there is no such invitation")
	}
	return n, err
}

// WithdrawInvitation removes an invitation to the workspace. A missing invitation is a fault of kind not_found. A
// person who does not manage the workspace receives a fault of kind forbidden.
func (s *memberStore) WithdrawInvitation(ctx context.Context, id control.InvitationID, ws measure.WorkspaceID, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if err := stillMay(ctx, tx, ws, by, control.Role.Manages); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `DELETE FROM invitations WHERE id = $1 AND workspace = $2`, id, ws)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.NotFound("there is no such invitation")
		}
		return record(ctx, tx, ws, control.InvitationWithdrawn, by, string(id), "")
	})
	if err != nil {
		return fmt.Errorf("invitation %q: %w", id, err)
	}
	return nil
}

// AcceptInvitation uses the invitation and gives its role to the person. If no account has the ID of u, it creates the
// account. If the invitation was used or withdrawn, or has expired, AcceptInvitation returns a fault of kind conflict
// and stores nothing. It does the same if the author of the invitation may no longer give the role. Members keep their
// role.
func (s *memberStore) AcceptInvitation(ctx context.Context, hash []byte, u control.User, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		n, err := invitation(tx.QueryRowContext(ctx,
			`DELETE FROM invitations WHERE hash = $1 AND expires_at > $2 RETURNING `+invitationColumns, hex.EncodeToString(hash), micros(by.At)))
		if fault.KindOf(err) == fault.KindNotFound {
			return fault.Conflict("this invitation was used or withdrawn, or has expired")
		}
		if err != nil {
			return err
		}
		giver, err := roleOf(ctx, tx, n.By, n.Workspace)
		if err != nil {
			return err
		}
		if !giver.MayGive(n.Role) {
			return fault.Conflict("the author of this invitation may no longer assign this role")
		}
		return join(ctx, tx, n, u, by)
	})
	if err != nil {
		return fmt.Errorf("invitation of account %q: %w", u.ID, err)
	}
	return nil
}

func join(ctx context.Context, tx *sql.Tx, n control.Invitation, u control.User, by control.By) error {
	_, err := user(ctx, tx, `SELECT `+userColumns+` FROM users WHERE id = $1`, u.ID)
	if fault.KindOf(err) == fault.KindNotFound {
		err = insertUser(ctx, tx, u, by)
	}
	if err != nil {
		return err
	}
	was, err := roleOf(ctx, tx, u.ID, n.Workspace)
	if err != nil || was != "" {
		return err
	}
	return setRole(ctx, tx, u.ID, n.Workspace, n.Role, by)
}

func scanInvitation(row scanner) (control.Invitation, error) {
	var n control.Invitation
	var hash string
	var created, expires int64
	err := row.Scan(&n.ID, &hash, &n.Workspace, &n.Email, &n.Role, &n.By, &created, &expires)
	if err == nil {
		n.Hash, err = hex.DecodeString(hash)
	}
	n.CreatedAt, n.ExpiresAt = instant(created), instant(expires)
	return n, engineFault(err)
}
