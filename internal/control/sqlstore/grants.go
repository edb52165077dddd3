package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const grantColumns = `oauth_grants.id, oauth_grants.user_id, oauth_grants.workspace, oauth_grants.client,
	oauth_grants.client_name, oauth_grants.redirect, oauth_grants.scopes, oauth_grants.created_at,
	oauth_grants.ends_at, oauth_grants.used_at, oauth_grants.revoked_at`

// accessQuery runs on every request with an access token, so it is prepared once.
const accessQuery = `
	SELECT ` + grantColumns + `, memberships.role, ` + workspaceColumns + `
	FROM oauth_grants
	JOIN memberships ON memberships.user_id = oauth_grants.user_id AND memberships.workspace = oauth_grants.workspace
	JOIN workspaces ON workspaces.id = oauth_grants.workspace
	WHERE oauth_grants.id = $1`

// Access returns the grant with the current role of its person. A missing grant, person, workspace or membership is a
// fault of kind not_found. The caller checks whether the grant is still valid.
func (s *grantStore) Access(ctx context.Context, grant control.GrantID) (control.Access, error) {
	var a control.Access
	var kept grantText
	var created int64
	dest := append(kept.fields(&a.Grant), &a.Role)
	dest = append(dest, workspaceFields(&a.Workspace)...)
	err := s.access.QueryRowContext(ctx, grant).Scan(append(dest, &created, &a.Workspace.Version)...)
	if errors.Is(err, sql.ErrNoRows) {
		return control.Access{}, fault.NotFound("there is no such grant")
	}
	if err != nil {
		return control.Access{}, fmt.Errorf("grant %q: %w", grant, engineFault(err))
	}
	kept.into(&a.Grant)
	a.Workspace.CreatedAt = instant(created)
	return a, nil
}

// Grants returns the workspace's grants, newest first, including revoked and ended grants.
func (s *grantStore) Grants(ctx context.Context, ws measure.WorkspaceID) ([]control.Grant, error) {
	return collect(ctx, s.read, scanGrant,
		`SELECT `+grantColumns+` FROM oauth_grants WHERE workspace = $1 ORDER BY created_at DESC, id`, ws)
}

// RevokeGrant revokes the grant with all its tokens and returns the grant. An already revoked grant does not change. A
// missing grant is a fault of kind not_found. People may revoke their own grants. A person who does not manage the
// workspace and revokes another person's grant receives a fault of kind forbidden.
func (s *grantStore) RevokeGrant(ctx context.Context, id control.GrantID, why string, by control.By) (control.Grant, error) {
	var g control.Grant
	err := s.change(ctx, func(tx *sql.Tx) (err error) {
		g, err = scanGrant(tx.QueryRowContext(ctx, `SELECT `+grantColumns+` FROM oauth_grants WHERE id = $1`, id))
		if errors.Is(err, sql.ErrNoRows) {
			return fault.NotFound("there is no such grant")
		}
		if err != nil {
			return err
		}
		if by.Actor != control.ActorOf(g.User) {
			err = stillMay(ctx, tx, g.Workspace, by, control.Role.Manages)
		}
		if err != nil || !g.RevokedAt.IsZero() {
			return err
		}
		g.RevokedAt = instant(micros(by.At))
		return revokeGrant(ctx, tx, g, why, by)
	})
	if err != nil {
		return control.Grant{}, fmt.Errorf("revocation of grant %q: %w", id, err)
	}
	return g, nil
}

func revokeGrant(ctx context.Context, tx *sql.Tx, g control.Grant, why string, by control.By) error {
	if _, err := tx.ExecContext(ctx, `UPDATE oauth_grants SET revoked_at = $1 WHERE id = $2`, micros(by.At), g.ID); err != nil {
		return err
	}
	return record(ctx, tx, g.Workspace, control.GrantRevoked, by, string(g.ID), fmt.Sprintf("%s; %s", g.ClientName, why))
}

// endGrants revokes each valid grant that meets the condition, and writes an audit event for it. It is called when the
// client, the membership or the workspace of the grants is deleted. In the condition, $1 is the instant of the
// revocation.
func endGrants(ctx context.Context, tx *sql.Tx, where, why string, by control.By, args ...any) error {
	grants, err := collect(ctx, tx, scanGrant,
		`SELECT `+grantColumns+` FROM oauth_grants WHERE revoked_at = 0 AND ends_at > $1 AND `+where+` ORDER BY created_at, id`,
		append([]any{micros(by.At)}, args...)...)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if err := revokeGrant(ctx, tx, g, why, by); err != nil {
			return err
		}
	}
	return nil
}

