package tools

import (
	"fmt"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/pacing"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

type forecastingParams struct {
	Aspect     ForecastAspect `json:"aspect" enum:"pacing|recommendations|alerts|targets" doc:"What to show."`
	Channel    string         `json:"channel" doc:"Only this channel."`
	PeriodType pacing.Period  `json:"period_type" enum:"daily|weekly|monthly|quarterly" doc:"Target period."`
	answer.Shared
}

// ForecastAspect selects the rows of the `forecasting` tool. The default is pacing.
type ForecastAspect string

// The aspects.
const (
	PacingAspect          ForecastAspect = "pacing"
	RecommendationsAspect ForecastAspect = "recommendations"
	AlertsAspect          ForecastAspect = "alerts"
	TargetsAspect         ForecastAspect = "targets"
)

// ForecastingAnswer is the answer of the `forecasting` tool.
type ForecastingAnswer struct {
	answer.Opening
	Aspect     ForecastAspect    `json:"aspect"`
	Channel    measure.Channel   `json:"channel,omitempty"`
	PeriodType pacing.Period     `json:"period_type,omitempty"`
	Metrics    ForecastMetrics   `json:"metrics"`
	Estimates  *answer.Estimates `json:"estimates,omitempty"`
	Outlook    []pacing.Day      `json:"outlook,omitempty" detail:"debug" doc:"Cumulative actual and forecast values by day, for the first row with a forecast."`
	Past       []pacing.Accuracy `json:"past_forecasts,omitempty" detail:"analyst" doc:"Accuracy of completed forecasts."`
	answer.Table[pacing.Row]
	answer.Closing
}

// ForecastMetrics counts targets by status, and alerts.
type ForecastMetrics struct {
	Targets  *int `json:"targets,omitempty" doc:"Targets that match the filters; with aspect=pacing, only targets under way."`
	OnTrack  *int `json:"on_track,omitempty" doc:"Targets with a probability of at least 80% of being reached."`
	AtRisk   *int `json:"at_risk,omitempty" doc:"Targets with a probability of at least 40% and below 80%."`
	OffTrack *int `json:"off_track,omitempty" doc:"Targets with a probability below 40%."`
	Over     *int `json:"over_budget,omitempty" doc:"Spend targets with a probability of at least 80% of being exceeded."`

	Closed *int `json:"closed,omitempty" doc:"Targets with a completed period and a known result."`
	Met    *int `json:"met,omitempty" doc:"Closed targets that were met."`

	Alerts      *int            `json:"alerts,omitempty" doc:"Number of drift alerts. rules_met is the number of alerts from the store's own rules."`
	RulesMet    *int            `json:"rules_met,omitempty" doc:"Alerts from the store's own rules in the days shown: one for each rule and day."`
	Watched     *int            `json:"watched,omitempty" doc:"Monitored series."`
	FalseAlarms *answer.Percent `json:"false_alarm_pct,omitempty" doc:"Probability of at least one alert in the days shown without any real change."`
}

// Check rejects period_type for aspects without targets.
func (p forecastingParams) Check() error {
	if p.PeriodType != "" && (p.Aspect == AlertsAspect || p.Aspect == RecommendationsAspect) {
		return &mcp.RejectedError{
			Fault: fault.Invalid("period_type does not apply to aspect=%s, which has no targets", p.Aspect), Drop: []string{"period_type"},
		}
	}
	return nil
}

// explainNoForecast explains why there is no forecast.
func explainNoForecast(c *toolkit.Call, a *ForecastingAnswer) string {
	if c.Store.Empty() {
		return c.ExplainEmpty(&a.Closing, civil.Range{First: c.Today, Last: c.Today})
	}
	c.Suggest(&a.Closing, "diagnose", map[string]any{}, "Check which data are present and which are missing.")
	if c.RevenueUnknown(a.Channel) {
		return fmt.Sprintf("No forecast is possible: the revenue of %s is unknown, because no order is attributed to any channel.", answer.ChannelName(a.Channel))
	}
	a.Warn(answer.WarnNoData, "There is no forecast, because the series is too short or has no data for the most recent days. Import the missing days.")
	return fmt.Sprintf("No forecast is possible: the series is too short or has no recent data. The store's data cover %s to %s.", c.Store.Days().First, c.Store.Days().Last)
}

func (m *ForecastMetrics) count(s pacing.Status) {
	switch s {
	case pacing.OnTrack:
		*m.OnTrack++
	case pacing.AtRisk:
		*m.AtRisk++
	case pacing.OffTrack:
		*m.OffTrack++
	case pacing.OverBudget:
		*m.Over++
	case pacing.WithinBudget, pacing.NearBudget, pacing.Upcoming, pacing.UnderWay, pacing.Met, pacing.Missed, pacing.Unknown:
	}
}

// spokenMetric names a row's metric at the beginning of a sentence.
func spokenMetric(r pacing.Row) string {
	name := map[snapshot.Metric]string{snapshot.Revenue: "Revenue", snapshot.Orders: "The number of orders", snapshot.Spend: "Spend", snapshot.ROAS: "ROAS"}[r.Metric]
	if r.Channel == "" {
		return name
	}
	if r.Metric == snapshot.Spend {
		return name + " on " + answer.ChannelName(r.Channel)
	}
	return name + " of " + answer.ChannelName(r.Channel)
}

// figure formats a value of a metric for a sentence.
func figure(c *toolkit.Call, metric snapshot.Metric, x *float64) string {
	if metric == snapshot.Revenue || metric == snapshot.Spend {
		return c.Spelled(answer.Money(*x))
	}
	return answer.Quantity(answer.Decimals(*x, 2))
}

// probability formats a probability for a sentence.
func probability(p answer.Percent) string {
	switch {
	case p < 1:
		return "below 1%"
	case p > 99:
		return "above 99%"
	}
	return p.Whole()
}
