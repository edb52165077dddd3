package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"assay/internal/control"
	"assay/internal/measure"
)

// AppendEvent adds an audit event without a change in this store, such as a rejected sign-in. The store sets its ID.
func (s *eventStore) AppendEvent(ctx context.Context, e control.Event) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		return record(ctx, tx, e.Workspace, e.Kind, control.By{Actor: e.Actor, At: e.At}, e.Subject, e.Detail)
	})
}

// Events returns the selected audit events, newest first.
func (s *eventStore) Events(ctx context.Context, f control.EventFilter) ([]control.Event, error) {
	var is conditions
	switch {
	case f.Workspace != "" && f.Members:
		is.add(`(workspace = ? OR workspace = '' AND subject IN (SELECT user_id FROM memberships WHERE workspace = ?))`, f.Workspace, f.Workspace)
	case f.Workspace != "":
		is.add(`workspace = ?`, f.Workspace)
	}
	if len(f.Kinds) > 0 {
		is.add(`kind IN (?`+strings.Repeat(`, ?`, len(f.Kinds)-1)+`)`, anys(f.Kinds)...)
	}
	if !f.Since.IsZero() {
		is.add(`id >= ?`, eventTime(micros(f.Since)))
	}
	if f.Before != "" {
		is.add(`id < ?`, f.Before)
	}
	return collect(ctx, s.read, scanEvent,
		`SELECT id, at, workspace, kind, actor, subject, detail FROM events`+is.where()+` ORDER BY id DESC LIMIT `+is.bind(f.Limit), is.args...)
}

func scanEvent(row scanner) (control.Event, error) {
	var e control.Event
	var at int64
	err := row.Scan(&e.ID, &at, &e.Workspace, &e.Kind, &e.Actor, &e.Subject, &e.Detail)
	e.At = instant(at)
	return e, engineFault(err)
}

// Installation returns the name of the installation that the data belong to. If no name is stored yet, Installation
// stores the caller's name, the parameter own, unless it is "".
func (d *database) Installation(ctx context.Context, own string) (name string, err error) {
	err = d.change(ctx, func(tx *sql.Tx) error {
		if own != "" {
			if _, err := tx.ExecContext(ctx, `INSERT INTO installation (id, name) VALUES (1, $1) ON CONFLICT DO NOTHING`, own); err != nil {
				return err
			}
		}
		name = ""
		err := tx.QueryRowContext(ctx, `SELECT name FROM installation`).Scan(&name)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("installation of the control database: %w", err)
	}
	return name, nil
}

// record adds an audit event in the transaction of its change.
func record(ctx context.Context, tx *sql.Tx, ws measure.WorkspaceID, kind control.EventKind, by control.By, subject, detail string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO events (id, at, workspace, kind, actor, subject, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		eventID(micros(by.At)), micros(by.At), ws, kind, by.Actor, subject, detail)
	return err
}

// eventID returns an ID that sorts by time. Random bytes distinguish events of the same microsecond.
func eventID(micros int64) string {
	end := make([]byte, 6)
	rand.Read(end) // never fails: Go ends the program if the system has no randomness
	return eventTime(micros) + hex.EncodeToString(end)
}

// eventTime returns the prefix of the IDs of events at an instant.
func eventTime(micros int64) string { return fmt.Sprintf("%014x", micros) }
