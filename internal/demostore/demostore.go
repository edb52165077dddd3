// Package demostore creates the demo store of `assay demo` in a data directory: simulated facts, past experiments, an
// account and keys. The simulator is in ingest/demo.
package demostore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"assay/internal/ads/sandbox"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/warehouse"
)

// The demo store's workspace and the actor that creates it.
const (
	Workspace = measure.WorkspaceID("demo")
	Actor     = "assay demo"
)

// email is the address of the demo's owner.
const email = "owner@demo.example"

// hashKey hashes the demo's simulated customers. It is constant, so equal options give stores with equal bytes.
const hashKey = "invented customers need no secret"

// Options describe the store to create.
type Options struct {
	Store    Store
	Reset    bool                    // generate the store again if it exists
	Progress func(done, total int64) // receives the number of orders so far; may be nil
}

// Directory is the opened data directory in which the demo store is created.
type Directory struct {
	Path    string
	Control operation.Control
	Facts   *warehouse.Warehouse
	Sandbox *sandbox.Sandbox
	// Drop removes a workspace's facts.
	Drop func(ctx context.Context, ws measure.WorkspaceID) error
}

// Access is the content of demo.json: the address and credentials of a demo.
type Access struct {
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
	access  Access
}

// Open returns the demo store of a data directory. It generates the store if there is none, if an earlier attempt was
// interrupted, or on request. A complete store keeps its facts, true effects and keys.
func Open(ctx context.Context, dir Directory, o Options) (*Demo, error) {
	made, begun, err := Read(dir.Path)
	if err != nil {
		return nil, err
	}
	if !made.Whole || o.Reset {
		if made, err = dir.create(ctx, o, begun); err != nil {
			return nil, err
		}
	}
	if err := dir.connect(ctx, made); err != nil {
		return nil, fmt.Errorf("demo's ad accounts: %w", err)
	}
	access, err := dir.access(ctx, made)
	return &Demo{dataDir: dir.Path, access: access}, err
}

// create generates the store and replaces an earlier or incomplete store. Its last step marks the new store as
// complete.
func (a Directory) create(ctx context.Context, o Options, begun bool) (Store, error) {
	made := o.Store
	made.Frozen = !made.Today.IsZero()
	made.Today = made.Today.Or(civil.DayOf(a.Control.Now(), demoZone()))
	by := control.By{Actor: Actor, At: a.Control.Now()}
	_, err := a.Control.Store.Workspace(ctx, Workspace)
	exists := err == nil
	if exists && !begun {
		return made, fault.Conflict("workspace %q in %s was not created by the demo", Workspace, a.Path).
			WithHint("pass another --data")
	}
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return made, err
	}
	if err := datadir.WriteJSON(filepath.Join(a.Path, datadir.DemoStore), made); err != nil {
		return made, err
	}
	if err := a.Drop(ctx, Workspace); err != nil {
		return made, err
	}
	if exists {
		if err := a.Control.Store.DeleteWorkspace(ctx, Workspace, by); err != nil {
			return made, err
		}
	}
	workspace := control.NewWorkspace(demo.StoreName)
	workspace.ID, workspace.Currency, workspace.Zone = Workspace, demo.StoreCurrency, demo.StoreZone
	if _, err := a.Control.Store.CreateWorkspace(ctx, workspace, by); err != nil {
		return made, err
	}
	for _, cost := range costs() {
		if _, err := a.Control.Store.SetCost(ctx, Workspace, cost, by); err != nil {
			return made, err
		}
	}
	truth, err := a.generate(ctx, made, o.Progress)
	if err != nil {
		return made, fmt.Errorf("demo store: %w", err)
	}
	for _, e := range demo.Experiments(truth) {
		e.Workspace = Workspace
		if _, err := a.Control.Store.CreateExperiment(ctx, e, by); err != nil {
			return made, err
		}
	}
	if err := datadir.WriteJSON(filepath.Join(a.Path, datadir.Truth), truth); err != nil {
		return made, err
	}
	made.Whole = true
	return made, datadir.WriteJSON(filepath.Join(a.Path, datadir.DemoStore), made)
}

