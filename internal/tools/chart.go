package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/internal/answer"
	drawing "assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/plotting"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Chart is the `chart` tool.
var Chart = toolkit.Define(toolkit.Spec{
	Name:        "chart",
	Title:       "Chart",
	Description: "Chart of a metric over time, in total or by channel.",
	Needs:       "orders",
	Reads:       snapshot.Wants{Experiments: true, Annotations: true},
	Arguments:   map[string]any{"metric": "revenue"},
	App: &toolkit.App{
		URI: "ui://assay/chart.html", Name: "chart-view", Title: "Chart", Description: "Interactive view of the answers of chart.", HTML: drawing.View(),
	},
}, runChart)

func runChart(ctx context.Context, c *toolkit.Call, p chartParams) (*ChartAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	if n := len(days.Buckets(p.Granularity)); n > drawing.MaxSlots {
		return nil, fault.Invalid("the period from start_date to end_date has %s with granularity=%s; the maximum is %s",
			answer.Plural(n, "point", "points"), p.Granularity, answer.Plural(drawing.MaxSlots, "point", "points")).
			WithHint("Use granularity=week or month, or a shorter period.")
	}
	a := &ChartAnswer{Metric: p.Metric, ChartType: p.ChartType, Breakdown: p.breakdown(), Granularity: p.Granularity}
	a.Period = c.Period(days)
	if p.Metric != snapshot.Orders && p.Metric != snapshot.ROAS {
		a.Currency = c.Workspace.Currency
	}
	if a.Channel, err = c.Channel(p.Channel); err != nil {
		return nil, err
	}
	plot, err := plotOf(c, p, a, days)
	if err != nil {
		return nil, err
	}
	shown, whole, err := plot.Series(ctx, c.Snapshot)
	if err != nil {
		return nil, err
	}
	now := whole.Total(days)
	a.Metrics = chartMetricsOf(p.Metric, c.StoreMetrics(now, whole.Total(days.Previous()), days.Previous()))
	a.Rows = chartRows(c, plot, shown)
	if len(a.Rows) == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
	} else {
		if a.Annotations, err = plot.Marks(ctx, c.Snapshot, shown); err != nil {
			return nil, err
		}
		a.Summary = chartSummary(c, a, plot, shown) + markSentence(a.Annotations)
		warnChart(c, a, plot, whole)
		chartNext(c, a, days)
	}
	quality := c.Quality("", now)
	if a.Breakdown == plotting.ByChannel || a.Channel != "" {
		quality.Model = measure.LastTouch
	}
	c.Describe(&a.Closing, quality, toolkit.KindsOf(p.Metric)...)
	err = a.draw(c, plot, shown)
	if c.Client.Apps && err == nil {
		a.view, err = plot.ViewData(c.Snapshot, shown, whole, a.Annotations, a.Summary)
	}
	if cannot, ok := errors.AsType[*drawing.InvalidError](err); ok {
		return nil, fault.Invalid("%s", cannot.Text)
	}
	return a, err
}

func chartMetricsOf(metric snapshot.Metric, all toolkit.StoreMetrics) ChartMetrics {
	switch metric {
	case snapshot.Orders:
		return ChartMetrics{Orders: &all.Orders}
	case snapshot.Spend:
		return ChartMetrics{Spend: &all.Spend}
	case snapshot.ROAS:
		return ChartMetrics{ROAS: &all.ROAS}
	case snapshot.AOV:
		return ChartMetrics{AOV: &all.AOV}
	case snapshot.Revenue:
	}
	return ChartMetrics{Revenue: &all.Revenue}
}

// chartSummary returns the total and its change. With several channels, it adds the share of the requested channel or
// of the largest one.
func chartSummary(c *toolkit.Call, a *ChartAnswer, plot plotting.Plot, shown []snapshot.NamedSeries) string {
	days := plot.Days
	total, change := chartTotal(c, a)
	name := plotting.Names[a.Metric]
	if a.Channel != "" && a.ChartType != drawing.Pie {
		name += " of " + answer.ChannelName(a.Channel)
	}
	text := fmt.Sprintf("%s %s is unknown.", name, answer.Dates(days))
	if total != "" {
		was := "was"
		if a.Metric == snapshot.Orders {
			was = "total"
		}
		text = fmt.Sprintf("%s %s %s %s, %s.", name, answer.Dates(days), was, total, answer.Against(change, days))
	}
	if a.Breakdown != plotting.ByChannel || len(shown) < 2 {
		return text
	}
	largest, whole := snapshot.Weight(c.Snapshot, a.Metric, shown[0].Total(days)), snapshot.Weight(c.Snapshot, a.Metric, snapshot.SumOf(shown).Total(days))
	if !plotting.Additive(a.Metric) || !(whole > 0) {
		return text
	}
	subject := "The largest channel is %s with"
	switch {
	case a.Channel != "":
		subject = "The channel %s has"
	case len(plot.Channels) > 0:
		subject = "The largest of the requested channels is %s with"
	}
	return text + " " + fmt.Sprintf(subject, answer.ChannelName(shown[0].Name)) + fmt.Sprintf(" %s of the total.", answer.Percent(100*largest/whole))
}

