package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/mix"
)

var optimization = define(mcp.Spec{
	Name:        "optimization",
	Title:       "Media mix results",
	Description: "What the media mix model says of saturation, marginal return and shifts between channels. Needs an active model.",
}, runOptimization)

type optimizationParams struct {
	BudgetConstraint *float64 `json:"budget_constraint" min:"0" doc:"Total monthly budget."`
	Question         string   `json:"question" doc:"What to know of the model's results."`
	shared
}

type optimizationAnswer struct {
	opening
	Answer    string      `json:"answer,omitempty" doc:"To the question, from the model's facts."`
	Model     modelInfo   `json:"model"`
	Estimates Estimates   `json:"estimates"`
	Metrics   planMetrics `json:"metrics" doc:"Of the best plan for the monthly budget."`
	table[mixRow]
	closing
}

// mixRow is what the model says of a channel; money is a month's.
type mixRow struct {
	Channel      measure.Channel    `json:"channel"`
	Spend        Money              `json:"monthly_spend"`
	Proposed     Money              `json:"proposed_monthly_spend"`
	Brought      *Estimate[Money]   `json:"monthly_contribution,omitempty" detail:"analyst" doc:"Revenue that would be missing without the channel."`
	SharePct     *Percent           `json:"share_pct,omitempty" detail:"analyst" doc:"Of all revenue in the window."`
	ROAS         Estimate[Ratio]    `json:"roas"`
	MarginalROAS Estimate[Ratio]    `json:"marginal_roas" doc:"Revenue of the next unit of money at today's spend."`
	Saturation   *Estimate[Percent] `json:"saturation_pct,omitempty" detail:"analyst" doc:"By how much the next unit of money brings less than the mean one."`
	Less         *Estimate[Money]   `json:"if_20_pct_less,omitempty" detail:"analyst" doc:"Change of monthly revenue."`
	More         *Estimate[Money]   `json:"if_20_pct_more,omitempty" detail:"analyst" doc:"Change of monthly revenue."`
	CarryOver    *Estimate[Percent] `json:"carry_over_pct,omitempty" detail:"analyst" doc:"Part of a week's effect that carries over to the next."`
	Worth        *Money             `json:"worth_of_experiment,omitempty" detail:"analyst" doc:"Monthly revenue that the best plan would gain if an experiment settled what the channel brings, before its cost."`
	Tested       []string           `json:"calibrated_by,omitempty" doc:"Experiments of the channel that the model was fitted to."`
	Unseen       bool               `json:"beyond_data,omitempty" doc:"The proposed spend is more than was ever spent."`
}

func runOptimization(_ context.Context, c *Call, p optimizationParams) (*optimizationAnswer, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	budget := m.Spend()
	if p.BudgetConstraint != nil {
		if *p.BudgetConstraint == 0 {
			return nil, fault.Invalid("budget_constraint is 0, which leaves nothing to divide").
				WithHint(`For current spend: {"budget_constraint":%.0f}`, m.Spend()/m.Months())
		}
		budget = *p.BudgetConstraint * m.Months()
	}
	plan, err := m.Plan(mix.Ask{Budget: budget})
	if err != nil {
		return nil, err
	}
	monthly := 1 / m.Months()
	a := &optimizationAnswer{Model: c.modelInfo(m), Estimates: modelEstimates(), Metrics: c.planMetrics(m, plan, budget, monthly)}
	a.Period, a.Currency = c.period(m.Window), c.Workspace.Currency
	a.Rows = mixRows(m, plan, monthly)
	a.Summary = c.planSummary(a.Metrics, plan, "a month")
	if strings.TrimSpace(p.Question) != "" {
		a.Answer = c.mixAnswer(p.Question, a)
		if c.view.Format == summaryFormat { // which shows no other field with text
			a.Summary = a.Answer + " " + a.Summary
		}
	}
	c.warnPlan(&a.closing, plan)
	c.warnTests(&a.closing, m)
	c.suggest(&a.closing, "optimize_budget", map[string]any{"total_budget": decimals(budget, 0)}, "Divide a budget with bounds by channel.")
	c.suggest(&a.closing, "performance", map[string]any{}, "See what orders credit the channels with, beside this.")
	c.describe(&a.closing, DataQuality{Revenue: c.Workspace.Basis.String(), Method: mmmMethod}, fromOrders, fromAds, fromSpend)
	return a, nil
}

