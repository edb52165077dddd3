package tools

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

var forecasting = toolkit.Define(toolkit.Spec{
	Name:        "forecasting",
	Title:       "Forecast and pacing",
	Description: "Whether targets will be met, what to expect, where budget should go, and alerts about drift.",
	Needs:       "orders",
	Reads:       snapshot.Wants{Forecasts: true},
}, runForecasting)

type forecastingParams struct {
	Aspect     forecastAspect `json:"aspect" enum:"pacing|recommendations|alerts|targets" doc:"What to show."`
	Channel    string         `json:"channel" doc:"Only this channel."`
	PeriodType periodType     `json:"period_type" enum:"daily|weekly|monthly|quarterly" doc:"Of the targets."`
	answer.Shared
}

// forecastAspect is what forecasting shows; pacing when it is empty.
type forecastAspect string

const (
	pacingAspect          forecastAspect = "pacing"
	recommendationsAspect forecastAspect = "recommendations"
	alertsAspect          forecastAspect = "alerts"
	targetsAspect         forecastAspect = "targets"
)

// Check refuses a kind of period where there are none.
func (p forecastingParams) Check() error {
	if p.PeriodType != "" && (p.Aspect == alertsAspect || p.Aspect == recommendationsAspect) {
		return fault.Invalid("period_type is of targets, and aspect=%s has none", p.Aspect).
			WithHint(`Corrected arguments: {"aspect":"%s"}, or {"aspect":"pacing","period_type":"%s"}`, p.Aspect, p.PeriodType)
	}
	return nil
}

type forecastingAnswer struct {
	answer.Opening
	Aspect     forecastAspect    `json:"aspect"`
	Channel    measure.Channel   `json:"channel,omitempty"`
	PeriodType periodType        `json:"period_type,omitempty"`
	Metrics    forecastMetrics   `json:"metrics"`
	Estimates  *answer.Estimates `json:"estimates,omitempty"`
	Outlook    []outlookDay      `json:"outlook,omitempty" detail:"debug" doc:"Of the first row with a forecast: its sum by day, what is there and what is expected."`
	Past       []pastForecasts   `json:"past_forecasts,omitempty" detail:"analyst" doc:"How forecasts did whose days are over."`
	answer.Table[forecastRow]
	answer.Closing
}

// forecastMetrics count the rows of all standings.
type forecastMetrics struct {
	Targets  *int `json:"targets,omitempty" doc:"That match the filters: of aspect=pacing those of periods under way, of aspect=targets all."`
	OnTrack  *int `json:"on_track,omitempty" doc:"Reached with a probability of at least 80 %."`
	AtRisk   *int `json:"at_risk,omitempty" doc:"Of at least 40 %."`
	OffTrack *int `json:"off_track,omitempty" doc:"Of less."`
	Over     *int `json:"over_budget,omitempty" doc:"Targets of spend that are exceeded with a probability of at least 80 %."`

	Closed *int `json:"closed,omitempty" doc:"Targets whose period is over and known."`
	Met    *int `json:"met,omitempty" doc:"Closed targets that were met."`

	Alerts      *int            `json:"alerts,omitempty"`
	Watched     *int            `json:"watched,omitempty" doc:"Series that are watched."`
	FalseAlarms *answer.Percent `json:"false_alarm_pct,omitempty" doc:"Chance of an alert among all watched series in the days shown, when nothing moved."`
}

// forecastRow is a target, a forecast or an alert; each has the fields that belong to it. Figures are rounded as the
// metric is.
type forecastRow struct {
	Metric     snapshot.Metric `json:"metric"`
	Channel    measure.Channel `json:"channel,omitempty"`
	PeriodType periodType      `json:"period_type,omitempty"`
	Start      civil.Date      `json:"start,omitzero"`
	End        civil.Date      `json:"end,omitzero"`
	Target     *float64        `json:"target,omitempty"`
	Actual     *float64        `json:"actual,omitempty" doc:"So far, whole days with data only."`
	Through    civil.Date      `json:"through,omitzero" doc:"Last day that actual counts."`
	Expected   *float64        `json:"expected,omitempty" doc:"At the end of the period: what is there and the forecast of the rest."`
	Low        *float64        `json:"low,omitempty"`
	High       *float64        `json:"high,omitempty"`
	Low80      *float64        `json:"low_80,omitempty" detail:"analyst" doc:"Of the 80 % interval; low and high are of the 90 %."`
	High80     *float64        `json:"high_80,omitempty" detail:"analyst"`
	Low95      *float64        `json:"low_95,omitempty" detail:"analyst"`
	High95     *float64        `json:"high_95,omitempty" detail:"analyst"`
	Chance     *answer.Percent `json:"chance_pct,omitempty" doc:"That the period ends at the target or above."`
	Status     forecastStatus  `json:"status,omitempty"`
	Attained   *answer.Percent `json:"attained_pct,omitempty" doc:"Actual in percent of the target."`
	Required   *float64        `json:"required_per_day,omitempty" detail:"analyst" doc:"To reach the target."`
	Index      *answer.Ratio   `json:"pace_index,omitempty" detail:"analyst" doc:"What is there over what should be by now; 1 is on pace."`

	Spend    *answer.Money `json:"monthly_spend,omitempty" doc:"Of a channel, in the mean month that the model was trained on."`
	Proposed *answer.Money `json:"proposed_monthly_spend,omitempty" doc:"By the plan for the same total."`

	Raised    civil.Date      `json:"raised,omitzero" doc:"Day of the latest alert."`
	Since     civil.Date      `json:"since,omitzero" doc:"When the move most likely began."`
	Direction string          `json:"direction,omitempty" doc:"up or down."`
	Shift     *answer.Ratio   `json:"shift,omitempty" doc:"Mean distance from the expectation since then, in standard deviations."`
	ChangePct *answer.Percent `json:"change_pct,omitempty" doc:"Since then against what was expected, which follows slowly."`
}

