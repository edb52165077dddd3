package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"assay/internal/civil"
	"assay/internal/config"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// pageWait is how long a change on a page waits for an import that runs. Somebody looks at a page that does not move
// meanwhile; an import of years takes minutes.
const pageWait = 5 * time.Second

// soon gives a page the workspace to itself, unless an import has it for longer than anybody waits: then it is a fault of kind
// conflict that says what stays so.
func (a *App) soon(ctx context.Context, ws measure.WorkspaceID, stays string) (leave func(), err error) {
	waiting, stop := context.WithTimeout(ctx, pageWait)
	defer stop()
	leave, err = a.writing.enter(waiting, ws)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = fault.Conflict("an import is running, and one change at a time reaches the facts: %s", stays).
			WithHint("try again when the import is done; the page Data lists it then")
	}
	return leave, err
}

// changeTarget sets a target or takes it away for somebody who looks at a page meanwhile.
func (a *App) changeTarget(ctx context.Context, change console.TargetChange, by control.By) error {
	leave, err := a.soon(ctx, change.Workspace.ID, "the target stays as it was")
	if err != nil {
		return err
	}
	defer leave()
	if id, person := by.Person(); person { // whose role may have ended while the import ran
		if err := a.personWrites(change.Workspace.ID, id)(ctx); err != nil {
			return err
		}
	}
	return a.change(ctx, change, "targets changed on the page Forecasts", by)
}

// change sets a target or takes it away, and says so in the security log. The caller has the workspace to itself.
func (a *App) change(ctx context.Context, change console.TargetChange, where string, by control.By) error {
	goal := warehouse.Target{Metric: change.Metric, Period: change.Period, Start: change.Start, Channel: change.Channel, Value: change.Value}
	before, err := a.facts.ChangeTarget(ctx, change.Workspace.ID, change.Workspace.Currency, warehouse.TargetChange{
		Target: goal, Removed: change.Removed, Where: where,
	})
	if err != nil || !change.Removed && before != nil && *before == change.Value {
		return err
	}
	told := control.Event{At: by.At, Workspace: change.Workspace.ID, Kind: control.TargetSet, Actor: by.Actor, Subject: change.Goal()}
	was := ""
	if before != nil {
		was = "was " + plain(*before)
	}
	switch {
	case change.Removed:
		told.Kind, told.Detail = control.TargetRemoved, was
	case was == "":
		told.Detail = plain(change.Value)
	default:
		told.Detail = plain(change.Value) + ", " + was
	}
	// The facts have the change: who asked for it must not take the line away by leaving.
	if err := a.control.Store.AppendEvent(context.WithoutCancel(ctx), told); err != nil {
		return fmt.Errorf("target %s is changed and stands in no log: %w", change.Goal(), err)
	}
	return nil
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// RemovedTarget names a target that is to be taken away, by all but its value.
type RemovedTarget struct {
	Workspace measure.WorkspaceID `json:"workspace"`
	Metric    string              `json:"metric"`
	Period    string              `json:"period"`
	Start     civil.Date          `json:"start"`
	Channel   measure.Channel     `json:"channel"` // "" for the whole store
	Actor     string              `json:"actor"`
}

// RemoveTarget takes a target away, through the service that holds the data directory or directly where none does. It
// waits for an import that runs. A target that is not there is a fault of kind not_found.
func RemoveTarget(ctx context.Context, c config.Config, request RemovedTarget, now func() time.Time) error {
	_, err := through(ctx, c, "/target/remove", request, nil, now, func(a *App) (any, error) {
		return struct{}{}, a.removeTarget(ctx, request)
	})
	return err
}

func (a *App) removeTarget(ctx context.Context, request RemovedTarget) error {
	leave, err := a.writing.enter(ctx, request.Workspace)
	if err != nil {
		return err
	}
	defer leave()
	workspace, err := a.control.Store.Workspace(ctx, request.Workspace)
	if err != nil {
		return err
	}
	change := console.TargetChange{
		Workspace: workspace, Metric: request.Metric, Period: request.Period, Start: request.Start, Channel: request.Channel, Removed: true,
	}
	err = a.change(ctx, change, "targets removed by a command", control.By{Actor: request.Actor, At: a.now()})
	if fault.KindOf(err) == fault.KindNotFound {
		return fault.NotFound("there is no target of %s", change.Goal()).WithHint("assay targets list --workspace %s shows those that there are", workspace.ID)
	}
	return err
}

type targetsRequest struct {
	Workspace measure.WorkspaceID `json:"workspace"`
}

// Target is a goal of a workspace, as it was set or imported.
type Target struct {
	Metric  string          `json:"metric"`
	Period  string          `json:"period"`
	Start   civil.Date      `json:"start"`
	Channel measure.Channel `json:"channel,omitempty"` // "" for the whole store
	Value   float64         `json:"value"`             // money in whole units of the workspace's currency
}

// Targets returns a workspace's targets by first day, through the service that holds the data directory or directly where
// none does.
func Targets(ctx context.Context, c config.Config, ws measure.WorkspaceID, now func() time.Time) ([]Target, error) {
	result, err := through(ctx, c, "/targets", targetsRequest{ws}, nil, now, func(a *App) (any, error) {
		return a.targets(ctx, ws)
	})
	return decoded[[]Target](result, err)
}

func (a *App) targets(ctx context.Context, ws measure.WorkspaceID) ([]Target, error) {
	if _, err := a.control.Store.Workspace(ctx, ws); err != nil {
		return nil, err
	}
	all, err := a.facts.Targets(ctx, ws)
	if err != nil {
		return nil, err
	}
	out := make([]Target, len(all))
	for i, t := range all {
		out[i] = Target{Metric: t.Metric, Period: t.Period, Start: t.Start, Channel: t.Channel, Value: t.Value}
	}
	return out, nil
}
