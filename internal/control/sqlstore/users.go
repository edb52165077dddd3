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

const userColumns = `users.id, users.email, users.password, users.created_at`

// CreateUser stores a new person. A duplicate address is a fault of kind conflict.
func (s *userStore) CreateUser(ctx context.Context, u control.User, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		return insertUser(ctx, tx, u, by)
	})
	if err != nil {
		return fmt.Errorf("account %q: %w", u.ID, err)
	}
	return nil
}

func insertUser(ctx context.Context, tx *sql.Tx, u control.User, by control.By) error {
	done, err := tx.ExecContext(ctx, `
		INSERT INTO users (id, email, password, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, u.ID, u.Email, u.Password, micros(u.CreatedAt))
	hit, err := touched(done, err)
	if err != nil {
		return err
	}
	if !hit {
		return fault.Conflict("an account with this email address exists").WithHint("assay user list shows all accounts")
	}
	return record(ctx, tx, "", control.UserMade, by, string(u.ID), "")
}

// Users returns all people, oldest first.
func (s *userStore) Users(ctx context.Context) ([]control.User, error) {
	return collect(ctx, s.read, scanUser, `SELECT `+userColumns+` FROM users ORDER BY created_at, id`)
}

// User returns the person with the ID, or a fault of kind not_found.
func (s *userStore) User(ctx context.Context, id control.UserID) (control.User, error) {
	return user(ctx, s.read, `SELECT `+userColumns+` FROM users WHERE id = $1`, id)
}

// UserByEmail returns the person with the lower-case email address, or a fault of kind not_found.
func (s *userStore) UserByEmail(ctx context.Context, email string) (control.User, error) {
	return user(ctx, s.read, `SELECT `+userColumns+` FROM users WHERE email = $1`, email)
}

func user(ctx context.Context, q querier, query string, args ...any) (control.User, error) {
	u, err := scanUser(q.QueryRowContext(ctx, query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return control.User{}, fault.NotFound("there is no such account").WithHint("assay user list shows all accounts")
	}
	if err != nil {
		return control.User{}, fmt.Errorf("account: %w", err)
	}
	return u, nil
}

// ChangePassword replaces the hash of the password and ends all sessions of the person. It returns a fault of kind
// conflict if the stored hash differs from the parameter was. A request with an old password therefore cannot undo a
// change.
func (s *userStore) ChangePassword(ctx context.Context, id control.UserID, was, is string, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := user(ctx, tx, `SELECT `+userColumns+` FROM users WHERE id = $1`, id); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `UPDATE users SET password = $1 WHERE id = $2 AND password = $3`, is, id, was)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.Conflict("the password has changed in the meantime")
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1`, id); err != nil {
			return err
		}
		return record(ctx, tx, "", control.PasswordChanged, by, string(id), "")
	})
	if err != nil {
		return fmt.Errorf("password of account %q: %w", id, err)
	}
	return nil
}

// StrengthenPassword replaces the hash with a stronger hash of the same password, unless the password changed
// meanwhile.
func (s *userStore) StrengthenPassword(ctx context.Context, id control.UserID, was, is string) error {
	if err := s.exec(ctx, `UPDATE users SET password = $1 WHERE id = $2 AND password = $3`, is, id, was); err != nil {
		return fmt.Errorf("password of account %q: %w", id, engineFault(err))
	}
	return nil
}

// RemoveUser removes the person from all workspaces, with all sessions, grants and keys of the person. Removing the
// last owner of a workspace is a fault of kind conflict.
func (s *userStore) RemoveUser(ctx context.Context, id control.UserID, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		in, err := memberships(ctx, tx, id)
		if err != nil {
			return err
		}
		for _, m := range in {
			if err := leave(ctx, tx, id, m.Workspace.ID, m.Role, by); err != nil {
				return err
			}
		}
		done, err := tx.ExecContext(ctx, `DELETE FROM users WHERE id = $1`, id)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.NotFound("there is no such account")
		}
		return record(ctx, tx, "", control.UserRemoved, by, string(id), "")
	})
	if err != nil {
		return fmt.Errorf("account %q: %w", id, err)
	}
	return nil
}

// revokeKeysOf revokes keys that the person created in the workspace, directly or by rotating other keys, if the
// predicate accepts them. The audit event of a key names its author and is stored as long as the key exists.
func revokeKeysOf(ctx context.Context, tx *sql.Tx, id control.UserID, ws measure.WorkspaceID, which func(control.Key) bool, by control.By) error {
	keys, err := collect(ctx, tx, scanKey, `
		SELECT `+keyColumns+` FROM api_keys
		WHERE revoked_at = 0 AND workspace = $2 AND id IN (
			SELECT subject FROM events WHERE actor = $1 AND kind = $3
			UNION
			SELECT old.replaced_by FROM events JOIN api_keys AS old ON old.id = events.subject
			WHERE events.actor = $1 AND events.kind = $4)
		ORDER BY created_at, id`, control.ActorOf(id), ws, control.KeyMade, control.KeyRotated)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if !which(k) {
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE api_keys SET revoked_at = $1 WHERE id = $2`, micros(by.At), k.ID); err != nil {
			return err
		}
		if err := record(ctx, tx, k.Workspace, control.KeyRevoked, by, string(k.ID), withMaker); err != nil {
			return err
		}
	}
	return nil
}

func scanUser(row scanner) (control.User, error) {
	var u control.User
	var created int64
	err := row.Scan(&u.ID, &u.Email, &u.Password, &created)
	u.CreatedAt = instant(created)
	return u, engineFault(err)
}
