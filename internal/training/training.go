// Package training trains a workspace's models and stores them in the control store. All nodes use the model that one
// node trains. The caller must run one training at a time.
package training

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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

// Facts are the warehouse queries for a model's data.
type Facts interface {
	Coverage(ctx context.Context, ws measure.WorkspaceID) (warehouse.Coverage, error)
	Version(ctx context.Context, ws measure.WorkspaceID) (uint64, error)
	experiment.Facts
}

// Store stores the models of workspaces. The control store implements it.
type Store interface {
	SaveModels(ctx context.Context, m control.StoredModels) error
	ModelState(ctx context.Context, ws measure.WorkspaceID) (control.ModelState, error)
	Models(ctx context.Context, ws measure.WorkspaceID) (control.StoredModels, error)
	RemoveModels(ctx context.Context, ws measure.WorkspaceID) error
}

// Options are the dependencies of a [Keeper].
type Options struct {
	Store       Store
	Facts       Facts
	Experiments experiment.Source                    // nil: no workspace has experiments
	Now         func() time.Time                     // the real clock
	Today       func(w control.Workspace) civil.Date // by the clock that answers use, in the workspace's zone
	// Running returns the progress of the workspace's training, and whether a training is running. If Running is nil, no
	// training is running.
	Running func(ws measure.WorkspaceID) (donePct int, running bool)
	// Save calls the function save, which stores the result of the workspace's training. It retries while the store
	// does not respond. If Save is nil, there is one attempt.
	Save func(ctx context.Context, ws measure.WorkspaceID, save func(ctx context.Context) error) error
	Log  *slog.Logger
}

// Keeper trains and stores models. It is safe for concurrent use.
type Keeper struct {
	store Store
	facts Facts
	tests experiment.Source
	now   func() time.Time
	today func(w control.Workspace) civil.Date
	log   *slog.Logger

	running func(ws measure.WorkspaceID) (donePct int, running bool)
	save    func(ctx context.Context, ws measure.WorkspaceID, save func(ctx context.Context) error) error

	loading chan struct{} // limits the number of models loaded at the same time

	mu   sync.Mutex // guards kept
	kept map[measure.WorkspaceID]kept
}

// kept are the models of a workspace as last read from the store, with derived state.
type kept struct {
	made     time.Time // creation time of the workspace
	checked  time.Time // when the state was compared with the store
	state    control.ModelState
	stored   stored // the zero value if none are stored
	compared uint64 // version of the data that drift refers to; 0 before the first comparison
	drift    mix.Drift
	tests    newTests
}

// newTests caches the completed experiments that a model does not use.
type newTests struct {
	unseen   []string
	at       time.Time // when the experiments were read
	version  uint64    // version of the data of coverage; 0: none
	coverage warehouse.Coverage
}

// storeTTL is the maximum age of models and experiments that a node uses without checking the store for changes by
// another node. API keys have the same limit.
const storeTTL = 2 * time.Second

// stored is the JSON of a workspace's models. A workspace that was recreated with the same ID has another creation time.
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
	if o.Save == nil {
		o.Save = func(ctx context.Context, _ measure.WorkspaceID, save func(ctx context.Context) error) error {
			return save(ctx)
		}
	}
	return &Keeper{
		store: o.Store, facts: o.Facts, tests: o.Experiments, now: o.Now, today: o.Today, log: o.Log, running: o.Running, save: o.Save,
		loading: make(chan struct{}, 1), kept: map[measure.WorkspaceID]kept{},
	}
}

// MMM returns the workspace's media mix model. The result includes the drift of the model's data, the completed
// experiments that the model does not use, and the progress of a running training.
func (k *Keeper) MMM(ctx context.Context, w control.Workspace) (mix.Held, error) {
	held, compared, err := k.read(ctx, w)
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
func (k *Keeper) read(ctx context.Context, w control.Workspace) (held mix.Held, compared uint64, err error) {
	held.DonePct, held.Training = k.running(w.ID)
	have, err := k.current(ctx, w)
	if err != nil {
		return held, 0, err
	}
	held.Model, held.Attempt, held.Drift = have.stored.Model, have.stored.Attempt, have.drift
	return held, have.compared, nil
}

// current returns the models that the store had at most [storeTTL] ago. It reads them only if their state has changed.
func (k *Keeper) current(ctx context.Context, w control.Workspace) (kept, error) {
	now := k.now()
	have := k.known(w)
	if !have.checked.IsZero() && now.Sub(have.checked) < storeTTL && !now.Before(have.checked) {
		return have, nil
	}
	return k.refresh(ctx, w, now)
}

// known returns the workspace's models as last read. Before the first read, it returns the zero value.
func (k *Keeper) known(w control.Workspace) kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	if have := k.kept[w.ID]; have.made.Equal(w.CreatedAt) {
		return have
	}
	return kept{}
}

