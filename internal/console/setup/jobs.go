package setup

import (
	"net/http"
	"net/url"

	"assay/internal/console/frame"
	"assay/internal/fault"
	"assay/internal/jobs"
	"assay/internal/operation"
)

// runningJobs returns the running and waiting jobs of the workspace that the visitor may see.
func (c *dataPages) runningJobs(v frame.Visit, p frame.Place) ([]*frame.JobView, error) {
	all, err := operation.ListJobs.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), operation.None{})
	var views []*frame.JobView
	for _, j := range all {
		if !j.State.Ended() {
			views = append(views, c.JobView(v, j, true))
		}
	}
	return views, err
}

// jobsPath is the path that receives the form that cancels a job.
const jobsPath = "/jobs"

// cancelJob cancels a job and redirects to the form's page.
func (c *settingsPages) cancelJob(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	id := jobs.ID(v.PostForm.Get("job"))
	_, err := operation.CancelJob.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), id)
	if err != nil && fault.KindOf(err) != fault.KindNotFound { // a job that is not found has ended
		c.Fail(w, v.Request, err)
		return
	}
	from, query := v.PostForm.Get("from"), url.Values{"workspace": {string(p.Workspace.ID)}}
	if from == taskPath {
		query.Set("task", string(id))
	} else if from != frame.ModelsPath {
		from = dataPath
	}
	frame.See(w, from+"?"+query.Encode())
}
