package tools

import (
	"context"

	"assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/pacing"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Forecasting is the `forecasting` tool.
var Forecasting = toolkit.Define(toolkit.Spec{
	Name:        "forecasting",
	Title:       "Forecast and pacing",
	Description: "Forecasts with prediction intervals, pacing against targets, budget recommendations and drift alerts.",
	Needs:       "orders",
	Reads:       snapshot.Wants{Forecasts: true, AlertEvents: true},
}, runForecasting)

func runForecasting(ctx context.Context, c *toolkit.Call, p forecastingParams) (*ForecastingAnswer, error) {
	channel, err := c.Channel(p.Channel)
	if err != nil {
		return nil, err
	}
	if p.Aspect == "" {
		p.Aspect = PacingAspect
	}
	a := &ForecastingAnswer{Aspect: p.Aspect, Channel: channel, PeriodType: p.PeriodType}
	a.Currency, a.Rows = c.Workspace.Currency, []pacing.Row{}
	switch p.Aspect {
	case PacingAspect:
		err = paceGoals(ctx, c, a)
	case TargetsAspect:
		err = listTargets(ctx, c, a)
	case AlertsAspect:
		err = alerts(ctx, c, a)
	case RecommendationsAspect:
		err = recommend(ctx, c, a)
	}
	if err != nil {
		return nil, err
	}
	if c.RevenueUnknown(channel) {
		c.WarnUntouched(&a.Closing, c.LastDays(activeDays), channel)
	}
	c.WarnStale(&a.Closing, c.LastDays(activeDays))
	quality := answer.DataQuality{Revenue: c.Workspace.Basis.String(), Method: forecastMethod}
	switch {
	case p.Aspect == RecommendationsAspect:
		quality.Method = toolkit.MmmMethod
	case channel != "":
		quality.Model = measure.LastTouch
	}
	c.Describe(&a.Closing, quality, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend, "targets")
	return a, nil
}

// recommend adds the optimized allocation of the current spend from the media mix model. The `optimization` tool gives
// more detail.
func recommend(ctx context.Context, c *toolkit.Call, a *ForecastingAnswer) error {
	if _, err := c.Model(); err != nil {
		return err
	}
	current, err := c.CurrentPlan(ctx)
	if err != nil {
		return err
	}
	m, plan := current.Model, current.Plan
	monthly := 1 / m.Months()
	a.Period = c.Period(m.Window)
	for _, r := range current.Start.MixRows(m, plan, monthly) {
		if a.Channel == "" || r.Channel == a.Channel {
			a.Rows = append(a.Rows, pacing.Row{Metric: snapshot.Spend, Channel: r.Channel, PeriodType: pacing.MonthlyPeriod, Spend: &r.Spend, Proposed: &r.Proposed})
		}
	}
	a.Summary = toolkit.PlanSummary(c, current.Start.Metrics(c, m, plan, current.Budget, monthly), plan, 0)
	if len(a.Rows) == 0 {
		a.Warn(answer.WarnNoData, "The MMM does not include "+answer.ChannelName(a.Channel)+".")
	}
	toolkit.WarnPlan(c, &a.Closing, plan)
	c.Suggest(&a.Closing, "optimization", map[string]any{}, "Compare ROAS, saturation and other budgets.")
	return nil
}

// forecastMethod names the forecast and alert methods.
const forecastMethod = "A forecast is the mean of the forecasts of ETS, ARIMA and two Theta models, multiplied by yearly seasonal factors. The models are fitted to the last two years of daily data. Models with a large backtest error are excluded. " +
	"The intervals of totals are conformal prediction intervals. Alerts come from a CUSUM of one-step forecast errors. See methods/forecast and methods/anomalies."
