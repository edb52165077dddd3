package console

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

// trialAnswer is what the page reads of an answer of the tool experiments.
type trialAnswer struct {
	Summary  string         `json:"summary"`
	Currency money.Currency `json:"currency"`
	Rows     []trialRow     `json:"rows"`
	Warnings []struct{ Text string }
	Evidence *evidence `json:"evidence"`
}

type trialRow struct {
	ID          control.ExperimentID     `json:"experiment_id"`
	Name        string                   `json:"name"`
	Channel     measure.Channel          `json:"channel"`
	Kind        control.ExperimentKind   `json:"kind"`
	Status      control.ExperimentStatus `json:"status"`
	Start       civil.Date               `json:"start"`
	End         civil.Date               `json:"end"`
	Hypothesis  string                   `json:"hypothesis"`
	Applied     *bool                    `json:"applied"`
	Treated     []string                 `json:"treated_regions"`
	HeldOut     []string                 `json:"held_out_regions"`
	Lift        *guess                   `json:"lift_pct"`
	Return      *guess                   `json:"incremental_roas"`
	Incremental *guess                   `json:"incremental_revenue"`
	Factor      *guess                   `json:"factor"`
	Reported    *float64                 `json:"reported_roas"`
	PValue      *float64                 `json:"p_value"`
	Outcome     string                   `json:"outcome"`
	Why         string                   `json:"why"`
	Overlaps    []string                 `json:"overlaps"`
}

// Next returns where the experiment may go from where it stands. A study is completed with its result, by another form.
func (r trialRow) Next() []control.ExperimentStatus { return r.Status.Before() }

// Completed reports whether the experiment is over and was not cancelled.
func (r trialRow) Completed() bool { return r.Status == control.ExperimentCompleted }

// Study reports whether its result is entered by hand.
func (r trialRow) Study() bool { return r.Kind != control.GeoTest }

// Words says what was found.
func (r trialRow) Words() string {
	switch r.Outcome {
	case "effect_found":
		return "An effect was found"
	case "no_clear_effect":
		return "No clear effect: the interval holds zero"
	case "cannot_be_read":
		return "Cannot be read"
	}
	return ""
}

// guess is an estimate with its interval.
type guess struct{ Value, Low, High float64 }

type evidence struct {
	Donors  int     `json:"donor_regions"`
	Before  int     `json:"history_days"`
	LeftOut int     `json:"days_left_out"`
	Fit     float64 `json:"scaled_l2"`
	Notes   []string
	Weeks   []evidenceWeek
	Weights []struct {
		Region string
		Weight float64 `json:"weight_pct"`
	}
	Placebo *struct {
		Sets int
		Own  float64 `json:"own_effect_pct"`
		Bins []struct {
			From float64 `json:"from_pct"`
			To   float64 `json:"to_pct"`
			Sets int
		}
	}
}

type evidenceWeek struct {
	Start                         civil.Date
	Observed, Expected, Low, High float64
	During                        bool
}

// gateAnswer is what the page reads of an answer of the tool geo_experiment_preflight.
type gateAnswer struct {
	Summary   string
	Treatment []string `json:"treatment_regions"`
	Rows      []struct{ Gate, Status, Detail string }
	Metrics   struct {
		Planning   *float64 `json:"minimum_detectable_effect_pct"`
		Optimistic *float64 `json:"optimistic_effect_pct"`
	}
	Power []powerPoint
}

// powerPoint is a lift and the chance that a test finds it, in percent.
type powerPoint struct {
	Lift       float64  `json:"lift_pct"`
	Planning   float64  `json:"planning_pct"`
	Optimistic *float64 `json:"optimistic_pct"`
}

// experimentsView is what the page of experiments shows: all, or one of them with what its result rests on.
type experimentsView struct {
	place
	Answer  trialAnswer
	One     *trialRow
	Tiles   []tile
	Bars    []placeboBar
	Own     float64 // where the treated regions stand among the placebo sets, in units of the picture
	Check   *gateAnswer
	Channel string   // of the check
	Power   *picture // nil: no power is known
	Writes  bool     // the visitor may plan, move and apply
	Kinds   []control.ExperimentKind
	Problem string
	Form    url.Values // what was filled in, after a mistake
}

func (c *Console) experimentsPage(w http.ResponseWriter, v visit) {
	query := v.URL.Query()
	p, ok := c.placeOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	view := experimentsView{place: p, Channel: strings.TrimSpace(query.Get("channel"))}
	c.showExperiments(w, v, http.StatusOK, view, query.Get("experiment"))
}

