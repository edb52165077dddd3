package mapper

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/money"
)

// binding is a mapping bound to the columns of one file.
type binding struct {
	mapping  Mapping
	header   source.Header
	options  source.Options
	fields   []place // in the order of the kind's columns
	rules    []condition
	notation money.Notation
	order    source.DayOrder
	layout   string
	zone     *time.Location
	assumed  money.Currency // used if the file has no currency; "" before the first use
	known    bool           // the file is an export of a known product; the product's IDs identify customers
	ends     string         // start of the first row after the table; "": the file contains one table
}

type place struct {
	field  string
	at     int // index of the column; -1: none
	plus   []addend
	fixed  string
	values map[string]string
	negate bool
}

// addend is a column with an amount that is added to or subtracted from a field's amount.
type addend struct {
	at  int
	off bool
}

// cell returns the value of a field in the row.
func (b *binding) cell(fields []string, i int) string {
	p := &b.fields[i]
	text := source.Cell(fields, p.at)
	if p.values != nil {
		if value, ok := p.values[text]; ok {
			text = value
		}
	}
	if text == "" {
		return p.fixed
	}
	return text
}

func (b *binding) unreadable(line, i int, cell string, why error) *source.RowError {
	p := b.fields[i]
	column := b.header.Name(p.at)
	if column == "" {
		column = p.field
	}
	return source.Unreadable(line, column, cell, why)
}

// instant reads a time.
func (b *binding) instant(fields []string, i, line int) (time.Time, error) {
	cell := b.cell(fields, i)
	var t time.Time
	var err error
	if b.layout == "" {
		t, err = source.ParseInstant(cell, b.order, b.zone)
	} else if t, err = time.ParseInLocation(b.layout, cell, b.zone); err != nil {
		err = fmt.Errorf("is not in the mapping's layout %s", b.mapping.Dates.Layout)
	}
	if err != nil {
		e := b.unreadable(line, i, cell, err)
		e.Fix = source.DayFix(err, "use a mapping with dates.layout, such as DD/MM/YYYY HH:mm")
		return t, e
	}
	return t.UTC(), nil
}

// day reads a day.
func (b *binding) day(fields []string, i, line int) (civil.Date, error) {
	if b.layout != "" {
		t, err := b.instant(fields, i, line)
		return civil.DayOf(t, b.zone), err
	}
	cell := b.cell(fields, i)
	d, err := source.ParseDay(cell, b.order)
	if err != nil {
		e := b.unreadable(line, i, cell, err)
		e.Fix = source.DayFix(err, "use a mapping with dates.layout, such as DD/MM/YYYY")
		return d, e
	}
	return d, nil
}

// amount reads an amount. An empty cell is zero.
func (b *binding) amount(fields []string, i, line int, c money.Currency) (n int64, err error) {
	if cell := b.cell(fields, i); cell != "" {
		if n, err = source.Money(cell, c, b.notation); err != nil {
			return 0, b.unreadable(line, i, cell, err)
		}
	}
	for _, more := range b.fields[i].plus {
		cell := source.Cell(fields, more.at)
		if cell == "" {
			continue
		}
		part, err := source.Money(cell, c, b.notation)
		if err != nil {
			return 0, source.Unreadable(line, b.header.Name(more.at), cell, err)
		}
		if more.off {
			part = -part
		}
		n += part
	}
	if b.fields[i].negate {
		n = -n
	}
	return n, nil
}

// count reads a whole number. An empty cell is zero.
func (b *binding) count(fields []string, i, line int) (int64, error) {
	cell := b.cell(fields, i)
	if cell == "" {
		return 0, nil
	}
	n, err := source.Count(cell, b.notation)
	if err != nil {
		return 0, b.unreadable(line, i, cell, err)
	}
	if b.fields[i].negate {
		n = -n
	}
	return n, nil
}

// currency reads a currency. If the file, the mapping and the import options contain no currency, the result is the
// workspace's currency.
func (b *binding) currency(fields []string, i, line int) (money.Currency, error) {
	cell := b.cell(fields, i)
	if cell == "" && b.assumed == "" {
		b.assumed = b.options.AssumedCurrency()
	}
	if cell == "" {
		return b.assumed, nil
	}
	if cell == string(b.options.Base) {
		return b.options.Base, nil
	}
	c, err := money.ParseCurrency(cell)
	if err != nil {
		return "", b.unreadable(line, i, cell, err)
	}
	return c, nil
}

func (b *binding) channel(fields []string, i int) measure.Channel {
	if b.options.Channel != "" {
		return b.options.Channel
	}
	return measure.ParseChannel(b.cell(fields, i))
}

// bind connects the mapping's fields to the columns of one file.
func (r reader) bind(t source.Table, o source.Options) (*binding, error) {
	b := &binding{mapping: r.mapping, header: t.Header, options: o, zone: o.WrittenIn(), layout: goLayout(r.mapping.Dates.Layout), known: r.export != nil}
	columns := r.columns()
	b.fields = make([]place, len(columns))
	for i, c := range columns {
		b.fields[i] = place{
			field: c.Field, at: t.Header.Index(c.Names...), fixed: r.mapping.Fixed[c.Field],
			values: r.mapping.Values[c.Field],
		}
	}
	for _, field := range r.mapping.Negate {
		b.fields[fieldAt(columns, field)].negate = true
	}
	if r.mapping.Dates.Zone != "" {
		zone, err := time.LoadLocation(r.mapping.Dates.Zone)
		if err != nil {
			return nil, fault.Invalid("mapping %q: %q is not a time zone", r.mapping.Name, r.mapping.Dates.Zone)
		}
		b.zone = zone
	}
	var numbers, days [][]string
	for _, p := range b.fields {
		switch p.field {
		case "total", "net", "gross", "price", "cost", "tax", "shipping", "discount", "spend", "value", "revenue", "fee", "commission", "gift":
			numbers = append(numbers, t.Column(p.at))
		case "at", "date", "start", "valid_from", "since":
			days = append(days, t.Column(p.at))
		}
	}
	if b.notation = r.decimal(); b.notation == 0 {
		b.notation = source.NotationOf(numbers...)
	}
	b.order = o.Order
	for _, cells := range days {
		b.order = cmp.Or(b.order, source.DayOrderOf(cells))
	}
	if e := r.export; e != nil {
		b.ends = e.ends
		if e.note != "" {
			o.Notes.Add("export_note", "%s", e.note)
		}
		if b.order == source.UnknownOrder {
			b.order = e.order
		}
		for field, names := range e.plus {
			p := &b.fields[fieldAt(columns, field)]
			for _, name := range names {
				name, off := strings.CutPrefix(name, "- ")
				if at := t.Header.Index(name); at >= 0 {
					p.plus = append(p.plus, addend{at, off})
				}
			}
		}
	}
	b.rules = compile(r.mapping.Rules, t.Header)
	return b, nil
}

// goLayout converts a layout such as DD.MM.YYYY HH:mm:ss to a layout of package time. It does not change other text.
func goLayout(layout string) string {
	return strings.NewReplacer("YYYY", "2006", "YY", "06", "MMM", "Jan", "MM", "01", "DD", "02", "HH", "15", "hh", "03",
		"mm", "04", "ss", "05", "ZZZ", "-0700", "A", "PM").Replace(layout)
}
