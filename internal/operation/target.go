package operation

import (
	"context"
	"fmt"
	"strconv"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Target is the target value of a workspace for one metric and period, of one channel or of the whole store.
type Target struct {
	Metric  string          `json:"metric"` // revenue, orders, spend or roas
	Period  string          `json:"period"` // daily, weekly, monthly or quarterly
	Start   civil.Date      `json:"start"`
	Channel measure.Channel `json:"channel,omitempty"` // "" for the whole store
	Value   float64         `json:"value"`             // money in whole units of the workspace's currency
}

// Goal identifies the target by all fields except its value.
func (t Target) Goal() string {
	goal := fmt.Sprintf("%s, %s from %s", t.Metric, t.Period, t.Start)
	if t.Channel != "" {
		goal += ", " + string(t.Channel)
	}
	return goal
}

// SetTarget sets a target. It replaces a target with the same metric, period, start and channel. The channel must exist
// in the store.
var SetTarget = Operation[Target, None]{
	Spec{Name: "target.set", Needs: Write, Facts: true, Locks: true, Undo: "Set the earlier value or remove the target. The audit log has the earlier value."},
	(*Run).setTarget,
}

func (r *Run) setTarget(ctx context.Context, t Target) (None, error) {
	if t.Channel != "" {
		channel, err := r.Known.Channel(ctx, r.Workspace, string(t.Channel))
		if err != nil {
			return None{}, err
		}
		t.Channel = channel
	}
	before, err := r.changeTarget(ctx, t, false)
	if err != nil || before != nil && *before == t.Value {
		return None{}, err
	}
	detail := plain(t.Value)
	if before != nil {
		detail += ", was " + plain(*before)
	}
	return None{}, r.targetEvent(ctx, control.TargetSet, t, detail)
}

// RemoveTarget removes a target and ignores its value. A missing target is a fault of kind not_found.
var RemoveTarget = Operation[Target, None]{
	Spec{Name: "target.remove", Needs: Write, Facts: true, Locks: true, Undo: "Set the target again; the audit log has its value."},
	(*Run).removeTarget,
}

func (r *Run) removeTarget(ctx context.Context, t Target) (None, error) {
	before, err := r.changeTarget(ctx, t, true)
	if fault.KindOf(err) == fault.KindNotFound {
		return None{}, fault.NotFound("there is no target for %s", t.Goal()).
			WithHint("the Forecasts & targets page and `assay targets list --workspace %s` list the targets", r.Workspace.ID)
	}
	if err != nil {
		return None{}, err
	}
	detail := ""
	if before != nil {
		detail = "was " + plain(*before)
	}
	return None{}, r.targetEvent(ctx, control.TargetRemoved, t, detail)
}

// changeTarget stores or removes a target and returns the previous value, or nil if there was none.
func (r *Run) changeTarget(ctx context.Context, t Target, removed bool) (before *float64, err error) {
	return r.Warehouse.ChangeTarget(ctx, r.Workspace.ID, r.Workspace.Currency, warehouse.TargetChange{
		Target:  warehouse.Target{Metric: t.Metric, Period: t.Period, Start: t.Start, Channel: t.Channel, Value: t.Value},
		Removed: removed, Where: "targets changed " + r.Call.Caller.way(),
	})
}

// targetEvent appends the audit event. The facts are changed already, so the end of the caller's request does not
// cancel the event.
func (r *Run) targetEvent(ctx context.Context, kind control.EventKind, t Target, detail string) error {
	by := r.By()
	err := r.Store.AppendEvent(context.WithoutCancel(ctx), control.Event{
		At: by.At, Workspace: r.Workspace.ID, Kind: kind, Actor: by.Actor, Subject: t.Goal(), Detail: detail,
	})
	if err != nil {
		return fmt.Errorf("target %s was changed, but its audit event was not stored: %w", t.Goal(), err)
	}
	return nil
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// ListTargets returns a workspace's targets, sorted by start.
var ListTargets = Operation[None, []Target]{Spec{Name: "target.list", Needs: Read, Facts: true}, (*Run).listTargets}

func (r *Run) listTargets(ctx context.Context, _ None) ([]Target, error) {
	all, err := r.Warehouse.Targets(ctx, r.Workspace.ID)
	if err != nil {
		return nil, err
	}
	out := make([]Target, len(all))
	for i, t := range all {
		out[i] = Target{Metric: t.Metric, Period: t.Period, Start: t.Start, Channel: t.Channel, Value: t.Value}
	}
	return out, nil
}
