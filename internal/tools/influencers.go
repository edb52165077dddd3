package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Influencers is the `influencers` tool.
var Influencers = toolkit.Define(toolkit.Spec{
	Name:        "influencers",
	Title:       "Influencers",
	Description: "Influencer and affiliate results by code and link. `creators` combines all signals.",
	Needs:       "creators",
	Arguments:   map[string]any{"action": "list"},
}, runInfluencers)

type influencersParams struct {
	Action        InfluencerAction `json:"action" enum:"list|performance|compare|top_performers" required:"true" doc:"What to show."`
	View          string           `json:"view" enum:"overview" doc:"Deprecated: use action=list."`
	InfluencerID  string           `json:"influencer_id" doc:"For action=performance."`
	InfluencerIDs []string         `json:"influencer_ids" doc:"For action=compare."`
	SortBy        influencerSort   `json:"sort_by" enum:"revenue|orders|clicks|conversions|roi" default:"revenue" doc:"For list and top_performers."`
	Platform      string           `json:"platform" doc:"Only this social platform."`
	Limit         int              `json:"limit" default:"25" min:"1" max:"100" doc:"Rows."`
	answer.Last90
	Offset int `json:"offset" default:"0" min:"0" doc:"Rows to skip."`
	answer.Shared
}

// InfluencerAction selects the influencers to show.
type InfluencerAction string

const (
	listInfluencers    InfluencerAction = "list"
	oneInfluencer      InfluencerAction = "performance"
	compareInfluencers InfluencerAction = "compare"
	topInfluencers     InfluencerAction = "top_performers"
)

// influencerSort is the figure by which influencers are ranked, largest first.
type influencerSort string

const (
	byRevenueOf   influencerSort = "revenue"
	byOrdersOf    influencerSort = "orders"
	byClicks      influencerSort = "clicks"
	byConversions influencerSort = "conversions"
	byROI         influencerSort = "roi"
)

// Check rejects a reversed period and an action without the IDs it needs.
func (p influencersParams) Check() error {
	switch {
	case p.View != "" && p.Action != listInfluencers:
		return &mcp.RejectedError{
			Fault: fault.Invalid("view=overview is a deprecated alias of action=list and conflicts with action=%s", p.Action), Drop: []string{"view"},
		}
	case p.Action == oneInfluencer && p.InfluencerID == "":
		return fault.Invalid("action=performance requires influencer_id").WithHint("action=list shows the IDs.")
	case p.Action == compareInfluencers && len(p.InfluencerIDs) == 0:
		return fault.Invalid("action=compare requires influencer_ids").WithHint("action=list shows the IDs.")
	}
	return p.Last90.Check()
}

// InfluencersAnswer is the answer of the `influencers` tool.
type InfluencersAnswer struct {
	answer.Opening
	Action  InfluencerAction  `json:"action"`
	Basis   measure.Basis     `json:"basis" doc:"Basis of revenue and orders."`
	Metrics InfluencerMetrics `json:"metrics"`
	answer.Table[InfluencerRow]
	answer.Closing
}

// InfluencerMetrics are totals over all selected influencers, not only those on the page.
type InfluencerMetrics struct {
	Revenue     answer.Metric[answer.Money] `json:"revenue"`
	Orders      answer.Metric[answer.Count] `json:"orders"`
	Clicks      answer.Metric[answer.Count] `json:"clicks"`
	Conversions answer.Metric[answer.Count] `json:"conversions"`
	Cost        answer.Metric[answer.Money] `json:"cost"`
	ROI         answer.Metric[answer.Ratio] `json:"roi"`
}

// InfluencerRow is an influencer's results by code and link.
type InfluencerRow struct {
	Rank          int             `json:"rank,omitempty"`
	ID            string          `json:"influencer_id"`
	Name          answer.Foreign  `json:"name"`
	Revenue       answer.Money    `json:"revenue" doc:"Revenue of the orders that the field orders counts."`
	Orders        answer.Count    `json:"orders" doc:"Orders with the influencer's code; without a code, orders counted by links."`
	Clicks        answer.Count    `json:"clicks" doc:"Link clicks."`
	Conversions   answer.Count    `json:"conversions" doc:"Orders counted by links; some of these orders may also have the code."`
	Cost          *answer.Money   `json:"cost,omitempty" doc:"Fees, commissions and gifts; absent when unknown."`
	ROI           *answer.Ratio   `json:"roi,omitempty" doc:"(revenue - cost) / cost. Cost of goods is not subtracted."`
	Platform      answer.Foreign  `json:"platform,omitempty" detail:"analyst"`
	Handle        answer.Foreign  `json:"handle,omitempty" detail:"analyst"`
	AOV           *answer.Money   `json:"aov,omitempty" detail:"analyst"`
	NewOrders     *answer.Count   `json:"new_orders,omitempty" detail:"analyst" doc:"New-customer orders with the code."`
	ConversionPct *answer.Percent `json:"conversion_pct,omitempty" detail:"analyst" doc:"Conversions per click."`
	LinkRevenue   *answer.Money   `json:"link_revenue,omitempty" detail:"analyst" doc:"Revenue of the conversions."`
	OrdersFrom    string          `json:"orders_from,omitempty" detail:"analyst" doc:"code or link."`
	Refunds       *answer.Money   `json:"refunds,omitempty" detail:"debug"`
}

