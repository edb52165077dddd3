package console

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

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

// outlookAnswer is what the page reads of an answer of the tool forecasting.
type outlookAnswer struct {
	Summary  string
	Currency money.Currency
	Metrics  struct {
		Watched     *int
		FalseAlarms *float64 `json:"false_alarm_pct"`
	}
	Outlook  []outlookDay
	Past     []pastRow `json:"past_forecasts"`
	Rows     []outlookRow
	Warnings []struct{ Code, Text string }
	Left     *struct {
		Rows int `json:"rows_total"`
	} `json:"truncated"` // nil: all rows are there
}

// outlookRow is a target, a forecast or an alert.
type outlookRow struct {
	Metric   string
	Channel  measure.Channel
	Period   string `json:"period_type"`
	Start    civil.Date
	End      civil.Date
	Target   *float64
	Actual   *float64
	Through  civil.Date
	Expected *float64
	Low80    *float64 `json:"low_80"`
	High80   *float64 `json:"high_80"`
	Low95    *float64 `json:"low_95"`
	High95   *float64 `json:"high_95"`
	Chance   *float64 `json:"chance_pct"`
	Status   string
	Attained *float64 `json:"attained_pct"`
	Required *float64 `json:"required_per_day"`
	Index    *float64 `json:"pace_index"`

	Raised    civil.Date
	Since     civil.Date
	Direction string
	Change    *float64 `json:"change_pct"`

	Gauge picture `json:"-"`
}

type outlookDay struct {
	Date     civil.Date
	Actual   *float64
	Expected *float64
	Low80    *float64 `json:"low_80"`
	High80   *float64 `json:"high_80"`
	Low95    *float64 `json:"low_95"`
	High95   *float64 `json:"high_95"`
}

// pastRow says how forecasts did.
type pastRow struct {
	Metric     string
	Days       int
	Afterwards bool `json:"made_afterwards"`
	Judged     int
	Separate   int
	Enough     bool
	Inside80   *float64 `json:"inside_80_pct"`
	Inside95   *float64 `json:"inside_95_pct"`
	Error      *float64 `json:"error_pct"`
	MASE       *float64
	Start      civil.Date `json:"first_day"`
	End        civil.Date `json:"last_day"`
}

// metricNames are the metrics of targets at the beginning of a sentence.
var metricNames = map[string]string{"revenue": "Revenue", "orders": "Orders", "spend": "Spend", "roas": "ROAS"}

// Name says what a row is about.
func (r outlookRow) Name() string {
	name := cmp.Or(metricNames[r.Metric], r.Metric)
	if r.Channel != "" {
		name = string(r.Channel) + ": " + strings.ToLower(name)
	}
	return name
}

// decimalsOf is with how many a figure of the metric is written.
func decimalsOf(metric string, x float64) int {
	switch {
	case metric == "roas":
		return 2
	case metric == "orders" && math.Abs(x) < 100:
		return 1
	}
	return 0
}

// Figure writes a figure of the row; "" for none.
func (r outlookRow) Figure(x *float64) string {
	if x == nil {
		return ""
	}
	return figure(*x, decimalsOf(r.Metric, *x))
}

// Words says where a target stands.
func (r outlookRow) Words() string {
	return map[string]string{
		"on_track": "On track", "at_risk": "At risk", "off": "Off track", "over_budget": "Over budget", "within_budget": "Within budget",
		"near_budget": "Near the budget", "upcoming": "To come", "under_way": "Under way", "met": "Met", "missed": "Missed", "unknown": "Not known",
	}[r.Status]
}

// Bad reports whether the standing wants somebody to look.
func (r outlookRow) Bad() bool {
	return slices.Contains([]string{"off", "over_budget", "missed"}, r.Status)
}

// Of says what a past forecast was of.
func (p pastRow) Of() string {
	switch p.Days {
	case 0:
		return "rest of a period"
	case 1:
		return "1 day"
	}
	return strconv.Itoa(p.Days) + " days"
}

// Name is that of the metric.
func (p pastRow) Name() string { return cmp.Or(metricNames[p.Metric], p.Metric) }

