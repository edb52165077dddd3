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
)

// CreateSession stores a new session of a person and an audit event with its origin. It returns a fault of kind
// conflict if the person was removed or the password has changed since it was verified.
func (s *sessionStore) CreateSession(ctx context.Context, n control.NewSession, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `
			INSERT INTO sessions (hash, user_id, created_at, seen_at, ends_at, browser)
			SELECT $1, id, $2, $3, $4, $5 FROM users WHERE id = $6 AND password = $7`,
			hex.EncodeToString(n.Hash), micros(n.CreatedAt), micros(n.SeenAt), micros(n.EndsAt), n.Browser, n.User, n.Password)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.Conflict("the password has changed in the meantime")
		}
		return record(ctx, tx, "", control.SignedIn, by, string(n.User), n.From)
	})
	if err != nil {
		return fmt.Errorf("session of account %q: %w", n.User, err)
	}
	return nil
}

// Session returns the session with the hash and its person, or a fault of kind not_found. The caller checks whether the
// session is still valid.
func (s *sessionStore) Session(ctx context.Context, hash []byte) (control.Session, control.User, error) {
	var n control.Session
	var u control.User
	var created, seen, ends, joined int64
	err := s.read.QueryRowContext(ctx, `
		SELECT sessions.user_id, sessions.created_at, sessions.seen_at, sessions.ends_at, sessions.browser, `+userColumns+`
		FROM sessions JOIN users ON users.id = sessions.user_id
		WHERE sessions.hash = $1`, hex.EncodeToString(hash)).
		Scan(&n.User, &created, &seen, &ends, &n.Browser, &u.ID, &u.Email, &u.Password, &joined)
	if errors.Is(err, sql.ErrNoRows) {
		return control.Session{}, control.User{}, fault.NotFound("there is no such session")
	}
	if err != nil {
		return control.Session{}, control.User{}, fmt.Errorf("session: %w", engineFault(err))
	}
	n.Hash, n.CreatedAt, n.SeenAt, n.EndsAt = hash, instant(created), instant(seen), instant(ends)
	u.CreatedAt = instant(joined)
	return n, u, nil
}

// Sessions returns the person's sessions, latest use first. The caller checks whether they are still valid.
func (s *sessionStore) Sessions(ctx context.Context, id control.UserID) ([]control.Session, error) {
	return collect(ctx, s.read, func(row scanner) (control.Session, error) {
		n := control.Session{User: id}
		var hash string
		var created, seen, ends int64
		err := row.Scan(&hash, &created, &seen, &ends, &n.Browser)
		if err == nil {
			n.Hash, err = hex.DecodeString(hash)
		}
		n.CreatedAt, n.SeenAt, n.EndsAt = instant(created), instant(seen), instant(ends)
		return n, engineFault(err)
	}, `SELECT hash, created_at, seen_at, ends_at, browser FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, created_at DESC, hash`, id)
}

// EndOtherSessions removes all sessions of the person except one.
func (s *sessionStore) EndOtherSessions(ctx context.Context, id control.UserID, but []byte, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1 AND hash <> $2`, id, hex.EncodeToString(but))
		if hit, err := touched(done, err); err != nil || !hit {
			return err
		}
		return record(ctx, tx, "", control.SignedOut, by, string(id), "everywhere else")
	})
	if err != nil {
		return fmt.Errorf("sessions of account %q: %w", id, err)
	}
	return nil
}

// TouchSession records when the session was last used. An earlier instant changes nothing.
func (s *sessionStore) TouchSession(ctx context.Context, hash []byte, at time.Time) error {
	err := s.exec(ctx, `UPDATE sessions SET seen_at = $1 WHERE hash = $2 AND seen_at < $1`,
		micros(at), hex.EncodeToString(hash))
	if err != nil {
		return fmt.Errorf("session: %w", engineFault(err))
	}
	return nil
}

// EndSession removes the session. A missing session is not an error.
func (s *sessionStore) EndSession(ctx context.Context, hash []byte, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		var id control.UserID
		err := tx.QueryRowContext(ctx, `DELETE FROM sessions WHERE hash = $1 RETURNING user_id`, hex.EncodeToString(hash)).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return record(ctx, tx, "", control.SignedOut, by, string(id), "")
	})
	if err != nil {
		return fmt.Errorf("end of a session: %w", err)
	}
	return nil
}
