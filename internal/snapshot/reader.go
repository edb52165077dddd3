package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/experiment"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/reportlag"
	"assay/internal/panics"
)

// Sources are the dependencies of snapshots.
type Sources struct {
	Facts       Facts
	Models      Models
	Experiments experiment.Source
	Forecasts   Forecasts        // nil: forecasts are not recorded
	Annotations Annotations      // nil: no annotations
	Governance  Governance       // nil: no dismissed insights, and the guardrails of a new workspace
	AlertEvents AlertEvents      // nil: no alert events
	Changes     Changes          // nil: records of the control store are read for each state
	Clock       func() time.Time // the clock of answers
	Now         func() time.Time // the real clock
}

// Reader takes snapshots of workspaces. It caches, by data version, the data that only an import changes.
type Reader struct {
	Sources
	contents *otter.Cache[dataKey, Contents]
	names    *otter.Cache[dataKey, Names]
	records  *otter.Cache[recordsKey, []control.ForecastRecord]
	stored   *otter.Cache[storedKey, Stored]
	results  *results
	people   *people
	shared   *otter.Cache[sharedKey, shared]
	zones    sync.Map // *time.Location by name; loading one reads a file
}

const (
	maxWorkspaces = 1000 // maximum number of workspaces with cached contents and forecast records
	maxNamed      = 100  // maximum number of workspaces with cached names
	maxStored     = 500  // maximum number of cached selections of records
)

// NewReader returns a reader of the sources with empty caches.
func NewReader(s Sources) (*Reader, error) {
	r := &Reader{Sources: s}
	var err error
	if r.results, err = newResults(); err != nil {
		return nil, err
	}
	if r.people, err = newPeople(); err != nil {
		return nil, err
	}
	if r.shared, err = otter.New(&otter.Options[sharedKey, shared]{MaximumSize: maxShared}); err != nil {
		return nil, err
	}
	if r.names, err = otter.New(&otter.Options[dataKey, Names]{MaximumSize: maxNamed}); err != nil {
		return nil, err
	}
	if r.stored, err = otter.New(&otter.Options[storedKey, Stored]{MaximumSize: maxStored}); err != nil {
		return nil, err
	}
	if r.records, err = otter.New(&otter.Options[recordsKey, []control.ForecastRecord]{
		MaximumSize: maxWorkspaces,
	}); err != nil {
		return nil, err
	}
	r.contents, err = otter.New(&otter.Options[dataKey, Contents]{MaximumSize: maxWorkspaces})
	return r, err
}

// Wants selects the records of the control store that a snapshot includes. Each kind of record needs a query.
type Wants struct {
	Experiments bool
	Forecasts   bool
	Annotations bool
	Governance  bool // dismissed insights and guardrails
	AlertEvents bool
}

// Key identifies the contents of a snapshot: snapshots with equal keys give equal answers.
type Key struct {
	dataKey
	settings int64
	model    modelKey
	recordsState
	today civil.Date
}

// dataKey identifies a version of a workspace's data. If a workspace is deleted and created again with the same ID, the
// data versions start at 0 again. The creation time distinguishes the two workspaces.
type dataKey struct {
	workspace measure.WorkspaceID
	made      int64 // microseconds since 1970
	data      uint64
}

// modelKey identifies a state of a workspace's media mix model.
type modelKey struct {
	version  int // version of the last training; 0: none
	drift    mix.Drift
	news     string // completed experiments that the model does not use
	training bool
}

// recordsKey identifies a state of a workspace's forecast records.
type recordsKey struct {
	workspace measure.WorkspaceID
	made      int64 // microseconds since 1970
	control.ForecastState
}

// State contains all inputs of a workspace's snapshot at one moment.
type State struct {
	Key
	Stored
	Workspace control.Workspace
	Now       time.Time  // time by the clock that answers use, in UTC
	Today     civil.Date // day of Now in the workspace's time zone
	MMM       mix.Held   // the media mix model

	unversioned error // reason why the data version is unknown
}

// Versioned reports whether the data version is known. If it is unknown, results must not be cached.
func (s *State) Versioned() bool { return s.unversioned == nil }

// RealDay returns the day of an instant of the real clock, such as the time of an import, in the workspace's zone.
func (s *State) RealDay(at time.Time) civil.Date { return civil.DayOf(at, s.Workspace.Location()) }

// State reads the state of a workspace.
func (r *Reader) State(ctx context.Context, w control.Workspace, wants Wants) (State, error) {
	now := r.Clock().UTC()
	s := State{Workspace: w, Now: now, Today: civil.DayOf(now, r.zone(w))}
	s.Key = Key{dataKey: dataKey{workspace: w.ID, made: w.CreatedAt.UnixMicro()}, settings: w.Version, today: s.Today}
	s.data, s.unversioned = r.Facts.Version(ctx, w.ID)
	if ctx.Err() != nil && s.unversioned != nil { // the queries below would fail for the same reason
		return s, s.unversioned
	}
	var err error
	if s.MMM, err = r.Models.MMM(ctx, w); err != nil {
		return s, err
	}
	s.model = modelKey{
		version: s.MMM.Version(), drift: s.MMM.Drift, news: strings.Join(s.MMM.NewTests, "\n"), training: s.MMM.Training,
	}
	s.Stored, err = r.storedOf(ctx, &s, wants)
	s.recordsState = s.state
	return s, err
}