// forecastsView is what the page of forecasts shows.
type forecastsView struct {
	place
	Period  string
	Periods []string
	Pace    outlookAnswer
	Alerts  outlookAnswer
	Targets outlookAnswer
	From    int      // the number of the first target that is shown, from 1
	Before  string   // address of those before them; "" for none
	After   string   // address of those after them; "" for none
	Fan     *picture // nil: nothing is forecast
	Writes  bool     // the visitor may set targets and remove them
	Metrics []string
	Problem string
	Done    string
	Form    url.Values // what was filled in, after a mistake
}

// Fixed reports whether some row of the pace has a target.
func (v forecastsView) Fixed() bool {
	return slices.ContainsFunc(v.Pace.Rows, func(r outlookRow) bool { return r.Target != nil })
}

// Kept returns the record of forecasts that were kept at the time, and Made of those made afterwards.
func (v forecastsView) Kept() []pastRow { return v.past(false) }

// Made returns the record of forecasts that were made afterwards.
func (v forecastsView) Made() []pastRow { return v.past(true) }

func (v forecastsView) past(afterwards bool) []pastRow {
	return slices.DeleteFunc(slices.Clone(v.Pace.Past), func(p pastRow) bool { return p.Afterwards != afterwards })
}

var periodNames = []string{"monthly", "quarterly", "weekly", "daily"}

// periodIn returns the kind of period that a request names, months where it names none.
func periodIn(query url.Values) string {
	if p := query.Get("period"); slices.Contains(periodNames, p) {
		return p
	}
	return periodNames[0]
}

func (c *Console) forecastsPage(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	query := v.URL.Query()
	view := forecastsView{place: p, Period: periodIn(query), From: 1}
	if from, err := strconv.Atoi(query.Get("from")); err == nil && from > 1 {
		view.From = from
	}
	view.Done = map[string]string{"target": "The target is set.", "removed": "The target is removed."}[query.Get("done")]
	c.showForecasts(w, v, http.StatusOK, view)
}

// pace is the tool's answer about the pace of a kind of period.
func (c *Console) pace(v visit, p place, period string) (a outlookAnswer, err error) {
	err = c.asked(v, p, "forecasting", map[string]any{"aspect": "pacing", "period_type": period, "detail_level": "debug", "compact": true}, &a)
	return a, err
}

// shownTargets is how many targets stand on a page: first those under way, then those to come, then those that are over, the
// latest first.
const shownTargets = 20

func (c *Console) showForecasts(w http.ResponseWriter, v visit, status int, view forecastsView) {
	view.Periods, view.Metrics = periodNames, []string{"revenue", "orders", "spend", "roas"}
	view.Writes = view.Role.Writes()
	var err error
	if view.Pace, err = c.pace(v, view.place, view.Period); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	for _, ask := range []struct {
		into      *outlookAnswer
		arguments map[string]any
	}{
		{&view.Alerts, map[string]any{"aspect": "alerts", "detail_level": "analyst", "compact": true}},
		{&view.Targets, map[string]any{"aspect": "targets", "period_type": view.Period, "detail_level": "debug", "compact": true}},
	} {
		if err := c.asked(v, view.place, "forecasting", ask.arguments, ask.into); err != nil {
			c.fail(w, v.Request, err)
			return
		}
	}
	view.turn()
	of := url.Values{"workspace": {string(view.Workspace.ID)}, "period": {view.Period}}
	for i := range view.Pace.Rows {
		r := &view.Pace.Rows[i]
		if r.Expected == nil && r.Target == nil {
			continue
		}
		of.Set("row", strconv.Itoa(i))
		r.Gauge = picture{pacePath + "?" + of.Encode(), gaugeOf(*r, view.Pace.Currency).words()}
	}
	of.Del("row")
	if len(view.Pace.Outlook) > 0 {
		view.Fan = &picture{fanPath + "?" + of.Encode(), "Sum by day: what is there, and what is expected up to the end of the period with 80 and 95 % intervals. The table below has the same figures."}
	}
	c.render(w, v.Request, status, page{name: "forecasts", title: "Forecasts", view: view, visitor: &v.visitor, wide: true})
}

// turn leaves the targets of one page and says where the others are.
func (v *forecastsView) turn() {
	all := len(v.Targets.Rows)
	first := min(max(0, v.From-1), max(0, all-1)) / shownTargets * shownTargets
	last := min(all, first+shownTargets)
	v.From, v.Targets.Rows = first+1, v.Targets.Rows[first:last]
	to := func(from int) string {
		return forecastsPath + "?" + url.Values{"workspace": {string(v.Workspace.ID)}, "period": {v.Period}, "from": {strconv.Itoa(from)}}.Encode() + "#targets"
	}
	if first > 0 {
		v.Before = to(first - shownTargets + 1)
	}
	if last < all {
		v.After = to(last + 1)
	}
}

