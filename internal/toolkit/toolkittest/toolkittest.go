// Package toolkittest contains helpers for tests and benchmarks of the tools.
package toolkittest

import (
	"context"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/mix"
)

// Nothing implements the stores that a test does not need. It has no model, experiments, keys or webhooks. Its call log
// discards calls, and its callers have unchanged permissions.
type Nothing struct{}

// MMM returns no model.
func (Nothing) MMM(context.Context, control.Workspace) (mix.Held, error) { return mix.Held{}, nil }

// Experiments returns no experiments.
func (Nothing) Experiments(context.Context, measure.WorkspaceID) ([]control.Experiment, error) {
	return nil, nil
}

// Keys returns no keys.
func (Nothing) Keys(context.Context, measure.WorkspaceID) ([]control.Key, error) { return nil, nil }

// Connections returns no connections.
func (Nothing) Connections(context.Context, measure.WorkspaceID) ([]control.Connection, error) {
	return nil, nil
}

// HookState returns the state of a workspace without webhooks.
func (Nothing) HookState(context.Context, measure.WorkspaceID) (control.HookState, error) {
	return control.HookState{}, nil
}

// Note discards the call.
func (Nothing) Note(control.Call) {}

// Renew returns the caller unchanged.
func (Nothing) Renew(_ context.Context, p auth.Principal) (auth.Principal, error) { return p, nil }
