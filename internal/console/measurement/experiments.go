package measurement

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/console/measurement/tilemap"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/tools"
)

// experimentRow is an experiment with its result.
type experimentRow struct{ tools.ExperimentRow }

// Next returns the statuses that can follow the current one. A lift study is completed in another form, together
// with the result.
func (r experimentRow) Next() []control.ExperimentStatus { return r.Status.Before() }

// Completed reports whether the experiment is completed.
func (r experimentRow) Completed() bool { return r.Status == control.ExperimentCompleted }

// Study reports whether the result is entered manually.
func (r experimentRow) Study() bool { return r.Kind != control.GeoTest }

// Words describes the outcome.
func (r experimentRow) Words() string {
	switch r.Outcome {
	case tools.EffectFound:
		return "Effect detected"
	case tools.NoClearEffect:
		return "Inconclusive: the interval (90%) of the effect includes zero"
	case tools.NoResult:
		return "No result"
	}
	return ""
}

// experimentsView is the view of all experiments, or of one experiment with its evidence.
type experimentsView struct {
	frame.Place
	frame.Messages
	Heading, Lead string
	Blocks        []frame.Block   // below one another
	Halves        []frame.Block   // next to each other
	Open          []experimentRow // experiments that are not completed, so their status can change

	One   *experimentRow            // the experiment with its evidence; nil for all experiments
	Found *tools.ExperimentEvidence // evidence of one experiment; nil without a result
	KPIs  []frame.KPI
	Tiles []tilemap.Tile
	Bars  []placeboBar
	Own   float64 // position of the treated regions in the placebo histogram, in SVG units

	Writes   bool // the visitor can plan experiments, change their status and apply factors
	Kinds    []control.ExperimentKind
	Channels frame.ChannelList // choices of the form, like the regions
	Treated  frame.Choices
	HeldOut  frame.Choices
	Form     url.Values // submitted values, after an error
}

func (c *experimentPages) experimentsPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	if channel := query.Get("channel"); channel != "" { // the readiness check is a step of the plan
		frame.See(w, planPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}, "channel": {channel}}.Encode())
		return
	}
	c.showExperiments(w, v, http.StatusOK, experimentsView{Place: p}, query.Get("experiment"))
}

func (c *experimentPages) showExperiments(w http.ResponseWriter, v frame.Visit, status int, view experimentsView, id string) {
	view.Kinds, view.Writes = control.ExperimentKinds(), view.Role.Writes()
	found, err := c.results(v, view.Place, id)
	switch {
	case err != nil:
	case id != "" && len(found.Rows) == 1:
		c.one(&view, found)
	default:
		err = c.all(v, &view, found)
	}
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	for _, b := range slices.Concat(view.Blocks, view.Halves) {
		if b.Table != nil {
			b.Table.Show(v.URL)
		}
	}
	c.Render(w, v.Request, status, frame.Page{Name: "experiments", Title: view.Heading, View: view, Visitor: &v.Visitor})
}

// results returns all experiments with their results, or one experiment with its evidence.
func (c *experimentPages) results(v frame.Visit, p frame.Place, id string) (*tools.ExperimentsAnswer, error) {
	return frame.AnswerOf(c.Frame, v, p, tools.Experiments, resultsArguments(id))
}

// changeExperiments plans an experiment, changes its status, or applies or removes its factor.
func (c *experimentPages) changeExperiments(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Role.Writes() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Your role cannot change experiments. Ask an owner, admin or analyst.")
		return
	}
	form, call := v.PostForm, v.Calls(p.Workspace.ID)
	id := control.ExperimentID(form.Get("experiment"))
	var err error
	switch form.Get("action") {
	case "plan":
		var e control.Experiment
		if e, err = plannedIn(form, p.Workspace.ID); err == nil {
			_, err = operation.CreateExperiment.Do(v.Context(), c.Operations, call, e)
		}
	case "move":
		m := control.Move{Workspace: p.Workspace.ID, ID: id, To: control.ExperimentStatus(form.Get("to"))}
		if m.Found, err = findingIn(form); err == nil {
			_, err = operation.MoveExperiment.Do(v.Context(), c.Operations, call, m)
		}
	case "apply":
		if err = c.conclusive(v, p, id, form.Get("insist") != ""); err == nil {
			_, err = operation.ApplyFactor.Do(v.Context(), c.Operations, call, operation.Factor{Experiment: id, Applied: true})
		}
	case "take-back":
		_, err = operation.ApplyFactor.Do(v.Context(), c.Operations, call, operation.Factor{Experiment: id})
	default:
		err = frame.ErrUnknownAction
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		to := url.Values{"workspace": {string(p.Workspace.ID)}}
		if id != "" {
			to.Set("experiment", string(id))
		}
		frame.See(w, experimentsPath+"?"+to.Encode())
	case public && fault.KindOf(err) != fault.KindForbidden:
		view := experimentsView{Place: p, Messages: frame.Messages{Problem: frame.PublicText(err)}, Form: form}
		c.showExperiments(w, v, http.StatusUnprocessableEntity, view, string(id))
	default:
		c.Fail(w, v.Request, err)
	}
}

