package app

import (
	"context"
	"log/slog"
)

// catchUp rebuilds the roll-ups that stores of an earlier release lack, one workspace after the other. If it fails, the store
// answers as before, and its next import rebuilds them.
func (a *App) catchUp(ctx context.Context) error {
	all, err := a.control.Store.Workspaces(ctx)
	if err != nil {
		return err
	}
	for _, w := range all {
		if ctx.Err() != nil {
			return nil
		}
		made, err := a.facts.CatchUp(ctx, w.ID)
		switch {
		case err != nil && ctx.Err() == nil:
			a.log.WarnContext(ctx, "roll-ups could not be rebuilt after an update", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		case made:
			a.log.InfoContext(ctx, "roll-ups rebuilt after an update", slog.String("workspace", string(w.ID)))
		}
	}
	return nil
}
