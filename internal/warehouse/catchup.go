package warehouse

import (
	"context"

	"assay/internal/measure"
)

// Successor is an engine that opens files of earlier releases. Files of earlier releases may lack derived figures.
type Successor interface {
	// CatchUp computes the missing figures of a workspace and reports whether figures were missing. If figures were
	// missing, the data version increases.
	CatchUp(ctx context.Context, ws measure.WorkspaceID) (bool, error)
}

// CatchUp computes the figures that a store of an earlier release lacks; see [Successor]. Without this call, the next
// import computes them. CatchUp waits for a running import.
func (w *Warehouse) CatchUp(ctx context.Context, ws measure.WorkspaceID) (bool, error) {
	engine, ok := w.engine.(Successor)
	if !ok {
		return false, nil
	}
	return engine.CatchUp(ctx, ws)
}
