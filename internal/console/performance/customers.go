package performance

import (
	"cmp"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
	"assay/internal/panics"
	"assay/internal/tools"
)

// customers shows new and returning customers, retention and LTV.
func customers(r *request) (*reportView, error) {
	// Retention and LTV require customers with enough time since their first order, so the period of these figures is at
	// least a year.
	long := r.Filter.Days
	if year := long.Last.AddDays(-365); year.Before(long.First) {
		long.First = year
	}
	asked := func(view string, days civil.Range) frame.Arguments {
		with := dated(days)
		with["view"], with["limit"] = view, pageRows
		if r.Filter.Channel != "" {
			with["channel"] = string(r.Filter.Channel)
		}
		return with
	}
	segmentsWith, cohortsWith, valuesWith := asked("segments", r.Filter.Days), asked("retention", long), asked("ltv", long)
	var segments, cohorts, values *tools.CustomersAnswer
	err := panics.Together(
		func() (err error) { segments, err = ask(r, tools.Customers, segmentsWith); return err },
		func() (err error) { cohorts, err = ask(r, tools.Customers, cohortsWith); return err },
		func() (err error) { values, err = ask(r, tools.Customers, valuesWith); return err },
	)
	if err != nil {
		return nil, err
	}
	whole, exact := dollars(segments.Currency)
	view := &reportView{
		Heading: customersHeading(segments, cohorts), Lead: customersLead(values), Bar: r.bar(),
		Warnings: sentences(segments.Warnings),
	}
	if m := segments.Metrics; m.Revenue != nil && m.Orders != nil && m.AOV != nil && m.NewPct != nil {
		view.KPIs = []frame.KPI{shareKPI("New-customer share", *m.NewPct, moreIsBetter)}
		view.KPIs = append(view.KPIs, kpiOf("Revenue", *m.Revenue, whole, moreIsBetter, ""), kpiOf("AOV", *m.AOV, exact, moreIsBetter, ""))
	}
	view.KPIs = append(view.KPIs, estimateKPI("Month-1 retention", cohorts.Metrics.Month1, percentText))
	view.Blocks = []block{
		block{
			Section: r.section("segments", "New and returning customers", "", "new vs returning", r.call("segments", "customers", segmentsWith)),
			Table:   segmentTable(segments),
		}.WithCSV(r.csv("")),
		block{
			Section: r.section(
				"cohorts", "Retention by cohort", "share of the cohort's customers with an order, by month after the first order, "+long.Words(), "retention",
				r.call("cohorts", "customers", cohortsWith),
			),
			Table: cohortTable(cohorts),
		}.WithCSV(r.csv("cohorts-table")),
		block{
			Section: r.section("values", "Lifetime value by first channel", "90% intervals, "+long.Words(), "ltv", r.call("values", "customers", valuesWith)),
			Table:   valueTable(values),
		}.WithCSV(r.csv("values-table")),
	}
	return view, nil
}

func customersHeading(a, cohorts *tools.CustomersAnswer) string {
	if a.Metrics.NewPct == nil || a.Metrics.NewPct.Value == nil {
		return "No customer is identified in this period."
	}
	text := "New customers place " + percentText(*a.Metrics.NewPct.Value) + " of orders."
	if m := cohorts.Metrics.Month1; m != nil {
		text += " " + percentText(m.Value) + " of customers order again in the calendar month after their first order."
	}
	return text
}

func customersLead(values *tools.CustomersAnswer) string {
	if e := values.Metrics.Value; e != nil {
		c := values.Currency
		return "Expected revenue per customer within the projection horizon (at most the next 365 days) is " + cents(e.Value, c) + " (90% interval " +
			cents(e.Low, c) + " – " + cents(e.High, c) + ")."
	}
	return "Assay identifies customers by a keyed hash of their email address, customer ID or phone number."
}