func (a Directory) generate(ctx context.Context, made Store, progress func(done, total int64)) (demo.Truth, error) {
	load, err := a.Facts.Begin(ctx, warehouse.ImportSpec{Workspace: Workspace, Source: "demo", Base: demo.StoreCurrency, Zone: demoZone()})
	if err != nil {
		return demo.Truth{}, err
	}
	defer load.Abort()
	var orders int64
	truth, err := demo.Generate(demo.Options{
		Seed: made.Seed, Days: made.Days, Orders: made.Orders, Today: made.Today, Future: made.Future,
		Zone: demoZone(), Currency: demo.StoreCurrency, HashKey: []byte(hashKey),
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

// access returns the demo's credentials. It creates new credentials unless the credentials of an earlier start are
// still valid.
func (a Directory) access(ctx context.Context, made Store) (Access, error) {
	access := Access{Email: email, Password: rand.Text()}
	text, err := os.ReadFile(filepath.Join(a.Path, datadir.Demo))
	if err == nil {
		err = json.Unmarshal(text, &access)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return access, fmt.Errorf("%s: %w", datadir.Demo, err)
	}
	access.Workspace, access.Today = Workspace, made.Today
	if err := a.keepSigningSecret(); err != nil {
		return access, err
	}
	if err := a.keepOwner(ctx, access); err != nil {
		return access, fmt.Errorf("demo's owner: %w", err)
	}
	access.Title = demo.StoreName
	access.TruthFile = filepath.Join(a.Path, datadir.Truth)
	if access.APIKey, err = a.keepKey(ctx, access.APIKey, "demo", control.Scopes()); err != nil {
		return access, err
	}
	access.ReadKey, err = a.keepKey(ctx, access.ReadKey, "demo, read only", []control.Scope{control.ScopeRead})
	return access, err
}

// keepOwner creates the account that demo.json names, unless the account exists. It makes the account an owner of the
// workspace.
func (a Directory) keepOwner(ctx context.Context, access Access) error {
	accounts := a.Control.People
	owner, err := accounts.Find(ctx, access.Email)
	if fault.KindOf(err) == fault.KindNotFound {
		owner, err = accounts.Create(ctx, access.Email, access.Password, Actor)
	}
	if err != nil {
		return err
	}
	return accounts.SetRole(ctx, owner.ID, Workspace, control.RoleOwner, Actor)
}

func (a Directory) keepKey(ctx context.Context, key, name string, scopes []control.Scope) (string, error) {
	if key != "" {
		_, err := a.Control.Keys.Authenticate(ctx, key)
		if err == nil || fault.KindOf(err) != fault.KindUnauthenticated {
			return key, err
		}
	}
	secret, _, err := a.Control.Keys.Create(ctx, auth.NewKey{Workspace: Workspace, Name: name, Scopes: scopes, NoExpiry: true}, Actor)
	return string(secret), err
}

// Announce writes demo.json with the URLs of the service and returns the content of demo.json.
func (d *Demo) Announce(baseURL string) (Access, error) {
	d.access.BaseURL, d.access.RPCURL = baseURL, baseURL+"/api/mcp/rpc"
	return d.access, datadir.WriteJSON(filepath.Join(d.dataDir, datadir.Demo), d.access)
}

// keepSigningSecret creates the signing secret if the demo has none.
func (a Directory) keepSigningSecret() error {
	path := filepath.Join(a.Path, datadir.OAuthSecret)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := datadir.WriteFile(path, []byte(rand.Text()+rand.Text()+"\n")); err != nil {
		return fmt.Errorf("%s: %w", datadir.OAuthSecret, err)
	}
	return nil
}
