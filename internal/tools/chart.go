package tools

import "assay/internal/mcp"

var chart = defineLater[chartParams](mcp.Spec{
	Name:        "chart",
	Title:       "Chart",
	Description: "Draw a metric over time, in total or channel by channel.",
})

type chartParams struct {
	Metric    string `json:"metric" enum:"revenue|orders|spend|roas|aov" required:"true" doc:"What to draw."`
	ChartType string `json:"chart_type" enum:"line|bar|pie" default:"line" doc:"Form."`
	last30
	Channel     string   `json:"channel" doc:"Only this channel."`
	Breakdown   string   `json:"breakdown" enum:"total|channel" doc:"One line, or one for each channel."`
	Channels    []string `json:"channels" doc:"Channels to compare."`
	SeriesLimit int      `json:"series_limit" default:"5" min:"1" max:"100" doc:"Most channels to compare."`
	Granularity string   `json:"granularity" enum:"day|week|month" default:"day" doc:"Width of a point."`
	Title       string   `json:"title" doc:"Title of the chart."`
	shared
}
