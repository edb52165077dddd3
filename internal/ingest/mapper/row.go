package mapper

import (
	"errors"
	"slices"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// row is a record that is being read. It stores the first error. Later reads return zero values.
type row struct {
	*binding
	cells []string
	line  int
	fault error
}

// factRows reads files in which each row is read separately. If rows with the same key are summed, the function close
// adds their facts to the batch at the end.
type factRows struct {
	*simpleRows
	close func(b *warehouse.Batch)
}

// newFactRows returns the rows of a file. The function closing, if not nil, is called when the rows are closed.
func newFactRows(b *binding, read func(*row, *warehouse.Batch), closing func(*warehouse.Batch)) *factRows {
	r := &factRows{simpleRows: newSimpleRows(b), close: closing}
	r.add = func(rec tabular.Record, into *warehouse.Batch) error {
		one := &row{binding: b, cells: rec.Fields, line: rec.Line}
		read(one, into)
		return one.fault
	}
	return r
}

// Close implements [source.Rows].
func (r *factRows) Close(b *warehouse.Batch) (source.Summary, error) {
	if r.close != nil {
		r.close(b)
	}
	return r.simpleRows.Close(b)
}

func (r *row) fail(err error) {
	if r.fault == nil && err != nil {
		r.fault = err
	}
}

// wrong rejects the row because of a field's cell.
func (r *row) wrong(field int, reason string) {
	r.fail(r.unreadable(r.line, field, r.text(field), errors.New(reason)))
}

func (r *row) text(field int) string { return r.cell(r.cells, field) }

// needed returns the text of a required field.
func (r *row) needed(field int) string {
	text := r.text(field)
	if text == "" {
		r.wrong(field, "the row has no "+strings.ReplaceAll(r.fields[field].field, "_", " "))
	}
	return text
}

// date reads a day. It ignores a time of day without an offset. With an offset, the day is in the workspace's time
// zone.
func (r *row) date(field int) civil.Date {
	cell := r.text(field)
	if len(cell) > len("2026-09-30 ") && strings.ContainsAny(cell[len("2026-09-30 "):], "Zz+-") {
		if at, err := source.ParseInstant(cell, r.order, r.zone); err == nil {
			return civil.DayOf(at, r.options.Zone)
		}
	}
	d, err := r.day(r.cells, field, r.line)
	r.fail(err)
	return d
}

func (r *row) time(field int) time.Time {
	at, err := r.instant(r.cells, field, r.line)
	r.fail(err)
	return at
}

func (r *row) number(field int) int64 {
	n, err := r.count(r.cells, field, r.line)
	r.fail(err)
	return n
}

// counted reads a non-negative whole number.
func (r *row) counted(field int) int64 {
	n := r.number(field)
	if n < 0 {
		r.wrong(field, "a number cannot be negative")
	}
	return n
}

// orders reads a number of orders.
func (r *row) orders(field int) int64 {
	n := r.counted(field)
	if err := source.CheckOrders(n); err != nil {
		r.wrong(field, err.Error())
	}
	return n
}

// sum reads an amount and rounds extra decimals, which result from currency conversions and averages.
func (r *row) sum(field int, c money.Currency) int64 {
	cell := r.text(field)
	if cell == "" || r.fault != nil {
		return 0
	}
	n, err := source.MoneyRounded(cell, c, r.notation)
	if err != nil {
		r.fail(r.unreadable(r.line, field, cell, err))
	}
	if r.fields[field].negate {
		n = -n
	}
	return n
}

// share reads a rate as millionths: "1.5%" and "0.015" are 15,000.
func (r *row) share(field int) int64 {
	cell := r.text(field)
	if cell == "" || r.fault != nil {
		return 0
	}
	plain, percent := strings.CutSuffix(cell, "%")
	n, err := source.Millionths(strings.TrimSpace(plain), r.notation)
	if err != nil {
		r.fail(r.unreadable(r.line, field, cell, err))
		return 0
	}
	if percent {
		n /= 100
	}
	if n < 0 || n > 1e6 {
		r.wrong(field, "a rate must be between 0 and 1, or between 0% and 100%")
		return 0
	}
	return n
}

func (r *row) money(field int) money.Currency {
	c, err := r.currency(r.cells, field, r.line)
	r.fail(err)
	return c
}

// exchange converts amounts to the workspace's currency at the day's rate.
func (r *row) exchange(rates *source.Converter, day civil.Date, from money.Currency, amounts ...*int64) {
	if r.fault == nil {
		r.fail(source.Located(rates.Convert(day, from, amounts...), r.line, 1))
	}
}

// origin returns the source of the facts: the mapping's system, otherwise the mapping's name.
func (b *binding) origin() string {
	if b.mapping.System != "" {
		return b.mapping.System
	}
	return b.mapping.Name
}

// gathered collects facts by key, in the order of their first occurrence.
type gathered[K comparable, F any] struct {
	index map[K]int
	facts []F
}

// at returns the fact with the key, and reports whether the file contained it before.
func (g *gathered[K, F]) at(key K) (fact *F, known bool) {
	if g.index == nil {
		g.index = map[K]int{}
	}
	i, known := g.index[key]
	if !known {
		i = len(g.facts)
		g.index[key] = i
		g.facts = append(g.facts, *new(F))
	}
	return &g.facts[i], known
}

// isTotal reports whether a row is the sum of the other rows.
func isTotal(fields []string) bool {
	first := ""
	for _, f := range fields {
		f = source.Fold(f)
		if f == "grand total" {
			return true
		}
		if first == "" {
			first = f
		}
	}
	return slices.Contains([]string{"total", "gesamt", "totals", "summe"}, first)
}
