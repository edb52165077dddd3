package app

import (
	"context"
	"log/slog"
)

// catchUp makes the figures that stores of an earlier release lack, one workspace after the other. A store in which that
// fails answers as it did, and gets them with its next import.
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
			a.log.WarnContext(ctx, "figures could not be made anew after an update", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		case made:
			a.log.InfoContext(ctx, "figures made anew after an update", slog.String("workspace", string(w.ID)))
		}
	}
	return nil
}
