package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Campaigns is the `campaigns` tool.
var Campaigns = toolkit.Define(toolkit.Spec{
	Name:        "campaigns",
	Title:       "Campaigns and creatives",
	Description: "Platform-reported spend, revenue, ROAS and conversions of campaigns or creatives, with orders attributed to them. Use after `performance`.",
	Needs:       "ad_days",
	Reads:       snapshot.Wants{Experiments: true},
}, runCampaigns)

type campaignsParams struct {
	answer.Last30
	Platform   string                  `json:"platform" enum:"facebook|google|tiktok|amazon|snapchat" also:"meta=facebook|facebook_ads=facebook|google_ads=google|tiktok_ads=tiktok|amazon_ads=amazon|snapchat_ads=snapchat" doc:"Only this platform."`
	CampaignID string                  `json:"campaign_id" doc:"Only this campaign."`
	Level      warehouse.CampaignLevel `json:"level" enum:"campaign|creative" default:"campaign" doc:"Granularity of the rows."`
	SortBy     warehouse.CampaignSort  `json:"sort_by" enum:"spend|revenue|roas|conversions" default:"spend" doc:"Largest first."`
	answer.Paged
	answer.Shared
}

// CampaignsAnswer is the answer of the `campaigns` tool.
type CampaignsAnswer struct {
	answer.Opening
	Level   warehouse.CampaignLevel `json:"level"`
	Basis   measure.Basis           `json:"basis" doc:"Basis of revenue, roas, conversions and cpa."`
	Metrics CampaignMetrics         `json:"metrics" doc:"Totals of all selected campaigns, not of the page."`
	answer.Table[CampaignRow]
	Changes []CampaignChange `json:"changes,omitempty" detail:"analyst" doc:"Changes of names, statuses and budgets on the platforms in the period, newest first; at most 20."`
	answer.Closing
}

// CampaignMetrics are the totals of the platform-reported figures.
type CampaignMetrics struct {
	Spend       answer.Metric[answer.Money]  `json:"spend"`
	Revenue     answer.Metric[answer.Money]  `json:"revenue"`
	ROAS        answer.Metric[answer.Ratio]  `json:"roas"`
	Conversions answer.Metric[answer.Count]  `json:"conversions"`
	CPA         *answer.Metric[answer.Money] `json:"cpa,omitempty" detail:"analyst"`
	AfterSpend  *answer.Money                `json:"contribution_after_spend,omitempty" detail:"analyst" doc:"Platform-reported revenue at the store's contribution rate of the period, minus spend."`
	BreakEven   *answer.Ratio                `json:"break_even_roas,omitempty" detail:"analyst" doc:"ROAS at which contribution equals ad spend."`
	CTRPct      *answer.Share[answer.Ratio]  `json:"ctr_pct,omitempty" detail:"analyst"`
	Credited    *answer.Metric[answer.Money] `json:"credited_revenue,omitempty" detail:"analyst"`
}

// CampaignRow is a campaign or one of its ads, as reported by the platform.
type CampaignRow struct {
	Platform    string         `json:"platform"`
	Name        answer.Foreign `json:"name"`
	CampaignID  string         `json:"campaign_id,omitempty" detail:"analyst"`
	PlatformID  string         `json:"platform_campaign_id" doc:"The platform's campaign ID, for campaign_id and the writing tools."`
	AdName      answer.Foreign `json:"ad_name,omitempty"`
	AdID        string         `json:"ad_id,omitempty"`
	AdSet       answer.Foreign `json:"ad_set,omitempty" detail:"analyst"`
	Spend       answer.Money   `json:"spend"`
	Revenue     answer.Money   `json:"revenue" doc:"Platform-reported."`
	ROAS        *answer.Ratio  `json:"roas,omitempty"`
	Conversions answer.Count   `json:"conversions" doc:"Platform-reported."`
	CPA         *answer.Money  `json:"cpa,omitempty" detail:"analyst"`
	CTRPct      *answer.Ratio  `json:"ctr_pct,omitempty" detail:"analyst"`
	AfterSpend  *answer.Money  `json:"contribution_after_spend,omitempty" detail:"analyst" doc:"Platform-reported revenue at the store's contribution rate, minus spend."`
	toolkit.CampaignReturn
	CreditedOrders  *answer.Count  `json:"credited_orders,omitempty" detail:"analyst" doc:"Last-touch orders of the store."`
	CreditedRevenue *answer.Money  `json:"credited_revenue,omitempty" detail:"analyst"`
	State           *CampaignState `json:"state,omitempty" detail:"analyst" doc:"Last platform-reported state up to the end of the period."`
	Impressions     int64          `json:"impressions,omitempty" detail:"debug"`
	Clicks          int64          `json:"clicks,omitempty" detail:"debug"`
	Account         answer.Foreign `json:"account,omitempty" detail:"debug"`
	FirstDay        civil.Date     `json:"first_day,omitzero" detail:"debug"`
	LastDay         civil.Date     `json:"last_day,omitzero" detail:"debug"`
	Attribution     answer.Foreign `json:"attribution,omitempty" detail:"debug" doc:"The platform's attribution setting."`
}

