package toolkit

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/warehouse"
)

// Contributions returns the store's contribution in two windows. The contribution of an earlier window is unknown if
// the window starts before the store's first order.
func (c *Call) Contributions(ctx context.Context, in warehouse.Windows) (both warehouse.Pair[snapshot.Contribution], err error) {
	if both.Recent, err = c.Contribution(ctx, in.Recent); err != nil {
		return both, err
	}
	if in.Earlier.Days() > 0 && both.Recent.Known() && c.Store.Covers(in.Earlier, snapshot.FromOrders) {
		both.Earlier, err = c.Contribution(ctx, in.Earlier)
	}
	return both, err
}

// ProfitMetrics contains the profit metrics of a window and of the window that it is compared with. They are absent if
// too few costs are known.
type ProfitMetrics struct {
	Contribution *answer.Metric[answer.Money]  `json:"contribution,omitempty" detail:"analyst" doc:"Contribution before ad spend. Contribution of a channel: revenue × contribution rate of the store."`
	AfterSpend   *answer.Metric[answer.Money]  `json:"contribution_after_spend,omitempty" doc:"Contribution minus ad spend."`
	BreakEven    *answer.Metric[answer.Ratio]  `json:"break_even_roas,omitempty" detail:"analyst" doc:"ROAS at which contribution equals ad spend."`
	MarginPct    *answer.Share[answer.Percent] `json:"contribution_margin_pct,omitempty" detail:"analyst" doc:"Contribution as a percentage of revenue, before ad spend."`
	MER          *answer.Metric[answer.Ratio]  `json:"mer,omitempty" detail:"analyst" doc:"Marketing efficiency ratio: revenue of the store divided by ad spend."`
	POAS         *answer.Metric[answer.Ratio]  `json:"poas,omitempty" detail:"analyst" doc:"Contribution divided by ad spend."`
}

// ProfitMetrics returns the profit metrics of a channel's totals, or of the store's totals for an empty channel. The
// spend of an earlier window is unknown if the window starts before the first day with spend data, as in
// [Call.StoreMetrics].
func (c *Call) ProfitMetrics(now, before snapshot.Total, both warehouse.Pair[snapshot.Contribution], channel measure.Channel) ProfitMetrics {
	f := c.Figures
	before.SpendKnown = before.SpendKnown && c.Store.Covers(both.Earlier.Days, snapshot.FromAds, snapshot.FromSpend)
	recent, earlier := profitOf(f, now, both.Recent, channel), profitOf(f, before, both.Earlier, channel)
	if recent.contribution == nil {
		return ProfitMetrics{}
	}
	return ProfitMetrics{
		Contribution: new(answer.MetricOfKnown(recent.contribution, earlier.contribution)),
		AfterSpend:   optional(recent.after, earlier.after), BreakEven: optional(recent.breakEven, earlier.breakEven),
		MarginPct: new(answer.ShareOf(recent.margin, earlier.margin)),
		MER:       optional(recent.mer, earlier.mer), POAS: optional(recent.poas, earlier.poas),
	}
}

func optional[T ~float64](value, previous *T) *answer.Metric[T] {
	if value == nil {
		return nil
	}
	return new(answer.MetricOfKnown(value, previous))
}

// profit is the contribution of one window; nil figures are unknown.
type profit struct {
	contribution, after  *answer.Money
	breakEven, mer, poas *answer.Ratio
	margin               *answer.Percent
}

func profitOf(f answer.Figures, t snapshot.Total, c snapshot.Contribution, channel measure.Channel) (p profit) {
	rate, known := c.ChannelRate(channel)
	if !known || t.RevenueUnknown {
		return p
	}
	minor := float64(c.Amount())
	if channel != "" {
		minor = rate * float64(f.Basis.Revenue(t.Sums))
	}
	p.contribution, p.margin = f.PerMinor(minor, true), new(answer.Percent(100*rate))
	p.breakEven = answer.RatioOf(c.BreakEvenROAS(channel))
	if !t.SpendKnown {
		return p
	}
	p.after = f.PerMinor(minor-float64(t.Spend), true)
	if t.Spend > 0 {
		p.poas = new(answer.Ratio(minor / float64(t.Spend)))
		if channel == "" {
			p.mer = f.ROAS(t.Sums, t.Spend)
		}
	}
	return p
}

