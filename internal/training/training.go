// Package training trains a workspace's models on its facts and keeps them: one file for each workspace in the data
// directory. One training runs at a time, so that calls keep a core to be answered on.
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

// seed is the seed of every training: the same facts give the same model.
const seed = 20260301

// Facts are the questions that a model is made from.
type Facts interface {
	Coverage(ctx context.Context, ws measure.WorkspaceID) (warehouse.Coverage, error)
	Version(ctx context.Context, ws measure.WorkspaceID) (uint64, error)
	experiment.Facts
}

// Experiments has the workspaces' experiments. The store of control data does.
type Experiments interface {
	Experiments(ctx context.Context, ws measure.WorkspaceID) ([]control.Experiment, error)
}

// Options say what models are trained on and where they are kept.
type Options struct {
	Dir         string // made where it is missing
	Facts       Facts
	Experiments Experiments                          // nil: no workspace has any
	Now         func() time.Time                     // the real clock
	Today       func(w control.Workspace) civil.Date // by the clock of answers, in the workspace's zone
	Log         *slog.Logger
}

// Keeper trains and keeps models. Several goroutines may use it.
type Keeper struct {
	dir   string
	facts Facts
	tests Experiments
	now   func() time.Time
	today func(w control.Workspace) civil.Date
	log   *slog.Logger
	lane  chan struct{} // held by the training that runs

	mu      sync.Mutex // guards all below
	kept    map[measure.WorkspaceID]kept
	running map[measure.WorkspaceID]int // percent done
}

// kept is what a file holds, and what was found out about it since. Only the process that holds the data directory writes
// models, so a file is read once.
type kept struct {
	stored   stored // the zero value where there is no file
	compared uint64 // version of the facts that drift speaks of; 0 before the first comparison
	drift    mix.Drift
	tests    heard
}

// heard is what a model does not know of the workspace's tests.
type heard struct {
	news     []string
	at       time.Time // when the experiments were looked at
	version  uint64    // of the facts that coverage is of; 0: of none
	coverage warehouse.Coverage
}

// remembered is how long experiments are not looked at again: as long as keys are remembered.
const remembered = 2 * time.Second

// stored is the content of a file. A workspace created again under an old name has another creation time.
type stored struct {
	Made    time.Time  `json:"workspace_made"`
	Model   *mix.Model `json:"mmm"`
	Attempt *mix.Model `json:"refused,omitempty"` // see [mix.Held]
	At      time.Time  `json:"trained_at"`        // when the last training ended
}

// New returns a keeper.
func New(o Options) *Keeper {
	return &Keeper{
		dir: o.Dir, facts: o.Facts, tests: o.Experiments, now: o.Now, today: o.Today, log: o.Log, lane: make(chan struct{}, 1),
		kept: map[measure.WorkspaceID]kept{}, running: map[measure.WorkspaceID]int{},
	}
}

// MMM returns the workspace's media mix model, how far the facts behind it have moved, which completed tests it does not know, and
// whether another is being trained.
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
	held.News, err = k.news(ctx, w, held.Model, version)
	return held, err
}

// read returns what is kept of the workspace and the version of the facts that its drift speaks of.
func (k *Keeper) read(w control.Workspace) (held mix.Held, compared uint64, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	held.DonePct, held.Training = k.running[w.ID]
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

// compare finds out how far the facts of a version have moved from what the model was fitted to, and notes it.
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

// news says which of the workspace's completed tests the model does not know, as facts of a version are.
func (k *Keeper) news(ctx context.Context, w control.Workspace, m *mix.Model, version uint64) ([]string, error) {
	if k.tests == nil {
		return nil, nil
	}
	k.mu.Lock()
	last := k.kept[w.ID].tests
	k.mu.Unlock()
	now := k.now()
	if last.version == version && version != 0 && now.Sub(last.at) < remembered && !now.Before(last.at) {
		return last.news, nil
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
	last.news = m.News(k.evidence(w, all, last.coverage.OrderDays, k.today(w)).Completed(last.coverage.AdDays))
	last.version, last.at = version, now
	k.mu.Lock()
	defer k.mu.Unlock()
	if have := k.kept[w.ID]; have.stored.Model == m {
		have.tests = last
		k.kept[w.ID] = have
	}
	return last.news, nil
}

// experiments returns the workspace's experiments, none without a store of experiments.
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

// evidence is where the workspace's experiments were made.
func (k *Keeper) evidence(w control.Workspace, all []control.Experiment, orders civil.Range, today civil.Date) experiment.Store {
	return experiment.Store{Workspace: w, Facts: k.facts, OrderDays: orders, Today: today, All: all}
}

// learn returns the store's completed tests with what they found, as far as a model of it would be fitted to them.
func (k *Keeper) learn(ctx context.Context, w control.Workspace, have warehouse.Coverage, store mix.Store, today civil.Date) ([]mix.Test, error) {
	all, err := k.experiments(ctx, w)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	made := k.evidence(w, all, have.OrderDays, today)
	tests := made.Completed(have.AdDays)
	for i, why := range mix.Unfit(store, tests) {
		if why != "" {
			continue
		}
		if tests[i], err = made.Lift(ctx, tests[i]); err != nil {
			return nil, fmt.Errorf("test %q: %w", tests[i].ID, err)
		}
	}
	return tests, nil
}

// load reads a workspace's file, the zero value where there is none.
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
		return stored{}, fmt.Errorf("model of %q: the file %s holds none", id, k.path(id))
	}
	if err := s.Model.Open(); err != nil {
		return stored{}, fmt.Errorf("model of %q: %w", id, err)
	}
	return s, nil
}

