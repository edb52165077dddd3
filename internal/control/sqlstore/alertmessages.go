package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assay/internal/control"
	"assay/internal/measure"
)

// announce adds a message about the events to the queue of each destination.
func announce(ctx context.Context, tx *sql.Tx, ws measure.WorkspaceID, raised []control.AlertEvent) error {
	if len(raised) == 0 {
		return nil
	}
	all, err := collect(ctx, tx, func(row scanner) (id control.DestinationID, err error) {
		err = row.Scan(&id)
		return id, err
	}, `SELECT id FROM alert_destinations WHERE workspace = $1 ORDER BY at, id`, ws)
	if err != nil {
		return err
	}
	at := micros(raised[0].Raised)
	for _, destination := range all {
		id := rand.Text()
		if _, err := tx.ExecContext(ctx, `INSERT INTO alert_messages (id, workspace, destination, state, attempts, next_at, created_at, settled_at, problem)
			VALUES ($1, $2, $3, $4, 0, $5, $5, 0, '')`, id, ws, destination, control.DeliveryWaiting, at); err != nil {
			return err
		}
		for _, e := range raised {
			if _, err := tx.ExecContext(ctx, `INSERT INTO alert_message_events (message, alert, day) VALUES ($1, $2, $3)`,
				id, e.Alert.ID, e.Day.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// ClaimAlertMessage returns the message that has been due for the longest time, or nil if none is due. Claiming counts
// the attempt and sets the time of the next attempt. Therefore, no other process sends the message at the same time. If
// the process ends during an attempt other than the last, the message is sent again later.
func (s *alertStore) ClaimAlertMessage(ctx context.Context, now time.Time) (*control.AlertMessage, error) {
	var claimed *control.AlertMessage
	err := s.change(ctx, func(tx *sql.Tx) error {
		claimed = nil
		if _, err := tx.ExecContext(ctx, `UPDATE alert_messages SET state = $1, settled_at = $2,
			problem = CASE WHEN problem = '' THEN 'the last attempt was interrupted' ELSE problem END
			WHERE state = $3 AND attempts >= $4 AND next_at <= $2`,
			control.DeliveryGivenUp, micros(now), control.DeliveryWaiting, control.MaxAlertAttempts); err != nil {
			return err
		}
		m := &control.AlertMessage{}
		var created int64
		var ws measure.WorkspaceID
		var destination control.DestinationID
		err := tx.QueryRowContext(ctx, `SELECT id, workspace, destination, attempts + 1, created_at FROM alert_messages
			WHERE state = $1 AND next_at <= $2 ORDER BY next_at, id LIMIT 1`, control.DeliveryWaiting, micros(now)).
			Scan(&m.ID, &ws, &destination, &m.Attempts, &created)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		m.Created = instant(created)
		if _, err := tx.ExecContext(ctx, `UPDATE alert_messages SET attempts = $1, next_at = $2 WHERE id = $3`,
			m.Attempts, micros(now.Add(control.AlertBackoff(m.Attempts))), m.ID); err != nil {
			return err
		}
		if m.Workspace, err = workspace(ctx, tx, ws); err != nil {
			return err
		}
		if m.Destination, err = scanDestination(ws)(tx.QueryRowContext(ctx, `SELECT `+destinationColumns+` FROM alert_destinations d
			LEFT JOIN users u ON u.id = d.member WHERE d.id = $1`, destination)); err != nil {
			return err
		}
		m.Events, err = collect(ctx, tx, scanAlertEvent(ws), `SELECT `+eventColumns+` FROM alert_events e JOIN alert_message_events x
			ON x.alert = e.alert AND x.day = e.day WHERE x.message = $1 AND e.workspace = $2 ORDER BY e.day, e.at, e.alert`, m.ID, ws)
		claimed = m
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("alert messages: %w", err)
	}
	return claimed, nil
}

// SettleAlertMessage stores the result of an attempt. The problem "" means that the message was sent. If the last of
// [control.MaxAlertAttempts] attempts fails, SettleAlertMessage gives up the message. It also removes messages past
// their retention period.
func (s *alertStore) SettleAlertMessage(ctx context.Context, m control.AlertMessage, problem string, now time.Time) error {
	state, settled := control.DeliverySent, micros(now)
	switch {
	case problem == "":
	case m.Attempts >= control.MaxAlertAttempts:
		state = control.DeliveryGivenUp
	default:
		state, settled = control.DeliveryWaiting, 0
	}
	return s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE alert_messages SET state = $1, settled_at = $2, problem = $3
			WHERE id = $4 AND attempts = $5 AND state = $6`,
			state, settled, problem, m.ID, m.Attempts, control.DeliveryWaiting); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM alert_messages WHERE settled_at > 0 AND settled_at < $1`,
			micros(now.Add(-control.KeepAlertMessages)))
		return err
	})
}

// AlertState returns the state of a workspace's alerts.
func (s *alertStore) AlertState(ctx context.Context, ws measure.WorkspaceID) (control.AlertState, error) {
	var a control.AlertState
	err := s.read.QueryRowContext(ctx, `
		SELECT (SELECT count(*) FROM alerts WHERE workspace = $1), (SELECT count(*) FROM alert_destinations WHERE workspace = $1),
		       coalesce(sum(CASE WHEN state = $2 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN state = $3 THEN 1 ELSE 0 END), 0),
		       coalesce((SELECT problem FROM alert_messages WHERE workspace = $1 AND problem <> '' AND state <> $4 ORDER BY created_at DESC, id DESC LIMIT 1), '')
		FROM alert_messages WHERE workspace = $1`, ws, control.DeliveryWaiting, control.DeliveryGivenUp, control.DeliverySent).
		Scan(&a.Rules, &a.Destinations, &a.Waiting, &a.GivenUp, &a.Problem)
	if err != nil {
		return a, fmt.Errorf("alerts of workspace %q: %w", ws, engineFault(err))
	}
	return a, nil
}

// AlertsGivenUp returns the number of alert messages, in all workspaces, that were given up after the last attempt. It
// does not include messages that were removed after the retention period.
func (s *alertStore) AlertsGivenUp(ctx context.Context) (int, error) {
	var n int
	err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM alert_messages WHERE state = $1`, control.DeliveryGivenUp).Scan(&n)
	return n, engineFault(err)
}
