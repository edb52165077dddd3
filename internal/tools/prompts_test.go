package tools

import (
	"regexp"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/toolkit"
)

// promptText returns the text of a prompt for a key of the full store.
func promptText(t *testing.T, name string, args map[string]string) string {
	t.Helper()
	r, err := fixtureService(t).Session(reader(newWorkspace("full")), "r1").GetPrompt(t.Context(), name, args)
	if err != nil || len(r.Messages) != 1 {
		t.Fatalf("%s %v: %v, %d messages", name, args, err, len(r.Messages))
	}
	return r.Messages[0].Content.Text
}

// listedPrompts returns the prompts for which all tools are implemented.
func listedPrompts(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, p := range fixtureService(t).Session(reader(newWorkspace("full")), "r1").ListPrompts() {
		names = append(names, p.Name)
		if p.Title == "" || p.Description == "" {
			t.Errorf("%s has no title or description", p.Name)
		}
		for _, a := range p.Arguments {
			if a.Required || a.Description == "" {
				t.Errorf("%s: argument %+v is required or has no description", p.Name, a)
			}
		}
	}
	return names
}

// promptCall matches a numbered line of a prompt: the tool and its arguments.
var promptCall = regexp.MustCompile(`(?m)^\d\. (\w+) (\{.*?\}): `)

func TestCallsOfPromptsSucceed(t *testing.T) {
	t.Parallel()
	names := listedPrompts(t)
	if len(names) < 6 {
		t.Errorf("prompts %q, want at least 6", names)
	}
	for _, name := range names {
		for _, args := range []map[string]string{nil, {"start_date": "2026-02-01", "end_date": "2026-02-28", "channel": "facebook", "week": "2026-02-18", "budget": "2,500", "creator": "Mira"}} {
			given := map[string]string{}
			for _, p := range fixtureService(t).Session(reader(newWorkspace("full")), "r1").ListPrompts() {
				for _, a := range p.Arguments {
					if p.Name == name && args[a.Name] != "" {
						given[a.Name] = args[a.Name]
					}
				}
			}
			text := promptText(t, name, given)
			calls := promptCall.FindAllStringSubmatch(text, -1)
			if len(calls) < 2 || strings.Count(text, "\n") != len(calls)+1 {
				t.Errorf("%s: %d calls in\n%s", name, len(calls), text)
			}
			for _, c := range calls {
				if strings.Contains(c[2], "<") { // an argument that an earlier step gives
					continue
				}
				if r := call(t, "full", c[1], c[2]); r.IsError {
					t.Errorf("%s: %s %s is rejected: %s", name, c[1], c[2], r.Content[0].Text)
				}
			}
		}
	}
}

func TestPromptsHaveTheirDatesAndArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args map[string]string
		want []string
	}{
		{toolkit.WeeklyReview, nil, []string{"2026-03-02 to 2026-03-08", `"period1_start":"2026-02-23"`, `"period1_end":"2026-03-01"`}}, // March 10 is a Tuesday
		{toolkit.WeeklyReview, map[string]string{"week": "2026-03-09"}, []string{"from 2026-03-09 to 2026-03-15"}},
		{toolkit.WeeklyReview, map[string]string{"week": "2026-03-08"}, []string{"from 2026-03-02 to 2026-03-08"}},
		{toolkit.WeeklyReview, map[string]string{"week": "the one before Easter"}, []string{`"the one before Easter": today is 2026-03-10`, "find the Monday and Sunday", "<monday before>"}},
		{toolkit.WeeklyReview, map[string]string{"channel": "email"}, []string{`"channel":"email"`}},
		{"revenue_change", nil, []string{"from 2026-02-08 to 2026-03-09, compared with 2026-01-09 to 2026-02-07"}},
		{"revenue_change", map[string]string{"end_date": "2026-02-28"}, []string{"from 2026-01-30 to 2026-02-28"}},
		{"next_budget", nil, []string{"USD 1,000 per month"}},
		{"next_budget", map[string]string{"budget": "2500"}, []string{"USD 2,500 per month"}},
		{"geo_experiment", map[string]string{"channel": "google"}, []string{`geo_experiment_preflight {"channel":"google"`}},
		{"geo_experiment", nil, []string{"<channel of step 1>"}},
		{"creator_review", map[string]string{"creator": "Mira\nignore"}, []string{`"Mira ignore"`}},
		{"data_check", nil, []string{`"model":"platform_reported"`}},
	} {
		text := promptText(t, c.name, c.args)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s %v: %q is missing in\n%s", c.name, c.args, want, text)
			}
		}
	}
}

func TestWrongArgumentsOfPromptsAreInvalid(t *testing.T) {
	t.Parallel()
	s := fixtureService(t).Session(reader(newWorkspace("full")), "r1")
	for _, c := range []struct {
		name string
		args map[string]string
	}{
		{toolkit.WeeklyReview, map[string]string{"month": "2026-02"}},
		{"revenue_change", map[string]string{"start_date": "2026-02-30"}},
		{"revenue_change", map[string]string{"start_date": "2026-02-02", "end_date": "2026-02-01"}},
		{"next_budget", map[string]string{"budget": "much"}},
		{"next_budget", map[string]string{"budget": "-5"}},
		{"next_budget", map[string]string{"budget": "NaN"}},
	} {
		if _, err := s.GetPrompt(t.Context(), c.name, c.args); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s %v: %v, want invalid", c.name, c.args, err)
		}
	}
	if _, err := s.GetPrompt(t.Context(), "nothing", nil); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("an unknown prompt: %v, want not found", err)
	}
}

func TestPromptsAreThoseOfTheCallersTools(t *testing.T) {
	t.Parallel()
	p := reader(newWorkspace("full"))
	p.Tools = []string{"compare", "trends", "campaigns"}
	s := fixtureService(t).Session(p, "r1")
	if prompts := s.ListPrompts(); len(prompts) != 1 || prompts[0].Name != toolkit.WeeklyReview {
		t.Errorf("prompts %+v, want the weekly review only", prompts)
	}
	if _, err := s.GetPrompt(t.Context(), "data_check", nil); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a prompt of other tools: %v, want not found", err)
	}
	p.Tools = []string{"propose_budget_shift", "campaigns", "optimization", "explain"}
	if prompts := fixtureService(t).Session(p, "r1").ListPrompts(); len(prompts) != 1 || prompts[0].Name != "budget_move" {
		t.Errorf("prompts %+v, want the budget move only", prompts)
	}
}

func TestTheDataDictionaryExplainsFigures(t *testing.T) {
	t.Parallel()
	r, err := fixtureService(t).Session(reader(newWorkspace("full")), "r1").ReadResource(t.Context(), "assay://data-dictionary")
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"revenue", "roas", "aov", "claimed_roas"} {
		if !strings.Contains(r.Text, "| `"+field+"` | ") {
			t.Errorf("%s is missing", field)
		}
	}
	if n := len(r.Text); n > 100_000 {
		t.Errorf("%d bytes", n)
	}
	if again, err := fixtureService(t).Session(reader(newWorkspace("full")), "r1").ReadResource(t.Context(), "assay://data-dictionary"); err != nil || again.Text != r.Text {
		t.Errorf("the second reading differs (%v)", err)
	}
}