// Code returns the code with the hash, or a fault of kind not_found.
func (s *grantStore) Code(ctx context.Context, hash []byte) (control.Code, error) {
	c := control.Code{Hash: hash}
	var expires, used int64
	err := s.read.QueryRowContext(ctx, `SELECT grant_id, redirect, challenge, expires_at, used_at FROM oauth_codes WHERE hash = $1`,
		hex.EncodeToString(hash)).Scan(&c.Grant, &c.Redirect, &c.Challenge, &expires, &used)
	if errors.Is(err, sql.ErrNoRows) {
		return control.Code{}, fault.NotFound("there is no such code")
	}
	if err != nil {
		return control.Code{}, fmt.Errorf("code: %w", engineFault(err))
	}
	c.ExpiresAt, c.UsedAt = instant(expires), instant(used)
	return c, nil
}

// RedeemCode uses the code and stores the first refresh token of its grant. If the code was used or has expired,
// RedeemCode changes nothing and returns false.
func (s *grantStore) RedeemCode(ctx context.Context, hash []byte, first control.RefreshToken, at time.Time) (bool, error) {
	return s.useUp(ctx, first, at, `
		UPDATE oauth_codes SET used_at = $1
		WHERE hash = $2 AND grant_id = $3 AND used_at = 0 AND expires_at > $1`,
		micros(at), hex.EncodeToString(hash), first.Grant)
}

// RefreshToken returns the token with the hash and whether its successor was used, or a fault of kind not_found.
func (s *grantStore) RefreshToken(ctx context.Context, hash []byte) (t control.RefreshToken, successorUsed bool, err error) {
	t.Hash = hash
	var expires, used int64
	err = s.read.QueryRowContext(ctx, `
		SELECT this.grant_id, this.expires_at, this.used_at, COALESCE(next.used_at, 0) <> 0
		FROM oauth_refresh_tokens AS this LEFT JOIN oauth_refresh_tokens AS next ON next.hash = this.successor
		WHERE this.hash = $1`, hex.EncodeToString(hash)).Scan(&t.Grant, &expires, &used, &successorUsed)
	if errors.Is(err, sql.ErrNoRows) {
		return control.RefreshToken{}, false, fault.NotFound("there is no such refresh token")
	}
	if err != nil {
		return control.RefreshToken{}, false, fmt.Errorf("refresh token: %w", engineFault(err))
	}
	t.ExpiresAt, t.UsedAt = instant(expires), instant(used)
	return t, successorUsed, nil
}

// RotateRefreshToken uses the token and stores its successor. If the token was used or has expired, RotateRefreshToken
// changes nothing and returns false.
func (s *grantStore) RotateRefreshToken(ctx context.Context, hash []byte, next control.RefreshToken, at time.Time) (bool, error) {
	return s.useUp(ctx, next, at, `
		UPDATE oauth_refresh_tokens SET used_at = $1, successor = $4
		WHERE hash = $2 AND grant_id = $3 AND used_at = 0 AND expires_at > $1`,
		micros(at), hex.EncodeToString(hash), next.Grant, hex.EncodeToString(next.Hash))
}

// useUp runs the statement that marks a code or token as used. If the statement changed a row, useUp stores the next
// token.
func (s *grantStore) useUp(ctx context.Context, next control.RefreshToken, at time.Time, statement string, args ...any) (hit bool, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, statement, args...)
		if hit, err = touched(done, err); err != nil || !hit {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO oauth_refresh_tokens (hash, grant_id, expires_at, used_at, successor) VALUES ($1, $2, $3, 0, '')`,
			hex.EncodeToString(next.Hash), next.Grant, micros(next.ExpiresAt)); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE oauth_grants SET used_at = $1 WHERE id = $2`, micros(at), next.Grant)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("tokens of grant %q: %w", next.Grant, err)
	}
	return hit, nil
}

// grantText contains the columns of a grant that differ in form from the fields of the Go type.
type grantText struct {
	scopes                       string
	created, ends, used, revoked int64
}

func (t *grantText) fields(g *control.Grant) []any {
	return []any{
		&g.ID, &g.User, &g.Workspace, &g.Client, &g.ClientName, &g.Redirect, &t.scopes,
		&t.created, &t.ends, &t.used, &t.revoked,
	}
}

func (t *grantText) into(g *control.Grant) {
	g.Scopes = scopesOf(t.scopes)
	g.CreatedAt, g.EndsAt, g.UsedAt, g.RevokedAt = instant(t.created), instant(t.ends), instant(t.used), instant(t.revoked)
}

func scanGrant(row scanner) (control.Grant, error) {
	var g control.Grant
	var kept grantText
	if err := row.Scan(kept.fields(&g)...); err != nil {
		return control.Grant{}, engineFault(err)
	}
	kept.into(&g)
	return g, nil
}
