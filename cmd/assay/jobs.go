package main

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/jobs"
	"assay/internal/operation"
)

type jobsCommand struct {
	List   jobsList   `cmd:"" help:"List imports, trainings and forecasts that are running or ended in the last 30 minutes."`
	Cancel jobsCancel `cmd:"" help:"Cancel a running job."`
}

type jobsList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the jobs."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run lists the jobs.
func (c *jobsList) Run(ctx context.Context, con *console) error {
	all, err := do(ctx, con, c.dataFlag, operation.ListJobs, "jobs list", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	if c.JSON {
		if all == nil {
			all = []jobs.Job{}
		}
		return printJSON(con.out, all)
	}
	if len(all) == 0 {
		fmt.Fprintln(con.errs, "no running or recent jobs in the workspace")
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "job", "state", "progress", "started by", "started"})
	for _, j := range all {
		t.AppendRow(table.Row{j.ID, j.What, stateOf(j), progressOf(j), j.By, orNever(j.Asked)})
	}
	t.Render()
	return nil
}

func stateOf(j jobs.Job) string {
	if j.Failure != "" {
		return string(j.State) + ": " + j.Failure
	}
	if j.WaitsFor != "" {
		return string(j.State) + " for " + j.WaitsFor
	}
	return string(j.State)
}

func progressOf(j jobs.Job) string {
	if j.Total == 0 && j.State != jobs.Done {
		return ""
	}
	return fmt.Sprintf("%d%%", j.Percent)
}

type jobsCancel struct {
	dataFlag
	Workspace string  `required:"" placeholder:"W" help:"Workspace of the job."`
	ID        jobs.ID `arg:"" help:"ID of the job (assay jobs list)."`
}

// Run cancels the job and prints the effect of the cancellation.
func (c *jobsCancel) Run(ctx context.Context, con *console) error {
	job, err := do(ctx, con, c.dataFlag, operation.CancelJob, "jobs cancel", c.Workspace, c.ID)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(con.errs, "canceled: %s. %s\n", job.What, job.Cancelling)
	return err
}
