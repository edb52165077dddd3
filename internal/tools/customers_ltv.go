package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/panics"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// paretoOrders returns the Pareto/NBD estimate for all customers. The fit is slow, so it runs only at the debug level.
func paretoOrders(c *toolkit.Call, p snapshot.Panel, ahead snapshot.Projection) (*answer.Estimate[answer.Ratio], error) {
	if ahead.Project == nil || c.View.DetailLevel != answer.DebugLevel {
		return nil, nil
	}
	all, err := c.Buyers(p.Customers[:min(len(p.Customers), snapshot.ComparedCustomers)], p.Observed)
	if err != nil {
		return nil, err
	}
	fit, err := cohort.FitParetoNBD(snapshot.HistoriesOf(all))
	if err != nil {
		return nil, nil //nolint:nilerr // a failed fit gives no estimate
	}
	group, err := c.Buyers(p.Inside[:min(len(p.Inside), snapshot.ProjectedCustomers)], p.Observed)
	if err != nil || len(group) == 0 {
		return nil, err
	}
	expected, err := cohort.Project(fit, nil, group, cohort.Horizon{Time: ahead.Weeks, Draws: snapshot.ProjectionDraws, Level: answer.Level90, Seed: snapshot.ProjectionSeed})
	if err != nil {
		return nil, err
	}
	return ordersEach(expected), nil
}

// ordersEach returns the expected number of further orders per customer, or nil if it is not finite.
func ordersEach(expected cohort.Projection) *answer.Estimate[answer.Ratio] {
	if expected.Customers == 0 || !finite(expected.Purchases) {
		return nil
	}
	return answer.EstimateOf[answer.Ratio](expected.Purchases, 1/float64(expected.Customers))
}

