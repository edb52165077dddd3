package app

import (
	"context"
	"log/slog"

	"assay/internal/measure"
)

// catchUp rebuilds the roll-ups that a store of an earlier release lacks. If catchUp fails, queries use the existing
// roll-ups until the next import rebuilds them.
func (a *App) catchUp(ctx context.Context, ws measure.WorkspaceID) {
	made, err := a.facts.CatchUp(ctx, ws)
	switch {
	case err != nil && ctx.Err() == nil:
		a.log.WarnContext(ctx, "roll-ups could not be rebuilt after an update", slog.String("workspace", string(ws)), slog.Any("error", err))
	case made:
		a.log.InfoContext(ctx, "roll-ups rebuilt after an update", slog.String("workspace", string(ws)))
	}
}
