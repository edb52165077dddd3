package training

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// node is a keeper with its own connection and clock. It counts the reads of stored models.
type node struct {
	*Keeper
	Store

	now   time.Time
	reads int
	after error // returned after a successful SaveModels, like the end of the process
}

func (n *node) Models(ctx context.Context, ws measure.WorkspaceID) (control.StoredModels, error) {
	n.reads++
	return n.Store.Models(ctx, ws)
}

func (n *node) SaveModels(ctx context.Context, m control.StoredModels) error {
	return errors.Join(n.Store.SaveModels(ctx, m), n.after)
}

// refusals returns a workspace without facts, so that each training is rejected immediately.
func refusals(t *testing.T) (facts Facts, store Store, w control.Workspace) {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close(context.Background()) })
	store, w = newControl(t, filepath.Join(t.TempDir(), "control.db"), control.NewWorkspace("W"))
	return warehouse.New(engine), store, w
}

func newNode(facts Facts, store Store) *node {
	n := &node{Store: store, now: time.Unix(1e9, 0)}
	n.Keeper = New(Options{
		Store: n, Facts: facts, Now: func() time.Time { return n.now }, Log: slog.New(slog.DiscardHandler),
		Today: func(control.Workspace) civil.Date { return civil.MustParse("2026-11-20") },
	})
	return n
}

func (n *node) train(t *testing.T, w control.Workspace) {
	t.Helper()
	if m, err := n.Train(t.Context(), w, mix.Request{}); err != nil || m.Status != mix.Refused {
		t.Fatalf("trained %+v, %v; want a rejected model", m, err)
	}
}

func (n *node) wantVersion(t *testing.T, when string, w control.Workspace, want int) {
	t.Helper()
	if held, err := n.MMM(t.Context(), w); err != nil || held.Version() != want {
		t.Errorf("%s: version %d, %v; want %d", when, held.Version(), err, want)
	}
}

func TestANodeUsesTheModelsOfOtherNodesWithinTwoSeconds(t *testing.T) {
	t.Parallel()
	facts, store, w := refusals(t)
	a, b := newNode(facts, store), newNode(facts, store)
	b.wantVersion(t, "before the first training", w, 0)
	a.train(t, w)
	a.wantVersion(t, "the node that trained", w, 1)
	b.now = b.now.Add(storeTTL - 1)
	b.wantVersion(t, "just before the limit", w, 0)
	b.now = b.now.Add(1)
	b.wantVersion(t, "after two seconds", w, 1)
	b.now = b.now.Add(storeTTL)
	b.wantVersion(t, "unchanged", w, 1)
	if a.reads != 1 || b.reads != 2 {
		t.Errorf("the nodes read models %d and %d times; want 1 and 2, once per change", a.reads, b.reads)
	}
	if at, err := b.Tried(t.Context(), w); err != nil || !at.Equal(a.now) {
		t.Errorf("last training %s, %v; want %s", at, err, a.now)
	}

	b.train(t, w)
	a.train(t, w) // the training continues from the version of the other node, which this node has not read yet
	a.wantVersion(t, "after two trainings on two nodes", w, 3)

	again := w
	again.CreatedAt = w.CreatedAt.Add(time.Second)
	a.wantVersion(t, "the workspace created again", again, 0)
	if err := b.Drop(t.Context(), w.ID); err != nil {
		t.Error(err)
	}
	b.wantVersion(t, "dropped", w, 0)
	a.now = a.now.Add(storeTTL)
	a.wantVersion(t, "dropped by another node", w, 0)
}

// down is a store that does not respond to its first requests. The last of these requests is executed, but its reply is
// lost.
type down struct {
	Store
	left int
}

func (d *down) SaveModels(ctx context.Context, m control.StoredModels) error {
	if d.left--; d.left > 0 {
		return fault.Unavailable("the control database does not respond")
	}
	err := d.Store.SaveModels(ctx, m)
	if d.left == 0 && err == nil {
		err = fault.Unavailable("the control database does not respond")
	}
	return err
}

func TestAModelIsKeptWhileTheStoreIsDown(t *testing.T) {
	t.Parallel()
	facts, store, w := refusals(t)
	n := newNode(facts, &down{store, 3})
	attempts := 0
	n.save = func(ctx context.Context, ws measure.WorkspaceID, save func(ctx context.Context) error) error {
		for {
			attempts++
			if err := save(ctx); fault.KindOf(err) != fault.KindUnavailable || ws != w.ID {
				return err
			}
		}
	}
	n.train(t, w)
	n.wantVersion(t, "on the node that trained", w, 1)
	newNode(facts, store).wantVersion(t, "on another node", w, 1)
	if attempts != 4 {
		t.Errorf("%d attempts, want two without an effect, one without a reply and one with", attempts)
	}
}

