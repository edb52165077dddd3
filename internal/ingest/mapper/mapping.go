// Package mapper reads files that no other reader supports. A mapping connects the columns of a file to the fields of a
// kind of data, such as orders, ad reports or exchange rates.
//
// A mapping is a small YAML or JSON file. Without a mapping, the package reads files with common column names.
package mapper

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"

	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/money"
)

// Mapping describes how to read one kind of file.
type Mapping struct {
	Name     string                       `json:"name"`     // name in reports and the import ledger
	Title    string                       `json:"title"`    // users' name of the file
	Kind     Kind                         `json:"kind"`     // kind of the rows
	System   string                       `json:"system"`   // source of the facts; empty: "csv" for orders, otherwise the mapping's name
	Columns  map[string]string            `json:"columns"`  // column of each field
	Fixed    map[string]string            `json:"fixed"`    // value of a field without a column or with an empty cell
	Values   map[string]map[string]string `json:"values"`   // by field: replacements of cells
	Negate   []string                     `json:"negate"`   // fields with the opposite sign
	Negative string                       `json:"negative"` // treatment of rows with a negative amount: keep, refund or reject
	Decimal  string                       `json:"decimal"`  // point or comma; empty: detected
	Dates    Dates                        `json:"dates"`
	Rules    []Rule                       `json:"rules"` // the first matching rule applies to a row
}

// Dates describes days and times in a file.
type Dates struct {
	Layout string `json:"layout"` // such as "DD.MM.YYYY HH:mm"; empty: detected
	Zone   string `json:"zone"`   // time zone of times without an offset; empty: the workspace's
}

// Rule assigns an action to rows that match a condition. Exactly one of the conditions is set.
type Rule struct {
	Column string       `json:"column"`
	Equals *string      `json:"equals"`
	Starts *string      `json:"starts"`
	Empty  *bool        `json:"empty"`
	Below  *json.Number `json:"below"`
	AtMost *json.Number `json:"at_most"`
	Above  *json.Number `json:"above"`
	Then   Action       `json:"then"`
}

// Action is the action of a rule.
type Action string

// The actions.
const (
	Skip      Action = "skip"      // ignore the row
	Refund    Action = "refund"    // a refund on the row's own day
	Cancelled Action = "cancelled" // an order that figures exclude
	Test      Action = "test"      // an order that figures exclude
)

// Treatments of rows with a negative amount.
const (
	keepNegative   = "keep"
	refundNegative = "refund"
	rejectNegative = "reject"
)

// Parse reads a mapping from YAML or JSON and checks it. The error lists every mistake.
func Parse(text []byte) (Mapping, error) {
	tree, err := yaml.Parser().Unmarshal(text) // JSON is also YAML
	if err != nil {
		return Mapping{}, fault.Invalid("the mapping is neither YAML nor JSON: %v", err)
	}
	plain, err := json.Marshal(tree)
	if err != nil {
		return Mapping{}, fault.Invalid("the mapping cannot be read: %v", err)
	}
	var m Mapping
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if err := decoder.Decode(&m); err != nil {
		return Mapping{}, fault.Invalid("the mapping cannot be read: %s", strings.TrimPrefix(err.Error(), "json: ")).
			WithHint("a mapping has the keys name, title, kind, system, columns, fixed, values, negate, negative, decimal, dates and rules; quote numbers and days in fixed")
	}
	if mistakes := m.Mistakes(); len(mistakes) > 0 {
		problems := make([]string, 0, len(mistakes))
		for _, each := range mistakes {
			problems = append(problems, each.Text)
		}
		return Mapping{}, fault.Invalid("mapping %q: %s", m.Name, strings.Join(problems, "; "))
	}
	return m, nil
}

// Mistake is an invalid value in a mapping.
type Mistake struct {
	At   string // a key of the mapping, such as "name", "dates.zone" or "columns.order"
	Text string
}

// Mistakes returns the errors that prevent reading files with the mapping, or nil if there are none.
func (m Mapping) Mistakes() (mistakes []Mistake) {
	say := func(at, format string, args ...any) {
		mistakes = append(mistakes, Mistake{at, fmt.Sprintf(format, args...)})
	}
	if m.Name == "" {
		say("name", "it needs a name")
	}
	fields, ok := kinds[m.Kind]
	if !ok {
		say("kind", "kind is %q and must be one of %s", m.Kind, strings.Join(kindNames(), ", "))
		return mistakes
	}
	known := map[string]bool{}
	for _, c := range fields.columns {
		known[c.Field] = true
	}
	for _, group := range []struct {
		key    string
		fields []string
	}{{"columns", keysOf(m.Columns)}, {"fixed", keysOf(m.Fixed)}, {"values", keysOf(m.Values)}, {"negate", m.Negate}} {
		for _, field := range group.fields {
			if !known[field] {
				say(group.key+"."+field, "%s has no field %q; its fields are %s", m.Kind, field, strings.Join(fields.names(), ", "))
			}
		}
	}
	for _, field := range fields.required {
		if m.Columns[field] == "" && m.Fixed[field] == "" {
			say("columns."+field, "the field %q needs a column", field)
		}
	}
	if m.Dates.Zone != "" {
		if _, err := time.LoadLocation(m.Dates.Zone); err != nil || m.Dates.Zone == "Local" { // "Local" is the server's zone
			say("dates.zone", "dates.zone %q is not a time zone such as Europe/London", m.Dates.Zone)
		}
	}
	if m.Decimal != "" && m.Decimal != "point" && m.Decimal != "comma" {
		say("decimal", "decimal is %q and must be point or comma", m.Decimal)
	}
	if !slices.Contains([]string{"", keepNegative, refundNegative, rejectNegative}, m.Negative) {
		say("negative", "negative is %q and must be keep, refund or reject", m.Negative)
	}
	for i, r := range m.Rules {
		if problem := r.check(); problem != "" {
			say("rules", "rule %d %s", i+1, problem)
		}
	}
	return mistakes
}

func (r Rule) check() string {
	conditions := 0
	for _, given := range []bool{r.Equals != nil, r.Starts != nil, r.Empty != nil, r.Below != nil, r.AtMost != nil, r.Above != nil} {
		if given {
			conditions++
		}
	}
	switch {
	case r.Column == "":
		return "needs a column"
	case conditions != 1:
		return "needs exactly one of equals, starts, empty, below, at_most and above"
	case !slices.Contains([]Action{Skip, Refund, Cancelled, Test}, r.Then):
		return fmt.Sprintf("has then: %q, which must be skip, refund, cancelled or test", r.Then)
	}
	for _, n := range []*json.Number{r.Below, r.AtMost, r.Above} {
		if n == nil {
			continue
		}
		if _, err := source.Millionths(n.String(), money.Point); err != nil {
			return fmt.Sprintf("compares with %q, which is not a plain number", *n)
		}
	}
	return ""
}

func keysOf[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