// conclusive returns a fault for an inconclusive experiment, unless the member confirms the use of the factor.
func (c *experimentPages) conclusive(v frame.Visit, p frame.Place, id control.ExperimentID, insists bool) error {
	if insists || id == "" {
		return nil
	}
	found, err := c.results(v, p, string(id))
	if err != nil {
		return err
	}
	if len(found.Rows) == 1 && found.Rows[0].Outcome == tools.NoClearEffect {
		return fault.Conflict("the experiment is inconclusive: the interval (90%%) of the effect includes zero").
			WithHint("select “Use the inconclusive result” to apply the factor")
	}
	return nil
}

// plannedIn reads a new experiment from the form.
func plannedIn(form url.Values, ws measure.WorkspaceID) (control.Experiment, error) {
	e := control.Experiment{
		Workspace: ws, Name: form.Get("name"), Hypothesis: strings.ReplaceAll(form.Get("hypothesis"), "\r\n", "\n"), Kind: control.ExperimentKind(form.Get("kind")),
		Channel: measure.Channel(form.Get("channel")), Status: control.ExperimentDraft, Treated: frame.Values(form["treated"]), HeldOut: frame.Values(form["held_out"]),
	}
	var wrong []string
	for _, f := range []struct {
		name, label string
		to          *civil.Date
	}{{"start", "first day", &e.Days.First}, {"end", "last day", &e.Days.Last}} {
		text := strings.TrimSpace(form.Get(f.name))
		if text == "" {
			continue
		}
		var err error
		if *f.to, err = civil.Parse(text); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %q is not a calendar date", f.label, text))
		}
	}
	if len(wrong) > 0 {
		return e, fault.Invalid("%s", strings.Join(wrong, "; ")).WithHint("use YYYY-MM-DD, such as 2026-10-31")
	}
	return e, nil
}

// findingIn reads the result of a study from the form. It returns nil if the result is empty.
func findingIn(form url.Values) (*control.Finding, error) {
	if form.Get("return") == "" {
		return nil, nil
	}
	f := control.Finding{LevelPct: 90}
	var wrong []string
	for _, number := range []struct {
		name, label string
		to          *float64
	}{{"return", "incremental ROAS", &f.Return}, {"low", "lower bound", &f.Low}, {"high", "upper bound", &f.High}} {
		var err error
		if *number.to, err = strconv.ParseFloat(strings.TrimSpace(form.Get(number.name)), 64); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %q is not a number", number.label, form.Get(number.name)))
		}
	}
	if len(wrong) > 0 {
		return nil, fault.Invalid("%s", strings.Join(wrong, "; ")).WithHint("enter a number such as 1.8")
	}
	return &f, nil
}

// placeboBar is a bar of the placebo histogram, in SVG units.
type placeboBar struct{ X, Y, Width, Height float64 }

const (
	histogramWide = 480.0
	histogramHigh = 120.0
)

// placeboBars returns the bars of the placebo histogram and the position of the treated regions.
func placeboBars(e *tools.ExperimentEvidence) (bars []placeboBar, own float64) {
	if e == nil || e.Placebo == nil || len(e.Placebo.Bins) == 0 {
		return nil, 0
	}
	bins, most := e.Placebo.Bins, 1
	for _, b := range bins {
		most = max(most, b.Sets)
	}
	wide := histogramWide / float64(len(bins))
	for i, b := range bins {
		high := histogramHigh * float64(b.Sets) / float64(most)
		bars = append(bars, placeboBar{X: float64(i) * wide, Y: histogramHigh - high, Width: wide - 1, Height: high})
	}
	low, span := bins[0].From, bins[len(bins)-1].To-bins[0].From
	if span > 0 {
		own = max(2, min(histogramWide-2, histogramWide*float64((e.Placebo.Own-low)/span)))
	}
	return bars, own
}