// gauge is a [chart.Gauge] that can say in words what it shows.
type gauge struct{ chart.Gauge }

func (g gauge) words() string {
	text := "A bar up to what is there"
	if g.Expected != nil {
		text += ", with what is expected and its intervals"
	}
	if g.Goal > 0 {
		text += ", beside the target"
	}
	return text + ". The figures stand below."
}

func gaugeOf(r outlookRow, currency money.Currency) gauge {
	g := chart.Gauge{Title: r.Name() + ", " + span{r.Start, r.End}.String(), Currency: currency, Expected: r.Expected, Bands: "80 % and 95 % interval"}
	switch r.Metric {
	case "revenue", "spend":
		g.Unit = chart.Money
	case "roas":
		g.Unit = chart.Ratio
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

// pacePicture draws the gauge of a row of the page.
func (c *Console) pacePicture(w http.ResponseWriter, v visit) {
	found, query, ok := c.pictured(w, v)
	if !ok {
		return
	}
	i, err := strconv.Atoi(query.Get("row"))
	if err != nil || i < 0 || i >= len(found.Rows) {
		c.Refuse(w, v.Request, http.StatusNotFound, "There is no such picture.")
		return
	}
	drawn := gaugeOf(found.Rows[i], found.Currency)
	drawn.Theme, drawn.Width = themeIn(query), halfWidth
	if query.Get("size") == "narrow" {
		drawn.Width = narrowWidth
	}
	svg, err := chart.DrawGauge(drawn.Gauge)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	showPicture(w, svg, "no-store")
}

// fanPicture draws what is there and what is expected, day by day.
func (c *Console) fanPicture(w http.ResponseWriter, v visit) {
	found, query, ok := c.pictured(w, v)
	if !ok {
		return
	}
	at := slices.IndexFunc(found.Rows, func(r outlookRow) bool { return r.Expected != nil })
	if at < 0 || len(found.Outlook) == 0 {
		c.Refuse(w, v.Request, http.StatusNotFound, "There is no such picture.")
		return
	}
	drawn := fanChart(found, found.Rows[at])
	drawn.Theme, drawn.Width, drawn.Height = themeIn(query), wideWidth, wideHeight
	if query.Get("size") == "narrow" {
		drawn.Width, drawn.Height = narrowWidth, narrowHeight+40
	}
	svg, err := chart.Draw(drawn)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	showPicture(w, svg, "no-store")
}

// pictured returns the answer that a picture is of; it answers itself where there is none.
func (c *Console) pictured(w http.ResponseWriter, v visit) (outlookAnswer, url.Values, bool) {
	query := v.URL.Query()
	p, ok := c.placeOf(w, v, query.Get("workspace"))
	if !ok {
		return outlookAnswer{}, nil, false
	}
	found, err := c.pace(v, p, periodIn(query))
	if err != nil {
		c.fail(w, v.Request, err)
	}
	return found, query, err == nil
}

func themeIn(query url.Values) chart.Theme {
	if query.Get("theme") == string(chart.Dark) {
		return chart.Dark
	}
	return chart.Light
}

func fanChart(a outlookAnswer, of outlookRow) chart.Chart {
	there, ahead, goal := chart.Series{Name: "so far"}, chart.Series{Name: "expected"}, chart.Series{Name: "target"}
	for _, d := range a.Outlook {
		if d.Actual != nil {
			there.Points = append(there.Points, chart.Point{Date: d.Date, Value: *d.Actual})
		}
		if n := len(there.Points); d.Expected != nil && n > 0 && len(ahead.Points) == 0 { // begins where the other line ends
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
		Title: of.Name() + " since the period began", Metric: of.Name(), Unit: gaugeOf(of, "").Unit, Currency: a.Currency, Granularity: civil.ByDay,
		BandName: "80 % and 95 % interval", Series: []chart.Series{there, ahead},
	}
	if of.Target != nil {
		drawn.Series = append(drawn.Series, goal)
	}
	return drawn
}

// targetChange is what a form of targets asks for.
type targetChange struct {
	operation.Target
	removed bool
}

// changeForecasts sets a target or takes one away.
func (c *Console) changeForecasts(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Role.Writes() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Your role reads targets. Owners, admins and analysts set them.")
		return
	}
	view := forecastsView{place: p, Period: periodIn(v.PostForm), Form: v.PostForm}
	change, done, err := c.targetForm(v, p.Workspace)
	if err == nil {
		do := operation.SetTarget
		if change.removed {
			do = operation.RemoveTarget
		}
		_, err = do.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), change.Target)
	}
	_, _, public := fault.Public(err)
	status := http.StatusUnprocessableEntity
	if kind := fault.KindOf(err); kind == fault.KindConflict || kind == fault.KindNotFound {
		status = http.StatusConflict // the page that the form was on is not what is there now
	}
	switch {
	case err == nil:
		to := url.Values{"workspace": {string(p.Workspace.ID)}, "period": {view.Period}, "done": {done}}
		see(w, forecastsPath+"?"+to.Encode())
	case public && fault.KindOf(err) != fault.KindForbidden:
		view.Problem = told(err)
		c.showForecasts(w, v, status, view)
	default:
		c.fail(w, v.Request, err)
	}
}

