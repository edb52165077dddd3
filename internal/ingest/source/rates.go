package source

import (
	"errors"
	"fmt"

	"assay/internal/civil"
	"assay/internal/money"
)

// staleRate is the maximum age of a rate in days. No rates are published on weekends and holidays.
const staleRate = 7

// Converter converts amounts to the workspace's currency at the day's rate, or at the latest rate of the previous seven
// days.
type Converter struct {
	base  money.Currency
	rates Rates
	known map[rateKey]rateFound
}

type rateKey struct {
	day  civil.Date
	from money.Currency
}

type rateFound struct {
	rate money.Rate
	ok   bool
}

// NewConverter returns a converter to the base currency. Without rates, the converter accepts only the base currency.
func NewConverter(base money.Currency, rates Rates) *Converter {
	return &Converter{base: base, rates: rates, known: map[rateKey]rateFound{}}
}

// Convert converts the amounts to the base currency. It rejects results above [Largest]. On error, it converts no
// amount. Without a rate, the error states how to provide one.
func (c *Converter) Convert(day civil.Date, from money.Currency, amounts ...*int64) error {
	if from == c.base {
		return nil
	}
	found := c.find(day, from)
	if !found.ok {
		return &RowError{
			Value:  string(from),
			Reason: fmt.Sprintf("no exchange rate from %s to %s on %s or the %d days before", from, c.base, day, staleRate),
			Fix:    fmt.Sprintf("import the rates first: a CSV with the columns date, from, to, rate; or create a workspace in %s, if the store sells in this currency", from),
		}
	}
	results := make([]int64, len(amounts))
	for i, a := range amounts {
		original := money.Amount{Minor: *a, Currency: from}
		converted, err := original.Convert(c.base, found.rate)
		if err != nil || converted.Minor > Largest || converted.Minor < -Largest {
			return &RowError{Reason: fmt.Sprintf("%s in %s %v", original, c.base, errLarge)}
		}
		results[i] = converted.Minor
	}
	for i, a := range amounts {
		*a = results[i]
	}
	return nil
}

func (c *Converter) find(day civil.Date, from money.Currency) rateFound {
	key := rateKey{day, from}
	found, ok := c.known[key]
	if ok {
		return found
	}
	for age := 0; age <= staleRate && c.rates != nil && !found.ok; age++ {
		found.rate, found.ok = c.rates.Rate(day.AddDays(-age), from, c.base)
	}
	c.known[key] = found
	return found
}

// Located sets the number of rejected rows of an error, and the line if the error has none.
func Located(err error, line, rows int) error {
	if row, ok := errors.AsType[*RowError](err); ok {
		row.Rows = rows
		if row.Line == 0 {
			row.Line = line
		}
	}
	return err
}
