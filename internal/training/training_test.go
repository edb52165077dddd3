package training

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/ingest/demo"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/tools"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// demoShop is a store from the demo generator in a real warehouse, with its geo experiments.
type demoShop struct {
	*testing.T
	facts     *warehouse.Warehouse
	control   *sqlstore.Store
	workspace control.Workspace
	truth     demo.Truth
	kept      experiments
	today     civil.Date
}

func newDemoShop(t *testing.T, seed uint64, orders int) *demoShop {
	t.Helper()
	if os.Getenv("ASSAY_NIGHTLY") != "1" {
		t.Skip("a demo store and its model take a minute; ASSAY_NIGHTLY=1 runs it")
	}
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		t.Fatal(err)
	}
	w := control.NewWorkspace("W")
	w.Currency, w.Zone = demo.StoreCurrency, demo.StoreZone
	s := &demoShop{T: t, today: civil.MustParse("2026-11-20")}
	s.control, s.workspace = newControl(t, filepath.Join(t.TempDir(), "control.db"), w)
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	s.facts = warehouse.New(engine)
	t.Cleanup(func() { _ = engine.Close(context.Background()) })
	load, err := s.facts.Begin(t.Context(), warehouse.ImportSpec{Workspace: "w", Source: "demo", Base: demo.StoreCurrency})
	if err != nil {
		t.Fatal(err)
	}
	s.truth, err = demo.Generate(demo.Options{
		Seed: seed, Days: 730, Orders: orders, Today: s.today, Zone: zone, Currency: demo.StoreCurrency, HashKey: []byte("k"),
	}, func(b *warehouse.Batch) error { return load.Add(t.Context(), b) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := load.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.kept.all = demo.Experiments(s.truth)
	return s
}

func (s *demoShop) keeper() *Keeper {
	return New(Options{
		Store: s.control, Facts: s.facts, Experiments: &s.kept, Now: time.Now,
		Today: func(control.Workspace) civil.Date { return s.today }, Log: slog.New(slog.DiscardHandler),
	})
}

// TestTheDemosTruthLiesInsideTheIntervals trains a model of the demo store with its geo experiments, as the commands
// do. It stores the model, reads it and calls a tool. One of eight 90% intervals may miss the true value. The seed
// determines which interval misses.
func TestTheDemosTruthLiesInsideTheIntervals(t *testing.T) {
	t.Parallel()
	s := newDemoShop(t, 7, 8000)
	w := s.workspace
	k := s.keeper()
	if have, err := k.MMM(t.Context(), w); err != nil || have.Model != nil {
		t.Fatalf("before a training: %v, %v; want no model", have, err)
	}
	if _, err := k.Train(t.Context(), w, mix.Request{}); err != nil {
		t.Fatal(err)
	}
	k = s.keeper()
	have, err := k.MMM(t.Context(), w)
	if err != nil || have.Model == nil || have.Model.Status != mix.Active {
		t.Fatalf("after a training: %+v, %v; want an active model", have.Model, err)
	}
	inside := 0
	for _, e := range have.Model.Effects {
		if planted := s.truth.Channels[e.Channel].ROAS; e.ROAS.Q05 <= planted && planted <= e.ROAS.Q95 {
			inside++
		} else {
			t.Logf("%s: %.2f to %.2f, planted %.2f", e.Channel, e.ROAS.Q05, e.ROAS.Q95, planted)
		}
	}
	if inside < len(s.truth.Channels)-1 {
		t.Errorf("%d of %d planted returns are inside their intervals", inside, len(s.truth.Channels))
	}
	if tests := have.Model.TestsOf("facebook"); len(tests) != 2 || len(have.Model.TestsOf("google")) != 1 {
		t.Errorf("the model was fitted to %v, want the three tests that the store had", have.Model.Tests)
	}
	clock := func() time.Time { return s.today.UTC().Add(17 * time.Hour) }
	service, err := toolkit.NewService(toolkit.Deps{
		Sources: snapshot.Sources{Facts: s.facts, Models: k, Experiments: &s.kept, Clock: clock, Now: clock},
		Keys:    toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Calls: toolkittest.Nothing{},
		Callers: toolkittest.Nothing{},
		Log:     slog.New(slog.DiscardHandler),
	}, tools.All())
	if err != nil {
		t.Fatal(err)
	}
	reader := auth.Principal{Workspace: w, Actor: "key:k1", Kind: auth.ByKey, Scopes: []control.Scope{control.ScopeRead}}
	answer, err := service.Answer(t.Context(), reader, "optimization", json.RawMessage(`{"detail_level":"analyst"}`))
	if err != nil || !strings.Contains(string(answer), "facebook-scale-up") ||
		!strings.Contains(string(answer), "calibrated_by") {
		t.Errorf("optimization returns %s, %v; want the tests that the model was fitted to", answer, err)
	}
	if plan, err := have.Model.Plan(mix.Ask{Budget: 0.5 * have.Model.Spend()}); err != nil || plan.Change.Mean >= 0 {
		t.Errorf("half the budget: %+v, %v; want an allocation with less revenue", plan, err)
	}
	w.CreatedAt = time.Unix(2, 0).UTC()
	if have, err := k.MMM(t.Context(), w); err != nil || have.Model != nil {
		t.Errorf("a recreated workspace has the model of the deleted one: %v", err)
	}
	if err := k.Drop(t.Context(), w.ID); err != nil {
		t.Error(err)
	}
}

// TestGeoExperimentsImproveReturnsOfDemoStores logs the effect of geo experiments on the returns of several stores, one
// line per channel. docs/validation.md summarizes these effects.
func TestGeoExperimentsImproveReturnsOfDemoStores(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= 6; seed++ {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			s := newDemoShop(t, seed, 20000)
			m, err := s.keeper().Train(t.Context(), s.workspace, mix.Request{})
			if err != nil || m.Status != mix.Active {
				t.Fatalf("%+v, %v; want an active model", m, err)
			}
			for _, test := range m.Tests {
				t.Log(test)
				if !test.Used() {
					t.Errorf("%s: %s, want it to be part of the model", test.ID, test.Why)
				}
			}
			for _, e := range m.Effects {
				tests := m.TestsOf(e.Channel)
				if len(tests) == 0 || tests[0].Observational == nil {
					continue
				}
				alone, planted := tests[0].Observational.ROAS, s.truth.Channels[e.Channel].ROAS
				t.Logf("%s: planted %.2f, without %.2f (%.2f to %.2f), with %.2f (%.2f to %.2f)",
					e.Channel, planted, alone.Mean, alone.Q05, alone.Q95, e.ROAS.Mean, e.ROAS.Q05, e.ROAS.Q95)
			}
		})
	}
}
