package performance

import (
	"cmp"
	"math"
	"slices"
	"strings"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
	"assay/internal/health"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/pacing"
	"assay/internal/panics"
	"assay/internal/snapshot"
	"assay/internal/tools"
)

// morning contains the answers that the overview shows.
type morning struct {
	compared  *tools.CompareAnswer
	channels  returns
	pace      *tools.ForecastingAnswer
	diagnosed *tools.DiagnoseAnswer
	now       map[snapshot.Metric]*tools.TrendsAnswer
	before    map[snapshot.Metric]*tools.TrendsAnswer
}

// overview shows whether the figures of the store rose or fell, and why.
func overview(r *request) (*reportView, error) {
	m, err := r.morning()
	if err != nil {
		return nil, err
	}
	if m.compared.Metrics.Orders.Value == nil || *m.compared.Metrics.Orders.Value == 0 && len(m.diagnosed.Connections) == 0 {
		return r.empty(m.diagnosed), nil
	}
	f, a := r.Filter, m.compared
	view := &reportView{
		Heading: overviewHeading(a), Lead: overviewLead(a, m.now[snapshot.Revenue]), Bar: r.bar(),
		KPIs: overviewKPIs(a, m), Warnings: sentences(a.Warnings),
	}
	if f.Channel == "" {
		view.Goal = goalOf(r, m.pace)
	}
	view.Blocks = []block{r.overTime(m), r.channelBlock(m.channels, overviewColumns)}
	view.Side = []block{r.whatChanged(a), r.freshness(m.diagnosed)}
	if f.Compare == noComparison {
		view.alone(a)
	}
	if f.Channel != "" && f.Model != measure.LastTouch {
		view.Lead = strings.TrimSpace(view.Lead + " The key figures and the chart use last touch. The channel table uses the attribution model " + modelName(f.Model) + ".")
	}
	return view, nil
}

// alone removes the comparison with an earlier period.
func (v *reportView) alone(a *tools.CompareAnswer) {
	for i := range v.KPIs {
		v.KPIs[i].Change, v.KPIs[i].From = nil, ""
	}
	v.Heading, v.Lead, v.Side = revenueName(a.Channel)+" is unknown.", "", v.Side[1:]
	if m := a.Metrics; m.Revenue.Value != nil {
		v.Heading = revenueName(a.Channel) + " is " + amount(*m.Revenue.Value, a.Currency) + "."
		if m.ROAS.Value != nil {
			v.Heading += " " + returnName(a.Channel) + " is " + ratioText(*m.ROAS.Value) + "."
		}
	}
}

// morning calls the tools of the overview in parallel.
func (r *request) morning() (*morning, error) {
	m := &morning{now: map[snapshot.Metric]*tools.TrendsAnswer{}, before: map[snapshot.Metric]*tools.TrendsAnswer{}}
	series := make([]*tools.TrendsAnswer, 2*len(sparked))
	jobs := []func() error{
		func() (err error) { m.compared, err = ask(r, tools.Compare, r.comparing()); return err },
		func() (err error) { m.channels, err = r.returns(); return err },
		func() (err error) {
			m.pace, err = ask(
				r, tools.Forecasting,
				frame.Arguments{"aspect": tools.PacingAspect, "period_type": pacing.MonthlyPeriod, "detail_level": "debug", "compact": true},
			)
			return err
		},
		func() (err error) {
			m.diagnosed, err = ask(r, tools.Diagnose, frame.Arguments{"detail_level": "debug"})
			return err
		},
	}
	for i, metric := range sparked {
		jobs = append(jobs,
			func() (err error) {
				series[2*i], err = ask(r, tools.Trends, r.trend(metric, r.Filter.Days))
				return err
			},
			func() (err error) {
				if r.Filter.Compare == noComparison {
					series[2*i+1] = &tools.TrendsAnswer{}
					return nil
				}
				series[2*i+1], err = ask(r, tools.Trends, r.trend(metric, r.Filter.Earlier()))
				return err
			})
	}
	err := panics.Together(jobs...)
	for i, metric := range sparked {
		m.now[metric], m.before[metric] = series[2*i], series[2*i+1]
	}
	return m, err
}

// sparked are the metrics with a sparkline.
var sparked = []snapshot.Metric{snapshot.Revenue, snapshot.Orders, snapshot.Spend}

func (r *request) comparing() frame.Arguments {
	now, before := r.Filter.Days, r.Filter.Earlier()
	with := frame.Arguments{
		"period1_start": before.First.String(), "period1_end": before.Last.String(), "period2_start": now.First.String(), "period2_end": now.Last.String(),
		"include_channels": true, "detail_level": "analyst", "compact": true,
	}
	if r.Filter.Channel != "" {
		with["channel"] = string(r.Filter.Channel)
	}
	return with
}