// outlookDay is the sum of a metric from the first day of a period to a day of it.
type outlookDay struct {
	Date     civil.Date `json:"date"`
	Actual   *float64   `json:"actual,omitempty" doc:"Up to the last day with data."`
	Expected *float64   `json:"expected,omitempty" doc:"From then on."`
	Low80    *float64   `json:"low_80,omitempty"`
	High80   *float64   `json:"high_80,omitempty"`
	Low95    *float64   `json:"low_95,omitempty"`
	High95   *float64   `json:"high_95,omitempty"`
}

func runForecasting(ctx context.Context, c *toolkit.Call, p forecastingParams) (*forecastingAnswer, error) {
	channel, err := c.Channel(p.Channel)
	if err != nil {
		return nil, err
	}
	if p.Aspect == "" {
		p.Aspect = pacingAspect
	}
	a := &forecastingAnswer{Aspect: p.Aspect, Channel: channel, PeriodType: p.PeriodType}
	a.Currency, a.Rows = c.Workspace.Currency, []forecastRow{}
	switch p.Aspect {
	case pacingAspect:
		err = pacing(c, ctx, a)
	case targetsAspect:
		err = listTargets(c, ctx, a)
	case alertsAspect:
		err = alerts(c, ctx, a)
	case recommendationsAspect:
		err = recommend(c, a)
	}
	if err != nil {
		return nil, err
	}
	if c.Untold(channel) {
		c.WarnUntouched(&a.Closing, c.LastDays(activeDays), channel)
	}
	c.WarnStale(&a.Closing, c.LastDays(activeDays))
	quality := answer.DataQuality{Revenue: c.Workspace.Basis.String(), Method: forecastMethod}
	switch {
	case p.Aspect == recommendationsAspect:
		quality.Method = toolkit.MmmMethod
	case channel != "":
		quality.Model = measure.LastTouch
	}
	c.Describe(&a.Closing, quality, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend, "targets")
	return a, nil
}

// recommend divides today's spend by the media mix model: the plan of optimization, shortened.
func recommend(c *toolkit.Call, a *forecastingAnswer) error {
	m, err := c.Model()
	if err != nil {
		return err
	}
	plan, err := m.Plan(mix.Ask{Budget: m.Spend()})
	if err != nil {
		return err
	}
	monthly := 1 / m.Months()
	a.Period = c.Period(m.Window)
	for _, r := range mixRows(m, plan, monthly) {
		if a.Channel == "" || r.Channel == a.Channel {
			a.Rows = append(a.Rows, forecastRow{Metric: snapshot.Spend, Channel: r.Channel, PeriodType: monthlyPeriod, Spend: &r.Spend, Proposed: &r.Proposed})
		}
	}
	a.Summary = planSummary(c, planMetricsOf(c, m, plan, m.Spend(), monthly), plan, "a month")
	if len(a.Rows) == 0 {
		a.Warn(answer.WarnNoData, "The model has no figures for "+answer.ChannelName(a.Channel)+".")
	}
	warnPlan(c, &a.Closing, plan)
	c.Suggest(&a.Closing, "optimization", map[string]any{}, "See returns, saturation and what other spends would do.")
	return nil
}

// forecastMethod says how the figures come about.
const forecastMethod = "forecast: median of ETS, ARIMA and two Theta models on the last two years of days, conformal intervals of sums; " +
	"alerts: cumulative sums of one-step errors; see methods/forecast and methods/anomalies"

// explainNoForecast says why nothing is forecast.
func explainNoForecast(c *toolkit.Call, a *forecastingAnswer) string {
	if c.Store.Empty() {
		return c.ExplainEmpty(&a.Closing, civil.Range{First: c.Today, Last: c.Today})
	}
	a.Warn(answer.WarnNoData, "A forecast needs some days of history up to the last days.")
	c.Suggest(&a.Closing, "diagnose", map[string]any{}, "See what the store has and what is missing.")
	return fmt.Sprintf("Nothing can be forecast: the store's data reach from %s to %s.", c.Store.Days().First, c.Store.Days().Last)
}
