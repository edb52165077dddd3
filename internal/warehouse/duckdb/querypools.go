package duckdb

import (
	"context"

	"assay/internal/fault"
)

// queryPools limits the number of concurrent statements. Queries compete for the processor. Beyond twice the number of
// cores, additional queries would only wait inside the database. The database does not report when a waiting query
// exceeds the query's deadline.
type queryPools struct{ ordinary, heavy chan struct{} }

func newQueryPools(cores int) queryPools {
	return queryPools{ordinary: make(chan struct{}, 2*cores), heavy: make(chan struct{}, 1)}
}

// enter waits for a slot until ctx ends and returns the function that releases it.
func (p queryPools) enter(ctx context.Context, heavy bool) (leave func(), err error) {
	pool := p.ordinary
	if heavy {
		pool = p.heavy
	}
	select {
	case pool <- struct{}{}:
		return func() { <-pool }, nil
	default:
	}
	select {
	case pool <- struct{}{}:
		return func() { <-pool }, nil
	case <-ctx.Done():
		return nil, fault.Unavailable("the fact store is busy with other queries").
			WithHint("try again in a few seconds, with fewer concurrent calls").Wrap(ctx.Err())
	}
}
