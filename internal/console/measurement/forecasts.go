package measurement

import (
	"cmp"
	"errors"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
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
	Currency money.Currency
	Bar      template.HTML // total so far, forecast and target
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
		name = frame.ChannelName(r.Channel) + ": " + strings.ToLower(name)
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

// Figure formats a figure of the row. It returns "" for nil.
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

// Tone returns the tone of the status.
func (r forecastRow) Tone() string {
	switch r.Status {
	case pacing.OnTrack, pacing.Met, pacing.WithinBudget:
		return "good"
	case pacing.OffTrack, pacing.OverBudget, pacing.Missed:
		return "bad"
	case pacing.AtRisk, pacing.NearBudget:
		return "warning"
	case pacing.Upcoming, pacing.UnderWay, pacing.Unknown:
	}
	return ""
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

// forecastsOf converts an answer and each of its rows for the page.
func forecastsOf(a *tools.ForecastingAnswer) forecasts {
	f := forecasts{ForecastingAnswer: a, Rows: make([]forecastRow, len(a.Rows))}
	for i, r := range a.Rows {
		f.Rows[i] = forecastRow{Row: r, Currency: a.Currency, Bar: progressOf(r)}
	}
	return f
}

// progressOf draws the total so far, the 80% interval of the forecast and the target. It returns "" if there is no
// total, or if there is neither a forecast nor a target.
func progressOf(r pacing.Row) template.HTML {
	if r.Actual == nil || r.Expected == nil && r.Target == nil {
		return ""
	}
	low, high, target := *r.Actual, *r.Actual, 0.0
	if r.Low80 != nil && r.High80 != nil {
		low, high = *r.Low80, *r.High80
	} else if r.Expected != nil {
		low, high = *r.Expected, *r.Expected
	}
	if r.Target != nil {
		target = *r.Target
	}
	return plot.Progress(*r.Actual, low, high, target, max(high, target, *r.Actual), 264)
}

// forecastsView is the view of the forecasts page.
type forecastsView struct {
	frame.Place
	frame.Messages
	Heading, Lead string
	Tabs          []frame.Option
	Blocks        []frame.Block
	Head          frame.Section // heading of the targets

	Period  pacing.Period
	Periods []pacing.Period
	Pace    forecasts
	Alerts  forecasts
	Targets forecasts
	From    int    // number of the first shown target, from 1
	Before  string // address of the previous targets, "" for none
	After   string // address of the next targets, "" for none
	Writes  bool   // the visitor can set and remove targets
	Metrics []snapshot.Metric
	Form    url.Values // submitted values, after an error

	Channels frame.ChannelList
}

// PeriodWord returns the period type as an adjective, such as "monthly".
func (v forecastsView) PeriodWord() string { return string(v.Period) }

// Kept returns the accuracy of the forecasts that were stored in advance, without backtests.
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

// pacingArguments returns the arguments for the pacing of a type of period.
func pacingArguments(period pacing.Period) frame.Arguments {
	return frame.Arguments{"aspect": tools.PacingAspect, "period_type": period, "detail_level": answers.DebugLevel, "compact": true}
}

func (c *forecastPages) forecasts(v frame.Visit, p frame.Place, with frame.Arguments) (forecasts, error) {
	with["compact"] = true
	a, err := frame.AnswerOf(c.Frame, v, p, tools.Forecasting, with)
	if err != nil {
		return forecasts{}, err
	}
	return forecastsOf(a), nil
}

// shownTargets is the number of targets per page. The targets are in the order of [pacing.SortByTime].
const shownTargets = 20

func (c *forecastPages) showForecasts(w http.ResponseWriter, v frame.Visit, status int, view forecastsView) {
	view.Periods = pacing.Periods
	view.Metrics = []snapshot.Metric{snapshot.Revenue, snapshot.Orders, snapshot.Spend, snapshot.ROAS}
	view.Writes = view.Role.Writes()
	var err error
	if view.Pace, err = c.forecasts(v, view.Place, pacingArguments(view.Period)); err != nil {
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
	if view.Writes {
		if view.Channels, err = c.ChannelListOf(v, view.Place, view.Form.Get("channel")); err != nil {
			c.Fail(w, v.Request, err)
			return
		}
	}
	view.turn()
	if err := c.describe(v, &view); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	c.Render(w, v.Request, status, frame.Page{Name: "forecasts", Title: view.Heading, View: view, Visitor: &v.Visitor})
}

// periodNames are the names of the types of periods.
var periodNames = map[pacing.Period]string{
	pacing.DailyPeriod: "Day", pacing.WeeklyPeriod: "Week", pacing.MonthlyPeriod: "Month", pacing.QuarterlyPeriod: "Quarter",
}

// describe sets the heading, the tabs and the chart.
func (c *forecastPages) describe(v frame.Visit, view *forecastsView) error {
	for _, p := range view.Periods {
		address := forecastsPath + "?" + url.Values{"workspace": {string(view.Workspace.ID)}, "period": {string(p)}}.Encode()
		view.Tabs = append(view.Tabs, frame.Option{Name: cmp.Or(periodNames[p], string(p)), Address: address, Here: p == view.Period})
	}
	with := pacingArguments(view.Period)
	view.Head = frame.Section{ID: "targets", Title: "Targets", Article: frame.ArticleAddress(view.Place, "targets"), Call: c.CallOf("targets", tools.Forecasting.Name, with)}
	view.Heading, view.Lead = "There is no forecast.", "A forecast requires recent orders."
	at := slices.IndexFunc(view.Pace.Rows, func(r forecastRow) bool { return r.Expected != nil })
	if at < 0 {
		return nil
	}
	row := view.Pace.Rows[at]
	view.Heading, view.Lead = paceHeading(row), paceLead(row)
	if len(view.Pace.Outlook) < 2 {
		return nil
	}
	d, err := c.outlook(v, view, row)
	if err != nil {
		return err
	}
	legend := []frame.Legend{{Name: "So far", Class: "now"}, {Name: "Forecast, 80% and 95%", Class: "ahead"}}
	if d.Goal != "" {
		legend = append(legend, frame.Legend{Name: d.Goal, Class: "target"})
	}
	if d.Earlier != "" {
		legend = append(legend, frame.Legend{Name: d.Earlier, Class: "before"})
	}
	view.Blocks = []frame.Block{{
		Section: frame.Section{
			ID: "days", Title: row.Name() + ", " + frame.DaysText(row.Start, row.End), Note: "cumulative", Article: frame.ArticleAddress(view.Place, "forecast"),
			Call: c.CallOf("days", tools.Forecasting.Name, with),
		},
		Legend: legend, Wide: d.Draw(mainChart), Large: d.Draw(mainChart + 110), Narrow: d.Draw(narrowChart),
	}}
	return nil
}

// periodName returns the name of a row's period: the month, such as November, or the first and last day.
func periodName(r forecastRow) string {
	if r.PeriodType == pacing.MonthlyPeriod || r.Start.Day() == 1 && r.End == civil.ByMonth.Start(r.Start.AddDays(31)).AddDays(-1) {
		return r.Start.Month().String()
	}
	return frame.DaysText(r.Start, r.End)
}

func paceHeading(r forecastRow) string {
	text := r.Name() + " in " + periodName(r) + ": " + r.Figure(r.Expected) + " expected"
	if r.Target != nil && *r.Target > 0 {
		text += ", " + frame.Figure(100**r.Expected / *r.Target, 0) + "% of the target"
	}
	return text + "."
}

func paceLead(r forecastRow) string {
	text := ""
	if r.Low != nil && r.High != nil {
		text = "90% interval " + r.Figure(r.Low) + " to " + r.Figure(r.High) + "."
	}
	if r.Target != nil && r.Required != nil {
		text += " Reaching the target of " + r.Figure(r.Target) + " requires an average of " + r.Figure(r.Required) + " per remaining day."
	}
	if r.Unseen != "" {
		text += " " + frame.Sentence(r.Unseen)
	}
	return strings.TrimSpace(text)
}

// outlook draws the cumulative total of a period by day, with the forecast, an even pace to the target, and the total
// one year earlier.
func (c *forecastPages) outlook(v frame.Visit, view *forecastsView, row forecastRow) (plot.Days, error) {
	all := view.Pace.Outlook
	days := civil.Range{First: all[0].Date, Last: all[len(all)-1].Date}
	notes, err := c.annotations(v, view.Place, days)
	if err != nil {
		return plot.Days{}, err
	}
	format := func(x float64) string { return row.Figure(&x) }
	d := plot.Days{
		Name: "So far", Ahead: "Forecast", Band: "95% interval", Axis: format, Value: format, Title: civil.Date.Words, Tick: civil.Date.Short, Notes: notes,
		Label: "Cumulative " + strings.ToLower(row.Name()) + " by day: actual, and forecast to the end of the period with 80% and 95% intervals. The table below has the same figures.",
	}
	if row.Currency != "" && row.Metric != snapshot.Orders && row.Metric != snapshot.ROAS {
		d.Axis = frame.ShortMoney(row.Currency)
	}
	if row.Target != nil && row.Metric != snapshot.ROAS {
		d.Goal = "Target, even pace"
	}
	earlier, err := c.earlier(v, view.Place, row, days)
	if err != nil {
		return plot.Days{}, err
	}
	if earlier != nil {
		d.Earlier = "One year earlier"
	}
	for i, at := range all {
		point := plot.Day{Date: at.Date, Value: at.Actual, Ahead: at.Expected, Low: at.Low95, High: at.High95}
		if at.Low80 != nil && at.High80 != nil {
			point.Inner = &[2]float64{*at.Low80, *at.High80}
		}
		if at.Actual != nil && i+1 < len(all) && all[i+1].Expected != nil { // the forecast starts at the end of the line
			point.Ahead, point.Low, point.High, point.Inner = at.Actual, at.Actual, at.Actual, &[2]float64{*at.Actual, *at.Actual}
		}
		if d.Goal != "" {
			point.Goal = new(*row.Target * float64(i+1) / float64(len(all)))
		}
		if i < len(earlier) {
			point.Before = earlier[i]
		}
		d.Points = append(d.Points, point)
	}
	return d, nil
}

// yearDays is the distance in days to the same weekday one year earlier.
const yearDays = 364

// earlier returns the cumulative total of the same days one year earlier. It returns nil if the value of a day is
// unknown, the row is for one channel, or the metric is ROAS.
func (c *forecastPages) earlier(v frame.Visit, p frame.Place, row forecastRow, days civil.Range) ([]*float64, error) {
	if row.Channel != "" || row.Metric == snapshot.ROAS {
		return nil, nil
	}
	a, err := frame.AnswerOf(c.Frame, v, p, tools.Trends, frame.Arguments{
		"metric": string(row.Metric), "granularity": string(civil.ByDay), "start_date": days.First.AddDays(-yearDays).String(), "end_date": days.Last.AddDays(-yearDays).String(),
		"detail_level": answers.AnalystLevel, "compact": true, "limit": days.Days(),
	})
	if err != nil || len(a.Rows) != days.Days() {
		return nil, err
	}
	var sum float64
	var out []*float64
	for _, one := range a.Rows {
		if one.Value == nil {
			return nil, nil
		}
		sum += *one.Value
		out = append(out, new(sum))
	}
	return out, nil
}

// turn limits the targets to the requested page and sets the links to the previous and the next page.
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

// maxNotes is the maximum number of annotations on a chart.
const maxNotes = 12

// annotations returns the most recent annotations of the workspace in a period.
func (c *forecastPages) annotations(v frame.Visit, p frame.Place, days civil.Range) ([]plot.Note, error) {
	all, err := c.Store.Annotations(v.Context(), p.Workspace.ID)
	if err != nil {
		return nil, err
	}
	in := control.AnnotationsIn(all, days)
	var notes []plot.Note
	for _, a := range in[max(0, len(in)-maxNotes):] {
		notes = append(notes, plot.Note{Date: a.Days.Intersect(days).First, Label: a.Label})
	}
	return notes, nil
}

// targetChange is the change that the target form requests.
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
		c.Refuse(w, v.Request, http.StatusForbidden, "Your role cannot set targets. Ask an owner, admin or analyst.")
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

// targetForm reads the change from the form. It also returns the name of the confirmation message.
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
		return change, fault.Invalid("the metric %q cannot have a target", change.Metric).WithHint("choose revenue, orders, spend or ROAS")
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

// These constants limit the year of a target's first day. Other years are treated as typos.
const (
	firstTargetYear = 2000
	targetYears     = 10 // maximum number of years after the current year
)

// begins rejects a first day that does not start a period or is in an implausible year.
func (t targetChange) begins(thisYear int, week time.Weekday) error {
	if y := t.Start.Year(); y < firstTargetYear || y > thisYear+targetYears {
		return fault.Invalid("the first day %s is in the year %d, outside the allowed range", t.Start, y).WithHint("choose a year from %d to %d", firstTargetYear, thisYear+targetYears)
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
		WithHint("the period that contains this day starts on %s; enter that day, or import a file of targets for a custom period", first)
}

// targetValue parses the value of a target.
func targetValue(written string) (float64, error) {
	text := strings.TrimSpace(written)
	if groupedNumber.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(value) {
		return 0, fault.Invalid("the target %q is not a number", written).WithHint("enter a number such as 120,000 or 2.5")
	}
	if value <= 0 || value > largestTarget {
		return 0, fault.Invalid("a target must be greater than zero and at most 1,000,000,000,000")
	}
	return value, nil
}
