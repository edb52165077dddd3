package api

import (
	"slices"
	"testing"
)

func TestTheContractHas29ToolsWith209Parameters(t *testing.T) {
	t.Parallel()
	tools, parameters := Tools(), Contract()
	if len(tools) != 29 || len(parameters) != 209 {
		t.Errorf("%d tools with %d parameters", len(tools), len(parameters))
	}
	if tools[0] != "performance" || tools[28] != "diagnose" {
		t.Errorf("order of tools: %v", tools)
	}
	seen := map[string]bool{}
	for _, name := range tools {
		if seen[name] {
			t.Errorf("the lines of %s are not adjacent", name)
		}
		seen[name] = true
	}
}

func TestEachLineOfTheContractIsWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range Contract() {
		name := p.Tool + "." + p.Name
		if seen[name] {
			t.Errorf("%s occurs twice", name)
		}
		seen[name] = true
		if !slices.Contains([]string{"string", "number", "boolean", "array", "object"}, p.Type) {
			t.Errorf("%s: type %q", name, p.Type)
		}
		if (p.Type == "array") != (p.Items != "") {
			t.Errorf("%s: type %s with items %q", name, p.Type, p.Items)
		}
		if p.Enum != nil && p.Default != "" && !slices.Contains(p.Enum, p.Default) {
			t.Errorf("%s: default %q is not in %v", name, p.Default, p.Enum)
		}
		if p.Required && p.Default != "" {
			t.Errorf("%s is required and has a default", name)
		}
	}
}

// TestTheSharedParametersBelongToTheAnalyticTools checks the shared parameters. All tools have them except the four
// writing tools.
func TestTheSharedParametersBelongToTheAnalyticTools(t *testing.T) {
	t.Parallel()
	writing := []string{"manage", "propose_budget_shift", "pause_campaign", "resume_campaign"}
	takes := map[string]int{}
	for _, p := range Contract() {
		if p.Name == "detail_level" || p.Name == "format" || p.Name == "compact" {
			takes[p.Tool]++
		}
	}
	for _, tool := range Tools() {
		want := 3
		if slices.Contains(writing, tool) {
			want = 0
		}
		if takes[tool] != want {
			t.Errorf("%s has %d of the shared parameters, want %d", tool, takes[tool], want)
		}
	}
}
