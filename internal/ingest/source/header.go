package source

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"assay/internal/money"
)

// Header contains the column names of a table as in the file.
type Header struct {
	names  []string
	folded []string
}

// NewHeader returns the header of the names.
func NewHeader(names []string) Header {
	h := Header{names: slices.Clone(names), folded: make([]string, len(names))}
	for i, name := range names {
		h.folded[i] = Fold(name)
	}
	return h
}

// Width returns the number of columns.
func (h Header) Width() int { return len(h.names) }

// Names returns the column names as in the file.
func (h Header) Names() []string { return h.names }

// folding removes differences in spelling between exports of the same column.
var folding = strings.NewReplacer("’", "'", "ß", "ss", "\u00a0", " ", "\ufeff", "", "_", " ")

// Fold returns a column's name in the form for comparisons: lower case, without accents, with single spaces.
// Underscores are treated as spaces.
func Fold(name string) string {
	if isFolded(name) { // the usual case
		return name
	}
	decomposed := norm.NFD.String(folding.Replace(name))
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, decomposed)
	return strings.Join(strings.Fields(plain), " ")
}

// isFolded reports whether a name consists of lower-case ASCII letters, digits and single spaces between them.
func isFolded(name string) bool {
	blank := true // before the name
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			blank = false
		case c == ' ' && !blank:
			blank = true
		default:
			return false
		}
	}
	return !blank || name == ""
}

// Index returns the index of the column with one of the folded names, or -1 if there is none. If several names have a
// column, the first of these names applies.
func (h Header) Index(names ...string) int {
	for _, name := range names {
		if i := slices.Index(h.folded, name); i >= 0 {
			return i
		}
	}
	return -1
}

// Name returns the column's name as in the file, or "" for a missing column.
func (h Header) Name(i int) string {
	if i < 0 || i >= len(h.names) {
		return ""
	}
	return strings.TrimSpace(h.names[i])
}

// Currency finds a column with a currency in parentheses at the end of its name, such as "Amount spent (USD)". It
// returns the column's index and the currency. The parameter names contains folded names without the parentheses.
func (h Header) Currency(names ...string) (int, money.Currency) {
	for i, name := range h.folded {
		before, code, ok := cutCurrency(name)
		if ok && slices.Contains(names, before) {
			return i, code
		}
	}
	return -1, ""
}

func cutCurrency(name string) (before string, code money.Currency, ok bool) {
	before, rest, found := strings.Cut(name, " (")
	inside, closed := strings.CutSuffix(rest, ")")
	if !found || !closed {
		return "", "", false
	}
	code, err := money.ParseCurrency(inside)
	return before, code, err == nil
}

// Column is a field of a reader and its folded column names, preferred ones first.
type Column struct {
	Field string
	Names []string
}

// Place finds the columns of a header. It omits fields without a column.
func (h Header) Place(columns []Column) map[string]int {
	places := map[string]int{}
	for _, c := range columns {
		if i := h.Index(c.Names...); i >= 0 {
			places[c.Field] = i
		}
	}
	return places
}

// Cell returns the cell at the index without surrounding spaces, or "" for a missing column.
func Cell(fields []string, at int) string {
	if at < 0 || at >= len(fields) {
		return ""
	}
	return strings.TrimSpace(fields[at])
}

// FitOf returns how well a header fits the columns of a reader. The header must have the required fields.
func FitOf(h Header, columns []Column, required []string) Fit {
	found := h.Place(columns)
	fit := Fit{Known: len(found)}
	for _, field := range required {
		if _, ok := found[field]; ok {
			continue
		}
		for _, c := range columns {
			if c.Field == field {
				fit.Missing = append(fit.Missing, c.Names[0])
			}
		}
	}
	return fit
}