// chartTotal formats the metric's total for a sentence. It returns "" if the total is unknown.
func chartTotal(c *toolkit.Call, a *ChartAnswer) (total string, change *answer.Percent) {
	amount := func(m *answer.Metric[answer.Money]) (string, *answer.Percent) {
		if m.Value == nil {
			return "", nil
		}
		return c.Spelled(*m.Value), m.ChangePct
	}
	switch m := a.Metrics; {
	case m.Orders != nil:
		return m.Orders.Value.String(), m.Orders.ChangePct
	case m.ROAS != nil && m.ROAS.Value != nil:
		return m.ROAS.Value.String(), m.ROAS.ChangePct
	case m.ROAS != nil:
		return "", nil
	case m.Spend != nil:
		return amount(m.Spend)
	case m.AOV != nil:
		return amount(m.AOV)
	}
	return amount(a.Metrics.Revenue)
}

func warnChart(c *toolkit.Call, a *ChartAnswer, p plotting.Plot, whole snapshot.Series) {
	days := p.Days
	now := whole.Total(days)
	if (a.Breakdown == plotting.ByChannel || a.Channel != "") && p.Metric != snapshot.Spend && c.Store.Untouched() {
		c.WarnUntouched(&a.Closing, days, a.Channel)
	}
	if named := len(p.Channels); named > p.SeriesLimit() {
		a.Warn(answer.WarnGrouped, fmt.Sprintf("%d of %d channels are separate series. The series other combines the remaining channels.", p.SeriesLimit(), named))
	}
	withSpend := p.Metric == snapshot.Spend || p.Metric == snapshot.ROAS
	if withSpend {
		c.WarnSpend(&a.Closing, now, a.Channel)
	}
	c.WarnBefore(&a.Closing, days, withSpend)
	undated := int64(0)
	if c.Workspace.Basis.NetOfRefunds {
		undated = now.Undated
	}
	c.WarnDays(&a.Closing, days, undated, withSpend)
}

func chartNext(c *toolkit.Call, a *ChartAnswer, days civil.Range) {
	if a.Metric != snapshot.AOV && a.Breakdown == plotting.Total {
		arguments := toolkit.With(toolkit.With(toolkit.Dated(days), "metric", string(a.Metric)), "granularity", string(a.Granularity))
		if a.Channel != "" {
			arguments["channel"] = string(a.Channel)
		}
		c.Suggest(&a.Closing, "trends", arguments, "See expected values and anomalies.")
	}
	if a.Breakdown == plotting.Total && a.Channel == "" {
		arguments := toolkit.With(toolkit.With(toolkit.Dated(days), "metric", string(a.Metric)), "breakdown", string(plotting.ByChannel))
		c.Suggest(&a.Closing, "chart", arguments, "See the same chart by channel.")
	}
	c.Suggest(&a.Closing, "performance", toolkit.Dated(days), "See totals by channel.")
}

// dotsPerPixel is the number of image pixels per CSS pixel. With this factor, images are sharp on high-resolution
// screens and image files are small.
const dotsPerPixel = 1.25

// plotOf returns the requested chart with the keys of its channels, without duplicates.
func plotOf(c *toolkit.Call, p chartParams, a *ChartAnswer, days civil.Range) (plotting.Plot, error) {
	plot := plotting.Plot{
		Metric: p.Metric, Kind: p.ChartType, Breakdown: a.Breakdown, Channel: a.Channel, Limit: p.SeriesLimit,
		Granularity: p.Granularity, Days: days, Title: p.Title,
	}
	for _, name := range p.Channels {
		channel, err := toolkit.KnownChannel(c.Snapshot, name)
		if err != nil {
			return plot, err
		}
		if channel != "" && !slices.Contains(plot.Channels, channel) {
			plot.Channels = append(plot.Channels, channel)
		}
	}
	return plot, nil
}

// chartRows lists the points of all series, or the slices of a pie.
func chartRows(c *toolkit.Call, p plotting.Plot, shown []snapshot.NamedSeries) []ChartRow {
	round := c.Rounding(p.Metric)
	var rows []ChartRow
	if p.Kind == drawing.Pie {
		whole := snapshot.Weight(c.Snapshot, p.Metric, snapshot.SumOf(shown).Total(p.Days))
		for _, d := range shown {
			size := snapshot.Weight(c.Snapshot, p.Metric, d.Total(p.Days))
			rows = append(rows, ChartRow{Channel: d.Name, Value: round(size), Share: answer.PercentOf(100*size/whole, whole > 0)})
		}
		return rows
	}
	for _, d := range shown {
		for _, point := range p.Points(c.Snapshot, d.Series) {
			row := ChartRow{Date: point.Date, Channel: d.Name, Partial: point.Partial}
			if !point.Missing {
				row.Value = round(point.Value)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// markSentence lists the marks for readers without the image.
func markSentence(marks []plotting.Mark) string {
	if len(marks) == 0 {
		return ""
	}
	words := make([]string, 0, len(marks))
	for _, m := range marks {
		label := m.Label
		if m.Kind == plotting.Annotation {
			label = "annotation" // its text is untrusted
		}
		if m.Channel != "" {
			label = strings.Replace(label, answer.Clean(string(m.Channel)), answer.ChannelName(m.Channel), 1)
		}
		words = append(words, fmt.Sprintf("%s (%s)", m.Date, label))
	}
	return " Dates marked in the chart: " + strings.Join(words, ", ") + "."
}
