package setup

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"

	"assay/internal/console/frame"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/jobs"
	"assay/internal/operation"
)

const (
	largeFile = 8 << 20 // minimum unpacked bytes of a file that is read in the background, with a progress page
	taskPause = 3       // seconds between reloads of the progress page
)

// answer shows the result of work on a file. It receives the workspace of the request that shows the result.
type answer func(http.ResponseWriter, frame.Visit, frame.Place)

// work processes a file with operations of the call, and returns the result page. A returned error is internal.
type work func(ctx context.Context, call operation.Call) (answer, error)

// perform processes a file immediately if its unpacked content is small. Otherwise it starts a background job and
// redirects to the progress page. perform releases the file when the work ends. The work waits for other imports
// instead of failing. The progress page shows that the job waits.
func (c *dataPages) perform(w http.ResponseWriter, v frame.Visit, p frame.Place, file ingest.File, what string, release func(), do work) {
	call := operation.Call{Workspace: p.Workspace.ID, Caller: operation.Member(v.Visitor.User.ID).Waiting()}
	if ingest.Weight(file, largeFile) < largeFile {
		defer release()
		_ = http.NewResponseController(w).SetWriteDeadline(c.Now().Add(importTime))
		end, err := do(v.Context(), call)
		if err != nil {
			c.Log.ErrorContext(v.Context(), "work on a file",
				slog.String("workspace", string(p.Workspace.ID)), slog.Any("error", err))
			end = c.unfinished(what)
			if fault.KindOf(err) == fault.KindUnavailable {
				w.Header().Set("Retry-After", "5")
				end = c.interrupted(what, frame.PublicText(err))
			}
		}
		end(w, v, p)
		return
	}
	inBackground := func(ctx context.Context, call operation.Call) (answer, error) {
		defer release()
		ctx, stop := context.WithTimeout(ctx, importTime)
		defer stop()
		return do(ctx, call)
	}
	job, err := operation.Start(v.Context(), c.Operations, call, jobs.Import, what, inBackground)
	switch {
	case err == nil:
		frame.See(w, taskAddress(job))
	case fault.KindOf(err) == fault.KindUnavailable:
		release()
		w.Header().Set("Retry-After", "60")
		c.Refuse(w, v.Request, http.StatusServiceUnavailable, frame.PublicText(err))
	default:
		release()
		c.Fail(w, v.Request, err)
	}
}

// taskAddress returns the address of the progress page of a job on a file.
func taskAddress(j jobs.Job) string {
	return taskPath + "?" + url.Values{"workspace": {string(j.Workspace)}, "task": {string(j.ID)}}.Encode()
}

// unfinished returns an answer that shows what to do after an internal error.
func (c *dataPages) unfinished(what string) answer {
	return func(w http.ResponseWriter, v frame.Visit, p frame.Place) {
		view := dataView{Place: p}
		view.Problem = what + " failed because of an internal error. Nothing was imported. Upload the file again. If the upload fails again, import the file on the server: assay import FILE --workspace " +
			string(p.Workspace.ID) + ". The log of the service contains the cause."
		c.showData(w, v, http.StatusInternalServerError, view)
	}
}

// interrupted returns an answer that shows why the work was interrupted and how to repeat it.
func (c *dataPages) interrupted(what, why string) answer {
	return func(w http.ResponseWriter, v frame.Visit, p frame.Place) {
		c.showData(w, v, http.StatusServiceUnavailable, dataView{Place: p, Messages: frame.Messages{Problem: what + " was interrupted. " + why +
			" The list of imports below shows whether the file was imported. If not, upload the file again. No row is imported twice."}})
	}
}

// taskView is the view of the progress page.
type taskView struct {
	frame.Place
	What     string
	Progress *frame.JobView
}

// taskPage shows the progress of a job on a file, and then its result, to the person who started the job.
func (c *dataPages) taskPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.importPlace(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	p.Here = dataPath
	call := v.Calls(p.Workspace.ID)
	job, ok := c.Operations.Jobs.Job(jobs.ID(query.Get("task")))
	if !ok || job.Workspace != p.Workspace.ID || job.By != call.Caller.Actor || job.Kind != jobs.Import.Name {
		c.showData(w, v, http.StatusNotFound, dataView{Place: p, Messages: frame.Messages{Problem: "Job not found: the service was restarted, or the job ended more than 30 minutes ago. " +
			"The list of imports below shows whether the file was imported. If not, upload the file again. No row is imported twice."}})
		return
	}
	switch job.State {
	case jobs.Done:
		if end, ok := jobs.Result[answer](c.Operations.Jobs, job.ID); ok {
			end(w, v, p)
			return
		}
		frame.See(w, dataPath+"?workspace="+string(p.Workspace.ID))
	case jobs.Cancelled:
		c.showData(w, v, http.StatusOK, dataView{Place: p, Messages: frame.Messages{Done: job.What + " was canceled. Assay stored nothing from the file. " +
			"Import the file from its preview, or upload it again."}})
	case jobs.Failed:
		if job.Failure == jobs.InternalFailure {
			c.unfinished(job.What)(w, v, p)
			return
		}
		c.interrupted(job.What, frame.Sentence(job.Failure))(w, v, p)
	case jobs.Waiting, jobs.Running:
		view := taskView{Place: p, What: job.What, Progress: c.JobView(v, job, true)}
		w.Header().Set("Refresh", strconv.Itoa(taskPause))
		title := fmt.Sprintf("%d%%: %s", job.Percent, job.What)
		c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "task", Title: title, View: view, Visitor: &v.Visitor})
	}
}