func runCampaigns(ctx context.Context, c *toolkit.Call, p campaignsParams) (*CampaignsAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	page := p.Page(&c.Writer)
	of := warehouse.CampaignsOf{
		Windows:  warehouse.Windows{Recent: days, Earlier: days.Previous()},
		Platform: measure.Platform(p.Platform), Campaign: p.CampaignID, Level: p.Level, Sort: p.SortBy,
		Limit: page.Limit, Offset: page.Offset,
	}
	found, err := c.Campaigns(ctx, of)
	if err != nil {
		return nil, err
	}
	f, credited := c.Figures, p.Level == warehouse.Campaigns && !c.Store.Untouched()
	a := &CampaignsAnswer{Level: p.Level, Basis: measure.Reported, Metrics: campaignMetricsOf(f, found.Totals, credited)}
	a.Metrics.where(c.Store.AdDays.Intersect(days).Days() > 0, c.Store.Covers(days.Previous(), snapshot.FromAds))
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	profit, err := c.Contribution(ctx, days)
	if err != nil {
		return nil, err
	}
	estimates := &toolkit.CampaignReturns{}
	if p.Level == warehouse.Campaigns {
		if estimates, err = c.CampaignReturns(ctx, of, profit); err != nil {
			return nil, err
		}
	}
	now := found.Totals.Recent
	a.Metrics.AfterSpend, a.Metrics.BreakEven = toolkit.AfterSpend(f, profit, "", now.Value, now.Spend), answer.RatioOf(profit.BreakEvenROAS(""))
	for _, t := range found.Rows {
		row := campaignRowOf(f, t, p.Level, credited)
		row.AfterSpend, row.CampaignReturn = toolkit.AfterSpend(f, profit, "", t.Value, t.Spend), estimates.Of[toolkit.KeyOf(t)]
		a.Rows = append(a.Rows, row)
	}
	if err := addCampaignStates(ctx, c, a, of); err != nil {
		return nil, err
	}
	a.Pagination = page.Pagination(len(a.Rows), found.Total)
	if found.Total == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
	} else {
		creatives, err := haveCreatives(ctx, c, of, found)
		if err != nil {
			return nil, err
		}
		a.Summary = campaignsSummary(c, a, days, found, creatives) + estimates.Sentence()
		warnCampaigns(c, a, days, found.Totals.Recent, creatives)
		campaignsNext(c, a, days, p, creatives)
	}
	quality := answer.DataQuality{Revenue: "reported by the ad platforms"}
	if c.View.DetailLevel != answer.SummaryLevel {
		quality = answer.DataQuality{Revenue: quality.Revenue + "; credited_revenue: " + c.Workspace.Basis.String(), Model: measure.LastTouch}
	}
	c.Describe(&a.Closing, quality, snapshot.FromAds)
	return a, nil
}

// where removes the figures of windows that no report covers.
func (m *CampaignMetrics) where(reported, reportedBefore bool) {
	m.Spend = m.Spend.Where(reported, reportedBefore)
	m.Revenue = m.Revenue.Where(reported, reportedBefore)
	m.Conversions = m.Conversions.Where(reported, reportedBefore)
	m.ROAS, *m.CPA, *m.CTRPct = m.ROAS.Where(reported, reportedBefore), m.CPA.Where(reported, reportedBefore), m.CTRPct.Where(reported, reportedBefore)
	if m.Credited != nil {
		*m.Credited = m.Credited.Where(true, reportedBefore)
	}
}

// haveCreatives reports whether the reports of the selection contain ads. They do if there are more rows than campaigns
// or any row has an ad. A campaign-level report has one row without an ad for each campaign.
func haveCreatives(ctx context.Context, c *toolkit.Call, of warehouse.CampaignsOf, found warehouse.CampaignPage) (bool, error) {
	named := func(t warehouse.CampaignTotal) bool { return t.AdID != "" || t.AdName != "" || t.AdSetID != "" }
	if of.Level == warehouse.Creatives && len(found.Rows) > 0 {
		return slices.ContainsFunc(found.Rows, named), nil
	}
	finest, err := c.FirstCreative(ctx, of)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(finest.Rows, named) || finest.Total > found.Total, nil
}

