package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// The maximum numbers of rules and destinations of a workspace.
const (
	maxAlerts       = 50
	maxDestinations = 20
)

const alertColumns = `id, name, metric, channel, condition, threshold, actor, at`

// CreateAlert stores a rule. If the workspace has a rule with the same metric, channel, condition and threshold,
// CreateAlert returns that rule and changes nothing. Exceeding the maximum number of rules is a fault of kind conflict.
// A person who may not change the workspace receives a fault of kind forbidden.
func (s *alertStore) CreateAlert(ctx context.Context, a control.Alert, by control.By) (kept control.Kept[control.Alert], err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		w, err := workspace(ctx, tx, a.Workspace)
		if err != nil {
			return err
		}
		if err := stillMay(ctx, tx, a.Workspace, by, control.Role.Writes); err != nil {
			return err
		}
		same, err := scanAlert(a.Workspace)(tx.QueryRowContext(ctx, `SELECT `+alertColumns+` FROM alerts
			WHERE workspace = $1 AND metric = $2 AND channel = $3 AND condition = $4 AND threshold = $5`,
			a.Workspace, a.Metric, a.Channel, a.Condition, int64(a.Threshold)))
		if err == nil {
			kept = control.Kept[control.Alert]{Record: same}
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := below(ctx, tx, maxAlerts, "alert rules", `SELECT count(*) FROM alerts WHERE workspace = $1`, a.Workspace); err != nil {
			return err
		}
		a.By, a.At = by.Actor, instant(micros(by.At))
		if _, err := tx.ExecContext(ctx, `INSERT INTO alerts (workspace, `+alertColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			a.Workspace, a.ID, a.Name, a.Metric, a.Channel, a.Condition, int64(a.Threshold), a.By, micros(a.At)); err != nil {
			return err
		}
		kept.Record, kept.Changed = a, true
		return record(ctx, tx, a.Workspace, control.AlertCreated, by, string(a.ID), a.Rule(w.Currency))
	})
	if err != nil {
		return control.Kept[control.Alert]{}, fmt.Errorf("alert rule: %w", err)
	}
	return kept, nil
}

// below returns a fault of kind conflict if a workspace has the maximum number of objects.
func below(ctx context.Context, tx *sql.Tx, most int, what, count string, ws measure.WorkspaceID) error {
	var has int
	if err := tx.QueryRowContext(ctx, count, ws).Scan(&has); err != nil {
		return err
	}
	if has >= most {
		return fault.Conflict("the workspace has %d %s", has, what).WithHint("remove an unused one")
	}
	return nil
}

// Alerts returns the rules of a workspace, oldest first.
func (s *alertStore) Alerts(ctx context.Context, ws measure.WorkspaceID) ([]control.Alert, error) {
	return collect(ctx, s.read, scanAlert(ws), `SELECT `+alertColumns+` FROM alerts WHERE workspace = $1 ORDER BY at, id`, ws)
}

func scanAlert(ws measure.WorkspaceID) func(row scanner) (control.Alert, error) {
	return func(row scanner) (control.Alert, error) {
		a := control.Alert{Workspace: ws}
		var at int64
		err := row.Scan(&a.ID, &a.Name, &a.Metric, &a.Channel, &a.Condition, &a.Threshold, &a.By, &at)
		a.At = instant(at)
		return a, engineFault(err)
	}
}

// RemoveAlert removes a rule and returns it. Its events remain. A missing rule is a fault of kind not_found. A person
// who may not change the workspace receives a fault of kind forbidden.
func (s *alertStore) RemoveAlert(ctx context.Context, ws measure.WorkspaceID, id control.AlertID, by control.By) (control.Alert, error) {
	var a control.Alert
	err := s.change(ctx, func(tx *sql.Tx) error {
		w, err := workspace(ctx, tx, ws)
		if err != nil {
			return err
		}
		if err := stillMay(ctx, tx, ws, by, control.Role.Writes); err != nil {
			return err
		}
		a, err = scanAlert(ws)(tx.QueryRowContext(ctx, `DELETE FROM alerts WHERE workspace = $1 AND id = $2 RETURNING `+alertColumns, ws, id))
		if errors.Is(err, sql.ErrNoRows) {
			return fault.NotFound("there is no alert rule %q in this workspace", id).WithHint("list the alert rules with: assay alerts list")
		}
		if err != nil {
			return err
		}
		return record(ctx, tx, ws, control.AlertRemoved, by, string(id), a.Rule(w.Currency))
	})
	return a, err
}

const destinationColumns = `d.id, d.kind, d.url, d.sealed, coalesce(d.member, ''), coalesce(u.email, ''), d.at`

