package warehouse

import (
	"context"

	"assay/internal/measure"
)

// Successor is an engine whose files outlive its releases: after an update they may lack figures that are made from facts
// that they have.
type Successor interface {
	// CatchUp makes those figures in a workspace, and reports whether there were any to make. The data version rises then.
	CatchUp(ctx context.Context, ws measure.WorkspaceID) (bool, error)
}

// CatchUp makes the figures that a store of an earlier release lacks; see [Successor]. Until then the next import would
// make them. It waits for an import that runs.
func (w *Warehouse) CatchUp(ctx context.Context, ws measure.WorkspaceID) (bool, error) {
	engine, ok := w.engine.(Successor)
	if !ok {
		return false, nil
	}
	return engine.CatchUp(ctx, ws)
}
