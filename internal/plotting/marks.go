package plotting

import (
	"cmp"
	"context"
	"math"
	"slices"

	"assay/internal/answer"
	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

// Mark is an event that is marked on the chart.
type Mark struct {
	Date    civil.Date      `json:"date"`
	Kind    MarkKind        `json:"kind" doc:"annotation, experiment or anomaly."`
	Label   string          `json:"label" doc:"Label on the chart."`
	Channel measure.Channel `json:"channel,omitempty"`
}

// MarkKind is the kind of a mark.
type MarkKind string

// The kinds of marks.
const (
	Experiment MarkKind = "experiment"
	Anomaly    MarkKind = "anomaly"
	Annotation MarkKind = "annotation"
)

const (
	maxAnomalies = 3  // maximum number of marked anomalies, strongest first
	maxMarks     = 12 // maximum number of marks, latest first; more would hide the lines
)

// Marks returns the marks of a line or bar chart, sorted by date. Marks are the annotations, the starts and ends of experiments
// on the chart's channels, and the actionable anomalies of a single series. A pie chart has no marks.
func (p Plot) Marks(ctx context.Context, s *snapshot.Snapshot, shown []snapshot.NamedSeries) ([]Mark, error) {
	if p.Kind == chart.Pie || len(shown) == 0 {
		return nil, nil
	}
	var marks []Mark
	for _, e := range s.Experiments {
		if p.marksExperiment(e, shown) {
			what := "test"
			if e.Kind != control.GeoTest {
				what = "study"
			}
			marks = append(marks, Mark{e.Days.First, Experiment, answer.Clean(string(e.Channel)) + " " + what + " starts", e.Channel},
				Mark{e.Days.Last, Experiment, answer.Clean(string(e.Channel)) + " " + what + " ends", e.Channel})
		}
	}
	for _, a := range control.AnnotationsIn(s.Annotations, p.Days) {
		first := a.Days.Intersect(p.Days).First
		marks = append(marks, Mark{Date: first, Kind: Annotation, Label: answer.Clean(a.Label)})
	}
	anomalies, err := p.anomalies(ctx, s)
	if err != nil {
		return nil, err
	}
	marks = slices.DeleteFunc(append(marks, anomalies...), func(m Mark) bool { return !p.Days.Contains(m.Date) })
	slices.SortStableFunc(marks, func(x, y Mark) int {
		return cmp.Or(x.Date.Sub(y.Date), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Label, y.Label))
	})
	return marks[max(0, len(marks)-maxMarks):], nil
}

// marksExperiment reports whether an experiment has fixed days and is on a channel of the chart.
func (p Plot) marksExperiment(e control.Experiment, shown []snapshot.NamedSeries) bool {
	switch {
	case e.Days.Days() == 0 || e.Status == control.ExperimentDraft || e.Status == control.ExperimentCancelled:
		return false
	case p.Channel == "" && len(p.Channels) == 0:
		return true
	}
	return slices.ContainsFunc(shown, func(d snapshot.NamedSeries) bool { return d.Name == e.Channel })
}

// anomalies returns the strongest actionable anomalies of a single series.
func (p Plot) anomalies(ctx context.Context, s *snapshot.Snapshot) ([]Mark, error) {
	if !p.searched() {
		return nil, nil
	}
	history, err := s.History(ctx, p.Channel, p.Days)
	if err != nil {
		return nil, err
	}
	points, err := s.JudgedPoints(history, p.Metric, p.Granularity, p.Days)
	if err != nil {
		return nil, err
	}
	points = slices.DeleteFunc(points, func(j snapshot.JudgedPoint) bool { return !j.Actionable || !j.Known })
	slices.SortStableFunc(points, func(x, y snapshot.JudgedPoint) int { return cmp.Compare(math.Abs(y.Z), math.Abs(x.Z)) })
	var marks []Mark
	for _, r := range points[:min(len(points), maxAnomalies)] {
		label := "unusually high"
		if r.Z < 0 {
			label = "unusually low"
		}
		marks = append(marks, Mark{Date: r.Date, Kind: Anomaly, Label: label})
	}
	return marks, nil
}
