package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/panics"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Lifecycle is the `lifecycle` tool.
var Lifecycle = toolkit.Define(toolkit.Spec{
	Name:        "lifecycle",
	Title:       "Lifetime value and payback",
	Description: "Lifetime value (LTV), acquisition cost (CAC) and payback by channel, and new vs returning customers. The default period is the last 540 days.",
	Needs:       "orders",
}, runLifecycle)

type lifecycleParams struct {
	answer.Last540
	Aspect LifecycleAspect `json:"aspect" enum:"summary|ltv" doc:"New vs returning customers, or lifetime value."`
	answer.Shared
}

// LifecycleAspect selects the rows of the `lifecycle` tool. The default is summary.
type LifecycleAspect string

const (
	summaryAspect LifecycleAspect = "summary"
	ltvAspect     LifecycleAspect = "ltv"
)

// LifecycleAnswer is the answer of the lifecycle tool.
type LifecycleAnswer struct {
	answer.Opening
	Aspect    LifecycleAspect   `json:"aspect"`
	Metrics   LifecycleMetrics  `json:"metrics"`
	Estimates *answer.Estimates `json:"estimates,omitempty"`
	Margin    *MarginInfo       `json:"margin,omitempty" doc:"Basis of the gross margin."`
	answer.Table[LifecycleRow]
	answer.Closing
}

// LifecycleMetrics are the key figures of acquisition, LTV and payback.
type LifecycleMetrics struct {
	Revenue     *answer.Metric[answer.Money]   `json:"revenue,omitempty"`
	Orders      *answer.Metric[answer.Count]   `json:"orders,omitempty"`
	New         answer.Metric[answer.Count]    `json:"new_customers" doc:"First orders of known customers."`
	NewPct      *answer.Share[answer.Percent]  `json:"new_orders_pct,omitempty" doc:"Share of all orders."`
	Spend       answer.Metric[answer.Money]    `json:"spend"`
	CAC         answer.Metric[answer.Money]    `json:"cac" doc:"Total spend per new customer."`
	LTV365      *answer.Estimate[answer.Money] `json:"ltv_365d,omitempty" doc:"Net revenue per customer within a year of the first order."`
	Margin365   *answer.Estimate[answer.Money] `json:"margin_365d,omitempty" detail:"analyst"`
	Payback     string                         `json:"payback,omitempty"`
	PaybackDays *PaybackDays                   `json:"payback_days,omitempty" doc:"Absent if CAC is not covered: payback gives the reason."`
	LTVToCAC    *answer.Estimate[answer.Ratio] `json:"margin_to_cac,omitempty" detail:"analyst"`
}

// MarginInfo is the basis of gross margins.
type MarginInfo struct {
	Source      cohort.MarginSource `json:"source" doc:"costs: costs of every order are known; costs_of_a_part: the margin rate of orders with known costs is applied to the other orders."`
	RatePct     answer.Percent      `json:"rate_pct" doc:"Margin as a share of revenue without tax and shipping."`
	CoveragePct answer.Percent      `json:"coverage_pct" doc:"Share of revenue with known costs."`
}

