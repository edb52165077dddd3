package ingest

import (
	"fmt"

	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// RatesOf returns the exchange rates of a store's facts, by day and pair of currencies.
func RatesOf(facts []warehouse.FXRate) (source.Rates, error) {
	rates := make(rateTable, len(facts))
	for _, f := range facts {
		rate, err := money.ParseRate(f.Rate)
		if err != nil {
			return nil, fmt.Errorf("rate of %s in %s on %s: %w", f.From, f.To, f.Day, err)
		}
		rates[ratePair{f.Day, f.From, f.To}] = rate
	}
	return rates, nil
}

type ratePair struct {
	day      civil.Date
	from, to money.Currency
}

type rateTable map[ratePair]money.Rate

// Rate returns the value of one unit of the currency from in the currency to on the day.
func (t rateTable) Rate(day civil.Date, from, to money.Currency) (money.Rate, bool) {
	rate, ok := t[ratePair{day, from, to}]
	return rate, ok
}
