// Package training trains and stores a workspace's models, in one file per workspace in the data directory. Its caller
// runs one training at a time.
package training

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/experiment"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/stats/hmc"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// seed is the seed of every training: the same data give the same model.
const seed = 20260301

// Facts are the queries for a model's data.
type Facts interface {
	Coverage(ctx context.Context, ws measure.WorkspaceID) (warehouse.Coverage, error)
	Version(ctx context.Context, ws measure.WorkspaceID) (uint64, error)
	experiment.Facts
}

// Options are the dependencies of a [Keeper].
type Options struct {
	Dir         string // created when missing
	Facts       Facts
	Experiments experiment.Source                    // nil: no workspace has any
	Now         func() time.Time                     // the real clock
	Today       func(w control.Workspace) civil.Date // by the clock of answers, in the workspace's zone
	// Running returns the progress of the workspace's training, and whether a training runs; nil: no training runs.
	Running func(ws measure.WorkspaceID) (donePct int, running bool)
	Log     *slog.Logger
}

// Keeper trains and stores models. It is safe for concurrent use.
type Keeper struct {
	dir   string
	facts Facts
	tests experiment.Source
	now   func() time.Time
	today func(w control.Workspace) civil.Date
	log   *slog.Logger

	running func(ws measure.WorkspaceID) (donePct int, running bool)

	mu   sync.Mutex // guards kept
	kept map[measure.WorkspaceID]kept
}

// kept is a file's content with derived state. Only the process that locks the data directory writes models, so a file
// is read once.
type kept struct {
	stored   stored // the zero value without a file
	compared uint64 // version of the data that drift refers to; 0 before the first comparison
	drift    mix.Drift
	tests    newTests
}

// newTests caches the completed tests that a model does not use.
type newTests struct {
	unseen   []string
	at       time.Time // when the experiments were read
	version  uint64    // version of the data of coverage; 0: none
	coverage warehouse.Coverage
}

// experimentsTTL is how long experiments are cached, the same as for keys.
const experimentsTTL = 2 * time.Second

// stored is the content of a file. A workspace that was recreated with the same ID has another creation time.
type stored struct {
	Made    time.Time  `json:"workspace_made"`
	Model   *mix.Model `json:"mmm"`
	Attempt *mix.Model `json:"refused,omitempty"` // see [mix.Held]
	At      time.Time  `json:"trained_at"`        // when the last training ended
}

// New returns a keeper.
func New(o Options) *Keeper {
	if o.Running == nil {
		o.Running = func(measure.WorkspaceID) (int, bool) { return 0, false }
	}
	return &Keeper{
		dir: o.Dir, facts: o.Facts, tests: o.Experiments, now: o.Now, today: o.Today, log: o.Log, running: o.Running,
		kept: map[measure.WorkspaceID]kept{},
	}
}

// MMM returns the workspace's media mix model. The result includes the drift of its data, the completed tests that the
// model does not use, and the progress of a running training.
func (k *Keeper) MMM(ctx context.Context, w control.Workspace) (mix.Held, error) {
	held, compared, err := k.read(w)
	if err != nil || held.Model == nil || held.Model.Status == mix.Refused {
		return held, err
	}
	version, err := k.facts.Version(ctx, w.ID)
	if err != nil {
		return held, fmt.Errorf("model of %q: %w", w.ID, err)
	}
	if version != compared {
		if held.Drift, err = k.compare(ctx, w, held.Model, version); err != nil {
			return held, err
		}
	}
	held.NewTests, err = k.unseen(ctx, w, held.Model, version)
	return held, err
}

// read returns the workspace's models and the version of the data that their drift refers to.
func (k *Keeper) read(w control.Workspace) (held mix.Held, compared uint64, err error) {
	held.DonePct, held.Training = k.running(w.ID)
	k.mu.Lock()
	defer k.mu.Unlock()
	have, read := k.kept[w.ID]
	if !read {
		if have.stored, err = k.load(w.ID); err != nil {
			return held, 0, err
		}
		k.kept[w.ID] = have
	}
	if have.stored.Made.Equal(w.CreatedAt) {
		held.Model, held.Attempt, held.Drift = have.stored.Model, have.stored.Attempt, have.drift
	}
	return held, have.compared, nil
}

