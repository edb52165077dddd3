package tools

import (
	"fmt"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

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

// Check refuses a kind of period where there are none.
func (p forecastingParams) Check() error {
	if p.PeriodType != "" && (p.Aspect == alertsAspect || p.Aspect == recommendationsAspect) {
		return fault.Invalid("period_type is of targets, and aspect=%s has none", p.Aspect).
			WithHint(`Corrected arguments: {"aspect":"%s"}, or {"aspect":"pacing","period_type":"%s"}`, p.Aspect, p.PeriodType)
	}
	return nil
}

// explainNoForecast says why nothing is forecast.
func explainNoForecast(c *toolkit.Call, a *forecastingAnswer) string {
	if c.Store.Empty() {
		return c.ExplainEmpty(&a.Closing, civil.Range{First: c.Today, Last: c.Today})
	}
	a.Warn(answer.WarnNoData, "A forecast needs some days of history up to the last days.")
	c.Suggest(&a.Closing, "diagnose", map[string]any{}, "See what the store has and what is missing.")
	return fmt.Sprintf("Nothing can be forecast: the store's data reach from %s to %s.", c.Store.Days().First, c.Store.Days().Last)
}

// expect sets what is expected, with the intervals of [keptLevels].
func (r *forecastRow) expect(value float64, bands []forecast.Band, round func(float64) *float64) {
	r.Expected, r.Low, r.High = round(value), round(bands[snapshot.At90].Low), round(bands[snapshot.At90].High)
	r.Low80, r.High80, r.Low95, r.High95 = round(bands[0].Low), round(bands[0].High), round(bands[2].Low), round(bands[2].High)
}

func (m *forecastMetrics) count(s forecastStatus) {
	switch s {
	case onTrack:
		*m.OnTrack++
	case atRisk:
		*m.AtRisk++
	case offTrack:
		*m.OffTrack++
	case overBudget:
		*m.Over++
	case withinBudget, eitherBudget, upcoming, underWay, met, missed, unknown:
	}
}

// spokenMetric names what a row is about at the beginning of a sentence.
func spokenMetric(r forecastRow) string {
	name := map[snapshot.Metric]string{snapshot.Revenue: "Revenue", snapshot.Orders: "The number of orders", snapshot.Spend: "Spend", snapshot.ROAS: "ROAS"}[r.Metric]
	if r.Channel != "" {
		name = answer.ChannelName(r.Channel) + ": " + name
	}
	return name
}

// figure writes a figure of a metric for a sentence.
func figure(c *toolkit.Call, metric snapshot.Metric, x *float64) string {
	if metric == snapshot.Revenue || metric == snapshot.Spend {
		return c.Spelled(answer.Money(*x))
	}
	return answer.Quantity(answer.Decimals(*x, 2))
}

// pastForecasts says how forecasts did whose days are over.
type pastForecasts struct {
	Metric     snapshot.Metric `json:"metric"`
	Channel    measure.Channel `json:"channel,omitempty"`
	Days       int             `json:"days,omitempty" doc:"Summed in each forecast; absent: what was left of a period when the question was asked."`
	Afterwards bool            `json:"made_afterwards" doc:"Made later, from the days up to then only, and not kept at the time."`
	Judged     int             `json:"judged" doc:"Forecasts whose days are over."`
	Separate   int             `json:"separate" doc:"The most of them of which no two share a day: the others are no evidence of their own."`
	Enough     bool            `json:"enough" doc:"At least 20 judged and 8 separate; with fewer nothing is said of how they did."`
	Inside80   *answer.Percent `json:"inside_80_pct,omitempty" doc:"Share that came within the 80 % interval."`
	Inside90   *answer.Percent `json:"inside_90_pct,omitempty"`
	Inside95   *answer.Percent `json:"inside_95_pct,omitempty"`
	Error      *answer.Percent `json:"error_pct,omitempty" doc:"Sum of the sizes of errors in percent of what came."`
	Bias       *answer.Percent `json:"bias_pct,omitempty" doc:"What came less what was expected, in percent of what came."`
	MASE       *answer.Ratio   `json:"mase,omitempty" doc:"Size of the error over that of repeating the weeks before; below 1 is better."`
	Start      civil.Date      `json:"first_day"`
	End        civil.Date      `json:"last_day"`
}

// apart says how many of the forecasts share no day.
func (p pastForecasts) apart() string {
	if p.Separate == p.Judged {
		return "which share no day"
	}
	return fmt.Sprintf("%d of which share no day", p.Separate)
}

// periodType is the kind of period that a target is for.
type periodType string

const (
	dailyPeriod     periodType = "daily"
	weeklyPeriod    periodType = "weekly"
	monthlyPeriod   periodType = "monthly"
	quarterlyPeriod periodType = "quarterly"
)

// periodTypes are in the order in which goals are looked at.
var periodTypes = []periodType{monthlyPeriod, quarterlyPeriod, weeklyPeriod, dailyPeriod}

// forecastStatus is where a goal stands.
type forecastStatus string

const (
	onTrack  = forecastStatus(forecast.OnTrack)
	atRisk   = forecastStatus(forecast.AtRisk)
	offTrack = forecastStatus(forecast.Off)

	// Spend has no goal but a limit.
	overBudget   forecastStatus = "over_budget"
	withinBudget forecastStatus = "within_budget"
	eitherBudget forecastStatus = "near_budget"

	upcoming forecastStatus = "upcoming"
	underWay forecastStatus = "under_way"
	met      forecastStatus = "met"
	missed   forecastStatus = "missed"
	unknown  forecastStatus = "unknown"
)

// around returns the calendar's period of this kind that holds the day.
func (t periodType) around(day civil.Date) civil.Range {
	switch t {
	case weeklyPeriod:
		first := civil.ByWeek.Start(day)
		return civil.Range{First: first, Last: first.AddDays(6)}
	case monthlyPeriod:
		first := civil.ByMonth.Start(day)
		return civil.Range{First: first, Last: civil.ByMonth.Next(first).AddDays(-1)}
	case quarterlyPeriod:
		first := civil.New(day.Year(), (day.Month()-1)/3*3+1, 1)
		return civil.Range{First: first, Last: civil.New(first.Year(), first.Month()+3, 1).AddDays(-1)}
	case dailyPeriod:
	}
	return civil.Range{First: day, Last: day}
}

// said is the period in a sentence.
func (t periodType) said() string {
	switch t {
	case weeklyPeriod:
		return "of the week"
	case monthlyPeriod:
		return "of the month"
	case quarterlyPeriod:
		return "of the quarter"
	case dailyPeriod:
	}
	return "of the day"
}
