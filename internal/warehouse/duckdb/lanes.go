package duckdb

import (
	"context"

	"assay/internal/fault"
)

// lanes limit how many statements run at once. The processor is what questions compete for: past twice the
// cores more of them only wait inside the database, where nobody can answer them.
type lanes struct{ ordinary, heavy chan struct{} }

func newLanes(cores int) lanes {
	return lanes{ordinary: make(chan struct{}, 2*cores), heavy: make(chan struct{}, 1)}
}

// enter waits for a place until ctx ends and returns how to leave it.
func (l lanes) enter(ctx context.Context, heavy bool) (leave func(), err error) {
	lane := l.ordinary
	if heavy {
		lane = l.heavy
	}
	select {
	case lane <- struct{}{}:
		return func() { <-lane }, nil
	default:
	}
	select {
	case lane <- struct{}{}:
		return func() { <-lane }, nil
	case <-ctx.Done():
		return nil, fault.Unavailable("the store is busy with other questions").
			WithHint("ask again in some seconds, with fewer calls at a time").Wrap(ctx.Err())
	}
}
