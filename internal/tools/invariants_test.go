package tools

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"assay/internal/answer"
	"assay/internal/toolkit"
)

// members lists the members that tools share, in the order in which an answer contains them.
var members = []string{
	"summary", "period", "currency", "metrics", "rows", "pagination", "truncated", "warnings", "next", "sources", "data_quality",
	"store_data_range",
}

// stores are the workspaces of the fixture.
var stores = []string{"full", "untouched", "orders", "loyal", "empty"}

// answering lists the read-only tools. They have parameters for the output format.
func answering() []toolkit.Tool {
	return slices.DeleteFunc(All(), func(t toolkit.Tool) bool { return t.Writes })
}

// argumentsOf encodes the arguments of a tool call: the required arguments and those in the parameter more.
func argumentsOf(tool string, more map[string]any) string {
	args := maps.Clone(more)
	if args == nil {
		args = map[string]any{}
	}
	maps.Copy(args, toolNamed(tool).Arguments)
	text, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func toolNamed(name string) toolkit.Tool {
	all := All()
	return all[slices.IndexFunc(all, func(t toolkit.Tool) bool { return t.Name == name })]
}

// refuses reports whether the tool returns an error for the store because it has no model. A golden file contains the
// error.
func refuses(store string, tool toolkit.Tool) bool {
	return store == "empty" && tool.Model
}

func TestEveryToolHasGoldenCases(t *testing.T) {
	t.Parallel()
	for _, tool := range All() {
		files, err := filepath.Glob("testdata/" + tool.Name + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		refusals := 0
		for _, f := range files {
			has[strings.TrimSuffix(filepath.Base(f), ".txtar")] = true
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "-- error.txt --") {
				refusals++
			}
		}
		if !has["defaults"] && !has["overview"] || !has["empty_store"] || refusals == 0 {
			t.Errorf("%s: cases %v, %d errors; want the defaults, an empty store and a wrong argument", tool.Name, has, refusals)
		}
	}
}

func TestWritingToolsDeclareTheirAction(t *testing.T) {
	t.Parallel()
	for _, tool := range All() {
		acts := tool.Acts.Argument != "" && tool.Acts.Scope != ""
		if acts != tool.Writes {
			t.Errorf("%s writes: %v, acts: %+v", tool.Name, tool.Writes, tool.Acts)
		}
	}
}

func TestDescriptionsAreShortSentences(t *testing.T) {
	t.Parallel()
	shouting := regexp.MustCompile(`\b(IMPORTANT|MUST|ALWAYS|NEVER)\b`)
	for _, tool := range All() {
		d := tool.Description
		if len(d) < 40 || len(d) > 240 || !strings.HasSuffix(d, ".") || shouting.MatchString(d) {
			t.Errorf("%s: description of %d characters: %q", tool.Name, len(d), d)
		}
	}
}

func TestAnswersHaveTheOrderAndStayInBudget(t *testing.T) {
	t.Parallel()
	for _, tool := range answering() {
		for lvl, tokens := range answer.Budgets {
			for i, store := range stores {
				if refuses(store, tool) || testing.Short() && i%2 > 0 {
					continue
				}
				r := call(t, store, tool.Name, argumentsOf(tool.Name, map[string]any{"detail_level": lvl}))
				if r.IsError {
					t.Errorf("%s at %s: %s", tool.Name, lvl, r.Content[0].Text)
					continue
				}
				text := r.Content[0].Text
				if text != string(r.StructuredContent) {
					t.Errorf("%s at %s: text and object differ", tool.Name, lvl)
				}
				if got := len(text) / answer.BytesPerToken; got > tokens {
					t.Errorf("%s at %s: about %d tokens, want at most %d", tool.Name, lvl, got, tokens)
				}
				checkOrderOfMembers(t, tool.Name, text)
			}
		}
	}
}

func checkOrderOfMembers(t *testing.T, tool, text string) {
	t.Helper()
	all, err := answer.MembersOf(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, m := range all {
		for i, name := range members {
			if name != m.Name {
				continue
			}
			if i < at {
				t.Errorf("%s: %s comes after %s", tool, name, members[at])
			}
			at = i
		}
	}
}

func TestCompactOmitsTheMetadata(t *testing.T) {
	t.Parallel()
	blocks := []string{"sources", "data_quality", "store_data_range"}
	for _, tool := range answering() {
		for _, format := range []string{"json", "csv"} {
			if testing.Short() && format == "csv" {
				continue
			}
			long := call(t, "full", tool.Name, argumentsOf(tool.Name, map[string]any{"format": format})).Content[0].Text
			short := call(t, "full", tool.Name, argumentsOf(tool.Name, map[string]any{"format": format, "compact": true})).Content[0].Text
			for _, b := range blocks {
				if !strings.Contains(long, b) || strings.Contains(short, b) {
					t.Errorf("%s as %s: %s is in the whole answer: %v, in the compact one: %v", tool.Name, format, b, strings.Contains(long, b), strings.Contains(short, b))
				}
			}
		}
	}
}

// The schemas are published in the OpenAPI document and the resources.
func TestAnswersMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	for _, tool := range answering() {
		var schema jsonschema.Schema
		if err := json.Unmarshal(tool.Result, &schema); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		for _, store := range stores {
			if refuses(store, tool) {
				continue
			}
			for lvl := range answer.Budgets {
				var value any
				if err := json.Unmarshal(call(t, store, tool.Name, argumentsOf(tool.Name, map[string]any{"detail_level": lvl})).StructuredContent, &value); err != nil {
					t.Fatal(err)
				}
				if err := resolved.Validate(value); err != nil {
					t.Errorf("%s of the %s store at %s: %v", tool.Name, store, lvl, err)
				}
			}
		}
	}
}

func TestSummaryFormatIsShortText(t *testing.T) {
	t.Parallel()
	for _, tool := range answering() {
		whole := call(t, "full", tool.Name, argumentsOf(tool.Name, nil))
		short := call(t, "full", tool.Name, argumentsOf(tool.Name, map[string]any{"format": "summary"}))
		if short.StructuredContent != nil || len(short.Content[0].Text) >= len(whole.Content[0].Text) || short.Content[0].Text == "" {
			t.Errorf("%s: format=summary gives %+v", tool.Name, short)
		}
	}
}

// Each next call must have complete arguments.
func TestNextCallsSucceed(t *testing.T) {
	t.Parallel()
	for _, tool := range answering() {
		for _, store := range stores {
			if refuses(store, tool) {
				continue
			}
			var a struct{ Next []answer.Next }
			if err := json.Unmarshal(call(t, store, tool.Name, argumentsOf(tool.Name, nil)).StructuredContent, &a); err != nil {
				t.Fatal(err)
			}
			for _, next := range a.Next {
				args, err := json.Marshal(next.Arguments)
				if err != nil {
					t.Fatal(err)
				}
				if r := call(t, store, next.Tool, string(args)); r.IsError {
					t.Errorf("%s offers %s %s, which is rejected: %s", tool.Name, next.Tool, args, r.Content[0].Text)
				}
			}
		}
	}
}

func TestSameCallGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: every tool three times")
	}
	for _, tool := range answering() {
		one, err := toolkit.NewService(fixtureDeps(t), All())
		if err != nil {
			t.Fatal(err)
		}
		s := one.Session(reader(newWorkspace("full")), "r1")
		first := callAs(t, s, tool.Name, argumentsOf(tool.Name, map[string]any{"detail_level": "debug"}))
		again := call(t, "full", tool.Name, argumentsOf(tool.Name, map[string]any{"detail_level": "debug"}))
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("%s made twice (-first +again):\n%s", tool.Name, diff)
		}
	}
}