// mixRows lists the channels, largest contribution first.
func mixRows(m *mix.Model, plan *mix.Plan, times float64) []mixRow {
	rows := make([]mixRow, 0, len(m.Effects))
	for _, e := range m.Effects {
		if e.ROAS == nil || e.MarginalROAS == nil {
			continue
		}
		reach := m.Reach(e.Channel)
		row := mixRow{
			Channel: e.Channel, Spend: Money(times * e.Spend), Brought: new(posterior[Money](e.Contribution, times)),
			SharePct: new(Percent(100 * e.Share.Mean)), ROAS: posterior[Ratio](*e.ROAS, 1), MarginalROAS: posterior[Ratio](*e.MarginalROAS, 1),
			Saturation: new(posterior[Percent](reach.Saturation, 100)), Less: new(posterior[Money](reach.Less, times)), More: new(posterior[Money](reach.More, times)),
			Tested: calibratedBy(m, e.Channel),
		}
		for _, one := range plan.Allocations {
			if one.Channel == e.Channel {
				row.Proposed, row.Unseen = Money(times*one.Proposed), one.Unseen
			}
		}
		if alpha, ok := e.Adstock["alpha"]; ok {
			row.CarryOver = new(posterior[Percent](alpha, 100))
		}
		for _, one := range plan.Advice.Experiments {
			if one.Channel == e.Channel {
				row.Worth = new(Money(times * one.Gain))
			}
		}
		rows = append(rows, row)
	}
	sortBy(rows, func(r mixRow) float64 { return -float64(r.Brought.Value) })
	return rows
}

// mixTopics are what a question can be about, by the beginnings of words that say so, or by phrases. The first that fits
// answers.
var mixTopics = []struct {
	words  []string
	answer func(*Call, []mixRow, *optimizationAnswer) string
}{
	{[]string{"test", "experiment", "holdout", "prove", "learn"}, (*Call).sayTests},
	{[]string{"trust", "reliab", "accura", "confiden", "fit", "valid", "certain", "uncertain", "how good", "how sure"}, (*Call).sayTrust},
	{[]string{"saturat", "diminish", "headroom", "room", "ceiling", "maxed"}, (*Call).saySaturation},
	{[]string{"carry", "carries", "adstock", "lag", "lags", "delay", "how long", "decay", "half life", "half-life"}, (*Call).sayCarryOver},
	{[]string{"margin", "next dollar", "next euro", "next unit", "increment", "extra", "more", "scale", "scaling", "increas", "grow", "raise", "double"}, (*Call).sayMarginal},
	{[]string{"less", "cut", "reduc", "decreas", "save", "saving", "lower", "pause", "stop", "drop"}, (*Call).sayLess},
	{[]string{"budget", "shift", "realloc", "alloc", "optimi", "move", "best mix", "split", "divid", "should i spend", "should we spend"}, (*Call).sayPlan},
	{[]string{"roas", "roi", "return", "effic", "best", "worst", "perform", "contribut", "share", "bring", "brought", "drive", "revenue", "profit", "work", "spend"}, (*Call).sayReturns},
}

// mixAnswer answers a question from the answer's own figures. It reads channels and topics by their words; what it
// cannot read it says, and what it can be asked.
func (c *Call) mixAnswer(question string, a *optimizationAnswer) string {
	text := strings.ToLower(clean(question))
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	about, without := c.mixChannels(words, a)
	named := len(about) > 0
	if !named && without != "" {
		return without
	}
	if !named {
		about = a.Rows
	}
	for _, t := range mixTopics {
		if slices.ContainsFunc(t.words, func(topic string) bool { return speaksOf(topic, text, words) }) {
			return strings.TrimSpace(t.answer(c, about, a) + " " + without)
		}
	}
	if named {
		return strings.TrimSpace(c.sayReturns(about, a) + " " + without)
	}
	return "The question was not understood. It can be about channels of the model and their returns, marginal returns, saturation, " +
		"carry-over, what less or more spend would do, the best split of the budget, what to test, or how far the model can be trusted."
}

// speaksOf reports whether a question has a word that begins with the topic, or holds it where that is a phrase.
func speaksOf(topic, text string, words []string) bool {
	if strings.ContainsAny(topic, " -") {
		return strings.Contains(text, topic)
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, topic) })
}

// mixChannels returns the channels of the model that the words name, by their own names or those of their platforms, and
// what to say of channels that are not in it.
func (c *Call) mixChannels(words []string, a *optimizationAnswer) (about []mixRow, without string) {
	names := map[measure.Channel]bool{}
	for i, w := range words {
		names[measure.ParseChannel(w)] = true
		if i > 0 {
			names[measure.ParseChannel(words[i-1]+" "+w)] = true
		}
	}
	for _, r := range a.Rows {
		if names[r.Channel] {
			about = append(about, r)
		}
	}
	for _, name := range a.Model.LeftOut {
		if names[measure.Channel(name)] {
			without += " " + name + " is not in the model: it had too little spend."
		}
	}
	return about, strings.TrimLeft(without, " ")
}

// mixLines says something of each channel, the first few of them.
func mixLines(rows []mixRow, say func(mixRow) string) string {
	const most = 5
	var lines []string
	for _, r := range rows[:min(most, len(rows))] {
		lines = append(lines, spoken(r.Channel)+" "+say(r))
	}
	return strings.Join(lines, "; ") + "."
}

// sortedRows returns the rows, largest figure first.
func sortedRows(rows []mixRow, of func(mixRow) float64) []mixRow {
	return slices.SortedStableFunc(slices.Values(rows), func(a, b mixRow) int { return cmp.Compare(of(b), of(a)) })
}

