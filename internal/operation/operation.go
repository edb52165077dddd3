// Package operation contains all changes of the service's state. An operation defines its permission, whether it waits
// for exclusive access to the workspace, its effect, its audit event, and how to undo it. Commands, the command socket,
// pages, tools and background work run the same operations.
//
// A change of control data writes its audit event in the transaction of the change. In this transaction the store also
// checks the role of a member again. A change of facts checks the role again when it has exclusive access, because it
// may have waited for an import. The audit event is written after the facts are changed.
package operation

import (
	"context"
	"encoding/json"
	"fmt"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/jobs"
	"assay/internal/measure"
)

// Operation is one change of state, or a query that commands send to a running service.
type Operation[In, Out any] struct {
	Spec
	run func(r *Run, ctx context.Context, in In) (Out, error)
}

// Spec describes an operation.
type Spec struct {
	Name  string     // such as "customer.forget": its path on the command socket and its name in logs
	Needs Permission // what the caller may do in the workspace
	Scope Scope
	Facts bool      // whether it uses facts: it then runs in the process that has locked the data directory
	Locks bool      // whether it waits for exclusive access to the workspace's facts
	Job   jobs.Kind // kind of the job that runs the operation, with progress and cancellation; the zero value: no job
	Undo  string    // how to undo it, one sentence; "" for queries
}

// titled is the input of operations that are jobs. Its title describes the job, such as "Importing orders.csv".
type titled interface{ title() string }

// Scope is the object of an operation.
type Scope int

// The scopes of operations: one workspace, or the whole installation.
const (
	OneWorkspace Scope = iota
	Installation       // only the operator may run the operation
)

// Call is one use of an operation.
type Call struct {
	Workspace measure.WorkspaceID // "" for operations of the installation
	Caller    Caller
	Progress  func(done, total int64) // nil: not reported

	task *jobs.Task // the job that the call is a part of; nil: an operation with a job starts its own job
}

// Run is a call in progress: the service's parts, the current workspace and the caller.
type Run struct {
	*Service
	Workspace control.Workspace // the zero value for operations of the installation
	Call      Call
	needs     Permission
}

// By returns the actor and the time of the change.
func (r *Run) By() control.By { return control.By{Actor: r.Call.Caller.Actor, At: r.Now()} }

// today returns the current day in the workspace's time zone, by the clock that answers use.
func (r *Run) today() civil.Date {
	now := r.Now()
	if r.Clock != nil {
		now = r.Clock()
	}
	return civil.DayOf(now, r.Workspace.Location())
}

// Permitted returns a fault of kind forbidden unless the caller may still make the change.
func (r *Run) Permitted(ctx context.Context) error {
	return r.permit(ctx, r.Call.Caller, r.Workspace.ID, r.needs)
}

// Do runs the operation for a caller. A caller without the permission receives a fault of kind forbidden. An unknown
// workspace is a fault of kind not_found. An operation with a job runs as a job that ends with ctx, unless the call is
// a part of another job.
func (o Operation[In, Out]) Do(ctx context.Context, s *Service, c Call, in In) (out Out, err error) {
	work, isJob := any(in).(titled)
	if !isJob || c.task != nil {
		return o.perform(ctx, s, c, in)
	}
	if err := s.permit(ctx, c.Caller, c.Workspace, o.Needs); err != nil {
		return out, err
	}
	spec := jobs.Spec{Kind: o.Job, Workspace: c.Workspace, By: c.Caller.Actor, What: work.title()}
	return jobs.Do(ctx, s.Jobs, spec, func(ctx context.Context, t *jobs.Task) (Out, error) {
		return o.perform(ctx, s, c.partOf(t), in)
	})
}

// partOf returns the call as a part of a job.
func (c Call) partOf(t *jobs.Task) Call {
	caller := c.Progress
	c.task, c.Progress = t, func(done, total int64) {
		t.Progress(done, total)
		if caller != nil {
			caller(done, total)
		}
	}
	return c
}

