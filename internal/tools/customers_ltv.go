package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/panics"
	"assay/internal/warehouse"
)

// valueSoFar is what a customer has brought on average by an age, and what is expected of one from here on.
type valueSoFar struct {
	LTV30    *Estimate[Money] `json:"ltv_30d,omitempty" detail:"analyst" doc:"Net revenue per customer within 30 days of the first order."`
	LTV90    *Estimate[Money] `json:"ltv_90d,omitempty"`
	LTV180   *Estimate[Money] `json:"ltv_180d,omitempty" detail:"analyst"`
	LTV365   *Estimate[Money] `json:"ltv_365d,omitempty"`
	Expected *Estimate[Ratio] `json:"expected_orders,omitempty" doc:"Further orders per customer within horizon_days. Basis modelled."`
	Value    *Estimate[Money] `json:"expected_revenue,omitempty" doc:"Revenue of these, refunds not taken off. Basis modelled."`
}

// ages are the ages at which values are shown, in days.
func (v *valueSoFar) ages() map[int]**Estimate[Money] {
	return map[int]**Estimate[Money]{30: &v.LTV30, 90: &v.LTV90, 180: &v.LTV180, 365: &v.LTV365}
}

// secondOpinion is what the Pareto/NBD model expects of everybody, at the debug level: its fit takes a while.
func (c *Call) secondOpinion(p panel, ahead projection) (*Estimate[Ratio], error) {
	if ahead.project == nil || c.view.DetailLevel != debugLevel {
		return nil, nil
	}
	all, err := c.buyers(p.Customers[:min(len(p.Customers), comparedCustomers)], p.observed)
	if err != nil {
		return nil, err
	}
	fit, err := cohort.FitParetoNBD(historiesOf(all))
	if err != nil {
		return nil, nil //nolint:nilerr // a model that does not fit has no opinion
	}
	group, err := c.buyers(p.inside[:min(len(p.inside), projectedCustomers)], p.observed)
	if err != nil {
		return nil, err
	}
	expected, err := cohort.Project(fit, nil, group, cohort.Horizon{Time: ahead.weeks, Draws: projectionDraws, Level: level90, Seed: projectionSeed})
	if err != nil {
		return nil, err
	}
	return ordersEach(expected), nil
}

// ordersEach is the number of further orders per customer.
func ordersEach(expected cohort.Projection) *Estimate[Ratio] {
	n := float64(expected.Customers)
	return &Estimate[Ratio]{
		Value: Ratio(expected.Purchases / n), Low: Ratio(expected.PurchasesInterval.Low / n), High: Ratio(expected.PurchasesInterval.High / n),
	}
}

// longest keeps the value of the longest age, for answers with little room.
func (v *valueSoFar) longest() {
	if v.LTV365 != nil {
		v.LTV90 = nil
	}
}

func (f figures) valueSoFar(curve cohort.Curve) (v valueSoFar) {
	for age, into := range v.ages() {
		if point, ok := curve.At(age); ok {
			*into = f.estimate(point.Value, point.Interval)
		}
	}
	return v
}

// ltv fills in what the customers won in the window are worth, by the channel that won them.
func (c *Call) ltv(ctx context.Context, a *customersAnswer, days civil.Range, page page) error {
	p, err := c.panel(ctx, days, a.Channel)
	if err != nil {
		return err
	}
	var curves []cohort.Curve
	var whole cohort.Curve
	var ahead projection
	err = panics.Together(
		func() (err error) {
			curves, whole, err = curvesOf(p.members(c.netOf))
			return err
		},
		func() (err error) {
			ahead, err = c.projection(ctx, p)
			return err
		},
	)
	if err != nil {
		return err
	}
	slices.SortStableFunc(curves, func(a, b cohort.Curve) int { return b.Customers - a.Customers })
	shown := cut(page, curves)
	a.Pagination = page.pagination(len(shown), len(curves))
	if len(curves) == 0 {
		return nil
	}
	var all customersRow
	if a.Rows, all, err = c.ltvRows(shown, whole, p, ahead); err != nil {
		return err
	}
	a.Metrics = customersMetrics{Customers: all.Customers, valueSoFar: all.valueSoFar}
	if a.Metrics.Pareto, err = c.secondOpinion(p, ahead); err != nil {
		return err
	}
	a.Estimates = p.estimates("mean net revenue per customer by age, as long as each was watched; expectations from "+orNothing(ahead.model), ahead)
	a.Summary = c.ltvSummary(a, whole, curves, days)
	c.warnPanel(&a.closing, p, ahead)
	c.warnFirstDays(&a.closing, days)
	return nil
}

