package mapper

import (
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/ingest/source"
)

func TestParseReadsYAMLAndJSON(t *testing.T) {
	t.Parallel()
	for form, text := range map[string]string{
		"YAML": "name: shop\nkind: orders\ncolumns: {order: Id, at: When, total: Sum}\nrules: [{column: Sum, at_most: 0, then: skip}]\n",
		"JSON": `{"name":"shop","kind":"orders","columns":{"order":"Id","at":"When","total":"Sum"},"rules":[{"column":"Sum","at_most":0,"then":"skip"}]}`,
	} {
		m, err := Parse([]byte(text))
		if err != nil || m.Columns["at"] != "When" || m.Rules[0].AtMost.String() != "0" {
			t.Errorf("%s: %+v, %v", form, m, err)
		}
	}
}

func TestParseListsEveryMistake(t *testing.T) {
	t.Parallel()
	const good = "name: x\nkind: orders\ncolumns: {order: Id, at: When, total: Sum}\n"
	for text, wants := range map[string][]string{
		"a: [":                                                        {"neither YAML nor JSON"},
		good + "colour: red\n":                                        {`unknown field "colour"`},
		"name: x\nkind: order":                                        {"orders, order_lines, ad_spend"},
		"kind: orders\n":                                              {"needs a name", `"order" needs a column`, `"at" needs a column`, `"total" needs a column`},
		good + "decimal: dot\n":                                       {"must be point or comma"},
		good + "negative: no\n":                                       {"keep, refund or reject"},
		good + "fixed: {colour: red}\n":                               {`orders has no field "colour"`, "surface"},
		good + "dates: {zone: Mars/Olympus}\n":                        {"Mars/Olympus"},
		good + "rules: [{then: skip, empty: true}]\n":                 {"rule 1 needs a column"},
		good + "rules: [{column: a, then: skip}]\n":                   {"rule 1 needs exactly one of"},
		good + "rules: [{column: a, equals: b, then: burn}]\n":        {"skip, refund, cancelled or test"},
		good + "rules: [{column: a, below: 1.5e300, then: refund}]\n": {"not a plain number"},
	} {
		_, err := Parse([]byte(text))
		if fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("Parse(%q) = %v, want a refusal", text, err)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Parse(%q) = %v, want a mention of %q", text, err, want)
			}
		}
	}
}

func TestEveryFieldOfEveryKindIsNamedOnce(t *testing.T) {
	t.Parallel()
	for kind, form := range kinds {
		fields, names := map[string]bool{}, map[string]string{}
		for _, c := range form.columns {
			if fields[c.Field] {
				t.Errorf("%s has the field %q twice", kind, c.Field)
			}
			fields[c.Field] = true
			for _, name := range c.Names {
				if names[name] != "" || name != source.Fold(name) {
					t.Errorf("%s: the name %q of %q is taken by %q or not folded", kind, name, c.Field, names[name])
				}
				names[name] = c.Field
			}
		}
		for _, field := range form.required {
			if !fields[field] {
				t.Errorf("%s requires the unknown field %q", kind, field)
			}
		}
	}
	if len(orderColumns) != fieldCount {
		t.Errorf("%d order columns for %d fields", len(orderColumns), fieldCount)
	}
}

// FuzzParse checks that Parse does not panic for any text, and that accepted mappings can be bound to a file.
func FuzzParse(f *testing.F) {
	f.Add("name: x\nkind: orders\ncolumns: {order: Id, at: When, total: Sum}\n", "Id,When,Sum")
	f.Add("name: x\nkind: ad_spend\nfixed: {platform: x}\ncolumns: {day: a, spend: b}\n", "a,b")
	f.Fuzz(func(t *testing.T, text, header string) {
		m, err := Parse([]byte(text))
		if err != nil {
			return
		}
		r := New(m)
		h := source.NewHeader(strings.Split(header, ","))
		if !r.Fit(h).OK() {
			return
		}
		if _, err := r.Open(source.Table{Header: h}, source.Options{Base: "USD", Zone: zone(t), HashKey: []byte("k"), Notes: &source.Notes{}}); err != nil && fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%v", err)
		}
	})
}
