package setup

import (
	"fmt"
	"net/url"
	"strings"

	"assay/internal/console/frame"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/source"
	"assay/internal/money"
)

// mappingIn reads a mapping from the form. Settings that the form does not show come from base.
func mappingIn(form url.Values, base mapper.Mapping) mapper.Mapping {
	field := func(name string) string { return strings.Join(strings.Fields(form.Get(name)), " ") }
	m := base
	m.Name, m.Title, m.Kind = field("name"), field("title"), mapper.Kind(form.Get("kind"))
	m.Decimal, m.Negative = form.Get("decimal"), form.Get("negative")
	m.Dates = mapper.Dates{Layout: field("layout"), Zone: field("zone")}
	if m.Kind != base.Kind {
		m.Values, m.Negate = nil, nil
	}
	m.Columns, m.Fixed = map[string]string{}, map[string]string{}
	for _, f := range m.Kind.Fields() {
		if column := field("column." + f.Name); column != "" {
			m.Columns[f.Name] = column
		}
		fixed := base.Fixed[f.Name]
		if fixable[f.Name] {
			fixed = field("fixed." + f.Name)
		}
		if f.Name == "currency" {
			fixed = strings.ToUpper(fixed)
		}
		if fixed != "" && (fixable[f.Name] || m.Kind == base.Kind) {
			m.Fixed[f.Name] = fixed
		}
	}
	return m
}

// newKind guesses the columns of empty fields after the mapping's kind has changed.
func (v *mappingView) newKind() {
	taken := map[string]bool{}
	for _, column := range v.Mapping.Columns {
		taken[source.Fold(column)] = true
	}
	for field, column := range v.Mapping.Kind.Guess(v.Seen.Header) {
		if v.Mapping.Columns[field] == "" && !taken[source.Fold(column)] {
			v.Mapping.Columns[field] = column
		}
	}
	v.Wrong = nil
}

// wrongIn returns the errors of the form by field.
func (v mappingView) wrongIn(saved []savedMapping) map[string]string {
	m, wrong := v.Mapping, map[string]string{}
	say := func(at, text string) {
		if wrong[at] == "" {
			wrong[at] = text
		}
	}
	text, _ := m.Text() // an invalid mapping is not stored
	kept := make([]mapper.Mapping, 0, len(saved))
	for _, s := range saved {
		kept = append(kept, s.parsed)
		if s.Name == m.Name && s.Name != v.Was && (v.Was != "" || s.Content != string(text)) { // otherwise the form was sent twice
			say("name", "A mapping with this name already exists. Choose another name, or edit the existing mapping.")
		}
	}
	for _, mistake := range (ingest.Keeping{Mapping: m, Was: v.Was, Kept: kept}).Mistakes() {
		say(mistake.At, frame.Sentence(mistake.Text))
	}
	for field, column := range m.Columns {
		if h := v.Seen.Header; h.Width() > 0 && h.Index(source.Fold(column)) < 0 {
			say("columns."+field, fmt.Sprintf("The file has no column %q. Choose another column.", column))
		}
	}
	if currency := m.Fixed["currency"]; currency != "" {
		if _, err := money.ParseCurrency(currency); err != nil {
			say("fixed.currency", fmt.Sprintf("%q is not a currency. Use an ISO code such as EUR.", currency))
		}
	}
	for _, mistake := range m.Mistakes() {
		text := frame.Sentence(mistake.Text)
		switch {
		case strings.HasPrefix(mistake.At, "columns."):
			text = "Choose the column for this field."
		case mistake.At == "dates.zone":
			text = fmt.Sprintf("%q is not a time zone. Use a name such as Europe/Berlin.", m.Dates.Zone)
		}
		say(mistake.At, text)
	}
	return wrong
}