func (k *Keeper) path(id measure.WorkspaceID) string {
	return filepath.Join(k.dir, string(id)+".json")
}

// Train makes the workspace's media mix model of the days before today and keeps it, also when it was refused; but an
// earlier model of the same settings that was not goes on to answer. It waits for a training that runs; a second one of the
// same workspace is a fault of kind conflict.
func (k *Keeper) Train(ctx context.Context, w control.Workspace, today civil.Date, asked mix.Request) (*mix.Model, error) {
	leave, err := k.enter(ctx, w.ID)
	if err != nil {
		return nil, err
	}
	defer leave()
	defer sparing()()
	before, _, err := k.read(w)
	if err != nil {
		k.log.WarnContext(ctx, "the earlier model cannot be read", slog.String("workspace", string(w.ID)), slog.Any("error", err))
	}
	store, err := k.store(ctx, w, today)
	if err != nil {
		return nil, err
	}
	began := k.now()
	progress := asked.Progress
	asked.Progress = func(done, total int64) {
		k.note(w.ID, int(100*done/total))
		if progress != nil {
			progress(done, total)
		}
	}
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
	k.log.InfoContext(ctx, "media mix model trained", slog.String("workspace", string(w.ID)), slog.String("status", string(model.Status)),
		slog.Int("version", model.Version), slog.Duration("duration", k.now().Sub(began)))
	if model.Status == mix.Refused && before.Model != nil && before.Model.Status != mix.Refused && before.Model.Settings == model.Settings {
		return model, k.keep(w, stored{Model: before.Model, Attempt: model})
	}
	return model, k.keep(w, stored{Model: model})
}

// Tried returns when the workspace's last training ended, refused ones included; zero when there was none.
func (k *Keeper) Tried(w control.Workspace) (time.Time, error) {
	held, _, err := k.read(w)
	if err != nil || held.Model == nil {
		return time.Time{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[w.ID].stored.At, nil
}

// enter waits until no training runs.
func (k *Keeper) enter(ctx context.Context, id measure.WorkspaceID) (leave func(), err error) {
	k.mu.Lock()
	if _, runs := k.running[id]; runs {
		k.mu.Unlock()
		return nil, fault.Conflict("a model of %q is being trained", id).WithHint("diagnose tells how far it is")
	}
	k.running[id] = 0
	k.mu.Unlock()
	done := func() {
		k.mu.Lock()
		delete(k.running, id)
		k.mu.Unlock()
	}
	select {
	case k.lane <- struct{}{}:
		return func() { done(); <-k.lane }, nil
	case <-ctx.Done():
		done()
		return nil, ctx.Err()
	}
}

// sparing collects garbage when the heap has doubled, also if GOGC is higher: a training allocates several times as much as calls
// do, and its speed matters less. Done restores GOGC and returns free memory to the system. One
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

func (k *Keeper) note(id measure.WorkspaceID, percent int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running[id] = max(k.running[id], min(percent, 99))
}

// store reads the days on which both sales and spend are known, up to yesterday, and the tests.
func (k *Keeper) store(ctx context.Context, w control.Workspace, today civil.Date) (mix.Store, error) {
	have, err := k.facts.Coverage(ctx, w.ID)
	if err != nil {
		return mix.Store{}, err
	}
	all := civil.Range{First: have.OrderDays.First, Last: today.AddDays(-1)}
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
	s.Tests, err = k.learn(ctx, w, have, s, today)
	return s, err
}

// fill reads what the store took and spent on its days.
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

// keep writes the models in one step: a reader sees the old or the new ones.
func (k *Keeper) keep(w control.Workspace, s stored) error {
	s.Made, s.At = w.CreatedAt, k.now().UTC()
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("model of %q: %w", w.ID, err)
	}
	path := k.path(w.ID)
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return fault.Unavailable("directory of models %s cannot be made", k.dir).Wrap(err)
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return fault.Unavailable("model %s cannot be written", path).Wrap(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fault.Unavailable("model %s cannot be replaced", path).Wrap(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept[w.ID] = kept{stored: s} // and not read again: what was made ready stays so
	return nil
}

// Warm makes the workspace's model ready, so that the first question does not wait for it.
func (k *Keeper) Warm(ctx context.Context, w control.Workspace) error {
	held, err := k.MMM(ctx, w)
	if err != nil || held.Model == nil {
		return err
	}
	return held.Model.Warm()
}

// Drop removes what is kept of a workspace.
func (k *Keeper) Drop(id measure.WorkspaceID) error {
	if err := os.Remove(k.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Unavailable("model of %q cannot be removed", id).Wrap(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, id)
	return nil
}
