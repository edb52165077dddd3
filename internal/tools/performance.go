package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Performance is the `performance` tool.
var Performance = toolkit.Define(toolkit.Spec{
	Name:        "performance",
	Title:       "Store performance",
	Description: "Start here: revenue, orders, AOV, spend and ROAS of a period with changes, in total and by channel. Use `campaigns` for single campaigns and `trends` for daily values.",
	Needs:       "orders",
	Reads:       snapshot.Wants{Experiments: true},
}, runPerformance)

type performanceParams struct {
	answer.Last30
	Channel string `json:"channel" doc:"Only this channel."`
	Model   string `json:"model" doc:"Attribution model: last_touch (default), first_touch, linear, time_decay, position_based, platform_reported, markov, shapley, survey_blended."`
	answer.Shared
}

// PerformanceAnswer is the answer of the `performance` tool.
type PerformanceAnswer struct {
	answer.Opening
	Model   measure.Model        `json:"model" doc:"Attribution model."`
	Basis   measure.Basis        `json:"basis" doc:"Basis of the channels' revenue."`
	Channel measure.Channel      `json:"channel,omitempty"`
	Metrics toolkit.StoreMetrics `json:"metrics"`
	toolkit.Why
	answer.Table[ChannelRow]
	answer.Closing
}

// ChannelRow contains a channel's attributed figures, spend and platform-reported figures.
type ChannelRow struct {
	Channel       measure.Channel `json:"channel"`
	Revenue       answer.Money    `json:"revenue"`
	Orders        answer.Count    `json:"orders"`
	Spend         *answer.Money   `json:"spend,omitempty" doc:"Absent if unknown."`
	ROAS          *answer.Ratio   `json:"roas,omitempty"`
	RevenueChange *answer.Percent `json:"revenue_change_pct,omitempty"`
	AOV           *answer.Money   `json:"aov,omitempty" detail:"analyst"`
	CPA           *answer.Money   `json:"cpa,omitempty" detail:"analyst" doc:"Spend divided by orders."`
	toolkit.Best  `detail:"analyst"`
	AfterSpend    *answer.Money `json:"contribution_after_spend,omitempty" detail:"analyst" doc:"Revenue at the store's contribution rate of the period, minus spend."`
	NewOrders     *answer.Count `json:"new_orders,omitempty" detail:"analyst"`
	Refunds       *answer.Money `json:"refunds,omitempty" detail:"analyst"`
	Claimed       *answer.Money `json:"claimed_revenue,omitempty" detail:"analyst" doc:"Platform-reported revenue; basis reported."`
	ClaimedOrders *answer.Count `json:"claimed_orders,omitempty" detail:"analyst"`
	Impressions   int64         `json:"impressions,omitempty" detail:"debug"`
	Clicks        int64         `json:"clicks,omitempty" detail:"debug"`
}

