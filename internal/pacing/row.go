// Package pacing compares targets with results and forecasts: pacing of current periods, status of targets, and
// accuracy of past forecasts.
package pacing

import (
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
	"assay/internal/snapshot"
)

// Row is a target, a forecast or an alert. Each kind sets only its own fields. Values are rounded to the decimals of
// their metric.
type Row struct {
	Metric     snapshot.Metric `json:"metric"`
	Channel    measure.Channel `json:"channel,omitempty"`
	PeriodType Period          `json:"period_type,omitempty"`
	Start      civil.Date      `json:"start,omitzero"`
	End        civil.Date      `json:"end,omitzero"`
	Target     *float64        `json:"target,omitempty"`
	Parts      int             `json:"daily_targets,omitempty" doc:"Number of daily targets in the total of the row; ROAS: daily targets with this value."`
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
	Status     Status          `json:"status,omitempty"`
	Unseen     string          `json:"unseen_season,omitempty" doc:"Season in the remaining days that the data do not include. The row then has no probability and no status."`
	Attained   *answer.Percent `json:"attained_pct,omitempty" doc:"Actual as a percentage of the target."`
	Required   *float64        `json:"required_per_day,omitempty" detail:"analyst" doc:"Average amount required per remaining day to reach the target."`
	Index      *answer.Ratio   `json:"pace_index,omitempty" detail:"analyst" doc:"Actual divided by the value expected by now; 1 is on pace."`

	Spend    *answer.Money `json:"monthly_spend,omitempty" doc:"Average monthly channel spend in the training data."`
	Proposed *answer.Money `json:"proposed_monthly_spend,omitempty" doc:"Monthly channel spend in the optimized allocation of the same total budget."`

	Raised    civil.Date      `json:"raised,omitzero" doc:"Day of the latest alert, or the day that met the alert rule."`
	Since     civil.Date      `json:"since,omitzero" doc:"Most likely start of the change."`
	Direction string          `json:"direction,omitempty" doc:"up or down."`
	Shift     *answer.Ratio   `json:"shift,omitempty" doc:"Mean deviation from the forecast since the start of the change, in standard deviations."`
	ChangePct *answer.Percent `json:"change_pct,omitempty" doc:"Deviation from the forecast since the start of the change, in percent. The forecast adapts slowly."`

	Rule      string                 `json:"rule,omitempty" doc:"Name of the alert rule that the day met."`
	Condition control.AlertCondition `json:"condition,omitempty"`
	Threshold *float64               `json:"threshold,omitempty" doc:"In percent for change_above, otherwise in the unit of the metric."`
	Value     *float64               `json:"value,omitempty" doc:"Value of the metric on the day that met the alert rule."`
	Reference *float64               `json:"reference,omitempty" doc:"change_above: mean of the same weekday in the previous four weeks."`
}

// Day is the cumulative value of a metric from the first day of a period.
type Day struct {
	Date     civil.Date `json:"date"`
	Actual   *float64   `json:"actual,omitempty" doc:"Actual values, up to the last day with data."`
	Expected *float64   `json:"expected,omitempty" doc:"Forecast, after the last day with data."`
	Low80    *float64   `json:"low_80,omitempty"`
	High80   *float64   `json:"high_80,omitempty"`
	Low95    *float64   `json:"low_95,omitempty"`
	High95   *float64   `json:"high_95,omitempty"`
}

// expect sets the forecast and its 80%, 90% and 95% intervals.
func (r *Row) expect(value float64, bands []forecast.Band, round func(float64) *float64) {
	r.Expected, r.Low, r.High = round(value), round(bands[snapshot.At90].Low), round(bands[snapshot.At90].High)
	r.Low80, r.High80, r.Low95, r.High95 = round(bands[0].Low), round(bands[0].High), round(bands[2].Low), round(bands[2].High)
}

// Accuracy is the accuracy of completed forecasts.
type Accuracy struct {
	Metric     snapshot.Metric `json:"metric"`
	Channel    measure.Channel `json:"channel,omitempty"`
	Days       int             `json:"days,omitempty" doc:"Number of days in each forecast total; absent for forecasts of the rest of a period."`
	Afterwards bool            `json:"made_afterwards" doc:"true for backtests, which are computed later with data up to the forecast date only."`
	Judged     int             `json:"judged" doc:"Number of completed forecasts."`
	Separate   int             `json:"separate" doc:"Largest number of completed forecasts without overlap: overlapping forecasts are not independent."`
	Enough     bool            `json:"enough" doc:"true from 20 completed and 8 non-overlapping forecasts. With fewer forecasts, no accuracy is reported."`
	Inside80   *answer.Percent `json:"inside_80_pct,omitempty" doc:"Share of results inside the 80% interval."`
	Inside90   *answer.Percent `json:"inside_90_pct,omitempty"`
	Inside95   *answer.Percent `json:"inside_95_pct,omitempty"`
	Error      *answer.Percent `json:"error_pct,omitempty" doc:"Total of absolute errors as a percentage of the actual total."`
	Bias       *answer.Percent `json:"bias_pct,omitempty" doc:"Actual minus forecast, as a percentage of the actual total."`
	MASE       *answer.Ratio   `json:"mase,omitempty" doc:"Mean absolute scaled error; below 1 is better than repeating the previous weeks."`
	Start      civil.Date      `json:"first_day"`
	End        civil.Date      `json:"last_day"`
}

// Overlap returns a note with the number of forecasts that share no day with another forecast. It returns "" if no
// forecasts share days.
func (p Accuracy) Overlap() string {
	if p.Separate == p.Judged {
		return ""
	}
	return fmt.Sprintf(" (%d without overlap)", p.Separate)
}

// Period is the length of a target's period.
type Period string

// The types of periods.
const (
	DailyPeriod     Period = "daily"
	WeeklyPeriod    Period = "weekly"
	MonthlyPeriod   Period = "monthly"
	QuarterlyPeriod Period = "quarterly"
)

// Periods lists the period types in the order in which targets are listed.
var Periods = []Period{MonthlyPeriod, QuarterlyPeriod, WeeklyPeriod, DailyPeriod}

// Status is the status of a target.
type Status string

// The statuses.
const (
	OnTrack  = Status(forecast.OnTrack)
	AtRisk   = Status(forecast.AtRisk)
	OffTrack = Status(forecast.Off)

	// A spend target is a limit.
	OverBudget   Status = "over_budget"
	WithinBudget Status = "within_budget"
	NearBudget   Status = "near_budget"

	Upcoming Status = "upcoming"
	UnderWay Status = "under_way"
	Met      Status = "met"
	Missed   Status = "missed"
	Unknown  Status = "unknown"
)

// around returns the calendar period of this type that contains the day.
func (t Period) around(day civil.Date) civil.Range {
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

// Counts returns the number of targets of each status, such as "2 on track, 1 over budget".
func Counts(rows []Row) string {
	count := map[Status]int{}
	for _, r := range rows {
		count[r.Status]++
	}
	var parts []string
	for _, s := range []Status{
		OnTrack, AtRisk, OffTrack, WithinBudget, NearBudget, OverBudget, Met, Missed, UnderWay, Unknown,
	} {
		name := strings.ReplaceAll(string(s), "_", " ")
		if s == OffTrack {
			name = "off track"
		}
		if n := count[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	return strings.Join(parts, ", ")
}
