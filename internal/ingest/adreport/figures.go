package adreport

import (
	"errors"
	"slices"
	"strings"

	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// figures fills the row's numbers. A missing figure, such as "--", is zero.
func (s *rows) figures(rec tabular.Record, row *warehouse.AdDay) error {
	currency := s.currency
	if cell := s.cell(rec.Fields, Currency); !none(cell) {
		code, err := money.ParseCurrency(cell)
		if err != nil {
			return source.Unreadable(rec.Line, s.name(Currency), cell, err)
		}
		currency = code
	}
	count := func(cell string) (int64, error) { return source.Count(cell, s.notation) }
	amount := func(field string) func(cell string) (int64, error) {
		if slices.Contains(s.spec.Micros, field) {
			return count // converted to money after all rows of a day are added
		}
		return func(cell string) (int64, error) { return source.MoneyRounded(cell, currency, s.notation) }
	}
	claims := func(cell string) (int64, error) { return source.Conversions(cell, s.notation) }
	conversions := Conversions
	if _, ok := s.at[Conversions]; !ok && strings.Contains(s.cell(rec.Fields, Indicator), "purchase") {
		conversions = Results
	}
	for _, figure := range []struct {
		field string
		read  func(string) (int64, error)
		into  *int64
	}{
		{Impressions, count, &row.Impressions},
		{Clicks, count, &row.Clicks},
		{Spend, amount(Spend), &row.Spend},
		{conversions, claims, &row.Conversions},
		{Value, amount(Value), &row.Value},
	} {
		cell := s.cell(rec.Fields, figure.field)
		if none(cell) {
			continue
		}
		n, err := figure.read(cell)
		if err != nil {
			return source.Unreadable(rec.Line, s.name(figure.field), cell, err)
		}
		if figure.field == Spend {
			if err := source.CheckSpend(n, rec.Line, s.name(Spend), cell); err != nil {
				return err
			}
		}
		*figure.into = n
	}
	row.Original = money.Amount{Minor: row.Spend, Currency: currency}
	return nil
}

func (s *rows) name(field string) string {
	if i, ok := s.at[field]; ok {
		return s.header.Name(i)
	}
	return field
}

// fromMicros converts millionths of the currency to money after all rows of a day are added. Converting each hourly row
// would add a rounding error per row. Errors are [source.RowError]s.
func (s *rows) fromMicros() error {
	if len(s.spec.Micros) == 0 {
		return nil
	}
	var errs []error
	for i := range s.days {
		d := &s.days[i]
		c := d.Original.Currency
		for field, into := range map[string]*int64{Spend: &d.Spend, Value: &d.Value} {
			if slices.Contains(s.spec.Micros, field) {
				*into = money.FromMillionths(*into, c)
			}
		}
		d.Original.Minor = d.Spend
		s.totals.Spend[c] += d.Spend
		if err := s.rates.Convert(d.Day, c, &d.Spend, &d.Value); err != nil {
			errs = append(errs, source.Located(err, s.lines[i], 1))
		}
	}
	return errors.Join(errs...)
}
