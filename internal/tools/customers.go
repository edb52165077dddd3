package tools

import (
	"context"
	"fmt"
	"unicode"
	"unicode/utf8"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Customers is the `customers` tool.
var Customers = toolkit.Define(toolkit.Spec{
	Name:        "customers",
	Title:       "Customers",
	Description: "New, returning and unknown customers, cohort retention, conversion paths, and lifetime value (LTV) by channel.",
	Needs:       "orders",
}, runCustomers)

func runCustomers(ctx context.Context, c *toolkit.Call, p customersParams) (*CustomersAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	channel, err := c.Channel(p.Channel)
	if err != nil {
		return nil, err
	}
	a := &CustomersAnswer{View: p.View, Channel: channel, Segment: p.Segment}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	quality := answer.DataQuality{Revenue: c.Workspace.Basis.String(), Model: measure.LastTouch}
	page := p.Page(&c.Writer)
	switch p.View {
	case segmentsView:
		err = segments(ctx, c, a, days, page)
	case retentionView:
		quality, err = answer.DataQuality{Model: measure.LastTouch, Method: retentionMethod}, retention(ctx, c, a, days, page)
	case journeysView:
		quality.Method, err = journeyMethod, journeys(ctx, c, a, days, page)
	case ltvView:
		quality.Revenue, err = toolkit.NetQuality(c.Workspace.Basis), ltv(ctx, c, a, days, page)
	}
	if err != nil {
		return nil, err
	}
	if a.Pagination.Total == 0 {
		a.Estimates, a.Credits = nil, nil
		if a.Summary == "" {
			a.Summary = c.ExplainEmpty(&a.Closing, days)
		}
	} else {
		customersNext(c, a, days)
		c.WarnDays(&a.Closing, days, 0, false)
	}
	c.Describe(&a.Closing, quality, snapshot.FromOrders)
	return a, nil
}

// segments fills in the figures of new, returning and unknown customers.
func segments(ctx context.Context, c *toolkit.Call, a *CustomersAnswer, days civil.Range, page answer.Page) error {
	totals, err := c.SegmentTotals(ctx, a.Channel, warehouse.Windows{Recent: days, Earlier: days.Previous()})
	if err != nil {
		return err
	}
	f := c.Figures
	now, before := totals.Recent.Of(a.Segment), totals.Earlier.Of(a.Segment)
	all, allBefore := totals.Recent.Of(""), totals.Earlier.Of("")
	comparable := c.Store.Covers(days.Previous(), snapshot.FromOrders)
	a.Metrics = CustomersMetrics{
		Revenue: new(answer.MetricOf(f.Revenue(now), f.Revenue(before)).Where(true, comparable)),
		Orders:  new(answer.MetricOf(answer.Orders(now.Orders), answer.Orders(before.Orders)).Where(true, comparable)),
		AOV:     new(answer.MetricOfKnown(f.AOV(now), f.AOV(before)).Where(true, comparable)),
		NewPct: new(answer.ShareOf(answer.PercentOf(measure.Share(totals.Recent.New.Orders, all.Orders)),
			answer.PercentOf(measure.Share(totals.Earlier.New.Orders, allBefore.Orders))).Where(true, comparable)),
		NewRevPct: new(answer.ShareOf(answer.PercentOf(measure.Share(f.Basis.Revenue(totals.Recent.New), f.Basis.Revenue(all))),
			answer.PercentOf(measure.Share(f.Basis.Revenue(totals.Earlier.New), f.Basis.Revenue(allBefore)))).Where(true, comparable)),
	}
	var rows []CustomersRow
	for _, segment := range warehouse.Segments() {
		sums := totals.Recent.Of(segment)
		if a.Segment != "" && a.Segment != segment || sums == (measure.Sums{}) {
			continue
		}
		row := segmentRow(f, segment, sums, totals.Earlier.Of(segment), now.Orders)
		if !comparable {
			row.Change = nil
		}
		rows = append(rows, row)
	}
	a.Rows = answer.Cut(page, rows)
	a.Pagination = page.Pagination(len(a.Rows), len(rows))
	if len(rows) > 0 {
		a.Summary = segmentsSummary(c, a, totals.Recent, days)
		c.WarnBefore(&a.Closing, days, false)
		toolkit.WarnFirstDays(c, &a.Closing, days)
	}
	return nil
}

func segmentRow(f answer.Figures, segment warehouse.Segment, now, before measure.Sums, all int64) CustomersRow {
	revenue := f.Basis.Revenue(now)
	return CustomersRow{
		Segment: segment, Orders: new(answer.Orders(now.Orders)), Revenue: new(f.Money(revenue)), SharePct: answer.PercentOf(measure.Share(now.Orders, all)),
		AOV: f.AOV(now), Change: answer.PercentOf(measure.Change(float64(revenue), float64(f.Basis.Revenue(before)))),
		Refunds: new(f.Money(now.Refunds)), Discounts: new(f.Money(now.Discounts)),
		UnitsPer: answer.RatioOf(measure.AOV(now.Units, now.Orders)),
	}
}

func segmentsSummary(c *toolkit.Call, a *CustomersAnswer, totals warehouse.SegmentTotals, days civil.Range) string {
	f, of := c.Figures, answer.OfChannel(a.Channel)
	if a.Segment != "" {
		sums := totals.Of(a.Segment)
		return "Revenue" + of + fmt.Sprintf(" from %s customers was %s %s (%s), %s.", a.Segment, c.Amount(f.Basis.Revenue(sums)), answer.Dates(days),
			plural(answer.Orders(sums.Orders), "order", "orders"), answer.Against(a.Metrics.Revenue.ChangePct, days))
	}
	text := fmt.Sprintf("New customers placed %s of %s %s and generated %s of %s in revenue.",
		answer.Orders(totals.New.Orders), plural(answer.Orders(totals.Of("").Orders), "order", "orders")+of, answer.Dates(days),
		c.Amount(f.Basis.Revenue(totals.New)), c.Amount(f.Basis.Revenue(totals.Of(""))))
	if n := totals.Unknown.Orders; n > 0 {
		text += fmt.Sprintf(" %s no known customer.", plural(answer.Orders(n), "of the orders has", "of the orders have"))
	}
	if v := a.Metrics.NewPct; v.Value != nil && v.Previous != nil {
		text += fmt.Sprintf(" New customers' share of orders is %s, compared with %s in the previous %s.",
			*v.Value, *v.Previous, answer.Plural(days.Days(), "day", "days"))
	}
	return text
}

// title capitalizes a word.
func title(word string) string {
	if word == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// plural formats a number of orders or messages, which may have decimals, with its noun.
func plural(n answer.Count, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", n, many)
}

func customersNext(c *toolkit.Call, a *CustomersAnswer, days civil.Range) {
	offer := func(view CustomersView, reason string) {
		arguments := toolkit.With(toolkit.Dated(days), "view", string(view))
		if a.Channel != "" {
			arguments["channel"] = string(a.Channel)
		}
		c.Suggest(&a.Closing, "customers", arguments, reason)
	}
	switch a.View {
	case segmentsView:
		offer(retentionView, "See retention by cohort.")
		if !c.Store.Untouched() {
			offer(journeysView, "See conversion paths.")
		}
		offer(ltvView, "See lifetime value by channel.")
	case retentionView:
		offer(ltvView, "See lifetime value by channel.")
	case journeysView:
		c.Suggest(&a.Closing, "performance", toolkit.With(toolkit.Dated(days), "model", string(measure.Markov)), "See channel spend and revenue with Markov chain attribution.")
	case ltvView:
		c.Suggest(&a.Closing, "lifecycle", map[string]any{"aspect": string(ltvAspect)}, "See CAC and payback by channel.")
	}
}

// retentionMethod describes how retention is computed.
const retentionMethod = "A cohort contains the customers with a first order in the same calendar month. A customer is counted once in each later month with an order. " +
	"Intervals are 90% Wilson intervals. Orders without a customer belong to no cohort."

// retention fills in the cohorts of all months in the window.
func retention(ctx context.Context, c *toolkit.Call, a *CustomersAnswer, days civil.Range, page answer.Page) error {
	months := civil.Range{First: civil.ByMonth.Start(days.First), Last: civil.ByMonth.Start(days.Last)}
	list, err := c.Cohorts(ctx, a.Channel, months)
	if err != nil {
		return err
	}
	matrix, err := cohort.Retention(list, 0, answer.Level90)
	if err != nil {
		return err
	}
	rows, won := make([]CustomersRow, len(matrix.Rows)), 0
	for i, r := range matrix.Rows {
		rows[i] = retentionRow(r)
		won += r.Customers
	}
	a.Rows = answer.Cut(page, rows)
	a.Pagination = page.Pagination(len(a.Rows), len(rows))
	a.Metrics = CustomersMetrics{Customers: new(answer.Count(won))}
	for month, into := range map[int]**answer.Estimate[answer.Percent]{
		1: &a.Metrics.Month1, 2: &a.Metrics.Month2, 3: &a.Metrics.Month3, 6: &a.Metrics.Month6, 12: &a.Metrics.Month12,
	} {
		if month <= len(matrix.Average) {
			cell := matrix.Average[month-1]
			*into = answer.Percents(cell.Rate)
		}
	}
	a.Estimates = &answer.Estimates{LevelPct: int(100 * answer.Level90), Method: "Retention in month n is the share of a cohort's customers who ordered in the nth calendar month after the cohort's month. Intervals are 90% Wilson intervals."}
	if len(rows) > 0 {
		a.Summary = retentionSummary(a, months, won)
		toolkit.WarnFirstDays(c, &a.Closing, months)
	}
	return nil
}

func retentionRow(r cohort.Row) CustomersRow {
	row := CustomersRow{Cohort: r.Start.String()[:7], Customers: new(answer.Count(r.Customers)), Suppressed: r.Suppressed}
	into := row.list()
	for i, cell := range r.Cells {
		if i == len(into) {
			break
		}
		*into[i] = &RetentionCell{
			Value: answer.Percent(100 * cell.Rate.Value), Low: new(answer.Percent(100 * cell.Rate.Low)), High: new(answer.Percent(100 * cell.Rate.High)),
			Active: new(answer.Count(cell.Active)), Partial: cell.Partial,
		}
	}
	return row
}

func retentionSummary(a *CustomersAnswer, months civil.Range, won int) string {
	text := fmt.Sprintf("%s placed their first order from %s to %s.", answer.Plural(won, "customer", "customers"), months.First.String()[:7], months.Last.String()[:7])
	if m := a.Metrics.Month1; m != nil {
		text += fmt.Sprintf(" Of customers with a complete calendar month after their first-order month, %s ordered again in that month (90%% interval %s to %s).", m.Value,
			m.Low, m.High)
	} else {
		text += " Too few customers have a complete calendar month after their first-order month."
	}
	return text
}