func (c *Console) showExperiments(w http.ResponseWriter, v visit, status int, view experimentsView, id string) {
	view.Kinds = control.ExperimentKinds()
	view.Writes = view.Role.Writes()
	arguments := map[string]any{"view": "results", "detail_level": "analyst", "compact": true}
	if id != "" {
		arguments["experiment_id"] = id
	}
	if err := c.asked(v, view.place, "experiments", arguments, &view.Answer); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	if id != "" && len(view.Answer.Rows) == 1 {
		view.One = &view.Answer.Rows[0]
		view.Tiles = tilesOf(*view.One)
		view.Bars, view.Own = placeboBars(view.Answer.Evidence)
	}
	if view.Channel != "" && id == "" {
		found, err := c.checked(v, view.place, view.Channel)
		switch {
		case err == nil:
			view.Check = &found
		case fault.KindOf(err) == fault.KindInvalid:
			status = http.StatusBadRequest
			view.Problem = "The check could not be made. " + told(err)
		default:
			c.fail(w, v.Request, err)
			return
		}
		if len(found.Power) > 1 {
			of := url.Values{"workspace": {string(view.Workspace.ID)}, "channel": {view.Channel}}
			view.Power = &picture{powerPath + "?" + of.Encode(), "The chance that the test finds a lift, by the lift. The table below has the same figures."}
		}
	}
	c.render(w, v.Request, status, page{name: "experiments", title: "Experiments", view: view, visitor: &v.visitor, wide: true})
}

// checked asks whether a channel can be tested by region.
func (c *Console) checked(v visit, p place, channel string) (found gateAnswer, err error) {
	err = c.asked(v, p, "geo_experiment_preflight", map[string]any{"channel": channel, "detail_level": "analyst", "compact": true}, &found)
	return found, err
}

// powerPicture draws the chance that a test on a channel finds a lift.
func (c *Console) powerPicture(w http.ResponseWriter, v visit) {
	query := v.URL.Query()
	p, ok := c.placeOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	found, err := c.checked(v, p, query.Get("channel"))
	if err == nil && len(found.Power) < 2 {
		err = fault.NotReady("no power is known: %s", found.Summary)
	}
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	drawn := powerCurve(found)
	drawn.Theme, drawn.Width, drawn.Height = themeIn(query), wideWidth, wideHeight
	if query.Get("size") == "narrow" {
		drawn.Width, drawn.Height = narrowWidth, narrowHeight
	}
	svg, err := chart.DrawCurve(drawn)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	showPicture(w, svg, "no-store")
}

// powerCurve draws the planning figure as the line; the ground up to the optimistic one is shaded.
func powerCurve(found gateAnswer) chart.Curve {
	drawn := chart.Curve{
		Title: "Chance to find a lift", Across: "Lift of revenue in the treated regions, %", Up: "Chance that the test finds it, %",
		BandName: "between the planning and the optimistic figure",
	}
	for _, at := range found.Power {
		other := at.Planning
		if at.Optimistic != nil {
			other = *at.Optimistic
		}
		drawn.Points = append(drawn.Points, chart.CurvePoint{At: at.Lift, Value: at.Planning, Band: chart.Band{Low: min(at.Planning, other), High: max(at.Planning, other)}})
	}
	if found.Metrics.Planning != nil {
		drawn.Marks = append(drawn.Marks, chart.CurveMark{At: *found.Metrics.Planning, Label: "plan: " + figure(*found.Metrics.Planning, 1) + " %"})
	}
	if found.Metrics.Optimistic != nil {
		drawn.Marks = append(drawn.Marks, chart.CurveMark{At: *found.Metrics.Optimistic, Label: "optimistic: " + figure(*found.Metrics.Optimistic, 1) + " %"})
	}
	return drawn
}

// changeExperiments plans an experiment, brings one to another status, or applies its factor.
func (c *Console) changeExperiments(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Role.Writes() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Your role in this workspace only reads.")
		return
	}
	form, call := v.PostForm, v.calls(p.Workspace.ID)
	id := control.ExperimentID(form.Get("experiment"))
	var err error
	switch form.Get("action") {
	case "plan":
		var e control.Experiment
		if e, err = plannedIn(form, p.Workspace.ID); err == nil {
			_, err = operation.CreateExperiment.Do(v.Context(), c.operations, call, e)
		}
	case "move":
		m := control.Move{Workspace: p.Workspace.ID, ID: id, To: control.ExperimentStatus(form.Get("to"))}
		if m.Found, err = findingIn(form); err == nil {
			_, err = operation.MoveExperiment.Do(v.Context(), c.operations, call, m)
		}
	case "apply", "take-back":
		_, err = operation.ApplyFactor.Do(v.Context(), c.operations, call, operation.Factor{Experiment: id, Applied: form.Get("action") == "apply"})
	default:
		err = fault.Invalid("this form asks for nothing that is known")
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		to := url.Values{"workspace": {string(p.Workspace.ID)}}
		if id != "" {
			to.Set("experiment", string(id))
		}
		see(w, experimentsPath+"?"+to.Encode())
	case public && fault.KindOf(err) != fault.KindForbidden:
		view := experimentsView{place: p, Problem: told(err), Form: form}
		c.showExperiments(w, v, http.StatusUnprocessableEntity, view, string(id))
	default:
		c.fail(w, v.Request, err)
	}
}

