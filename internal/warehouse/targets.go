package warehouse

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// Targets returns every target, sorted by first day, kind of period, metric and channel.
func (w *Warehouse) Targets(ctx context.Context, ws measure.WorkspaceID) ([]Target, error) {
	var out []Target
	err := w.ask(ctx, ws, "targets", nil, func(row Row) error {
		var t Target
		err := row.Scan(&t.Metric, &t.Period, &t.Start, &t.Channel, &t.Value)
		out = append(out, t)
		return err
	})
	return out, err
}

// targetSource is the name of the reader of targets. The import ledger also uses this name for individual changes.
const targetSource = "targets"

// TargetChange sets or removes a target. It replaces the target for the same metric, kind of period, first day and
// channel. The value of a removed target is ignored.
type TargetChange struct {
	Target  Target
	Removed bool
	Where   string // where the change was made, for the import ledger
}

// ChangeTarget sets or removes a target and returns the previous value, or nil if there was no target. Setting an equal
// value changes nothing. Removing a missing target is a fault of kind not_found. The change is an import. A workspace
// has one import at a time, so ChangeTarget waits for other imports until ctx ends.
func (w *Warehouse) ChangeTarget(ctx context.Context, ws measure.WorkspaceID, base money.Currency, c TargetChange) (before *float64, err error) {
	spec := ImportSpec{Workspace: ws, Source: targetSource, File: c.Where, Base: base}
	if c.Removed {
		spec.Unset = []Target{c.Target}
	}
	load, err := w.engine.Begin(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer load.Abort()
	// From here on, no other import can change the workspace.
	all, err := w.Targets(ctx, ws)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(all, c.Target.SameGoal); at >= 0 {
		before = &all[at].Value
	}
	switch {
	case c.Removed && before == nil:
		return nil, fault.NotFound("the target does not exist")
	case !c.Removed && before != nil && *before == c.Target.Value:
		return before, nil
	case !c.Removed:
		if err := load.Add(ctx, &Batch{Targets: []Target{c.Target}}); err != nil {
			return nil, err
		}
	}
	if _, err := load.Commit(ctx); err != nil {
		return nil, fmt.Errorf("target of %s, %s from %s: %w", c.Target.Metric, c.Target.Period, c.Target.Start, err)
	}
	return before, nil
}
