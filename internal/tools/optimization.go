package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"assay/internal/answer"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

var Optimization = toolkit.Define(toolkit.Spec{
	Name:        "optimization",
	Title:       "Media mix model results",
	Description: "Media mix model (MMM): saturation, marginal ROAS and optimized allocation by channel. Requires an active model.",
	Model:       true,
}, runOptimization)

type optimizationParams struct {
	BudgetConstraint *float64 `json:"budget_constraint" min:"0" doc:"Total monthly budget."`
	Question         string   `json:"question" doc:"Question about the model's results."`
	answer.Shared
}

type OptimizationAnswer struct {
	answer.Opening
	Answer    string              `json:"answer,omitempty" doc:"Answer to the question, from the model's results."`
	Model     toolkit.ModelInfo   `json:"model"`
	Estimates answer.Estimates    `json:"estimates"`
	Metrics   toolkit.PlanMetrics `json:"metrics" doc:"For the optimized allocation of the monthly budget."`
	answer.Table[toolkit.MixRow]
	answer.Closing
}

func runOptimization(_ context.Context, c *toolkit.Call, p optimizationParams) (*OptimizationAnswer, error) {
	m, err := c.Model()
	if err != nil {
		return nil, err
	}
	budget := m.Spend()
	if p.BudgetConstraint != nil {
		if *p.BudgetConstraint == 0 {
			return nil, fault.Invalid("budget_constraint is 0: there is no budget to allocate").
				WithHint(`For current spend: {"budget_constraint":%.0f}`, m.Spend()/m.Months())
		}
		budget = *p.BudgetConstraint * m.Months()
	}
	plan, err := m.Plan(mix.Ask{Budget: budget})
	if err != nil {
		return nil, err
	}
	monthly := 1 / m.Months()
	a := &OptimizationAnswer{Model: c.ModelInfo(m), Estimates: toolkit.ModelEstimates(), Metrics: toolkit.PlanMetricsOf(c, m, plan, budget, monthly)}
	a.Period, a.Currency = c.Period(m.Window), c.Workspace.Currency
	a.Rows = toolkit.MixRows(m, plan, monthly)
	a.Summary = toolkit.PlanSummary(c, a.Metrics, plan, "per month")
	if strings.TrimSpace(p.Question) != "" {
		a.Answer = mixAnswer(c, p.Question, a)
		if c.View.Format == answer.SummaryFormat { // this format has no other text field
			a.Summary = a.Answer + " " + a.Summary
		}
	}
	toolkit.WarnPlan(c, &a.Closing, plan)
	c.WarnTests(&a.Closing, m)
	c.Suggest(&a.Closing, "optimize_budget", map[string]any{"total_budget": answer.Decimals(budget, 0)}, "Optimize a budget with spend limits by channel.")
	c.Suggest(&a.Closing, "performance", map[string]any{}, "Compare with attributed revenue by channel.")
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String(), Method: toolkit.MmmMethod}, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	return a, nil
}

// mixTopics maps topics to answers. A topic has word prefixes and phrases; the first topic that matches answers.
var mixTopics = []struct {
	words  []string
	answer func(*toolkit.Call, []toolkit.MixRow, *OptimizationAnswer) string
}{
	{[]string{"test", "experiment", "holdout", "prove", "learn"}, sayTests},
	{[]string{"trust", "reliab", "accura", "confiden", "fit", "valid", "certain", "uncertain", "how good", "how sure"}, sayTrust},
	{[]string{"saturat", "diminish", "headroom", "room", "ceiling", "maxed"}, saySaturation},
	{[]string{"carry", "carries", "adstock", "lag", "lags", "delay", "how long", "decay", "half life", "half-life"}, sayCarryOver},
	{[]string{"margin", "next dollar", "next euro", "next unit", "increment", "extra", "more", "scale", "scaling", "increas", "grow", "raise", "double"}, sayMarginal},
	{[]string{"less", "cut", "reduc", "decreas", "save", "saving", "lower", "pause", "stop", "drop"}, sayLess},
	{[]string{"budget", "shift", "realloc", "alloc", "optimi", "move", "best mix", "split", "divid", "should i spend", "should we spend"}, sayPlan},
	{[]string{"roas", "roi", "return", "effic", "best", "worst", "perform", "contribut", "share", "bring", "brought", "drive", "revenue", "profit", "work", "spend"}, sayReturns},
}

