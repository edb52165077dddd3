package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"assay/internal/civil"
)

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

func TestTheSchemaFollowsTheTags(t *testing.T) {
	t.Parallel()
	want := `{"type":"object","properties":{` +
		`"metric":{"type":"string","description":"What to show.","enum":["revenue","orders","spend"]},` +
		`"start_date":{"type":"string","description":"First day.","format":"date"},` +
		`"end_date":{"type":"string","description":"Last day.","format":"date"},` +
		`"channel":{"type":"string","description":"Only this channel.","enum":["facebook","google"]},` +
		`"limit":{"type":"integer","description":"Rows.","default":25,"minimum":1,"maximum":100},` +
		`"threshold":{"type":"number","description":"Z-score.","default":2.0,"minimum":0},` +
		`"confirm":{"type":"boolean","description":"Do it.","default":false},` +
		`"compact":{"type":"boolean","description":"Leave out metadata."},` +
		`"names":{"type":"array","description":"Some names.","minItems":1,"items":{"type":"string"}},` +
		`"sorts":{"type":"array","description":"Some orders.","items":{"type":"string","enum":["asc","desc"]}},` +
		`"bounds":{"type":"object","description":"Per channel.","additionalProperties":{"type":"object","properties":{` +
		`"min":{"type":"number","description":"At least.","minimum":0},"max":{"type":"number","description":"At most.","minimum":0}},"additionalProperties":false}},` +
		`"ids":{"type":"object","description":"Platform ids.","properties":{"customerId":{"type":"string","description":"Customer."}},"additionalProperties":false},` +
		`"params":{"type":"object","description":"Free."},` +
		`"query":{"type":"string","description":"Question.","minLength":1},` +
		`"weights":{"type":"object","description":"Weights.","additionalProperties":{"type":"number"}},` +
		`"detail_level":{"type":"string","description":"How much.","enum":["summary","analyst","debug"],"default":"summary"}` +
		`},"required":["metric"],"additionalProperties":false}`
	if diff := cmp.Diff(indented(t, []byte(want)), indented(t, sampleTool().Schema)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

func TestTheResultsSchemaFollowsTheEncoding(t *testing.T) {
	t.Parallel()
	want := `{"type":"object","properties":{"summary":{"type":"string"},"day":{"type":"string","format":"date"},` +
		`"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","description":"Who."},` +
		`"value":{"type":"number"},"inner":{"type":"array","items":{"type":"object"}}},"required":["name"]}},` +
		`"by":{"type":"object","additionalProperties":{"type":"object","properties":{"name":{"type":"string","description":"Who."},` +
		`"value":{"type":"number"},"inner":{"type":"array","items":{"type":"object"}}},"required":["name"]}},` +
		`"truncated":{"type":"boolean"}},"required":["summary","day","rows","truncated"]}`
	if diff := cmp.Diff(indented(t, []byte(want)), indented(t, sampleTool().Result)); diff != "" {
		t.Errorf("result schema (-want +got):\n%s", diff)
	}
}

type givesItsOwn struct{}

func (givesItsOwn) JSONSchema() json.RawMessage { return json.RawMessage(`{"type":"integer"}`) }

type generic[T any] struct {
	Value T `json:"value"`
}

func TestATypeMayGiveItsOwnSchema(t *testing.T) {
	t.Parallel()
	got := string(resultSchema(typeOf[struct {
		A givesItsOwn                  `json:"a"`
		B []givesItsOwn                `json:"b"`
		C generic[map[string][]string] `json:"c"`
		D json.RawMessage              `json:"d,omitempty"`
		E any                          `json:"e,omitempty"`
		F *givesItsOwn                 `json:"f,omitempty"`
		G []byte                       `json:"g,omitzero"`
	}]()))
	want := `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"type":"integer"}},` +
		`"c":{"type":"object","properties":{"value":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}},"required":["value"]},` +
		`"d":{},"e":{},"f":{"type":"integer"},"g":{"type":"string"}},"required":["a","b","c"]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestAcceptedArgumentsMatchTheSchema compares the decoder with an independent validator.
func TestAcceptedArgumentsMatchTheSchema(t *testing.T) {
	t.Parallel()
	oracle := validator(t, sampleTool().Schema)
	for _, args := range argumentSeeds {
		checkAgainstOracle(t, oracle, []byte(args))
	}
}

func checkAgainstOracle(t *testing.T, oracle *jsonschema.Resolved, args []byte) {
	t.Helper()
	o := planOf(typeOf[sampleParams]())
	var p sampleParams
	if err := o.decode("sample", civil.Date{}, args, &p); err != nil {
		return
	}
	if uses(args, "null", "meta", "google_ads") {
		return // the decoder also accepts null for optional parameters and aliases of enum values
	}
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		t.Fatal(err)
	}
	if err := oracle.Validate(value); err != nil {
		t.Errorf("arguments %s are accepted and do not match the schema: %v", args, err)
	}
}

func uses(args []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(args, []byte(w)) || bytes.Contains(args, []byte(`\u`)) {
			return true
		}
	}
	return len(args) == 0
}

func validator(tb testing.TB, schema json.RawMessage) *jsonschema.Resolved {
	tb.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		tb.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return resolved
}

func TestInvalidToolPanics(t *testing.T) {
	t.Parallel()
	type twoChecks struct {
		checkedA
		checkedB
	}
	tests := []struct {
		name string
		make func()
		want string
	}{
		{"no doc", func() {
			planOf(typeOf[struct {
				A string `json:"a"`
			}]())
		}, "needs a doc"},
		{"no name", func() {
			planOf(typeOf[struct {
				A string `doc:"x"`
			}]())
		}, "needs a json name"},
		{"a default outside the enum", func() {
			planOf(typeOf[struct {
				A string `json:"a" doc:"x" enum:"b|c" default:"d"`
			}]())
		}, `would not accept "d"`},
		{"a default above the maximum", func() {
			planOf(typeOf[struct {
				A int `json:"a" doc:"x" max:"5" default:"6"`
			}]())
		}, `would not accept "6"`},
		{"an alias of nothing", func() {
			planOf(typeOf[struct {
				A string `json:"a" doc:"x" enum:"b" also:"c=d"`
			}]())
		}, "alias"},
		{"a limit on text", func() {
			planOf(typeOf[struct {
				A string `json:"a" doc:"x" min:"1"`
			}]())
		}, "is not a number"},
		{"a channel", func() {
			planOf(typeOf[struct {
				A chan int `json:"a" doc:"x"`
			}]())
		}, "cannot be of type"},
		{"the same name twice", func() {
			planOf(typeOf[struct {
				sampleIDs
				Own string `json:"customerId" doc:"x"`
			}]())
		}, "twice"},
		{"two embedded checks", func() { checkEmbedded(typeOf[twoChecks]()) }, "calls both"},
		{"no description", func() {
			NewTool(Spec{Name: "x", Title: "x"}, func(context.Context, int, sampleIDs) (int, error) { return 0, nil })
		}, "needs a name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, test.want) {
					t.Errorf("panic %q, want %q", got, test.want)
				}
			}()
			test.make()
		})
	}
}

type checkedA struct {
	A civil.Date `json:"a" doc:"A."`
}

func (checkedA) Check() error { return nil }

type checkedB struct {
	B civil.Date `json:"b" doc:"B."`
}

func (checkedB) Check() error { return nil }

func indented(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return b.String()
}
