package snapshot

import (
	"context"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
)

// Changes provides a number that changes with the data of the control store. The control store implements it. A change
// by this process changes the number at once. A change by another process changes it within milliseconds.
type Changes interface {
	RecentState(ctx context.Context) (uint64, error)
}

// Stored contains the records of the control store that a state includes. It is shared between calls and read-only.
type Stored struct {
	Experiments []control.Experiment       // latest first; only if requested
	Records     []control.ForecastRecord   // accuracy of past forecasts; only if requested
	Annotations []control.Annotation       // sorted by day; only if requested
	Dismissed   []control.DismissedInsight // latest first; only if requested
	Guardrails  control.Guardrails         // only if requested
	AlertEvents []control.AlertEvent       // events of the last [AlertDays] days, newest first; only if requested

	state recordsState
}

// recordsState identifies the records that answers use.
type recordsState struct {
	experiments uint64
	forecasts   control.ForecastState
	annotations uint64
	governance  uint64
	alertEvents uint64
}

// storedKey identifies a selection of a workspace's records at a state of the control store.
type storedKey struct {
	workspace measure.WorkspaceID
	made      int64 // microseconds since 1970
	changes   uint64
	today     civil.Date
	wants     Wants
}

// storedOf returns the records of a state. It reads them again only after a change of the control store.
func (r *Reader) storedOf(ctx context.Context, s *State, wants Wants) (Stored, error) {
	read := func(ctx context.Context, _ storedKey) (Stored, error) {
		return r.readStored(context.WithoutCancel(ctx), s, wants) // other calls wait for the same records
	}
	key := storedKey{workspace: s.workspace, made: s.made, today: s.Today, wants: wants}
	if wants == (Wants{}) || r.Changes == nil {
		return read(ctx, key)
	}
	var err error
	if key.changes, err = r.Changes.RecentState(ctx); err != nil { // before the records: a later change is never missed
		return Stored{}, err
	}
	return r.stored.Get(ctx, key, Loading(read))
}

func (r *Reader) readStored(ctx context.Context, of *State, wants Wants) (s Stored, err error) {
	id := of.Workspace.ID
	if wants.Experiments {
		if s.Experiments, err = r.Experiments.Experiments(ctx, id); err != nil {
			return s, err
		}
		s.state.experiments = stateOfExperiments(s.Experiments)
	}
	if wants.Annotations && r.Annotations != nil {
		if s.Annotations, err = r.Annotations.Annotations(ctx, id); err != nil {
			return s, err
		}
		s.state.annotations = stateOfAnnotations(s.Annotations)
	}
	if wants.Governance {
		if err = r.govern(ctx, id, &s); err != nil {
			return s, err
		}
	}
	if wants.AlertEvents && r.AlertEvents != nil {
		if s.AlertEvents, err = r.AlertEvents.AlertEvents(ctx, id, of.Today.AddDays(-AlertDays)); err != nil {
			return s, err
		}
		s.state.alertEvents = stateOfAlertEvents(s.AlertEvents)
	}
	if wants.Forecasts && r.Forecasts != nil {
		s.state.forecasts, s.Records, err = r.forecastRecords(ctx, of.Workspace)
	}
	return s, err
}
