package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/answer"
	drawing "assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

const (
	mostAnomalies = 3  // marked anomalies, the strongest
	mostMarks     = 12 // marks on a chart, the latest; more would hide the lines
)

// chartMarks returns the marks of a line or bar chart by date: starts and ends of experiments on the channels of the
// chart, and the actionable anomalies of a single series. A pie has no marks.
func chartMarks(ctx context.Context, c *toolkit.Call, p chartParams, a *ChartAnswer, days civil.Range, shown []snapshot.NamedSeries) ([]ChartMark, error) {
	if a.ChartType == drawing.Pie || len(shown) == 0 {
		return nil, nil
	}
	var marks []ChartMark
	for _, e := range c.Experiments {
		if marksExperiment(e, p, shown) {
			what := "test"
			if e.Kind != control.GeoTest {
				what = "study"
			}
			marks = append(marks, ChartMark{e.Days.First, markExperiment, answer.Clean(string(e.Channel)) + " " + what + " starts", e.Channel},
				ChartMark{e.Days.Last, markExperiment, answer.Clean(string(e.Channel)) + " " + what + " ends", e.Channel})
		}
	}
	odd, err := oddPoints(ctx, c, p, a, days)
	if err != nil {
		return nil, err
	}
	marks = slices.DeleteFunc(append(marks, odd...), func(m ChartMark) bool { return !days.Contains(m.Date) })
	slices.SortStableFunc(marks, func(x, y ChartMark) int {
		return cmp.Or(x.Date.Sub(y.Date), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Label, y.Label))
	})
	return marks[max(0, len(marks)-mostMarks):], nil
}

// marksExperiment reports whether an experiment has fixed days and is on a channel of the chart.
func marksExperiment(e control.Experiment, p chartParams, shown []snapshot.NamedSeries) bool {
	switch {
	case e.Days.Days() == 0 || e.Status == control.ExperimentDraft || e.Status == control.ExperimentCancelled:
		return false
	case p.Channel == "" && len(p.Channels) == 0:
		return true
	}
	return slices.ContainsFunc(shown, func(d snapshot.NamedSeries) bool { return d.Name == e.Channel })
}

// oddPoints returns the strongest actionable anomalies of a single series.
func oddPoints(ctx context.Context, c *toolkit.Call, p chartParams, a *ChartAnswer, days civil.Range) ([]ChartMark, error) {
	if !searched(p, a) {
		return nil, nil
	}
	s, err := c.History(ctx, a.Channel, days)
	if err != nil {
		return nil, err
	}
	points, err := c.JudgedPoints(s, p.Metric, p.Granularity, days)
	if err != nil {
		return nil, err
	}
	points = slices.DeleteFunc(points, func(j snapshot.JudgedPoint) bool { return !j.Actionable || !j.Known })
	slices.SortStableFunc(points, func(x, y snapshot.JudgedPoint) int { return cmp.Compare(math.Abs(y.Z), math.Abs(x.Z)) })
	var marks []ChartMark
	for _, r := range points[:min(len(points), mostAnomalies)] {
		label := "unusually high"
		if r.Z < 0 {
			label = "unusually low"
		}
		marks = append(marks, ChartMark{Date: r.Date, Kind: markAnomaly, Label: label})
	}
	return marks, nil
}

// markSentence lists the marks for readers without the image.
func markSentence(marks []ChartMark) string {
	if len(marks) == 0 {
		return ""
	}
	words := make([]string, 0, len(marks))
	for _, m := range marks {
		label := m.Label
		if m.Channel != "" {
			label = strings.Replace(label, answer.Clean(string(m.Channel)), answer.ChannelName(m.Channel), 1)
		}
		words = append(words, fmt.Sprintf("%s %s", m.Date, label))
	}
	return " Marked: " + strings.Join(words, "; ") + "."
}