func runPerformance(ctx context.Context, c *toolkit.Call, p performanceParams) (*PerformanceAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	channel, err := c.Channel(p.Channel)
	if err != nil {
		return nil, err
	}
	model, err := parseModel(p.Model)
	if err != nil {
		return nil, err
	}
	totals, err := c.ChannelTotals(ctx, brief(c, model), model, warehouse.Windows{Recent: days, Earlier: days.Previous()}, channel)
	if err != nil {
		return nil, err
	}
	a := &PerformanceAnswer{Model: model, Basis: basisOf(model), Channel: channel}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	touchless := c.Store.Untouched() && a.Basis == measure.Attributed
	now, before := c.Sum(totals.Recent, channel, days), c.Sum(totals.Earlier, channel, days.Previous())
	now.RevenueUnknown, before.RevenueUnknown = touchless && now.RevenueUnknown, touchless && before.RevenueUnknown
	a.Metrics = c.StoreMetrics(now, before, days.Previous())
	profit, err := c.Contributions(ctx, warehouse.Windows{Recent: days, Earlier: days.Previous()})
	if err != nil {
		return nil, err
	}
	if a.Basis != measure.Reported || channel == "" {
		a.Metrics.ProfitMetrics = c.ProfitMetrics(now, before, profit, channel)
	}
	comparable := c.Store.Covers(days.Previous(), snapshot.FromOrders)
	if a.Basis == measure.Reported {
		reported := c.Store.Covers(days.Previous(), snapshot.FromAds)
		comparable, now.Undated = comparable && reported, 0
		a.Metrics.Claimed(channel == "" || reported)
	}
	if !comparable {
		totals.Earlier = nil
	}
	a.Rows = channelRows(c, totals, profit.Recent, a.Basis, touchless)
	if len(a.Rows) == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
	} else {
		if comparable && !now.RevenueUnknown {
			of := snapshot.ChangeOf{Windows: warehouse.Windows{Recent: days, Earlier: days.Previous()}, Channel: channel, Totals: totals}
			of.Brief = c.View.DetailLevel == answer.SummaryLevel || channel != "" && model != measure.LastTouch
			if a.Why, err = c.Why(ctx, of); err != nil {
				return nil, err
			}
		}
		a.Summary = performanceSummary(c, a, days, totals, now)
		if channel != "" || c.View.DetailLevel != answer.SummaryLevel {
			if err := addBest(ctx, c, a); err != nil {
				return nil, err
			}
		}
		if touchless {
			c.WarnUntouched(&a.Closing, days, channel)
		}
		warnModel(c, &a.Closing, model, days)
		if model == measure.PlatformReported {
			if err := warnClaims(ctx, c, &a.Closing, days, totals.Recent); err != nil {
				return nil, err
			}
		}
		c.WarnSpend(&a.Closing, now, channel)
		c.WarnBefore(&a.Closing, days, true)
		c.WarnDays(&a.Closing, days, now.Undated, true)
		performanceNext(c, a, days, channel)
	}
	quality := c.Quality("", now)
	quality.Method, quality.Costs = methods[model], c.CostsSentence(profit.Recent)
	if a.Basis == measure.Reported {
		quality.Revenue = claimedRevenue
		if channel == "" {
			quality.Revenue += "; the total is the store's revenue: " + c.Workspace.Basis.String()
		}
	}
	c.Describe(&a.Closing, quality, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	return a, nil
}

// parseModel parses an attribution model. The default is last touch.
func parseModel(name string) (measure.Model, error) {
	if name == "" {
		return measure.LastTouch, nil
	}
	models := append(measure.Models(), measure.Fitted()...)
	model := measure.Model(name)
	if other, ok := otherModelNames[name]; ok {
		model = other
	}
	if slices.Contains(models, model) {
		return model, nil
	}
	known := make([]string, 0, len(models))
	for _, m := range models {
		known = append(known, string(m))
	}
	rejected := &mcp.RejectedError{
		Fault: fault.Invalid("model %q does not exist; the models are %s", answer.Clean(name), strings.Join(known, ", ")), Drop: []string{"model"},
	}
	if near := mcp.Nearest(name, known); near != "" {
		rejected.Set, rejected.Drop = map[string]any{"model": near}, nil
	}
	return "", rejected
}

// claimedRevenue defines the revenue of channels under platform_reported.
const claimedRevenue = "reported by the ad platforms, each in its own attribution window, before refunds"

func basisOf(model measure.Model) measure.Basis {
	if model == measure.SurveyBlended {
		return measure.Modelled
	}
	if model == measure.PlatformReported {
		return measure.Reported
	}
	return measure.Attributed
}

// brief reports whether the answer shows so few figures that a cheaper query is enough.
func brief(c *toolkit.Call, model measure.Model) bool {
	basis := c.Workspace.Basis
	return c.View.DetailLevel == answer.SummaryLevel && !basis.WithoutTax && !basis.WithoutShipping && !slices.Contains(measure.Fitted(), model)
}