func runInfluencers(ctx context.Context, c *toolkit.Call, p influencersParams) (*InfluencersAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	found, err := c.CreatorsIn(ctx, warehouse.Windows{Recent: days, Earlier: days.Previous()})
	if err != nil {
		return nil, err
	}
	chosen, err := p.choose(found.Now, c.Workspace.Basis)
	if err != nil {
		return nil, err
	}
	a := &InfluencersAnswer{Action: p.Action, Basis: measure.Attributed}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	a.Metrics = influencerMetricsOf(c, chosen, snapshot.Among(found.Before, chosen), c.Store.Covers(days.Previous(), snapshot.FromOrders))
	influencerRows(c, a, p, chosen)
	if len(chosen) == 0 {
		a.Summary = toolkit.NoCreators(c, &a.Closing, len(found.Now) > 0)
	} else {
		a.Summary = influencersSummary(c, a, days, chosen)
		a.Warn(answer.WarnCodeOrders, "Codes and links track only part of the orders that influencers generate. Leaked codes add orders that no influencer generated. The `creators` tool estimates all orders that influencers generate.")
		c.WarnBefore(&a.Closing, days, false)
		c.WarnDays(&a.Closing, days, 0, false)
		influencersNext(c, a, days)
	}
	c.Describe(&a.Closing, c.Quality("", snapshot.Total{}), snapshot.FromOrders, snapshot.FromCreators)
	return a, nil
}

// choose returns the influencers selected by the action. Sorting by revenue and ROI uses the workspace's basis.
func (p influencersParams) choose(all []snapshot.Creator, basis measure.RevenueBasis) ([]snapshot.Creator, error) {
	switch p.Action {
	case oneInfluencer:
		one, err := toolkit.CreatorByID(all, "influencer_id", p.InfluencerID)
		return []snapshot.Creator{one}, err
	case compareInfluencers:
		var out []snapshot.Creator
		for _, id := range p.InfluencerIDs {
			one, err := toolkit.CreatorByID(all, "influencer_ids", id)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(out, func(f snapshot.Creator) bool { return f.ID == one.ID }) {
				out = append(out, one)
			}
		}
		return out, nil
	case listInfluencers, topInfluencers:
	}
	chosen := toolkit.OfPlatform(all, p.Platform)
	if len(chosen) == 0 && len(all) > 0 {
		return nil, fault.Invalid("no influencer uses platform %q; known platforms: %s", answer.Clean(p.Platform), answer.Known(toolkit.NamedChannels, toolkit.Platforms(all))).
			WithHint("Omit platform to include all.")
	}
	toolkit.LargestFirst(
		chosen, func(f snapshot.Creator) (float64, bool) { return p.SortBy.of(f, basis) }, func(f snapshot.Creator) string { return f.ID },
	)
	return chosen, nil
}

// of returns the sort value of an influencer.
func (s influencerSort) of(f snapshot.Creator, basis measure.RevenueBasis) (float64, bool) {
	switch s {
	case byOrdersOf:
		return float64(f.TrackedOrders()), true
	case byClicks:
		return float64(f.Clicks()), true
	case byConversions:
		return float64(f.LinkOrders), true
	case byROI:
		return measure.ROI(f.TrackedRevenue(basis), f.Cost)
	case byRevenueOf:
	}
	return float64(f.TrackedRevenue(basis)), true
}

