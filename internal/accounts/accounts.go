// Package accounts opens the accounts of ad platforms that workspaces have connected. Credentials are stored encrypted.
// Only this package decrypts them for clients.
package accounts

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/connect"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// Store stores connections; see [assay/internal/control/sqlstore].
type Store interface {
	Connections(ctx context.Context, ws measure.WorkspaceID) ([]control.Connection, error)
	SetConnectionState(ctx context.Context, c control.Connection) error
}

// Options configure a registry.
type Options struct {
	Store  Store
	Unseal func(ws measure.WorkspaceID, sealed []byte) (string, error)
	Now    func() time.Time // the real clock
	Log    *slog.Logger

	Platforms connect.Options // client options for the platforms
	Sandbox   connect.Options // client options for simulated accounts
}

// Registry opens the connected accounts. Its methods are safe for concurrent use.
type Registry struct {
	options Options

	mu   sync.Mutex // guards open
	open map[account]*client
}

type account struct {
	workspace measure.WorkspaceID
	ads.Account
}

// New returns a registry.
func New(o Options) *Registry {
	return &Registry{options: o, open: map[account]*client{}}
}

// Of returns the accounts that the workspace has connected on the platform, in the order of their IDs. If the
// credentials of an account cannot be decrypted, Of omits the account, and its connection gets the status error.
func (r *Registry) Of(ctx context.Context, ws measure.WorkspaceID, p measure.Platform) ([]ads.Platform, error) {
	all, err := r.options.Store.Connections(ctx, ws)
	if err != nil {
		return nil, err
	}
	var opened []ads.Platform
	for _, c := range all {
		if c.Platform != p {
			continue
		}
		client, err := r.client(c)
		if err != nil {
			r.note(ctx, c, err)
			continue
		}
		opened = append(opened, client)
	}
	return opened, nil
}

// Open returns a client for credentials that are not stored yet. It sends nothing.
func (r *Registry) Open(p measure.Platform, credentials []byte) (ads.Platform, error) {
	return connect.Open(p, credentials, r.options.Platforms)
}

// Test tests the connections of the workspace, or of one platform, and stores the results. It returns the connections
// with their new state.
func (r *Registry) Test(ctx context.Context, ws measure.WorkspaceID, p measure.Platform) ([]control.Connection, error) {
	all, err := r.options.Store.Connections(ctx, ws)
	if err != nil {
		return nil, err
	}
	if p != "" {
		all = slices.DeleteFunc(all, func(c control.Connection) bool { return c.Platform != p })
	}
	return all, r.testAll(ctx, all)
}

// TestOlder tests the workspace's connections that were last tested before the instant.
func (r *Registry) TestOlder(ctx context.Context, ws measure.WorkspaceID, before time.Time) error {
	all, err := r.options.Store.Connections(ctx, ws)
	if err != nil {
		return err
	}
	return r.testAll(ctx, slices.DeleteFunc(all, func(c control.Connection) bool { return c.TestedAt.After(before) }))
}

// testAll tests the connections and writes their new state to the store and to the slice.
func (r *Registry) testAll(ctx context.Context, all []control.Connection) error {
	for i, c := range all {
		all[i].ConnectionState = r.test(ctx, c)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.options.Store.SetConnectionState(ctx, all[i]); err != nil {
			return err
		}
	}
	return nil
}

// test tests a stored connection. If the test fails, the stored account details remain.
func (r *Registry) test(ctx context.Context, c control.Connection) control.ConnectionState {
	opened, err := r.client(c)
	if err != nil {
		return r.failed(c.ConnectionState, err)
	}
	return r.tried(ctx, c.ConnectionState, opened.Platform)
}

// Try tests an account that is not connected yet.
func (r *Registry) Try(ctx context.Context, p ads.Platform) control.ConnectionState {
	return r.tried(ctx, control.ConnectionState{}, p)
}

func (r *Registry) tried(ctx context.Context, known control.ConnectionState, p ads.Platform) control.ConnectionState {
	found, err := p.Test(ctx)
	if err != nil {
		return r.failed(known, err)
	}
	return control.ConnectionState{
		Status: control.ConnectionOK, TestedAt: r.options.Now(), Name: found.Name, Currency: found.Currency, Zone: found.TimeZone,
		Expires: found.Expires, Permissions: found.Permissions,
	}
}

// failed returns the state of a connection that does not work because of the error.
func (r *Registry) failed(known control.ConnectionState, err error) control.ConnectionState {
	known.Status, known.TestedAt, known.Problem, known.Hint = control.ConnectionError, r.options.Now(), err.Error(), ""
	if rejected, ok := errors.AsType[*ads.Rejection](err); ok {
		known.Problem, known.Hint = rejected.Text, rejected.Hint
	} else if text, hint, ok := fault.Public(err); ok {
		known.Problem, known.Hint = text, hint
	}
	return known
}

// client returns the client of a connection. The client stays open until the credentials change.
func (r *Registry) client(c control.Connection) (*client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := account{c.Workspace, ads.Account{Platform: c.Platform, ID: c.Account}}
	if open := r.open[of]; open != nil && slices.Equal(open.connection.Sealed, c.Sealed) {
		return open, nil
	}
	delete(r.open, of)
	credentials, err := r.options.Unseal(c.Workspace, c.Sealed)
	if err != nil {
		return nil, err
	}
	options := r.options.Platforms
	if c.Sandbox {
		options = r.options.Sandbox
	}
	opened, err := connect.Open(c.Platform, []byte(credentials), options)
	if err != nil {
		return nil, err
	}
	r.open[of] = &client{Platform: opened, registry: r, connection: c}
	return r.open[of], nil
}

// note stores that a connection no longer works.
func (r *Registry) note(ctx context.Context, c control.Connection, err error) {
	c.ConnectionState = r.failed(c.ConnectionState, err)
	if err := r.options.Store.SetConnectionState(context.WithoutCancel(ctx), c); err != nil {
		r.options.Log.WarnContext(ctx, "the state of a connection is not stored", slog.Any("error", err))
	}
}

// Forget removes the client of a removed connection.
func (r *Registry) Forget(ws measure.WorkspaceID, a ads.Account) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, account{ws, a})
}
