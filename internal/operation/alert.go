package operation

import (
	"context"
	"crypto/rand"
	"strings"

	"assay/internal/alert"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

// Alert is an alert rule to create.
type Alert struct {
	Name      string                 `json:"name,omitempty"` // "": named after its condition
	Metric    control.AlertMetric    `json:"metric"`
	Channel   measure.Channel        `json:"channel,omitempty"` // "" for the whole store
	Condition control.AlertCondition `json:"condition"`
	Threshold control.AlertValue     `json:"threshold"` // in percent for change_above, otherwise in the unit of the metric
}

// CreateAlert creates an alert rule. If the workspace already has a rule with the same metric, channel, condition and
// threshold, it returns that rule and changes nothing. The channel must exist in the store.
var CreateAlert = Operation[Alert, control.Kept[control.Alert]]{
	Spec{Name: "alert.create", Needs: Write, Facts: true, Undo: "Remove the rule."},
	(*Run).createAlert,
}

func (r *Run) createAlert(ctx context.Context, in Alert) (kept control.Kept[control.Alert], err error) {
	a, err := control.Alert{
		ID: control.AlertID(newID()), Workspace: r.Workspace.ID, Name: in.Name, Metric: in.Metric,
		Channel: in.Channel, Condition: in.Condition, Threshold: in.Threshold,
	}.Checked(r.Workspace.Currency)
	if err != nil {
		return kept, err
	}
	if a.Channel != "" {
		if a.Channel, err = r.Known.Channel(ctx, r.Workspace, string(in.Channel)); err != nil {
			return kept, err
		}
	}
	return r.Store.CreateAlert(ctx, a, r.By())
}

// RemoveAlert removes an alert rule by ID and returns it. The rule's past events remain.
var RemoveAlert = Operation[control.AlertID, control.Alert]{
	Spec{Name: "alert.remove", Needs: Write, Undo: "Create the rule again; the audit log has its condition."},
	func(r *Run, ctx context.Context, id control.AlertID) (control.Alert, error) {
		return r.Store.RemoveAlert(ctx, r.Workspace.ID, id, r.By())
	},
}

// ListAlerts returns a workspace's alert rules with their values on the last complete day.
var ListAlerts = Operation[None, []alert.State]{
	Spec{Name: "alert.list", Needs: Read, Facts: true},
	func(r *Run, ctx context.Context, _ None) ([]alert.State, error) {
		return alert.States(ctx, r.Store, r.Snapshots, r.Workspace)
	},
}

// ListAlertEvents returns the days that met the condition of a rule, newest first. It covers the last
// [snapshot.AlertDays] days before today. The clock that answers use determines today.
var ListAlertEvents = Operation[None, []control.AlertEvent]{
	Spec{Name: "alert.event.list", Needs: Read, Facts: true},
	func(r *Run, ctx context.Context, _ None) ([]control.AlertEvent, error) {
		s, err := r.Snapshots.Take(ctx, r.Workspace, snapshot.Wants{})
		if err != nil {
			return nil, err
		}
		return r.Store.AlertEvents(ctx, r.Workspace.ID, s.Today.AddDays(-snapshot.AlertDays))
	},
}

// Webhook is a webhook destination to add.
type Webhook struct {
	URL string `json:"url"`
}

// AddedWebhook is a new webhook destination. Only this result contains the secret.
type AddedWebhook struct {
	ID     control.DestinationID `json:"id"`
	Secret string                `json:"secret"`
}

// AddAlertWebhook adds a URL that receives alert messages, and creates the secret that signs them.
var AddAlertWebhook = Operation[Webhook, AddedWebhook]{
	Spec{Name: "alert.webhook.add", Needs: Manage, Undo: "Remove the destination."},
	(*Run).addAlertWebhook,
}

func (r *Run) addAlertWebhook(ctx context.Context, in Webhook) (AddedWebhook, error) {
	address := strings.TrimSpace(in.URL)
	if err := alert.CheckURL(address); err != nil {
		return AddedWebhook{}, err
	}
	by := r.By()
	added := AddedWebhook{ID: control.DestinationID(newID()), Secret: rand.Text()}
	err := r.Store.AddDestination(ctx, control.Destination{
		ID: added.ID, Workspace: r.Workspace.ID, Kind: control.WebhookDestination, URL: address,
		Sealed: r.Installation.Seal(r.Workspace.ID, added.Secret), At: by.At,
	}, by)
	if err != nil {
		return AddedWebhook{}, err
	}
	return added, nil
}

// AddAlertEmail adds the email address of a member as a destination of alert messages. A member can add only their own
// address. The operator can add the address of any member.
var AddAlertEmail = Operation[control.UserID, control.DestinationID]{
	Spec{Name: "alert.email.add", Needs: Read, Undo: "Remove the destination."},
	func(r *Run, ctx context.Context, member control.UserID) (control.DestinationID, error) {
		if err := r.routes(); err != nil {
			return "", err
		}
		by := r.By()
		d := control.Destination{
			ID: control.DestinationID(newID()), Workspace: r.Workspace.ID, Kind: control.EmailDestination, Member: member, At: by.At,
		}
		return d.ID, r.Store.AddDestination(ctx, d, by)
	},
}

// RemoveDestination removes a destination of alert messages by ID, with its pending messages. Members can remove their
// own email address. Managers can remove every destination.
var RemoveDestination = Operation[control.DestinationID, None]{
	Spec{Name: "alert.destination.remove", Needs: Read, Undo: "Add the destination again; a webhook gets another secret."},
	func(r *Run, ctx context.Context, id control.DestinationID) (None, error) {
		if err := r.routes(); err != nil {
			return None{}, err
		}
		return None{}, r.Store.RemoveDestination(ctx, r.Workspace.ID, id, r.By())
	},
}

// routes returns a fault of kind forbidden for keys and OAuth clients. The store checks what a person may change.
func (r *Run) routes() error {
	if r.Call.Caller.kind == byClient {
		return fault.Forbidden("only members can change alert destinations").WithHint("use the Alerts page or assay alerts destinations")
	}
	return nil
}

// ListDestinations returns the destinations of a workspace's alert messages, oldest first.
var ListDestinations = Operation[None, []control.Destination]{
	Spec{Name: "alert.destination.list", Needs: Read},
	func(r *Run, ctx context.Context, _ None) ([]control.Destination, error) {
		return r.Store.Destinations(ctx, r.Workspace.ID)
	},
}

// TestedDestination is the result of a test message.
type TestedDestination struct {
	ID      control.DestinationID `json:"id"`
	Problem string                `json:"problem,omitempty"` // "": delivered
}

// TestAlerts sends a test message to each alert destination of a workspace.
var TestAlerts = Operation[None, []TestedDestination]{
	Spec{Name: "alert.test", Needs: Manage, Facts: true, Undo: "A sent message cannot be recalled."},
	(*Run).testAlerts,
}

func (r *Run) testAlerts(ctx context.Context, _ None) ([]TestedDestination, error) {
	all, err := r.Store.Destinations(ctx, r.Workspace.ID)
	if err != nil {
		return nil, err
	}
	tested := make([]TestedDestination, len(all))
	for i, d := range all {
		tested[i].ID = d.ID
		err := r.Sender.Send(ctx, control.AlertMessage{
			ID: control.AlertMessageID(rand.Text()), Workspace: r.Workspace, Destination: d, Attempts: 1, Created: r.Now(),
		})
		if err != nil {
			tested[i].Problem = err.Error()
		}
	}
	return tested, nil
}

// newID returns the ID of a new object.
func newID() string { return strings.ToLower(rand.Text()[:10]) }
