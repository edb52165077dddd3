package duckdb

import (
	"context"
	"fmt"

	"assay/internal/fault"
)

// Ping returns an error if the engine does not answer.
func (e *Engine) Ping(ctx context.Context) error {
	e.mu.Lock()
	running := e.instance
	e.mu.Unlock()
	if running == nil {
		return fault.Unavailable("the fact store is closed")
	}
	if err := running.db.PingContext(ctx); err != nil {
		return fmt.Errorf("fact store: %w", err)
	}
	return nil
}
