package measurement

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/jobs"
	"assay/internal/measure/mix"
	"assay/internal/operation"
)

// Models reads the media mix models of workspaces.
type Models interface {
	// State returns the model of the workspace and its status today.
	State(ctx context.Context, w control.Workspace) (ModelState, error)
}

// ModelState is a model and its status.
type ModelState struct {
	mix.Held
	Status mix.Status // "" without a model
	Why    []string   // reasons why the model is not active
	Job    *jobs.Job  // the running or waiting training, else the training that ended last; nil: none
	Next   time.Time  // next scheduled training, zero if none
}

// Failed returns the reason why the last training failed, or "" if it did not fail.
func (s ModelState) Failed() string {
	if s.Job == nil {
		return ""
	}
	return s.Job.Failure
}

// modelTab is a view of the media mix model with its own address.
type modelTab struct {
	path, name string
	fill       func(*modelPages, frame.Visit, *modelsView) error
}

// modelTabs returns the views of the media mix model. The Media mix model page shows the first view.
func modelTabs() []modelTab {
	return []modelTab{
		{frame.ModelsPath, "Summary", (*modelPages).summary},
		{frame.ModelsPath + "/fit", "Fit", (*modelPages).fit},
		{frame.ModelsPath + "/contributions", "Contributions", (*modelPages).contributions},
		{frame.ModelsPath + "/curves", "Response curves", (*modelPages).responses},
		{frame.ModelsPath + "/diagnostics", "Diagnostics", (*modelPages).diagnostics},
	}
}

// modelsView is a view of the media mix model.
type modelsView struct {
	frame.Place
	frame.Messages
	ModelState
	Heading, Lead string
	Tabs          []frame.Option
	Trains        bool           // the visitor can train models
	Progress      *frame.JobView // the running or waiting training; nil: none
	KPIs          []frame.KPI
	Blocks        []frame.Block // main column
	Facts         []frame.Fact  // side column
	Below         []frame.Block // full width
	Pictures      []picturePart
	Verdict       []string
	LeftOut       []string
	Warnings      []string
	Schedule      bool // shows exports and the schedule of trainings
	Cadences      []control.Cadence
	Hours         []int
	Query         string // query of the charts and exports of this model
}

// picturePart is a chart with its heading.
type picturePart struct {
	frame.Section
	Pictures []frame.Picture
}

// Usable reports whether the model has results.
func (v modelsView) Usable() bool { return v.Model != nil && v.Model.Status != mix.Refused }

func (c *modelPages) modelsPage(tab modelTab) func(http.ResponseWriter, frame.Visit) {
	return func(w http.ResponseWriter, v frame.Visit) {
		if p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace")); ok {
			c.showModels(w, v, http.StatusOK, p, tab, "")
		}
	}
}

func (c *modelPages) showModels(w http.ResponseWriter, v frame.Visit, status int, p frame.Place, tab modelTab, problem string) {
	state, err := c.models.State(v.Context(), p.Workspace)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	p.Here = frame.ModelsPath
	view := modelsView{
		Place: p, ModelState: state, Trains: p.Role.Writes(), Messages: frame.Messages{Problem: problem}, Cadences: control.Cadences(),
		Heading: "Media mix model",
	}
	if job := state.Job; job != nil && !job.State.Ended() {
		view.Progress = c.JobView(v, *job, view.Trains)
	}
	for hour := range 24 {
		view.Hours = append(view.Hours, hour)
	}
	if !view.Usable() {
		view.Schedule = true
	} else {
		query := url.Values{"workspace": {string(p.Workspace.ID)}, "v": {strconv.Itoa(state.Model.Version)}}
		view.Query = query.Encode()
		for _, one := range modelTabs() {
			address := one.path + "?" + url.Values{"workspace": {string(p.Workspace.ID)}}.Encode()
			view.Tabs = append(view.Tabs, frame.Option{Name: one.name, Address: address, Here: one.path == tab.path})
		}
		if err := tab.fill(c, v, &view); err != nil {
			c.Fail(w, v.Request, err)
			return
		}
		for _, b := range slices.Concat(view.Blocks, view.Below) {
			if b.Table != nil {
				b.Table.Show(v.URL)
			}
		}
	}
	c.Render(w, v.Request, status, frame.Page{Name: "models", Title: view.Heading, View: view, Visitor: &v.Visitor})
}