func (r *request) trend(metric snapshot.Metric, days civil.Range) frame.Arguments {
	with := dated(days)
	with["metric"], with["granularity"], with["limit"] = string(metric), string(r.Filter.Granularity()), pageRows
	if r.Filter.Channel != "" {
		with["channel"] = string(r.Filter.Channel)
	}
	return with
}

func overviewHeading(a *tools.CompareAnswer) string {
	m, name := a.Metrics, revenueName(a.Channel)
	if m.Revenue.Value == nil {
		return name + " is unknown."
	}
	whole, _ := dollars(a.Currency)
	text := cmp.Or(moved(name, m.Revenue, whole), name+" is "+whole(*m.Revenue.Value)+".")
	if change := moved(returnName(a.Channel), m.ROAS, ratioText); change != "" {
		text += " " + change
	}
	return text
}

// revenueName returns "Revenue" for the whole store. For a channel, it names the revenue as attributed.
func revenueName(channel measure.Channel) string {
	if channel == "" {
		return "Revenue"
	}
	return "Attributed revenue of " + frame.ChannelName(channel)
}

// returnName returns "MER" for the whole store, because MER is all revenue divided by all spend. For a channel, it
// returns "ROAS".
func returnName(channel measure.Channel) string {
	if channel != "" {
		return "ROAS"
	}
	return "MER"
}

func overviewLead(a *tools.CompareAnswer, now *tools.TrendsAnswer) string {
	var parts []string
	if rows := movers(a); len(rows) > 0 && a.Channel == "" {
		first := rows[0]
		parts = append(parts, "The largest change is in "+frame.ChannelName(first.channel)+": "+signed(first.delta, a.Currency)+" in attributed revenue.")
	}
	if p := now.Period; p != nil && p.Partial {
		parts = append(parts, "The data for "+p.End.Short()+" are incomplete.")
	}
	return strings.Join(parts, " ")
}

// overviewKPIs returns the key figures. New-customer share and CAC are quotients of figures of the answer.
func overviewKPIs(a *tools.CompareAnswer, m *morning) []frame.KPI {
	s, c := a.Metrics, a.Currency
	money := func(x answers.Money) string { return amount(x, c) }
	exact := func(x answers.Money) string { return cents(x, c) }
	spark := func(metric snapshot.Metric) ([]*float64, []*float64) {
		return valuesOf(m.now[metric]), valuesOf(m.before[metric])
	}
	revenue, revenueBefore := spark(snapshot.Revenue)
	orders, ordersBefore := spark(snapshot.Orders)
	spend, spendBefore := spark(snapshot.Spend)
	kpis := []frame.KPI{
		kpiOf("Revenue", s.Revenue, money, moreIsBetter, plot.Sparkline(revenue, revenueBefore, "accent")),
		kpiOf("Spend", s.Spend, money, neutral, plot.Sparkline(spend, spendBefore, "accent")),
		kpiOf("Orders", s.Orders, countText, moreIsBetter, plot.Sparkline(orders, ordersBefore, "accent")),
		kpiOf("AOV", s.AOV, exact, moreIsBetter, plot.Sparkline(quotients(revenue, orders), quotients(revenueBefore, ordersBefore), "accent")),
		kpiOf(returnName(a.Channel), s.ROAS, ratioText, moreIsBetter, plot.Sparkline(quotients(revenue, spend), quotients(revenueBefore, spendBefore), "accent")),
	}
	if s.NewOrders != nil {
		share := answers.ShareOf(percentOf(s.NewOrders.Value, s.Orders.Value), percentOf(s.NewOrders.Previous, s.Orders.Previous))
		cac := answers.MetricOfKnown(moneyPer(s.Spend.Value, s.NewOrders.Value), moneyPer(s.Spend.Previous, s.NewOrders.Previous))
		kpis = append(kpis, shareKPI("New-customer share", share, moreIsBetter), kpiOf("CAC", cac, exact, lessIsBetter, ""))
	}
	for _, optional := range []struct {
		name   string
		at     int // position
		metric *answers.Metric[answers.Money]
	}{{"Contribution", 1, s.Contribution}, {"Contribution after spend", 2, s.AfterSpend}, {"Net revenue", len(kpis) + 2, s.NetRevenue}} {
		if optional.metric != nil {
			kpis = slices.Insert(kpis, min(optional.at, len(kpis)), kpiOf(optional.name, *optional.metric, money, moreIsBetter, ""))
		}
	}
	return kpis
}

func percentOf(part, whole *answers.Count) *answers.Percent {
	if part == nil || whole == nil || *whole == 0 {
		return nil
	}
	return new(answers.Percent(100 * *part / *whole))
}