// LifecycleRow is a segment or a channel. Each kind sets only its own fields.
type LifecycleRow struct {
	Segment     warehouse.Segment              `json:"segment,omitempty"`
	Channel     measure.Channel                `json:"channel,omitempty" doc:"Last-touch channel of the first order."`
	Customers   *answer.Count                  `json:"customers,omitempty" doc:"New customers of the period."`
	Followed    *answer.Count                  `json:"customers_followed,omitempty" detail:"analyst" doc:"Number of customers included in the values."`
	Orders      *answer.Count                  `json:"orders,omitempty"`
	Revenue     *answer.Money                  `json:"revenue,omitempty"`
	SharePct    *answer.Percent                `json:"share_pct,omitempty" doc:"Share of orders."`
	AOV         *answer.Money                  `json:"aov,omitempty"`
	Change      *answer.Percent                `json:"revenue_change_pct,omitempty"`
	Refunds     *answer.Money                  `json:"refunds,omitempty" detail:"analyst"`
	CAC         *answer.Money                  `json:"cac,omitempty" doc:"Channel spend per new customer."`
	LTV90       *answer.Estimate[answer.Money] `json:"ltv_90d,omitempty" doc:"Net revenue per customer within 90 days of the first order."`
	LTV365      *answer.Estimate[answer.Money] `json:"ltv_365d,omitempty"`
	Margin90    *answer.Estimate[answer.Money] `json:"margin_90d,omitempty" detail:"analyst" doc:"Gross margin per customer within 90 days of the first order."`
	Margin365   *answer.Estimate[answer.Money] `json:"margin_365d,omitempty" detail:"analyst"`
	Payback     string                         `json:"payback,omitempty" doc:"Day on which margin per customer covers CAC."`
	PaybackDays *PaybackDays                   `json:"payback_days,omitempty" detail:"analyst" doc:"Absent if CAC is not covered: payback gives the reason."`
	LTVToCAC    *answer.Estimate[answer.Ratio] `json:"margin_to_cac,omitempty" detail:"analyst" doc:"Margin at the longest observed age divided by CAC."`
	Spend       *answer.Money                  `json:"spend,omitempty" detail:"analyst"`
	Suppressed  bool                           `json:"suppressed,omitempty" doc:"Too few customers to show values."`
}

// PaybackDays is the number of days from the first order until CAC is covered, with its interval.
type PaybackDays struct {
	Value answer.Count  `json:"value"`
	Low   answer.Count  `json:"low"`
	High  *answer.Count `json:"high,omitempty" doc:"Absent if the lower limit of the margin interval does not cover CAC on any observed day."`
}

func runLifecycle(ctx context.Context, c *toolkit.Call, p lifecycleParams) (*LifecycleAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	a := &LifecycleAnswer{Aspect: p.Aspect}
	if a.Aspect == "" {
		a.Aspect = summaryAspect
	}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	a.ShowAll(a.Aspect == summaryAspect)
	acquired, err := c.Acquired(ctx, days)
	if err != nil {
		return nil, err
	}
	a.Metrics = lifecycleMetricsOf(c, acquired, days)
	if acquired.Segments.Recent.Of("") == (measure.Sums{}) {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
		c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String()}, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
		return a, nil
	}
	quality := answer.DataQuality{Revenue: c.Workspace.Basis.String(), Model: measure.LastTouch}
	switch a.Aspect {
	case summaryAspect:
		lifecycleSplit(c, a, acquired, days)
	case ltvAspect:
		quality.Revenue, quality.Method = toolkit.NetQuality(c.Workspace.Basis), paybackMethod
		err = lifecycleValues(ctx, c, a, acquired, days)
	}
	if err != nil {
		return nil, err
	}
	c.WarnBefore(&a.Closing, days, true)
	toolkit.WarnFirstDays(c, &a.Closing, days)
	c.WarnDays(&a.Closing, days, 0, true)
	c.WarnSpend(&a.Closing, snapshot.Total{SpendKnown: acquired.SpendKnown}, "")
	lifecycleNext(c, a, days)
	c.Describe(&a.Closing, quality, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	return a, nil
}

