package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

const (
	demoWorkspace = measure.WorkspaceID("demo")
	demoFile      = "demo.json"
	truthFile     = "truth.json"
	demoEmail     = "owner@demo.example"
	demoActor     = "assay demo"
)

// demoHashKey hashes the demo's invented customers. It is the same everywhere, so that the same options make the
// same bytes.
const demoHashKey = "invented customers need no secret"

// DemoOptions say which store a demo has.
type DemoOptions struct {
	Store    DemoStore
	Reset    bool                    // make it anew, also where there is one
	Progress func(done, total int64) // orders so far; may be nil
}

// DemoAccess is how to reach a demo. It is what demo.json holds.
type DemoAccess struct {
	BaseURL   string              `json:"base_url"`
	RPCURL    string              `json:"rpc_url"`
	Workspace measure.WorkspaceID `json:"workspace"`
	APIKey    string              `json:"api_key"`  // all scopes
	ReadKey   string              `json:"read_key"` // measurement.read
	Email     string              `json:"email"`
	Password  string              `json:"password"`
	Today     civil.Date          `json:"today"`
	Title     string              `json:"-"`
	TruthFile string              `json:"-"`
}

// Demo is an open demo store.
type Demo struct {
	dataDir string
	access  DemoAccess
}

// OpenDemo opens a data directory and makes the demo store in it where there is none. An interrupted attempt is
// started over. The facts, the truth and the keys stay as they are when the store exists.
func OpenDemo(ctx context.Context, c config.Config, o DemoOptions, log *slog.Logger, now func() time.Time) (*App, *Demo, error) {
	a, err := Open(ctx, c, log, now)
	if err != nil {
		return nil, nil, err
	}
	d, err := a.openDemo(ctx, o)
	if err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	return a, d, nil
}

func (a *App) openDemo(ctx context.Context, o DemoOptions) (*Demo, error) {
	made, begun, err := readDemoStore(a.config.Data)
	if err != nil {
		return nil, err
	}
	if !made.Whole || o.Reset {
		if made, err = a.makeDemo(ctx, o, begun); err != nil {
			return nil, err
		}
		if err := a.setClock(); err != nil { // answers go by the new store's day
			return nil, err
		}
	}
	access, err := a.demoAccess(ctx, made)
	return &Demo{dataDir: a.config.Data, access: access}, err
}

// makeDemo generates the store, in place of an earlier one or of what an interrupted attempt left. That the store
// is whole is written last.
func (a *App) makeDemo(ctx context.Context, o DemoOptions, begun bool) (DemoStore, error) {
	made := o.Store
	made.Frozen = !made.Today.IsZero()
	made.Today = made.Today.Or(civil.DayOf(a.now(), demoZone()))
	by := control.By{Actor: demoActor, At: a.now()}
	_, err := a.control.Store.Workspace(ctx, demoWorkspace)
	exists := err == nil
	if exists && !begun {
		return made, fault.Conflict("workspace %q in %s was not made by the demo", demoWorkspace, a.config.Data).
			WithHint("pass another --data")
	}
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return made, err
	}
	if err := writeJSON(filepath.Join(a.config.Data, demoStoreFile), made); err != nil {
		return made, err
	}
	if err := a.dropFacts(ctx, demoWorkspace); err != nil {
		return made, err
	}
	if exists {
		if err := a.control.Store.DeleteWorkspace(ctx, demoWorkspace, by); err != nil {
			return made, err
		}
	}
	workspace := control.NewWorkspace(demo.StoreName)
	workspace.ID, workspace.Currency, workspace.Zone = demoWorkspace, demo.StoreCurrency, demo.StoreZone
	if _, err := a.control.Store.CreateWorkspace(ctx, workspace, by); err != nil {
		return made, err
	}
	truth, err := a.generate(ctx, made, o.Progress)
	if err != nil {
		return made, fmt.Errorf("demo store: %w", err)
	}
	for _, e := range demo.Experiments(truth) {
		e.Workspace = demoWorkspace
		if _, err := a.control.Store.CreateExperiment(ctx, e, by); err != nil {
			return made, err
		}
	}
	if err := writeJSON(filepath.Join(a.config.Data, truthFile), truth); err != nil {
		return made, err
	}
	made.Whole = true
	return made, writeJSON(filepath.Join(a.config.Data, demoStoreFile), made)
}