// AddDestination stores a destination of alert messages. A URL or a member can be only one destination. A duplicate is
// a fault of kind conflict, and so is exceeding the maximum number of destinations. Managers and the operator may add
// any destination. Members may add only their own email address. A person who adds another destination receives a fault
// of kind forbidden.
func (s *alertStore) AddDestination(ctx context.Context, d control.Destination, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, d.Workspace); err != nil {
			return err
		}
		if err := mayRoute(ctx, tx, d, by); err != nil {
			return err
		}
		if d.Kind == control.EmailDestination {
			role, err := roleOf(ctx, tx, d.Member, d.Workspace)
			if err != nil {
				return err
			}
			if role == "" {
				return fault.NotFound("the person is not a member of this workspace")
			}
		}
		if err := below(ctx, tx, maxDestinations, "alert destinations",
			`SELECT count(*) FROM alert_destinations WHERE workspace = $1`, d.Workspace); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `INSERT INTO alert_destinations (id, workspace, kind, url, sealed, member, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
			d.ID, d.Workspace, d.Kind, d.URL, hex.EncodeToString(d.Sealed), sql.NullString{String: string(d.Member), Valid: d.Member != ""}, micros(d.At))
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.Conflict("this destination already exists").WithHint("assay alerts destinations list shows the destinations")
		}
		return record(ctx, tx, d.Workspace, control.DestinationAdded, by, string(d.ID), place(d))
	})
	if err != nil {
		return fmt.Errorf("alert destination: %w", err)
	}
	return nil
}

// mayRoute checks that a person may change the destination.
func mayRoute(ctx context.Context, tx *sql.Tx, d control.Destination, by control.By) error {
	person, is := by.Person()
	if is && d.Kind == control.EmailDestination && person == d.Member {
		return nil
	}
	return stillMay(ctx, tx, d.Workspace, by, control.Role.Manages)
}

// place describes a destination for the audit log. It omits the path of a URL, because the path may be a secret.
func place(d control.Destination) string {
	if d.Kind == control.EmailDestination {
		return "email of " + string(d.Member)
	}
	if u, err := url.Parse(d.URL); err == nil {
		return "webhook on " + u.Host
	}
	return "webhook"
}

// Destinations returns the destinations of a workspace, oldest first.
func (s *alertStore) Destinations(ctx context.Context, ws measure.WorkspaceID) ([]control.Destination, error) {
	return collect(ctx, s.read, scanDestination(ws), `SELECT `+destinationColumns+` FROM alert_destinations d LEFT JOIN users u ON u.id = d.member
		WHERE d.workspace = $1 ORDER BY d.at, d.id`, ws)
}

func scanDestination(ws measure.WorkspaceID) func(row scanner) (control.Destination, error) {
	return func(row scanner) (control.Destination, error) {
		d := control.Destination{Workspace: ws}
		var sealed string
		var at int64
		if err := row.Scan(&d.ID, &d.Kind, &d.URL, &sealed, &d.Member, &d.Email, &at); err != nil {
			return d, engineFault(err)
		}
		d.At = instant(at)
		var err error
		if sealed != "" {
			d.Sealed, err = hex.DecodeString(sealed)
		}
		return d, err
	}
}

// RemoveDestination removes a destination with its messages. A missing destination is a fault of kind not_found. A
// person who may not remove the destination receives a fault of kind forbidden.
func (s *alertStore) RemoveDestination(ctx context.Context, ws measure.WorkspaceID, id control.DestinationID, by control.By) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		d, err := scanDestination(ws)(tx.QueryRowContext(ctx, `SELECT `+destinationColumns+` FROM alert_destinations d
			LEFT JOIN users u ON u.id = d.member WHERE d.workspace = $1 AND d.id = $2`, ws, id))
		if errors.Is(err, sql.ErrNoRows) {
			return fault.NotFound("there is no alert destination %q in this workspace", id).WithHint("list the destinations with: assay alerts destinations list")
		}
		if err != nil {
			return err
		}
		if err := mayRoute(ctx, tx, d, by); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM alert_destinations WHERE id = $1`, id); err != nil {
			return err
		}
		return record(ctx, tx, ws, control.DestinationRemoved, by, string(id), place(d))
	})
}

// RaiseAlerts stores events of one evaluation of a workspace. For each destination, it also stores one message about
// the new events. It returns the number of new events. An event that is already stored for the rule and day receives
// the new value, without a message. Events of removed rules are skipped.
func (s *alertStore) RaiseAlerts(ctx context.Context, ws measure.WorkspaceID, all []control.AlertEvent) (fresh int, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		var raised []control.AlertEvent
		for _, e := range all {
			isNew, err := raise(ctx, tx, ws, e)
			if err != nil {
				return err
			}
			if isNew {
				raised = append(raised, e)
			}
		}
		fresh = len(raised)
		return announce(ctx, tx, ws, raised)
	})
	if err != nil {
		return 0, fmt.Errorf("alerts of workspace %q: %w", ws, err)
	}
	return fresh, nil
}

