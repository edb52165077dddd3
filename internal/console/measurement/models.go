package measurement

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
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
	Why    []string   // reasons why it is not active
	Job    *jobs.Job  // the running or waiting training, else the training that ended last; nil: none
	Next   time.Time  // next scheduled training, zero if none
}

// Failed returns why the last training failed, "" if it did not fail.
func (s ModelState) Failed() string {
	if s.Job == nil {
		return ""
	}
	return s.Job.Failure
}

// modelsView is the view of the models page.
type modelsView struct {
	frame.Place
	ModelState
	Trains   bool           // the visitor can train models
	Progress *frame.JobView // the running or waiting training; nil: none
	Problem  string         // error of a form
	Verdict  []string
	Channels []channelRow
	Priors   []priorRow
	Tests    []testRow
	LeftOut  []string
	Plan     planView
	Cadences []control.Cadence
	Hours    []int
	Query    string // query of the charts and exports of this model
}

// Usable reports whether the model has results.
func (v modelsView) Usable() bool { return v.Model != nil && v.Model.Status != mix.Refused }

// channelRow is a channel as text. Money is per month.
type channelRow struct {
	Channel                                               string
	Spend, Incremental, Share, ROAS, Marginal, Saturation string
	Curve                                                 string // query of its response curve
}

// testRow is a completed experiment as text, with the estimate of the observational fit.
type testRow struct {
	Channel, Days, Result, Observational, Before, After, Verdict string
	Contradicts                                                  bool
}

// priorRow is a parameter with its prior and posterior.
type priorRow struct{ Channel, What, Before, After, Narrowed string }

func (c *modelPages) modelsPage(w http.ResponseWriter, v frame.Visit) {
	if p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace")); ok {
		c.showModels(w, v, http.StatusOK, p, "")
	}
}

func (c *modelPages) showModels(w http.ResponseWriter, v frame.Visit, status int, p frame.Place, problem string) {
	state, err := c.models.State(v.Context(), p.Workspace)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view := modelsView{Place: p, ModelState: state, Trains: p.Role.Writes(), Problem: problem, Cadences: control.Cadences()}
	if job := state.Job; job != nil && !job.State.Ended() {
		view.Progress = c.JobView(v, *job, view.Trains)
	}
	for hour := range 24 {
		view.Hours = append(view.Hours, hour)
	}
	if view.Usable() {
		query := url.Values{"workspace": {string(p.Workspace.ID)}, "v": {strconv.Itoa(state.Model.Version)}}
		view.Query = query.Encode()
		view.Verdict = verdict(state.Model)
		view.Plan = c.planOf(state.Model, p.Workspace, v.URL.Query())
		view.Channels = channelRows(state.Model, query, view.Plan)
		view.Priors = priorRows(state.Model)
		view.Tests = testRows(state.Model)
		for _, l := range state.Model.LeftOut {
			view.LeftOut = append(view.LeftOut, fmt.Sprintf("%s: %s", l.Channel, l.Reason))
		}
	}
	c.Render(w, v.Request, status, frame.Page{Name: "models", Title: "Media mix model", View: view, Visitor: &v.Visitor})
}

// verdict describes the convergence, fit and out-of-sample error of the model.
func verdict(m *mix.Model) []string {
	var out []string
	if d := m.Diagnostics; d != nil {
		out = append(out, fmt.Sprintf("The sampler converged: R-hat %.3f (limit 1.01), effective sample size at least %.0f (minimum 400), divergent transitions: %s (none allowed).",
			float64(d.RHatMax), math.Min(float64(d.ESSBulkMin), float64(d.ESSTailMin)), noneOr(d.Divergences)))
	}
	if a := m.Accuracy; a != nil {
		out = append(out, fmt.Sprintf("In-sample fit: R² is %.0f%% over %d weeks; the mean weekly error is %.1f%%.", 100*a.R2, m.Weeks, 100*a.WMAPE))
	}
	if h := m.Holdout; h != nil {
		out = append(out, fmt.Sprintf("Holdout: a fit without the last %d weeks predicts them with a mean error of %.1f%%.", mix.HoldoutWeeks, 100*h.WMAPE))
	} else {
		out = append(out, fmt.Sprintf("Holdout: the out-of-sample error for the last %d weeks is unknown because the fit without them did not converge or was not computed.", mix.HoldoutWeeks))
	}
	return append(out, "None of this proves causality. Spend that follows demand looks like its cause. Only an experiment can distinguish the two.")
}

