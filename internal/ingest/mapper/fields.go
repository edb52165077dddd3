package mapper

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"

	"assay/internal/ingest/source"
)

// Field is a field of a kind.
type Field struct {
	Name     string // in a mapping
	Title    string // for users
	Required bool   // the field needs a column or a fixed value
	Usual    bool   // in most files
}

// Kinds returns all kinds in display order.
func Kinds() []Kind {
	all := make([]Kind, 0, len(kinds))
	for _, name := range kindNames() {
		all = append(all, Kind(name))
	}
	return all
}

// Title returns the name of the kind for users, or "" for an unknown kind.
func (k Kind) Title() string { return kinds[k].title }

// usual lists optional fields that most files have.
var usual = map[Kind][]string{
	Orders:       {"currency", "customer", "tax", "shipping", "discount", "refunded", "status"},
	OrderLines:   {"currency", "customer", "price", "net", "sku", "title"},
	AdSpend:      {"account", "currency", "campaign", "impressions", "clicks"},
	ChannelSpend: {"channel", "currency"},
	Targets:      {"channel"},
	Products:     {"title", "currency"},
	Messages:     {"channel", "recipients", "opens", "clicks", "conversions", "revenue"},
	Surveys:      {"order"},
	Creators:     {"code", "link", "date", "clicks", "fee", "commission"},
	RegionDays:   {"country", "population"},
	SurfaceDays:  {"currency", "units", "tax", "refunds"},
}

// Fields returns the fields of the kind: required, usual and other fields, each group in the kind's order.
func (k Kind) Fields() []Field {
	form := kinds[k]
	all := make([]Field, 0, len(form.columns))
	for _, c := range form.columns {
		title := c.Names[0]
		all = append(all, Field{
			Name: c.Field, Title: strings.ToUpper(title[:1]) + title[1:],
			Required: slices.Contains(form.required, c.Field), Usual: slices.Contains(usual[k], c.Field),
		})
	}
	rank := func(f Field) int {
		switch {
		case f.Required:
			return 0
		case f.Usual:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b Field) int { return rank(a) - rank(b) })
	return all
}

// NamedByMapping reports whether rows of the kind are stored under the mapping's name if the mapping has no system. If
// a mapping without a system is renamed, the next import of a file stores its rows a second time.
func (k Kind) NamedByMapping() bool {
	switch k {
	case ChannelSpend, FXRates, Customers, Products, Messages, Surveys, Creators, RegionDays, SurfaceDays:
		return true
	case Orders, OrderLines, AdSpend, Targets, CouponMap:
	}
	return false
}

// Guess returns the columns of the kind's fields in a file with this header. It finds columns by the usual names of
// each field. For required fields, it is sufficient that the column name contains a usual name. Each column is for one
// field only.
func (k Kind) Guess(h source.Header) map[string]string {
	form, taken, found := kinds[k], map[int]bool{}, map[string]string{}
	take := func(field string, at int) {
		if at >= 0 && !taken[at] && h.Name(at) != "" {
			taken[at], found[field] = true, h.Name(at)
		}
	}
	for _, c := range form.columns {
		take(c.Field, h.Index(c.Names...))
	}
	for {
		field, at := nearest(h, form, found, taken)
		if at < 0 {
			return found
		}
		take(field, at)
	}
}

// nearest returns a required field without a column, and the index of an unused column. The column's name contains a
// usual name of the field. If there are several pairs, nearest returns the pair with the longest usual name. Without a
// pair, the index is -1.
func nearest(h source.Header, f form, found map[string]string, taken map[int]bool) (field string, at int) {
	at, longest := -1, 0
	for _, c := range f.columns {
		if found[c.Field] != "" || !slices.Contains(f.required, c.Field) {
			continue
		}
		for _, name := range c.Names {
			for i, column := range h.Names() {
				if !taken[i] && len(name) > longest && strings.Contains(" "+source.Fold(column)+" ", " "+name+" ") {
					field, at, longest = c.Field, i, len(name)
				}
			}
		}
	}
	return field, at
}

// Likeliest returns the kind with the fewest missing required fields for a header. In case of a tie, it returns the
// kind with the most known columns. It returns "" if no kind has a known required column.
func Likeliest(h source.Header) Kind {
	var best Kind
	bestMissing, bestKnown := 0, 0
	for _, k := range Kinds() {
		found := k.Guess(h)
		required := kinds[k].required
		missing := 0
		for _, field := range required {
			if found[field] == "" {
				missing++
			}
		}
		if missing < len(required) && (best == "" || missing < bestMissing || missing == bestMissing && len(found) > bestKnown) {
			best, bestMissing, bestKnown = k, missing, len(found)
		}
	}
	return best
}

// Text returns the mapping as YAML without empty values. [Parse] reads it.
func (m Mapping) Text() ([]byte, error) {
	plain, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("mapping %q: %w", m.Name, err)
	}
	var tree map[string]any
	if err := json.Unmarshal(plain, &tree); err != nil {
		return nil, fmt.Errorf("mapping %q: %w", m.Name, err)
	}
	pruned, _ := withoutEmpty(tree).(map[string]any)
	return yaml.Parser().Marshal(pruned)
}

// withoutEmpty removes empty values. It returns nil if nothing remains. In the rules of a list, it removes only nil
// values, because a rule may compare with an empty string.
func withoutEmpty(of any) any {
	switch v := of.(type) {
	case map[string]any:
		for key, value := range v {
			if v[key] = withoutEmpty(value); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for _, each := range v {
			rule, _ := each.(map[string]any)
			for key, value := range rule {
				if value == nil {
					delete(rule, key)
				}
			}
		}
	case string:
		if v == "" {
			return nil
		}
	}
	return of
}