// AfterSpend returns the contribution after spend of a channel: its revenue times the contribution rate, minus its
// spend. It is nil if the rate is unknown.
func AfterSpend(f answer.Figures, c snapshot.Contribution, channel measure.Channel, revenue, spend int64) *answer.Money {
	rate, known := c.ChannelRate(channel)
	return f.PerMinor(rate*float64(revenue)-float64(spend), known)
}

// CostsSentence describes the costs behind the contribution of a window, or the missing data.
func (c *Call) CostsSentence(p snapshot.Contribution) string {
	units := answer.Percent(100 * p.Coverage())
	if c.View.DetailLevel == answer.SummaryLevel && p.Known() {
		return fmt.Sprintf("costs known for %s of units", units)
	}
	var text string
	switch p.CostBasis() {
	case measure.CostsUnknown:
		return fmt.Sprintf("contribution unknown: costs known for %s of units. Import a table of SKUs and costs, or enter a gross margin with assay costs set", units)
	case measure.UnitCosts:
		text = "unit costs of all products"
	case measure.ExtendedCosts:
		text = fmt.Sprintf("unit costs known for %s of units; their cost rate applied to the other units", units)
	case measure.MixedCosts:
		text = fmt.Sprintf("unit costs known for %s of units; entered gross margin for some of the other units; mean cost rate of both groups applied to the remaining units", units)
	case measure.CostsAndMargin:
		text = fmt.Sprintf("unit costs known for %s of units; entered gross margin for the other units", units)
	case measure.EnteredMargin:
		text = "entered gross margin"
	}
	var missing []string
	for kind, name := range map[measure.CostKind]string{measure.PaymentFee: "payment fees", measure.Shipping: "shipping cost"} {
		if !c.Workspace.Costs.Has(kind, p.Days.Last) {
			missing = append(missing, name)
		}
	}
	SortBy(missing, func(name string) float64 { return float64(len(name)) })
	if len(missing) > 0 {
		text += "; without " + strings.Join(missing, " and ") + " (not entered)"
	}
	return text
}

// PlanStart contains the spend from which an allocation starts, and the contribution rates of the store.
type PlanStart struct {
	Current map[measure.Channel]float64 // per window of the model; nil: the spend of the window
	Days    civil.Range                 // days of the spend
	Rates   map[measure.Channel]float64 // nil: unknown
	Profit  snapshot.Contribution       // contribution of the same days
}

// startDays is the number of days before today from which the starting spend of an allocation is computed.
const startDays = 30

// PlanStart returns the spend of the last 30 days, scaled to the model's window, and the contribution rates of these
// days. Without spend in these days, an allocation starts from the spend of the window.
func (c *Call) PlanStart(ctx context.Context, m *mix.Model) (start PlanStart, err error) {
	start.Days = c.LastDays(startDays)
	if start.Profit, err = c.Contribution(ctx, start.Days); err != nil {
		return start, err
	}
	totals, err := c.LastTouchTotals(ctx, warehouse.Windows{Recent: start.Days}, "")
	if err != nil {
		return start, err
	}
	scale := float64(m.Window.Days()) / startDays
	recent, spent := map[measure.Channel]float64{}, 0.0
	for _, t := range totals.Recent {
		recent[t.Channel] = scale * float64(c.Figures.Money(t.Spend))
	}
	for _, channel := range m.Posterior().Channels() {
		spent += recent[channel]
		if rate, known := start.Profit.ChannelRate(channel); known {
			if start.Rates == nil {
				start.Rates = map[measure.Channel]float64{}
			}
			start.Rates[channel] = rate
		}
	}
	if spent > 0 {
		start.Current = recent
		return start, nil
	}
	start.Days = m.Window
	return start, nil
}