func (a *App) generate(ctx context.Context, made DemoStore, progress func(done, total int64)) (demo.Truth, error) {
	load, err := a.facts.Begin(ctx, warehouse.ImportSpec{Workspace: demoWorkspace, Source: "demo", Base: demo.StoreCurrency, Zone: demoZone()})
	if err != nil {
		return demo.Truth{}, err
	}
	defer load.Abort()
	var orders int64
	truth, err := demo.Generate(demo.Options{
		Seed: made.Seed, Days: made.Days, Orders: made.Orders, Today: made.Today,
		Zone: demoZone(), Currency: demo.StoreCurrency, HashKey: []byte(demoHashKey),
	}, func(b *warehouse.Batch) error {
		orders += int64(len(b.Orders))
		if progress != nil {
			progress(orders, int64(made.Orders))
		}
		return load.Add(ctx, b)
	})
	if err != nil {
		return demo.Truth{}, err
	}
	_, err = load.Commit(ctx)
	return truth, err
}

// demoAccess returns the demo's keys: those of an earlier start while they are valid, else new ones.
func (a *App) demoAccess(ctx context.Context, made DemoStore) (DemoAccess, error) {
	access := DemoAccess{Email: demoEmail, Password: rand.Text()}
	text, err := os.ReadFile(filepath.Join(a.config.Data, demoFile))
	if err == nil {
		err = json.Unmarshal(text, &access)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return access, fmt.Errorf("%s: %w", demoFile, err)
	}
	access.Workspace, access.Today = demoWorkspace, made.Today
	if err := a.keepSigningSecret(); err != nil {
		return access, err
	}
	if err := a.keepOwner(ctx, access); err != nil {
		return access, fmt.Errorf("demo's owner: %w", err)
	}
	access.Title = demo.StoreName
	access.TruthFile = filepath.Join(a.config.Data, truthFile)
	if access.APIKey, err = a.keepKey(ctx, access.APIKey, "demo", control.Scopes()); err != nil {
		return access, err
	}
	access.ReadKey, err = a.keepKey(ctx, access.ReadKey, "demo, read only", []control.Scope{control.ScopeRead})
	return access, err
}

// keepOwner makes the account that demo.json names, where it does not exist.
func (a *App) keepOwner(ctx context.Context, access DemoAccess) error {
	accounts := a.control.People
	owner, err := accounts.Find(ctx, access.Email)
	if fault.KindOf(err) == fault.KindNotFound {
		owner, err = accounts.Create(ctx, access.Email, access.Password, demoActor)
	}
	if err != nil {
		return err
	}
	return accounts.SetRole(ctx, owner.ID, demoWorkspace, control.RoleOwner, demoActor)
}

func (a *App) keepKey(ctx context.Context, key, name string, scopes []control.Scope) (string, error) {
	if key != "" {
		_, err := a.control.Keys.Authenticate(ctx, key)
		if err == nil || fault.KindOf(err) != fault.KindUnauthenticated {
			return key, err
		}
	}
	secret, _, err := a.control.Keys.Create(ctx, auth.NewKey{Workspace: demoWorkspace, Name: name, Scopes: scopes, NoExpiry: true}, demoActor)
	return string(secret), err
}

// Announce writes demo.json for the address that is served and returns what it holds.
func (d *Demo) Announce(baseURL string) (DemoAccess, error) {
	d.access.BaseURL, d.access.RPCURL = baseURL, baseURL+"/api/mcp/rpc"
	return d.access, writeJSON(filepath.Join(d.dataDir, demoFile), d.access)
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := writeFile(path, append(text, '\n')); err != nil {
		return fault.Unavailable("%s cannot be written", path).Wrap(err)
	}
	return nil
}
