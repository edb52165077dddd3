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
	"assay/internal/config"
	"assay/internal/control/sqlstore"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/limit"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

// Control is the control data of a data directory. Several processes may open it at the same time, because commands use
// it while a service runs.
type Control struct {
	operation.Control
	ended *func() // called by AccessEnded
}

// ControlOptions configure [OpenControl].
type ControlOptions struct {
	Data   string           // the data directory
	Secret string           // file of the installation's secret; "": in the data directory
	URL    string           // URL of a PostgreSQL database; "": SQLite in the data directory
	Create bool             // create the directory if it is missing
	Now    func() time.Time // the real clock
	Log    *slog.Logger     // nil: nothing is logged

	Counter limit.Counter // counter of failed sign-ins; nil: counts in this process
}

// ControlOf returns the options for opening the configured control data.
func ControlOf(c config.Config, now func() time.Time) ControlOptions {
	return ControlOptions{Data: c.Data, Secret: c.SecretFile, URL: c.ControlURL.Text(), Now: now}
}

// OpenControl opens the control data. A missing directory is a fault of kind not_found unless Create is set.
func OpenControl(ctx context.Context, o ControlOptions) (*Control, error) {
	if _, err := os.Stat(o.Data); errors.Is(err, fs.ErrNotExist) && !o.Create {
		return nil, fault.NotFound("data directory %s does not exist", o.Data).
			WithHint("pass --data, or create one with `assay workspace create` or `assay demo`")
	}
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		return nil, datadir.Unwritable("created", o.Data, err)
	}
	if err := restoreEnded(o.Data); err != nil {
		return nil, err
	}
	if o.Secret == "" {
		o.Secret = filepath.Join(o.Data, datadir.Secret)
	}
	store, secret, err := openStore(ctx, o)
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

// openStore opens the control data with the installation's secret. All nodes that share a PostgreSQL database need the
// same secret.
func openStore(ctx context.Context, o ControlOptions) (store *sqlstore.Store, secret []byte, err error) {
	if o.URL == "" {
		if err := secretKept(o.Data, o.Secret); err != nil {
			return nil, nil, err
		}
		if secret, err = auth.LoadSecret(o.Secret); err != nil {
			return nil, nil, fmt.Errorf("installation secret: %w", err)
		}
		store, err = sqlstore.Open(ctx, sqlstore.Options{Path: filepath.Join(o.Data, datadir.Control), Log: o.Log})
		return store, secret, err
	}
	if store, err = sqlstore.Open(ctx, sqlstore.Options{URL: o.URL, Log: o.Log}); err != nil {
		return nil, nil, err
	}
	if secret, err = sharedSecret(ctx, store, o.Secret); err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return store, secret, nil
}

// sharedSecret loads the secret of a node. The first node creates the secret and stores the secret's name in the
// database. A node without this secret is rejected, because the other nodes could not read its keys and sealed
// credentials.
func sharedSecret(ctx context.Context, store *sqlstore.Store, file string) ([]byte, error) {
	foreign := fault.New(fault.KindMisconfigured, "the file %s does not contain the secret of the installation that owns the control database", file).
		WithHint("copy the file secret from another node of the installation to this path, or set secret_file to its path")
	name, err := store.Installation(ctx, "")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); name != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, foreign
	}
	secret, err := auth.LoadSecret(file)
	if err != nil {
		return nil, fmt.Errorf("installation secret: %w", err)
	}
	own := auth.NewInstallation(secret).Name()
	if name, err = store.Installation(ctx, own); err != nil {
		return nil, err
	}
	if name != own {
		return nil, foreign
	}
	return secret, nil
}

// MoveControl copies the control data of a data directory from SQLite to an empty PostgreSQL database. The directory is
// locked during the copy, so no service can run on it.
func MoveControl(ctx context.Context, c config.Config, to string, now func() time.Time) (moved []sqlstore.Moved, err error) {
	if c.ControlURL = config.NewSecret(to); to == "" {
		return nil, fault.Invalid("the URL of the PostgreSQL database is empty")
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(c.Data, datadir.Control)); err != nil {
		return nil, fault.NotFound("there are no control data in %s", c.Data).Wrap(err).WithHint("pass --data with the directory of the installation")
	}
	held, err := datadir.Acquire(c.Data)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	options := ControlOf(c, now)
	options.URL = ""
	from, err := OpenControl(ctx, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	target, err := OpenControl(ctx, ControlOf(c, now))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	return from.Store.Move(ctx, target.Store)
}

// onAccessEnded sets the function that is called after credentials end. It is set once, before calls are served.
func (c *Control) onAccessEnded(do func()) { *c.ended = do }

// secretKept rejects a directory that has lost its secret. With a new secret, no key would be valid and no returning
// customer would be recognized.
func secretKept(dataDir, secret string) error {
	_, lost := os.Stat(secret)
	_, err := os.Stat(filepath.Join(dataDir, datadir.Control))
	if errors.Is(lost, fs.ErrNotExist) && err == nil {
		return fault.New(fault.KindMisconfigured, "the installation secret %s is missing", secret).
			WithHint("restore the file from a backup. Without the secret, no API key is valid and returning customers are not recognized. To start a new installation, move control.db and the folder facts out of the data directory")
	}
	return nil
}

// Close ends the connection.
func (c *Control) Close() error { return c.Store.Close() }