// plannedIn reads a new experiment from its form.
func plannedIn(form url.Values, ws measure.WorkspaceID) (control.Experiment, error) {
	e := control.Experiment{
		Workspace: ws, Name: form.Get("name"), Hypothesis: strings.ReplaceAll(form.Get("hypothesis"), "\r\n", "\n"), Kind: control.ExperimentKind(form.Get("kind")),
		Channel: measure.Channel(form.Get("channel")), Status: control.ExperimentDraft, Treated: listIn(form.Get("treated")), HeldOut: listIn(form.Get("held_out")),
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
			wrong = append(wrong, fmt.Sprintf("%s: %q is not a day", f.label, text))
		}
	}
	if len(wrong) > 0 {
		return e, fault.Invalid("%s", strings.Join(wrong, "; ")).WithHint("write it as 2026-10-31")
	}
	return e, nil
}

// listIn reads names that stand between commas or on lines of their own.
func listIn(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == ';' }), func(s string) bool { return strings.TrimSpace(s) == "" })
}

// findingIn reads the result of a study; nil where none was filled in.
func findingIn(form url.Values) (*control.Finding, error) {
	if form.Get("return") == "" {
		return nil, nil
	}
	f := control.Finding{LevelPct: 90}
	var wrong []string
	for _, number := range []struct {
		name, label string
		to          *float64
	}{{"return", "return on spend", &f.Return}, {"low", "lower end", &f.Low}, {"high", "upper end", &f.High}} {
		var err error
		if *number.to, err = strconv.ParseFloat(strings.TrimSpace(form.Get(number.name)), 64); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %q is not a number", number.label, form.Get(number.name)))
		}
	}
	if len(wrong) > 0 {
		return nil, fault.Invalid("%s", strings.Join(wrong, "; ")).WithHint("write it as 1.8")
	}
	return &f, nil
}

// weeksPicture draws what was observed in the treated regions beside what was expected.
func (c *Console) weeksPicture(w http.ResponseWriter, v visit) {
	query := v.URL.Query()
	p, ok := c.placeOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	var found trialAnswer
	arguments := map[string]any{"view": "results", "detail_level": "analyst", "compact": true, "experiment_id": query.Get("experiment")}
	if err := c.asked(v, p, "experiments", arguments, &found); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	if found.Evidence == nil || len(found.Rows) != 1 {
		c.Refuse(w, v.Request, http.StatusNotFound, "There is no such picture.")
		return
	}
	drawn := weeksChart(found, themeIn(query))
	if query.Get("size") == "narrow" { // for a phone, where the wide one's letters would be too small
		drawn.Width, drawn.Height = 400, 340
	}
	picture, err := chart.Draw(drawn)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	showPicture(w, picture, "no-store")
}

func weeksChart(found trialAnswer, theme chart.Theme) chart.Chart {
	observed, expected := chart.Series{Name: "Observed"}, chart.Series{Name: "Expected without the test"}
	row := found.Rows[0]
	for _, w := range found.Evidence.Weeks {
		observed.Points = append(observed.Points, chart.Point{Date: w.Start, Value: w.Observed})
		expected.Points = append(expected.Points, chart.Point{Date: w.Start, Value: w.Expected, Band: &chart.Band{Low: w.Low, High: w.High}})
	}
	return chart.Chart{
		Title: "Revenue of the treated regions by week", Metric: "Revenue", Unit: chart.Money, Currency: found.Currency, Granularity: civil.ByWeek,
		Series: []chart.Series{observed, expected}, BandName: "nine in ten weeks before the test", Theme: theme, Width: 900, Height: 380,
		Annotations: []chart.Annotation{{Date: row.Start, Label: "start"}, {Date: row.End, Label: "end"}},
	}
}

// placeboBar is a bar of the histogram of placebo sets, in units of the picture.
type placeboBar struct{ X, Y, Width, Height float64 }

const (
	histogramWide = 480.0
	histogramHigh = 120.0
)

// placeboBars lays out the histogram, and where the treated regions stand in it.
func placeboBars(e *evidence) (bars []placeboBar, own float64) {
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
		own = max(2, min(histogramWide-2, histogramWide*(e.Placebo.Own-low)/span))
	}
	return bars, own
}

// figure writes a number with so many decimals and commas between thousands.
func figure(x float64, decimals int) string {
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if strings.HasPrefix(text, "-") && strings.Trim(whole, "0.,") != "" {
		return "−" + whole
	}
	return whole
}

// gateWords says what the verdict on a condition means.
func gateWords(status string) string {
	switch status {
	case "pass":
		return "Passed"
	case "warn":
		return "Take care"
	case "fail":
		return "Not passed"
	}
	return "Not known"
}
