package tools

import (
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/toolkit"
)

// The rows have the contribution rates that the allocation maximizes: those of `performance` for the same days.
func TestRowsHaveTheContributionMarginOfTheirChannel(t *testing.T) {
	t.Parallel()
	s, err := toolkit.NewService(fixtureDeps(t), All())
	if err != nil {
		t.Fatal(err)
	}
	ws := newWorkspace("full")
	own := measure.CostRules{}.With(measure.CostRule{Kind: measure.GrossMargin, Channel: "facebook", Share: 200_000})
	for _, costs := range []measure.CostRules{nil, own} {
		ws.Costs, ws.Version = costs, ws.Version+1 // answers are cached by version
		session := s.Session(reader(ws), "r1")
		a := decoded[OptimizationAnswer](t, callAs(t, session, "optimization", `{"detail_level":"analyst"}`).StructuredContent)
		margins := map[answer.Percent]bool{}
		for _, r := range a.Rows {
			p := decoded[PerformanceAnswer](t, callAs(t, session, "performance",
				`{"channel":"`+string(r.Channel)+`","start_date":"2026-02-08","end_date":"2026-03-09","detail_level":"analyst"}`).StructuredContent)
			if r.MarginPct == nil || p.Metrics.MarginPct == nil || *r.MarginPct != *p.Metrics.MarginPct.Value {
				t.Fatalf("costs %v: the margin of %s is %v, in performance %v", costs, r.Channel, r.MarginPct, p.Metrics.MarginPct)
			}
			margins[*r.MarginPct] = true
		}
		if want := 1 + len(costs); len(margins) != want || len(a.Rows) != 2 {
			t.Errorf("costs %v: %d channels with margins %v, want 2 with %d margins", costs, len(a.Rows), margins, want)
		}
	}
}

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