func noneOr(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

func channelRows(m *mix.Model, query url.Values, plan planView) []channelRow {
	effects := slices.Clone(m.Effects)
	slices.SortStableFunc(effects, func(a, b mmm.ChannelEffect) int {
		return cmp.Compare(b.Contribution.Mean, a.Contribution.Mean)
	})
	var rows []channelRow
	for _, e := range effects {
		if e.ROAS == nil || e.MarginalROAS == nil {
			continue
		}
		reach, months := m.Reach(e.Channel), m.Months()
		q := url.Values{"of": {"curve"}, "channel": {string(e.Channel)}}
		maps.Copy(q, query)
		if planned, ok := plan.monthly[e.Channel]; ok {
			q.Set("plan", strconv.FormatFloat(planned, 'f', 0, 64))
		}
		rows = append(rows, channelRow{
			Channel: string(e.Channel), Spend: amount(e.Spend / months),
			Incremental: between(amount(e.Contribution.Mean/months), amount(e.Contribution.Q05/months), amount(e.Contribution.Q95/months)),
			Share:       fmt.Sprintf("%.1f%%", 100*e.Share.Mean),
			ROAS:        between(ratio(e.ROAS.Mean), ratio(e.ROAS.Q05), ratio(e.ROAS.Q95)),
			Marginal: between(ratio(e.MarginalROAS.Mean), ratio(e.MarginalROAS.Q05),
				ratio(e.MarginalROAS.Q95)),
			Saturation: fmt.Sprintf("%.0f%%", 100*reach.Saturation.Mean), Curve: q.Encode(),
		})
	}
	return rows
}

// parameterNames describes the parameters of the model.
var parameterNames = map[string]string{
	"roi": "ROAS: incremental revenue per unit of spend", "alpha": "adstock: share of a week's effect that carries over to the next week", "lam": "saturation: curvature of the response (0: linear)",
	"elasticity": "marginal ROAS at usual spend, as a share of ROAS",
	"sharpness":  "sharpness: where the curve saturates (small: gradually; large: at a ceiling)",
}

func priorRows(m *mix.Model) []priorRow {
	var rows []priorRow
	for _, b := range m.PriorPosteriors() {
		narrowed := "not narrower"
		if b.Narrowed > 0.01 {
			narrowed = fmt.Sprintf("%.0f%% narrower", 100*b.Narrowed)
		}
		say := func(e measure.Estimate) string { return between(ratio(e.Value), ratio(e.Low), ratio(e.High)) }
		rows = append(rows, priorRow{string(b.Channel), parameterNames[b.Parameter], say(b.Before), say(b.After), narrowed})
	}
	return rows
}

func testRows(m *mix.Model) []testRow {
	say := func(e measure.Estimate) string { return between(ratio(e.Value), ratio(e.Low), ratio(e.High)) }
	var rows []testRow
	for _, t := range m.Tests {
		row := testRow{Channel: string(t.Channel), Days: t.Days.Words(), Result: "–", Observational: "–", Before: "–", After: "–"}
		if !t.Used() {
			row.Verdict = "The model does not use it: " + t.Why + "."
			rows = append(rows, row)
			continue
		}
		row.Result, row.Verdict = say(t.PerCost()), "The model uses it. There is no observational fit to compare it with."
		for _, e := range m.Effects {
			if e.Channel == t.Channel && e.ROAS != nil {
				row.After = between(ratio(e.ROAS.Mean), ratio(e.ROAS.Q05), ratio(e.ROAS.Q95))
			}
		}
		if a := t.Observational; a != nil {
			row.Observational, row.Before = say(t.FitPerCost()), between(ratio(a.ROAS.Mean), ratio(a.ROAS.Q05), ratio(a.ROAS.Q95))
			row.Verdict = fmt.Sprintf("The model uses it. It differs from the observational fit by %.1f standard deviations and is consistent with it.", math.Abs(a.ZScore))
			if t.FitMorePrecise() {
				row.Verdict += " The observational fit is more precise, so the model has no confounding term for the channel."
			}
			if row.Contradicts = t.Contradicts(); row.Contradicts {
				row.Verdict = fmt.Sprintf("The model uses it, but it contradicts the observational fit by %.1f standard deviations. One of the two is wrong.", math.Abs(a.ZScore))
			}
		}
		rows = append(rows, row)
	}
	return rows
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
		c.Refuse(w, v.Request, http.StatusForbidden, "Your role cannot train models. Ask an analyst, admin or owner.")
		return
	}
	var err error
	switch v.PostForm.Get("action") {
	case "train":
		_, err = operation.StartTraining.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), operation.None{})
	case "schedule":
		if !p.Manages() {
			c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can change its settings.")
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
		c.showModels(w, v, http.StatusUnprocessableEntity, p, frame.PublicText(err))
	default:
		c.Fail(w, v.Request, err)
	}
}

// schedule changes the schedule of trainings.
func (c *modelPages) schedule(v frame.Visit, w control.Workspace) error {
	hour, err := strconv.Atoi(v.PostForm.Get("hour"))
	if err != nil {
		return fault.Invalid("the hour is not a number").WithHint("choose 0 to 23")
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
		return "monthly, on the first day"
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