func campaignMetricsOf(f answer.Figures, totals warehouse.Pair[warehouse.CampaignTotal], credited bool) CampaignMetrics {
	now, before := totals.Recent, totals.Earlier
	m := CampaignMetrics{
		Spend:       answer.MetricOf(f.Money(now.Spend), f.Money(before.Spend)),
		Revenue:     answer.MetricOf(f.Money(now.Value), f.Money(before.Value)),
		ROAS:        answer.MetricOfKnown(answer.RatioOf(measure.ROAS(now.Value, now.Spend)), answer.RatioOf(measure.ROAS(before.Value, before.Spend))),
		Conversions: answer.MetricOf(answer.Orders(now.Conversions), answer.Orders(before.Conversions)),
		CPA: new(answer.MetricOfKnown(f.PerMinor(measure.CPA(now.Spend, now.Conversions)),
			f.PerMinor(measure.CPA(before.Spend, before.Conversions)))),
		CTRPct: new(answer.ShareOf(answer.RatioOf(measure.Share(now.Clicks, now.Impressions)), answer.RatioOf(measure.Share(before.Clicks, before.Impressions)))),
	}
	if credited {
		m.Credited = new(answer.MetricOf(f.Revenue(now.Credited), f.Revenue(before.Credited)))
	}
	return m
}

func campaignRowOf(f answer.Figures, t warehouse.CampaignTotal, level warehouse.CampaignLevel, credited bool) CampaignRow {
	row := CampaignRow{
		Platform: string(t.Platform), CampaignID: t.CampaignID, PlatformID: t.CampaignID, Name: answer.Foreign(t.CampaignName),
		Spend: f.Money(t.Spend), Revenue: f.Money(t.Value), ROAS: answer.RatioOf(measure.ROAS(t.Value, t.Spend)), Conversions: answer.Orders(t.Conversions),
		CPA: f.PerMinor(measure.CPA(t.Spend, t.Conversions)), CTRPct: answer.RatioOf(measure.Share(t.Clicks, t.Impressions)),
		Impressions: t.Impressions, Clicks: t.Clicks, Account: answer.Foreign(t.Account), FirstDay: t.FirstDay, LastDay: t.LastDay, Attribution: answer.Foreign(t.Attribution),
	}
	if level == warehouse.Creatives {
		row.AdID, row.AdName, row.AdSet = t.AdID, answer.Foreign(t.AdName), answer.Foreign(t.AdSetName)
	}
	if !credited {
		return row
	}
	row.CreditedOrders, row.CreditedRevenue = new(answer.Orders(t.Credited.Orders)), new(f.Revenue(t.Credited))
	return row
}

func campaignsSummary(c *toolkit.Call, a *CampaignsAnswer, days civil.Range, found warehouse.CampaignPage, creatives bool) string {
	now := found.Totals.Recent
	what := answer.Plural(found.Total, "campaign", "campaigns")
	if a.Level == warehouse.Creatives && creatives {
		what = answer.Plural(found.Total, "creative", "creatives")
	}
	text := fmt.Sprintf("%s spent %s %s, %s.", what, c.Amount(now.Spend), answer.Dates(days), answer.Against(a.Metrics.Spend.ChangePct, days))
	if r := a.Metrics.ROAS.Value; r != nil {
		text += fmt.Sprintf(" Platforms report revenue of %s and a ROAS of %s.", c.Amount(now.Value), *r)
	}
	return text
}

// warnCampaigns warns that the figures are platform-reported, and states the ratio of platform-reported to last-touch
// revenue of the campaigns. It also adds the other warnings of the tool.
func warnCampaigns(c *toolkit.Call, a *CampaignsAnswer, days civil.Range, now warehouse.CampaignTotal, creatives bool) {
	if a.Level == warehouse.Creatives && !creatives {
		a.Warn(answer.WarnNoCreatives, "The ad reports contain no ads or creatives, so the rows are campaigns.")
	}
	if a.Level == warehouse.Campaigns && c.Store.Untouched() && c.View.DetailLevel != answer.SummaryLevel {
		a.Warn(answer.WarnNoTouchpoints, "No order is attributed to any channel, so campaigns have no attributed orders.")
	}
	text := "Revenue and conversions are platform-reported. Their totals can exceed the store's totals."
	if times, ok := measure.ROAS(now.Value, c.Workspace.Basis.Revenue(now.Credited)); ok && a.Level == warehouse.Campaigns {
		text = fmt.Sprintf("Revenue and conversions are platform-reported. Platform-reported campaign revenue is %s times last-touch campaign revenue.",
			answer.Ratio(times))
	}
	a.Warn(answer.WarnPlatformReported, text)
	c.WarnStart(&a.Closing, days, "Ad reports", snapshot.FromAds)
	c.WarnDays(&a.Closing, days, 0, true)
}

func campaignsNext(c *toolkit.Call, a *CampaignsAnswer, days civil.Range, p campaignsParams, creatives bool) {
	if a.Level == warehouse.Campaigns && creatives {
		arguments := toolkit.With(toolkit.Dated(days), "level", string(warehouse.Creatives))
		if p.Platform != "" {
			arguments["platform"] = p.Platform
		}
		if p.CampaignID != "" {
			arguments["campaign_id"] = p.CampaignID
		}
		c.Suggest(&a.Closing, "campaigns", arguments, "See the creatives of these campaigns.")
	}
	c.Suggest(&a.Closing, "performance", toolkit.With(toolkit.Dated(days), "model", string(measure.PlatformReported)), "Compare platform and store revenue.")
}
