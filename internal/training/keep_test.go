package training

import (
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// testStore is a store in a real warehouse with a year and a half of data and one order per day.
type testStore struct {
	*testing.T
	facts     *warehouse.Warehouse
	control   *sqlstore.Store
	workspace control.Workspace
	days      civil.Range
}

// newControl returns control data with the workspace w, which was created one second after the Unix epoch.
func newControl(t *testing.T, path string, w control.Workspace) (*sqlstore.Store, control.Workspace) {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if w, err = store.CreateWorkspace(t.Context(), w, control.By{At: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	return store, w
}

func newTestStore(t *testing.T) testStore {
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close(context.Background()) })
	w := control.NewWorkspace("W")
	w.Currency = "USD"
	store, w := newControl(t, filepath.Join(t.TempDir(), "control.db"), w)
	last := civil.MustParse("2026-11-20")
	s := testStore{T: t, facts: warehouse.New(engine), control: store, workspace: w, days: civil.Range{
		First: last.AddDays(1 - 7*80), Last: last,
	}}
	r := rand.New(rand.NewPCG(4, 2))
	var b warehouse.Batch
	for first := s.days.First; !first.After(last); first = first.AddDays(7) {
		facebook, google := 500*r.Float64(), 300*r.Float64()
		for k := range 7 {
			day := first.AddDays(k)
			b.ChannelSpend = append(b.ChannelSpend, spendOn(day, "facebook", facebook), spendOn(day, "google", google))
			took := 4000 + 300*r.NormFloat64() + 2000*math.Tanh(facebook/500) + 300*math.Tanh(google/300)
			b.Orders = append(b.Orders, warehouse.Order{
				OrderRef: warehouse.OrderRef{Source: "test", Key: strconv.Itoa(len(b.Orders))}, Day: day,
				At: day.UTC().Add(12 * time.Hour), Surface: measure.OnlineStore, Charged: int64(100 * took),
			})
		}
	}
	s.load(&b)
	return s
}

func spendOn(day civil.Date, channel measure.Channel, spend float64) warehouse.ChannelSpend {
	return warehouse.ChannelSpend{Source: "test", Channel: channel, Day: day, Spend: int64(100 * spend)}
}

func (s testStore) load(b *warehouse.Batch) {
	s.Helper()
	load, err := s.facts.Begin(s.Context(), warehouse.ImportSpec{Workspace: s.workspace.ID, Source: "test", Base: "USD"})
	if err != nil {
		s.Fatal(err)
	}
	if err := load.Add(s.Context(), b); err != nil {
		s.Fatal(err)
	}
	if _, err := load.Commit(s.Context()); err != nil {
		s.Fatal(err)
	}
}

func (s testStore) keeper() *Keeper {
	return New(Options{
		Store: s.control, Facts: s.facts, Now: time.Now,
		Today: func(control.Workspace) civil.Date { return s.days.Last.AddDays(1) }, Log: slog.New(slog.DiscardHandler),
	})
}

func (s testStore) held(k *Keeper) mix.Held {
	s.Helper()
	held, err := k.MMM(s.Context(), s.workspace)
	if err != nil || held.Model == nil {
		s.Fatalf("held: %+v, %v; want a model", held, err)
	}
	return held
}

// TestARefusedTrainingKeepsTheEarlierModel also tests, with the same trained model, that a model detects changes of its
// data.
func TestARefusedTrainingKeepsTheEarlierModel(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	k := s.keeper()
	if _, err := k.Train(t.Context(), s.workspace, mix.Request{}); err != nil {
		t.Fatal(err)
	}
	settings := s.workspace.ModelSettings()
	held := s.held(k)
	if status, why := held.State(s.days.Last, settings); status != mix.Active || held.Drift != (mix.Drift{}) {
		t.Fatalf("just trained: %s %v, drift %+v; want an active model without drift", status, why, held.Drift)
	}

	past := s.days.First.AddDays(100)
	s.load(&warehouse.Batch{
		ChannelSpend: []warehouse.ChannelSpend{{Source: "late", Channel: "google", Day: past, Spend: 1}},
	})
	held = s.held(k)
	if status, _ := held.State(s.days.Last, settings); status != mix.Active || held.Drift.Weeks != 1 {
		t.Errorf("a cent of an earlier week: %s, drift %+v; want an active model with the drift", status, held.Drift)
	}
	s.load(&warehouse.Batch{
		ChannelSpend: []warehouse.ChannelSpend{{Source: "late", Channel: "google", Day: past.AddDays(9), Spend: 100_000}},
	})
	status, why := s.held(k).State(s.days.Last, settings)
	if status != mix.Stale || len(why) != 1 || !strings.Contains(why[0], "spend of google") {
		t.Errorf("a large correction of an earlier week: %s %v; want stale because of the spend of google", status, why)
	}

	twin := warehouse.Batch{}
	spent, err := s.facts.SpendDays(t.Context(), s.workspace.ID, s.days)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range spent {
		if d.Channel == "facebook" {
			twin.ChannelSpend = append(twin.ChannelSpend, warehouse.ChannelSpend{
				Source: "test", Channel: "tiktok", Day: d.Day, Spend: d.Spend,
			})
		}
	}
	s.load(&twin)
	attempt, err := k.Train(t.Context(), s.workspace, mix.Request{})
	if err != nil || attempt.Status != mix.Refused || attempt.Version != 2 {
		t.Fatalf("two channels that move together: %+v, %v; want model 2, refused", attempt, err)
	}
	for name, keeper := range map[string]*Keeper{"at once": k, "after a restart": s.keeper()} {
		held := s.held(keeper)
		if held.Model.Version != 1 || held.Model.Posterior() == nil || held.Attempt == nil || held.Version() != 2 {
			t.Fatalf("%s: model %d, attempt %v; want model 1 with its draws next to attempt 2",
				name, held.Model.Version, held.Attempt)
		}
		if !slices.ContainsFunc(held.Attempt.Reasons, func(r mmm.Reason) bool { return r.Code == mmm.Collinear }) {
			t.Errorf("%s: refused for %v, want %s", name, held.Attempt.Reasons, mmm.Collinear)
		}
		if status, why := held.State(s.days.Last, settings); status != mix.Stale ||
			!strings.Contains(strings.Join(why, ""), "spend of tiktok") {
			t.Errorf("%s: %s %v; want stale because of the new channel", name, status, why)
		}
	}

	changed := s.workspace
	changed.Currency = "EUR"
	if _, err := k.Train(t.Context(), changed, mix.Request{}); err != nil {
		t.Fatal(err)
	}
	if held := s.held(k); held.Model.Status != mix.Refused || held.Model.Version != 3 || held.Attempt != nil {
		t.Errorf("refused in another currency: %s model %d; want no model in the old currency",
			held.Model.Status, held.Model.Version)
	}
}
