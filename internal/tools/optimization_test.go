package tools

import (
	"strings"
	"testing"
)

// The summary uses the topic with the most words in the question. The rows contain all channels.
func TestTheSummaryAnswersTheQuestion(t *testing.T) {
	t.Parallel()
	channels := len(answerAs[OptimizationAnswer](t, "optimization", `{}`).Rows)
	for question, want := range map[string]string{
		"Should I move more budget to google?":          "Recommendation: ",
		"Where is the next dollar best spent?":          "Marginal ROAS, ",
		"Which channel can I cut to save money?":        "Monthly revenue change with 20% less spend",
		"What happens if I increase facebook by 50%?":   "Changes of spend are calculated for 20% only, not for 50%",
		"What if I raise google spend by 20 percent":    "Marginal ROAS, ",
		"Is facebook saturated or is there more room?":  "Saturation ",
		"Which channel has the best return on spend?":   "ROAS with its 90% interval, ",
		"How sure is the model, can I trust the fit?":   "The model explains ",
		"What is the best test, and what do we learn?":  "xperiment",
		"Which budget allocation has the best returns?": "Recommendation: ",
	} {
		a := answerAs[OptimizationAnswer](t, "optimization", `{"question":"`+question+`"}`)
		if !strings.Contains(a.Summary, want) {
			t.Errorf("%q is answered with %q, want %q", question, a.Summary, want)
		}
		if len(a.Rows) != channels {
			t.Errorf("%q: %d rows, want %d", question, len(a.Rows), channels)
		}
	}
}
