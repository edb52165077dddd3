package mapper

import (
	"slices"
	"strings"

	"assay/internal/fault"
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/source"
	"assay/internal/money"
)

// New returns a reader that uses the mapping.
func New(m Mapping) source.Reader { return reader{mapping: m, given: true} }

// Common returns the readers of files with common column names, one per kind.
func Common() []source.Reader {
	readers := make([]source.Reader, 0, len(kinds))
	for _, name := range kindNames() {
		kind := Kind(name)
		readers = append(readers, reader{mapping: Mapping{Name: name, Title: kinds[kind].title, Kind: kind}})
	}
	return readers
}

type reader struct {
	mapping Mapping
	given   bool    // given by the user; otherwise common names identify the columns
	export  *export // a known product's file
}

// Name implements [source.Reader].
func (r reader) Name() string { return r.mapping.Name }

// Title implements [source.Reader].
func (r reader) Title() string {
	if r.mapping.Title == "" {
		return r.mapping.Name
	}
	return r.mapping.Title
}

// Fit implements [source.Reader].
func (r reader) Fit(h source.Header) source.Fit {
	form := kinds[r.mapping.Kind]
	if r.export != nil {
		return r.export.fit(h)
	}
	if !r.given {
		fit := source.FitOf(h, form.columns, form.required)
		fit.Vague = true
		if r.mapping.Kind == OrderLines && h.Index(orderColumns[price].Names...) < 0 && h.Index(orderColumns[net].Names...) < 0 {
			fit.Missing = append(fit.Missing, orderColumns[price].Names[0])
		}
		return fit
	}
	var fit source.Fit
	for _, column := range append(keysToValues(r.mapping.Columns), r.ruleColumns()...) {
		if h.Index(source.Fold(column)) >= 0 {
			fit.Known++
		} else {
			fit.Missing = append(fit.Missing, column)
		}
	}
	return fit
}

func keysToValues(m map[string]string) []string {
	values := make([]string, 0, len(m))
	for _, key := range keysOf(m) {
		values = append(values, m[key])
	}
	return values
}

func (r reader) ruleColumns() []string {
	columns := make([]string, 0, len(r.mapping.Rules))
	for _, rule := range r.mapping.Rules {
		columns = append(columns, rule.Column)
	}
	return columns
}

// columns returns the columns of the kind. Column names of an export or a mapping replace the default names.
func (r reader) columns() []source.Column {
	columns := append([]source.Column(nil), kinds[r.mapping.Kind].columns...)
	if r.export != nil {
		for i, c := range columns {
			columns[i].Names = r.export.columns[c.Field]
		}
		return columns
	}
	if !r.given {
		return columns
	}
	for i, c := range columns {
		columns[i].Names = nil
		if column := r.mapping.Columns[c.Field]; column != "" {
			columns[i].Names = []string{source.Fold(column)}
		}
	}
	return columns
}

// Columns implements [source.Described].
func (r reader) Columns() []source.Column {
	columns := slices.DeleteFunc(r.columns(), func(c source.Column) bool { return len(c.Names) == 0 })
	if r.export != nil {
		for _, name := range r.export.signature {
			columns = append(columns, source.Column{Field: name, Names: []string{name}})
		}
	}
	return columns
}

// Needs implements [source.Described].
func (r reader) Needs() []string {
	if r.export != nil {
		return slices.Concat(r.export.required, r.export.signature)
	}
	return kinds[r.mapping.Kind].required
}

// Open implements [source.Reader].
func (r reader) Open(t source.Table, o source.Options) (source.Rows, error) {
	switch {
	case r.export != nil && r.export.useless != "":
		return nil, fault.Invalid("%s: %s", r.Title(), r.export.useless).WithHint("%s", r.export.instead)
	case r.mapping.Kind == AdSpend:
		return r.openAdSpend(t, o)
	}
	b, err := r.bind(t, o)
	if err != nil {
		return nil, err
	}
	return kinds[r.mapping.Kind].open(b)
}

// opening converts a constructor without an error result to a constructor with an error result.
func opening[R source.Rows](rows func(*binding) R) func(*binding) (source.Rows, error) {
	return func(b *binding) (source.Rows, error) { return rows(b), nil }
}

func (r reader) openAdSpend(t source.Table, o source.Options) (source.Rows, error) {
	if len(r.mapping.Rules) > 0 || len(r.mapping.Values) > 0 || len(r.mapping.Negate) > 0 {
		return nil, fault.Invalid("mapping %q: rules, values and negate do not apply to ad reports", r.mapping.Name)
	}
	return adreport.New(adreport.Spec{
		Name: r.mapping.Name, Title: r.Title(), Columns: r.columns(), Required: kinds[AdSpend].required,
		Fixed: r.mapping.Fixed, Decimal: r.decimal(), Order: dayOrder(r.mapping.Dates.Layout),
		Daily: "export the report with a row per day",
	}).Open(t, o)
}

// decimal returns the mapping's notation, or 0 to detect it.
func (r reader) decimal() money.Notation {
	switch r.mapping.Decimal {
	case "point":
		return money.Point
	case "comma":
		return money.Comma
	}
	return 0
}

func dayOrder(layout string) source.DayOrder {
	day, month := strings.Index(layout, "DD"), strings.Index(layout, "MM")
	switch {
	case layout == "" || day < 0 || month < 0:
		return source.UnknownOrder
	case day < month:
		return source.DayFirst
	}
	return source.MonthFirst
}
