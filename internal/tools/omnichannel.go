package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/halo"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Omnichannel is the `omnichannel` tool.
var Omnichannel = toolkit.Define(toolkit.Spec{
	Name:        "omnichannel",
	Title:       "Sales surfaces and halo",
	Description: "Revenue by sales surface, and the halo effect of each channel's spend on other surfaces. The default period is the last 90 days.",
	Needs:       "orders",
	Reads:       snapshot.Wants{Experiments: true},
}, runOmnichannel)

type omnichannelParams struct {
	answer.Last90
	answer.Shared
}

// OmnichannelAnswer is the answer of the `omnichannel` tool.
type OmnichannelAnswer struct {
	answer.Opening
	Metrics   SurfaceMetrics `json:"metrics"`
	HaloModel *HaloModel     `json:"halo_model,omitempty" doc:"Absent when there is nothing to estimate."`
	Halo      []HaloEffect   `json:"halo" doc:"Revenue on surfaces that a channel does not target, strongest evidence first."`
	answer.Table[SurfaceRow]
	answer.Closing
}

// SurfaceMetrics are totals over all sales surfaces.
type SurfaceMetrics struct {
	Revenue    answer.Metric[answer.Money]  `json:"revenue"`
	Orders     answer.Metric[answer.Count]  `json:"orders"`
	AOV        answer.Metric[answer.Money]  `json:"aov"`
	NetRevenue *answer.Metric[answer.Money] `json:"net_revenue"`
	Halo       HaloCounts                   `json:"halo"`
}

// HaloCounts counts the effects of each kind. It is in answers at every level of detail.
type HaloCounts struct {
	Estimated    int `json:"estimated"`
	AboveZero    int `json:"above_zero" doc:"Effects with a 95% interval entirely above zero."`
	NotEstimable int `json:"not_estimable"`
}

// SurfaceRow is the revenue and orders of a surface.
type SurfaceRow struct {
	Surface   measure.Surface `json:"surface"`
	Revenue   answer.Money    `json:"revenue"`
	Share     *answer.Percent `json:"share_pct,omitempty"`
	Change    *answer.Percent `json:"revenue_change_pct,omitempty"`
	Orders    answer.Count    `json:"orders"`
	AOV       *answer.Money   `json:"aov,omitempty"`
	NewOrders *answer.Count   `json:"new_orders,omitempty" detail:"analyst"`
	Refunds   *answer.Money   `json:"refunds,omitempty" detail:"analyst"`
}

// HaloModel describes how the effects are estimated.
type HaloModel struct {
	Basis  measure.Basis  `json:"basis"`
	Grade  string         `json:"grade" doc:"Evidence of the coefficients: correlation, or correlation and experiments. Each effect has its own grade."`
	Level  answer.Percent `json:"level_pct" doc:"Level of every interval."`
	Start  civil.Date     `json:"start,omitzero" detail:"analyst"`
	End    civil.Date     `json:"end,omitzero" detail:"analyst"`
	Days   int            `json:"days,omitempty" detail:"analyst"`
	Method string         `json:"method,omitempty" detail:"analyst"`
	Seed   uint64         `json:"seed,omitempty" detail:"debug"`
	Draws  int            `json:"draws,omitempty" detail:"debug"`
}

// HaloEffect is the revenue that a channel's spend generates on a surface other than its target.
type HaloEffect struct {
	Channel     measure.Channel `json:"channel"`
	Surface     measure.Surface `json:"surface"`
	Coefficient *answer.Ratio   `json:"coefficient,omitempty" doc:"Revenue on the surface per unit of spend, averaged over the days. Absent when it cannot be estimated."`
	Low         *answer.Ratio   `json:"low,omitempty"`
	High        *answer.Ratio   `json:"high,omitempty"`
	Grade       string          `json:"grade,omitempty" detail:"analyst" doc:"correlation over time, experiment, or both."`
	Positive    *answer.Percent `json:"probability_positive_pct,omitempty" detail:"analyst"`
	Reason      halo.Reason     `json:"not_estimable,omitempty" doc:"surface_days_too_few, spend_days_too_few, spend_does_not_vary, moves_with_other_channels or lead_placebo_fails."`
	Revenue     *answer.Money   `json:"revenue_in_period,omitempty" detail:"analyst" doc:"Coefficient times the channel's spend in the period."`
	MeanLag     *answer.Ratio   `json:"mean_lag_days,omitempty" detail:"debug"`
	Inflation   *answer.Ratio   `json:"variance_inflation,omitempty" detail:"debug" doc:"Variance inflation factor: increase of the variance due to correlation between channels."`
	LeadZ       *answer.Ratio   `json:"lead_z,omitempty" detail:"debug" doc:"z-score of next week's spend on today's sales (placebo test); above 2.58 the effect is rejected."`
}