func moneyPer(x *answers.Money, n *answers.Count) *answers.Money {
	if x == nil || n == nil || *n == 0 {
		return nil
	}
	return new(*x / answers.Money(*n))
}

func valuesOf(a *tools.TrendsAnswer) []*float64 {
	values := make([]*float64, 0, len(a.Rows))
	for _, row := range a.Rows {
		if row.Partial && row.Date == a.Rows[len(a.Rows)-1].Date {
			break
		}
		values = append(values, row.Value)
	}
	return values
}

func quotients(a, b []*float64) []*float64 {
	out := make([]*float64, min(len(a), len(b)))
	for i := range out {
		if a[i] != nil && b[i] != nil && *b[i] > 0 {
			out[i] = new(*a[i] / *b[i])
		}
	}
	return out
}

// Widths of the chart over time.
const (
	wideChart   = 612
	largeChart  = 724
	narrowChart = 350
)

// overTime returns the chart of revenue and spend.
func (r *request) overTime(m *morning) block {
	now, before, spend := m.now[snapshot.Revenue], m.before[snapshot.Revenue], m.now[snapshot.Spend]
	f, c := r.Filter, now.Currency
	d := plot.Days{
		Name: "Revenue", Earlier: frame.Capitalized(f.Against()), Axis: frame.ShortMoney(c), Value: func(x float64) string { return money.Display(x, 0, c) },
		Title: civil.Date.Words, Tick: civil.Date.Short, Label: "Revenue and spend by " + string(f.Granularity()) + ". " + now.Summary,
	}
	for _, n := range now.Annotations {
		d.Notes = append(d.Notes, plot.Note{Date: n.Date, Label: string(n.Label)})
	}
	spent := map[civil.Date]*float64{}
	for _, row := range spend.Rows {
		spent[row.Date] = row.Value
		if row.Value != nil {
			d.Lower = "Spend"
		}
	}
	for i, row := range now.Rows {
		day := plot.Day{Date: row.Date, Value: row.Value, Expected: row.Expected, Anomaly: row.Anomaly != "", Partial: row.Partial, Lower: spent[row.Date]}
		if i < len(before.Rows) {
			day.Before = before.Rows[i].Value
		}
		d.Points = append(d.Points, day)
	}
	ahead := r.ahead(m)
	for i, next := range ahead {
		if i == 0 { // the dashed line starts at the last complete day
			for j, p := range slices.Backward(d.Points) {
				if p.Date.Before(next.Date) && p.Value != nil && !p.Partial {
					d.Points[j].Ahead = p.Value
					break
				}
			}
		}
		at := slices.IndexFunc(d.Points, func(p plot.Day) bool { return p.Date == next.Date })
		if at < 0 {
			d.Points, at = append(d.Points, plot.Day{Date: next.Date}), len(d.Points)
		}
		d.Points[at].Ahead = next.Ahead
		d.Ahead = "Forecast"
	}
	b := block{
		Section: r.section("time", "Revenue and spend", "", "trends", r.call("time", "trends", r.trend(snapshot.Revenue, f.Days))),
		Wide:    d.Draw(wideChart), Large: d.Draw(largeChart), Narrow: d.Draw(narrowChart),
		Legend: []legend{{Name: "Revenue", Class: "now"}, {Name: frame.Capitalized(f.Against()), Class: "before"}},
	}
	if f.Compare == noComparison {
		b.Legend = b.Legend[:1]
	}
	if d.Ahead != "" {
		b.Legend = append(b.Legend, legend{Name: d.Ahead, Class: "ahead"})
	}
	if d.Lower != "" {
		b.Legend = append(b.Legend, legend{Name: "Spend", Class: "spend"})
	}
	return b
}

// shownAhead is the number of forecast days in the chart over time.
const shownAhead = 7

// ahead returns the revenue forecast of each of the next shownAhead days, if the chart shows all channels by day until
// today. The forecast of a day is the difference of two cumulative forecasts, so it has no interval.
func (r *request) ahead(m *morning) (out []plot.Day) {
	f := r.Filter
	at := slices.IndexFunc(m.pace.Rows, func(row pacing.Row) bool { return row.Expected != nil })
	if f.Channel != "" || f.Granularity() != civil.ByDay || f.Days.Last.Before(f.Today) || at < 0 || m.pace.Rows[at].Metric != snapshot.Revenue || m.pace.Rows[at].Channel != "" {
		return nil
	}
	var before *float64
	for _, day := range m.pace.Outlook {
		if day.Expected != nil && before != nil && len(out) < shownAhead {
			out = append(out, plot.Day{Date: day.Date, Ahead: new(max(0, *day.Expected-*before))})
		}
		before = cmp.Or(day.Expected, day.Actual)
	}
	return out
}

