// Package toolkittest contains helpers for tests and benchmarks of the tools.
package toolkittest

import (
	"context"
	"testing"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/snapshot"
	"assay/internal/warehouse/storetest"
)

// ShopReader returns the reader of a new store. The workspace "shop" contains the facts of [storetest.Shop].
func ShopReader(t testing.TB) *snapshot.Reader {
	t.Helper()
	facts := storetest.Open(t)
	storetest.Load(t, facts, "shop", "shop.csv", storetest.Shop())
	reader, err := snapshot.NewReader(snapshot.Sources{Facts: facts, Models: Nothing{}, Experiments: Nothing{}, Clock: storetest.Clock, Now: storetest.Clock})
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// Model returns a model with one channel that spends 100 per week for eight weeks.
func Model(t testing.TB, channel measure.Channel) *mix.Model {
	t.Helper()
	const weeks = 8
	window := civil.Range{First: civil.MustParse("2026-01-05"), Last: civil.MustParse("2026-03-01")}
	data := mmm.Data{Media: []mmm.Media{{Channel: channel}}}
	for i := range weeks {
		data.Dates = append(data.Dates, window.First.AddDays(7*i))
		data.Target = append(data.Target, 1000+float64(i))
		data.Media[0].Exposure = append(data.Media[0].Exposure, 100)
	}
	name := string(channel)
	m := &mix.Model{Version: 1, Status: mix.Active, Window: window, Weeks: weeks, Saved: &mmm.Saved{
		Data: data, Spec: mmm.Spec{Adstock: mmm.Adstock{Kind: mmm.Immediately, Lags: 1}, Saturation: mmm.MichaelisMenten},
		Chains: 1, Parameters: []string{name + ".beta", name + ".kappa", "intercept", "trend", "sigma"},
		Draws: [][]float64{{0.4, 0.5, 0.6, 0, 0.1}, {0.6, 0.5, 0.4, 0, 0.1}},
	}}
	for _, prepare := range []func() error{m.Open, m.Warm} {
		if err := prepare(); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

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