// verdict describes the convergence, fit and out-of-sample error of the model.
func verdict(m *mix.Model) []string {
	var out []string
	if d := m.Diagnostics; d != nil {
		out = append(out, fmt.Sprintf("The sampler converged. The maximum R-hat is %.3f (limit 1.01). The minimum effective sample size (ESS) is %.0f (required: 400). Divergent transitions: %s (none allowed).",
			float64(d.RHatMax), math.Min(float64(d.ESSBulkMin), float64(d.ESSTailMin)), noneOr(d.Divergences)))
	}
	if a := m.Accuracy; a != nil {
		out = append(out, fmt.Sprintf("In-sample fit: R² is %.0f%% over %d weeks. The weekly error (WMAPE) is %.1f%%.", 100*a.R2, m.Weeks, 100*a.WMAPE))
	}
	if h := m.Holdout; h != nil {
		out = append(out, fmt.Sprintf("Holdout: a fit without the last %d weeks of data predicts these weeks with an out-of-sample error (WMAPE) of %.1f%%.", mix.HoldoutWeeks, 100*h.WMAPE))
	} else {
		out = append(out, fmt.Sprintf("Holdout: the out-of-sample error is unknown, because the fit without the last %d weeks of data did not converge or was not computed.", mix.HoldoutWeeks))
	}
	return append(out, "These checks do not prove causality. Spend that follows demand can appear to cause demand. Only an experiment can measure the effect of spend.")
}

func noneOr(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

// parameterName returns the name of a parameter of the model and its meaning.
func parameterName(parameter string) (name, note string) {
	switch parameter {
	case "roi":
		return "ROAS", "incremental revenue per unit of spend"
	case "alpha":
		return "Adstock", "share of a week's effect that carries over to the next week"
	case "lam":
		return "Saturation", "curvature of the response curve (0: linear)"
	case "elasticity":
		return "Elasticity", "marginal ROAS at mean spend, as a share of ROAS"
	case "sharpness":
		return "Sharpness", "how abruptly the response curve saturates (small: gradually, large: abruptly)"
	}
	return parameter, ""
}

// amount formats money in whole units, without the currency.
func amount(v float64) string {
	if v < 0 {
		return "−" + frame.Count(int64(math.Round(-v)))
	}
	return frame.Count(int64(math.Round(v)))
}

func ratio(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// between formats an estimate with its interval.
func between(value, low, high string) string { return value + " (" + low + " to " + high + ")" }

// changeModels starts a training or changes the schedule.
func (c *modelPages) changeModels(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Role.Writes() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Your role cannot train models. Ask an owner, admin or analyst.")
		return
	}
	var err error
	switch v.PostForm.Get("action") {
	case "train":
		_, err = operation.StartTraining.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), operation.None{})
	case "schedule":
		if !p.Manages() {
			c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can change its settings. Ask an owner or admin.")
			return
		}
		err = c.schedule(v, p.Workspace)
	default:
		err = frame.ErrUnknownAction
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		frame.See(w, frame.ModelsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
	case public && fault.KindOf(err) != fault.KindForbidden:
		c.showModels(w, v, http.StatusUnprocessableEntity, p, modelTabs()[0], frame.PublicText(err))
	default:
		c.Fail(w, v.Request, err)
	}
}

// schedule changes the schedule of trainings.
func (c *modelPages) schedule(v frame.Visit, w control.Workspace) error {
	hour, err := strconv.Atoi(v.PostForm.Get("hour"))
	if err != nil {
		return fault.Invalid("the training hour is not a number").WithHint("choose an hour from 0 to 23")
	}
	retrain := control.Retrain{Cadence: control.Cadence(v.PostForm.Get("cadence")), Hour: hour}
	_, err = operation.UpdateWorkspace.Do(v.Context(), c.Operations, v.Calls(w.ID), operation.Settings{Retrain: &retrain})
	return err
}

// cadenceWords describes how often models are trained.
func cadenceWords(c control.Cadence) string {
	switch c {
	case control.Never:
		return "never"
	case control.Weekly:
		return "weekly, on Mondays"
	case control.Monthly:
		return "monthly, on the first day of the month"
	}
	return string(c)
}

// pictureOf returns the chart of a query. The parameter of names the chart. If it is "", the query contains the name.
func pictureOf(query, of, alt string) frame.Picture {
	if of != "" {
		query += "&of=" + of
	}
	return frame.Picture{Address: frame.ModelsPath + "/chart.svg?" + query, Alt: alt}
}

// scheduleForm is the form of the schedule with the CSRF token of the page.
type scheduleForm struct {
	View  modelsView
	Token string
}

func scheduleOf(v modelsView, token string) scheduleForm { return scheduleForm{v, token} }