const haloShown = 3 // number of effects at the summary level

func runOmnichannel(ctx context.Context, c *toolkit.Call, p omnichannelParams) (*OmnichannelAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	in := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	totals, err := c.SurfaceTotals(ctx, in)
	if err != nil {
		return nil, err
	}
	a := &OmnichannelAnswer{Halo: []HaloEffect{}}
	a.ShowAll(true)
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	now, before := sumSurfaces(totals.Recent), sumSurfaces(totals.Earlier)
	a.Metrics = surfaceMetricsOf(c, now, before, days.Previous())
	if !c.Store.Covers(days.Previous(), snapshot.FromOrders) {
		totals.Earlier = nil
	}
	a.Rows = surfaceRows(c, totals, now)
	if len(a.Rows) == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
		c.Describe(&a.Closing, c.Quality("", snapshot.Total{Sums: now}), snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
		return a, nil
	}
	effects, err := showHalo(ctx, c, a, days)
	if err != nil {
		return nil, err
	}
	a.Summary = omnichannelSummary(c, a, days, effects)
	warnHalo(a, effects)
	c.WarnBefore(&a.Closing, days, false)
	c.WarnDays(&a.Closing, days, now.Undated, true)
	c.Suggest(&a.Closing, "performance", toolkit.Dated(days), "See attribution by channel across all surfaces.")
	c.Suggest(&a.Closing, "chart", toolkit.With(toolkit.With(toolkit.Dated(days), "metric", "revenue"), "granularity", "month"), "Chart the revenue of all surfaces.")
	c.Describe(&a.Closing, c.Quality("", snapshot.Total{Sums: now}), snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	return a, nil
}

func sumSurfaces(all []warehouse.SurfaceTotal) (sum measure.Sums) {
	for _, s := range all {
		sum = sum.Add(s.Sums)
	}
	return sum
}

func surfaceMetricsOf(c *toolkit.Call, now, before measure.Sums, earlier civil.Range) SurfaceMetrics {
	all := c.StoreMetrics(snapshot.Total{Sums: now}, snapshot.Total{Sums: before}, earlier)
	return SurfaceMetrics{Revenue: all.Revenue, Orders: all.Orders, AOV: all.AOV, NetRevenue: all.NetRevenue}
}

// surfaceRows lists the surfaces, largest revenue first.
func surfaceRows(c *toolkit.Call, totals warehouse.Pair[[]warehouse.SurfaceTotal], now measure.Sums) []SurfaceRow {
	f := c.Figures
	earlier := map[measure.Surface]measure.Sums{}
	for _, t := range totals.Earlier {
		earlier[t.Surface] = t.Sums
	}
	rows := make([]SurfaceRow, 0, len(totals.Recent))
	sorted := slices.SortedStableFunc(slices.Values(totals.Recent), func(s, t warehouse.SurfaceTotal) int {
		return cmp.Compare(f.Basis.Revenue(t.Sums), f.Basis.Revenue(s.Sums))
	})
	for _, t := range sorted {
		revenue := f.Basis.Revenue(t.Sums)
		rows = append(rows, SurfaceRow{
			Surface: t.Surface, Revenue: f.Money(revenue), Share: answer.PercentOf(measure.Share(revenue, f.Basis.Revenue(now))),
			Change: answer.PercentOf(measure.Change(float64(revenue), float64(f.Basis.Revenue(earlier[t.Surface])))),
			Orders: answer.Orders(t.Sums.Orders), AOV: f.AOV(t.Sums), NewOrders: new(answer.Orders(t.Sums.NewOrders)), Refunds: new(f.Money(t.Sums.Refunds)),
		})
	}
	return rows
}

// showHalo fills in the effects, strongest evidence first.
func showHalo(ctx context.Context, c *toolkit.Call, a *OmnichannelAnswer, window civil.Range) ([]halo.Effect, error) {
	found, err := c.HaloEffects(ctx, window)
	if err != nil || len(found.Effects) == 0 {
		return nil, err
	}
	effects := found.Effects
	slices.SortStableFunc(effects, func(x, y halo.Effect) int {
		return cmp.Or(cmp.Compare(len(x.Reason), len(y.Reason)), cmp.Compare(zScore(y), zScore(x)))
	})
	a.HaloModel = &HaloModel{
		Basis: measure.Modelled, Grade: "correlation", Level: 100 * snapshot.HaloLevel, Start: found.Days.First, End: found.Days.Last, Days: found.Days.Days(),
		Method: "A Bayesian distributed-lag regression of each surface's daily revenue estimates halo effects. See methods/halo.", Seed: snapshot.HaloSeed, Draws: snapshot.HaloDraws,
	}
	for i, e := range effects {
		a.Metrics.Halo.count(e)
		if e.Experiments > 0 {
			a.HaloModel.Grade = "correlation and experiments"
		}
		if i < haloShown || c.View.DetailLevel != answer.SummaryLevel {
			a.Halo = append(a.Halo, haloEffectOf(e, found.Spend[e.Channel]))
		}
	}
	return effects, nil
}

// zScore returns the estimate divided by its standard deviation.
func zScore(e halo.Effect) float64 {
	if e.SD == 0 {
		return 0
	}
	return e.Coefficient.Value / e.SD
}

func (n *HaloCounts) count(e halo.Effect) {
	switch {
	case e.Reason != "":
		n.NotEstimable++
	case e.Found():
		n.Estimated++
		n.AboveZero++
	default:
		n.Estimated++
	}
}

func haloEffectOf(e halo.Effect, spend float64) HaloEffect {
	row := HaloEffect{Channel: e.Channel, Surface: e.Surface, Reason: e.Reason}
	if e.Inflation > 0 && !math.IsInf(e.Inflation, 0) {
		row.Inflation, row.LeadZ = new(answer.Ratio(e.Inflation)), new(answer.Ratio(e.LeadZ))
	}
	if e.Reason == "" {
		row.Coefficient = new(answer.Ratio(e.Coefficient.Value))
		row.Low, row.High = new(answer.Ratio(e.Coefficient.Low)), new(answer.Ratio(e.Coefficient.High))
		row.Positive, row.MeanLag = new(answer.Percent(100*e.Positive)), new(answer.Ratio(e.MeanLag))
		row.Revenue, row.Grade = new(answer.Money(e.Coefficient.Value*spend)), "correlation"
		switch {
		case e.Alone:
			row.Grade, row.MeanLag = "experiment", nil
		case e.Experiments > 0:
			row.Grade = "both"
		}
	}
	return row
}

func omnichannelSummary(c *toolkit.Call, a *OmnichannelAnswer, days civil.Range, effects []halo.Effect) string {
	first := a.Rows[0]
	text := fmt.Sprintf("%s had revenue of %s %s, %s", answer.Plural(len(a.Rows), "surface", "surfaces"), c.Spelled(*a.Metrics.Revenue.Value), answer.Dates(days),
		answer.Against(a.Metrics.Revenue.ChangePct, days))
	if first.Share != nil {
		text += fmt.Sprintf(". The largest surface is %s with %s of this revenue", first.Surface, *first.Share)
	}
	text += "."
	n := a.Metrics.Halo
	switch {
	case len(effects) == 0:
		return text + " No halo effect can be estimated."
	case n.Estimated == 0:
		return text + fmt.Sprintf(" None of %s can be estimated.", answer.Plural(n.NotEstimable, "possible halo effect", "possible halo effects"))
	case n.AboveZero == 0:
		return text + fmt.Sprintf(" None of %s has a 95%% interval above zero. %d more cannot be estimated.", answer.Plural(n.Estimated, "estimated halo effect", "estimated halo effects"), n.NotEstimable)
	}
	e := effects[0]
	return text + fmt.Sprintf(" The clearest halo effect is %s on %s: %s in revenue per unit of spend (90%% interval %s to %s). %d of %d effects have a 95%% interval above zero.",
		answer.ChannelName(e.Channel), e.Surface, answer.Ratio(e.Coefficient.Value), answer.Ratio(e.Coefficient.Low), answer.Ratio(e.Coefficient.High), n.AboveZero, n.Estimated)
}

func warnHalo(a *OmnichannelAnswer, effects []halo.Effect) {
	switch {
	case len(effects) == 0 && len(a.Rows) < 2:
		a.Warn(answer.WarnHaloNotEstimable, "Only one sales surface has orders: import orders of other surfaces to estimate halo effects.")
	case len(effects) == 0:
		a.Warn(answer.WarnHaloNotEstimable, "No spend is recorded on days with orders: halo effects cannot be estimated.")
	case a.HaloModel.Grade == "correlation":
		a.Warn(answer.WarnCorrelational, "Halo effects are correlations over time, not experimental results. Confirm the largest effect with a geo experiment on its channel.")
	default:
		a.Warn(answer.WarnCorrelational, "Halo effects with the grade correlation are correlations over time. Effects with other grades also use geo experiments.")
	}
}