// Spend returns the current spend of a channel, from which the allocation starts, per window of the model.
func (s PlanStart) Spend(m *mix.Model, channel measure.Channel) float64 {
	if s.Current == nil {
		return m.Posterior().Spend(channel)
	}
	return s.Current[channel]
}

// Budget returns the total spend of the model's channels at the start of the allocation, per window of the model.
func (s PlanStart) Budget(m *mix.Model) (total float64) {
	for _, channel := range m.Posterior().Channels() {
		total += s.Spend(m, channel)
	}
	return total
}

// PlanProfit is the effect of an allocation on the contribution after spend.
type PlanProfit struct {
	Change       *answer.Estimate[answer.Money] `json:"expected_contribution_change,omitempty" doc:"Change of contribution after spend, compared with current spend."`
	PaysPct      *answer.Percent                `json:"pays_pct,omitempty" doc:"Probability that contribution after spend rises."`
	BreakEven    *answer.Ratio                  `json:"break_even_roas,omitempty" detail:"analyst" doc:"Marginal ROAS below which spend loses money."`
	Reallocation *answer.Estimate[answer.Money] `json:"reallocation_contribution_change,omitempty" detail:"analyst" doc:"Part of the change that comes from reallocating current spend."`
	Budget       *answer.Estimate[answer.Money] `json:"budget_contribution_change,omitempty" detail:"analyst" doc:"Part of the change that comes from the changed budget."`
	BudgetChange
}

// BudgetChange is the advice on a budget that differs from current spend. It compares the model's allocation of the
// budget with the model's allocation of current spend.
type BudgetChange struct {
	BudgetPays   *answer.Percent `json:"budget_pays_pct,omitempty" doc:"Probability that the changed budget raises contribution after spend, compared with current spend."`
	BudgetAdvice BudgetAdvice    `json:"budget_advice,omitempty" doc:"raise, lower: change the budget; keep: stay at current spend."`
	BudgetWhy    string          `json:"budget_why,omitempty" detail:"analyst" doc:"Why the budget should stay at current spend."`
}

// BudgetAdvice is the recommendation for a budget that differs from current spend.
type BudgetAdvice string

// The recommendations.
const (
	RaiseBudget BudgetAdvice = "raise"
	LowerBudget BudgetAdvice = "lower"
	KeepBudget  BudgetAdvice = "keep"
)

// BudgetChangeOf returns the advice on the budget of an allocation. The advice is empty if the budget equals current
// spend or if the budget's effect on contribution after spend is unknown.
func BudgetChangeOf(plan *mix.Plan) (out BudgetChange) {
	p := plan.Profit
	if p == nil || p.Budget == nil {
		return out
	}
	out.BudgetPays, out.BudgetWhy = new(answer.Percent(100*p.BudgetPays)), p.BudgetWhyNot()
	switch {
	case out.BudgetWhy != "":
		out.BudgetAdvice = KeepBudget
	case plan.Times > 1:
		out.BudgetAdvice = RaiseBudget
	default:
		out.BudgetAdvice = LowerBudget
	}
	return out
}

// Sentence states the advice with its probability. It returns "" if there is no advice. The amount is the difference
// from current spend.
func (b BudgetChange) Sentence(more bool, amount string) string {
	if b.BudgetAdvice == "" {
		return ""
	}
	budget, change := "Less budget", "saving "+amount
	if more {
		budget, change = "More budget", "the additional "+amount
	}
	if b.BudgetAdvice != KeepBudget {
		return fmt.Sprintf("%s is advised: the probability that %s is profitable is %s.", budget, change, b.BudgetPays.Whole())
	}
	return fmt.Sprintf("%s is not advised: the probability that %s is profitable is %s, %s.", budget, change, b.BudgetPays.Whole(), b.BudgetWhy)
}

