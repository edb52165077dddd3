package ask

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Tool is a tool that can answer questions, with its parameter table.
type Tool struct {
	Name       string
	Writes     bool
	Parameters []Parameter
}

// Parameter is one parameter of a tool.
type Parameter struct {
	Name     string
	Type     string // type in the JSON Schema
	Format   string
	Enum     []string
	Default  any
	Minimum  *float64
	Maximum  *float64
	Required bool
}

// ToolOf reads the parameter table of a tool from its JSON Schema.
func ToolOf(name string, writes bool, schema json.RawMessage) (Tool, error) {
	var s struct {
		Properties map[string]struct {
			Type, Format     string
			Enum             []string
			Default          any
			Minimum, Maximum *float64
		}
		Required []string
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return Tool{}, fmt.Errorf("schema of %s: %w", name, err)
	}
	t := Tool{Name: name, Writes: writes}
	for n, p := range s.Properties {
		t.Parameters = append(t.Parameters, Parameter{
			Name: n, Type: p.Type, Format: p.Format, Enum: p.Enum, Default: p.Default, Minimum: p.Minimum, Maximum: p.Maximum,
			Required: slices.Contains(s.Required, n),
		})
	}
	rank := func(p Parameter) int {
		return (slices.Index(slotOrder, p.Name) + len(slotOrder) + 1) % (len(slotOrder) + 1)
	}
	slices.SortFunc(t.Parameters, func(a, b Parameter) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a.Name, b.Name)) })
	return t, nil
}

// slotOrder is the order in which parameters are filled, because some depend on others. Other parameters come last.
var slotOrder = []string{
	"action", "view", "aspect", "sort_by", "params", "answer_contains", "constraints", "breakdown", "channels", "channel", "platform",
}

func (t Tool) parameter(name string) (Parameter, bool) {
	at := slices.IndexFunc(t.Parameters, func(p Parameter) bool { return p.Name == name })
	if at < 0 {
		return Parameter{}, false
	}
	return t.Parameters[at], true
}

// neverFilled are the arguments that confirm an action of a tool. A translation does not set them.
var neverFilled = setOf("confirm confirmed")

// accepts reports whether a value is valid for the parameter.
func (p Parameter) accepts(value any) bool {
	if neverFilled[p.Name] {
		return false
	}
	switch v := value.(type) {
	case string:
		return (p.Type == "string" || p.Type == "") && (p.Enum == nil || slices.Contains(p.Enum, v))
	case bool:
		return p.Type == "boolean"
	case float64:
		return (p.Type == "number" || p.Type == "integer" && whole(v)) && (p.Minimum == nil || v >= *p.Minimum) && (p.Maximum == nil || v <= *p.Maximum)
	case []string:
		return p.Type == "array"
	case map[string]any:
		return p.Type == "object"
	}
	return false
}
