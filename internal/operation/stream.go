package operation

import (
	"context"
	"io"
	"sync"

	"assay/internal/control"
	"assay/internal/ingest/singer"
	"assay/internal/ingest/webhook"
	"assay/internal/jobs"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Stream contains the messages of a Singer tap.
type Stream struct {
	Messages     io.Reader
	Emit         func(state []byte) error // called with each state once all records before it are stored
	DryRun       bool
	SkipRejected bool
	Interrupt    func() // ends a waiting read of Messages after the job was canceled; nil: the next message ends it
}

// title implements [titled].
func (Stream) title() string { return "Importing from a Singer tap" }

// ImportStream imports the messages of a Singer tap as they arrive. Each step waits for exclusive access to the
// workspace and checks the caller's permission. Other imports may run between two steps. A report that accompanies an
// error describes what was done before the error. Because the input is a stream, commands use a separate route of the
// socket.
var ImportStream = Operation[Stream, singer.Report]{
	Spec{
		Name: "import.singer", Needs: Write, Facts: true, Job: jobs.Stream,
		Undo: "The action cannot be undone. Run the tap from an earlier state to replace rows.",
	},
	(*Run).importStream,
}

func (r *Run) importStream(ctx context.Context, in Stream) (singer.Report, error) {
	if in.Interrupt != nil {
		defer context.AfterFunc(ctx, in.Interrupt)()
	}
	return singer.Run(ctx, r.Steps(), in.Messages, singer.Options{
		Workspace: r.Workspace, HashKey: r.Installation.HashKey(r.Workspace.ID), Emit: in.Emit,
		DryRun: in.DryRun, SkipRejected: in.SkipRejected, Clock: r.Now, Log: r.Log,
	})
}

// Messages are webhook messages of one workspace.
type Messages []control.Delivery

// ApplyMessages imports webhook messages as facts, in the background.
var ApplyMessages = Operation[Messages, webhook.Result]{
	Spec{Name: "import.messages", Needs: Write, Facts: true, Undo: "The action cannot be undone. The shop sends the next version of an order."},
	(*Run).applyMessages,
}

func (r *Run) applyMessages(ctx context.Context, messages Messages) (webhook.Result, error) {
	return webhook.Run(ctx, r.Steps(), messages, webhook.Options{
		Workspace: r.Workspace, HashKey: r.Installation.HashKey(r.Workspace.ID), Now: r.Now(),
	})
}

// Steps returns the store of facts for work in several steps. Each import waits for exclusive access to the workspace.
func (r *Run) Steps() Steps { return Steps{r} }

// Steps is a store of facts for long work. Each import waits for exclusive access to the workspace. If the workspace
// has been deleted in the meantime, the import returns a fault of kind not_found.
type Steps struct{ run *Run }

// FXRates returns the exchange rates of the store.
func (s Steps) FXRates(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.FXRate, error) {
	return s.run.Warehouse.FXRates(ctx, ws)
}

// Order returns an order of the store.
func (s Steps) Order(ctx context.Context, ws measure.WorkspaceID, ref warehouse.OrderRef) (warehouse.Order, bool, error) {
	return s.run.Warehouse.Order(ctx, ws, ref)
}

// Begin waits for exclusive access to the workspace and begins an import.
func (s Steps) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	leave, err := s.run.busy.enter(ctx, spec.Workspace)
	if err != nil {
		return nil, err
	}
	if _, err := s.run.Store.Workspace(ctx, spec.Workspace); err != nil {
		leave()
		return nil, err
	}
	into, err := s.run.Warehouse.Begin(ctx, spec)
	if err != nil {
		leave()
		return nil, err
	}
	return &step{permittedImport{into, s.run}, sync.OnceFunc(leave)}, nil
}

// step is the import of one step of a stream. It releases the workspace in Abort, which is also called after a commit.
type step struct {
	permittedImport
	leave func()
}

// Abort implements [warehouse.Import].
func (s *step) Abort() {
	s.permittedImport.Abort()
	s.leave()
}

// Busy reports whether an operation has exclusive access to the workspace's facts.
func (s *Service) Busy(ws measure.WorkspaceID) bool { return s.busy.isHeld(ws) }
