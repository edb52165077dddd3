package measurement

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/sheet"
)

// modelOf returns the model of a chart or an export. Without a usable model it writes the error page and returns false.
func (c *modelPages) modelOf(w http.ResponseWriter, v frame.Visit) (*mix.Model, frame.Place, bool) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return nil, frame.Place{}, false
	}
	state, err := c.models.State(v.Context(), p.Workspace)
	if err != nil {
		c.Fail(w, v.Request, err)
		return nil, frame.Place{}, false
	}
	if state.Model == nil || state.Model.Status == mix.Refused {
		c.Refuse(w, v.Request, http.StatusNotFound, "This workspace has no model with results. Train a model first.")
		return nil, frame.Place{}, false
	}
	return state.Model, p, true
}

func (c *modelPages) modelsChart(w http.ResponseWriter, v frame.Visit) {
	m, p, ok := c.modelOf(w, v)
	if !ok {
		return
	}
	workspace, query := p.Workspace, v.URL.Query()
	theme, narrow := frame.ThemeIn(query), query.Get("size") == "narrow"
	var picture []byte
	var err error
	switch query.Get("of") {
	case "parts":
		drawing := partsChart(m, workspace)
		drawing.Theme, drawing.Width, drawing.Height = theme, frame.WideWidth, frame.WideHeight
		if narrow {
			drawing.Width, drawing.Height = frame.NarrowWidth, frame.NarrowHeight+80
		}
		picture, err = chart.Draw(drawing)
	case "schedule", "schedule-revenue":
		plan, failed := c.weekPlanOf(v, p, m)
		if failed != nil {
			c.Fail(w, v.Request, failed)
			return
		}
		if plan == nil {
			c.Refuse(w, v.Request, http.StatusNotFound, "Assay cannot compute the weekly allocation. Check the values on the Budget optimizer page.")
			return
		}
		drawing := plan.spendChart()
		if query.Get("of") == "schedule-revenue" {
			drawing = plan.revenueChart()
		}
		drawing.Theme, drawing.Width, drawing.Height = theme, frame.WideWidth, frame.WideHeight
		if narrow {
			drawing.Width, drawing.Height = frame.NarrowWidth, frame.NarrowHeight+80
		}
		picture, err = chart.Draw(drawing)
	case "curve":
		drawing, known, broken := curveChart(m, workspace, measure.Channel(query.Get("channel")), query)
		if broken != nil || !known {
			c.Refuse(w, v.Request, http.StatusNotFound, "The model does not contain this channel. Reload the page.")
			return
		}
		drawing.Theme, drawing.Width, drawing.Height = theme, frame.HalfWidth, frame.HalfHeight
		if narrow {
			drawing.Width, drawing.Height = frame.NarrowWidth, frame.NarrowHeight
		}
		picture, err = chart.DrawCurve(drawing)
	default:
		c.Refuse(w, v.Request, http.StatusNotFound, frame.NoSuchChart)
		return
	}
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	frame.WriteSVG(w, picture, "private, max-age=300")
}

func points(weeks []civil.Date, values []float64) []chart.Point {
	out := make([]chart.Point, len(weeks))
	for i, day := range weeks {
		out[i] = chart.Point{Date: day, Value: values[i]}
	}
	return out
}

// partsChart stacks the incremental revenue of channels on the baseline. If there are more channels than a chart can
// show, it combines the smallest channels.
func partsChart(m *mix.Model, w control.Workspace) chart.Chart {
	h := m.History()
	drawing := chart.Chart{
		Kind: chart.Bar, Stacked: true, Title: "Incremental revenue by week", Metric: "Revenue per week", Unit: chart.Money,
		Currency: w.Currency, Granularity: civil.ByWeek, Series: []chart.Series{{Name: "Baseline", Points: points(h.Weeks, h.Base)}},
	}
	rest := make([]float64, len(h.Weeks))
	for i, e := range bySize(m) {
		incremental := h.Contributions[e]
		if i < chart.MaxSeries-2 || len(h.Channels) == chart.MaxSeries-1 {
			drawing.Series = append(drawing.Series, chart.Series{Name: frame.ChannelName(h.Channels[e]), Points: points(h.Weeks, incremental)})
			continue
		}
		for t := range rest {
			rest[t] += incremental[t]
		}
	}
	if len(h.Channels) >= chart.MaxSeries {
		drawing.Series = append(drawing.Series, chart.Series{Name: "Other channels", Points: points(h.Weeks, rest)})
	}
	return drawing
}