// Start runs several operations of a caller as one background job. The function work runs the operations with the given
// Call. The job continues after the caller's request ends. [jobs.Result] returns the job's result.
func Start[T any](
	ctx context.Context, s *Service, c Call, k jobs.Kind, what string, work func(ctx context.Context, c Call) (T, error),
) (jobs.Job, error) {
	if err := s.permit(ctx, c.Caller, c.Workspace, Write); err != nil {
		return jobs.Job{}, err
	}
	spec := jobs.Spec{Kind: k, Workspace: c.Workspace, By: c.Caller.Actor, What: what}
	return jobs.Start(ctx, s.Jobs, spec, func(ctx context.Context, t *jobs.Task) (T, error) {
		return work(ctx, c.partOf(t))
	})
}

// perform runs the operation as a part of the call's job, if the call has a job.
func (o Operation[In, Out]) perform(ctx context.Context, s *Service, c Call, in In) (out Out, err error) {
	r := &Run{Service: s, Call: c, needs: o.Needs}
	if o.Scope == Installation {
		if !c.Caller.operator() {
			return out, fault.Forbidden("only the operator of the installation can do this")
		}
		return o.run(r, ctx, in)
	}
	if err := s.permit(ctx, c.Caller, c.Workspace, o.Needs); err != nil {
		return out, err
	}
	if o.Locks {
		leave, err := s.enter(ctx, c)
		if err != nil {
			return out, err
		}
		defer leave()
		if err := s.permit(ctx, c.Caller, c.Workspace, o.Needs); err != nil {
			return out, err
		}
	}
	if r.Workspace, err = s.Store.Workspace(ctx, c.Workspace); err != nil {
		return out, err
	}
	return o.run(r, ctx, in)
}

// Served is an operation with JSON input and output, as commands send them to a running service.
type Served interface {
	Describe() Spec
	// Serve decodes the input and runs the operation. Input that does not match the operation's JSON is a fault of kind
	// invalid.
	Serve(ctx context.Context, s *Service, c Call, input json.RawMessage) (any, error)
}

// Describe implements [Served].
func (o Operation[In, Out]) Describe() Spec { return o.Spec }

// Serve implements [Served].
func (o Operation[In, Out]) Serve(ctx context.Context, s *Service, c Call, input json.RawMessage) (any, error) {
	var in In
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, fault.Invalid("the input of %s cannot be read", o.Name).Wrap(fmt.Errorf("decode: %w", err))
	}
	return o.Do(ctx, s, c, in)
}

// None is the input or output of operations that have none.
type None struct{}

// All lists the operations with JSON input and output, grouped by subject. It omits [ImportStream] and [ApplyMessages],
// because their inputs are streams and messages.
func All() []Served {
	return []Served{
		CreateWorkspace, UpdateWorkspace, DeleteWorkspace, ClearFacts, ListUnopened,
		CreateKey, RevokeKey, RotateKey, RevokeGrant,
		AddMember, ResetPassword, Invite, WithdrawInvitation, ChangeRole, RemoveMember,
		AddWebhookSecret, RemoveWebhookSecret,
		CreateShare, RevokeShare, ListShares,
		AddConnection, ListConnections, TestConnections, RemoveConnection,
		ImportFiles, Export, ReadHistory,
		SaveMapping, ChangeMapping, DeleteMapping,
		ForgetCustomer,
		ListChannels, ListRegions,
		SetTarget, RemoveTarget, ListTargets,
		SetCost, RemoveCost, ListCosts,
		CreateAlert, RemoveAlert, ListAlerts, ListAlertEvents, AddAlertWebhook, AddAlertEmail, RemoveDestination, ListDestinations, TestAlerts,
		ChooseWeekly, StopWeekly, ListWeekly, ShowWeekly,
		CreateExperiment, AddExperiment, MoveExperiment, MoveExperimentOnce, ApplyFactor,
		AddAnnotation, ListAnnotations, RemoveAnnotation,
		SaveReport, ListReports, RemoveReport,
		DismissInsight, RestoreInsight,
		MapCoupon,
		PreviewBudgetChange, ExecuteBudgetChange, RollBackBudgetChange, ApproveBudgetChange, RejectBudgetChange,
		ListBudgetChanges, ShowBudgetChange, ShowGuardrails, SetGuardrails,
		TrainModel, StartTraining, CancelTraining,
		MakeBackup,
		ListJobs, CancelJob,
	}
}
