package mapper

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ingest/source"
)

// Writing and reading a mapping does not change it, even if its texts look like other YAML types.
func TestAMappingIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	empty, no := "", false
	below := json.Number("-0.5")
	for _, m := range []Mapping{
		{Name: "till", Kind: Orders, Columns: map[string]string{"order": "Receipt", "at": "2026-01-01", "total": "yes"}},
		{Name: "010", Title: "null", Kind: Orders, Columns: map[string]string{"order": "~", "at": "a: b", "total": "#1"}, Fixed: map[string]string{"currency": "NO", "surface": "1e3"}},
		{
			Name: "a\nb", Kind: Orders, System: "pos", Columns: map[string]string{"order": "{x}", "at": "- y", "total": "Été 🛍"}, Values: map[string]map[string]string{"status": {"": "paid", "on": "off"}},
			Negate: []string{"total"}, Negative: "refund", Decimal: "comma", Dates: Dates{Layout: "DD.MM.YYYY", Zone: "Europe/Berlin"},
			Rules: []Rule{{Column: "Type", Equals: &empty, Then: Skip}, {Column: "Sum", Below: &below, Then: Refund}, {Column: "Void", Empty: &no, Then: Cancelled}},
		},
	} {
		text, err := m.Text()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(text)
		if diff := cmp.Diff(m, again); diff != "" || err != nil {
			t.Errorf("%q is read otherwise (%v, -written +read):\n%s\n%s", m.Name, err, diff, text)
		}
	}
}

func TestColumnsAreGuessed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header []string
		kind   Kind
		want   map[string]string
	}{
		"a till":           {[]string{"Receipt", "Sale date", "Order total EUR", "E-Mail"}, Orders, map[string]string{"at": "Sale date", "total": "Order total EUR", "customer": "E-Mail"}},
		"one for two":      {[]string{"Date", "Cost", "Amount"}, ChannelSpend, map[string]string{"date": "Date", "spend": "Cost"}},
		"a word in a word": {[]string{"Candidate", "Costume"}, "", nil},
		"an odd one out":   {[]string{"Receipt", "Closed", "Paid", "Type"}, "", nil},
		"nothing":          {[]string{"", "x"}, "", nil},
	} {
		h := source.NewHeader(c.header)
		kind := Likeliest(h)
		if kind != c.kind {
			t.Errorf("%s is taken for %q, want %q", name, kind, c.kind)
		}
		if diff := cmp.Diff(c.want, kind.Guess(h)); kind != "" && diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestEveryKindShowsAllItsFields(t *testing.T) {
	t.Parallel()
	for _, k := range Kinds() {
		form, shown := kinds[k], k.Fields()
		if k.Title() == "" || len(shown) != len(form.columns) || !shown[0].Required {
			t.Errorf("%s: title %q, %d fields of %d, the first required: %v", k, k.Title(), len(shown), len(form.columns), shown[0].Required)
		}
		group := 0 // required, usual and other fields
		for _, field := range shown {
			at := fieldAt(form.columns, field.Name)
			if at < 0 {
				t.Errorf("%s shows the unknown field %q", k, field.Name)
				continue
			}
			name := form.columns[at].Names[0]
			if field.Title != strings.ToUpper(name[:1])+name[1:] {
				t.Errorf("%s: the field %s has the title %q, want %q with a capital", k, field.Name, field.Title, name)
			}
			required, common := slices.Contains(form.required, field.Name), slices.Contains(usual[k], field.Name)
			if field.Required != required || field.Usual != common {
				t.Errorf("%s: field %+v, want required %v and usual %v", k, field, required, common)
			}
			own := 2
			if required {
				own = 0
			} else if common {
				own = 1
			}
			if own < group {
				t.Errorf("%s: the field %s is after fields of a later group", k, field.Name)
			}
			group = own
		}
		for _, field := range usual[k] {
			if fieldAt(form.columns, field) < 0 {
				t.Errorf("%s has no field %q", k, field)
			}
		}
	}
}
