package measurement

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	answers "assay/internal/answer"
	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
	"assay/internal/pacing"
	"assay/internal/snapshot"
	"assay/internal/tools"
)

// forecastRow is a target, forecast or alert.
type forecastRow struct {
	pacing.Row
	Gauge    frame.Picture
	Currency money.Currency
}

// pastRow is the accuracy of past forecasts.
type pastRow struct{ pacing.Accuracy }

// metricNames are the capitalized names of metrics.
var metricNames = map[snapshot.Metric]string{
	snapshot.Revenue: "Revenue", snapshot.Orders: "Orders", snapshot.Spend: "Spend", snapshot.ROAS: "ROAS",
}

// Name returns the metric and channel of the row.
func (r forecastRow) Name() string {
	name := cmp.Or(metricNames[r.Metric], string(r.Metric))
	if r.Channel != "" {
		name = string(r.Channel) + ": " + strings.ToLower(name)
	}
	return name
}

// decimalsOf returns the number of decimals for a figure of the metric.
func decimalsOf(metric snapshot.Metric, x float64) int {
	switch {
	case metric == snapshot.ROAS:
		return 2
	case metric == snapshot.Orders && math.Abs(x) < 100:
		return 1
	}
	return 0
}

// Figure formats a figure of the row, "" for nil.
func (r forecastRow) Figure(x *float64) string {
	if x == nil {
		return ""
	}
	if r.Currency != "" && (r.Metric == snapshot.Revenue || r.Metric == snapshot.Spend) {
		return money.Display(*x, decimalsOf(r.Metric, *x), r.Currency)
	}
	return frame.Figure(*x, decimalsOf(r.Metric, *x))
}

// Words describes the status.
func (r forecastRow) Words() string {
	return map[pacing.Status]string{
		pacing.OnTrack: "On track", pacing.AtRisk: "At risk", pacing.OffTrack: "Off track", pacing.OverBudget: "Over budget",
		pacing.WithinBudget: "Within budget", pacing.NearBudget: "Near budget", pacing.Upcoming: "Upcoming",
		pacing.UnderWay: "In progress", pacing.Met: "Met", pacing.Missed: "Missed", pacing.Unknown: "Unknown",
	}[r.Status]
}

// Bad reports whether the status needs attention.
func (r forecastRow) Bad() bool {
	return slices.Contains([]pacing.Status{pacing.OffTrack, pacing.OverBudget, pacing.Missed}, r.Status)
}

// Of returns the horizon of the forecasts.
func (p pastRow) Of() string {
	switch p.Days {
	case 0:
		return "rest of period"
	case 1:
		return "1 day"
	}
	return strconv.Itoa(p.Days) + " days"
}

// Name returns the name of the metric.
func (p pastRow) Name() string { return cmp.Or(metricNames[p.Metric], string(p.Metric)) }

// forecasts is an answer with its rows.
type forecasts struct {
	*tools.ForecastingAnswer
	Rows []forecastRow
}

// forecastsOf converts an answer and each of its rows.
func forecastsOf(a *tools.ForecastingAnswer) forecasts {
	f := forecasts{ForecastingAnswer: a, Rows: make([]forecastRow, len(a.Rows))}
	for i, r := range a.Rows {
		f.Rows[i] = forecastRow{Row: r, Currency: a.Currency}
	}
	return f
}

// forecastsView is the view of the forecasts page.
type forecastsView struct {
	frame.Place
	Period  pacing.Period
	Periods []pacing.Period
	Pace    forecasts
	Alerts  forecasts
	Targets forecasts
	From    int            // number of the first shown target, from 1
	Before  string         // address of the previous targets, "" for none
	After   string         // address of the next targets, "" for none
	Fan     *frame.Picture // nil: no forecast
	Writes  bool           // the visitor can set and remove targets
	Metrics []snapshot.Metric
	Problem string
	Done    string
	Form    url.Values // submitted values, after an error
}

