package tools

import (
	"context"
	"fmt"
	"math"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/creator"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Creators is the `creators` tool.
var Creators = toolkit.Define(toolkit.Spec{
	Name:        "creators",
	Title:       "Creators",
	Description: "Creator results estimated from all signals combined: survey mentions, codes, link clicks and referrals, with ROI. The default period is the last 90 days.",
	Needs:       "creators",
}, runCreators)

type creatorsParams struct {
	answer.Last90
	CreatorID string      `json:"creator_id" doc:"Details of one creator."`
	SortBy    creatorSort `json:"sort_by" enum:"total_revenue|total_orders|roi|blended_confidence" doc:"Largest first."`
	Limit     int         `json:"limit" default:"20" min:"1" max:"100" doc:"Number of creators."`
	answer.Shared
}

// creatorSort is the figure by which creators are ranked, largest first. The default is revenue.
type creatorSort string

const (
	byTotalRevenue creatorSort = "total_revenue"
	byTotalOrders  creatorSort = "total_orders"
	byReturn       creatorSort = "roi"
	byConfidence   creatorSort = "blended_confidence"
)

// CreatorsAnswer is the answer of the `creators` tool.
type CreatorsAnswer struct {
	answer.Opening
	Basis   measure.Basis   `json:"basis"`
	Blend   CreatorBlend    `json:"blend"`
	Metrics CreatorMetrics  `json:"metrics"`
	Signals []CreatorSignal `json:"signals,omitempty" doc:"Signals of the requested creator."`
	answer.Table[CreatorRow]
	answer.Closing
}

// CreatorBlend describes how the signals are combined.
type CreatorBlend struct {
	Method   string           `json:"method,omitempty" detail:"analyst"`
	Level    answer.Percent   `json:"level_pct" doc:"Level of every interval."`
	Cleaned  bool             `json:"codes_cleaned" doc:"true: leaked code orders are estimated from conversion paths. false: a fixed share is assumed."`
	CodePct  *answer.Percent  `json:"code_rate_pct,omitempty" detail:"analyst" doc:"Share of a creator's orders that use the code."`
	NamedPct *answer.Percent  `json:"survey_rate_pct,omitempty" detail:"analyst" doc:"Share of a creator's orders with a survey answer that names the creator."`
	LinkPct  *answer.Percent  `json:"link_rate_pct,omitempty" detail:"analyst" doc:"Share of a creator's orders that links record."`
	Evidence *CreatorEvidence `json:"evidence,omitempty" detail:"analyst"`
	Noise    *answer.Ratio    `json:"noise,omitempty" detail:"debug" doc:"Overdispersion of signals between creators, at least 1."`
	Spread   *answer.Percent  `json:"shared_error_pct,omitempty" detail:"debug" doc:"Standard error of the rates, which shifts the estimates of all creators together."`
}

// CreatorEvidence contains the numbers of orders from which the rates are estimated, over all of the store's days.
type CreatorEvidence struct {
	Named answer.Count `json:"survey_orders"`
	Both  answer.Count `json:"survey_and_code_orders"`
	Code  answer.Count `json:"code_orders"`
	Link  answer.Count `json:"link_orders"`
}

// CreatorMetrics are totals over all creators.
type CreatorMetrics struct {
	TotalRevenue answer.Metric[answer.Money]  `json:"total_revenue" doc:"Estimate from all signals combined."`
	TotalOrders  answer.Metric[answer.Count]  `json:"total_orders" doc:"Estimated orders; each order is counted once."`
	OrdersLow    answer.Count                 `json:"total_orders_low"`
	OrdersHigh   answer.Count                 `json:"total_orders_high"`
	SeenOrders   *answer.Metric[answer.Count] `json:"seen_orders,omitempty" detail:"analyst" doc:"Orders observed by code or survey; each order is counted once."`
	Cost         answer.Metric[answer.Money]  `json:"cost"`
	ROI          answer.Metric[answer.Ratio]  `json:"roi"`
}

// CreatorRow is the estimate for a creator, with its signals.
type CreatorRow struct {
	ID             string          `json:"creator_id"`
	Name           answer.Foreign  `json:"name"`
	Revenue        answer.Money    `json:"total_revenue" doc:"Estimated orders times the mean value of observed orders."`
	RevenueLow     *answer.Money   `json:"total_revenue_low,omitempty" detail:"analyst"`
	RevenueHigh    *answer.Money   `json:"total_revenue_high,omitempty" detail:"analyst"`
	Orders         answer.Count    `json:"total_orders" doc:"Estimate from all signals combined."`
	OrdersLow      answer.Count    `json:"total_orders_low"`
	OrdersHigh     answer.Count    `json:"total_orders_high"`
	Confidence     answer.Ratio    `json:"blended_confidence" doc:"From 0 to 1: 1 minus the ratio of half the interval width to the estimate."`
	Cost           *answer.Money   `json:"cost,omitempty" doc:"Fees, commissions and gifts; absent when unknown."`
	ROI            *answer.Ratio   `json:"roi,omitempty" doc:"(total_revenue - cost) / cost. Cost of goods is not subtracted."`
	ROILow         *answer.Ratio   `json:"roi_low,omitempty" detail:"analyst"`
	ROIHigh        *answer.Ratio   `json:"roi_high,omitempty" detail:"analyst"`
	CodeOrders     *answer.Count   `json:"code_orders,omitempty" detail:"analyst" doc:"Absent without a code."`
	SurveyMentions *answer.Count   `json:"survey_mentions,omitempty" detail:"analyst" doc:"Orders with a survey answer that names the creator."`
	LinkOrders     *answer.Count   `json:"link_orders,omitempty" detail:"analyst" doc:"Orders counted by links, without order IDs."`
	VanityClicks   *answer.Count   `json:"vanity_clicks,omitempty" detail:"analyst"`
	ReferralClicks *answer.Count   `json:"referral_clicks,omitempty" detail:"analyst"`
	SeenOrders     *answer.Count   `json:"seen_orders,omitempty" detail:"analyst" doc:"Orders observed by code or survey; each order is counted once."`
	Platform       answer.Foreign  `json:"platform,omitempty" detail:"analyst"`
	Handle         answer.Foreign  `json:"handle,omitempty" detail:"debug"`
	Signals        []CreatorSignal `json:"signals,omitempty" detail:"debug"`
}

// CreatorSignal is the estimate from one signal alone.
type CreatorSignal struct {
	Signal  creator.Signal `json:"signal"`
	Seen    answer.Count   `json:"seen" doc:"Orders observed by the signal."`
	Rate    answer.Percent `json:"rate_pct" doc:"Share of a creator's orders that the signal observes."`
	Implied answer.Count   `json:"implied_orders" doc:"Total orders estimated from this signal alone, after removing code orders that the creator did not generate."`
	Weight  answer.Percent `json:"weight_pct" doc:"Weight of the signal in the estimate. Signals that observe more orders have a larger weight."`
}

func runCreators(ctx context.Context, c *toolkit.Call, p creatorsParams) (*CreatorsAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	rates, err := c.CreatorRates(ctx)
	if err != nil {
		return nil, err
	}
	found, err := c.CreatorsIn(ctx, warehouse.Windows{Recent: days, Earlier: days.Previous()})
	if err != nil {
		return nil, err
	}
	chosen := found.Now
	if p.CreatorID != "" {
		one, err := toolkit.CreatorByID(found.Now, "creator_id", p.CreatorID)
		if err != nil {
			return nil, err
		}
		chosen = []snapshot.Creator{one}
	}
	now, err := c.CreatorEstimates(rates, chosen, found.Now)
	if err != nil {
		return nil, err
	}
	before, err := c.CreatorEstimates(rates, snapshot.Among(found.Before, chosen), found.Before)
	if err != nil {
		return nil, err
	}
	toolkit.LargestFirst(now, p.SortBy.of, func(e snapshot.CreatorEstimate) string { return e.ID })
	a := &CreatorsAnswer{Basis: measure.Modelled, Blend: blendOf(rates), Metrics: creatorMetricsOf(c, rates, now, before, c.Store.Covers(days.Previous(), snapshot.FromOrders))}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	creatorRows(c, a, p, rates, now)
	if len(now) == 0 {
		a.Summary = toolkit.NoCreators(c, &a.Closing, false)
	} else {
		a.Summary = creatorsSummary(c, a, p, days, now)
		warnCreators(&a.Closing, rates)
		c.WarnBefore(&a.Closing, days, false)
		c.WarnDays(&a.Closing, days, 0, false)
		creatorsNext(c, a, p, days)
	}
	c.Describe(&a.Closing, c.Quality("", snapshot.Total{}), snapshot.FromOrders, snapshot.FromCreators, snapshot.FromSurveys)
	return a, nil
}

// whole rounds an estimated number of orders, because its interval is wider than the rounding error.
func whole(orders float64) answer.Count { return answer.Count(math.Round(orders)) }

func (s creatorSort) of(e snapshot.CreatorEstimate) (float64, bool) {
	switch s {
	case byTotalOrders:
		return e.Orders.Value, true
	case byReturn:
		return measure.ROI(e.Revenue, e.Cost)
	case byConfidence:
		return e.Confidence, true
	case byTotalRevenue, "":
	}
	return float64(e.Revenue), true
}

func blendOf(r creator.Rates) CreatorBlend {
	return CreatorBlend{
		Method: "Capture-recapture uses codes, surveys and links to estimate the number of orders that creators generated.", Level: 100 * snapshot.CreatorLevel, Cleaned: r.Cleaned,
		CodePct: new(answer.Percent(100 * r.Code)), NamedPct: new(answer.Percent(100 * r.Survey)), LinkPct: new(answer.Percent(100 * r.Link)),
		Evidence: &CreatorEvidence{answer.Count(r.Known.Named), answer.Count(r.Known.Both), answer.Count(r.Known.Code), answer.Count(r.Known.Link)},
		Noise:    new(answer.Ratio(r.Noise)), Spread: new(answer.Percent(100 * r.Spread)),
	}
}

func creatorMetricsOf(c *toolkit.Call, rates creator.Rates, now, before []snapshot.CreatorEstimate, comparable bool) CreatorMetrics {
	f := c.Figures
	n, b := sumEstimates(now), sumEstimates(before)
	var parts []creator.Estimate
	for _, e := range now {
		parts = append(parts, e.Estimate)
	}
	sum := rates.Sum(parts, snapshot.CreatorLevel)
	return CreatorMetrics{
		TotalRevenue: answer.MetricOf(f.Money(n.revenue), f.Money(b.revenue)).Where(true, comparable),
		TotalOrders:  answer.MetricOf(whole(n.orders), whole(b.orders)).Where(true, comparable),
		OrdersLow:    whole(sum.Orders.Low), OrdersHigh: whole(sum.Orders.High),
		SeenOrders: new(answer.MetricOf(answer.Orders(n.seen), answer.Orders(b.seen)).Where(true, comparable)),
		Cost:       answer.MetricOf(f.Money(n.cost), f.Money(b.cost)).Where(n.costKnown, b.costKnown && comparable),
		ROI: answer.MetricOfKnown(answer.RatioOf(measure.ROI(n.costedRevenue, n.cost)), answer.RatioOf(measure.ROI(b.costedRevenue, b.cost))).
			Where(n.costKnown, b.costKnown && comparable),
	}
}

// creatorSums are the totals of several creators: estimates and costs.
type creatorSums struct {
	revenue, seen, cost int64
	costedRevenue       int64 // part of revenue from creators with a known cost
	orders              float64
	costKnown           bool // the cost of at least one creator is known
}

func sumEstimates(all []snapshot.CreatorEstimate) (sum creatorSums) {
	for _, e := range all {
		sum.revenue += e.Revenue
		sum.orders += e.Orders.Value
		sum.seen += e.Seen.Orders
		if e.CostKnown {
			sum.cost += e.Cost
			sum.costedRevenue += e.Revenue
			sum.costKnown = true
		}
	}
	return sum
}

func creatorRows(c *toolkit.Call, a *CreatorsAnswer, p creatorsParams, rates creator.Rates, all []snapshot.CreatorEstimate) {
	for _, e := range all[:min(p.Limit, len(all))] {
		a.Rows = append(a.Rows, creatorRowOf(c, rates, e))
	}
	if a.Rows == nil {
		a.Rows = []CreatorRow{}
	}
	if p.CreatorID != "" && len(all) == 1 {
		a.Signals, a.Rows[0].Signals = a.Rows[0].Signals, nil
	}
	if len(a.Rows) < len(all) {
		a.Truncated = &answer.Truncated{RowsReturned: len(a.Rows), RowsTotal: len(all), Reason: "limit", How: "limit=100"}
	}
}

func creatorRowOf(c *toolkit.Call, rates creator.Rates, e snapshot.CreatorEstimate) CreatorRow {
	f := c.Figures
	low, high := revenueInterval(e)
	row := CreatorRow{
		ID: e.ID, Name: answer.Foreign(e.Name), Platform: answer.Foreign(e.Platform), Handle: answer.Foreign(e.Handle),
		Revenue: f.Money(e.Revenue), RevenueLow: new(f.Money(low)), RevenueHigh: new(f.Money(high)),
		Orders: whole(e.Orders.Value), OrdersLow: whole(e.Orders.Low), OrdersHigh: whole(e.Orders.High), Confidence: answer.Ratio(e.Confidence),
		SurveyMentions: new(answer.Orders(e.Named.Orders)), SeenOrders: new(answer.Orders(e.Seen.Orders)), Signals: signalRows(rates, e),
	}
	if e.HasCode {
		row.CodeOrders = new(answer.Orders(e.Code.Orders))
	}
	if e.HasLink {
		row.LinkOrders, row.VanityClicks, row.ReferralClicks = new(answer.Count(e.LinkOrders)), new(answer.Count(e.VanityClicks)), new(answer.Count(e.Referral))
	}
	if e.CostKnown {
		row.Cost, row.ROI = new(f.Money(e.Cost)), answer.RatioOf(measure.ROI(e.Revenue, e.Cost))
		row.ROILow, row.ROIHigh = answer.RatioOf(measure.ROI(low, e.Cost)), answer.RatioOf(measure.ROI(high, e.Cost))
	}
	return row
}

// revenueInterval converts the interval of the number of orders to revenue. If revenue per order is negative, the lower
// and upper bounds are exchanged.
func revenueInterval(e snapshot.CreatorEstimate) (low, high int64) {
	low, high = int64(math.Round(e.Orders.Low*e.Value)), int64(math.Round(e.Orders.High*e.Value))
	return min(low, high), max(low, high)
}

func signalRows(rates creator.Rates, e snapshot.CreatorEstimate) []CreatorSignal {
	var out []CreatorSignal
	for _, p := range e.Parts {
		row := CreatorSignal{Signal: p.Signal, Implied: answer.Count(max(0, p.Orders)), Weight: answer.Percent(100 * p.Weight)}
		switch p.Signal {
		case creator.ByCode:
			row.Seen, row.Rate = answer.Orders(e.Code.Orders), answer.Percent(100*rates.Code)
		case creator.BySurvey:
			row.Seen, row.Rate = answer.Orders(e.Named.Orders), answer.Percent(100*rates.Survey)
		case creator.ByLink:
			row.Seen, row.Rate = answer.Count(e.LinkOrders), answer.Percent(100*rates.Link)
		}
		out = append(out, row)
	}
	return out
}

func creatorsSummary(c *toolkit.Call, a *CreatorsAnswer, p creatorsParams, days civil.Range, all []snapshot.CreatorEstimate) string {
	who := answer.Plural(len(all), "creator", "creators")
	if p.CreatorID != "" {
		who = "the creator"
	}
	m := a.Metrics
	text := fmt.Sprintf("An estimated %s orders (90%% interval %s to %s) and %s in revenue are attributed to %s %s.",
		*m.TotalOrders.Value, m.OrdersLow, m.OrdersHigh,
		c.Spelled(*m.TotalRevenue.Value), who, answer.Dates(days))
	if m.ROI.Value != nil {
		text += fmt.Sprintf(" The known cost is %s and the ROI is %s.", c.Spelled(*m.Cost.Value), *m.ROI.Value)
	}
	return text
}

// weakEvidence is the minimum number of orders with both a code and a survey answer that names the creator. With fewer
// such orders, the share of orders with a code is mostly assumed.
const weakEvidence = 10

func warnCreators(a *answer.Closing, r creator.Rates) {
	switch {
	case r.Known.Code == 0:
		a.Warn(answer.WarnLevelAssumed, "No order has a creator code, so the share of orders that links and surveys observe is assumed. All estimates depend on this assumption.")
	case r.Known.Both < weakEvidence:
		a.Warn(answer.WarnLevelAssumed, fmt.Sprintf("Only %s orders have both a code and a survey answer that names the creator. The share of orders with a code is therefore mostly assumed.", answer.Quantity(r.Known.Both)))
	}
	if r.Known.Code > 0 && !r.Cleaned {
		a.Warn(answer.WarnCodesNotCleaned, fmt.Sprintf("Conversion paths do not show which orders with a creator code came from the creator. The estimate assumes that creators generated %.0f%% of these orders.", 100*creator.Assumed))
	}
}

func creatorsNext(c *toolkit.Call, a *CreatorsAnswer, p creatorsParams, days civil.Range) {
	if p.CreatorID == "" {
		c.Suggest(&a.Closing, "creators", toolkit.With(toolkit.Dated(days), "creator_id", a.Rows[0].ID), "See the code, survey and link data of the creator in the first row.")
	}
	c.Suggest(&a.Closing, "influencers", toolkit.With(toolkit.Dated(days), "action", string(listInfluencers)), "See the orders that codes and links track.")
}
