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
	"assay/internal/limit"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

// Control is the control data of a data directory. Several processes may have them open at a time: commands use them next to
// a running service.
type Control struct {
	operation.Control
	ended *func() // what AccessEnded calls
}

// ControlOptions say where control data are and how they are used.
type ControlOptions struct {
	Data   string           // the data directory
	Create bool             // make the directory where it is missing
	Now    func() time.Time // the real clock
	Log    *slog.Logger     // nothing is logged when nil

	Counter limit.Counter // of refused sign-ins; counts in this process when nil
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
	if o.Log == nil {
		o.Log = discard()
	}
	c := &Control{ended: new(func() {})}
	accessEnded := func() { (*c.ended)() }
	installation := auth.NewInstallation(secret)
	c.Control = operation.Control{
		Store: store, Installation: installation, Now: o.Now, Log: o.Log, AccessEnded: accessEnded,
		Keys:   auth.NewKeys(auth.KeysOptions{Store: store, Installation: installation, Now: o.Now, Log: o.Log}),
		People: people.New(people.Options{Store: store, Counter: o.Counter, Now: o.Now, Log: o.Log, KeysEnded: accessEnded}),
	}
	return c, nil
}

// onAccessEnded sets what is called after credentials ended. It is called once, before calls are served.
func (c *Control) onAccessEnded(do func()) { *c.ended = do }

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
