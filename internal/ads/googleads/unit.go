package googleads

import (
	"encoding/json"
	"math"
	"strconv"

	"assay/internal/ads"
	"assay/internal/measure"
	"assay/internal/money"
)

// Micros is a budget in millionths of the currency's unit.
type Micros int64

// minorUnit returns the micros of one minor unit of the currency.
func minorUnit(c money.Currency) Micros {
	unit := Micros(measure.Millionths)
	for range c.Exponent() {
		unit /= 10
	}
	return unit
}

// Amount returns the budget as an amount. The result exact is false if the budget is finer than the currency's minor
// unit.
func (m Micros) Amount(c money.Currency) (a money.Amount, exact bool) {
	unit := minorUnit(c)
	if m%unit != 0 {
		return money.Amount{}, false
	}
	return money.Amount{Minor: int64(m / unit), Currency: c}, true
}

// MicrosOf returns the amount in micros.
func MicrosOf(a money.Amount) (Micros, error) {
	unit := minorUnit(a.Currency)
	if a.Minor > math.MaxInt64/int64(unit) || a.Minor < math.MinInt64/int64(unit) {
		return 0, ads.Reject(measure.Google, ads.AboveMaximum, "%s is too large.", a)
	}
	return Micros(a.Minor) * unit, nil
}

// Unit implements [ads.Unit].
type Unit struct{}

// Name implements [ads.Unit].
func (Unit) Name() string { return "micros" }

// Amount implements [ads.Unit].
func (Unit) Amount(value int64, c money.Currency) (money.Amount, error) {
	a, exact := Micros(value).Amount(c)
	if !exact {
		text := "%d micros are not a multiple of the billable unit; the minor unit of %s is %d micros."
		return money.Amount{}, ads.Reject(measure.Google, ads.NotBillable, text, value, c, int64(minorUnit(c)))
	}
	return a, nil
}

// Value implements [ads.Unit].
func (Unit) Value(a money.Amount) (json.Number, error) {
	m, err := MicrosOf(a)
	return json.Number(strconv.FormatInt(int64(m), 10)), err
}
