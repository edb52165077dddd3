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
	Aspect     ForecastAspect `json:"aspect" enum:"pacing|recommendations|alerts|targets" doc:"What to show."`
	Channel    string         `json:"channel" doc:"Only this channel."`
	PeriodType PeriodType     `json:"period_type" enum:"daily|weekly|monthly|quarterly" doc:"Target period."`
	answer.Shared
}

// ForecastAspect is what forecasting shows; pacing when it is empty.
type ForecastAspect string

const (
	PacingAspect          ForecastAspect = "pacing"
	RecommendationsAspect ForecastAspect = "recommendations"
	AlertsAspect          ForecastAspect = "alerts"
	TargetsAspect         ForecastAspect = "targets"
)

type ForecastingAnswer struct {
	answer.Opening
	Aspect     ForecastAspect    `json:"aspect"`
	Channel    measure.Channel   `json:"channel,omitempty"`
	PeriodType PeriodType        `json:"period_type,omitempty"`
	Metrics    ForecastMetrics   `json:"metrics"`
	Estimates  *answer.Estimates `json:"estimates,omitempty"`
	Outlook    []OutlookDay      `json:"outlook,omitempty" detail:"debug" doc:"Cumulative actual and forecast by day, for the first row with a forecast."`
	Past       []PastForecasts   `json:"past_forecasts,omitempty" detail:"analyst" doc:"Accuracy of past forecasts whose days are over."`
	answer.Table[ForecastRow]
	answer.Closing
}

// ForecastMetrics counts targets by status, and alerts.
type ForecastMetrics struct {
	Targets  *int `json:"targets,omitempty" doc:"Targets that match the filters; aspect=pacing counts only targets under way."`
	OnTrack  *int `json:"on_track,omitempty" doc:"Probability of reaching the target is at least 80%."`
	AtRisk   *int `json:"at_risk,omitempty" doc:"Probability is at least 40% and below 80%."`
	OffTrack *int `json:"off_track,omitempty" doc:"Probability is below 40%."`
	Over     *int `json:"over_budget,omitempty" doc:"Spend targets with a probability of at least 80% of being exceeded."`

	Closed *int `json:"closed,omitempty" doc:"Targets whose period is over and whose result is known."`
	Met    *int `json:"met,omitempty" doc:"Closed targets that were met."`

	Alerts      *int            `json:"alerts,omitempty"`
	Watched     *int            `json:"watched,omitempty" doc:"Monitored series."`
	FalseAlarms *answer.Percent `json:"false_alarm_pct,omitempty" doc:"Probability of at least one alert in the days shown without any real change."`
}

// ForecastRow is a target, a forecast or an alert. Each kind sets only its own fields. Values are rounded like their
// metric.
type ForecastRow struct {
	Metric     snapshot.Metric `json:"metric"`
	Channel    measure.Channel `json:"channel,omitempty"`
	PeriodType PeriodType      `json:"period_type,omitempty"`
	Start      civil.Date      `json:"start,omitzero"`
	End        civil.Date      `json:"end,omitzero"`
	Target     *float64        `json:"target,omitempty"`
	Actual     *float64        `json:"actual,omitempty" doc:"Result so far, from complete days with data."`
	Through    civil.Date      `json:"through,omitzero" doc:"Last day included in actual."`
	Expected   *float64        `json:"expected,omitempty" doc:"Forecast for the whole period: actual plus the forecast of the remaining days."`
	Low        *float64        `json:"low,omitempty"`
	High       *float64        `json:"high,omitempty"`
	Low80      *float64        `json:"low_80,omitempty" detail:"analyst" doc:"Lower bound of the 80% interval; low and high bound the 90% interval."`
	High80     *float64        `json:"high_80,omitempty" detail:"analyst"`
	Low95      *float64        `json:"low_95,omitempty" detail:"analyst"`
	High95     *float64        `json:"high_95,omitempty" detail:"analyst"`
	Chance     *answer.Percent `json:"chance_pct,omitempty" doc:"Probability that the period ends at or above the target."`
	Status     ForecastStatus  `json:"status,omitempty"`
	Attained   *answer.Percent `json:"attained_pct,omitempty" doc:"Actual as a percentage of the target."`
	Required   *float64        `json:"required_per_day,omitempty" detail:"analyst" doc:"Needed per remaining day to reach the target."`
	Index      *answer.Ratio   `json:"pace_index,omitempty" detail:"analyst" doc:"Actual divided by the value expected by now; 1 is on pace."`

	Spend    *answer.Money `json:"monthly_spend,omitempty" doc:"Channel spend in the average month of the training data."`
	Proposed *answer.Money `json:"proposed_monthly_spend,omitempty" doc:"Optimized allocation of the same total."`

	Raised    civil.Date      `json:"raised,omitzero" doc:"Day of the latest alert."`
	Since     civil.Date      `json:"since,omitzero" doc:"Most likely start of the change."`
	Direction string          `json:"direction,omitempty" doc:"up or down."`
	Shift     *answer.Ratio   `json:"shift,omitempty" doc:"Mean deviation from the forecast since then, in standard deviations."`
	ChangePct *answer.Percent `json:"change_pct,omitempty" doc:"Change since then compared with the forecast, which adapts slowly."`
}

