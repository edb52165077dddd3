package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/number"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

var performance = toolkit.Define(toolkit.Spec{
	Name:        "performance",
	Title:       "Store performance",
	Description: "Start here for how the store did in a period: revenue, orders, AOV, spend and ROAS with changes, and each channel's part. For single campaigns use campaigns, for days use trends.",
	Needs:       "orders",
}, runPerformance)

type performanceParams struct {
	answer.Last30
	Channel string `json:"channel" doc:"Only this channel."`
	Model   string `json:"model" doc:"How orders are credited: last_touch (default), first_touch, linear, time_decay, position_based, platform_reported, markov, shapley, survey_blended."`
	answer.Shared
}

type performanceAnswer struct {
	answer.Opening
	Model   measure.Model        `json:"model" doc:"How orders were credited to channels."`
	Basis   measure.Basis        `json:"basis" doc:"What the channels' revenue rests on."`
	Channel measure.Channel      `json:"channel,omitempty"`
	Metrics toolkit.StoreMetrics `json:"metrics"`
	answer.Table[channelRow]
	answer.Closing
}

// channelRow is what a channel is credited with, spends and claims.
type channelRow struct {
	Channel       measure.Channel `json:"channel"`
	Revenue       answer.Money    `json:"revenue"`
	Orders        answer.Count    `json:"orders"`
	Spend         *answer.Money   `json:"spend,omitempty" doc:"Absent where it is not known."`
	ROAS          *answer.Ratio   `json:"roas,omitempty"`
	RevenueChange *answer.Percent `json:"revenue_change_pct,omitempty"`
	AOV           *answer.Money   `json:"aov,omitempty" detail:"analyst"`
	CPA           *answer.Money   `json:"cpa,omitempty" detail:"analyst" doc:"Spend per credited order."`
	NewOrders     *answer.Count   `json:"new_orders,omitempty" detail:"analyst"`
	Refunds       *answer.Money   `json:"refunds,omitempty" detail:"analyst"`
	Claimed       *answer.Money   `json:"claimed_revenue,omitempty" detail:"analyst" doc:"Basis reported: what the platform claims."`
	ClaimedOrders *answer.Count   `json:"claimed_orders,omitempty" detail:"analyst"`
	Impressions   int64           `json:"impressions,omitempty" detail:"debug"`
	Clicks        int64           `json:"clicks,omitempty" detail:"debug"`
}

func runPerformance(ctx context.Context, c *toolkit.Call, p performanceParams) (*performanceAnswer, error) {
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
	a := &performanceAnswer{Model: model, Basis: basisOf(model), Channel: channel}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	touchless := c.Store.Untouched() && a.Basis == measure.Attributed
	now, before := c.Sum(totals.Recent, channel, days), c.Sum(totals.Earlier, channel, days.Previous())
	now.Untold, before.Untold = touchless && now.Untold, touchless && before.Untold
	a.Metrics = toolkit.StoreMetricsOf(c.Figures, now, before)
	a.Rows = channelRows(c, totals, a.Basis, touchless)
	if len(a.Rows) == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
	} else {
		a.Summary = performanceSummary(c, a, days, totals, now)
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
		c.WarnBefore(&a.Closing, days)
		c.WarnDays(&a.Closing, days, now.Undated, true)
		performanceNext(c, a, days, channel)
	}
	quality := c.Quality("", now)
	quality.Method = methods[model]
	c.Describe(&a.Closing, quality, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	return a, nil
}

// parseModel reads a model of attribution, last touch when none is named.
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
	return "", fault.Invalid("model %q is not known; known are %s", answer.Clean(name), strings.Join(known, ", ")).
		WithHint(`Corrected arguments: {"model":"%s"}`, measure.LastTouch)
}

func basisOf(model measure.Model) measure.Basis {
	if model == measure.SurveyBlended {
		return measure.Modelled
	}
	if model == measure.PlatformReported {
		return measure.Reported
	}
	return measure.Attributed
}

// brief reports whether the answer shows so little that fewer figures do, which cost less.
func brief(c *toolkit.Call, model measure.Model) bool {
	basis := c.Workspace.Basis
	return c.View.DetailLevel == answer.SummaryLevel && !basis.WithoutTax && !basis.WithoutShipping && !slices.Contains(measure.Fitted(), model)
}

// channelRows returns a row for each channel of the recent window, largest revenue first. Without touches, a channel
// has no figure that sets spend against what it brought.
func channelRows(c *toolkit.Call, totals warehouse.Pair[[]warehouse.ChannelTotal], basis measure.Basis, touchless bool) []channelRow {
	f := c.Figures
	earlier := map[measure.Channel]measure.Sums{}
	for _, t := range totals.Earlier {
		earlier[t.Channel] = t.Sums
	}
	rows := make([]channelRow, 0, len(totals.Recent))
	for _, t := range toolkit.ByRevenue(f, totals.Recent) {
		row := channelRowOf(f, t, earlier[t.Channel])
		switch {
		case basis == measure.Reported:
			row.reported()
		case touchless:
			row.ROAS, row.CPA = nil, nil
		}
		rows = append(rows, row)
	}
	return rows
}

