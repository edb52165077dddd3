// Package mapper reads files that no other reader knows, by a mapping from their columns to the fields of orders,
// order lines, ad reports, spend, exchange rates and targets.
//
// A mapping is a small YAML or JSON file. Without one, a file whose columns have common names is read by them.
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

// Mapping says how to read a kind of file.
type Mapping struct {
	Name     string                       `json:"name"`     // what reports and the ledger call it
	Title    string                       `json:"title"`    // what people call the file
	Kind     Kind                         `json:"kind"`     // what a row is
	System   string                       `json:"system"`   // what rows are kept under; when empty "csv" for orders, else the mapping's name
	Columns  map[string]string            `json:"columns"`  // the column of each field
	Fixed    map[string]string            `json:"fixed"`    // what a field is where it has no column or an empty cell
	Values   map[string]map[string]string `json:"values"`   // by field: what a cell stands for
	Negate   []string                     `json:"negate"`   // fields whose sign is turned round
	Negative string                       `json:"negative"` // rows with a negative amount: keep, refund or reject
	Decimal  string                       `json:"decimal"`  // point or comma; found out when empty
	Dates    Dates                        `json:"dates"`
	Rules    []Rule                       `json:"rules"` // the first that fits a row decides; the others are plain rows
}

// Dates says how a file writes days and times.
type Dates struct {
	Layout string `json:"layout"` // such as "DD.MM.YYYY HH:mm"; found out when empty
	Zone   string `json:"zone"`   // of times without an offset; the workspace's when empty
}

// Rule says what rows are that fit a condition. Exactly one of the conditions is given.
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

// Action is what a rule makes of a row.
type Action string

// The actions.
const (
	Skip      Action = "skip"      // the row is no data
	Refund    Action = "refund"    // money given back, on the row's own day
	Cancelled Action = "cancelled" // an order that does not count
	Test      Action = "test"      // an order that does not count
)

// What is done with rows whose amount is negative.
const (
	keepNegative   = "keep"
	refundNegative = "refund"
	rejectNegative = "reject"
)

// Parse reads a mapping from YAML or JSON and checks all of it. The error names every mistake.
func Parse(text []byte) (Mapping, error) {
	tree, err := yaml.Parser().Unmarshal(text) // JSON is YAML too
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
			WithHint("it has the keys name, title, kind, system, columns, fixed, values, negate, negative, decimal, dates and rules; numbers and days among fixed values are quoted")
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

// Mistake is something in a mapping that cannot be meant.
type Mistake struct {
	At   string // where: a key of the mapping, such as "name", "dates.zone" or "columns.order"
	Text string
}

// Mistakes returns everything that keeps files from being read by the mapping, nil when nothing does.
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
				say(group.key+"."+field, "%s has no field %q; it has %s", m.Kind, field, strings.Join(fields.names(), ", "))
			}
		}
	}
	for _, field := range fields.required {
		if m.Columns[field] == "" && m.Fixed[field] == "" {
			say("columns."+field, "the field %q needs a column", field)
		}
	}
	if m.Dates.Zone != "" {
		if _, err := time.LoadLocation(m.Dates.Zone); err != nil || m.Dates.Zone == "Local" { // whose clock would that be
			say("dates.zone", "dates.zone %q is no time zone such as Europe/London", m.Dates.Zone)
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
		return fmt.Sprintf("says then: %q, which must be skip, refund, cancelled or test", r.Then)
	}
	for _, n := range []*json.Number{r.Below, r.AtMost, r.Above} {
		if n == nil {
			continue
		}
		if _, err := source.Millionths(n.String(), money.Point); err != nil {
			return fmt.Sprintf("compares with %q, which is no plain number", *n)
		}
	}
	return ""
}

func keysOf[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