// curveChart draws the response curve of a channel. The parameters now and plan of the query are the current and the
// optimized spend per month.
func curveChart(m *mix.Model, w control.Workspace, channel measure.Channel, query url.Values) (c chart.Curve, known bool, err error) {
	const steps = 61
	curve, err := m.Curve(channel, steps)
	if err != nil || len(curve.Points) == 0 {
		return chart.Curve{}, false, err
	}
	months := m.Months()
	c = chart.Curve{
		Title: frame.ChannelName(channel), Across: "Spend per month", Up: "Incremental revenue per month", Currency: w.Currency, BandName: "90% interval",
		KnownTo: curve.Seen / months,
	}
	for _, p := range curve.Points {
		c.Points = append(c.Points, chart.CurvePoint{At: p.Spend / months, Value: p.Mean / months, Band: chart.Band{Low: p.Q05 / months, High: p.Q95 / months}})
	}
	for _, mark := range []struct{ parameter, label string }{{"now", "current"}, {"plan", "optimized"}} {
		if at, wrong := strconv.ParseFloat(query.Get(mark.parameter), 64); wrong == nil && at >= 0 && at <= c.Points[len(c.Points)-1].At {
			c.Marks = append(c.Marks, chart.CurveMark{At: at, Label: mark.label})
		}
	}
	return c, true, nil
}

// modelsExport writes a table of the model as CSV, with money in major units and without rounding.
func (c *modelPages) modelsExport(w http.ResponseWriter, v frame.Visit) {
	m, p, ok := c.modelOf(w, v)
	if !ok {
		return
	}
	of := cmp.Or(v.URL.Query().Get("of"), "weeks")
	rows, err := c.exported(m, p, of, v)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	if rows == nil {
		c.Refuse(w, v.Request, http.StatusNotFound, "This table does not exist, or Assay cannot compute the allocation. Go back and reload the page.")
		return
	}
	frame.WriteCSV(w, fmt.Sprintf("%s-mmm-%d-%s.csv", p.Workspace.ID, m.Version, of), rows)
}

// exported returns a table with its header, or nil for an unknown table.
func (c *modelPages) exported(m *mix.Model, p frame.Place, of string, v frame.Visit) ([][]string, error) {
	w := p.Workspace
	currency := string(w.Currency)
	switch of {
	case "weeks":
		h := m.History()
		head := []string{"week", "revenue_" + currency, "expected", "without_media"}
		for _, channel := range h.Channels {
			head = append(head, sheet.Text(string(channel)))
		}
		rows := [][]string{head}
		for i, week := range h.Weeks {
			row := []string{week.String(), exact(h.Actual[i]), exact(h.Expected[i]), exact(h.Base[i])}
			for k := range h.Channels {
				row = append(row, exact(h.Contributions[k][i]))
			}
			rows = append(rows, row)
		}
		return rows, nil
	case "channels":
		rows := [][]string{{
			"channel", "spend_" + currency, "contribution", "contribution_low", "contribution_high", "roas", "roas_low", "roas_high",
			"marginal_roas", "marginal_roas_low", "marginal_roas_high",
		}}
		for _, e := range m.Effects {
			if e.ROAS == nil || e.MarginalROAS == nil {
				continue
			}
			rows = append(rows, []string{
				sheet.Text(string(e.Channel)), exact(e.Spend), exact(e.Contribution.Mean), exact(e.Contribution.Q05), exact(e.Contribution.Q95),
				exact(e.ROAS.Mean), exact(e.ROAS.Q05), exact(e.ROAS.Q95), exact(e.MarginalROAS.Mean), exact(e.MarginalROAS.Q05), exact(e.MarginalROAS.Q95),
			})
		}
		return rows, nil
	case "curves":
		rows := [][]string{{"channel", "monthly_spend_" + currency, "monthly_revenue", "low", "high"}}
		for _, e := range m.Effects {
			drawing, _, err := curveChart(m, w, e.Channel, nil)
			if err != nil {
				return nil, err
			}
			for _, p := range drawing.Points {
				rows = append(rows, []string{sheet.Text(string(e.Channel)), exact(p.At), exact(p.Value), exact(p.Band.Low), exact(p.Band.High)})
			}
		}
		return rows, nil
	case "plan":
		_, _, found, err := c.planned(v, p, m)
		if fault.KindOf(err) == fault.KindInvalid || err == nil && found == nil {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return allocationTable(found, w), nil
	case "schedule":
		plan, err := c.weekPlanOf(v, p, m)
		if err != nil || plan == nil {
			return nil, err
		}
		return plan.table(), nil
	}
	return nil, nil
}

func exact(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// bySize returns the indexes of the channels in the history, by descending incremental revenue.
func bySize(m *mix.Model) []int {
	h := m.History()
	sums := make([]float64, len(h.Channels))
	order := make([]int, len(h.Channels))
	for i, incremental := range h.Contributions {
		order[i] = i
		for _, v := range incremental {
			sums[i] += v
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	return order
}