// channelRows returns a row for each channel of the recent window, largest revenue first. If no order has touchpoints,
// channels have no attributed ROAS or CPA.
func channelRows(c *toolkit.Call, totals warehouse.Pair[[]warehouse.ChannelTotal], profit snapshot.Contribution, basis measure.Basis, touchless bool) []ChannelRow {
	f := c.Figures
	earlier := map[measure.Channel]measure.Sums{}
	for _, t := range totals.Earlier {
		earlier[t.Channel] = t.Sums
	}
	rows := make([]ChannelRow, 0, len(totals.Recent))
	for _, t := range toolkit.ByRevenue(f, totals.Recent) {
		row := channelRowOf(f, t, earlier[t.Channel])
		switch {
		case basis == measure.Reported:
			row.reported()
		case touchless:
			row.ROAS, row.CPA = nil, nil
		case t.SpendKnown:
			row.AfterSpend = toolkit.AfterSpend(f, profit, t.Channel, f.Basis.Revenue(t.Sums), t.Spend)
		}
		rows = append(rows, row)
	}
	return rows
}

func channelRowOf(f answer.Figures, t warehouse.ChannelTotal, before measure.Sums) ChannelRow {
	row := ChannelRow{
		Channel:       t.Channel,
		Revenue:       f.Revenue(t.Sums),
		Orders:        answer.Orders(t.Sums.Orders),
		RevenueChange: answer.PercentOf(measure.Change(float64(f.Basis.Revenue(t.Sums)), float64(f.Basis.Revenue(before)))),
		AOV:           f.AOV(t.Sums),
		NewOrders:     new(answer.Orders(t.Sums.NewOrders)),
		Refunds:       new(f.Money(t.Sums.Refunds)),
		Impressions:   t.Impressions,
		Clicks:        t.Clicks,
	}
	if t.SpendKnown {
		row.Spend = new(f.Money(t.Spend))
		row.ROAS = f.ROAS(t.Sums, t.Spend)
		row.CPA = f.PerMinor(measure.CPA(t.Spend, t.Sums.Orders))
	}
	if t.Claimed != 0 || t.ClaimedSum != 0 {
		row.Claimed, row.ClaimedOrders = new(f.Money(t.ClaimedSum)), new(answer.Orders(t.Claimed))
	}
	return row
}

// reported removes the figures that platforms do not report, and duplicates of reported figures.
func (r *ChannelRow) reported() {
	r.Claimed, r.ClaimedOrders = nil, nil
	r.NewOrders, r.Refunds = nil, nil
}

func performanceSummary(c *toolkit.Call, a *PerformanceAnswer, days civil.Range, totals warehouse.Pair[[]warehouse.ChannelTotal], now snapshot.Total) string {
	if now.RevenueUnknown {
		return c.UnknownRevenueSummary(a.Channel, days, now)
	}
	who := "Revenue was"
	if a.Channel != "" {
		who = "Attributed revenue of " + answer.ChannelName(a.Channel) + " was"
	}
	text := fmt.Sprintf("%s %s %s (%s), %s.", who, c.Amount(c.Workspace.Basis.Revenue(now.Sums)),
		answer.Dates(days), plural(answer.Orders(now.Orders), "order", "orders"), answer.Against(a.Metrics.Revenue.ChangePct, days))
	if r := a.Metrics.ROAS.Value; r != nil {
		text += fmt.Sprintf(" Spend was %s and ROAS was %s%s.", c.Amount(now.Spend), *r, toolkit.BreakEvenWords(a.Metrics.ProfitMetrics))
	}
	if a.Channel == "" && (a.Basis == measure.Reported || !c.Store.Untouched()) {
		text += c.BiggestMover(totals)
	}
	return text + a.Sentence()
}

// addBest adds the best estimates of the channels' incremental ROAS.
func addBest(ctx context.Context, c *toolkit.Call, a *PerformanceAnswer) error {
	returns, err := snapshot.Returns(ctx, c.Snapshot)
	for i := range a.Rows {
		a.Rows[i].Best = toolkit.BestOf(returns[a.Rows[i].Channel])
	}
	a.Summary += toolkit.BestSentence(returns[a.Channel])
	return err
}

