package tools

import (
	"encoding/base64"
	"encoding/json"

	"assay/internal/answer"
	drawing "assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/plotting"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

type chartParams struct {
	Metric    snapshot.Metric `json:"metric" enum:"revenue|orders|spend|roas|aov" required:"true" doc:"Metric."`
	ChartType drawing.Kind    `json:"chart_type" enum:"line|bar|pie" default:"line" doc:"Type."`
	answer.Last30
	Channel     string             `json:"channel" doc:"Only this channel."`
	Breakdown   plotting.Breakdown `json:"breakdown" enum:"total|channel" doc:"One series, or one per channel."`
	Channels    []string           `json:"channels" doc:"Channels to compare."`
	SeriesLimit int                `json:"series_limit" default:"5" min:"1" max:"100" doc:"Maximum number of channels."`
	Granularity civil.Granularity  `json:"granularity" enum:"day|week|month" default:"day" doc:"Period of a point."`
	Title       string             `json:"title" doc:"Chart title."`
	answer.Shared
}

// ChartAnswer is the answer of the `chart` tool.
type ChartAnswer struct {
	answer.Opening
	Metric      snapshot.Metric    `json:"metric"`
	ChartType   drawing.Kind       `json:"chart_type"`
	Breakdown   plotting.Breakdown `json:"breakdown"`
	Granularity civil.Granularity  `json:"granularity"`
	Channel     measure.Channel    `json:"channel,omitempty"`
	Metrics     ChartMetrics       `json:"metrics"`
	Annotations []plotting.Mark    `json:"annotations,omitempty" doc:"Marks on the chart: annotations, starts and ends of experiments, and actionable anomalies from the trends tool."`
	answer.Table[ChartRow]
	answer.Closing

	pictures []mcp.Content
	view     json.RawMessage
}

// ChartMetrics is the metric's total over all series in the window and in the previous window.
type ChartMetrics struct {
	Revenue *answer.Metric[answer.Money] `json:"revenue,omitempty"`
	Orders  *answer.Metric[answer.Count] `json:"orders,omitempty"`
	Spend   *answer.Metric[answer.Money] `json:"spend,omitempty"`
	ROAS    *answer.Metric[answer.Ratio] `json:"roas,omitempty"`
	AOV     *answer.Metric[answer.Money] `json:"aov,omitempty"`
}

// ChartRow is a point of a series or a slice of a pie. Its figures are rounded like the metric.
type ChartRow struct {
	Date    civil.Date      `json:"date,omitzero" doc:"First day of the point. Absent for a slice."`
	Channel measure.Channel `json:"channel,omitempty" doc:"Absent in a total. other: all channels without their own series."`
	Value   *float64        `json:"value,omitempty" doc:"Absent if unknown."`
	Share   *answer.Percent `json:"share_pct,omitempty" doc:"The slice's share of the total."`
	Partial bool            `json:"partial,omitempty" doc:"true if the period includes only some of the point's days, or if the data for the point are incomplete."`
}

// Check rejects a reversed period and contradictory parameters.
func (p chartParams) Check() error {
	if err := p.Last30.Check(); err != nil {
		return err
	}
	switch {
	case p.ChartType == drawing.Pie && !plotting.Additive(p.Metric):
		return &mcp.RejectedError{
			Fault: fault.Invalid("chart_type=pie requires an additive metric; metric=%s is not additive", p.Metric),
			Set:   map[string]any{"chart_type": drawing.Bar},
		}
	case p.Channel != "" && len(p.Channels) > 0:
		return &mcp.RejectedError{
			Fault: fault.Invalid("channel and channels cannot be combined").WithHint("Use channel for one channel, or channels to compare several."),
			Drop:  []string{"channel"},
		}
	case p.Breakdown == plotting.Total && len(p.Channels) > 0:
		return &mcp.RejectedError{
			Fault: fault.Invalid("breakdown=total draws one series, but channels requests several").
				WithHint("Omit breakdown, or use channel for one channel."),
			Drop: []string{"breakdown"},
		}
	}
	return nil
}

// breakdown returns the requested breakdown. By default, a pie or a list of channels has the breakdown by channel, and
// any other chart shows the total.
func (p chartParams) breakdown() plotting.Breakdown {
	switch {
	case p.Breakdown != "":
		return p.Breakdown
	case len(p.Channels) > 0, p.ChartType == drawing.Pie:
		return plotting.ByChannel
	}
	return plotting.Total
}

// Picture returns the chart as a PNG image and, for clients that accept links, the address of its SVG.
func (a *ChartAnswer) Picture() []mcp.Content { return a.pictures }

// ViewData returns the data for the interactive view, or nil for a client without views.
func (a *ChartAnswer) ViewData() json.RawMessage { return a.view }

// draw adds the pictures of the chart to an answer in the JSON format.
func (a *ChartAnswer) draw(c *toolkit.Call, plot plotting.Plot, shown []snapshot.NamedSeries) error {
	if c.View.Format != answer.JSONFormat {
		return nil
	}
	kind, draw := "image/png", func(of drawing.Chart) ([]byte, error) { return drawing.PNG(of, 0, dotsPerPixel) }
	if c.Vector {
		kind, draw = "image/svg+xml", drawing.Draw
	}
	drawn, err := draw(plot.Chart(c.Snapshot, shown, a.Annotations))
	if err != nil {
		return err
	}
	a.pictures = []mcp.Content{{Type: "image", Data: base64.StdEncoding.EncodeToString(drawn), MIMEType: kind}}
	if uri := toolkit.AddressOfChart(string(plot.Metric), plot.Arguments()); c.Client.Links && uri != "" {
		a.pictures = append(a.pictures, mcp.Content{Type: "resource_link", URI: uri, Name: "chart.svg", MIMEType: "image/svg+xml"})
	}
	return nil
}