// Fixed reports whether a row of the pacing has a target.
func (v forecastsView) Fixed() bool {
	return slices.ContainsFunc(v.Pace.Rows, func(r forecastRow) bool { return r.Target != nil })
}

// Kept returns the accuracy of forecasts stored at their time.
func (v forecastsView) Kept() []pastRow { return v.past(false) }

// Made returns the accuracy of backtests.
func (v forecastsView) Made() []pastRow { return v.past(true) }

func (v forecastsView) past(afterwards bool) []pastRow {
	var rows []pastRow
	for _, p := range v.Pace.Past {
		if p.Afterwards == afterwards {
			rows = append(rows, pastRow{p})
		}
	}
	return rows
}

// periodIn returns the type of period in a request, monthly by default.
func periodIn(query url.Values) pacing.Period {
	if p := pacing.Period(query.Get("period")); slices.Contains(pacing.Periods, p) {
		return p
	}
	return pacing.Periods[0]
}

func (c *forecastPages) forecastsPage(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	query := v.URL.Query()
	view := forecastsView{Place: p, Period: periodIn(query), From: 1}
	if from, err := strconv.Atoi(query.Get("from")); err == nil && from > 1 {
		view.From = from
	}
	view.Done = map[string]string{"target": "Target set.", "removed": "Target removed."}[query.Get("done")]
	c.showForecasts(w, v, http.StatusOK, view)
}

// pace returns the pacing of a type of period.
func (c *forecastPages) pace(v frame.Visit, p frame.Place, period pacing.Period) (forecasts, error) {
	return c.forecasts(v, p, frame.Arguments{"aspect": tools.PacingAspect, "period_type": period, "detail_level": answers.DebugLevel})
}

func (c *forecastPages) forecasts(v frame.Visit, p frame.Place, with frame.Arguments) (forecasts, error) {
	with["compact"] = true
	a, err := frame.AnswerOf(c.Frame, v, p, tools.Forecasting, with)
	if err != nil {
		return forecasts{}, err
	}
	return forecastsOf(a), nil
}

// shownTargets is the number of targets per page. The order is: in progress, upcoming, past; the latest first.
const shownTargets = 20

func (c *forecastPages) showForecasts(w http.ResponseWriter, v frame.Visit, status int, view forecastsView) {
	view.Periods = pacing.Periods
	view.Metrics = []snapshot.Metric{snapshot.Revenue, snapshot.Orders, snapshot.Spend, snapshot.ROAS}
	view.Writes = view.Role.Writes()
	var err error
	if view.Pace, err = c.pace(v, view.Place, view.Period); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	for _, ask := range []struct {
		into *forecasts
		with frame.Arguments
	}{
		{&view.Alerts, frame.Arguments{"aspect": tools.AlertsAspect, "detail_level": answers.AnalystLevel}},
		{&view.Targets, frame.Arguments{"aspect": tools.TargetsAspect, "period_type": view.Period, "detail_level": answers.DebugLevel}},
	} {
		if *ask.into, err = c.forecasts(v, view.Place, ask.with); err != nil {
			c.Fail(w, v.Request, err)
			return
		}
	}
	view.turn()
	of := url.Values{"workspace": {string(view.Workspace.ID)}, "period": {string(view.Period)}}
	for i := range view.Pace.Rows {
		r := &view.Pace.Rows[i]
		if r.Expected == nil && r.Target == nil {
			continue
		}
		of.Set("row", strconv.Itoa(i))
		r.Gauge = frame.Picture{Address: pacePath + "?" + of.Encode(), Alt: gaugeOf(*r).words()}
	}
	of.Del("row")
	if len(view.Pace.Outlook) > 0 {
		view.Fan = &frame.Picture{Address: fanPath + "?" + of.Encode(), Alt: "Cumulative total by day: actual, and forecast to the end of the period with 80% and 95% intervals. The table below has the same figures."}
	}
	c.Render(w, v.Request, status, frame.Page{Name: "forecasts", Title: "Forecasts", View: view, Visitor: &v.Visitor})
}

