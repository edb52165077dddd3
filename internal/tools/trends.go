package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
	"assay/internal/number"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Trends is the `trends` tool.
var Trends = toolkit.Define(toolkit.Spec{
	Name:        "trends",
	Title:       "Trends and anomalies",
	Description: "A metric by day, week or month, with expected values and anomalies. Use `performance` for totals.",
	Needs:       "orders",
	Reads:       snapshot.Wants{Annotations: true},
}, runTrends)

type trendsParams struct {
	answer.Last90
	Metric      snapshot.Metric   `json:"metric" enum:"revenue|orders|spend|roas" default:"revenue" doc:"Metric."`
	Channel     string            `json:"channel" doc:"Only this channel."`
	Granularity civil.Granularity `json:"granularity" enum:"day|week|month" default:"day" doc:"Weeks start on Monday."`
	Threshold   float64           `json:"anomaly_threshold" default:"2.0" min:"0" doc:"Minimum absolute z-score of an anomaly."`
	answer.Paged
	answer.Shared
}

// TrendsAnswer is the answer of the `trends` tool.
type TrendsAnswer struct {
	answer.Opening
	Metric      snapshot.Metric   `json:"metric"`
	Granularity civil.Granularity `json:"granularity"`
	Channel     measure.Channel   `json:"channel,omitempty"`
	Metrics     TrendMetrics      `json:"metrics"`
	Strongest   []TrendRow        `json:"strongest_anomalies,omitempty" doc:"Strongest anomalies of all pages; absent if the rows are the strongest anomalies."`
	Annotations []AnnotationRow   `json:"annotations,omitempty" doc:"Annotations of days in the period; at most the latest 12."`
	answer.Table[TrendRow]
	answer.Closing

	byStrength []TrendRow // all anomalies, the strongest first
}

// AnnotationRow is an annotation of a day or a period.
type AnnotationRow struct {
	Date    civil.Date             `json:"date"`
	EndDate civil.Date             `json:"end_date,omitzero" doc:"Last day, if the annotation covers several days."`
	Label   answer.Foreign         `json:"label"`
	Type    control.AnnotationType `json:"type"`
}

// maxAnnotations is the maximum number of annotations in an answer.
const maxAnnotations = 12

// annotationsIn lists the annotations of days in a period.
func annotationsIn(c *toolkit.Call, days civil.Range) []AnnotationRow {
	in := control.AnnotationsIn(c.Annotations, days)
	var rows []AnnotationRow
	for _, a := range in[max(0, len(in)-maxAnnotations):] {
		row := AnnotationRow{Date: a.Days.First, Label: answer.Foreign(a.Label), Type: a.Type}
		if a.Days.Days() > 1 {
			row.EndDate = a.Days.Last
		}
		rows = append(rows, row)
	}
	return rows
}

// TrendMetrics are the totals of the window. Only the requested metric and its components are set.
type TrendMetrics struct {
	Revenue    *answer.Metric[answer.Money] `json:"revenue,omitempty"`
	Orders     *answer.Metric[answer.Count] `json:"orders,omitempty"`
	Spend      *answer.Metric[answer.Money] `json:"spend,omitempty"`
	ROAS       *answer.Metric[answer.Ratio] `json:"roas,omitempty"`
	Anomalies  int                          `json:"anomalies" doc:"Number of anomalies on all pages."`
	Actionable int                          `json:"actionable" doc:"Number of anomalies to check: the expected share of false alarms is at most one in five."`
}

// TrendRow is one point. Its figures are rounded like the metric.
type TrendRow struct {
	Date       civil.Date      `json:"date" doc:"First day of the point."`
	Value      *float64        `json:"value,omitempty" doc:"Absent if unknown."`
	Expected   *float64        `json:"expected,omitempty" doc:"Expected value, estimated from the surrounding points. For the newest points, only earlier points are used."`
	Z          *answer.Ratio   `json:"z,omitempty" doc:"Deviation in standard deviations. By chance, |z| exceeds 2 at 1 of 22 points."`
	Q          *float64        `json:"q_value,omitempty" detail:"analyst" doc:"False discovery rate: expected share of false alarms among the nearest 90 points with at least this deviation."`
	Actionable bool            `json:"actionable,omitempty" doc:"true if q_value is at most 0.2."`
	Anomaly    string          `json:"anomaly,omitempty" doc:"high or low if |z| reaches the threshold."`
	LevelShift *answer.Percent `json:"level_shift_pct,omitempty" doc:"Change from the previous level, on the first point of a lasting level shift."`
	Partial    bool            `json:"partial,omitempty" doc:"true if the period includes only some of the point's days, or if the data for the point are incomplete."`
}

const strongest = 3 // number of anomalies listed before the rows