// forecastRecords returns the forecast records of a workspace and the state that identifies the records.
func (r *Reader) forecastRecords(ctx context.Context, w control.Workspace) (
	control.ForecastState, []control.ForecastRecord, error,
) {
	state, err := r.Forecasts.ForecastState(ctx, w.ID)
	if err != nil {
		return state, nil, err
	}
	records, err := r.records.Get(ctx, recordsKey{w.ID, w.CreatedAt.UnixMicro(), state},
		Loading(func(ctx context.Context, k recordsKey) ([]control.ForecastRecord, error) {
			return r.Forecasts.ForecastRecords(ctx, k.workspace)
		}))
	return state, records, err
}

// Snapshot returns the snapshot of a state.
func (r *Reader) Snapshot(ctx context.Context, s State) (*Snapshot, error) {
	read := r.cachedContents
	if !s.Versioned() {
		read = r.readContents
	}
	have, err := read(ctx, s.dataKey)
	return &Snapshot{State: s, Real: r.Now().UTC(), Store: have, questions: questions{
		facts: r.Facts, workspace: s.Workspace.ID,
	}, reader: r}, err
}

// Take returns a snapshot of a workspace for work outside tool calls.
func (r *Reader) Take(ctx context.Context, w control.Workspace, wants Wants) (*Snapshot, error) {
	state, err := r.State(ctx, w, wants)
	if err == nil {
		err = state.unversioned
	}
	if err != nil {
		return nil, fmt.Errorf("data of %q: %w", w.ID, err)
	}
	s, err := r.Snapshot(ctx, state)
	if err != nil {
		return nil, fmt.Errorf("data of %q: %w", w.ID, err)
	}
	return s, nil
}

func (r *Reader) cachedContents(ctx context.Context, key dataKey) (Contents, error) {
	return r.contents.Get(ctx, key, Loading(r.readContents))
}

func (r *Reader) readContents(ctx context.Context, key dataKey) (have Contents, err error) {
	if have.Coverage, err = r.Facts.Coverage(ctx, key.workspace); err != nil {
		return Contents{}, err
	}
	if have.Channels, err = r.Facts.Channels(ctx, key.workspace); err != nil {
		return Contents{}, err
	}
	if have.Sources, err = r.Facts.Sources(ctx, key.workspace); err != nil {
		return Contents{}, err
	}
	curves, err := r.curves(ctx, key.workspace, measure.SpendTotals, measure.RevenueBasis{})
	have.Late = slices.DeleteFunc(curves, func(c reportlag.Curve) bool { return !c.Late() })
	return have, err
}

// zone returns the workspace's time zone.
func (r *Reader) zone(w control.Workspace) *time.Location {
	if zone, ok := r.zones.Load(w.Zone); ok {
		return zone.(*time.Location)
	}
	zone := w.Location()
	r.zones.Store(w.Zone, zone)
	return zone
}

// Loading returns the function load as a cache loader. The loader converts a panic to a [panics.Error], which counts
// the panic. Without the conversion, the cache would return another error.
func Loading[K comparable, V any](load func(ctx context.Context, key K) (V, error)) otter.LoaderFunc[K, V] {
	return func(ctx context.Context, key K) (value V, err error) {
		err = panics.Caught(func() (err error) {
			value, err = load(ctx, key)
			return err
		})
		return value, err
	}
}

// Curves returns the reporting delay curves of a workspace's sales surfaces and ad platforms.
func (r *Reader) Curves(ctx context.Context, w control.Workspace) ([]reportlag.Curve, error) {
	var curves []reportlag.Curve
	for _, kind := range []measure.TotalsKind{measure.OrderTotals, measure.SpendTotals} {
		of, err := r.curves(ctx, w.ID, kind, w.Basis)
		if err != nil {
			return nil, err
		}
		curves = append(curves, of...)
	}
	return curves, nil
}

// curves returns the reporting delay curves of one kind of totals. It uses the days before today in UTC, because a
// difference of a few hours does not matter.
func (r *Reader) curves(ctx context.Context, ws measure.WorkspaceID, kind measure.TotalsKind,
	basis measure.RevenueBasis,
) ([]reportlag.Curve, error) {
	days := reportlag.Period(civil.DayOf(r.Clock(), time.UTC))
	versions, looks, err := r.Facts.Settling(ctx, ws, kind, days)
	if err != nil {
		return nil, fmt.Errorf("settling of %s: %w", kind, err)
	}
	return reportlag.Curves(versions, looks, basis), nil
}