// warnClaims warns that the figures are platform-reported, and states their ratio to the last-touch revenue of the same
// channels.
func warnClaims(ctx context.Context, c *toolkit.Call, a *answer.Closing, days civil.Range, claims []warehouse.ChannelTotal) error {
	credited, err := c.LastTouchTotals(ctx, warehouse.Windows{Recent: days}, "")
	if err != nil {
		return err
	}
	var claimed, touched int64
	claiming := map[measure.Channel]bool{}
	for _, t := range claims {
		claiming[t.Channel] = t.ClaimedSum > 0
		claimed += t.ClaimedSum
	}
	for _, t := range credited.Recent {
		if claiming[t.Channel] {
			touched += c.Workspace.Basis.Revenue(t.Sums)
		}
	}
	text := "Channel figures are platform-reported. The unattributed row is the store's revenue minus platform-reported revenue and can be negative."
	if times, ok := measure.ROAS(claimed, touched); ok {
		text = fmt.Sprintf("Platforms report revenue of %s, %s times the last-touch revenue of their channels. The unattributed row is the store's revenue minus platform-reported revenue.",
			c.Amount(claimed), answer.Ratio(times))
	}
	a.Warn(answer.WarnPlatformReported, text)
	return nil
}

func performanceNext(c *toolkit.Call, a *PerformanceAnswer, days civil.Range, channel measure.Channel) {
	if channel == "" {
		if c.Store.AdDays.Days() > 0 {
			c.Suggest(&a.Closing, "campaigns", toolkit.Dated(days), "See spend by campaign.")
		}
		c.Suggest(&a.Closing, "trends", toolkit.Dated(days), "See anomalies by day.")
		return
	}
	c.Suggest(&a.Closing, "trends", toolkit.With(toolkit.Dated(days), "channel", string(channel)), "See this channel by day.")
	if v, ok := c.Store.Volume(channel); ok && toolkit.ListedPlatform(v.Platform) {
		c.Suggest(&a.Closing, "campaigns", toolkit.With(toolkit.Dated(days), "platform", string(v.Platform)), "See the campaigns of this platform.")
	}
}

// otherModelNames are names of models in other products.
var otherModelNames = map[string]measure.Model{
	"first": measure.FirstTouch, "last": measure.LastTouch, "last_non_direct": measure.LastTouch, "position": measure.PositionBased,
	"survey_blend": measure.SurveyBlended,
}

// methods describes the models that are fitted to the data of the window.
var methods = map[measure.Model]string{
	measure.Markov: "Credit comes from removal effects in a first-order Markov chain over the conversion paths of the period. Orders without touchpoints are attributed as in last touch. " +
		"Paths without an order are unknown, so the removal effect of a channel is the share of orders with the channel in the path.",
	measure.Shapley:       "Each order is split equally between the distinct channels of its conversion path. Orders without touchpoints are attributed as in last touch.",
	measure.SurveyBlended: "The model combines last touch with survey answers. New and returning customers are weighted by their orders. Last touch has the weight of 200 answers.",
}

// warnModel reports the weight of the survey in the survey-blended model.
func warnModel(c *toolkit.Call, a *answer.Closing, model measure.Model, days civil.Range) {
	if model != measure.SurveyBlended || c.Blended == nil {
		return
	}
	if c.Blended.SurveyWeight == 0 {
		a.Warn(answer.WarnNoSurvey, "No survey answer in the period names a channel, so the figures equal last-touch figures.")
		c.Suggest(a, "surveys", toolkit.Dated(days), "See the survey answers of the period.")
		return
	}
	a.Warn(answer.WarnSurveyWeight, fmt.Sprintf("%s a channel. Weights: survey answers %s, last touch %s. Survey answers show what customers remember, not what caused their orders.",
		answer.Plural(int(c.Blended.Answers), "survey answer names", "survey answers name"), answer.Percent(100*c.Blended.SurveyWeight).Whole(), answer.Percent(100-100*c.Blended.SurveyWeight).Whole()))
}