// targetForm reads what a form asks for, and the word by which the page confirms it.
func (c *Console) targetForm(v visit, w control.Workspace) (change targetChange, done string, err error) {
	form := v.PostForm
	switch form.Get("action") {
	case "set":
		if change, err = targetIn(form); err == nil {
			err = change.begins(c.now().Year(), w.WeekStart)
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
		err = fault.Invalid("this form asks for nothing that is known")
	}
	return change, done, err
}

// groupedNumber is a number whose thousands are set apart by commas. A comma anywhere else may be a decimal one, and is
// refused rather than guessed at.
var groupedNumber = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)

// largestTarget is beyond what any store means.
const largestTarget = 1e12

// targetIn reads which target a form is about, but for its channel.
func targetIn(form url.Values) (change targetChange, err error) {
	change.Metric, change.Period = form.Get("metric"), form.Get("period")
	if metricNames[change.Metric] == "" {
		return change, fault.Invalid("there are no targets of %q", change.Metric).WithHint("choose revenue, orders, spend or ROAS")
	}
	if !slices.Contains(periodNames, change.Period) {
		return change, fault.Invalid("%q is no kind of period", change.Period).WithHint("choose daily, weekly, monthly or quarterly")
	}
	text := strings.TrimSpace(form.Get("start"))
	if change.Start, err = civil.Parse(text); err != nil {
		return change, fault.Invalid("the first day %q is not a day", text).WithHint("write it as 2026-10-01")
	}
	return change, nil
}

// A first day outside these years is mistyped.
const (
	firstTargetYear = 2000
	targetYears     = 10 // ahead of this one
)

// begins refuses a first day on which no period of the kind begins, and one that is mistyped.
func (t targetChange) begins(thisYear int, week time.Weekday) error {
	if y := t.Start.Year(); y < firstTargetYear || y > thisYear+targetYears {
		return fault.Invalid("the first day %s lies in the year %d", t.Start, y).WithHint("targets begin from %d to %d", firstTargetYear, thisYear+targetYears)
	}
	first, rule := t.Start, ""
	switch t.Period {
	case "weekly":
		first, rule = t.Start.AddDays(-((int(t.Start.Weekday()-week) + 7) % 7)), "a weekly target begins on a "+week.String()
	case "monthly":
		first, rule = civil.ByMonth.Start(t.Start), "a monthly target begins on the first day of a month"
	case "quarterly":
		first = civil.New(t.Start.Year(), (t.Start.Month()-1)/3*3+1, 1)
		rule = "a quarterly target begins on the first day of January, April, July or October"
	}
	if first == t.Start {
		return nil
	}
	return fault.Invalid("%s, and %s is none", rule, t.Start).
		WithHint("that day's period begins on %s; periods of your own calendar come with a file of targets", first)
}

// targetValue reads the goal itself.
func targetValue(written string) (float64, error) {
	text := strings.TrimSpace(written)
	if groupedNumber.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(value) {
		return 0, fault.Invalid("the target %q is not a number", written).WithHint("write it as 120000 or 2.5")
	}
	if value <= 0 || value > largestTarget {
		return 0, fault.Invalid("a target must be above zero and at most a thousand billion")
	}
	return value, nil
}
