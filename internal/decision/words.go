package decision

import (
	"fmt"
	"strings"

	"assay/internal/ads"
	"assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/measure/detect"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// wording describes the findings of a kind: the sentence, the recommended step and the call that shows the finding.
type wording struct {
	say    func(c *toolkit.Call, f detect.Finding) string
	act    string
	call   func(c *toolkit.Call, f detect.Finding) (tool string, arguments map[string]any)
	reason string
}

// figure returns a figure of the evidence.
func figure(f detect.Finding, name string) float64 {
	for _, e := range f.Evidence {
		if e.Name == name {
			return e.Value
		}
	}
	return 0
}

func spelled(c *toolkit.Call, f detect.Finding, name string) string {
	return c.Spelled(answer.Money(figure(f, name)))
}

func share(f detect.Finding, name string) string {
	return answer.Percent(100 * figure(f, name)).String()
}

func ratio(f detect.Finding, name string) string { return answer.Ratio(figure(f, name)).String() }

func count(f detect.Finding, name string) string {
	return answer.Quantity(answer.Decimals(figure(f, name), 0))
}

// goal formats a figure of a target: a number of orders, or an amount of money.
func goal(c *toolkit.Call, f detect.Finding, name string) string {
	if metric, _, _ := strings.Cut(f.Subject, " of "); strings.HasSuffix(metric, string(snapshot.Orders)) {
		return count(f, name)
	}
	return spelled(c, f, name)
}

// count100 formats a ratio as a number per hundred.
func count100(f detect.Finding, name string) string {
	return answer.Quantity(answer.Decimals(100*figure(f, name), 0))
}

// moved returns a function that writes the sentence about a figure that changed on a day.
func moved(what func(f detect.Finding) string, verb, now, before string) func(*toolkit.Call, detect.Finding) string {
	return func(_ *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("%s %s from %s to %s since %s.", what(f), verb, share(f, before), share(f, now), f.Since)
	}
}

func named(text string) func(detect.Finding) string {
	return func(detect.Finding) string { return text }
}

func channelOf(f detect.Finding) string { return answer.ChannelName(f.Channel) }

// on returns a function that returns the same call for every finding.
func on(tool string, arguments map[string]any) func(*toolkit.Call, detect.Finding) (string, map[string]any) {
	return func(*toolkit.Call, detect.Finding) (string, map[string]any) { return tool, arguments }
}

func trend(metric snapshot.Metric) func(*toolkit.Call, detect.Finding) (string, map[string]any) {
	return func(c *toolkit.Call, f detect.Finding) (string, map[string]any) {
		arguments := toolkit.With(toolkit.Dated(c.LastDays(42)), "metric", string(metric))
		if f.Channel != "" {
			arguments["channel"] = string(f.Channel)
		}
		return "trends", arguments
	}
}

func campaignsOf(c *toolkit.Call, f detect.Finding) (string, map[string]any) {
	arguments := toolkit.Dated(c.LastDays(campaignDays))
	if p := measure.Platform(f.Channel); toolkit.ListedPlatform(p) {
		arguments["platform"] = string(p)
	}
	return "campaigns", arguments
}

// pause returns the call that previews a pause. If Assay cannot change the platform's campaigns, pause returns the call
// that lists campaigns.
func pause(c *toolkit.Call, f detect.Finding) (string, map[string]any) {
	p := measure.Platform(f.Channel)
	if !writable(p) {
		return campaignsOf(c, f)
	}
	return "pause_campaign", map[string]any{"platform": ads.WritingName(p), "platform_campaign_id": f.Subject}
}

// writable reports whether Assay can change the campaigns of a platform.
func writable(p measure.Platform) bool {
	return p == measure.Facebook || p == measure.Google || p == measure.TikTok
}

func preflight(_ *toolkit.Call, f detect.Finding) (string, map[string]any) {
	return "geo_experiment_preflight", map[string]any{"channel": string(f.Channel)}
}

func marginal(verdict string) func(*toolkit.Call, detect.Finding) string {
	return func(c *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("The marginal ROAS of %s is %s (90%% interval %s to %s), %s the break-even ROAS of %s. Channel spend is %s per month.",
			channelOf(f), ratio(f, "marginal_roas"), ratio(f, "marginal_roas_low"), ratio(f, "marginal_roas_high"), verdict, ratio(f, "break_even_roas"), spelled(c, f, "monthly_spend"))
	}
}

var wordings = map[detect.Kind]wording{
	detect.PastOptimum: {marginal("below"), "Reduce the channel's budget in steps of 20%, and check the marginal ROAS after each step.", on("optimization", map[string]any{}), "See response curves and the optimized allocation."},
	detect.Headroom:    {marginal("above"), "Increase the channel's budget in steps of 20%, and check the marginal ROAS after each step.", on("optimization", map[string]any{}), "See response curves and the optimized allocation."},
	detect.SpendShift: {func(c *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("Spend on %s has been %s per day since %s, compared with %s per day before.", channelOf(f), spelled(c, f, "daily_spend"), f.Since, spelled(c, f, "usual_daily_spend"))
	}, "Check the budgets and the billing of the channel's campaigns.", campaignsOf, "Find the campaigns that changed."},
	detect.NoEffect: {func(c *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("A campaign on %s spent %s in the last %d days for %s last-touch and %s platform-reported orders. Break-even requires %s orders.", channelOf(f), spelled(c, f, "spend"), campaignDays,
			count(f, "orders"), count(f, "claimed_orders"), count(f, "break_even_orders"))
	}, "Pause the campaign, or change its audience and creatives.", pause, "Preview the pause."},
	detect.CappedWinner: {func(c *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("A campaign on %s uses its daily budget of %s and has a last-touch ROAS of %s.", channelOf(f), spelled(c, f, "daily_budget"), ratio(f, "last_touch_roas"))
	}, "Increase the daily budget by at most 20%, and check the marginal ROAS after a week.", campaignsOf, "See the campaign."},
	detect.Fatigue: {func(_ *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("The click rate of an ad on %s fell from %s to %s. The ad has run for at least %s days.", channelOf(f), share(f, "earlier_click_rate"), share(f, "click_rate"), count(f, "age_days"))
	}, "Replace the creative.", func(c *toolkit.Call, f detect.Finding) (string, map[string]any) {
		tool, arguments := campaignsOf(c, f)
		return tool, toolkit.With(arguments, "level", "creative")
	}, "Compare the channel's creatives."},
	detect.Untested: {func(_ *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("%s accounts for %s of spend in the last 90 days, but has had no experiment in the last year.", channelOf(f), share(f, "spend_share"))
	}, "Plan a geo experiment.", preflight, "Check whether a geo experiment can detect the effect."},
	detect.CACDrift: {func(c *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("The acquisition cost of %s has risen from %s to %s per new customer since %s.", channelOf(f), spelled(c, f, "earlier_cac"), spelled(c, f, "cac"), f.Since)
	}, "Compare the campaigns, and move budget to campaigns with a lower acquisition cost.", campaignsOf, "Compare the channel's campaigns."},
	detect.PaybackDrift: {func(_ *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("Revenue from new customers in their first %d days has fallen from %s to %s per unit of spend since %s.", cohortDays, ratio(f, "earlier_cohort_return"), ratio(f, "cohort_return"), f.Since)
	}, "Find the channels with longer payback, and reduce their spend.", on("lifecycle", map[string]any{}), "See LTV and payback."},
	detect.Discounting: {moved(named("Discounts as a share of sales"), "have risen", "discount_share", "earlier_discount_share"), "Check which discount codes are used more, and limit their use.", on("products", map[string]any{"view": "coupons"}), "See discount codes."},
	detect.FewerNew:    {moved(named("The share of orders from new customers"), "has fallen", "new_customer_share", "earlier_new_customer_share"), "Check the prospecting campaigns and their budgets.", on("customers", map[string]any{}), "Compare new and returning customers."},
	detect.RefundRate:  {moved(named("Refunds as a share of revenue"), "have risen", "refund_share", "earlier_refund_share"), "Find the products that customers return.", on("products", map[string]any{}), "See the sales of products."},
	detect.Outage: {func(_ *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("Only %s orders arrived in %s, starting on %s. About %s orders were expected.", count(f, "orders"), answer.Plural(int(figure(f, "days")), "day", "days"), f.Since, count(f, "expected_orders"))
	}, "Check whether the store was unavailable or an import is incomplete. Import these days again.", trend(snapshot.Orders), "See orders by day."},
	detect.SalesStopped: {func(_ *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("A product sold %s units in the last 7 days, compared with %s units per week before.", count(f, "units"), count(f, "usual_units_per_week"))
	}, "Check the stock and the visibility of the product, and the ads for it.", on("products", map[string]any{}), "See the sales of products."},
	detect.TrackingBreak: {func(_ *toolkit.Call, f detect.Finding) string {
		if f.Channel != "" {
			return fmt.Sprintf("The share of orders from %s has fallen from %s to %s since %s, although spend on the channel continued.", channelOf(f), share(f, "earlier_order_share"), share(f, "order_share"), f.Since)
		}
		return fmt.Sprintf("The share of orders without a channel has risen from %s to %s since %s.", share(f, "earlier_unattributed_share"), share(f, "unattributed_share"), f.Since)
	}, "Check UTM parameters, consent and the pixel. Do not evaluate channels on these days.", on("diagnose", map[string]any{}), "Check the sources."},
	detect.ClaimsBreak: {func(_ *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("The number of conversions that %s reports per last-touch order has changed from %s to %s since %s.", channelOf(f), ratio(f, "earlier_claims_per_order"), ratio(f, "claims_per_order"), f.Since)
	}, "Check the platform's pixel and conversion events.", campaignsOf, "Compare reported and attributed orders."},
	detect.PixelLoss: {func(_ *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("For %s, last touch attributes %s orders per 100 survey answers that name the channel, compared with %s before.", channelOf(f), count100(f, "credited_per_answer"), count100(f, "earlier_credited_per_answer"))
	}, "Check UTM parameters, consent and the pixel of the channel. Do not evaluate the channel by last touch.", on("surveys", map[string]any{}), "Compare survey answers with last touch."},
	detect.CouponLeak: {func(_ *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("A discount code was used in %s orders in the last 14 days, compared with about %s orders in a usual 14-day period.", count(f, "orders"), count(f, "usual_orders"))
	}, "Check whether the code is public. Replace a public code.", on("products", map[string]any{"view": "coupons"}), "See discount codes."},
	detect.PacingRisk: {func(c *toolkit.Call, f detect.Finding) string {
		side, verb := "below", "missing"
		if figure(f, "expected") > figure(f, "target") {
			side, verb = "above", "exceeding"
		}
		return fmt.Sprintf("The forecast of %s is %s (90%% interval %s to %s), %s the target of %s. The probability of %s the target is %s.", f.Subject+" (from "+f.Since.String()+")",
			goal(c, f, "expected"), goal(c, f, "expected_low"), goal(c, f, "expected_high"), side, goal(c, f, "target"), verb, share(f, "probability"))
	}, "Adjust the target, or adjust the budget for the remaining days.", on("forecasting", map[string]any{"aspect": "pacing"}), "See targets and forecasts."},
	detect.Rebooking: {func(c *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("A creator without a booking in the last 30 days generated an estimated %[1]s orders in the last %[3]d days at a cost of %[2]s.", count(f, "estimated_orders"), spelled(c, f, "cost"), creatorDays)
	}, "Book the creator again.", func(_ *toolkit.Call, f detect.Finding) (string, map[string]any) {
		return "influencers", map[string]any{"action": "performance", "influencer_id": f.Subject}
	}, "See the creator's results."},
	detect.HaloEffect: {func(c *toolkit.Call, f detect.Finding) string {
		return fmt.Sprintf("Spend on %s generates about %s of revenue per month on another sales surface.", channelOf(f), spelled(c, f, "monthly_revenue"))
	}, "Include the halo effect in the ROAS of the channel.", on("omnichannel", map[string]any{}), "See halo effects."},
	detect.SeasonAhead: {func(_ *toolkit.Call, f detect.Finding) string {
		text := fmt.Sprintf("%s starts on %s, and there is no target for that month.", f.Name, f.Since)
		if times := figure(f, "last_year_ratio"); times > 0 {
			text += fmt.Sprintf(" In the previous year, daily revenue was %s times the mean of the preceding four weeks.", answer.Ratio(times))
		}
		return text
	}, "Set targets and budgets for the season.", on("forecasting", map[string]any{"aspect": "pacing"}), "See the forecast."},
}
