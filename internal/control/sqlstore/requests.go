package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
)

// KeepRequest stores an authorization request until the user allows or denies it.
func (s *grantStore) KeepRequest(ctx context.Context, r control.AuthRequest) error {
	err := s.exec(ctx, `
		INSERT INTO oauth_requests (hash, session, user_id, client, client_name, redirect, scopes, state, has_state,
		                            challenge, expires_at, decided_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)`,
		hex.EncodeToString(r.Hash), hex.EncodeToString(r.Session), r.User, r.Client, r.ClientName, r.Redirect,
		words(r.Scopes), r.State, bit(r.HasState), r.Challenge, micros(r.ExpiresAt))
	if err != nil {
		return fmt.Errorf("request of client %q: %w", r.Client, engineFault(err))
	}
	return nil
}

// Request returns the request with the hash, or a fault of kind not_found.
func (s *grantStore) Request(ctx context.Context, hash []byte) (control.AuthRequest, error) {
	var r control.AuthRequest
	var session, scopes string
	var expires, decided int64
	err := s.read.QueryRowContext(ctx, `
		SELECT session, user_id, client, client_name, redirect, scopes, state, has_state, challenge, expires_at, decided_at
		FROM oauth_requests WHERE hash = $1`, hex.EncodeToString(hash)).
		Scan(&session, &r.User, &r.Client, &r.ClientName, &r.Redirect, &scopes, &r.State, &r.HasState, &r.Challenge, &expires, &decided)
	if errors.Is(err, sql.ErrNoRows) {
		return control.AuthRequest{}, fault.NotFound("there is no such request")
	}
	if err == nil {
		r.Session, err = hex.DecodeString(session)
	}
	if err != nil {
		return control.AuthRequest{}, fmt.Errorf("request: %w", engineFault(err))
	}
	r.Hash, r.Scopes = hash, scopesOf(scopes)
	r.ExpiresAt, r.DecidedAt = instant(expires), instant(decided)
	return r, nil
}

// ApproveRequest approves the request and stores the grant with its code in one step. A decided or expired request is a
// fault of kind conflict. If the person's role does not allow the scopes, ApproveRequest returns a fault of kind
// forbidden.
func (s *grantStore) ApproveRequest(ctx context.Context, hash []byte, g control.Grant, c control.Code, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if err := decide(ctx, tx, hash, by); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, g.Workspace, by, func(r control.Role) bool { return len(r.Within(g.Scopes)) == len(g.Scopes) }); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO oauth_grants (id, user_id, workspace, client, client_name, redirect, scopes, created_at, ends_at, used_at, revoked_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			g.ID, g.User, g.Workspace, g.Client, g.ClientName, g.Redirect, words(g.Scopes),
			micros(g.CreatedAt), micros(g.EndsAt), micros(g.UsedAt), micros(g.RevokedAt)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO oauth_codes (hash, grant_id, redirect, challenge, expires_at, used_at) VALUES ($1, $2, $3, $4, $5, 0)`,
			hex.EncodeToString(c.Hash), c.Grant, c.Redirect, c.Challenge, micros(c.ExpiresAt)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE oauth_clients SET used_at = $1 WHERE id = $2`, micros(by.At), g.Client); err != nil {
			return err
		}
		return record(ctx, tx, g.Workspace, control.GrantMade, by, string(g.ID), fmt.Sprintf("%s; %s", g.ClientName, words(g.Scopes)))
	})
	if err != nil {
		return fmt.Errorf("approval of client %q: %w", g.Client, err)
	}
	return nil
}

// RefuseRequest denies the request. Its faults are the same as for [Store.ApproveRequest].
func (s *grantStore) RefuseRequest(ctx context.Context, hash []byte, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if err := decide(ctx, tx, hash, by); err != nil {
			return err
		}
		var client, name string
		if err := tx.QueryRowContext(ctx, `SELECT client, client_name FROM oauth_requests WHERE hash = $1`,
			hex.EncodeToString(hash)).Scan(&client, &name); err != nil {
			return err
		}
		return record(ctx, tx, "", control.GrantRefused, by, client, name)
	})
	if err != nil {
		return fmt.Errorf("refusal of a request: %w", err)
	}
	return nil
}

// decide marks the request as decided in one statement, so only one of two concurrent decisions succeeds.
func decide(ctx context.Context, tx *sql.Tx, hash []byte, by control.By) error {
	done, err := tx.ExecContext(ctx, `UPDATE oauth_requests SET decided_at = $1 WHERE hash = $2 AND decided_at = 0 AND expires_at > $1`,
		micros(by.At), hex.EncodeToString(hash))
	hit, err := touched(done, err)
	if err == nil && !hit {
		return fault.Conflict("this request was already decided or has expired")
	}
	return err
}

func scopesOf(text string) []control.Scope {
	var scopes []control.Scope
	for word := range strings.FieldsSeq(text) {
		scopes = append(scopes, control.Scope(word))
	}
	return scopes
}