// turn cuts the targets to one page and sets the links to the other pages.
func (v *forecastsView) turn() {
	all := len(v.Targets.Rows)
	first := min(max(0, v.From-1), max(0, all-1)) / shownTargets * shownTargets
	last := min(all, first+shownTargets)
	v.From, v.Targets.Rows = first+1, v.Targets.Rows[first:last]
	to := func(from int) string {
		return forecastsPath + "?" + url.Values{"workspace": {string(v.Workspace.ID)}, "period": {string(v.Period)}, "from": {strconv.Itoa(from)}}.Encode() + "#targets"
	}
	if first > 0 {
		v.Before = to(first - shownTargets + 1)
	}
	if last < all {
		v.After = to(last + 1)
	}
}

// gauge is a [chart.Gauge] with a text alternative.
type gauge struct{ chart.Gauge }

func (g gauge) words() string {
	text := "A bar with the actual total"
	if g.Expected != nil {
		text += ", the forecast with its intervals"
	}
	if g.Goal > 0 {
		text += " and the target"
	}
	return text + ". The list below has the same figures."
}

func gaugeOf(r forecastRow) gauge {
	g := chart.Gauge{Title: r.Name() + ", " + frame.DaysText(r.Start, r.End), Currency: r.Currency, Expected: r.Expected, Bands: "80% and 95% interval"}
	switch r.Metric {
	case snapshot.Revenue, snapshot.Spend:
		g.Unit = chart.Money
	case snapshot.ROAS:
		g.Unit = chart.Ratio
	case snapshot.Orders, snapshot.AOV:
	}
	if r.Actual != nil {
		g.Actual = *r.Actual
	}
	if r.Target != nil {
		g.Goal = *r.Target
	}
	if r.Low80 != nil && r.High80 != nil && r.Low95 != nil && r.High95 != nil {
		g.Inner, g.Outer = &chart.Band{Low: *r.Low80, High: *r.High80}, &chart.Band{Low: *r.Low95, High: *r.High95}
	}
	return gauge{g}
}

// pacePicture draws the gauge of a row.
func (c *forecastPages) pacePicture(w http.ResponseWriter, v frame.Visit) {
	found, query, ok := c.pictured(w, v)
	if !ok {
		return
	}
	i, err := strconv.Atoi(query.Get("row"))
	if err != nil || i < 0 || i >= len(found.Rows) {
		c.Refuse(w, v.Request, http.StatusNotFound, frame.NoSuchChart)
		return
	}
	drawn := gaugeOf(found.Rows[i])
	drawn.Theme, drawn.Width = frame.ThemeIn(query), frame.HalfWidth
	if query.Get("size") == "narrow" {
		drawn.Width = frame.NarrowWidth
	}
	svg, err := chart.DrawGauge(drawn.Gauge)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	frame.WriteSVG(w, svg, "no-store")
}

// fanPicture draws actual and forecast totals by day.
func (c *forecastPages) fanPicture(w http.ResponseWriter, v frame.Visit) {
	found, query, ok := c.pictured(w, v)
	if !ok {
		return
	}
	at := slices.IndexFunc(found.Rows, func(r forecastRow) bool { return r.Expected != nil })
	if at < 0 || len(found.Outlook) == 0 {
		c.Refuse(w, v.Request, http.StatusNotFound, frame.NoSuchChart)
		return
	}
	drawn := fanChart(found, found.Rows[at])
	notes, err := c.annotations(v, civil.Range{First: found.Outlook[0].Date, Last: found.Outlook[len(found.Outlook)-1].Date})
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	drawn.Annotations = notes
	drawn.Theme, drawn.Width, drawn.Height = frame.ThemeIn(query), frame.WideWidth, frame.WideHeight
	if query.Get("size") == "narrow" {
		drawn.Width, drawn.Height = frame.NarrowWidth, frame.NarrowHeight+40
	}
	svg, err := chart.Draw(drawn)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	frame.WriteSVG(w, svg, "no-store")
}