// compare computes and stores the drift of the data since the model was fitted.
func (k *Keeper) compare(ctx context.Context, w control.Workspace, m *mix.Model, version uint64) (mix.Drift, error) {
	store := mix.Store{Days: m.Window}
	if err := k.fill(ctx, w, &store); err != nil {
		return mix.Drift{}, err
	}
	drift := m.Drift(store)
	k.mu.Lock()
	defer k.mu.Unlock()
	if have := k.kept[w.ID]; have.stored.Model == m {
		have.compared, have.drift = version, drift
		k.kept[w.ID] = have
	}
	return drift, nil
}

// unseen describes the workspace's completed tests that the model does not use, for a version of the data.
func (k *Keeper) unseen(ctx context.Context, w control.Workspace, m *mix.Model, version uint64) ([]string, error) {
	if k.tests == nil {
		return nil, nil
	}
	k.mu.Lock()
	last := k.kept[w.ID].tests
	k.mu.Unlock()
	now := k.now()
	if last.version == version && version != 0 && now.Sub(last.at) < experimentsTTL && !now.Before(last.at) {
		return last.unseen, nil
	}
	all, err := k.experiments(ctx, w)
	if err != nil {
		return nil, err
	}
	if last.version != version || version == 0 {
		if last.coverage, err = k.facts.Coverage(ctx, w.ID); err != nil {
			return nil, fmt.Errorf("tests of %q: %w", w.ID, err)
		}
	}
	last.unseen = k.evidence(w, all, last.coverage).NewTests(m)
	last.version, last.at = version, now
	k.mu.Lock()
	defer k.mu.Unlock()
	if have := k.kept[w.ID]; have.stored.Model == m {
		have.tests = last
		k.kept[w.ID] = have
	}
	return last.unseen, nil
}

// experiments returns the workspace's experiments; none if there is no source.
func (k *Keeper) experiments(ctx context.Context, w control.Workspace) ([]control.Experiment, error) {
	if k.tests == nil {
		return nil, nil
	}
	all, err := k.tests.Experiments(ctx, w.ID)
	if err != nil {
		return nil, fmt.Errorf("experiments of %q: %w", w.ID, err)
	}
	return all, nil
}

// evidence returns the store with the workspace's experiments.
func (k *Keeper) evidence(w control.Workspace, all []control.Experiment, have warehouse.Coverage) experiment.Store {
	return experiment.Store{
		Workspace: w, Facts: k.facts, OrderDays: have.OrderDays, AdDays: have.AdDays, Today: k.today(w), All: all,
	}
}

// load reads a workspace's file; the zero value if there is none.
func (k *Keeper) load(id measure.WorkspaceID) (stored, error) {
	text, err := os.ReadFile(k.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return stored{}, nil
	}
	if err != nil {
		return stored{}, fmt.Errorf("model of %q: %w", id, err)
	}
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return stored{}, fmt.Errorf("model of %q: %w", id, err)
	}
	if s.Model == nil {
		return stored{}, fmt.Errorf("model of %q: the file %s has none", id, k.path(id))
	}
	if err := s.Model.Open(); err != nil {
		return stored{}, fmt.Errorf("model of %q: %w", id, err)
	}
	return s, nil
}

func (k *Keeper) path(id measure.WorkspaceID) string {
	return filepath.Join(k.dir, string(id)+".json")
}

// Train trains the workspace's media mix model on data up to yesterday. It stores the model, even if it is rejected. An
// earlier model with the same settings that was not rejected remains in use. Only one training may run at a time.
func (k *Keeper) Train(ctx context.Context, w control.Workspace, asked mix.Request) (*mix.Model, error) {
	defer sparing()()
	before, _, err := k.read(w)
	if err != nil {
		k.log.WarnContext(ctx, "the earlier model cannot be read",
			slog.String("workspace", string(w.ID)), slog.Any("error", err))
	}
	store, err := k.store(ctx, w)
	if err != nil {
		return nil, err
	}
	began := k.now()
	model, err := mix.Train(store, mix.Training{
		Request: asked, Seed: seed, Settings: w.ModelSettings(), Stopped: func() bool { return ctx.Err() != nil },
	})
	if errors.Is(err, hmc.ErrStopped) && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	model.Version = before.Version() + 1
	if err := model.Warm(); err != nil {
		return nil, err
	}
	k.log.InfoContext(ctx, "media mix model trained", slog.String("workspace", string(w.ID)),
		slog.String("status", string(model.Status)),
		slog.Int("version", model.Version), slog.Duration("duration", k.now().Sub(began)))
	if model.Status == mix.Refused && before.Model != nil && before.Model.Status != mix.Refused &&
		before.Model.Settings == model.Settings {
		return model, k.keep(w, stored{Model: before.Model, Attempt: model})
	}
	return model, k.keep(w, stored{Model: model})
}