func channelRowOf(f answer.Figures, t warehouse.ChannelTotal, before measure.Sums) channelRow {
	row := channelRow{
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

// reported leaves out what a platform's claim does not say, and what would repeat it.
func (r *channelRow) reported() {
	r.Claimed, r.ClaimedOrders = nil, nil
	if r.Channel != measure.Unattributed {
		r.NewOrders, r.Refunds = nil, nil
	}
}

func performanceSummary(c *toolkit.Call, a *performanceAnswer, days civil.Range, totals warehouse.Pair[[]warehouse.ChannelTotal], now snapshot.Total) string {
	if now.Untold {
		return c.UntoldSummary(a.Channel, days, now)
	}
	who := "The store took"
	if a.Channel != "" {
		who = answer.ChannelName(a.Channel) + " is credited with"
	}
	text := fmt.Sprintf("%s %s %s in %s orders, %s.", who, c.Amount(c.Workspace.Basis.Revenue(now.Sums)),
		answer.Dates(days), answer.Quantity(float64(answer.Orders(now.Orders))), answer.Against(a.Metrics.Revenue.ChangePct, days))
	if r := a.Metrics.ROAS.Value; r != nil {
		text += fmt.Sprintf(" Spend of %s gives a ROAS of %s.", c.Amount(now.Spend), number.Grouped(answer.Decimals(float64(*r), 2), 2))
	}
	if a.Channel == "" && (a.Basis == measure.Reported || !c.Store.Untouched()) {
		text += c.BiggestMover(totals)
	}
	return text
}

// warnClaims says that the figures are claims, and by how much they exceed what the store's orders credit the same
// channels with by last touch.
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
	text := "Channel figures are the platforms' own claims; unattributed takes the difference to the store's revenue and can be negative."
	if times, ok := measure.ROAS(claimed, touched); ok {
		text = fmt.Sprintf("Platforms claim %s, %s times what orders credit them with by last touch; unattributed takes the difference to the store's revenue.",
			c.Amount(claimed), number.Grouped(answer.Decimals(times, 2), 2))
	}
	a.Warn(answer.WarnPlatformReported, text)
	return nil
}

func performanceNext(c *toolkit.Call, a *performanceAnswer, days civil.Range, channel measure.Channel) {
	if channel == "" {
		if c.Store.AdDays.Days() > 0 {
			c.Suggest(&a.Closing, "campaigns", toolkit.Dated(days), "Where the spend went.")
		}
		c.Suggest(&a.Closing, "trends", toolkit.Dated(days), "Days that stand out.")
		return
	}
	c.Suggest(&a.Closing, "trends", toolkit.With(toolkit.Dated(days), "channel", string(channel)), "See this channel's days.")
	if v, ok := c.Store.Volume(channel); ok && toolkit.ListedPlatform(v.Platform) {
		c.Suggest(&a.Closing, "campaigns", toolkit.With(toolkit.Dated(days), "platform", string(v.Platform)), "See this platform's campaigns.")
	}
}

// otherModelNames are spellings of models that other tools use.
var otherModelNames = map[string]measure.Model{
	"first": measure.FirstTouch, "last": measure.LastTouch, "last_non_direct": measure.LastTouch, "position": measure.PositionBased,
	"survey_blend": measure.SurveyBlended,
}

// methods says how the models that are fitted to a window's own data come about.
var methods = map[measure.Model]string{
	measure.Markov: "Removal effects in a Markov chain of order 1 over the journeys of the window; orders without touches as under last touch. " +
		"Journeys that ended without an order are not known, so the effects say how many orders pass through a channel.",
	measure.Shapley:       "Each order in equal parts to the different channels of its journey; orders without touches as under last touch.",
	measure.SurveyBlended: "Last touch drawn towards what customers answer, new and returning weighted by their orders; the click record weighs as much as 200 answers.",
}

// warnModel says how much a survey counted where one was asked for.
func warnModel(c *toolkit.Call, a *answer.Closing, model measure.Model, days civil.Range) {
	if model != measure.SurveyBlended || c.Blended == nil {
		return
	}
	if c.Blended.SurveyWeight == 0 {
		a.Warn(answer.WarnNoSurvey, "No answer of the period names a channel: the credits are those of last touch.")
		c.Suggest(a, "surveys", toolkit.Dated(days), "See what was answered.")
		return
	}
	a.Warn(answer.WarnSurveyWeight, fmt.Sprintf("%s that name a channel weigh %s %%, last touch the rest; what people remember is not what caused the order.",
		answer.Plural(int(c.Blended.Answers), "answer", "answers"), number.Grouped(answer.Decimals(100*c.Blended.SurveyWeight, 0), 0)))
}