func lifecycleMetricsOf(c *toolkit.Call, q snapshot.Acquisition, days civil.Range) LifecycleMetrics {
	f := c.Figures
	now, before := q.Segments.Recent, q.Segments.Earlier
	all, allBefore := now.Of(""), before.Of("")
	sold := c.Store.Covers(days.Previous(), snapshot.FromOrders)
	return LifecycleMetrics{
		Revenue: new(answer.MetricOf(f.Revenue(all), f.Revenue(allBefore)).Where(true, sold)),
		Orders:  new(answer.MetricOf(answer.Orders(all.Orders), answer.Orders(allBefore.Orders)).Where(true, sold)),
		New:     answer.MetricOf(answer.Orders(now.New.Orders), answer.Orders(before.New.Orders)).Where(true, sold),
		NewPct: new(answer.ShareOf(answer.PercentOf(measure.Share(now.New.Orders, all.Orders)), answer.PercentOf(measure.Share(before.New.Orders, allBefore.Orders))).
			Where(true, sold)),
		Spend: answer.MetricOf(f.Money(q.Spent), f.Money(q.SpentBefore)).Where(q.SpendKnown, q.KnownBefore),
		CAC: answer.MetricOfKnown(f.PerMinor(measure.CPA(q.Spent, q.Paid.All())), f.PerMinor(measure.CPA(q.SpentBefore, before.New.Orders))).
			Where(q.SpendKnown, q.KnownBefore && sold),
	}
}

// lifecycleSplit fills in new vs returning customers.
func lifecycleSplit(c *toolkit.Call, a *LifecycleAnswer, q snapshot.Acquisition, days civil.Range) {
	f, all := c.Figures, q.Segments.Recent.Of("")
	sold := c.Store.Covers(days.Previous(), snapshot.FromOrders)
	for _, segment := range warehouse.Segments() {
		now, before := q.Segments.Recent.Of(segment), q.Segments.Earlier.Of(segment)
		if segment == warehouse.UnknownCustomers && now == (measure.Sums{}) {
			continue
		}
		row := LifecycleRow{
			Segment: segment, Orders: new(answer.Orders(now.Orders)), Revenue: new(f.Revenue(now)), SharePct: answer.PercentOf(measure.Share(now.Orders, all.Orders)),
			AOV: f.AOV(now), Refunds: new(f.Money(now.Refunds)),
		}
		if sold {
			row.Change = answer.PercentOf(measure.Change(float64(f.Basis.Revenue(now)), float64(f.Basis.Revenue(before))))
		}
		a.Rows = append(a.Rows, row)
	}
	a.Summary = fmt.Sprintf("No orders were placed %s.", answer.Dates(days))
	if share, ok := measure.Share(q.Segments.Recent.New.Orders, all.Orders); ok {
		a.Summary = fmt.Sprintf("New customers placed %s of the %s %s and generated %s of %s in revenue.", answer.Percent(share),
			plural(answer.Orders(all.Orders), "order", "orders"), answer.Dates(days), c.Amount(f.Basis.Revenue(q.Segments.Recent.New)), c.Amount(f.Basis.Revenue(all)))
	}
	if cac := a.Metrics.CAC.Value; cac != nil {
		a.Summary += fmt.Sprintf(" CAC is %s (total spend %s).", c.Spelled(*cac), c.Amount(q.Spent))
	}
}

// paybackMethod describes how margins and paybacks are computed.
const paybackMethod = "Gross margin is revenue without tax and shipping, minus cost of goods. Refunds are subtracted in full. " +
	"CAC is total spend divided by the number of new customers since the first day with spend. Last touch of the first order determines a new customer's channel. Payback is the first day on which margin per customer covers CAC."

