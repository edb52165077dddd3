package measurement

import (
	"slices"
	"strings"
	"testing"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
	"assay/internal/money"
	"assay/internal/toolkit"
)

func TestTheShiftOfTheHeadingExcludesTheChangeOfTheBudget(t *testing.T) {
	t.Parallel()
	whole := func(x float64) string { return money.Display(x, 0, "USD") }
	for _, c := range []struct {
		budget, facebook, google float64
		want                     string
	}{
		{10_000, 6100, 3900, "Shift $100 between channels and spend $10,000 in total: +$900 contribution after spend per month."},
		{2500, 1900, 600, "Shift $400 between channels and spend $2,500 in total: +$900 contribution after spend per month."},
		{5000, 2800, 2200, "Shift $200 between channels: +$900 contribution after spend per month."},
	} {
		var v optimizerView
		a := &allocation{Budget: c.budget, Spend: 5000, Advice: "shift", Profit: &interval{900, 100, 1700}, Rows: []allocated{
			{Channel: "facebook", Current: 3000, Proposed: c.facebook}, {Channel: "google", Current: 2000, Proposed: c.google},
		}}
		if c.budget != a.Spend {
			a.Change = &interval{2000, 500, 3500}
		}
		if v.headings(a, whole); v.Heading != c.want {
			t.Errorf("budget of %v: %q, want %q", c.budget, v.Heading, c.want)
		}
	}
}

func TestTheOptimizerPageStatesTheAdviceOnTheTotal(t *testing.T) {
	t.Parallel()
	whole := func(x float64) string { return money.Display(x, 0, "USD") }
	for _, c := range []struct {
		name          string
		budget        float64
		change        toolkit.BudgetChange
		heading, lead string
	}{
		{"no advice on the total", 6000, toolkit.BudgetChange{}, "Shift ", "Current spend is $5,000."},
		{
			"more is not advised", 6000,
			toolkit.BudgetChange{BudgetPays: new(answers.Percent(42)), BudgetAdvice: toolkit.KeepBudget, BudgetWhy: "below the required 60%"},
			"Keep the total budget at the current spend of $5,000 per month.",
			" More budget is not advised: the probability that the additional $1,000 per month is profitable is 42%, below the required 60%.",
		},
		{
			"more is advised", 6000,
			toolkit.BudgetChange{BudgetPays: new(answers.Percent(87)), BudgetAdvice: toolkit.RaiseBudget},
			"Shift ", " More budget is advised: the probability that the additional $1,000 per month is profitable is 87%.",
		},
		{
			"less is advised", 4500,
			toolkit.BudgetChange{BudgetPays: new(answers.Percent(87)), BudgetAdvice: toolkit.LowerBudget},
			"Shift ", " Less budget is advised: the probability that saving $500 per month is profitable is 87%.",
		},
	} {
		var v optimizerView
		v.headings(&allocation{Budget: c.budget, Spend: 5000, Advice: "shift", BudgetChange: c.change}, whole)
		if !strings.HasPrefix(v.Heading, c.heading) || !strings.HasSuffix(v.Lead, c.lead) {
			t.Errorf("%s: %q, %q; want %q and at the end %q", c.name, v.Heading, v.Lead, c.heading, c.lead)
		}
	}
}

// The weekly allocation is advised for its gain in the quantity that it maximizes.
func TestTheAdviceOnTheWeeksIsForContributionIfItIsKnown(t *testing.T) {
	t.Parallel()
	strong := mmm.Gain{Lift: stats.Summary{Mean: 50, Q05: 10, Q95: 90}, Better: 0.97, Base: 2000}
	weak := mmm.Gain{Lift: stats.Summary{Mean: 4, Q05: -20, Q95: 30}, Better: 0.6, Base: 1000}
	loss := mmm.Gain{Lift: stats.Summary{Mean: -3, Q05: -6, Q95: 1}, Better: 0.1, Base: -40}
	const vary, constant = " Recommendation: vary spend by week.", " Varying spend by week has no clear benefit. Recommendation: keep weekly spend constant."
	for _, c := range []struct {
		what     string
		gain     mmm.Gain
		weighted *mmm.Gain
		want     string
	}{
		{"costs are unknown", strong, nil, "The expected gain in incremental revenue over the best constant weekly spend is $50 (90% interval $10 to $90). This gain is 2.50% of the incremental revenue with constant spend. The probability of a gain is 97%." + vary},
		{"revenue rises and contribution hardly", strong, &weak, "The expected gain in contribution over the best constant weekly spend is $4 (90% interval −$20 to $30). This gain is 0.40% of the contribution from incremental revenue with constant spend. The probability of a gain is 60%." + constant},
		{"contribution rises and revenue hardly", weak, &strong, "The expected gain in contribution over the best constant weekly spend is $50 (90% interval $10 to $90). This gain is 2.50% of the contribution from incremental revenue with constant spend. The probability of a gain is 97%." + vary},
		{"goods cost more than their price", weak, &loss, "The expected gain in contribution over the best constant weekly spend is −$3 (90% interval −$6 to $1). The probability of a gain is 10%." + constant},
	} {
		s := scheduleView{plan: &weekPlan{Schedule: &mmm.Schedule{Gain: c.gain, Weighted: c.weighted}, Weeks: []civil.Date{civil.New(2026, 3, 2)}, Currency: "USD"}}
		if words := s.words(); !slices.Contains(words, c.want) {
			t.Errorf("%s: %q, want %q", c.what, words, c.want)
		}
	}
}

// TestAllocationFilesContainNoFormula checks that a spreadsheet does not run a channel's name.
func TestAllocationFilesContainNoFormula(t *testing.T) {
	t.Parallel()
	rows := allocationTable(&allocation{Rows: []allocated{{Channel: "=cmd"}}}, control.Workspace{Currency: "USD"})
	if len(rows) != 2 || rows[1][0] != "'=cmd" {
		t.Errorf("the file has %q", rows)
	}
}
