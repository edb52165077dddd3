package frame

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/jobs"
)

// JobView is a job on a page, with its progress and a button that cancels it.
type JobView struct {
	jobs.Job
	Starter   string // name of the person or command that started it
	MayCancel bool
	From      string // path of the page that the visitor returns to
	Token     string // CSRF token
}

// JobView returns the view of a job on the page of the request.
func (c *Frame) JobView(v Visit, j jobs.Job, mayCancel bool) *JobView {
	own := j.By == control.ActorOf(v.Visitor.User.ID)
	return &JobView{
		Job: j, Starter: c.starter(v.Context(), j.By), MayCancel: mayCancel || own,
		From: v.URL.Path, Token: v.Visitor.Secret.FormToken(FormPurpose),
	}
}

// starter returns the name of the actor that started a job.
func (c *Frame) starter(ctx context.Context, actor string) string {
	kind, id, found := strings.Cut(actor, ":")
	switch {
	case found && kind == "user":
		if u, err := c.People.Find(ctx, id); err == nil {
			return u.Email
		}
	case found && kind == "key":
		return "API key " + id
	}
	return actor
}

// Words describes the progress.
func (j JobView) Words() string {
	if j.WaitsFor != "" {
		return "Done, but the result is not stored yet: waiting for " + j.WaitsFor
	}
	if j.State == jobs.Waiting {
		return "Waiting for another job to end"
	}
	if j.Total == 0 {
		return "In progress"
	}
	text := Count(int64(j.Percent)) + "% done"
	if j.Unit == jobs.Bytes {
		text += ", " + Size(int(j.Done)) + " of " + Size(int(j.Total))
	}
	if left := left(j.Left()); left != "" {
		text += ", " + left
	}
	return text
}

// left formats the remaining time.
func left(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < 10*time.Second:
		return "a few seconds remaining"
	case d < 90*time.Second:
		return fmt.Sprintf("about %d seconds remaining", int(d.Round(10*time.Second).Seconds()))
	}
	return fmt.Sprintf("about %d minutes remaining", int(math.Ceil(d.Minutes())))
}
