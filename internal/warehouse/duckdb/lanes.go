package duckdb

import (
	"context"

	"assay/internal/fault"
)

// lanes limit the number of concurrent statements. Queries compete for the processor: beyond twice the number of
// cores, more of them would only wait inside the database, where a deadline cannot be reported.
type lanes struct{ ordinary, heavy chan struct{} }

func newLanes(cores int) lanes {
	return lanes{ordinary: make(chan struct{}, 2*cores), heavy: make(chan struct{}, 1)}
}

// enter waits for a slot until ctx ends and returns the function that releases it.
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