// A model that cannot be read is replaced by the next training.
func TestADamagedModelIsReplaced(t *testing.T) {
	t.Parallel()
	facts, store, w := refusals(t)
	if err := store.SaveModels(t.Context(), control.StoredModels{
		Workspace: w.ID, Made: w.CreatedAt, ModelState: control.ModelState{Version: 4, TrainedAt: time.Unix(5, 0)}, Body: "{",
	}); err != nil {
		t.Fatal(err)
	}
	n := newNode(facts, store)
	if _, err := n.MMM(t.Context(), w); err == nil {
		t.Error("damaged JSON is a model")
	}
	n.train(t, w)
	n.wantVersion(t, "trained again", w, 5)
}

// earlier writes files as an earlier release stored them.
func earlier(t *testing.T, dir string, files map[string]stored) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, s := range files {
		text, err := json.Marshal(s)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func filesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestModelsOfAnEarlierReleaseAreTakenOver(t *testing.T) {
	t.Parallel()
	facts, store, w := refusals(t)
	dir := filepath.Join(t.TempDir(), "models")
	model := func(version int) *mix.Model { return &mix.Model{Version: version, Status: mix.Refused} }
	n := newNode(facts, store)
	if err := n.TakeOver(t.Context(), dir, []control.Workspace{w}); err != nil {
		t.Errorf("without a folder: %v", err)
	}

	// The process ends after TakeOver stores the models and before it removes their file.
	trained := time.Unix(7e8, 0).UTC()
	earlier(t, dir, map[string]stored{
		"w.json": {Made: w.CreatedAt, Model: model(5), Attempt: model(6), At: trained}, "w.json.new": {},
	})
	n.after = errors.New("killed")
	if err := n.TakeOver(t.Context(), dir, []control.Workspace{w}); !errors.Is(err, n.after) {
		t.Fatalf("interrupted: %v", err)
	}
	if left := filesOf(t, dir); len(left) != 2 {
		t.Fatalf("after the interruption the folder has %q, want both files", left)
	}
	n = newNode(facts, store)
	n.wantVersion(t, "before the second start", w, 6)
	n.train(t, w) // by another node
	if err := n.TakeOver(t.Context(), dir, []control.Workspace{w}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the second start the folder has %q, %v; want no folder", filesOf(t, dir), err)
	}
	n.wantVersion(t, "the newer model", w, 7)
	if at, err := n.Tried(t.Context(), w); err != nil || !at.Equal(n.now) {
		t.Errorf("last training %s, %v", at, err)
	}
}

func TestOnlyUsableModelsAreTakenOver(t *testing.T) {
	t.Parallel()
	facts, store, w := refusals(t)
	dir := filepath.Join(t.TempDir(), "models")
	model := &mix.Model{Version: 1, Status: mix.Refused}
	damaged := &mix.Model{Version: 1, Status: mix.Active} // without draws
	earlier(t, dir, map[string]stored{"w.json": {Made: w.CreatedAt, Model: damaged}, "gone.json": {Model: model}})
	n := newNode(facts, store)
	for range 2 {
		if err := n.TakeOver(t.Context(), dir, []control.Workspace{w}); err != nil {
			t.Fatal(err)
		}
		if left := filesOf(t, dir); len(left) != 2 {
			t.Errorf("the folder has %q, want the damaged file and that of an unknown workspace", left)
		}
		n.wantVersion(t, "with a damaged file", w, 0)
	}
	earlier(t, dir, map[string]stored{"w.json": {Made: w.CreatedAt.Add(-time.Hour), Model: model}})
	if err := n.TakeOver(t.Context(), dir, []control.Workspace{w}); err != nil {
		t.Fatal(err)
	}
	if left := filesOf(t, dir); len(left) != 1 || left[0] != "gone.json" {
		t.Errorf("the folder has %q, want that of an unknown workspace", left)
	}
	n.now = n.now.Add(storeTTL)
	n.wantVersion(t, "with a file of the deleted workspace", w, 0)
}

// unread is a store that does not respond to requests for models.
type unread struct{ Store }

func (unread) Models(context.Context, measure.WorkspaceID) (control.StoredModels, error) {
	return control.StoredModels{}, fault.Unavailable("the control database does not respond")
}

func TestATrainingDoesNotReplaceAModelThatCouldNotBeRead(t *testing.T) {
	t.Parallel()
	facts, store, w := refusals(t)
	had := control.ModelState{Version: 4, TrainedAt: time.Unix(5, 0).UTC()}
	stored := control.StoredModels{Workspace: w.ID, Made: w.CreatedAt, ModelState: had, Body: "{}"}
	if err := store.SaveModels(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	if _, err := newNode(facts, unread{store}).Train(t.Context(), w, mix.Request{}); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("trained without the earlier model: %v", err)
	}
	if state, err := store.ModelState(t.Context(), w.ID); err != nil || state != had {
		t.Errorf("stored %+v, %v; want the earlier model", state, err)
	}
}