// mover is the change of a channel's attributed revenue.
type mover struct {
	channel string
	delta   float64
	sub     string
}

// movers returns the changes, the largest first.
func movers(a *tools.CompareAnswer) []mover {
	var rows []mover
	for _, row := range a.Rows {
		if row.RevenuePrevious == nil {
			continue
		}
		m := mover{channel: string(row.Channel), delta: float64(row.Revenue - *row.RevenuePrevious)}
		if row.SpendChange != nil {
			m.sub = "spend " + frame.Arrow(float64(*row.SpendChange)) + frame.Figure(math.Abs(float64(*row.SpendChange)), 1) + "%"
		}
		rows = append(rows, m)
	}
	slices.SortStableFunc(rows, func(a, b mover) int { return cmp.Compare(math.Abs(b.delta), math.Abs(a.delta)) })
	return rows
}

// shownMovers is the maximum number of channels with their own rows. The row "All other channels" contains the
// remaining channels.
const shownMovers = 6

// whatChanged splits the change of revenue by channel. The parts add up to the total.
func (r *request) whatChanged(a *tools.CompareAnswer) block {
	t := &frame.Table{Name: "changes", Caption: "Change in revenue by channel", Columns: []frame.Column{
		{Key: "channel", Name: "Channel", Fixed: true}, {Name: "", Fixed: true}, {Key: "change", Name: "Change", Number: true, Fixed: true},
	}, Empty: "The store's data do not cover the comparison period."}
	rows := movers(a)
	var largest, rest, shown float64
	for i, row := range rows {
		largest = math.Max(largest, math.Abs(row.delta))
		if i >= shownMovers {
			rest += row.delta
		}
	}
	add := func(first frame.Cell, delta float64) {
		class := frame.ToneOf(delta)
		shown += delta
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			first, {Picture: plot.Bar(delta, math.Max(largest, math.Abs(rest)), 96, true, class)}, {Text: signed(delta, a.Currency), Number: new(delta)},
		}})
	}
	for _, row := range rows[:min(len(rows), shownMovers)] {
		cell := frame.ChannelCell(row.channel)
		cell.Sub = row.sub
		add(cell, row.delta)
	}
	if len(rows) > shownMovers {
		add(frame.TextCell("All other channels"), rest)
	}
	if m := a.Metrics.Revenue; m.Value != nil && m.Previous != nil && len(rows) > 0 {
		total := float64(*m.Value - *m.Previous)
		t.Total = &frame.Row{Cells: []frame.Cell{frame.TextCell("Change in revenue"), {}, {Text: signed(total, a.Currency), Number: &total}}}
	}
	return block{Section: r.section("changed", "What changed", "last touch", "percent change", r.call("changed", "compare", r.comparing())), Table: t}
}

func signed(x float64, c money.Currency) string {
	if x > 0 {
		return "+" + money.Display(x, 0, c)
	}
	return money.Display(x, 0, c)
}

// freshness lists the sources of the store with the last day of their data.
func (r *request) freshness(a *tools.DiagnoseAnswer) block {
	t := &frame.Table{Name: "sources", Caption: "Data freshness", Columns: []frame.Column{
		{Key: "source", Name: "Source", Fixed: true},
		{Key: "last_day", Name: "Last day", Number: true, Fixed: true},
		{Key: "status", Name: "Status", Number: true, Fixed: true},
	}}
	for _, s := range a.Connections {
		if s.Behind == nil {
			continue
		}
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			{Text: frame.SourceName(s.Source), Sub: s.Kind}, {Text: s.LastDay.Short()}, freshnessTag(s),
		}})
	}
	return block{
		Section: r.section("fresh", "Data freshness", "", "data freshness", r.call("fresh", "diagnose", frame.Arguments{"detail_level": "debug"})),
		Table:   t, More: option{Name: "All checks", Address: "/data?workspace=" + string(r.Place.Workspace.ID)},
	}
}

func freshnessTag(s health.Connection) frame.Cell {
	switch {
	case s.Status == "stale" && *s.Behind == 1:
		return frame.Cell{Text: "1 day behind", Tag: true, Tone: "warning"}
	case s.Status == "stale":
		return frame.Cell{Text: frame.Count(int64(*s.Behind)) + " days behind", Tag: true, Tone: "warning"}
	case s.Status == "gaps":
		return frame.Cell{Text: "missing days: " + frame.Count(s.Missing), Tag: true, Tone: "warning"}
	}
	return frame.Cell{Text: "Current", Tag: true, Tone: "good"}
}
