package mcp

import (
	"slices"
	"strings"
	"testing"
)

// Any blank of JSON can be between the parts of an object or an array, also directly after a number or a literal.
func TestMembersAndElementsAreReadBetweenBlanks(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{"", " ", "\n", "\t", "\r", "\r\n", " \t\n\r"} {
		spaced := func(s string) []byte { return []byte(strings.ReplaceAll(s, "~", blank)) }
		var got []string
		for name, value := range members(spaced(`~{~"a"~:~-1.5e3~,~"b"~:~true~,~"\u0063,}"~:~"x,}\""~,~"d"~:~null~,~"e"~:~[1,{"f":2}]~,~"g"~:~{"h":"]"}~,~"i"~:~7~}`)) {
			got = append(got, string(name)+"="+string(value))
		}
		want := []string{"a=-1.5e3", "b=true", `c,}="x,}\""`, "d=null", `e=[1,{"f":2}]`, `g={"h":"]"}`, "i=7"}
		if !slices.Equal(got, want) {
			t.Errorf("blank %q: members %q, want %q", blank, got, want)
		}
		got = nil
		for i, value := range elements(spaced(`~[~0~,~false~,~"a]"~,~[~]~,~{"b":[1]}~,~12~]`)) {
			if i != len(got) {
				t.Errorf("blank %q: element %d is at position %d", blank, len(got), i)
			}
			got = append(got, strings.Join(strings.Fields(string(value)), ""))
		}
		if want := []string{"0", "false", `"a]"`, "[]", `{"b":[1]}`, "12"}; !slices.Equal(got, want) {
			t.Errorf("blank %q: elements %q, want %q", blank, got, want)
		}
		for range members(spaced(`~{~}`)) {
			t.Errorf("blank %q: an empty object has a member", blank)
		}
		for range elements(spaced(`~[~]`)) {
			t.Errorf("blank %q: an empty array has an element", blank)
		}
	}
	for range members([]byte(`{"a":1,"b":2}`)) {
		break
	}
	for range elements([]byte(`[1,2]`)) {
		break
	}
}

func TestKindsOfValuesAreNamed(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"": "nothing", `"7"`: "string", `{}`: "object", `[1]`: "array", "true": "boolean", "false": "boolean", "null": "null", "-7": "number", "0": "number",
	} {
		if got := kindOf([]byte(value)); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
		if got, want := isNull([]byte(value)), value == "" || value == "null"; got != want {
			t.Errorf("%q is absent or null: %v, want %v", value, got, want)
		}
	}
}