// OutlookDay is the cumulative value of a metric from the first day of a period.
type OutlookDay struct {
	Date     civil.Date `json:"date"`
	Actual   *float64   `json:"actual,omitempty" doc:"Up to the last day with data."`
	Expected *float64   `json:"expected,omitempty" doc:"After the last day with data."`
	Low80    *float64   `json:"low_80,omitempty"`
	High80   *float64   `json:"high_80,omitempty"`
	Low95    *float64   `json:"low_95,omitempty"`
	High95   *float64   `json:"high_95,omitempty"`
}

// Check rejects period_type for aspects without targets.
func (p forecastingParams) Check() error {
	if p.PeriodType != "" && (p.Aspect == AlertsAspect || p.Aspect == RecommendationsAspect) {
		return fault.Invalid("period_type does not apply to aspect=%s, which has no targets", p.Aspect).
			WithHint(`Corrected arguments: {"aspect":"%s"}, or {"aspect":"pacing","period_type":"%s"}`, p.Aspect, p.PeriodType)
	}
	return nil
}

// explainNoForecast explains why there is no forecast.
func explainNoForecast(c *toolkit.Call, a *ForecastingAnswer) string {
	if c.Store.Empty() {
		return c.ExplainEmpty(&a.Closing, civil.Range{First: c.Today, Last: c.Today})
	}
	a.Warn(answer.WarnNoData, "A forecast needs several days of recent history.")
	c.Suggest(&a.Closing, "diagnose", map[string]any{}, "Check which data are present and which are missing.")
	return fmt.Sprintf("No forecast is possible: the store's data cover %s to %s.", c.Store.Days().First, c.Store.Days().Last)
}

// expect sets the forecast and its 80%, 90% and 95% intervals.
func (r *ForecastRow) expect(value float64, bands []forecast.Band, round func(float64) *float64) {
	r.Expected, r.Low, r.High = round(value), round(bands[snapshot.At90].Low), round(bands[snapshot.At90].High)
	r.Low80, r.High80, r.Low95, r.High95 = round(bands[0].Low), round(bands[0].High), round(bands[2].Low), round(bands[2].High)
}

func (m *ForecastMetrics) count(s ForecastStatus) {
	switch s {
	case OnTrack:
		*m.OnTrack++
	case AtRisk:
		*m.AtRisk++
	case OffTrack:
		*m.OffTrack++
	case OverBudget:
		*m.Over++
	case WithinBudget, NearBudget, Upcoming, UnderWay, Met, Missed, Unknown:
	}
}

// spokenMetric names a row's metric at the beginning of a sentence.
func spokenMetric(r ForecastRow) string {
	name := map[snapshot.Metric]string{snapshot.Revenue: "Revenue", snapshot.Orders: "The number of orders", snapshot.Spend: "Spend", snapshot.ROAS: "ROAS"}[r.Metric]
	if r.Channel != "" {
		name = answer.ChannelName(r.Channel) + ": " + name
	}
	return name
}

