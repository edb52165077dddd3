package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/internal/civil"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// adRegion is the only region of the ad reports. A small store has no reports by region, unlike the demo store.
const adRegion = "NY"

// now is the real clock. The measured service also uses the real clock. Its default calls read the days before today.
var now = time.Now //nolint:forbidigo // no other clock reaches another process

// store is a workspace with a key.
type store struct {
	ID  measure.WorkspaceID
	Key string
}

// prepare creates the workspaces unless the folder already contains them.
func prepare(ctx context.Context, o settings) ([]store, error) {
	list := filepath.Join(o.folder, "stores.json")
	text, err := os.ReadFile(list)
	if err == nil {
		var stores []store
		return stores, json.Unmarshal(text, &stores)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	stores := make([]store, o.stores)
	for i := range stores {
		stores[i].ID = measure.WorkspaceID(fmt.Sprintf("store-%04d", i))
	}
	data := filepath.Join(o.folder, "data")
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(2)
	for i := range stores {
		group.Go(func() (err error) {
			stores[i].Key, err = create(inner, o, data, stores[i].ID)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := fill(ctx, o, data, stores); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(stores); err != nil {
		return nil, err
	}
	return stores, os.WriteFile(list, text, 0o600)
}

// create creates a workspace and a key.
func create(ctx context.Context, o settings, data string, id measure.WorkspaceID) (key string, err error) {
	assay := func(args ...string) ([]byte, error) {
		out, err := exec.CommandContext(ctx, o.assay, append(args, "--data", data)...).Output() //nolint:gosec // the given program
		if err != nil {
			return nil, fmt.Errorf("assay %s: %w", args[0], err)
		}
		return out, nil
	}
	if _, err := assay("workspace", "create", string(id), "--currency", string(demo.StoreCurrency), "--timezone", demo.StoreZone); err != nil {
		return "", err
	}
	out, err := assay("keys", "create", "--workspace", string(id), "--name", "bench", "--json")
	if err != nil {
		return "", err
	}
	var made struct{ Key string }
	err = json.Unmarshal(out, &made)
	return made.Key, err
}

// fill imports a demo store into each workspace.
func fill(ctx context.Context, o settings, data string, stores []store) (err error) {
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		return err
	}
	today := civil.DayOf(now(), zone)
	engine, err := duckdb.Open(ctx, duckdb.Options{Dir: filepath.Join(data, "facts"), Clock: now, MaxAttached: 8})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	facts := warehouse.New(engine)
	for i, s := range stores {
		load, err := facts.Begin(ctx, warehouse.ImportSpec{Workspace: s.ID, Source: "demo", Base: demo.StoreCurrency})
		if err != nil {
			return err
		}
		options := demo.Options{
			Seed: uint64(i) + 1, Days: o.days, Orders: o.orders, Today: today, Zone: zone, Currency: demo.StoreCurrency,
			HashKey: []byte("the key of the benchmark's customers"),
		}
		_, err = demo.Generate(options, func(b *warehouse.Batch) error {
			b.AdDays = slices.DeleteFunc(b.AdDays, func(d warehouse.AdDay) bool { return d.Region != adRegion })
			return load.Add(ctx, b)
		})
		if err == nil {
			_, err = load.Commit(ctx)
		}
		load.Abort()
		if err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
	}
	return nil
}