// mixAnswer answers a question from the answer's own values. It matches channels and topics by keyword. Without a match
// it lists the supported topics.
func mixAnswer(c *toolkit.Call, question string, a *OptimizationAnswer) string {
	text := strings.ToLower(answer.Clean(question))
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	about, without := mixChannels(words, a)
	named := len(about) > 0
	if !named && without != "" {
		return without
	}
	if !named {
		about = a.Rows
	}
	for _, t := range mixTopics {
		if slices.ContainsFunc(t.words, func(topic string) bool { return mentions(topic, text, words) }) {
			return strings.TrimSpace(t.answer(c, about, a) + " " + without)
		}
	}
	if named {
		return strings.TrimSpace(sayReturns(c, about, a) + " " + without)
	}
	return "The question was not understood. Ask about channels of the model: ROAS, marginal ROAS, saturation, " +
		"adstock (carryover), the effect of less or more spend, the optimized allocation, the next experiment, or the model fit."
}

// mentions reports whether a question has a word that begins with the topic, or contains it if it is a phrase.
func mentions(topic, text string, words []string) bool {
	if strings.ContainsAny(topic, " -") {
		return strings.Contains(text, topic)
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, topic) })
}

// mixChannels returns the model's channels that the words name, by channel or platform name, and a note on named
// channels that are not in the model.
func mixChannels(words []string, a *OptimizationAnswer) (about []toolkit.MixRow, without string) {
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
			without += " " + name + " is not in the model: it has too little spend."
		}
	}
	return about, strings.TrimLeft(without, " ")
}

// mixLines describes the first few channels.
func mixLines(rows []toolkit.MixRow, say func(toolkit.MixRow) string) string {
	const most = 5
	var lines []string
	for _, r := range rows[:min(most, len(rows))] {
		lines = append(lines, answer.ChannelName(r.Channel)+" "+say(r))
	}
	return strings.Join(lines, "; ") + "."
}

// sortedRows returns the rows, largest value first.
func sortedRows(rows []toolkit.MixRow, of func(toolkit.MixRow) float64) []toolkit.MixRow {
	return slices.SortedStableFunc(slices.Values(rows), func(a, b toolkit.MixRow) int { return cmp.Compare(of(b), of(a)) })
}

func ratios(e answer.Estimate[answer.Ratio]) string {
	return fmt.Sprintf("%s (%s to %s)", e.Value, e.Low, e.High)
}

func wholes(e answer.Estimate[answer.Percent]) string {
	return fmt.Sprintf("%s (%s to %s)", e.Value.Whole(), e.Low.Whole(), e.High.Whole())
}

func amounts(c *toolkit.Call, e answer.Estimate[answer.Money]) string {
	return fmt.Sprintf("%s (%s to %s)", c.Spelled(e.Value), c.Spelled(e.Low), c.Spelled(e.High))
}

func sayReturns(c *toolkit.Call, rows []toolkit.MixRow, _ *OptimizationAnswer) string {
	return "ROAS with 90% interval, and monthly incremental revenue: " + mixLines(sortedRows(rows, func(r toolkit.MixRow) float64 { return float64(r.ROAS.Value) }),
		func(r toolkit.MixRow) string {
			return ratios(r.ROAS) + ", " + c.Spelled(r.Incremental.Value) + " per month"
		})
}

func saySaturation(c *toolkit.Call, rows []toolkit.MixRow, _ *OptimizationAnswer) string {
	return "Saturation (marginal ROAS below average ROAS) with 90% interval: " +
		mixLines(sortedRows(rows, func(r toolkit.MixRow) float64 { return float64(r.Saturation.Value) }), func(r toolkit.MixRow) string {
			return wholes(*r.Saturation)
		})
}

