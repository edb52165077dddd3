package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// maxHookSecrets is the maximum number of secrets of a workspace.
const maxHookSecrets = 5

// AddHookSecret stores a secret. Exceeding the maximum number of secrets is a fault of kind conflict. A person who does
// not manage the workspace receives a fault of kind forbidden.
func (s *webhookStore) AddHookSecret(ctx context.Context, h control.HookSecret, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, h.Workspace); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, h.Workspace, by, control.Role.Manages); err != nil {
			return err
		}
		var has int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM hook_secrets WHERE workspace = $1`, h.Workspace).Scan(&has); err != nil {
			return err
		}
		if has >= maxHookSecrets {
			return fault.Conflict("the workspace has %d webhook secrets", has).WithHint("remove an unused one")
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO hook_secrets (id, workspace, shop, sealed, created_at) VALUES ($1, $2, $3, $4, $5)`,
			h.ID, h.Workspace, h.Shop, hex.EncodeToString(h.Sealed), micros(h.CreatedAt)); err != nil {
			return err
		}
		return record(ctx, tx, h.Workspace, control.HookSecretAdded, by, string(h.ID), h.Shop)
	})
	if err != nil {
		return fmt.Errorf("webhook secret: %w", err)
	}
	return nil
}

// HookSecrets returns a workspace's secrets, oldest first.
func (s *webhookStore) HookSecrets(ctx context.Context, ws measure.WorkspaceID) ([]control.HookSecret, error) {
	return collect(ctx, s.read, func(row scanner) (control.HookSecret, error) {
		var h control.HookSecret
		var sealed string
		var created int64
		if err := row.Scan(&h.ID, &h.Workspace, &h.Shop, &sealed, &created); err != nil {
			return h, engineFault(err)
		}
		var err error
		h.CreatedAt = instant(created)
		h.Sealed, err = hex.DecodeString(sealed)
		return h, err
	}, `SELECT id, workspace, shop, sealed, created_at FROM hook_secrets WHERE workspace = $1 ORDER BY created_at, id`, ws)
}

// RemoveHookSecret removes a secret. A missing secret is a fault of kind not_found. A person who does not manage the
// workspace receives a fault of kind forbidden.
func (s *webhookStore) RemoveHookSecret(ctx context.Context, ws measure.WorkspaceID, id control.HookSecretID, by control.By) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if err := stillMay(ctx, tx, ws, by, control.Role.Manages); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `DELETE FROM hook_secrets WHERE workspace = $1 AND id = $2`, ws, id)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.NotFound("there is no webhook secret %q in this workspace", id)
		}
		return record(ctx, tx, ws, control.HookSecretRemoved, by, string(id), "")
	})
}

// The states of a delivery.
const (
	waitingState  = "waiting"
	doneState     = "done"
	unusableState = "unusable"
)

// Receive stores a message durably and reports whether it is new. If the message is new, the given events are written
// in the same transaction.
func (s *webhookStore) Receive(ctx context.Context, d control.Delivery, events ...control.Event) (fresh bool, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `
			INSERT INTO deliveries (workspace, id, topic, sent_at, at, body, state, problem)
			VALUES ($1, $2, $3, $4, $5, $6, $7, '') ON CONFLICT DO NOTHING`,
			d.Workspace, d.ID, d.Topic, micros(d.Sent), micros(d.At), string(d.Body), waitingState)
		if fresh, err = touched(done, err); err != nil || !fresh {
			return err
		}
		for _, e := range events {
			if err := record(ctx, tx, e.Workspace, e.Kind, control.By{Actor: e.Actor, At: e.At}, e.Subject, e.Detail); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("message of workspace %q: %w", d.Workspace, err)
	}
	return fresh, nil
}