func orNothing(model string) string {
	if model == "" {
		return "no model"
	}
	return model
}

// estimates says what the estimates of a panel are.
func (p panel) estimates(method string, ahead projection) *Estimates {
	e := &Estimates{
		LevelPct: int(100 * level90), Method: method, Model: ahead.model, Sample: len(p.inside), Customers: p.Everybody,
	}
	if ahead.project != nil {
		e.HorizonDays, e.Seed = int(ahead.weeks*7+0.5), new(uint64(projectionSeed))
	}
	return e
}

// ltvRows describes the customers of each curve shown, and all of them.
func (c *Call) ltvRows(shown []cohort.Curve, whole cohort.Curve, p panel, ahead projection) (rows []customersRow, all customersRow, err error) {
	rows = make([]customersRow, len(shown))
	work := []func() error{func() (err error) {
		all, err = c.ltvRow(whole, p, ahead)
		return err
	}}
	for i, curve := range shown {
		work = append(work, func() (err error) {
			rows[i], err = c.ltvRow(curve, p, ahead)
			if c.view.DetailLevel == summaryLevel {
				rows[i].longest()
			}
			return err
		})
	}
	return rows, all, panics.Together(work...)
}

// ltvRow describes the customers of a curve: those of its channel, or all when its channel is "all".
func (c *Call) ltvRow(curve cohort.Curve, p panel, ahead projection) (customersRow, error) {
	row := customersRow{Channel: curve.Channel, Customers: new(Count(curve.Customers)), valueSoFar: c.figures().valueSoFar(curve)}
	row.Hidden = curve.Customers < cohort.SmallestCohort
	if ahead.project == nil || row.Hidden {
		return row, nil
	}
	var mine []warehouse.PanelCustomer
	for _, customer := range p.inside {
		if curve.Channel == everybody || customer.Channel == curve.Channel {
			mine = append(mine, customer)
		}
	}
	// Customers are sorted by a hash, so the first of them are a sample.
	group, err := c.buyers(mine[:min(len(mine), projectedCustomers)], p.observed)
	if err != nil {
		return row, err
	}
	expected, err := ahead.project(group)
	if err != nil {
		return row, fmt.Errorf("projection of %q: %w", curve.Channel, err)
	}
	n := float64(len(group))
	row.Expected = ordersEach(expected)
	if ahead.valued {
		row.Value = c.figures().estimate(expected.Value/n, measure.Interval{Low: expected.ValueInterval.Low / n, High: expected.ValueInterval.High / n})
	}
	return row, nil
}

// warnPanel says what the customers at hand cannot tell.
func (c *Call) warnPanel(a *closing, p panel, ahead projection) {
	if len(ahead.refused) > 0 {
		a.warn("not_projected", "Nothing is expected of the future: "+strings.Join(ahead.refused, "; ")+".")
	}
	if ahead.dear != "" {
		a.warn("value_not_projected", "Orders are expected and not their revenue: "+ahead.dear+".")
	}
	if p.sampled() {
		a.warn("sample", fmt.Sprintf("Values come from a fixed sample of %s of %s customers.", grouped(float64(len(p.Customers)), 0), grouped(float64(p.Everybody), 0)))
	}
}

func (c *Call) ltvSummary(a *customersAnswer, whole cohort.Curve, curves []cohort.Curve, days civil.Range) string {
	text := fmt.Sprintf("%s placed their first order %s", plural(whole.Customers, "customer", "customers"), spell(days))
	age := 0
	for _, candidate := range []int{30, 90, 180, 365} {
		if _, ok := whole.At(candidate); ok {
			age = candidate
		}
	}
	point, ok := whole.At(age)
	if !ok || age == 0 {
		return text + "; none has been watched for 30 days."
	}
	text += fmt.Sprintf(" and brought %s each within %d days, refunds taken off.", c.amount(int64(point.Value)), age)
	if a.Channel == "" {
		text += c.bestCurve(curves, age)
	}
	return text
}

// bestCurve names the channel whose customers are worth most by an age, when its interval lies above another's.
func (c *Call) bestCurve(curves []cohort.Curve, age int) string {
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
	case high.Interval.Low <= low.Interval.High:
		return " The channels' intervals overlap."
	}
	return fmt.Sprintf(" Customers won by %s are worth most (%s), by %s least (%s).", spoken(best), c.amount(int64(high.Value)), spoken(least), c.amount(int64(low.Value)))
}