// finite reports whether an estimate and its interval are finite. A model with a heavy tail has simulated futures
// without a finite total.
func finite(e measure.Estimate) bool {
	return !slices.ContainsFunc([]float64{e.Value, e.Low, e.High}, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// ltv fills in the lifetime value of customers acquired in the window, by acquisition channel.
func ltv(ctx context.Context, c *toolkit.Call, a *CustomersAnswer, days civil.Range, page answer.Page) error {
	p, err := c.CustomerPanel(ctx, days, a.Channel)
	if err != nil {
		return err
	}
	won, err := c.NewCustomers(ctx, days, a.Channel)
	if err != nil {
		return err
	}
	var curves []cohort.Curve
	var whole cohort.Curve
	var ahead snapshot.Projection
	err = panics.Together(
		func() (err error) {
			curves, whole, err = snapshot.CurvesOf(p.Members(c.NetOf))
			return err
		},
		func() (err error) {
			ahead, err = c.Project(ctx, p)
			return err
		},
	)
	if err != nil {
		return err
	}
	curves = snapshot.WithChannels(curves, won)
	slices.SortStableFunc(curves, func(a, b cohort.Curve) int {
		return cmp.Or(cmp.Compare(won[b.Channel], won[a.Channel]), cmp.Compare(b.Customers, a.Customers))
	})
	shown := answer.Cut(page, curves)
	a.Pagination = page.Pagination(len(shown), len(curves))
	if len(curves) == 0 {
		return nil
	}
	var all CustomersRow
	if a.Rows, all, err = ltvRows(c, shown, whole, p, ahead); err != nil {
		return err
	}
	for i, row := range a.Rows {
		a.Rows[i].Customers = new(answer.Orders(won[row.Channel]))
	}
	a.Metrics = CustomersMetrics{Customers: new(answer.Orders(won.All())), ValueSoFar: all.ValueSoFar}
	if a.Metrics.Pareto, err = paretoOrders(c, p, ahead); err != nil {
		return err
	}
	a.Estimates = toolkit.PanelEstimates(p, "LTV at an age (days since the first order) is the observed mean net revenue per customer up to this age. "+predictedBy(ahead.Model), ahead)
	a.Summary = ltvSummary(c, a, whole, curves, days)
	toolkit.WarnPanel(c, &a.Closing, p, ahead)
	if ahead.Valued && slices.ContainsFunc(a.Rows, func(r CustomersRow) bool { return r.Expected != nil && r.Value == nil }) {
		a.Warn(answer.WarnValueNotProjected, "For some channels, no revenue is projected: the simulated totals are not finite.")
	}
	toolkit.WarnFirstDays(c, &a.Closing, days)
	return nil
}

func predictedBy(model string) string {
	if model == "" {
		return "The answer does not predict future LTV."
	}
	return "The prediction model is " + model + "."
}

// ltvRows returns a row for each curve in the parameter shown, and a row for all customers.
func ltvRows(c *toolkit.Call, shown []cohort.Curve, whole cohort.Curve, p snapshot.Panel, ahead snapshot.Projection) (rows []CustomersRow, all CustomersRow, err error) {
	rows = make([]CustomersRow, len(shown))
	work := []func() error{func() (err error) {
		all, err = ltvRow(c, whole, p, ahead)
		return err
	}}
	for i, curve := range shown {
		work = append(work, func() (err error) {
			rows[i], err = ltvRow(c, curve, p, ahead)
			if c.View.DetailLevel == answer.SummaryLevel {
				rows[i].Longest()
			}
			return err
		})
	}
	return rows, all, panics.Together(work...)
}

// ltvRow returns the row of a curve: the customers of its channel, or all customers when the channel is "all".
func ltvRow(c *toolkit.Call, curve cohort.Curve, p snapshot.Panel, ahead snapshot.Projection) (CustomersRow, error) {
	row := CustomersRow{Channel: curve.Channel, Followed: new(answer.Count(curve.Customers)), ValueSoFar: toolkit.ValueSoFarOf(c.Figures, curve)}
	row.Suppressed = curve.Customers < cohort.SmallestCohort
	if ahead.Project == nil || row.Suppressed {
		return row, nil
	}
	var mine []warehouse.PanelCustomer
	for _, customer := range p.Inside {
		if curve.Channel == snapshot.Everybody || customer.Channel == curve.Channel {
			mine = append(mine, customer)
		}
	}
	// Customers are sorted by a hash, so the first customers are a random sample.
	group, err := c.Buyers(mine[:min(len(mine), snapshot.ProjectedCustomers)], p.Observed)
	if err != nil || len(group) == 0 {
		return row, err
	}
	expected, err := ahead.Project(group)
	if err != nil {
		return row, fmt.Errorf("projection of %q: %w", curve.Channel, err)
	}
	row.Expected = ordersEach(expected)
	if ahead.Valued && finite(expected.Value) {
		row.Value = c.Figures.Estimate(expected.Value.Times(1 / float64(len(group))))
	}
	return row, nil
}

func ltvSummary(c *toolkit.Call, a *CustomersAnswer, whole cohort.Curve, curves []cohort.Curve, days civil.Range) string {
	text := fmt.Sprintf("%s placed their first order %s", answer.Plural(int(*a.Metrics.Customers), "customer", "customers"), answer.Dates(days))
	age := 0
	for _, candidate := range []int{30, 90, 180, 365} {
		if _, ok := whole.At(candidate); ok {
			age = candidate
		}
	}
	point, ok := whole.At(age)
	if !ok || age == 0 {
		return text + ". None of these customers has been observed for 30 days, so the LTV is unknown."
	}
	text += fmt.Sprintf(". Their LTV in the first %d days is %s, net of refunds.", age, c.Amount(int64(point.Value)))
	if a.Channel == "" {
		text += bestCurve(c, curves, age)
	}
	return text
}

// bestCurve returns a sentence on the channels with the highest and the lowest LTV at a customer age in days. It states
// that the intervals overlap if they do.
func bestCurve(c *toolkit.Call, curves []cohort.Curve, age int) string {
	var best, least measure.Channel
	var high, low cohort.Point
	for _, curve := range curves {
		point, ok := curve.At(age)
		if !ok || curve.Channel == measure.Unattributed {
			continue
		}
		if best == "" || point.Value > high.Value {
			best, high = curve.Channel, point
		}
		if least == "" || point.Value < low.Value {
			least, low = curve.Channel, point
		}
	}
	switch {
	case best == "" || best == least:
		return ""
	case high.Low <= low.High:
		return " The 90% intervals of LTV by channel overlap."
	}
	return fmt.Sprintf(" LTV is highest for %s (%s) and lowest for %s (%s).", answer.ChannelName(best), c.Amount(int64(high.Value)), answer.ChannelName(least), c.Amount(int64(low.Value)))
}
