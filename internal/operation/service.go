package operation

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"assay/internal/accounts"
	"assay/internal/alert"
	"assay/internal/auth"
	"assay/internal/backup"
	"assay/internal/budgetchange"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/jobs"
	"assay/internal/measure"
	"assay/internal/oauth/people"
	"assay/internal/training"
	"assay/internal/warehouse"
)

// Control contains the parts that operations on control data use. Several processes may use them at the same time.
type Control struct {
	Store        *sqlstore.Store
	Keys         *auth.Keys
	People       *people.People
	Installation auth.Installation
	Now          func() time.Time // the real clock
	Log          *slog.Logger

	// AccessEnded is called after credentials ended or a workspace's settings changed, so that this process drops its
	// cached data about callers.
	AccessEnded func()
}

// Facts contains the parts that operations on facts use. Only the process that has locked the data directory has them.
type Facts struct {
	Warehouse *warehouse.Warehouse
	Models    *training.Keeper
	Jobs      *jobs.Runner
	TempDir   string                                                       // see [ingest.Options]
	Parquet   func(ctx context.Context, from, to string, most int64) error // see [ingest.Options]
	Known     Known
	Lag       Lag
	// Drop removes a workspace's facts.
	Drop func(ctx context.Context, ws measure.WorkspaceID) error
	// Unopened lists the workspaces with facts that cannot be opened.
	Unopened func() map[measure.WorkspaceID]error
	Backups  *backup.Schedule
	Accounts *accounts.Registry     // connected accounts of ad platforms
	Clock    func() time.Time       // the clock that answers use; a demo store may fix its day. nil: the real clock
	Budgets  *budgetchange.Executor // changes on ad platforms

	Snapshots alert.Snapshots // source of the values of alert rules
	Sender    alert.Sender    // sends alert messages
	// Weekly writes the summary of a workspace's most recent complete week, without the recipient's address.
	Weekly func(ctx context.Context, w control.Workspace) (alert.Letter, error)
}

// Known lists and resolves the names of channels and regions that a store uses. An unknown name is a fault of kind
// invalid that lists the known names.
type Known interface {
	Channels(ctx context.Context, w control.Workspace) ([]measure.Channel, error)
	Regions(ctx context.Context, w control.Workspace) ([]string, error)
	Channel(ctx context.Context, w control.Workspace, name string) (measure.Channel, error)
	Planned(ctx context.Context, w control.Workspace, e control.Experiment) (control.Experiment, error)
}

// Service runs operations. Its methods are safe for concurrent use.
type Service struct {
	Control
	Facts

	busy locks
}

// New returns a service for a data directory that this process has locked.
func New(c Control, f Facts) *Service {
	return &Service{Control: c, Facts: f}
}

// NewControl returns a service that runs operations on control data only, next to a service that has the facts open.
func NewControl(c Control) *Service { return &Service{Control: c} }

// enter waits for exclusive access to the workspace. A caller with a wait limit receives a fault of kind conflict when
// the limit is reached.
func (s *Service) enter(ctx context.Context, c Call) (leave func(), err error) {
	waiting := ctx
	if c.Caller.wait > 0 {
		var stop context.CancelFunc
		waiting, stop = context.WithTimeout(ctx, c.Caller.wait)
		defer stop()
	}
	wait := func() (err error) {
		leave, err = s.busy.enter(waiting, c.Workspace)
		return err
	}
	if c.task != nil {
		err = c.task.Await(wait)
	} else {
		err = wait()
	}
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, fault.Conflict("an import is running in this workspace: nothing was changed").
			WithHint("wait until the Data page lists the import, then try again")
	}
	return leave, err
}

// locks gives one operation at a time exclusive access to a workspace's facts. The zero value contains no lock.
type locks struct {
	mu   sync.Mutex // guards held
	held map[measure.WorkspaceID]chan struct{}
}

// enter waits for exclusive access to the workspace. The caller calls leave when it is done.
func (l *locks) enter(ctx context.Context, ws measure.WorkspaceID) (leave func(), err error) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[measure.WorkspaceID]chan struct{}{}
	}
	held := l.held[ws]
	if held == nil {
		held = make(chan struct{}, 1)
		l.held[ws] = held
	}
	l.mu.Unlock()
	select {
	case held <- struct{}{}:
		return func() { <-held }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isHeld reports whether an operation has locked the workspace.
func (l *locks) isHeld(ws measure.WorkspaceID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.held[ws]) > 0
}