// Awaiting returns the workspaces with pending messages, longest wait first.
func (s *webhookStore) Awaiting(ctx context.Context) ([]measure.WorkspaceID, error) {
	return collect(ctx, s.read, func(row scanner) (ws measure.WorkspaceID, err error) {
		err = row.Scan(&ws)
		return ws, engineFault(err)
	}, `SELECT workspace FROM deliveries WHERE state = $1 GROUP BY workspace ORDER BY min(at), workspace`, waitingState)
}

// Waiting returns the oldest pending messages of a workspace, at most limit. It stops as soon as the total size of the
// returned bodies reaches the parameter bytes.
func (s *webhookStore) Waiting(ctx context.Context, ws measure.WorkspaceID, limit, bytes int) ([]control.Delivery, error) {
	sizes, err := collect(ctx, s.read, func(row scanner) (size int, err error) {
		err = row.Scan(&size)
		return size, engineFault(err)
	}, `SELECT octet_length(body) FROM deliveries WHERE state = $1 AND workspace = $2 ORDER BY at, id LIMIT $3`, waitingState, ws, limit)
	if err != nil {
		return nil, err
	}
	limit = 0
	for bytes > 0 && limit < len(sizes) {
		bytes -= sizes[limit]
		limit++
	}
	return collect(ctx, s.read, func(row scanner) (control.Delivery, error) {
		var d control.Delivery
		var sent, at int64
		var body string
		err := row.Scan(&d.Workspace, &d.ID, &d.Topic, &sent, &at, &body)
		d.Sent, d.At, d.Body = instant(sent), instant(at), []byte(body)
		return d, engineFault(err)
	}, `SELECT workspace, id, topic, sent_at, at, body FROM deliveries WHERE state = $1 AND workspace = $2 ORDER BY at, id LIMIT $3`, waitingState, ws, limit)
}

// Settle records that messages were imported, or why the import failed. It also removes messages past their retention
// period, and a workspace's oldest unusable messages beyond the maximum number, [control.MostUnusable].
func (s *webhookStore) Settle(ctx context.Context, settled []control.Delivery, now time.Time) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		for i := range settled {
			d := &settled[i]
			state, body := doneState, ""
			if d.Problem != "" {
				state, body = unusableState, string(d.Body)
			}
			if _, err := tx.ExecContext(ctx, `UPDATE deliveries SET state = $1, problem = $2, body = $3 WHERE workspace = $4 AND id = $5`,
				state, d.Problem, body, d.Workspace, d.ID); err != nil {
				return err
			}
		}
		for state, kept := range map[string]time.Duration{doneState: control.KeepDelivered, unusableState: control.KeepUnusable} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM deliveries WHERE state = $1 AND at < $2`, state, micros(now.Add(-kept))); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `
			DELETE FROM deliveries WHERE state = $1 AND (workspace, id) IN (
				SELECT workspace, id FROM (
					SELECT workspace, id, row_number() OVER (PARTITION BY workspace ORDER BY at DESC, id DESC) AS n FROM deliveries WHERE state = $1
				) AS numbered WHERE n > $2)`, unusableState, control.MostUnusable)
		return err
	})
}

// HookState returns the state of a workspace's webhooks.
func (s *webhookStore) HookState(ctx context.Context, ws measure.WorkspaceID) (control.HookState, error) {
	var h control.HookState
	var last int64
	err := s.read.QueryRowContext(ctx, `
		SELECT (SELECT count(*) FROM hook_secrets WHERE workspace = $1),
		       coalesce(max(at), 0), coalesce(sum(CASE WHEN state = $2 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN state = $3 THEN 1 ELSE 0 END), 0),
		       coalesce((SELECT problem FROM deliveries WHERE workspace = $1 AND state = $3 ORDER BY at DESC, id DESC LIMIT 1), '')
		FROM deliveries WHERE workspace = $1`, ws, waitingState, unusableState).Scan(&h.Secrets, &last, &h.Waiting, &h.Unusable, &h.Problem)
	h.Last = instant(last)
	if err != nil {
		return h, fmt.Errorf("webhooks of workspace %q: %w", ws, engineFault(err))
	}
	return h, nil
}
