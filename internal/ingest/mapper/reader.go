package mapper

import (
	"strings"

	"assay/internal/fault"
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/source"
	"assay/internal/money"
)

// New returns the reader of files for which the mapping was made.
func New(m Mapping) source.Reader { return reader{mapping: m, given: true} }

// Common returns the readers of files whose columns have common names, one for each kind.
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
	given   bool // by the user; otherwise columns are found by their common names
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
	if !r.given {
		fit := source.FitOf(h, form.columns, form.required)
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

// columns returns the columns of the kind, by the mapping's names where it gives any.
func (r reader) columns() []source.Column {
	columns := append([]source.Column(nil), kinds[r.mapping.Kind].columns...)
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

// Open implements [source.Reader].
func (r reader) Open(t source.Table, o source.Options) (source.Rows, error) {
	if r.mapping.Kind == AdSpend {
		return r.openAdSpend(t, o)
	}
	b, err := r.bind(t, o)
	if err != nil {
		return nil, err
	}
	switch r.mapping.Kind {
	case Orders:
		return newOrderRows(b), nil
	case OrderLines:
		return newLineRows(b), nil
	case ChannelSpend:
		return newSpendRows(b)
	case FXRates:
		return newRateRows(b), nil
	case Targets:
		return newTargetRows(b), nil
	case AdSpend:
	}
	return nil, fault.Invalid("mapping %q has the unknown kind %q", r.mapping.Name, r.mapping.Kind)
}

func (r reader) openAdSpend(t source.Table, o source.Options) (source.Rows, error) {
	if len(r.mapping.Rules) > 0 || len(r.mapping.Values) > 0 || len(r.mapping.Negate) > 0 {
		return nil, fault.Invalid("mapping %q: rules, values and negate are not for ad reports", r.mapping.Name)
	}
	return adreport.New(adreport.Spec{
		Name: r.mapping.Name, Title: r.Title(), Columns: r.columns(), Required: kinds[AdSpend].required,
		Fixed: r.mapping.Fixed, Decimal: r.decimal(), Order: dayOrder(r.mapping.Dates.Layout),
		Daily: "export the report with a row per day",
	}).Open(t, o)
}

// decimal returns the mapping's notation, and 0 when it is to be found out.
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
