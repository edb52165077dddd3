package consoletest

import (
	"context"
	"log/slog"
	"testing"

	"github.com/jonboulle/clockwork"

	"assay/internal/console/measurement"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/jobs"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/panics"
)

// Models has one state for all workspaces. Its trainings run until they are canceled.
type Models struct {
	Current measurement.ModelState   // without the job; tests change it between requests
	Began   chan measure.WorkspaceID // receives the workspace of a training that has begun
	Ended   chan measure.WorkspaceID // receives the workspace of a training that was canceled

	runner *jobs.Runner
}

// State returns the state with the last training of the workspace.
func (m *Models) State(_ context.Context, w control.Workspace) (measurement.ModelState, error) {
	state := m.Current
	if job, ok := m.runner.Last(jobs.Training, w.ID); ok {
		state.Job = &job
	}
	return state, nil
}

func (m *Models) train(ctx context.Context, w control.Workspace, t *jobs.Task) error {
	t.Progress(40, 100)
	m.Began <- w.ID
	<-ctx.Done()
	m.Ended <- w.ID
	return ctx.Err()
}

// running starts the runner of trainings and waits until the runner queries the store.
func (m *Models) running(t *testing.T, store *sqlstore.Store) {
	t.Helper()
	serving := servingStore{store, make(chan struct{})}
	m.Began, m.Ended = make(chan measure.WorkspaceID, 1), make(chan measure.WorkspaceID, 1)
	m.runner = jobs.New(jobs.Options{
		Store: serving, Routines: []jobs.Routine{{Kind: jobs.Training, What: operation.TrainingTitle, Run: m.train}}, Clock: clockwork.NewRealClock(), Log: slog.New(slog.DiscardHandler),
	})
	ctx, stop := context.WithCancel(context.Background())
	var work panics.Group
	work.Go(func() { _ = m.runner.Run(ctx) })
	t.Cleanup(func() {
		stop()
		work.Wait()
	})
	<-serving.asked
}

// servingStore reports its first query.
type servingStore struct {
	*sqlstore.Store
	asked chan struct{}
}

func (s servingStore) Workspaces(ctx context.Context) ([]control.Workspace, error) {
	select {
	case <-s.asked:
	default:
		close(s.asked)
	}
	return s.Store.Workspaces(ctx)
}
