package feed

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/jobs"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// slowNames blocks the lookup of a marketing channel: it sends to hold, receives from hold, and then returns the
// channel.
type slowNames struct{ hold chan struct{} }

func (n slowNames) Channel(context.Context, control.Workspace, string) (measure.Channel, error) {
	n.hold <- struct{}{} // the workspace is locked
	<-n.hold
	return "facebook", nil
}

func (slowNames) Channels(context.Context, control.Workspace) ([]measure.Channel, error) {
	return nil, nil
}

func (slowNames) Regions(context.Context, control.Workspace) ([]string, error) { return nil, nil }

func (slowNames) Planned(_ context.Context, _ control.Workspace, e control.Experiment) (control.Experiment, error) {
	return e, nil
}

// newFeed returns a feed on real stores with the workspace w.
func newFeed(t *testing.T, known operation.Known) *Feed {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Log: log, Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close(context.Background()) })
	operations := operation.New(operation.Control{
		Store: store, Installation: auth.NewInstallation(make([]byte, 32)), Now: time.Now, Log: log, AccessEnded: func() {},
	}, operation.Facts{
		Warehouse: warehouse.New(engine), Known: known, Drop: engine.Drop, Unopened: engine.Unopened,
		Jobs: jobs.New(jobs.Options{Store: store, Clock: clockwork.NewRealClock(), Log: log}),
	})
	if _, err := store.CreateWorkspace(t.Context(), control.NewWorkspace("W"), control.By{Actor: "test", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	return New(Options{Operations: operations})
}

// Messages of a workspace with a running import wait and do not block messages of other workspaces.
func TestWebhookMessagesWaitForARunningImport(t *testing.T) {
	t.Parallel()
	names := slowNames{make(chan struct{})}
	f := newFeed(t, names)
	changed := make(chan error, 1)
	go func() {
		_, err := operation.SetTarget.Do(t.Context(), f.Service, operation.Call{Workspace: "w", Caller: operation.Operator("test")},
			operation.Target{Metric: "revenue", Period: "monthly", Start: civil.New(2036, time.November, 1), Channel: "facebook", Value: 1})
		changed <- err
	}()
	<-names.hold
	d := control.Delivery{Workspace: "w", ID: "m", Topic: "customers/data_request", At: time.Now(), Sent: time.Now(), Body: []byte(`{"id":"1","hashes":["a"]}`)}
	if _, err := f.Store.Receive(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // a failing test must not hang
	defer cancel()
	if err := f.all(ctx, "w"); err != nil {
		t.Errorf("during an import: got %v, want nil", err)
	}
	close(names.hold)
	if err := <-changed; err != nil {
		t.Error(err)
	}
	if err := f.all(t.Context(), "w"); err != nil {
		t.Error(err)
	}
	if waiting, err := f.Store.Awaiting(t.Context()); err != nil || len(waiting) != 0 {
		t.Errorf("messages of %v wait, %v", waiting, err)
	}
}