func segmentTable(a *tools.CustomersAnswer) *frame.Table {
	t := &frame.Table{Caption: "New and returning customers", Columns: []frame.Column{
		{Key: "segment", Name: "Segment"},
		{Name: "", Fixed: true, Minor: true},
		{Key: "orders", Name: "Orders", Number: true},
		{Key: "share_pct", Name: "Share", Number: true, Minor: true},
		{Key: "revenue", Name: "Revenue", Number: true},
		{Key: "change_pct", Name: "Change", Number: true, Minor: true},
		{Key: "aov", Name: "AOV", Number: true, Minor: true},
		{Key: "units_per_order", Name: "Units per order", Number: true, Minor: true},
	}}
	largest := 0.0
	for _, row := range a.Rows {
		largest = max(largest, *cmp.Or(number(row.Revenue), new(0.0)))
	}
	for _, row := range a.Rows {
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			frame.TextCell(frame.Capitalized(string(row.Segment))),
			{Picture: plot.Bar(*cmp.Or(number(row.Revenue), new(0.0)), largest, 160, false, "accent")},
			frame.FigureCell(row.Orders, 0), frame.PercentCell(row.SharePct),
			frame.MoneyCell(row.Revenue, 0, a.Currency), frame.ChangeCell(row.Change), frame.MoneyCell(row.AOV, 2, a.Currency), frame.FigureCell(row.UnitsPer, 2),
		}})
	}
	return t
}

// shownMonths is the number of months after the first order that the table shows.
const shownMonths = 6

func cohortTable(a *tools.CustomersAnswer) *frame.Table {
	t := &frame.Table{
		Name: "cohorts-table", Caption: "Retention by cohort", Size: 13,
		Columns: []frame.Column{{Key: "cohort", Name: "Cohort"}, {Key: "customers", Name: "Customers", Number: true, Minor: true}},
	}
	for i := range shownMonths {
		t.Columns = append(t.Columns, frame.Column{
			Key: "m" + frame.Count(int64(i+1)), Name: "Month " + frame.Count(int64(i+1)), Number: true, Minor: i > 1, Fixed: true,
		})
	}
	for _, row := range a.Rows {
		cells := []frame.Cell{frame.TextCell(row.Cohort), frame.FigureCell(row.Customers, 0)}
		for _, m := range []*tools.RetentionCell{row.M1, row.M2, row.M3, row.M4, row.M5, row.M6} {
			cells = append(cells, retentionCell(m))
		}
		t.Rows = append(t.Rows, frame.Row{Cells: cells})
	}
	return t
}

func retentionCell(m *tools.RetentionCell) frame.Cell {
	if m == nil {
		return frame.None("")
	}
	c := frame.PercentCell(&m.Value)
	switch {
	case m.Partial:
		c.Sub = "so far"
	case m.Low != nil && m.High != nil:
		c.Sub = frame.Figure(*m.Low, 0) + " – " + frame.Figure(*m.High, 0)
	}
	return c
}

func valueTable(a *tools.CustomersAnswer) *frame.Table {
	t := &frame.Table{Name: "values-table", Caption: "Lifetime value by first channel", Columns: []frame.Column{
		{Key: "channel", Name: "Channel"},
		{Key: "customers", Name: "Customers", Number: true, Minor: true},
		{Key: "ltv_30d", Name: "LTV, 30 days", Number: true},
		{Key: "expected_orders", Name: "Expected orders", Number: true, Minor: true},
		{Key: "expected_revenue", Name: "Expected revenue", Number: true},
	}}
	for _, row := range a.Rows {
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			frame.OptionalChannel(row.Channel), frame.FigureCell(row.Customers, 0),
			estimated(row.LTV30, func(e *answers.Money) frame.Cell { return frame.MoneyCell(e, 2, a.Currency) }),
			estimated(row.Expected, func(e *answers.Ratio) frame.Cell { return frame.FigureCell(e, 2) }),
			estimated(row.Value, func(e *answers.Money) frame.Cell { return frame.MoneyCell(e, 2, a.Currency) }),
		}})
	}
	return t
}

// estimated returns the cell of an estimate with its interval below.
func estimated[T ~float64](e *answers.Estimate[T], cell func(*T) frame.Cell) frame.Cell {
	if e == nil {
		return frame.None("none")
	}
	c := cell(&e.Value)
	c.Sub = cell(&e.Low).Text + " – " + cell(&e.High).Text
	return c
}
