package accounts_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"assay/internal/accounts"
	"assay/internal/ads"
	"assay/internal/ads/connect"
	"assay/internal/ads/sandbox"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

const workspace = measure.WorkspaceID("acme")

// records is a store in memory with one connection.
type records struct {
	mu sync.Mutex
	control.Connection
}

func (s *records) Connections(context.Context, measure.WorkspaceID) ([]control.Connection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []control.Connection{s.Connection}, nil
}

func (s *records) SetConnectionState(_ context.Context, c control.Connection) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ConnectionState = c.ConnectionState
	return nil
}

// connected returns a registry on a store with one connection, to a simulated account of Meta.
func connected(t *testing.T) (*accounts.Registry, *records) {
	t.Helper()
	s, err := sandbox.Open(sandbox.Options{Dir: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := s.Create(sandbox.Account{
		Platform: measure.Facebook, ID: "77", Name: "Acme US", Currency: "USD", Zone: "America/New_York",
		Campaigns: []sandbox.Campaign{{ID: "1801", Name: "Prospecting", Daily: money.Amount{Minor: 5000, Currency: "USD"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	store := &records{Connection: control.Connection{
		Workspace: workspace, Platform: measure.Facebook, Account: "77", Sealed: []byte(credentials), Sandbox: true,
		ConnectionState: control.ConnectionState{Status: control.ConnectionUntested},
	}}
	client := ads.Options{Timeout: time.Minute, Clock: ads.RealClock(time.Now), Jitter: func() float64 { return 0 }}
	registry := accounts.New(accounts.Options{
		Store: store, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Unseal: func(_ measure.WorkspaceID, sealed []byte) (string, error) {
			if sealed[0] != '{' {
				return "", fault.New(fault.KindMisconfigured, "the secret cannot be decrypted").WithHint("add it again")
			}
			return string(sealed), nil
		},
		Sandbox: s.Options(client), Platforms: connect.Options{Client: client},
	})
	return registry, store
}

func TestATestStoresWhatItFinds(t *testing.T) {
	t.Parallel()
	registry, store := connected(t)
	all, err := registry.Test(t.Context(), workspace, measure.Facebook)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if got := store.ConnectionState; got.Status != control.ConnectionOK || got.Name != "Acme US" || got.Currency != "USD" || got.TestedAt.IsZero() {
		t.Errorf("state %+v", got)
	}
	if all, err := registry.Test(t.Context(), workspace, measure.TikTok); len(all) != 0 || err != nil {
		t.Errorf("connections of another platform: %+v, %v", all, err)
	}
}

func TestOldTestsAreRepeated(t *testing.T) {
	t.Parallel()
	registry, store := connected(t)
	tested := time.Now().Add(-time.Hour)
	store.Status, store.TestedAt = control.ConnectionOK, tested
	if err := registry.TestOlder(t.Context(), workspace, tested.Add(-time.Second)); err != nil || store.TestedAt != tested {
		t.Errorf("a recent test was repeated at %v, %v", store.TestedAt, err)
	}
	if err := registry.TestOlder(t.Context(), workspace, tested); err != nil || store.TestedAt.Equal(tested) {
		t.Errorf("an old test was not repeated, %v", err)
	}
}

// If credentials cannot be decrypted, the connection gets the status error, and the account is not offered for changes.
func TestAConnectionOfAnotherInstallationDoesNotWork(t *testing.T) {
	t.Parallel()
	registry, store := connected(t)
	store.Sealed = []byte{1, 2}
	if all, err := registry.Of(t.Context(), workspace, measure.Facebook); len(all) != 0 || err != nil {
		t.Errorf("%d accounts, %v", len(all), err)
	}
	if store.Status != control.ConnectionError || store.Hint == "" {
		t.Errorf("state %+v", store.ConnectionState)
	}
}

// A client stays open until its credentials change or the connection is removed.
func TestAClientIsReused(t *testing.T) {
	t.Parallel()
	registry, store := connected(t)
	get := func() ads.Platform {
		t.Helper()
		all, err := registry.Of(t.Context(), workspace, measure.Facebook)
		if err != nil || len(all) != 1 {
			t.Fatalf("%d accounts, %v", len(all), err)
		}
		return all[0]
	}
	first := get()
	if get() != first {
		t.Error("a second client was opened")
	}
	store.Sealed = append([]byte{}, `{"account_id":"77","access_token":"another"}`...)
	second := get()
	if second == first {
		t.Error("the client has the earlier credentials")
	}
	registry.Forget(workspace, second.Account())
	if get() == second {
		t.Error("the client of a removed connection is used")
	}
}

// If the platform rejects a token in use, the connection gets the status error without a test. Other failures do not
// change the status.
func TestARejectedTokenIsNoted(t *testing.T) {
	t.Parallel()
	registry, store := connected(t)
	store.Status, store.Name = control.ConnectionOK, "Acme US"
	all, err := registry.Of(t.Context(), workspace, measure.Facebook)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all[0].Read(t.Context(), "999"); ads.ReasonOf(err) != ads.CampaignNotFound || store.Status != control.ConnectionOK {
		t.Errorf("an unknown campaign: %v, status %s", err, store.Status)
	}
	store.Sealed = []byte(`{"account_id":"77","access_token":"expired"}`)
	if all, err = registry.Of(t.Context(), workspace, measure.Facebook); err != nil {
		t.Fatal(err)
	}
	_, err = all[0].Read(t.Context(), "1801")
	if rejected, ok := errors.AsType[*ads.Rejection](err); !ok || store.Status != control.ConnectionError || store.Name != "Acme US" {
		t.Errorf("%v, state %+v", rejected, store.ConnectionState)
	}
}