// Tried returns when the workspace's last training ended, including rejected trainings; zero if there was none.
func (k *Keeper) Tried(w control.Workspace) (time.Time, error) {
	held, _, err := k.read(w)
	if err != nil || held.Model == nil {
		return time.Time{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[w.ID].stored.At, nil
}

// sparing makes the garbage collector run when the heap has doubled. A training produces much more garbage than calls
// do, and its duration matters less. The function done restores the setting and returns free memory to the system. One
// training runs at a time.
func sparing() (done func()) {
	const percent = 100
	usual := debug.SetGCPercent(percent)
	if usual >= 0 && usual < percent {
		debug.SetGCPercent(usual)
	}
	return func() {
		debug.SetGCPercent(usual)
		debug.FreeOSMemory()
	}
}

// store reads the days with sales and spend, up to yesterday, and the tests.
func (k *Keeper) store(ctx context.Context, w control.Workspace) (mix.Store, error) {
	have, err := k.facts.Coverage(ctx, w.ID)
	if err != nil {
		return mix.Store{}, err
	}
	all := civil.Range{First: have.OrderDays.First, Last: k.today(w).AddDays(-1)}
	if have.OrderDays.Last.Before(all.Last) {
		all.Last = have.OrderDays.Last
	}
	if have.OrderDays.Days() == 0 || all.Days() == 0 {
		return mix.Store{}, nil
	}
	s := mix.Store{Days: all}
	if err := k.fill(ctx, w, &s); err != nil {
		return mix.Store{}, err
	}
	s.Days = civil.Range{}
	for _, days := range s.Spend {
		for day := range days {
			if s.Days.Days() == 0 {
				s.Days = civil.Range{First: day, Last: day}
			}
			if day.Before(s.Days.First) {
				s.Days.First = day
			}
			if day.After(s.Days.Last) {
				s.Days.Last = day
			}
		}
	}
	experiments, err := k.experiments(ctx, w)
	if err != nil || len(experiments) == 0 {
		return s, err
	}
	s.Tests, err = k.evidence(w, experiments, have).LiftTests(ctx, s.Scope())
	return s, err
}

// fill reads the store's daily revenue and spend.
func (k *Keeper) fill(ctx context.Context, w control.Workspace, s *mix.Store) error {
	s.Revenue, s.Spend = map[civil.Date]float64{}, map[measure.Channel]map[civil.Date]float64{}
	spent, err := k.facts.SpendDays(ctx, w.ID, s.Days)
	if err != nil {
		return fmt.Errorf("spend by day: %w", err)
	}
	for _, d := range spent {
		if s.Spend[d.Channel] == nil {
			s.Spend[d.Channel] = map[civil.Date]float64{}
		}
		s.Spend[d.Channel][d.Day] = money.Major(d.Spend, w.Currency)
	}
	sold, err := k.facts.StoreDays(ctx, w.ID, s.Days)
	if err != nil {
		return fmt.Errorf("sales by day: %w", err)
	}
	for _, d := range sold {
		s.Revenue[d.Day] = money.Major(w.Basis.Revenue(d.Sums), w.Currency)
	}
	return nil
}

// keep writes the models atomically: a reader sees either the old or the new models.
func (k *Keeper) keep(w control.Workspace, s stored) error {
	s.Made, s.At = w.CreatedAt, k.now().UTC()
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("model of %q: %w", w.ID, err)
	}
	path := k.path(w.ID)
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return fault.Unavailable("directory of models %s cannot be created", k.dir).Wrap(err)
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return fault.Unavailable("model %s cannot be written", path).Wrap(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fault.Unavailable("model %s cannot be replaced", path).Wrap(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept[w.ID] = kept{stored: s} // stays warm and is not read again
	return nil
}

// Warm prepares the workspace's model, so that the first request does not wait for it.
func (k *Keeper) Warm(ctx context.Context, w control.Workspace) error {
	held, err := k.MMM(ctx, w)
	if err != nil || held.Model == nil {
		return err
	}
	return held.Model.Warm()
}

// Drop removes a workspace's models.
func (k *Keeper) Drop(id measure.WorkspaceID) error {
	if err := os.Remove(k.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Unavailable("model of %q cannot be removed", id).Wrap(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, id)
	return nil
}