func TestContradictoryArgumentsAreRejected(t *testing.T) {
	t.Parallel()
	cases := []struct{ tool, args, names string }{
		{"influencers", `{"action":"performance"}`, "influencer_id"},
		{"influencers", `{"action":"compare"}`, "influencer_ids"},
		{"influencers", `{"action":"list","start_date":"2026-02-02","end_date":"2026-02-01"}`, "start_date"},
		{"optimize_budget", `{"total_budget":100,"constraints":{"facebook":{"min":10,"max":5}}}`, "constraints.facebook"},
		{"optimize_budget", `{"total_budget":100,"constraints":{"facebook":{"min":1000}}}`, "total_budget"},
		{"optimize_budget", `{"total_budget":100,"constraints":{"facebook":{"min":-1}}}`, "constraints"},
		{"autopilot_plan", `{"horizonDays":31}`, "horizonDays"},
		{"autopilot_plan", `{"horizon_days":14}`, "horizonDays"},
		{"compare", `{"period2_start":"2026-02-01","period2_end":"2026-02-30"}`, "period2_end"},
		{"trends", `{"end_date":"2027-01-01","start_date":"2027-02-01"}`, "end_date"},
		{"performance", `{"start_date":"2026-04-01"}`, "start_date"},
		{"performance", `{"format":"CSV"}`, "format"},
		{"products", `{"code":"WELCOME"}`, "coupons"},
	}
	for _, c := range cases {
		r := call(t, "full", c.tool, c.args)
		if !r.IsError || !strings.Contains(r.Content[0].Text, c.names) {
			t.Errorf("%s %s: %q, want an error that names %s", c.tool, c.args, r.Content[0].Text, c.names)
		}
	}
}