func runTrends(ctx context.Context, c *toolkit.Call, p trendsParams) (*TrendsAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	channel, err := c.Channel(p.Channel)
	if err != nil {
		return nil, err
	}
	whole := c.HistoryDays(days)
	if previous := days.Previous().First; previous.Before(whole.First) {
		whole.First = previous
	}
	s, err := c.SeriesOf(ctx, channel, whole)
	if err != nil {
		return nil, err
	}
	a := &TrendsAnswer{Metric: p.Metric, Granularity: p.Granularity, Channel: channel}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	a.Annotations = annotationsIn(c, days)
	judged, err := c.JudgedPoints(s, p.Metric, p.Granularity, days)
	if err != nil {
		return nil, err
	}
	rows := trendRows(c, p.Metric, judged)
	a.Metrics = trendMetricsOf(p.Metric, c.StoreMetrics(s.Total(days), s.Total(days.Previous()), days.Previous()))
	a.standOut(rows, judged, p.Threshold)
	page := p.Page(&c.Writer)
	a.Rows = answer.Cut(page, rows)
	if c.View.DetailLevel == answer.SummaryLevel && !c.LimitGiven && p.Offset == 0 {
		a.Rows = a.headline(rows, answer.SummaryRows)
	}
	a.Pagination = page.Pagination(len(a.Rows), len(rows))
	if len(rows) == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
	} else {
		a.Summary = trendsSummary(c, a, days, s.Total(days))
		if s.RevenueUnknown && p.Metric != snapshot.Spend {
			c.WarnUntouched(&a.Closing, days, channel)
		}
		warnTrends(c, a, p, days, rows, s)
		trendsNext(c, a, days)
	}
	quality := c.Quality(measure.LastTouch, s.Total(days))
	if channel == "" {
		quality.Model = ""
	}
	quality.Method = "The expected value of a point comes from a robust local regression with weekday factors that excludes the point. " +
		"The z-score and the q-value come from a Student's t distribution fitted to the errors. See methods/anomalies."
	c.Describe(&a.Closing, quality, toolkit.KindsOf(p.Metric)...)
	return a, nil
}

// trendRows returns the points of a window.
func trendRows(c *toolkit.Call, metric snapshot.Metric, points []snapshot.JudgedPoint) []TrendRow {
	round := c.Rounding(metric)
	rows := make([]TrendRow, len(points))
	for i, p := range points {
		rows[i] = TrendRow{Date: p.Date, Value: round(p.Value), Partial: p.Partial}
		if p.Known {
			r := &rows[i]
			r.Expected, r.Z, r.Q, r.Actionable = round(p.Expected), new(answer.Ratio(p.Z)), new(answer.Decimals(p.Q, 4)), p.Actionable
			if p.Shift != 0 {
				r.LevelShift = new(answer.Percent(100 * p.Shift))
			}
		}
	}
	return rows
}

// standOut marks and counts the anomalies, and lists their rows by strength.
func (a *TrendsAnswer) standOut(rows []TrendRow, points []snapshot.JudgedPoint, threshold float64) {
	judged := make([]forecast.Judged, len(points))
	for i, p := range points {
		judged[i] = p.Judged
	}
	found := forecast.Beyond(judged, threshold)
	a.Metrics.Anomalies = len(found)
	for _, i := range found {
		if rows[i].Anomaly = "high"; judged[i].Z < 0 {
			rows[i].Anomaly = "low"
		}
		if rows[i].Actionable {
			a.Metrics.Actionable++
		}
		a.byStrength = append(a.byStrength, rows[i])
	}
	a.Strongest = a.byStrength[:min(len(a.byStrength), strongest)]
}

// headline returns the strongest anomalies, strongest first, followed by the latest points as far as the limit allows.
func (a *TrendsAnswer) headline(rows []TrendRow, most int) []TrendRow {
	shown := slices.Clone(a.byStrength[:min(len(a.byStrength), most)])
	latest, odd := len(rows), len(shown)
	for latest > 0 && len(shown) < most {
		latest--
		if rows[latest].Anomaly == "" {
			shown = append(shown, rows[latest])
		}
	}
	slices.Reverse(shown[odd:]) // restores chronological order
	a.Strongest = nil
	return shown
}

func trendMetricsOf(metric snapshot.Metric, all toolkit.StoreMetrics) TrendMetrics {
	switch metric {
	case snapshot.Orders:
		return TrendMetrics{Orders: &all.Orders}
	case snapshot.Spend:
		return TrendMetrics{Spend: &all.Spend}
	case snapshot.ROAS:
		return TrendMetrics{Revenue: &all.Revenue, Spend: &all.Spend, ROAS: &all.ROAS}
	case snapshot.Revenue, snapshot.AOV:
	}
	return TrendMetrics{Revenue: &all.Revenue}
}