// raise stores an event and reports whether it is new.
func raise(ctx context.Context, tx *sql.Tx, ws measure.WorkspaceID, e control.AlertEvent) (bool, error) {
	done, err := tx.ExecContext(ctx, `
		INSERT INTO alert_events (workspace, alert, day, name, metric, channel, condition, threshold, actor, at, value, reference, last_order, raised_at)
		SELECT workspace, id, $1, name, metric, channel, condition, threshold, actor, at, $2, $3, $4, $5 FROM alerts WHERE workspace = $6 AND id = $7
		ON CONFLICT DO NOTHING`,
		e.Day.String(), int64(e.Value), nullable(e.Reference), dayOrNull(e.LastOrder), micros(e.Raised), ws, e.Alert.ID)
	if fresh, err := touched(done, err); err != nil || fresh {
		return fresh, err
	}
	return false, correct(ctx, tx, ws, e)
}

// CorrectAlerts replaces the values of stored events and sends no message. It skips events that are not stored.
func (s *alertStore) CorrectAlerts(ctx context.Context, ws measure.WorkspaceID, all []control.AlertEvent) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		for _, e := range all {
			if err := correct(ctx, tx, ws, e); err != nil {
				return err
			}
		}
		return nil
	})
}

func correct(ctx context.Context, tx *sql.Tx, ws measure.WorkspaceID, e control.AlertEvent) error {
	_, err := tx.ExecContext(ctx, `UPDATE alert_events SET value = $1, reference = $2, last_order = $3
		WHERE workspace = $4 AND alert = $5 AND day = $6`, int64(e.Value), nullable(e.Reference), dayOrNull(e.LastOrder), ws, e.Alert.ID, e.Day.String())
	return err
}

func nullable(v *control.AlertValue) sql.NullInt64 {
	if v == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: int64(*v), Valid: true}
}

func dayOrNull(d civil.Date) sql.NullString {
	return sql.NullString{String: d.String(), Valid: !d.IsZero()}
}

const eventColumns = `e.alert, e.name, e.metric, e.channel, e.condition, e.threshold, e.actor, e.at, e.day, e.value, e.reference, e.last_order, e.raised_at`

// AlertEvents returns the events of a workspace on the given day and later, newest day first, with their deliveries.
func (s *alertStore) AlertEvents(ctx context.Context, ws measure.WorkspaceID, since civil.Date) ([]control.AlertEvent, error) {
	all, err := collect(ctx, s.read, scanAlertEvent(ws), `SELECT `+eventColumns+` FROM alert_events e
		WHERE e.workspace = $1 AND e.day >= $2 ORDER BY e.day DESC, e.raised_at DESC, e.alert`, ws, since.String())
	if err != nil {
		return nil, fmt.Errorf("alerts of workspace %q: %w", ws, err)
	}
	type key struct {
		alert control.AlertID
		day   civil.Date
	}
	type delivery struct {
		key
		control.AlertDelivery
	}
	deliveries, err := collect(ctx, s.read, func(row scanner) (delivery, error) {
		var d delivery
		err := row.Scan(&d.alert, &d.day, &d.Destination, &d.State, &d.Attempts, &d.Problem)
		return d, engineFault(err)
	}, `SELECT x.alert, x.day, m.destination, m.state, m.attempts, m.problem
		FROM alert_messages m JOIN alert_message_events x ON x.message = m.id
		WHERE m.workspace = $1 AND x.day >= $2 ORDER BY m.created_at, m.id`, ws, since.String())
	if err != nil {
		return nil, fmt.Errorf("alert messages of workspace %q: %w", ws, err)
	}
	of := map[key][]control.AlertDelivery{}
	for _, d := range deliveries {
		of[d.key] = append(of[d.key], d.AlertDelivery)
	}
	for i := range all {
		all[i].Deliveries = of[key{all[i].Alert.ID, all[i].Day}]
	}
	return all, nil
}

func scanAlertEvent(ws measure.WorkspaceID) func(row scanner) (control.AlertEvent, error) {
	return func(row scanner) (control.AlertEvent, error) {
		e := control.AlertEvent{Alert: control.Alert{Workspace: ws}}
		var at, raised int64
		var reference sql.NullInt64
		a := &e.Alert
		err := row.Scan(&a.ID, &a.Name, &a.Metric, &a.Channel, &a.Condition, &a.Threshold, &a.By, &at, &e.Day, &e.Value, &reference, &e.LastOrder, &raised)
		a.At, e.Raised = instant(at), instant(raised)
		if reference.Valid {
			e.Reference = new(control.AlertValue(reference.Int64))
		}
		return e, engineFault(err)
	}
}
