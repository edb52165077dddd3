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

const membershipColumns = `memberships.user_id, memberships.role, memberships.since, ` + workspaceColumns

// SetRole changes the person's role in the workspace. It revokes the keys that the person created in the workspace if
// they exceed the role. Lowering the role of the last owner is a fault of kind conflict. A person who may not give the
// new role or remove the old role receives a fault of kind forbidden. Members join by invitation only.
func (s *memberStore) SetRole(ctx context.Context, id control.UserID, ws measure.WorkspaceID, role control.Role, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, ws); err != nil {
			return err
		}
		if _, err := user(ctx, tx, `SELECT `+userColumns+` FROM users WHERE id = $1`, id); err != nil {
			return err
		}
		if err := mayReplaceRole(ctx, tx, id, ws, role, by); err != nil {
			return err
		}
		return setRole(ctx, tx, id, ws, role, by)
	})
	if err != nil {
		return fmt.Errorf("role of account %q in workspace %q: %w", id, ws, err)
	}
	return nil
}

func mayReplaceRole(ctx context.Context, tx *sql.Tx, id control.UserID, ws measure.WorkspaceID, role control.Role, by control.By) error {
	if _, person := by.Person(); !person {
		return nil
	}
	was, err := roleOf(ctx, tx, id, ws)
	if err != nil {
		return err
	}
	if was == "" {
		return fault.NotFound("the person is not a member of the workspace")
	}
	return stillMay(ctx, tx, ws, by, func(r control.Role) bool { return r.MayGive(was) && r.MayGive(role) })
}

// stillMay checks the author's current role in the workspace, because the role may have changed since an earlier check.
// stillMay does not check commands.
func stillMay(ctx context.Context, tx *sql.Tx, ws measure.WorkspaceID, by control.By, allows func(control.Role) bool) error {
	id, person := by.Person()
	if !person {
		return nil
	}
	role, err := roleOf(ctx, tx, id, ws)
	if err != nil {
		return err
	}
	if !allows(role) {
		return fault.Forbidden("your role in the workspace no longer allows this")
	}
	return nil
}

func setRole(ctx context.Context, tx *sql.Tx, id control.UserID, ws measure.WorkspaceID, role control.Role, by control.By) error {
	was, err := roleOf(ctx, tx, id, ws)
	if err != nil || was == role {
		return err
	}
	if err := keepsOwner(ctx, tx, id, ws, was); err != nil {
		return err
	}
	beyond := func(k control.Key) bool { return len(role.Within(k.Scopes)) < len(k.Scopes) }
	if err := revokeKeysOf(ctx, tx, id, ws, beyond, by); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `
		INSERT INTO memberships (user_id, workspace, role, since) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, workspace) DO UPDATE SET role = excluded.role`, id, ws, role, micros(by.At)); err != nil {
		return err
	}
	return record(ctx, tx, ws, control.RoleChanged, by, string(id), changeOf(was, role))
}

// keepsOwner returns a fault of kind conflict if the person is the last owner of the workspace.
func keepsOwner(ctx context.Context, tx *sql.Tx, id control.UserID, ws measure.WorkspaceID, was control.Role) error {
	if was != control.RoleOwner {
		return nil
	}
	var others int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM memberships WHERE workspace = $1 AND role = $2 AND user_id <> $3`,
		ws, control.RoleOwner, id).Scan(&others); err != nil {
		return err
	}
	if others == 0 {
		return fault.Conflict("this is the last owner of workspace %q", ws).WithHint("make another member an owner first")
	}
	return nil
}

// RemoveMember removes the person from the workspace. It revokes the grants and keys of the person in the workspace and
// withdraws the person's invitations. Removing the last owner is a fault of kind conflict. A person who removes another
// member and may not remove that role receives a fault of kind forbidden.
func (s *memberStore) RemoveMember(ctx context.Context, id control.UserID, ws measure.WorkspaceID, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		was, err := roleOf(ctx, tx, id, ws)
		if err != nil {
			return err
		}
		if was == "" {
			return fault.NotFound("the person is not a member of the workspace")
		}
		if by.Actor != control.ActorOf(id) {
			if err := stillMay(ctx, tx, ws, by, func(r control.Role) bool { return r.MayGive(was) }); err != nil {
				return err
			}
		}
		return leave(ctx, tx, id, ws, was, by)
	})
	if err != nil {
		return fmt.Errorf("account %q in workspace %q: %w", id, ws, err)
	}
	return nil
}

// leave deletes a membership and everything that depends on it.
func leave(ctx context.Context, tx *sql.Tx, id control.UserID, ws measure.WorkspaceID, was control.Role, by control.By) error {
	if err := keepsOwner(ctx, tx, id, ws, was); err != nil {
		return err
	}
	if err := revokeKeysOf(ctx, tx, id, ws, func(control.Key) bool { return true }, by); err != nil {
		return err
	}
	if err := endGrants(ctx, tx, `user_id = $2 AND workspace = $3`, withMaker, by, id, ws); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM oauth_grants WHERE user_id = $1 AND workspace = $2`,
		`DELETE FROM invitations WHERE invited_by = $1 AND workspace = $2`,
		`DELETE FROM memberships WHERE user_id = $1 AND workspace = $2`,
	} {
		if _, err := tx.ExecContext(ctx, statement, id, ws); err != nil {
			return err
		}
	}
	return record(ctx, tx, ws, control.RoleChanged, by, string(id), changeOf(was, ""))
}

// withMaker is the reason recorded for keys and grants that end with the membership of their author.
const withMaker = "with the access of the person who made it"

// roleOf returns "" for a person who is not a member of the workspace.
func roleOf(ctx context.Context, q querier, id control.UserID, ws measure.WorkspaceID) (control.Role, error) {
	var role control.Role
	err := q.QueryRowContext(ctx, `SELECT role FROM memberships WHERE user_id = $1 AND workspace = $2`, id, ws).Scan(&role)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return role, engineFault(err)
}

func changeOf(was, is control.Role) string {
	if was == "" {
		was = "none"
	}
	if is == "" {
		is = "none"
	}
	return fmt.Sprintf("%s, was %s", is, was)
}

// Memberships returns the person's workspaces, sorted by ID.
func (s *memberStore) Memberships(ctx context.Context, id control.UserID) ([]control.Membership, error) {
	return memberships(ctx, s.read, id)
}

func memberships(ctx context.Context, q querier, id control.UserID) ([]control.Membership, error) {
	return collect(ctx, q, scanMembership, `
		SELECT `+membershipColumns+`
		FROM memberships JOIN workspaces ON workspaces.id = memberships.workspace
		WHERE memberships.user_id = $1
		ORDER BY workspaces.id`, id)
}

// Members returns the members of the workspace, longest membership first.
func (s *memberStore) Members(ctx context.Context, ws measure.WorkspaceID) ([]control.Membership, error) {
	return collect(ctx, s.read, scanMembership, `
		SELECT `+membershipColumns+`
		FROM memberships JOIN workspaces ON workspaces.id = memberships.workspace
		WHERE memberships.workspace = $1
		ORDER BY memberships.since, memberships.user_id`, ws)
}

func scanMembership(row scanner) (control.Membership, error) {
	var m control.Membership
	var since, created int64
	dest := append([]any{&m.User, &m.Role, &since}, workspaceFields(&m.Workspace)...)
	err := row.Scan(append(dest, &created, &m.Workspace.Version)...)
	m.Since, m.Workspace.CreatedAt = instant(since), instant(created)
	return m, engineFault(err)
}
