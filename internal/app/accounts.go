package app

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"time"

	"assay/internal/accounts"
	"assay/internal/ads"
	"assay/internal/ads/connect"
	"assay/internal/ads/sandbox"
	"assay/internal/datadir"
)

// openAccounts opens the registry of connected ad accounts, including the simulated accounts of a demo store.
func (a *App) openAccounts() (err error) {
	c := a.config.WithDefaults()
	a.sandbox, err = sandbox.Open(sandbox.Options{Dir: filepath.Join(c.Data, datadir.Sandbox), Now: a.now, Log: a.log})
	if err != nil {
		return err
	}
	client := ads.Options{Timeout: c.AdsTimeout, Clock: ads.RealClock(a.now), Jitter: rand.Float64} //nolint:forbidigo // random jitter spreads retries
	platforms := connect.Options{Client: client}
	for _, each := range []struct {
		url  string
		into *ads.Endpoint
	}{
		{c.AdsFacebookURL, &platforms.Endpoints.Facebook},
		{c.AdsGoogleURL, &platforms.Endpoints.Google},
		{c.AdsGoogleTokenURL, &platforms.Endpoints.GoogleToken},
		{c.AdsTikTokURL, &platforms.Endpoints.TikTok},
	} {
		if *each.into, err = ads.ParseEndpoint(each.url); err != nil {
			return err
		}
	}
	a.accounts = accounts.New(accounts.Options{
		Store: a.control.Store, Unseal: a.control.Installation.Unseal, Now: a.now, Log: a.log,
		Platforms: platforms, Sandbox: a.sandbox.Options(client),
	})
	return nil
}

// Connections are tested every day, so that an expired token is reported before it is needed.
const (
	testEvery = 24 * time.Hour
	lookEvery = time.Hour // interval between checks for connections that are due for a test
)

// watchConnections tests each connection again when its last test is too old, until ctx ends.
func (a *App) watchConnections(ctx context.Context) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		all, err := a.control.Store.Workspaces(ctx)
		if err == nil {
			for _, w := range all {
				err = errors.Join(err, a.accounts.TestOlder(ctx, w.ID, a.now().Add(-testEvery)))
			}
		}
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "connections to ad platforms cannot be tested", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