func ratios(e Estimate[Ratio]) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", e.Value, e.Low, e.High)
}

func (c *Call) amounts(e Estimate[Money]) string {
	return fmt.Sprintf("%s (%s to %s)", c.spelled(e.Value), c.spelled(e.Low), c.spelled(e.High))
}

func (c *Call) sayReturns(rows []mixRow, _ *optimizationAnswer) string {
	return "Revenue per unit of spend, with 90 % intervals: " + mixLines(sortedRows(rows, func(r mixRow) float64 { return float64(r.ROAS.Value) }),
		func(r mixRow) string { return ratios(r.ROAS) + ", " + c.spelled(r.Brought.Value) + " a month" })
}

func (c *Call) saySaturation(rows []mixRow, _ *optimizationAnswer) string {
	return "The next unit of money brings less than the mean one by, with 90 % intervals: " +
		mixLines(sortedRows(rows, func(r mixRow) float64 { return float64(r.Saturation.Value) }), func(r mixRow) string {
			return fmt.Sprintf("%.0f %% (%.0f to %.0f)", r.Saturation.Value, r.Saturation.Low, r.Saturation.High)
		})
}

func (c *Call) sayMarginal(rows []mixRow, _ *optimizationAnswer) string {
	return "Revenue of the next unit of spend, and change of monthly revenue with 20 % more, with 90 % intervals: " +
		mixLines(sortedRows(rows, func(r mixRow) float64 { return float64(r.MarginalROAS.Value) }),
			func(r mixRow) string { return ratios(r.MarginalROAS) + ", " + c.amounts(*r.More) })
}

func (c *Call) sayLess(rows []mixRow, _ *optimizationAnswer) string {
	return "Change of monthly revenue with 20 % less spend, with 90 % intervals; the least harm first: " +
		mixLines(sortedRows(rows, func(r mixRow) float64 { return float64(r.Less.Value) / max(float64(r.Spend), 1) }),
			func(r mixRow) string { return c.amounts(*r.Less) + ", saving " + c.spelled(Money(mix.Step)*r.Spend) })
}

func (c *Call) sayPlan(rows []mixRow, a *optimizationAnswer) string {
	return fmt.Sprintf("Advice: %s, with %s confidence and a %.0f %% chance of more revenue. By month: ", a.Metrics.Advice, a.Metrics.Confidence, a.Metrics.BetterPct) +
		mixLines(sortedRows(rows, func(r mixRow) float64 { return max(float64(r.Proposed-r.Spend), float64(r.Spend-r.Proposed)) }),
			func(r mixRow) string { return "from " + c.spelled(r.Spend) + " to " + c.spelled(r.Proposed) })
}

func (c *Call) sayCarryOver(rows []mixRow, _ *optimizationAnswer) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r mixRow) bool { return r.CarryOver == nil })
	if len(rows) == 0 {
		return "The model has no carry-over."
	}
	return "Part of a week's effect that carries over to the next, with 90 % intervals: " +
		mixLines(sortedRows(rows, func(r mixRow) float64 { return float64(r.CarryOver.Value) }), func(r mixRow) string {
			return fmt.Sprintf("%.0f %% (%.0f to %.0f)", r.CarryOver.Value, r.CarryOver.Low, r.CarryOver.High)
		})
}

func (c *Call) sayTests(rows []mixRow, a *optimizationAnswer) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r mixRow) bool { return r.Worth == nil || *r.Worth <= 0 })
	if a.Metrics.TestFirst == "" || len(rows) == 0 {
		return "No experiment would change the plan: what is not known of these channels does not decide how the budget is divided."
	}
	return "Revenue a month that the best plan would gain if an experiment settled what a channel brings, before its cost: " +
		mixLines(sortedRows(rows, func(r mixRow) float64 { return float64(*r.Worth) }), func(r mixRow) string { return c.spelled(*r.Worth) })
}

func (c *Call) sayTrust(rows []mixRow, a *optimizationAnswer) string {
	return fmt.Sprintf("The model explains %.0f %% of the variance of %d weeks and its sampler converged. That does not prove causes: "+
		"widest is what it knows least, and only an experiment settles it. ", 100*a.Model.R2, a.Model.Weeks) + testedSentence(a.Rows) + "Return by channel: " +
		mixLines(sortedRows(rows, func(r mixRow) float64 { return float64(r.ROAS.High - r.ROAS.Low) }), func(r mixRow) string { return ratios(r.ROAS) })
}

// testedSentence says which channels the model knows tests of; "" where it knows none.
func testedSentence(rows []mixRow) string {
	var tested []string
	for _, r := range rows {
		if len(r.Tested) > 0 {
			tested = append(tested, spoken(r.Channel)+" ("+strings.Join(r.Tested, ", ")+")")
		}
	}
	if len(tested) == 0 {
		return ""
	}
	return "It was fitted to tests by region of " + listed(tested) + ". "
}