func influencerMetricsOf(c *toolkit.Call, now, before []snapshot.Creator, comparable bool) InfluencerMetrics {
	f := c.Figures
	n, b := c.TrackedSums(now), c.TrackedSums(before)
	count := func(now, before int64) answer.Metric[answer.Count] {
		return answer.MetricOf(answer.Count(now), answer.Count(before)).Where(true, comparable)
	}
	return InfluencerMetrics{
		Revenue: answer.MetricOf(f.Money(n.Revenue), f.Money(b.Revenue)).Where(true, comparable),
		Orders:  answer.MetricOf(answer.Orders(n.Orders), answer.Orders(b.Orders)).Where(true, comparable),
		Clicks:  count(n.Clicks, b.Clicks), Conversions: count(n.Conversions, b.Conversions),
		Cost: answer.MetricOf(f.Money(n.Cost), f.Money(b.Cost)).Where(n.CostKnown, b.CostKnown && comparable),
		ROI: answer.MetricOfKnown(answer.RatioOf(measure.ROI(n.CostedRevenue, n.Cost)), answer.RatioOf(measure.ROI(b.CostedRevenue, b.Cost))).
			Where(n.CostKnown, b.CostKnown && comparable),
	}
}

// influencerRows sets the answer's rows: one page, or all named influencers.
func influencerRows(c *toolkit.Call, a *InfluencersAnswer, p influencersParams, chosen []snapshot.Creator) {
	page := answer.Paged{Limit: p.Limit, Offset: p.Offset}.Page(&c.Writer)
	shown := chosen
	if p.Action == listInfluencers || p.Action == topInfluencers {
		shown = answer.Cut(page, chosen)
		a.Pagination = page.Pagination(len(shown), len(chosen))
	} else {
		a.ShowAll(true)
	}
	a.Rows = make([]InfluencerRow, 0, len(shown))
	for i, f := range shown {
		row := influencerRowOf(c, f)
		if p.Action == topInfluencers {
			row.Rank = page.Offset + i + 1
		}
		a.Rows = append(a.Rows, row)
	}
}

func influencerRowOf(c *toolkit.Call, f snapshot.Creator) InfluencerRow {
	figures := c.Figures
	revenue := f.TrackedRevenue(c.Workspace.Basis)
	row := InfluencerRow{
		ID: f.ID, Name: answer.Foreign(f.Name), Platform: answer.Foreign(f.Platform), Handle: answer.Foreign(f.Handle),
		Revenue: figures.Money(revenue), Orders: answer.Orders(f.TrackedOrders()), Clicks: answer.Count(f.Clicks()), Conversions: answer.Count(f.LinkOrders),
		AOV: figures.PerMinor(measure.AOV(revenue, f.TrackedOrders())), ConversionPct: answer.PercentOf(measure.Share(f.LinkOrders, f.Clicks())),
		OrdersFrom: "link",
	}
	if f.HasCode {
		row.OrdersFrom, row.NewOrders, row.Refunds = "code", new(answer.Orders(f.Code.NewOrders)), new(figures.Money(f.Code.Refunds))
	}
	if f.HasLink {
		row.LinkRevenue = new(figures.Money(f.LinkRevenue))
	}
	if f.CostKnown {
		row.Cost, row.ROI = new(figures.Money(f.Cost)), answer.RatioOf(measure.ROI(revenue, f.Cost))
	}
	return row
}

func influencersSummary(c *toolkit.Call, a *InfluencersAnswer, days civil.Range, chosen []snapshot.Creator) string {
	who := "Attributed revenue of " + answer.Plural(len(chosen), "influencer", "influencers") + " is"
	if a.Action == oneInfluencer {
		who = "Attributed revenue of the influencer is"
	}
	m := a.Metrics
	text := fmt.Sprintf("%s %s in %s %s, %s.", who, c.Spelled(*m.Revenue.Value), plural(*m.Orders.Value, "code or link order", "code or link orders"), answer.Dates(days),
		answer.Against(m.Revenue.ChangePct, days))
	if m.ROI.Value != nil {
		text += fmt.Sprintf(" The known cost is %s and the ROI is %s.", c.Spelled(*m.Cost.Value), *m.ROI.Value)
	}
	return text
}

func influencersNext(c *toolkit.Call, a *InfluencersAnswer, days civil.Range) {
	if a.Pagination != nil && len(a.Rows) > 0 {
		c.Suggest(&a.Closing, "influencers", toolkit.With(toolkit.With(toolkit.Dated(days), "action", string(oneInfluencer)), "influencer_id", a.Rows[0].ID), "See details of the first influencer.")
	}
	creators := toolkit.Dated(days)
	if a.Action == oneInfluencer {
		creators["creator_id"] = a.Rows[0].ID
	}
	c.Suggest(&a.Closing, "creators", creators, "Estimate orders that codes and links do not track.")
}
