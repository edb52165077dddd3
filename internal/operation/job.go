package operation

import (
	"context"
	"slices"

	"assay/internal/fault"
	"assay/internal/jobs"
)

// ListJobs returns the workspace's jobs: running and waiting jobs, and background jobs that ended within the last 30
// minutes. Callers who may write see all jobs. Others see the jobs that they started.
var ListJobs = Operation[None, []jobs.Job]{
	Spec{Name: "job.list", Needs: Read, Facts: true},
	(*Run).listJobs,
}

func (r *Run) listJobs(ctx context.Context, _ None) ([]jobs.Job, error) {
	all := r.Jobs.Jobs(r.Workspace.ID)
	if r.permit(ctx, r.Call.Caller, r.Workspace.ID, Write) == nil {
		return all, nil
	}
	return slices.DeleteFunc(all, func(j jobs.Job) bool { return j.By != r.Call.Caller.Actor }), nil
}

// CancelJob cancels a running or waiting job. An ended job, or a job that the caller may not see, is a fault of kind
// not_found.
var CancelJob = Operation[jobs.ID, jobs.Job]{
	Spec{Name: "job.cancel", Needs: Read, Facts: true, Undo: "Start the work again."},
	(*Run).cancelJob,
}

func (r *Run) cancelJob(ctx context.Context, id jobs.ID) (jobs.Job, error) {
	all, err := r.listJobs(ctx, None{})
	if err != nil {
		return jobs.Job{}, err
	}
	at := slices.IndexFunc(all, func(j jobs.Job) bool { return j.ID == id })
	if at < 0 || !r.Jobs.Cancel(id) {
		return jobs.Job{}, fault.NotFound("no job %q is running in workspace %q", id, r.Workspace.ID).
			WithHint("the job may have ended; `assay jobs list --workspace %s` lists the jobs", r.Workspace.ID)
	}
	return all[at], nil
}