// figure formats a value of a metric for a sentence.
func figure(c *toolkit.Call, metric snapshot.Metric, x *float64) string {
	if metric == snapshot.Revenue || metric == snapshot.Spend {
		return c.Spelled(answer.Money(*x))
	}
	return answer.Quantity(answer.Decimals(*x, 2))
}

// PastForecasts is the accuracy of past forecasts whose days are over.
type PastForecasts struct {
	Metric     snapshot.Metric `json:"metric"`
	Channel    measure.Channel `json:"channel,omitempty"`
	Days       int             `json:"days,omitempty" doc:"Days summed in each forecast; absent for forecasts of the rest of a period."`
	Afterwards bool            `json:"made_afterwards" doc:"Backtest: computed later, with data up to the forecast date only."`
	Judged     int             `json:"judged" doc:"Forecasts whose days are over."`
	Separate   int             `json:"separate" doc:"Largest number of judged forecasts that share no day: overlapping forecasts are not independent."`
	Enough     bool            `json:"enough" doc:"At least 20 judged and 8 separate; accuracy is reported only then."`
	Inside80   *answer.Percent `json:"inside_80_pct,omitempty" doc:"Share of results inside the 80% interval."`
	Inside90   *answer.Percent `json:"inside_90_pct,omitempty"`
	Inside95   *answer.Percent `json:"inside_95_pct,omitempty"`
	Error      *answer.Percent `json:"error_pct,omitempty" doc:"Sum of absolute errors as a percentage of the actual total."`
	Bias       *answer.Percent `json:"bias_pct,omitempty" doc:"Actual minus forecast, as a percentage of the actual total."`
	MASE       *answer.Ratio   `json:"mase,omitempty" doc:"Mean absolute scaled error; below 1 is better than repeating the previous weeks."`
	Start      civil.Date      `json:"first_day"`
	End        civil.Date      `json:"last_day"`
}

// overlap reports how many of the forecasts share no day, where some do.
func (p PastForecasts) overlap() string {
	if p.Separate == p.Judged {
		return ""
	}
	return fmt.Sprintf(" (%d without shared days)", p.Separate)
}

// PeriodType is the length of a target's period.
type PeriodType string

const (
	DailyPeriod     PeriodType = "daily"
	WeeklyPeriod    PeriodType = "weekly"
	MonthlyPeriod   PeriodType = "monthly"
	QuarterlyPeriod PeriodType = "quarterly"
)

// periodTypes are in the order in which goals are listed.
var periodTypes = []PeriodType{MonthlyPeriod, QuarterlyPeriod, WeeklyPeriod, DailyPeriod}

// ForecastStatus is the status of a goal.
type ForecastStatus string

const (
	OnTrack  = ForecastStatus(forecast.OnTrack)
	AtRisk   = ForecastStatus(forecast.AtRisk)
	OffTrack = ForecastStatus(forecast.Off)

	// A spend target is a limit.
	OverBudget   ForecastStatus = "over_budget"
	WithinBudget ForecastStatus = "within_budget"
	NearBudget   ForecastStatus = "near_budget"

	Upcoming ForecastStatus = "upcoming"
	UnderWay ForecastStatus = "under_way"
	Met      ForecastStatus = "met"
	Missed   ForecastStatus = "missed"
	Unknown  ForecastStatus = "unknown"
)

// around returns the calendar period of this type that contains the day.
func (t PeriodType) around(day civil.Date) civil.Range {
	switch t {
	case WeeklyPeriod:
		first := civil.ByWeek.Start(day)
		return civil.Range{First: first, Last: first.AddDays(6)}
	case MonthlyPeriod:
		first := civil.ByMonth.Start(day)
		return civil.Range{First: first, Last: civil.ByMonth.Next(first).AddDays(-1)}
	case QuarterlyPeriod:
		first := civil.New(day.Year(), (day.Month()-1)/3*3+1, 1)
		return civil.Range{First: first, Last: civil.New(first.Year(), first.Month()+3, 1).AddDays(-1)}
	case DailyPeriod:
	}
	return civil.Range{First: day, Last: day}
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
