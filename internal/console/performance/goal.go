package performance

import (
	"html/template"
	"math"
	"slices"

	"assay/internal/console/frame/plot"
	"assay/internal/pacing"
	"assay/internal/snapshot"
	"assay/internal/tools"
)

// goal compares the month's revenue so far with its target and forecast.
type goal struct {
	Name, Sofar, Of, Status, Tone, Expected string
	Address                                 string
	Wide, Narrow                            template.HTML
}

// goalOf returns the month's revenue so far, its target and its forecast. It returns nil if there is no forecast.
func goalOf(r *request, a *tools.ForecastingAnswer) *goal {
	at := slices.IndexFunc(a.Rows, func(row pacing.Row) bool {
		return row.Metric == snapshot.Revenue && row.Channel == "" && row.Expected != nil
	})
	if at < 0 || a.Rows[at].Actual == nil {
		return nil
	}
	row, c := a.Rows[at], a.Currency
	g := &goal{
		Name: row.Start.Month().String() + " forecast", Sofar: amount(*row.Actual, c), Expected: "expected " + amount(*row.Expected, c),
		Address: "/forecasts?workspace=" + string(r.Place.Workspace.ID),
	}
	if row.Low80 != nil && row.High80 != nil {
		g.Expected += ", 80% interval " + amount(*row.Low80, c) + " – " + amount(*row.High80, c)
	}
	most := *row.Expected
	if row.High80 != nil {
		most = *row.High80
	}
	target := 0.0
	if row.Target != nil {
		target = *row.Target
		g.Name, g.Of = row.Start.Month().String()+" target", "of "+amount(target, c)
		g.Status, g.Tone = paceStatus(row.Status)
	}
	low, high := *row.Expected, *row.Expected
	if row.Low80 != nil && row.High80 != nil {
		low, high = *row.Low80, *row.High80
	}
	g.Wide = plot.Progress(*row.Actual, low, high, target, math.Max(most, target), 200)
	g.Narrow = plot.Progress(*row.Actual, low, high, target, math.Max(most, target), 348)
	return g
}

func paceStatus(s pacing.Status) (text, tone string) {
	switch s {
	case pacing.OnTrack, pacing.Met:
		return "On track", "good"
	case pacing.AtRisk:
		return "At risk", "warning"
	case pacing.OffTrack, pacing.Missed:
		return "Off track", "bad"
	case pacing.OverBudget, pacing.WithinBudget, pacing.NearBudget, pacing.Upcoming, pacing.UnderWay, pacing.Unknown:
	}
	return "", ""
}