// lifecycleValues fills in customer value and acquisition cost by channel.
func lifecycleValues(ctx context.Context, c *toolkit.Call, a *LifecycleAnswer, q snapshot.Acquisition, days civil.Range) error {
	p, err := c.CustomerPanel(ctx, days, "")
	if err != nil {
		return err
	}
	var curves []cohort.Curve
	var whole cohort.Curve
	var margins cohort.Margins
	var unknown error
	var earned map[measure.Channel]cohort.Curve
	err = panics.Together(
		func() (err error) {
			curves, whole, err = snapshot.CurvesOf(p.Members(c.NetOf))
			return err
		},
		func() (err error) {
			if margins, unknown = p.Margins(); unknown == nil {
				earned, err = snapshot.MarginCurves(p, margins)
			}
			return err
		},
	)
	if err != nil {
		return err
	}
	switch {
	case unknown == nil:
		a.Margin = &MarginInfo{Source: margins.Source, RatePct: answer.Percent(100 * margins.Rate), CoveragePct: answer.Percent(100 * margins.Coverage)}
	case fault.KindOf(unknown) != fault.KindNotReady:
		return unknown
	default:
		a.Warn(answer.WarnMarginUnknown, "Payback is unavailable: too few product costs are known to compute a margin. Import products with their costs.")
	}
	f := c.Figures
	if c.Store.Untouched() {
		c.WarnUntouched(&a.Closing, days, "")
	} else {
		curves = snapshot.WithChannels(curves, q.Spend)
	}
	curves = snapshot.WithChannels(curves, q.Won)
	for _, curve := range curves {
		row, err := valueRow(f, curve, earned, q)
		if err != nil {
			return err
		}
		a.Rows = append(a.Rows, row)
	}
	slices.SortStableFunc(a.Rows, func(a, b LifecycleRow) int { return int(*b.Customers) - int(*a.Customers) })
	if c.View.DetailLevel == answer.SummaryLevel {
		a.Metrics.Revenue, a.Metrics.Orders, a.Metrics.NewPct = nil, nil, nil
		for i, row := range a.Rows {
			if row.LTV365 != nil {
				a.Rows[i].LTV90 = nil
			}
		}
	}
	a.Estimates = toolkit.PanelEstimates(p, "LTV and margin at an age (days since the first order) are observed means per customer up to this age. The payback interval comes from the margin interval.", snapshot.Projection{})
	if err := wholeValues(c, a, whole, earned, q); err != nil {
		return err
	}
	toolkit.WarnPanel(c, &a.Closing, p, snapshot.Projection{})
	a.Summary = valuesSummary(c, a, days)
	return nil
}

func valueRow(f answer.Figures, curve cohort.Curve, earned map[measure.Channel]cohort.Curve, q snapshot.Acquisition) (LifecycleRow, error) {
	value := toolkit.ValueSoFarOf(f, curve)
	won := q.Won[curve.Channel]
	row := LifecycleRow{
		Channel: curve.Channel, Customers: new(answer.Orders(won)), Followed: new(answer.Count(curve.Customers)), LTV90: value.LTV90, LTV365: value.LTV365,
		Suppressed: len(curve.Points) == 0,
	}
	spend, known := q.Spend[curve.Channel]
	if known {
		row.Spend, row.CAC = new(f.Money(spend)), f.PerMinor(measure.CPA(spend, q.Paid[curve.Channel]))
	}
	margin := earned[curve.Channel]
	switch {
	case earned == nil:
		row.Payback = "margin unknown"
		return row, nil
	case won == 0:
		row.Payback = "no new customers"
		return row, nil
	case len(margin.Points) == 0:
		row.Payback = "too few customers"
		return row, nil
	}
	worth := toolkit.ValueSoFarOf(f, margin)
	row.Margin90, row.Margin365 = worth.LTV90, worth.LTV365
	cost, ok := measure.CPA(spend, q.Paid[curve.Channel])
	if !known || !ok {
		row.Payback = "spend unknown"
		return row, nil
	}
	payback, err := cohort.PaybackOf(margin, cost)
	if err != nil {
		return row, err
	}
	row.Payback, row.PaybackDays, row.LTVToCAC = paybackWords(payback), paybackDays(payback), marginToCost(margin, cost)
	return row, nil
}

// paybackWords describes when CAC is covered.
func paybackWords(p cohort.Payback) string {
	switch {
	case p.Day.Reached && p.Day.Day == 0:
		return "with the first order"
	case p.Day.Reached:
		return fmt.Sprintf("day %d", p.Day.Day)
	}
	return fmt.Sprintf("not by day %d", p.Day.Day)
}

