package toolkit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// field is a field of answers. Fields of several tools with the same name and meaning are one field.
type field struct {
	name, meaning string
	tools         []string
}

// node is the part of a result schema that describes fields.
type node struct {
	Description string          `json:"description"`
	Properties  map[string]node `json:"properties"`
	Items       *node           `json:"items"`
	Values      *node           `json:"additionalProperties"`
}

// dictionary describes the fields of the answers that the caller may get, in Markdown. The meaning of a field is the
// description in its result schema, otherwise the definition in the article with its name. Fields without a description
// and without an article are omitted.
func (s *Session) dictionary() (string, error) {
	var fields []field
	for _, t := range s.described() {
		var result node
		if err := json.Unmarshal(t.Result, &result); err != nil {
			return "", fmt.Errorf("result schema of %s: %w", t.Name, err)
		}
		result.walk(func(name, description string) {
			meaning := cmp.Or(description, s.defined(name))
			if meaning == "" {
				return
			}
			at := slices.IndexFunc(fields, func(f field) bool { return f.name == name && f.meaning == meaning })
			if at < 0 {
				at, fields = len(fields), append(fields, field{name: name, meaning: meaning})
			}
			if !slices.Contains(fields[at].tools, t.Name) {
				fields[at].tools = append(fields[at].tools, t.Name)
			}
		})
	}
	slices.SortFunc(fields, func(a, b field) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.meaning, b.meaning)) })
	var b strings.Builder
	b.WriteString("# Data dictionary\n\nFields of answers in `format=json`. A field with several meanings has a row for each meaning.\n\n" +
		"| field | meaning | tools |\n|---|---|---|\n")
	for _, f := range fields {
		tools := strings.Join(f.tools, ", ")
		if len(f.tools) > manyTools {
			tools = fmt.Sprintf("%d tools", len(f.tools))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.name, strings.ReplaceAll(f.meaning, "|", "\\|"), tools)
	}
	return b.String(), nil
}

// manyTools is the maximum number of tools that the dictionary names for a field. For more tools, it states their
// number.
const manyTools = 8

// walk visits the fields of a schema, in no particular order.
func (n node) walk(visit func(name, description string)) {
	for name, property := range n.Properties {
		visit(name, property.Description)
		property.walk(visit)
	}
	for _, inner := range []*node{n.Items, n.Values} {
		if inner != nil {
			inner.walk(visit)
		}
	}
}

// defined returns the definition in the article of a field's name, or "" if there is none.
func (s *Session) defined(field string) string {
	if a, ok := s.service.knowledge.Named(field); ok {
		return a.Definition()
	}
	return ""
}