// ProfitOf returns the effect of an allocation on contribution after spend. The parameter times is the factor that scales
// amounts from the window to the answer's period.
func (s PlanStart) ProfitOf(plan *mix.Plan, times float64) PlanProfit {
	out := s.profitOf(plan.Profit, times)
	out.BudgetChange = BudgetChangeOf(plan)
	return out
}

func (s PlanStart) profitOf(p *mix.Profit, times float64) (out PlanProfit) {
	if p == nil {
		return out
	}
	out.Change, out.PaysPct = new(Posterior[answer.Money](p.Change, times)), new(answer.Percent(100*p.Pays))
	out.BreakEven = answer.RatioOf(s.Profit.BreakEvenROAS(""))
	if p.Reallocation != nil {
		out.Reallocation, out.Budget = new(Posterior[answer.Money](*p.Reallocation, times)), new(Posterior[answer.Money](*p.Budget, times))
	}
	return out
}

// ProfitSummary states the effect of an allocation on the contribution after spend. It separates the effects of the
// reallocation and of the changed budget. It returns "" if the effect is unknown. The parameter per is the time unit of
// the amounts after a space; it may be empty.
func (c *Call) ProfitSummary(p PlanProfit, per string) string {
	if p.Change == nil {
		return ""
	}
	text := fmt.Sprintf(" Contribution after spend changes by %s (90%% interval %s to %s; probability of a gain %s)", signed(c, p.Change.Value)+per,
		signed(c, p.Change.Low), signed(c, p.Change.High), p.PaysPct.Whole())
	if p.Reallocation != nil {
		text += fmt.Sprintf(". Parts: reallocation %s, budget change %s", signed(c, p.Reallocation.Value), signed(c, p.Budget.Value))
	}
	return text + "."
}

// WarnProfit warns of an allocation that is expected to lower the contribution after spend.
func (c *Call) WarnProfit(a *answer.Closing, m PlanMetrics) {
	p := m.PlanProfit
	switch {
	case p.Change == nil || p.Change.Value >= 0:
		return
	case p.Budget != nil && p.Budget.Value < 0 && p.BreakEven != nil:
		spend := "The ROAS of the additional spend is lower"
		if m.Budget < m.CurrentSpend {
			spend = "The ROAS of the saved spend is higher"
		}
		a.Warn(answer.WarnLosesMoney, fmt.Sprintf("Contribution after spend is expected to be %s lower than at current spend. %s than the break-even ROAS of %s.",
			c.Spelled(-p.Change.Value), spend, *p.BreakEven))
	default:
		a.Warn(answer.WarnLosesMoney, fmt.Sprintf("The allocation is expected to lower contribution after spend by %s.", c.Spelled(-p.Change.Value)))
	}
}

// Ask adds the current spend and the contribution rates to a request.
func (s PlanStart) Ask(ask mix.Ask) mix.Ask {
	ask.Current, ask.Rates = s.Current, s.Rates
	return ask
}

// Metrics returns the expected results of an allocation that starts from this spend; see [PlanMetricsOf].
func (s PlanStart) Metrics(c *Call, m *mix.Model, plan *mix.Plan, budget, times float64) PlanMetrics {
	out := PlanMetricsOf(c, m, plan, budget, times)
	out.PlanProfit, out.SpendFrom = s.ProfitOf(plan, times), s.Days.String()
	return out
}

// BreakEvenWords returns the break-even ROAS in parentheses, to follow a ROAS: " (break-even 1.53)". It returns "" if
// the break-even ROAS is unknown.
func BreakEvenWords(m ProfitMetrics) string {
	if m.BreakEven == nil {
		return ""
	}
	return fmt.Sprintf(" (break-even %s)", *m.BreakEven.Value)
}
