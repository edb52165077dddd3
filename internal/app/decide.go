package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/decision"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/tools"
)

const (
	findingsEvery = 10 * time.Second // interval between checks for new data, a new model or a new day
	busyPause     = 5 * time.Minute  // minimum time between two computations if the data change continuously
)

// freshness records the states of a workspace for which its findings were computed.
type freshness[State comparable] struct {
	seen, done State     // seen: state at the last check; done: state of the computed findings
	failed     State     // state of the last failed computation
	at         time.Time // time of the last computation
}

// due reports whether to compute the findings of a state now. Findings that have been computed for the state are not
// due. Other findings are due at the first check, or when the state is the same as at the previous check. An import in
// parts changes the state several times. If the state keeps changing, or the last computation failed, findings are due
// after busyPause.
func (f *freshness[State]) due(state State, now time.Time) bool {
	settled := state == f.seen && state != f.failed || f.at.IsZero()
	f.seen = state
	if state == f.done || !settled && now.Sub(f.at) < busyPause {
		return false
	}
	f.at = now
	return true
}

// computed records the result of a computation. A failed computation is due again after busyPause.
func (f *freshness[State]) computed(state State, err error) {
	if err != nil {
		f.failed = state
		return
	}
	f.done = state
}

// warmDecisions computes the findings of the first workspaces, at most warmed, at startup and after each change until
// ctx ends. The first visit to the Decisions page or the Insights page then does not wait for the computation. The
// cache key of the findings is the state of the data, so no visit gets outdated findings. A visit during the
// computation waits for its result.
func (a *App) warmDecisions(ctx context.Context) error {
	again := time.NewTicker(findingsEvery)
	defer again.Stop()
	known := map[measure.WorkspaceID]*freshness[snapshot.Key]{}
	failed := map[measure.WorkspaceID]string{} // last failure of each workspace, so that it is logged only once
	for {
		all, err := a.control.Store.Workspaces(ctx)
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "workspaces cannot be read for decisions", slog.Any("error", err))
		}
		for _, w := range all[:min(warmed, len(all))] {
			if known[w.ID] == nil {
				known[w.ID] = &freshness[snapshot.Key]{}
			}
			err := a.warmDecision(ctx, w, known[w.ID])
			if err != nil && ctx.Err() == nil && err.Error() != failed[w.ID] && fault.KindOf(err) != fault.KindNotFound { // deleted meanwhile
				a.log.WarnContext(ctx, "decisions cannot be computed", slog.String("workspace", string(w.ID)), slog.Any("error", err))
				failed[w.ID] = err.Error()
			}
			if err == nil {
				delete(failed, w.ID)
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// warmDecision computes the findings of a workspace if they are due.
func (a *App) warmDecision(ctx context.Context, w control.Workspace, f *freshness[snapshot.Key]) error {
	state, err := a.tools.Snapshots().State(ctx, w, decision.Wants)
	if err != nil || !state.Versioned() || !f.due(state.Key, a.now()) {
		return err
	}
	who := auth.Principal{Workspace: w, Actor: "decisions", Kind: auth.ByOAuth, Scopes: []control.Scope{control.ScopeRead}}
	_, err = a.tools.Answer(ctx, who, tools.DecisionFeed.Name, json.RawMessage(`{}`))
	if fault.KindOf(err) == fault.KindUnavailable {
		return nil // the service is busy; the next tick tries again
	}
	f.computed(state.Key, err)
	return err
}
