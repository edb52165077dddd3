package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/jobs"
	"assay/internal/operation"
)

// jobView is a job on a page, with its progress and a button that cancels it.
type jobView struct {
	jobs.Job
	Starter   string // name of the person or command that started it
	MayCancel bool
	From      string // path of the page, which the visitor returns to
	Token     string // CSRF token
}

// jobView returns the view of a job on the page of the request.
func (c *core) jobView(v visit, j jobs.Job, mayCancel bool) *jobView {
	own := j.By == control.ActorOf(v.visitor.User.ID)
	return &jobView{
		Job: j, Starter: c.starter(v.Context(), j.By), MayCancel: mayCancel || own,
		From: v.URL.Path, Token: v.visitor.Secret.FormToken(formPurpose),
	}
}

// starter returns the name of the actor of a job.
func (c *core) starter(ctx context.Context, actor string) string {
	kind, id, found := strings.Cut(actor, ":")
	switch {
	case found && kind == "user":
		if u, err := c.people.Find(ctx, id); err == nil {
			return u.Email
		}
	case found && kind == "key":
		return "API key " + id
	}
	return actor
}

// Words describes the progress.
func (j jobView) Words() string {
	if j.State == jobs.Waiting {
		return "Waiting for other work to end"
	}
	if j.Total == 0 {
		return "In progress"
	}
	text := count(int64(j.Percent)) + "% done"
	if j.Unit == jobs.Bytes {
		text += ", " + size(int(j.Done)) + " of " + size(int(j.Total))
	}
	if left := left(j.Left()); left != "" {
		text += ", " + left
	}
	return text
}

// runningJobs returns the running and waiting jobs of the workspace that the visitor may see.
func (c *core) runningJobs(v visit, p place) ([]*jobView, error) {
	all, err := operation.ListJobs.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), operation.None{})
	var views []*jobView
	for _, j := range all {
		if !j.State.Ended() {
			views = append(views, c.jobView(v, j, true))
		}
	}
	return views, err
}

// jobsPath receives the form that cancels a job.
const jobsPath = "/jobs"

// cancelJob cancels a job and returns to the page of its button.
func (c *core) cancelJob(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	id := jobs.ID(v.PostForm.Get("job"))
	_, err := operation.CancelJob.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), id)
	if err != nil && fault.KindOf(err) != fault.KindNotFound { // a job that is not found has ended
		c.fail(w, v.Request, err)
		return
	}
	from, query := v.PostForm.Get("from"), url.Values{"workspace": {string(p.Workspace.ID)}}
	if from == taskPath {
		query.Set("task", string(id))
	} else if from != modelsPath {
		from = dataPath
	}
	see(w, from+"?"+query.Encode())
}
