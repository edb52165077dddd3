package tools

import (
	"encoding/base64"

	"assay/internal/answer"
	drawing "assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

type chartParams struct {
	Metric    snapshot.Metric `json:"metric" enum:"revenue|orders|spend|roas|aov" required:"true" doc:"What to draw."`
	ChartType drawing.Kind    `json:"chart_type" enum:"line|bar|pie" default:"line" doc:"Form."`
	answer.Last30
	Channel     string            `json:"channel" doc:"Only this channel."`
	Breakdown   breakdown         `json:"breakdown" enum:"total|channel" doc:"One line, or one for each channel."`
	Channels    []string          `json:"channels" doc:"Channels to compare."`
	SeriesLimit int               `json:"series_limit" default:"5" min:"1" max:"100" doc:"Most channels to compare."`
	Granularity civil.Granularity `json:"granularity" enum:"day|week|month" default:"day" doc:"Width of a point."`
	Title       string            `json:"title" doc:"Title of the chart."`
	answer.Shared
}

// breakdown is what the series of a chart are.
type breakdown string

const (
	noBreakdown breakdown = "total"
	byChannel   breakdown = "channel"
)

type chartAnswer struct {
	answer.Opening
	Metric      snapshot.Metric   `json:"metric"`
	ChartType   drawing.Kind      `json:"chart_type"`
	Breakdown   breakdown         `json:"breakdown"`
	Granularity civil.Granularity `json:"granularity"`
	Channel     measure.Channel   `json:"channel,omitempty"`
	Metrics     chartMetrics      `json:"metrics"`
	Annotations []chartMark       `json:"annotations,omitempty" doc:"What is marked on the chart: starts and ends of experiments, and points that trends finds worth a look."`
	answer.Table[chartRow]
	answer.Closing

	png []byte
}

// chartMetrics has the metric's total over everything that is drawn, beside the window before.
type chartMetrics struct {
	Revenue *answer.Metric[answer.Money] `json:"revenue,omitempty"`
	Orders  *answer.Metric[answer.Count] `json:"orders,omitempty"`
	Spend   *answer.Metric[answer.Money] `json:"spend,omitempty"`
	ROAS    *answer.Metric[answer.Ratio] `json:"roas,omitempty"`
	AOV     *answer.Metric[answer.Money] `json:"aov,omitempty"`
}

// chartRow is a point of a series, or a slice of a pie. Its figures are rounded as the metric is.
type chartRow struct {
	Date    civil.Date      `json:"date,omitzero" doc:"First day of the point. A slice has none."`
	Channel measure.Channel `json:"channel,omitempty" doc:"Absent in a total. other: all channels that are not drawn on their own."`
	Value   *float64        `json:"value,omitempty" doc:"Absent where it cannot be told."`
	Share   *answer.Percent `json:"share_pct,omitempty" doc:"Of a slice."`
	Partial bool            `json:"partial,omitempty" doc:"The period cuts the point, or it is not over."`
}

// Check refuses a reversed period and choices that contradict one another.
func (p chartParams) Check() error {
	if err := p.Last30.Check(); err != nil {
		return err
	}
	switch {
	case p.ChartType == drawing.Pie && !additive(p.Metric):
		return fault.Invalid("chart_type=pie shows parts of a whole, and metric=%s does not add up", p.Metric).
			WithHint(`Corrected arguments: {"metric":"%s","chart_type":"bar"}`, p.Metric)
	case p.Channel != "" && len(p.Channels) > 0:
		return fault.Invalid("channel and channels were both given").
			WithHint("Use channel for one channel alone, or channels to compare several.")
	case p.Breakdown == noBreakdown && len(p.Channels) > 0:
		return fault.Invalid("breakdown=total draws one line, and channels names several to compare").
			WithHint("Leave breakdown out, or name one channel as channel.")
	}
	return nil
}

// breakdown returns what the series are: channels where several are named or a whole is cut into parts.
func (p chartParams) breakdown() breakdown {
	switch {
	case p.Breakdown != "":
		return p.Breakdown
	case len(p.Channels) > 0, p.ChartType == drawing.Pie:
		return byChannel
	}
	return noBreakdown
}

// Picture returns the chart as a PNG image.
func (a *chartAnswer) Picture() []mcp.Content {
	if a.png == nil {
		return nil
	}
	return []mcp.Content{{Type: "image", Data: base64.StdEncoding.EncodeToString(a.png), MIMEType: "image/png"}}
}

// additive reports whether values of the metric can be summed.
func additive(m snapshot.Metric) bool { return m != snapshot.ROAS && m != snapshot.AOV }

// metricName is how a metric is written on a chart and at the start of a sentence.
var metricName = map[snapshot.Metric]string{
	snapshot.Revenue: "Revenue", snapshot.Orders: "Orders", snapshot.Spend: "Spend", snapshot.ROAS: "ROAS", snapshot.AOV: "Average order value",
}

// chartMark is something that happened in the window and is marked on the chart.
type chartMark struct {
	Date    civil.Date      `json:"date"`
	Kind    markKind        `json:"kind" doc:"experiment or anomaly."`
	Label   string          `json:"label" doc:"As it stands on the chart."`
	Channel measure.Channel `json:"channel,omitempty"`
}

// markKind is what a mark is about.
type markKind string

const (
	markExperiment markKind = "experiment"
	markAnomaly    markKind = "anomaly"
)

// searched reports whether odd points are looked for.
func searched(p chartParams, a *chartAnswer) bool {
	return a.ChartType != drawing.Pie && a.Breakdown == noBreakdown && p.Metric != snapshot.AOV && p.Granularity != civil.ByMonth
}
