package adreport

import (
	"strings"

	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// figures fills the row's numbers. What a platform leaves out or writes as "--" is zero.
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
	amount := func(cell string) (int64, error) { return source.MoneyRounded(cell, currency, s.notation) }
	claims := func(cell string) (int64, error) { return source.Millionths(cell, s.notation) }
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
		{Spend, amount, &row.Spend},
		{conversions, claims, &row.Conversions},
		{Value, amount, &row.Value},
	} {
		cell := s.cell(rec.Fields, figure.field)
		if none(cell) {
			continue
		}
		n, err := figure.read(cell)
		if err != nil {
			return source.Unreadable(rec.Line, s.name(figure.field), cell, err)
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