// paybackDays returns the day of a payback, or nil if CAC is not covered on any observed day.
func paybackDays(p cohort.Payback) *PaybackDays {
	if !p.Day.Reached {
		return nil
	}
	days := &PaybackDays{Value: answer.Count(p.Day.Day), Low: answer.Count(p.Earliest.Day)}
	if p.Latest.Reached {
		days.High = new(answer.Count(p.Latest.Day))
	}
	return days
}

// marginToCost returns the margin at the last observed day divided by CAC, or nil if CAC is zero.
func marginToCost(margin cohort.Curve, cost float64) *answer.Estimate[answer.Ratio] {
	if cost <= 0 {
		return nil
	}
	return answer.EstimateOf[answer.Ratio](margin.Points[len(margin.Points)-1].Estimate, 1/cost)
}

// wholeValues fills in the metrics over all channels, including customers acquired without spend.
func wholeValues(c *toolkit.Call, a *LifecycleAnswer, whole cohort.Curve, earned map[measure.Channel]cohort.Curve, q snapshot.Acquisition) error {
	f := c.Figures
	if whole.Customers == 0 {
		return nil
	}
	a.Metrics.LTV365 = toolkit.ValueSoFarOf(f, whole).LTV365
	all := snapshot.Acquisition{
		Won:   snapshot.NewCustomers{snapshot.Everybody: q.Won.All()},
		Paid:  snapshot.NewCustomers{snapshot.Everybody: q.Paid.All()},
		Spend: map[measure.Channel]int64{},
	}
	if q.SpendKnown {
		all.Spend[snapshot.Everybody] = q.Spent
	}
	row, err := valueRow(f, whole, earned, all)
	if err != nil {
		return err
	}
	a.Metrics.Margin365, a.Metrics.Payback, a.Metrics.PaybackDays, a.Metrics.LTVToCAC = row.Margin365, row.Payback, row.PaybackDays, row.LTVToCAC
	return nil
}

func valuesSummary(c *toolkit.Call, a *LifecycleAnswer, days civil.Range) string {
	text := fmt.Sprintf("%s new customers were acquired %s.", *a.Metrics.New.Value, answer.Dates(days))
	if cac := a.Metrics.CAC.Value; cac != nil {
		text += fmt.Sprintf(" CAC is %s.", c.Spelled(*cac))
	}
	switch payback := a.Metrics.PaybackDays; {
	case payback != nil && payback.High != nil && *payback.High == 0:
		text += " Gross margin covers CAC with the first order."
	case payback != nil && payback.High != nil:
		text += fmt.Sprintf(" Payback is on day %s after the first order (90%% interval day %s to day %s).", payback.Value, payback.Low, *payback.High)
	case payback != nil:
		text += fmt.Sprintf(" Payback is on day %s after the first order (90%% interval from day %s, without an upper limit in the observed days).", payback.Value, payback.Low)
	case a.Margin != nil && a.Metrics.Payback != "":
		text += fmt.Sprintf(" Payback: %s.", a.Metrics.Payback)
	case a.Margin == nil:
		text += " Margin is unknown because product costs are missing."
	}
	if l := a.Metrics.LTV365; l != nil {
		text += fmt.Sprintf(" LTV is %s in the first 365 days, net of refunds.", c.Spelled(l.Value))
	}
	return text
}

func lifecycleNext(c *toolkit.Call, a *LifecycleAnswer, days civil.Range) {
	if a.Aspect == summaryAspect {
		c.Suggest(&a.Closing, "lifecycle", toolkit.With(toolkit.Dated(days), "aspect", string(ltvAspect)), "See LTV, CAC and payback by channel.")
	} else {
		c.Suggest(&a.Closing, "customers", toolkit.With(toolkit.Dated(days), "view", string(ltvView)), "See observed and predicted LTV of these customers.")
	}
	c.Suggest(&a.Closing, "customers", toolkit.With(toolkit.Dated(days), "view", string(retentionView)), "See retention by cohort.")
}