// pictured returns the answer that a chart shows. On failure it writes the error page and returns false.
func (c *forecastPages) pictured(w http.ResponseWriter, v frame.Visit) (forecasts, url.Values, bool) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return forecasts{}, nil, false
	}
	found, err := c.pace(v, p, periodIn(query))
	if err != nil {
		c.Fail(w, v.Request, err)
	}
	return found, query, err == nil
}

func fanChart(a forecasts, of forecastRow) chart.Chart {
	there, ahead, goal := chart.Series{Name: "actual"}, chart.Series{Name: "forecast"}, chart.Series{Name: "target"}
	for _, d := range a.Outlook {
		if d.Actual != nil {
			there.Points = append(there.Points, chart.Point{Date: d.Date, Value: *d.Actual})
		}
		if n := len(there.Points); d.Expected != nil && n > 0 && len(ahead.Points) == 0 { // starts at the end of the other line
			last := there.Points[n-1]
			last.Band, last.Inner = &chart.Band{Low: last.Value, High: last.Value}, &chart.Band{Low: last.Value, High: last.Value}
			ahead.Points = append(ahead.Points, last)
		}
		if d.Expected != nil && d.Low80 != nil && d.High80 != nil && d.Low95 != nil && d.High95 != nil {
			ahead.Points = append(ahead.Points, chart.Point{
				Date: d.Date, Value: *d.Expected, Band: &chart.Band{Low: *d.Low95, High: *d.High95}, Inner: &chart.Band{Low: *d.Low80, High: *d.High80},
			})
		}
		if of.Target != nil {
			goal.Points = append(goal.Points, chart.Point{Date: d.Date, Value: *of.Target})
		}
	}
	drawn := chart.Chart{
		Title: of.Name() + " since the start of the period", Metric: of.Name(), Unit: gaugeOf(of).Unit, Currency: a.Currency, Granularity: civil.ByDay,
		BandName: "80% and 95% interval", Series: []chart.Series{there, ahead},
	}
	if of.Target != nil {
		drawn.Series = append(drawn.Series, goal)
	}
	return drawn
}

// maxNotes is the maximum number of annotations on a chart.
const maxNotes = 12

// annotations returns the latest annotations of the workspace in a period.
func (c *forecastPages) annotations(v frame.Visit, days civil.Range) ([]chart.Annotation, error) {
	all, err := c.Store.Annotations(v.Context(), measure.WorkspaceID(v.URL.Query().Get("workspace")))
	if err != nil {
		return nil, err
	}
	in := control.AnnotationsIn(all, days)
	var notes []chart.Annotation
	for _, a := range in[max(0, len(in)-maxNotes):] {
		notes = append(notes, chart.Annotation{Date: a.Days.Intersect(days).First, Label: a.Label})
	}
	return notes, nil
}

// targetChange is the change that a form of targets requests.
type targetChange struct {
	operation.Target
	removed bool
}

// changeForecasts sets or removes a target.
func (c *forecastPages) changeForecasts(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Role.Writes() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Your role cannot set targets. Owners, admins and analysts can.")
		return
	}
	view := forecastsView{Place: p, Period: periodIn(v.PostForm), Form: v.PostForm}
	change, done, err := c.targetForm(v, p.Workspace)
	if err == nil {
		do := operation.SetTarget
		if change.removed {
			do = operation.RemoveTarget
		}
		_, err = do.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), change.Target)
	}
	_, _, public := fault.Public(err)
	status := http.StatusUnprocessableEntity
	if kind := fault.KindOf(err); kind == fault.KindConflict || kind == fault.KindNotFound {
		status = http.StatusConflict // the page with the form is outdated
	}
	switch {
	case err == nil:
		to := url.Values{"workspace": {string(p.Workspace.ID)}, "period": {string(view.Period)}, "done": {done}}
		frame.See(w, forecastsPath+"?"+to.Encode())
	case public && fault.KindOf(err) != fault.KindForbidden:
		view.Problem = frame.PublicText(err)
		c.showForecasts(w, v, status, view)
	default:
		c.Fail(w, v.Request, err)
	}
}

