package measurement

import (
	"testing"

	answers "assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

// twoChannels returns an answer with a ROAS above 1 in all channels.
func twoChannels(profit toolkit.PlanProfit) *tools.OptimizationAnswer {
	a := &tools.OptimizationAnswer{Metrics: toolkit.PlanMetrics{PlanProfit: profit}}
	for _, channel := range []measure.Channel{"facebook", "google"} {
		a.Rows = append(a.Rows, toolkit.MixRow{
			Channel: channel, ROAS: answers.Estimate[answers.Ratio]{Value: 3, Low: 2, High: 4}, MarginalROAS: answers.Estimate[answers.Ratio]{Value: 2},
		})
	}
	return a
}

func TestModelsPageComparesReturnsWithBreakEven(t *testing.T) {
	t.Parallel()
	loss := &answers.Estimate[answers.Money]{Value: -100, Low: -200, High: -50}
	for _, c := range []struct {
		name              string
		profit            toolkit.PlanProfit
		certain, lead     string
		returns, tone     string
		fact              string
		responses, curves string
	}{
		{
			"costs are unknown",
			toolkit.PlanProfit{},
			"2 channels are clearly profitable.", "The ROAS interval (90%) is entirely above the break-even ROAS of 1.00 (an assumption, because costs are unknown) in 2 of 2 channels.",
			"Red: marginal ROAS is below 1. Costs are unknown, so Assay uses 1 as the break-even ROAS.", "good", "enter costs",
			"Marginal ROAS is below the break-even ROAS in 0 of 2 channels.", "Costs are unknown, so Assay uses 1 as the break-even ROAS.",
		},
		{
			"costs are known",
			toolkit.PlanProfit{Change: loss, BreakEven: new(answers.Ratio(2.5))},
			"No channel is clearly profitable.", "The ROAS interval (90%) is entirely above the break-even ROAS of 2.50 in 0 of 2 channels.",
			"Red: marginal ROAS is below the break-even ROAS of 2.50.", "bad", "2.50",
			"Marginal ROAS is below the break-even ROAS in 2 of 2 channels.", "The break-even ROAS is 2.50.",
		},
		{
			"unit costs are above the price",
			toolkit.PlanProfit{Change: loss},
			"No channel is clearly profitable.", "There is no break-even ROAS, because costs before ad spend are at least as high as revenue.",
			"All marginal ROAS values are red: there is no break-even ROAS, because costs before ad spend are at least as high as revenue.", "bad", "none",
			"Marginal ROAS is below the break-even ROAS in 2 of 2 channels.", "There is no break-even ROAS, because costs before ad spend are at least as high as revenue.",
		},
	} {
		a := twoChannels(c.profit)
		heading, lead := responsesText(a)
		for _, text := range []struct{ name, got, want string }{
			{"heading", certainty(a), c.certain},
			{"lead", summaryLead(a), c.lead},
			{"note of the returns", returnsNote(a), c.returns},
			{"tone of the marginal ROAS", returnTable(a).Rows[0].Cells[3].Tone, c.tone},
			{"fact", breakEvenFact(a, "acme").Value, c.fact},
			{"heading of the curves", heading, c.responses},
			{"lead of the curves", lead, c.curves + " In the gray areas, spend is above the range of the data, so the model extrapolates."},
		} {
			if text.got != text.want {
				t.Errorf("%s: %s is %q, want %q", c.name, text.name, text.got, text.want)
			}
		}
	}
}

func TestDesignsNeedSpendInTheTreatedRegions(t *testing.T) {
	t.Parallel()
	for _, spend := range []answers.Money{0, -0.01} {
		a := &tools.PreflightAnswer{Metrics: tools.PreflightMetrics{
			MDE: new(answers.Percent(5)), Revenue: new(answers.Money(900)), Spend: new(spend),
		}}
		for _, d := range designsOf(a, 1, "USD") {
			t.Errorf("spend %v: design %s with a minimum detectable ROAS of %s, want none", spend, d.Key, d.MDE)
		}
	}
}