// refresh reads the workspace's models from the store if their state has changed since the last read.
func (k *Keeper) refresh(ctx context.Context, w control.Workspace, now time.Time) (kept, error) {
	state, err := k.store.ModelState(ctx, w.ID)
	if err != nil {
		return kept{}, err
	}
	if have, same := k.check(w, state, now); same {
		return have, nil
	}
	select {
	case k.loading <- struct{}{}:
		defer func() { <-k.loading }()
	case <-ctx.Done():
		return kept{}, ctx.Err()
	}
	if have, same := k.check(w, state, now); same { // another call has read the models
		return have, nil
	}
	before := k.known(w).state
	m, err := k.store.Models(ctx, w.ID)
	if err != nil {
		return kept{}, err
	}
	read := kept{made: w.CreatedAt, checked: now, state: m.ModelState}
	if m.Body != "" {
		if read.stored, err = parse(w.ID, []byte(m.Body)); err != nil {
			return kept{}, err
		}
	}
	if !read.stored.Made.Equal(w.CreatedAt) {
		read.stored = stored{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if have := k.kept[w.ID]; have.made.Equal(w.CreatedAt) && have.state != before {
		return have, nil // a training of this node has ended meanwhile
	}
	k.kept[w.ID] = read
	return read, nil
}

// check returns the models as last read if the store still has the same state. In this case, it also updates the time
// of the check.
func (k *Keeper) check(w control.Workspace, state control.ModelState, now time.Time) (have kept, same bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	have = k.kept[w.ID]
	if have.checked.IsZero() || !have.made.Equal(w.CreatedAt) || have.state != state {
		return kept{}, false
	}
	have.checked = now
	k.kept[w.ID] = have
	return have, true
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
	if last.version == version && version != 0 && now.Sub(last.at) < storeTTL && !now.Before(last.at) {
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

// experiments returns the workspace's experiments. It returns none if the keeper has no source of experiments.
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

// parse reads the JSON of a workspace's models.
func parse(id measure.WorkspaceID, text []byte) (stored, error) {
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return stored{}, fmt.Errorf("model of %q: %w", id, err)
	}
	if s.Model == nil {
		return stored{}, fmt.Errorf("model of %q: the stored data contain no model", id)
	}
	if err := s.Model.Open(); err != nil {
		return stored{}, fmt.Errorf("model of %q: %w", id, err)
	}
	return s, nil
}

// Train trains the workspace's media mix model on data up to yesterday. It stores the model, even if the model is
// rejected. In this case, an earlier model with the same settings remains in use, unless it was also rejected. Only one
// training may run at a time. While the store does not respond, Train retries; see [Options].
func (k *Keeper) Train(ctx context.Context, w control.Workspace, asked mix.Request) (*mix.Model, error) {
	state, err := k.store.ModelState(ctx, w.ID)
	if err != nil {
		return nil, err
	}
	before, err := k.refresh(ctx, w, k.now())
	if err != nil && (fault.KindOf(err) == fault.KindUnavailable || ctx.Err() != nil) {
		return nil, err // the earlier model exists and must not be replaced by a rejected one
	}
	if err != nil {
		k.log.WarnContext(ctx, "the earlier model cannot be read",
			slog.String("workspace", string(w.ID)), slog.Any("error", err))
	}
	model, err := k.fit(ctx, w, asked, state.Version+1)
	if err != nil {
		return nil, err
	}
	if used := before.stored.Model; model.Status == mix.Refused && used != nil && used.Status != mix.Refused && used.Settings == model.Settings {
		return model, k.keep(ctx, w, model.Version, stored{Model: used, Attempt: model})
	}
	return model, k.keep(ctx, w, model.Version, stored{Model: model})
}

// fit trains a model and does not store it.
func (k *Keeper) fit(ctx context.Context, w control.Workspace, asked mix.Request, version int) (*mix.Model, error) {
	defer sparing()()
	store, err := k.data(ctx, w)
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
	model.Version = version
	if err := model.Warm(); err != nil {
		return nil, err
	}
	k.log.InfoContext(ctx, "media mix model trained", slog.String("workspace", string(w.ID)),
		slog.String("status", string(model.Status)),
		slog.Int("version", model.Version), slog.Duration("duration", k.now().Sub(began)))
	return model, nil
}

// Tried returns the time when the workspace's last training ended on any node, including trainings with a rejected
// model. It is zero without a training.
func (k *Keeper) Tried(ctx context.Context, w control.Workspace) (time.Time, error) {
	state, err := k.store.ModelState(ctx, w.ID)
	return state.TrainedAt, err
}

// sparing makes the garbage collector run when the heap has doubled. Training produces much more garbage than tool
// calls, and may be slower. The function done restores the setting and returns free memory to the system. One training
// runs at a time.
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

// data reads the daily sales and spend up to yesterday, and the lift tests.
func (k *Keeper) data(ctx context.Context, w control.Workspace) (mix.Store, error) {
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

// keep stores the models in one step. A reader gets either the old or the new models.
func (k *Keeper) keep(ctx context.Context, w control.Workspace, version int, s stored) error {
	s.Made, s.At = w.CreatedAt, k.now().UTC().Truncate(time.Microsecond)
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("model of %q: %w", w.ID, err)
	}
	state := control.ModelState{Version: version, TrainedAt: s.At}
	m := control.StoredModels{Workspace: w.ID, Made: w.CreatedAt, ModelState: state, Body: string(text)}
	if err := k.save(ctx, w.ID, func(ctx context.Context) error { return k.storeOnce(ctx, m) }); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept[w.ID] = kept{made: w.CreatedAt, checked: k.now(), state: state, stored: s} // is ready and not read again
	return nil
}

// storeOnce stores models, unless an earlier attempt has stored them and its reply was lost.
func (k *Keeper) storeOnce(ctx context.Context, m control.StoredModels) error {
	err := k.store.SaveModels(ctx, m)
	if fault.KindOf(err) != fault.KindConflict {
		return err
	}
	state, unread := k.store.ModelState(ctx, m.Workspace)
	if unread != nil {
		return unread
	}
	if state == m.ModelState {
		return nil
	}
	return err
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
func (k *Keeper) Drop(ctx context.Context, id measure.WorkspaceID) error {
	if err := k.store.RemoveModels(ctx, id); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, id)
	return nil
}
