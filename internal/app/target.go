package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/warehouse"
)

// targetWait is how long a change of a target waits for an import that runs. Somebody looks at a page that does not move
// meanwhile; an import of years takes minutes.
const targetWait = 5 * time.Second

// changeTarget sets a target or takes it away, and says so in the security log.
func (a *App) changeTarget(ctx context.Context, change console.TargetChange, by control.By) error {
	waiting, stop := context.WithTimeout(ctx, targetWait)
	leave, err := a.writing.enter(waiting, change.Workspace.ID)
	stop()
	if err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return fault.Conflict("an import is running, and one change at a time reaches the facts: the target stays as it was").
				WithHint("try again when the import is done; the page Data lists it then")
		}
		return err
	}
	defer leave()
	if id, person := by.Person(); person { // whose role may have ended while the import ran
		if err := a.personWrites(change.Workspace.ID, id)(ctx); err != nil {
			return err
		}
	}
	goal := warehouse.Target{Metric: change.Metric, Period: change.Period, Start: change.Start, Channel: change.Channel, Value: change.Value}
	before, err := a.facts.ChangeTarget(ctx, change.Workspace.ID, change.Workspace.Currency, warehouse.TargetChange{
		Target: goal, Removed: change.Removed, Where: "targets changed on the page Forecasts",
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