// targetForm reads the change from the form, and the name of its confirmation.
func (c *forecastPages) targetForm(v frame.Visit, w control.Workspace) (change targetChange, done string, err error) {
	form := v.PostForm
	switch form.Get("action") {
	case "set":
		if change, err = targetIn(form); err == nil {
			err = change.begins(c.Now().Year(), w.WeekStart)
		}
		if err == nil {
			change.Value, err = targetValue(form.Get("value"))
		}
		if name := strings.TrimSpace(form.Get("channel")); err == nil && name != "" {
			change.Channel = measure.Channel(name)
		}
		done = "target"
	case "remove":
		change, err = targetIn(form)
		change.Channel, change.removed, done = measure.Channel(form.Get("channel")), true, "removed"
	default:
		err = frame.ErrUnknownAction
	}
	return change, done, err
}

// groupedNumber matches numbers with commas between thousands. Other commas are rejected, because they may be decimal
// commas.
var groupedNumber = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)

// largestTarget is the maximum target.
const largestTarget = 1e12

// targetIn reads the metric, period and first day of a target.
func targetIn(form url.Values) (change targetChange, err error) {
	change.Metric, change.Period = form.Get("metric"), form.Get("period")
	if metricNames[snapshot.Metric(change.Metric)] == "" {
		return change, fault.Invalid("%q has no targets", change.Metric).WithHint("choose revenue, orders, spend or ROAS")
	}
	if !slices.Contains(pacing.Periods, pacing.Period(change.Period)) {
		return change, fault.Invalid("%q is not a period type", change.Period).WithHint("choose daily, weekly, monthly or quarterly")
	}
	text := strings.TrimSpace(form.Get("start"))
	if change.Start, err = civil.Parse(text); err != nil {
		return change, fault.Invalid("the first day %q is not a calendar date", text).WithHint("use YYYY-MM-DD, such as 2026-10-01")
	}
	return change, nil
}

// Valid years of the first day; other years are typos.
const (
	firstTargetYear = 2000
	targetYears     = 10 // after the current year
)

// begins rejects a first day that does not start a period or is in an implausible year.
func (t targetChange) begins(thisYear int, week time.Weekday) error {
	if y := t.Start.Year(); y < firstTargetYear || y > thisYear+targetYears {
		return fault.Invalid("the first day %s is in the year %d", t.Start, y).WithHint("choose a year from %d to %d", firstTargetYear, thisYear+targetYears)
	}
	first, rule := t.Start, ""
	switch pacing.Period(t.Period) {
	case pacing.WeeklyPeriod:
		first, rule = t.Start.AddDays(-((int(t.Start.Weekday()-week) + 7) % 7)), "a weekly target starts on a "+week.String()
	case pacing.MonthlyPeriod:
		first, rule = civil.ByMonth.Start(t.Start), "a monthly target starts on the first day of a month"
	case pacing.QuarterlyPeriod:
		first = civil.New(t.Start.Year(), (t.Start.Month()-1)/3*3+1, 1)
		rule = "a quarterly target starts on the first day of January, April, July or October"
	case pacing.DailyPeriod:
	}
	if first == t.Start {
		return nil
	}
	return fault.Invalid("%s, not on %s", rule, t.Start).
		WithHint("the period of that day starts on %s; for custom periods, import a file of targets", first)
}

// targetValue parses the value of a target.
func targetValue(written string) (float64, error) {
	text := strings.TrimSpace(written)
	if groupedNumber.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(value) {
		return 0, fault.Invalid("the target %q is not a number", written).WithHint("enter a number such as 120000 or 2.5")
	}
	if value <= 0 || value > largestTarget {
		return 0, fault.Invalid("a target must be greater than zero and at most 1,000,000,000,000")
	}
	return value, nil
}
