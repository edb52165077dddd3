package demostore

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/ads/sandbox"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

var (
	noon  = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	small = Store{Seed: 1, Days: 40, Orders: 200, Today: civil.New(2026, 3, 10)}
)

// directory opens the stores of an empty data directory.
func directory(t *testing.T) Directory {
	t.Helper()
	path := t.TempDir()
	now := func() time.Time { return noon }
	log := slog.New(slog.DiscardHandler)
	site := consoletest.New(t)
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: filepath.Join(path, "facts"), Log: log, Clock: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close(context.Background()) })
	accounts, err := sandbox.Open(sandbox.Options{Dir: filepath.Join(path, "sandbox"), Now: now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return Directory{
		Path: path, Facts: warehouse.New(engine), Sandbox: accounts, Drop: engine.Drop,
		Control: operation.Control{
			Store: site.Store, Installation: auth.NewInstallation(make([]byte, 32)), Now: now, Log: log, AccessEnded: func() {}, Keys: site.Keys, People: site.People,
		},
	}
}

// opened opens the demo store and writes its credentials.
func opened(t *testing.T, dir Directory, o Options) Access {
	t.Helper()
	d, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	access, err := d.Announce("http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	return access
}

// file returns the content of a file of the data directory.
func (a Directory) file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(a.Path, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// check compares the store and its credentials with the complete demo store.
func (a Directory) check(t *testing.T, what string, access Access) {
	t.Helper()
	ctx := t.Context()
	made, ok, err := Read(a.Path)
	want := small
	want.Frozen, want.Whole = true, true
	if err != nil || !ok || made != want {
		t.Errorf("%s: %+v, %t, %v; want %+v", what, made, ok, err, want)
	}
	w, err := a.Control.Store.Workspace(ctx, Workspace)
	if err != nil || w.Name != demo.StoreName || w.Currency != demo.StoreCurrency || w.Zone != demo.StoreZone || len(w.Costs) != len(costs()) {
		t.Errorf("%s: workspace %+v, %v", what, w, err)
	}
	for key, scopes := range map[string][]control.Scope{access.APIKey: control.Scopes(), access.ReadKey: {control.ScopeRead}} {
		p, err := a.Control.Keys.Authenticate(ctx, key)
		if err != nil || p.Workspace.ID != Workspace || !slices.Equal(p.Scopes, scopes) {
			t.Errorf("%s: a key has the scopes %q, %v; want %q", what, p.Scopes, err, scopes)
		}
	}
	owner, err := a.Control.People.Find(ctx, access.Email)
	if err != nil {
		t.Fatal(err)
	}
	if roles, err := a.Control.Store.Memberships(ctx, owner.ID); err != nil || len(roles) != 1 || roles[0].Workspace.ID != Workspace || roles[0].Role != control.RoleOwner {
		t.Errorf("%s: the owner has the roles %+v, %v", what, roles, err)
	}
	if access.BaseURL != "http://127.0.0.1:8080" || access.RPCURL != access.BaseURL+"/api/mcp/rpc" || access.Workspace != Workspace || access.Today != small.Today ||
		access.Title != demo.StoreName || access.TruthFile != filepath.Join(a.Path, datadir.Truth) || access.Email != email || len(access.Password) < 20 {
		t.Errorf("%s: %+v", what, access)
	}
	connections, err := a.Control.Store.Connections(ctx, Workspace)
	var platforms []measure.Platform
	for _, c := range connections {
		platforms = append(platforms, c.Platform)
		if !c.Sandbox || c.Account == "" || strings.Trim(c.Account, "0123456789") != "" || !a.Sandbox.Has(c.Platform) {
			t.Errorf("%s: connection %+v", what, c)
		}
	}
	slices.Sort(platforms)
	if all := slices.Sorted(slices.Values(sandbox.Platforms())); err != nil || !slices.Equal(platforms, all) {
		t.Errorf("%s: connections of %q, %v; want %q", what, platforms, err, all)
	}
	if secret := a.file(t, datadir.OAuthSecret); len(secret) != 53 || !strings.HasSuffix(secret, "\n") {
		t.Errorf("%s: the signing secret has %d bytes", what, len(secret))
	}
}

// The store is generated if an earlier attempt was interrupted. After that, it is generated only on request.
func TestADemoStoreKeepsItsFactsAndKeys(t *testing.T) {
	t.Parallel()
	dir := directory(t)
	workspace := control.NewWorkspace("half")
	workspace.ID = Workspace
	if _, err := dir.Control.Store.CreateWorkspace(t.Context(), workspace, control.By{Actor: Actor, At: noon}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, Options{Store: small}); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a workspace of the same name: %v, want a conflict", err)
	}
	if err := datadir.WriteJSON(filepath.Join(dir.Path, datadir.DemoStore), Store{Seed: 7, Today: small.Today}); err != nil {
		t.Fatal(err)
	}
	var done []int64
	first := opened(t, dir, Options{Store: small, Progress: func(orders, total int64) {
		if done = append(done, orders); total != int64(small.Orders) || orders > total {
			t.Errorf("%d of %d orders are done", orders, total)
		}
	}})
	dir.check(t, "a new store", first)
	coverage, err := dir.Facts.Coverage(t.Context(), Workspace)
	if err != nil || coverage.Orders < 150 || coverage.OrderDays.Last.Before(small.Today.AddDays(-1)) || coverage.OrderDays.Days() > small.Days+1 {
		t.Errorf("%d orders from %s, %v", coverage.Orders, coverage.OrderDays, err)
	}
	if len(done) == 0 || done[len(done)-1] != int64(small.Orders) {
		t.Errorf("progress %v, want %d at last", done, small.Orders)
	}
	truth, secret := dir.file(t, datadir.Truth), dir.file(t, datadir.OAuthSecret)
	again := opened(t, dir, Options{Store: Store{Seed: 2, Days: 5, Orders: 9}, Progress: func(int64, int64) { t.Error("a complete store is generated again") }})
	dir.check(t, "the store at the next start", again)
	if again != first || dir.file(t, datadir.Truth) != truth || dir.file(t, datadir.OAuthSecret) != secret {
		t.Errorf("the next start has %+v, want %+v", again, first)
	}

	keys, err := dir.Control.Keys.List(t.Context(), Workspace)
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	for _, k := range keys {
		if len(k.Scopes) == 1 {
			if _, err := dir.Control.Keys.Revoke(t.Context(), k.ID, "test"); err != nil {
				t.Fatal(err)
			}
		}
	}
	revoked := opened(t, dir, Options{Store: small})
	dir.check(t, "the store after a key was revoked", revoked)
	if revoked.APIKey != first.APIKey || revoked.ReadKey == first.ReadKey || revoked.Password != first.Password {
		t.Errorf("after a key was revoked: %+v, want only another read key than in %+v", revoked, first)
	}

	dir.Control.Keys = auth.NewKeys(auth.KeysOptions{Store: dir.Control.Store, Installation: dir.Control.Installation, Now: dir.Control.Now}) // without its cache
	reset := opened(t, dir, Options{Store: small, Reset: true})
	if reset.APIKey == first.APIKey || reset.ReadKey == revoked.ReadKey {
		t.Error("a store that is generated again has the old keys")
	}
	if made, _, err := Read(dir.Path); err != nil || !made.Whole {
		t.Errorf("a store that is generated again: %+v, %v", made, err)
	}
	if dir.file(t, datadir.Truth) != truth || dir.file(t, datadir.OAuthSecret) != secret {
		t.Error("equal options give another store, or the signing secret has changed")
	}
}

// Without ad reports, a simulated account would have no campaigns.
func TestAVeryShortStoreHasNoAdAccounts(t *testing.T) {
	t.Parallel()
	dir := directory(t)
	workspace := control.NewWorkspace("empty")
	workspace.ID = Workspace
	if _, err := dir.Control.Store.CreateWorkspace(t.Context(), workspace, control.By{Actor: Actor, At: noon}); err != nil {
		t.Fatal(err)
	}
	if err := dir.connect(t.Context(), small); err != nil {
		t.Fatal(err)
	}
	connections, err := dir.Control.Store.Connections(t.Context(), Workspace)
	if err != nil || len(connections) != 0 || slices.ContainsFunc(sandbox.Platforms(), dir.Sandbox.Has) {
		t.Errorf("connections %+v, %v; want none", connections, err)
	}
}

func TestDamagedFilesOfADemoStoreAreReported(t *testing.T) {
	t.Parallel()
	dir := directory(t)
	for _, name := range []string{datadir.DemoStore, datadir.Demo} {
		path := filepath.Join(dir.Path, name)
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := dir.access(t.Context(), small)
		if name == datadir.DemoStore {
			_, err = Open(t.Context(), dir, Options{Store: small})
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is damaged: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheClockOfAFrozenDemoStoreStops(t *testing.T) {
	t.Parallel()
	real := func() time.Time { return noon.Add(time.Hour) }
	for name, c := range map[string]struct {
		text string // "": no file
		want time.Time
		ok   bool
	}{
		"no demo store":     {"", real(), false},
		"a running clock":   {`{"seed":3,"today":"2026-01-05","whole":true}`, real(), true},
		"an incomplete one": {`{"seed":3,"today":"2026-01-05","frozen":true}`, real(), true},
		"a frozen clock":    {`{"seed":3,"today":"2026-01-05","frozen":true,"whole":true}`, time.Date(2026, 1, 5, 17, 0, 0, 0, time.UTC), true},
	} {
		dir := t.TempDir()
		if c.text != "" {
			if err := os.WriteFile(filepath.Join(dir, datadir.DemoStore), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		made, ok, err := Read(dir)
		if err != nil || ok != c.ok || ok && (made.Seed != 3 || made.Today != civil.New(2026, 1, 5)) {
			t.Errorf("%s: %+v, %t, %v", name, made, ok, err)
		}
		clock, err := Clock(dir, real)
		if err != nil || !clock().Equal(c.want) {
			t.Errorf("%s: %s, %v; want %s", name, clock(), err, c.want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, datadir.DemoStore), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := Read(dir); ok || err == nil || !strings.Contains(err.Error(), datadir.DemoStore) {
		t.Errorf("a damaged description: %t, %v", ok, err)
	}
	if clock, err := Clock(dir, real); err == nil || !clock().Equal(real()) {
		t.Errorf("a damaged description: %v", err)
	}
}

func TestBudgetsOfSimulatedCampaigns(t *testing.T) {
	t.Parallel()
	for mean, want := range map[int64]int64{0: 2500, 1999: 2500, 2499: 2500, 2500: 3000, 2999: 3000, 3000: 3500, 12_345: 12_500} {
		if got := budget(mean); got.Minor != want || got.Currency != demo.StoreCurrency {
			t.Errorf("a mean spend of %d has the budget %+v, want %d", mean, got, want)
		}
	}
	for account, want := range map[string]string{"": "", "123-456-7890": "1234567890", "act_0": "0", "x": ""} {
		if got := digits(account); got != want {
			t.Errorf("the digits of %q are %q, want %q", account, got, want)
		}
	}
}