func trendsSummary(c *toolkit.Call, a *TrendsAnswer, days civil.Range, now snapshot.Total) string {
	if now.RevenueUnknown && (a.Metric == snapshot.Revenue || a.Metric == snapshot.Orders) {
		return c.UnknownRevenueSummary(a.Channel, days, now)
	}
	m := a.Metrics
	text, of := "", answer.OfChannel(a.Channel)
	if a.Channel != "" && a.Metric == snapshot.Spend {
		of = " on " + answer.ChannelName(a.Channel)
	}
	switch a.Metric {
	case snapshot.Revenue, snapshot.AOV:
		text = fmt.Sprintf("Revenue%s was %s %s, %s", of, c.Amount(c.Workspace.Basis.Revenue(now.Sums)), answer.Dates(days), answer.Against(m.Revenue.ChangePct, days))
	case snapshot.Orders:
		text = fmt.Sprintf("The number of orders%s was %s %s, %s", of, answer.Orders(now.Orders), answer.Dates(days), answer.Against(m.Orders.ChangePct, days))
	case snapshot.Spend:
		text = fmt.Sprintf("Spend%s is unknown %s: no ad report covers the period", of, answer.Dates(days))
		if now.SpendKnown {
			text = fmt.Sprintf("Spend%s was %s %s, %s", of, c.Amount(now.Spend), answer.Dates(days), answer.Against(m.Spend.ChangePct, days))
		}
	case snapshot.ROAS:
		why := "the spend is zero"
		switch {
		case now.RevenueUnknown:
			why = "no order is attributed to any channel"
		case !now.SpendKnown:
			why = "no ad report covers the period"
		}
		text = fmt.Sprintf("ROAS%s is unknown %s: %s", of, answer.Dates(days), why)
		if m.ROAS.Value != nil {
			text = fmt.Sprintf("ROAS%s was %s %s, %s", of, *m.ROAS.Value, answer.Dates(days), answer.Against(m.ROAS.ChangePct, days))
		}
	}
	text += "."
	if len(a.byStrength) == 0 {
		return text
	}
	s := a.byStrength[0]
	return text + fmt.Sprintf(" %s detected (%d actionable). The strongest is on %s (z-score %s).", answer.Plural(m.Anomalies, "anomaly was", "anomalies were"), m.Actionable, s.Date, number.Grouped(answer.Decimals(float64(*s.Z), 1), 1))
}

func warnTrends(c *toolkit.Call, a *TrendsAnswer, p trendsParams, days civil.Range, rows []TrendRow, s snapshot.Series) {
	var undated int64
	if c.Workspace.Basis.NetOfRefunds {
		undated = s.Total(days).Undated
	}
	withSpend := a.Metric == snapshot.Spend || a.Metric == snapshot.ROAS
	if withSpend {
		c.WarnSpend(&a.Closing, s.Total(days), a.Channel)
	}
	c.WarnBefore(&a.Closing, days, withSpend)
	c.WarnDays(&a.Closing, days, undated, withSpend)
	judged, whole := 0, 0
	for _, r := range rows {
		if !r.Partial {
			whole++
		}
		if r.Z != nil {
			judged++
		}
	}
	switch {
	case p.Granularity == civil.ByMonth:
		a.Warn(answer.WarnNotJudged, "Monthly values are not checked for anomalies, because a history has too few months. Use granularity=day or granularity=week.")
	case judged == 0:
		a.Warn(answer.WarnNotJudged, "No point is checked for anomalies: the check requires at least 21 complete days or weeks with known values.")
	case judged < whole:
		a.Warn(answer.WarnPartlyJudged, fmt.Sprintf("Only %d of %d complete points have enough history for the anomaly check.", judged, whole))
	}
}

func trendsNext(c *toolkit.Call, a *TrendsAnswer, days civil.Range) {
	filter := func(arguments map[string]any) map[string]any {
		if a.Channel != "" {
			arguments["channel"] = string(a.Channel)
		}
		return arguments
	}
	if p := a.Pagination; p.HasMore {
		arguments := filter(toolkit.Dated(days))
		arguments["metric"], arguments["granularity"] = string(a.Metric), string(a.Granularity)
		arguments["limit"], arguments["format"] = 100, string(answer.CSVFormat)
		c.Suggest(&a.Closing, "trends", arguments, "Get up to 100 points of this series as CSV.")
	}
	if len(a.byStrength) > 0 && a.Granularity == civil.ByDay {
		day := a.byStrength[0].Date
		c.Suggest(&a.Closing, "performance", filter(toolkit.Dated(civil.Range{First: day, Last: day})), "See revenue, spend and ROAS on the day of the strongest anomaly.")
	}
	c.Suggest(&a.Closing, "performance", filter(toolkit.Dated(days)), "See totals by channel.")
}
