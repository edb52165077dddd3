package operation

import (
	"context"
	"io"
	"sync"

	"assay/internal/control"
	"assay/internal/ingest/singer"
	"assay/internal/ingest/webhook"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Stream is the messages of a Singer tap.
type Stream struct {
	Messages     io.Reader
	Emit         func(state []byte) error // is called with each state once everything before it is stored
	DryRun       bool
	SkipRejected bool
}

// ImportStream imports the messages of a Singer tap while they come. Each step waits for the workspace and checks the
// caller's permission, and other imports run in between. The report says what was done also when an error ended the work.
// Messages are a stream, so commands reach it by a route of its own and not as JSON.
var ImportStream = Operation[Stream, singer.Report]{
	Spec{Name: "import.singer", Needs: Write, Facts: true, Undo: "It cannot be undone. Run the tap from an earlier state to replace rows."},
	(*Run).importStream,
}

func (r *Run) importStream(ctx context.Context, in Stream) (singer.Report, error) {
	return singer.Run(ctx, r.Steps(), in.Messages, singer.Options{
		Workspace: r.Workspace, HashKey: r.Installation.HashKey(r.Workspace.ID), Emit: in.Emit,
		DryRun: in.DryRun, SkipRejected: in.SkipRejected, Clock: r.Now, Log: r.Log,
	})
}

// Messages are webhook messages of one workspace, and what became of them.
type Messages []control.Delivery

// ApplyMessages turns webhook messages into facts, in the background.
var ApplyMessages = Operation[Messages, webhook.Result]{
	Spec{Name: "import.messages", Needs: Write, Facts: true, Undo: "It cannot be undone. The shop sends the next version of an order."},
	(*Run).applyMessages,
}

func (r *Run) applyMessages(ctx context.Context, messages Messages) (webhook.Result, error) {
	return webhook.Run(ctx, r.Steps(), messages, webhook.Options{
		Workspace: r.Workspace, HashKey: r.Installation.HashKey(r.Workspace.ID), Now: r.Now(),
	})
}

// Steps returns the store of facts for work in several steps, each of which waits for the workspace.
func (r *Run) Steps() Steps { return Steps{r} }

// Steps is a store of facts for work that lasts. Each import waits for the workspace, and is a fault of kind not_found when
// the workspace was deleted meanwhile.
type Steps struct{ run *Run }

// FXRates returns the exchange rates that the store has.
func (s Steps) FXRates(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.FXRate, error) {
	return s.run.Warehouse.FXRates(ctx, ws)
}

// Order returns an order that the store has.
func (s Steps) Order(ctx context.Context, ws measure.WorkspaceID, ref warehouse.OrderRef) (warehouse.Order, bool, error) {
	return s.run.Warehouse.Order(ctx, ws, ref)
}

// Begin begins an import when it is the workspace's turn.
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

// step gives the workspace back when it is aborted, which follows a commit too.
type step struct {
	permittedImport
	leave func()
}

// Abort implements [warehouse.Import].
func (s *step) Abort() {
	s.permittedImport.Abort()
	s.leave()
}

// Busy reports whether an operation has the workspace's facts to itself.
func (s *Service) Busy(ws measure.WorkspaceID) bool { return s.busy.isHeld(ws) }
