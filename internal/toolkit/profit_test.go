package toolkit_test

import (
	"math"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/measure/mix"
	"assay/internal/measure/stats"
	"assay/internal/toolkit"
)

// The amounts are per year; the answer is per month.
func TestProfitOfAPlan(t *testing.T) {
	t.Parallel()
	summary := func(mean float64) stats.Summary { return stats.Summary{Mean: mean, Q05: mean - 120, Q95: mean + 240} }
	call := callOf()
	for _, c := range []struct {
		name    string
		profit  *mix.Profit
		summary string
		warning string
	}{
		{"unknown costs", nil, "", ""},
		{"a gain", &mix.Profit{Change: summary(1200), Pays: 0.875}, " Contribution after spend changes by +USD 100.00 (90% interval +USD 90.00 to +USD 120.00; probability of a gain 88%).", ""},
		{"a loss", &mix.Profit{Change: summary(-1200), Pays: 0.1}, " Contribution after spend changes by -USD 100.00 (90% interval -USD 110.00 to -USD 80.00; probability of a gain 10%).", "The allocation is expected to lower contribution after spend by USD 100.00."},
	} {
		got := toolkit.PlanStart{}.ProfitOf(&mix.Plan{Profit: c.profit}, 1.0/12)
		if text := call.ProfitSummary(got, ""); text != c.summary {
			t.Errorf("%s: %q, want %q", c.name, text, c.summary)
		}
		var a answer.Closing
		call.WarnProfit(&a, toolkit.PlanMetrics{PlanProfit: got})
		var text []string
		for _, w := range a.Warnings {
			text = append(text, w.Text)
		}
		if strings.Join(text, " ") != c.warning {
			t.Errorf("%s: warns %q, want %q", c.name, text, c.warning)
		}
	}
	one := answer.Ratio(1.53)
	if got := toolkit.BreakEvenWords(toolkit.ProfitMetrics{}); got != "" {
		t.Errorf("an unknown break-even ROAS is %q", got)
	}
	if got := toolkit.BreakEvenWords(toolkit.ProfitMetrics{BreakEven: &answer.Metric[answer.Ratio]{Value: &one}}); got != " (break-even 1.53)" {
		t.Errorf("a break-even ROAS is %q", got)
	}
}

// The amounts are per year; the answer is per month. Current spend is USD 12,000 per year.
func TestAdviceOnABudgetFollowsItsProbability(t *testing.T) {
	t.Parallel()
	call := callOf()
	m := trained(call)
	spread := func(mean, q05 float64) *stats.Summary { return &stats.Summary{Mean: mean, Q05: q05, Q95: 2*mean - q05} }
	for _, c := range []struct {
		name     string
		times    float64
		pays     float64
		budget   *stats.Summary
		advice   toolkit.BudgetAdvice
		sentence string
	}{
		{"costs are unknown or the budget is unchanged", 2, 0, nil, "", ""},
		{"more, at the threshold", 2, 0.6, spread(600, -600), toolkit.RaiseBudget, "More budget is advised: the probability that the additional USD 1,000 per month is profitable is 60%."},
		{"more, below the threshold", 2, 0.42, spread(600, -600), toolkit.KeepBudget, "More budget is not advised: the probability that the additional USD 1,000 per month is profitable is 42%, below the required 60%."},
		{"more, with an expected loss", 2, 0.7, spread(0, -1200), toolkit.KeepBudget, "More budget is not advised: the probability that the additional USD 1,000 per month is profitable is 70%, but the expected gain is not positive."},
		{"more, with a large risk", 2, 0.7, spread(600, -601), toolkit.KeepBudget, "More budget is not advised: the probability that the additional USD 1,000 per month is profitable is 70%, but the loss exceeds the expected gain with a probability of 5%."},
		{"less, above the threshold", 0.75, 0.9, spread(600, 1), toolkit.LowerBudget, "Less budget is advised: the probability that saving USD 250.00 per month is profitable is 90%."},
		{"less, below the threshold", 0.75, 0.59, spread(-600, -900), toolkit.KeepBudget, "Less budget is not advised: the probability that saving USD 250.00 per month is profitable is 59%, below the required 60%."},
	} {
		plan := planOf(0.9, c.times)
		plan.Start = 12_000
		plan.Profit = &mix.Profit{Change: *spread(-1200, -2400), Reallocation: spread(-600, -1200), Budget: c.budget, BudgetPays: c.pays}
		if c.budget == nil {
			plan.Profit.Reallocation = nil
		}
		got := toolkit.PlanStart{}.Metrics(call, m, plan, c.times*plan.Start, 1.0/12)
		if got.BudgetAdvice != c.advice || (got.BudgetPays == nil) != (c.budget == nil) || got.BudgetPays != nil && math.Abs(float64(*got.BudgetPays)-100*c.pays) > 1e-9 {
			t.Errorf("%s: %+v, want %s with probability %v", c.name, got.BudgetChange, c.advice, c.pays)
		}
		recommendation := "Recommendation: shift (medium confidence)."
		if c.sentence != "" {
			recommendation += " " + c.sentence
		}
		if summary := toolkit.PlanSummary(call, got, plan, 0); !strings.HasSuffix(summary, recommendation) {
			t.Errorf("%s: %q, want at the end %q", c.name, summary, recommendation)
		}
		answered := toolkit.AnswerAboutModel(call, "How should I split the budget?", toolkit.ModelResults{Metrics: got})
		if !strings.HasSuffix(answered, c.sentence) || strings.Contains(answered, "advised") != (c.sentence != "") {
			t.Errorf("%s: %q, want at the end %q", c.name, answered, c.sentence)
		}
	}
}

// A smaller budget loses money if the return of the saved spend is above break-even.
func TestWarningsOfABudgetNameTheChangedSpend(t *testing.T) {
	t.Parallel()
	call := callOf()
	p := toolkit.PlanProfit{
		Change: &answer.Estimate[answer.Money]{Value: -100}, Budget: &answer.Estimate[answer.Money]{Value: -120}, BreakEven: new(answer.Ratio(1.5)),
	}
	for budget, want := range map[answer.Money]string{
		1200: "Contribution after spend is expected to be USD 100.00 lower than at current spend. The ROAS of the additional spend is lower than the break-even ROAS of 1.50.",
		800:  "Contribution after spend is expected to be USD 100.00 lower than at current spend. The ROAS of the saved spend is higher than the break-even ROAS of 1.50.",
	} {
		var a answer.Closing
		call.WarnProfit(&a, toolkit.PlanMetrics{Budget: budget, CurrentSpend: 1000, PlanProfit: p})
		if len(a.Warnings) != 1 || a.Warnings[0].Text != want {
			t.Errorf("a budget of %v: %+v, want %q", budget, a.Warnings, want)
		}
	}
}
