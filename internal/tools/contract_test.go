package tools

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/api"
	"assay/internal/auth"
	"assay/internal/control"
)

func TestToolsHaveTheContractsOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, tool := range All() {
		got = append(got, tool.Name)
	}
	if diff := cmp.Diff(api.Tools(), got); diff != "" {
		t.Errorf("tools (-contract +code):\n%s", diff)
	}
}

// property contains the parts of a parameter's schema that the contract defines.
type property struct {
	Type    string
	Enum    []string
	Default json.RawMessage
	Minimum json.Number
	Maximum json.Number
	Items   struct{ Type string }
}

func TestSchemasSayWhatTheContractSays(t *testing.T) {
	t.Parallel()
	schemas := map[string]struct {
		Properties map[string]property
		Required   []string
	}{}
	for _, tool := range All() {
		schema := schemas[tool.Name]
		if err := json.Unmarshal(tool.Schema, &schema); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		schemas[tool.Name] = schema
	}
	listed := map[string]int{}
	for _, want := range api.Contract() {
		where := want.Tool + "." + want.Name
		listed[want.Tool]++
		got, ok := schemas[want.Tool].Properties[want.Name]
		if !ok {
			t.Errorf("%s is missing", where)
			continue
		}
		compareProperty(t, where, want, got)
		required := strings.Contains(" "+strings.Join(schemas[want.Tool].Required, " ")+" ", " "+want.Name+" ")
		if required != want.Required {
			t.Errorf("%s: required = %v, want %v", where, required, want.Required)
		}
	}
	for tool, schema := range schemas {
		if len(schema.Properties) != listed[tool] {
			t.Errorf("%s has %d parameters, the contract %d", tool, len(schema.Properties), listed[tool])
		}
	}
}

func compareProperty(t *testing.T, where string, want api.Parameter, got property) {
	t.Helper()
	if got.Type != want.Type && (want.Type != "number" || got.Type != "integer") {
		t.Errorf("%s: type %q, want %q", where, got.Type, want.Type)
	}
	if diff := cmp.Diff(want.Enum, got.Enum); diff != "" {
		t.Errorf("%s: enum (-want +got):\n%s", where, diff)
	}
	if value := strings.Trim(string(got.Default), `"`); !sameValue(value, want.Default) {
		t.Errorf("%s: default %q, want %q", where, value, want.Default)
	}
	if want.Min != "" && got.Minimum.String() != want.Min {
		t.Errorf("%s: minimum %q, want %q", where, got.Minimum, want.Min)
	}
	if want.Max != "" && got.Maximum.String() != want.Max {
		t.Errorf("%s: maximum %q, want %q", where, got.Maximum, want.Max)
	}
	if want.Items != got.Items.Type {
		t.Errorf("%s: items of type %q, want %q", where, got.Items.Type, want.Items)
	}
	if want.Name == "limit" && (got.Minimum != "1" || got.Maximum != "100") {
		t.Errorf("%s: from %s to %s, want 1 to 100", where, got.Minimum, got.Maximum)
	}
}

func sameValue(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return a == b || errX == nil && errY == nil && x == y
}

// Every client reads the list before its first call, so its size is limited. An increase needs a reason.
func TestListOfToolsStaysSmall(t *testing.T) {
	t.Parallel()
	s := fixtureService(t).Session(reader(newWorkspace("full")), "r1")
	const want = 31_444
	if got := len(s.ListTools()); got != want {
		t.Errorf("tools/list has %d bytes, want %d, and never more than 32,000", got, want)
	}
}

func TestListShowsAnnotationsAndNothingElse(t *testing.T) {
	t.Parallel()
	var list struct {
		Tools []map[string]json.RawMessage
	}
	s := fixtureService(t).Session(reader(newWorkspace("full")), "r1")
	if err := json.Unmarshal(s.ListTools(), &list); err != nil {
		t.Fatal(err)
	}
	writing := map[string]string{
		"manage":               `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}`,
		"propose_budget_shift": `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}`,
		"pause_campaign":       `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}`,
		"resume_campaign":      `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}`,
	}
	for _, tool := range list.Tools {
		name := strings.Trim(string(tool["name"]), `"`)
		want := writing[name]
		if want == "" {
			want = `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`
		}
		if got := string(tool["annotations"]); got != want {
			t.Errorf("%s: annotations %s, want %s", name, got, want)
		}
		if len(tool) != 5 {
			t.Errorf("%s: %d members, want name, title, description, inputSchema, annotations", name, len(tool))
		}
	}
}

func TestAllowListHidesTheOtherTools(t *testing.T) {
	t.Parallel()
	p := reader(newWorkspace("full"))
	p.Tools = []string{"diagnose", "performance"}
	s := fixtureService(t).Session(p, "r1")
	var list struct {
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(s.ListTools(), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != 2 || list.Tools[0].Name != "performance" || list.Tools[1].Name != "diagnose" {
		t.Errorf("tools %v, want performance, diagnose", list.Tools)
	}
	if r := callAs(t, s, "trends", `{}`); !r.IsError || !strings.Contains(r.Content[0].Text, "allow-list") {
		t.Errorf("trends outside the allow-list: %+v", r)
	}
	r := callAs(t, s, "performance", `{}`)
	if strings.Contains(string(r.StructuredContent), `"tool":"trends"`) {
		t.Error("performance offers trends, which this key may not call")
	}
}

func TestMissingScopeIsAResultForKeysAndAnErrorForTokens(t *testing.T) {
	t.Parallel()
	service := fixtureService(t)
	p := reader(newWorkspace("full"))
	const act = `{"platform":"facebook","platform_campaign_id":"fb-1","confirm":true}`
	r := callAs(t, service.Session(p, "r1"), "pause_campaign", act)
	if !r.IsError || !strings.Contains(r.Content[0].Text, string(control.ScopeApprove)) {
		t.Errorf("a key without the scope: %+v", r)
	}
	p.Kind = auth.ByOAuth
	for tool, args := range map[string]string{
		"pause_campaign": act, "manage": `{"action":"map_coupon","confirmed":true}`, "propose_budget_shift": `{"confirm":true}`,
	} {
		_, err := service.Session(p, "r1").CallTool(t.Context(), tool, json.RawMessage(args))
		if err == nil || !strings.Contains(err.Error(), "scope") {
			t.Errorf("%s by a token without the scope: %v, want a missing scope", tool, err)
		}
	}
	for _, args := range []string{`{"confirm":"true"}`, `{"confirm":1}`, `{"confirm":false}`, `{}`} {
		if _, err := service.Session(p, "r1").CallTool(t.Context(), "pause_campaign", json.RawMessage(args)); err != nil {
			t.Errorf("%s needs no scope but to read: %v", args, err)
		}
	}
}