func sayMarginal(c *toolkit.Call, rows []toolkit.MixRow, _ *OptimizationAnswer) string {
	return "Marginal ROAS, and monthly revenue change with 20% more spend, with 90% intervals: " +
		mixLines(sortedRows(rows, func(r toolkit.MixRow) float64 { return float64(r.MarginalROAS.Value) }),
			func(r toolkit.MixRow) string { return ratios(r.MarginalROAS) + ", " + amounts(c, *r.More) })
}

func sayLess(c *toolkit.Call, rows []toolkit.MixRow, _ *OptimizationAnswer) string {
	return "Monthly revenue change with 20% less spend, with 90% intervals, smallest loss first: " +
		mixLines(sortedRows(rows, func(r toolkit.MixRow) float64 { return float64(r.Less.Value) / max(float64(r.Spend), 1) }),
			func(r toolkit.MixRow) string {
				return amounts(c, *r.Less) + ", saving " + c.Spelled(answer.Money(mix.Step)*r.Spend)
			})
}

func sayPlan(c *toolkit.Call, rows []toolkit.MixRow, a *OptimizationAnswer) string {
	return fmt.Sprintf("Recommendation: %s (%s confidence, %s probability of more revenue). Optimized monthly allocation: ", a.Metrics.Advice, a.Metrics.Confidence, a.Metrics.BetterPct.Whole()) +
		mixLines(sortedRows(rows, func(r toolkit.MixRow) float64 { return max(float64(r.Proposed-r.Spend), float64(r.Spend-r.Proposed)) }),
			func(r toolkit.MixRow) string { return "from " + c.Spelled(r.Spend) + " to " + c.Spelled(r.Proposed) })
}

func sayCarryOver(c *toolkit.Call, rows []toolkit.MixRow, _ *OptimizationAnswer) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r toolkit.MixRow) bool { return r.CarryOver == nil })
	if len(rows) == 0 {
		return "The model has no adstock (carryover)."
	}
	return "Adstock (carryover): share of a week's effect that carries over to the next week, with 90% interval: " +
		mixLines(sortedRows(rows, func(r toolkit.MixRow) float64 { return float64(r.CarryOver.Value) }), func(r toolkit.MixRow) string {
			return wholes(*r.CarryOver)
		})
}

func sayTests(c *toolkit.Call, rows []toolkit.MixRow, a *OptimizationAnswer) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r toolkit.MixRow) bool { return r.ExperimentValue == nil || *r.ExperimentValue <= 0 })
	if a.Metrics.TestFirst == "" || len(rows) == 0 {
		return "No experiment would change the optimized allocation: it does not depend on the uncertainty of these channels."
	}
	return "Value of an experiment: monthly revenue that the optimized allocation gains from knowing a channel's return, before the cost of the experiment: " +
		mixLines(sortedRows(rows, func(r toolkit.MixRow) float64 { return float64(*r.ExperimentValue) }), func(r toolkit.MixRow) string { return c.Spelled(*r.ExperimentValue) })
}

func sayTrust(c *toolkit.Call, rows []toolkit.MixRow, a *OptimizationAnswer) string {
	return fmt.Sprintf("The model explains %.0f%% of the variance over %d weeks, and its sampler converged. Fit does not prove causality: "+
		"the widest intervals are the most uncertain, and only an experiment resolves them. ", 100*a.Model.R2, a.Model.Weeks) + testedSentence(a.Rows) + "ROAS by channel, widest interval first: " +
		mixLines(sortedRows(rows, func(r toolkit.MixRow) float64 { return float64(r.ROAS.High - r.ROAS.Low) }), func(r toolkit.MixRow) string { return ratios(r.ROAS) })
}

// testedSentence lists the channels whose experiments calibrate the model, "" if there are none.
func testedSentence(rows []toolkit.MixRow) string {
	var tested []string
	for _, r := range rows {
		if len(r.Tested) > 0 {
			tested = append(tested, answer.ChannelName(r.Channel)+" ("+strings.Join(r.Tested, ", ")+")")
		}
	}
	if len(tested) == 0 {
		return ""
	}
	return "It is calibrated with geo experiments on " + answer.Listed(tested) + ". "
}
