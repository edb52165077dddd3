package action

import (
	"net/http"
	"net/url"

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/operation"
)

const chartPath = frame.BudgetChangesPath + "/weeks.svg"

// daysAround is the number of days that the chart shows before and after the calendar week of the change.
const daysAround = 28

// weeksOf returns the weekly chart for the page of a change, or nil if there is none.
func (c *pages) weeksOf(p frame.Place, one control.BudgetChange) *frame.Picture {
	if c.Ask == nil || one.Status != control.ChangeApplied {
		return nil
	}
	of := url.Values{"workspace": {string(p.Workspace.ID)}, "change": {string(one.ID)}}
	return &frame.Picture{
		Address: chartPath + "?" + of.Encode(),
		Alt:     "Spend and last-touch revenue of the campaign by week, before and after the change. The table above has the totals.",
	}
}

// weeks draws the chart of a budget change: spend and last-touch revenue of its campaign by calendar week.
func (c *pages) weeks(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	id := control.BudgetChangeID(query.Get("change"))
	one, err := operation.ShowBudgetChange.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), id)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	if c.weeksOf(p, one) == nil {
		c.Refuse(w, v.Request, http.StatusNotFound, frame.NoSuchChart)
		return
	}
	drawn, err := c.weeksChart(v, p, one)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	drawn.Theme, drawn.Width, drawn.Height = frame.ThemeIn(query), frame.WideWidth, frame.WideHeight
	if query.Get("size") == "narrow" {
		drawn.Width, drawn.Height = frame.NarrowWidth, frame.NarrowHeight
	}
	svg, err := chart.Draw(drawn)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	frame.WriteSVG(w, svg, "no-store")
}

func (c *pages) weeksChart(v frame.Visit, p frame.Place, one control.BudgetChange) (chart.Chart, error) {
	spend, revenue := chart.Series{Name: "spend"}, chart.Series{Name: "last-touch revenue"}
	day, today := civil.DayOf(one.At, p.Workspace.Location()), civil.DayOf(c.Now(), p.Workspace.Location())
	monday := civil.ByWeek.Start(day)
	shown := civil.Range{First: monday.AddDays(-daysAround), Last: civil.ByWeek.Next(monday).AddDays(daysAround - 1)}
	for _, week := range shown.Buckets(civil.ByWeek) {
		if today.Before(week.First) {
			break
		}
		partial := today.Before(week.Last)
		if partial {
			week.Last = today
		}
		f, err := c.figures(v, p, one, week)
		if err != nil {
			return chart.Chart{}, err
		}
		at := chart.Point{Date: week.First, Partial: partial, Missing: true}
		if f.Spend != nil {
			at.Value, at.Missing = *f.Spend, false
		}
		spend.Points = append(spend.Points, at)
		at.Value, at.Missing = 0, true
		if f.Revenue != nil {
			at.Value, at.Missing = *f.Revenue, false
		}
		revenue.Points = append(revenue.Points, at)
	}
	return chart.Chart{
		Kind: chart.Line, Title: "Spend and last-touch revenue by week", Metric: "Amount", Unit: chart.Money, Currency: p.Workspace.Currency,
		Granularity: civil.ByWeek, Series: []chart.Series{spend, revenue}, Annotations: []chart.Annotation{{Date: monday, Label: "change"}},
	}, nil
}
