package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"assay/internal/auth"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
)

// Control is the control data of a data directory. Several processes may hold it at a time: commands work on it
// beside a running service.
type Control struct {
	Store        *sqlstore.Store
	Keys         *auth.Keys
	Installation auth.Installation
}

// ControlOptions say where control data are and how they are used.
type ControlOptions struct {
	Data   string           // the data directory
	Create bool             // make the directory where it is missing
	Now    func() time.Time // the real clock
	Log    *slog.Logger     // nothing is logged when nil
}

// OpenControl opens control data. A directory that does not exist is a fault of kind not_found unless it may be
// created.
func OpenControl(ctx context.Context, o ControlOptions) (*Control, error) {
	if _, err := os.Stat(o.Data); errors.Is(err, fs.ErrNotExist) && !o.Create {
		return nil, fault.NotFound("there is no data directory %s", o.Data).
			WithHint("pass --data, or make one with `assay workspace create` or `assay demo`")
	}
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		return nil, unwritable("made", o.Data, err)
	}
	if err := secretKept(o.Data); err != nil {
		return nil, err
	}
	secret, err := auth.LoadSecret(filepath.Join(o.Data, "secret"))
	if err != nil {
		return nil, fmt.Errorf("installation's secret: %w", err)
	}
	store, err := sqlstore.Open(ctx, sqlstore.Options{Path: filepath.Join(o.Data, "control.db"), Log: o.Log})
	if err != nil {
		return nil, err
	}
	installation := auth.NewInstallation(secret)
	keys := auth.NewKeys(auth.KeysOptions{Store: store, Installation: installation, Now: o.Now, Log: o.Log})
	return &Control{Store: store, Keys: keys, Installation: installation}, nil
}

// secretKept refuses a directory that has lost its secret: a new one would turn every key invalid and every
// customer into a stranger.
func secretKept(dataDir string) error {
	_, lost := os.Stat(filepath.Join(dataDir, "secret"))
	_, err := os.Stat(filepath.Join(dataDir, "control.db"))
	if errors.Is(lost, fs.ErrNotExist) && err == nil {
		return fault.New(fault.KindMisconfigured, "the installation's secret %s is gone", filepath.Join(dataDir, "secret")).
			WithHint("put it back from a backup; without it no key is valid and returning customers are not recognised. To give both up, move control.db and facts away")
	}
	return nil
}

// Close ends the connection.
func (c *Control) Close() error { return c.Store.Close() }
