package mapper

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"

	"assay/internal/ingest/source"
)

// Field is something that a row of a kind tells.
type Field struct {
	Name     string // in a mapping
	Title    string // for people
	Required bool   // it needs a column or a fixed value
	Usual    bool   // most files have it
}

// Kinds returns all kinds, in the order in which they are shown.
func Kinds() []Kind {
	all := make([]Kind, 0, len(kinds))
	for _, name := range kindNames() {
		all = append(all, Kind(name))
	}
	return all
}

// Title is what people call files of the kind, "" of an unknown one.
func (k Kind) Title() string { return kinds[k].title }

// usual are the fields that are worth asking for although a row can do without them.
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

// Fields returns the fields of the kind: the required ones, the usual ones and the others, each in the kind's order.
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

// NamedByMapping reports whether rows of the kind are kept under the mapping's own name, unless it has a system: then the
// same rows under another name would count again.
func (k Kind) NamedByMapping() bool {
	switch k {
	case ChannelSpend, FXRates, Customers, Products, Messages, Surveys, Creators, RegionDays, SurfaceDays:
		return true
	case Orders, OrderLines, AdSpend, Targets, CouponMap:
	}
	return false
}

// Guess returns the columns that files with such a header have for the kind's fields: those with common names, and for
// the required fields also columns whose names hold a common one. A column stands for one field only.
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

// nearest returns the required field without a column, and the free column, whose names agree in the longest words; -1
// when none does.
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

// Likeliest returns the kind that misses the fewest required fields of a file with such a header, and of those the one
// that knows the most columns; "" when none knows a column that it requires.
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

// Text returns the mapping as YAML without what is empty. [Parse] reads it back.
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

// withoutEmpty leaves out what says nothing; nil when that is all. A rule may compare with an empty text, so what
// stands in a list is kept but for what is not there.
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
