package console

import (
	"cmp"
	"encoding/csv"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/money"
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
	More    bool     // targets than are shown
	Fan     *picture // nil: nothing is forecast
	Writes  bool     // the visitor may set targets
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
	view := forecastsView{place: p, Period: periodIn(v.URL.Query())}
	if v.URL.Query().Get("done") == "target" {
		view.Done = "The target is set."
	}
	c.showForecasts(w, v, http.StatusOK, view)
}

// pace is the tool's answer about the pace of a kind of period.
func (c *Console) pace(v visit, p place, period string) (a outlookAnswer, err error) {
	err = c.asked(v, p, "forecasting", map[string]any{"aspect": "pacing", "period_type": period, "detail_level": "debug", "compact": true}, &a)
	return a, err
}

// shownTargets is how many targets the page lists: those under way, those to come, and the latest that are over.
const shownTargets = 16

func (c *Console) showForecasts(w http.ResponseWriter, v visit, status int, view forecastsView) {
	view.Periods, view.Metrics = periodNames, []string{"revenue", "orders", "spend", "roas"}
	view.Writes = view.Role.Writes() && c.imports != nil
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
		{&view.Targets, map[string]any{"aspect": "targets", "period_type": view.Period, "detail_level": "analyst", "compact": true}},
	} {
		if err := c.asked(v, view.place, "forecasting", ask.arguments, ask.into); err != nil {
			c.fail(w, v.Request, err)
			return
		}
	}
	view.More = len(view.Targets.Rows) > shownTargets
	view.Targets.Rows = view.Targets.Rows[:min(shownTargets, len(view.Targets.Rows))]
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

// changeForecasts sets a target. It becomes a fact like one of a file: a table of one row is imported.
func (c *Console) changeForecasts(w http.ResponseWriter, v visit) {
	p, ok := c.importPlace(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	view := forecastsView{place: p, Period: periodIn(v.PostForm), Form: v.PostForm}
	var err error = fault.Invalid("this form asks for nothing that is known")
	if v.PostForm.Get("action") == "set" {
		err = c.setTarget(v, p)
	}
	text, hint, public := fault.Public(err)
	switch {
	case err == nil:
		to := url.Values{"workspace": {string(p.Workspace.ID)}, "period": {view.Period}, "done": {"target"}}
		see(w, forecastsPath+"?"+to.Encode())
	case public:
		view.Problem = strings.TrimSpace(sentence(text) + " " + sentence(hint))
		c.showForecasts(w, v, http.StatusUnprocessableEntity, view)
	default:
		c.fail(w, v.Request, err)
	}
}

// setTarget imports the target of the form. The time is part of the table: a table that was imported before would not be
// imported again, and who sets a target back means it.
func (c *Console) setTarget(v visit, p place) error {
	row, err := targetIn(v.PostForm)
	if err != nil {
		return err
	}
	var table strings.Builder
	lines := csv.NewWriter(&table)
	if err := lines.WriteAll([][]string{{"metric", "period", "start", "channel", "value", "set"}, append(row, machine(c.now()))}); err != nil {
		return err
	}
	file, remove, err := ingest.Spool(c.uploads, "target set on the page Forecasts.csv", strings.NewReader(table.String()))
	if err != nil {
		return err
	}
	defer func() { _ = remove() }()
	report, err := c.imports(v.Context(), Upload{Workspace: p.Workspace.ID, By: v.visitor.User.ID, File: file, Source: ingest.Auto, Currency: string(p.Workspace.Currency)})
	if err != nil {
		return err
	}
	if report.Status == ingest.Refused {
		problem := cmp.Or(report.Problem, "the target cannot be set")
		if len(report.RejectedRows) > 0 {
			problem = report.RejectedRows[0].Reason
		}
		return fault.Invalid("%s", problem)
	}
	return nil
}

// groupedNumber is a number whose thousands are set apart by commas. A comma anywhere else may be a decimal one, and is
// refused rather than guessed at.
var groupedNumber = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)

// largestTarget is beyond what any store means.
const largestTarget = 1e12

// targetIn reads a target from its form, as the row of a table.
func targetIn(form url.Values) ([]string, error) {
	metric, period := form.Get("metric"), form.Get("period")
	if metricNames[metric] == "" {
		return nil, fault.Invalid("there are no targets of %q", metric).WithHint("choose revenue, orders, spend or ROAS")
	}
	if !slices.Contains(periodNames, period) {
		return nil, fault.Invalid("%q is no kind of period", period).WithHint("choose daily, weekly, monthly or quarterly")
	}
	text := strings.TrimSpace(form.Get("start"))
	start, err := civil.Parse(text)
	if err != nil {
		return nil, fault.Invalid("the first day %q is not a day", text).WithHint("write it as 2026-10-01")
	}
	text = strings.TrimSpace(form.Get("value"))
	if groupedNumber.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) {
		return nil, fault.Invalid("the target %q is not a number", form.Get("value")).WithHint("write it as 120000 or 2.5")
	}
	if value <= 0 || value > largestTarget {
		return nil, fault.Invalid("a target must be above zero and at most a thousand billion")
	}
	return []string{metric, period, start.String(), strings.TrimSpace(form.Get("channel")), strconv.FormatFloat(value, 'f', -1, 64)}, nil
}
