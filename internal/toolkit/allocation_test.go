package toolkit

import (
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/measure"
)

func TestGainDescribesRevenueChange(t *testing.T) {
	t.Parallel()
	c := &Call{Writer: answer.Writer{Figures: answer.Figures{Currency: "USD"}}}
	for _, test := range []struct {
		change answer.Estimate[answer.Money]
		want   string
	}{
		{answer.Estimate[answer.Money]{Value: 5007, Low: 1000, High: 9000}, "is expected to increase revenue by USD 5,007 compared with today (90% interval +USD 1,000 to +USD 9,000)"},
		{answer.Estimate[answer.Money]{Value: -5007, Low: -9000, High: -1000}, "is expected to reduce revenue by USD 5,007 compared with today (90% interval -USD 9,000 to -USD 1,000)"},
		{answer.Estimate[answer.Money]{Value: -5007, Low: -9000, High: 1000}, "has no clear benefit. The expected change of revenue is -USD 5,007 compared with today (90% interval -USD 9,000 to +USD 1,000)"},
		{answer.Estimate[answer.Money]{Value: 20, Low: -1000, High: 1040}, "has no clear benefit. The expected change of revenue is +USD 20.00 compared with today (90% interval -USD 1,000 to +USD 1,040)"},
		{answer.Estimate[answer.Money]{}, "does not change revenue"},
	} {
		if got := Gain(c, test.change, " compared with today"); got != test.want {
			t.Errorf("%+v:\n got %s\nwant %s", test.change, got, test.want)
		}
	}
}

func TestModelQuestionsMatchQuestionsByKeyword(t *testing.T) {
	t.Parallel()
	c := &Call{Writer: answer.Writer{Figures: answer.Figures{Currency: "USD"}}}
	row := func(channel measure.Channel, roas answer.Ratio) MixRow {
		return MixRow{
			Channel: channel, Spend: 100, ROAS: answer.Estimate[answer.Ratio]{Value: roas}, MarginalROAS: answer.Estimate[answer.Ratio]{Value: roas / 2}, Incremental: new(answer.Estimate[answer.Money]),
			Saturation: new(answer.Estimate[answer.Percent]), Less: new(answer.Estimate[answer.Money]), More: new(answer.Estimate[answer.Money]), CarryOver: &answer.Estimate[answer.Percent]{Value: 40}, ExperimentValue: new(answer.Money(7)),
		}
	}
	a := ModelResults{Model: ModelInfo{LeftOut: []string{"podcast"}}, Metrics: PlanMetrics{TestFirst: "google", Advice: "hold"}}
	a.Rows = []MixRow{row("facebook", 2), row("google", 3)}
	for _, test := range []struct{ question, begins, without string }{
		{"Which channel is the most profitable?", "ROAS with its 90% interval", ""},
		{"What is the ROAS of Meta?", "ROAS with its 90% interval, and monthly incremental revenue: facebook", "google"},
		{"What does my google spend return?", "ROAS with its 90% interval, and monthly incremental revenue: google", "facebook"},
		{"Which channel should we test next?", "Expected gain in monthly revenue if an experiment", ""},
		{"How long does an ad work?", "Adstock (carryover), the share of a week's effect", ""},
		{"How good is the fit?", "The model explains", ""},
		{"Is facebook saturated?", "Saturation (the percentage by which marginal ROAS is below average ROAS)", "google"},
		{"What if I cut google?", "Monthly revenue change with 20% less", "facebook"},
		{"How should I split the budget?", "Recommendation: hold", ""},
		{"Does podcast work?", "podcast is not in the model", "facebook"},
		{"Who are you?", "No answer matches the question", ""},
	} {
		got := AnswerAboutModel(c, test.question, a)
		if !strings.HasPrefix(got, test.begins) || test.without != "" && strings.Contains(got, test.without) {
			t.Errorf("%q: %s", test.question, got)
		}
	}
}
