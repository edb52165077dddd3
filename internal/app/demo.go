package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"assay/internal/config"
	"assay/internal/demostore"
)

// OpenDemo opens a data directory and its demo store. It creates a missing demo store.
func OpenDemo(
	ctx context.Context, c config.Config, o demostore.Options, log *slog.Logger, now func() time.Time,
) (*App, *demostore.Demo, error) {
	a, err := Open(ctx, c, log, now)
	if err != nil {
		return nil, nil, err
	}
	dir := demostore.Directory{Path: c.Data, Control: a.control.Control, Facts: a.facts, Drop: a.dropFacts, Sandbox: a.sandbox}
	demo, err := demostore.Open(ctx, dir, o)
	if err == nil {
		err = a.setClock() // a new store may have another frozen day
	}
	if err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	return a, demo, nil
}
