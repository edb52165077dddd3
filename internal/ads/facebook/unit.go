package facebook

import (
	"encoding/json"
	"math"
	"strconv"

	"assay/internal/ads"
	"assay/internal/measure"
	"assay/internal/money"
)

// Minor is a budget in Meta's minor units. Depending on the currency, they are hundredths or whole units, according to
// Meta's own list. For some currencies, Meta's minor unit differs from the minor unit of ISO 4217.
type Minor int64

// offsets is Meta's published list of ad account currencies, with the number of Meta's minor units per unit of the
// currency. https://developers.facebook.com/docs/marketing-api/currencies
var offsets = map[money.Currency]int64{
	"AED": 100, "ARS": 100, "AUD": 100, "BDT": 100, "BGN": 100, "BHD": 100, "BOB": 100, "BRL": 100, "CAD": 100, "CHF": 100,
	"CLP": 1, "CNY": 100, "COP": 1, "CRC": 1, "CZK": 100, "DKK": 100, "DZD": 100, "EGP": 100, "EUR": 100, "GBP": 100,
	"GTQ": 100, "HKD": 100, "HNL": 100, "HRK": 100, "HUF": 1, "IDR": 1, "ILS": 100, "INR": 100, "ISK": 1, "JOD": 100,
	"JPY": 1, "KES": 100, "KRW": 1, "LTL": 100, "LVL": 100, "MOP": 100, "MXN": 100, "MYR": 100, "NGN": 100, "NIO": 100,
	"NOK": 100, "NZD": 100, "PEN": 100, "PHP": 100, "PKR": 100, "PLN": 100, "PYG": 1, "QAR": 100, "RON": 100, "RSD": 100,
	"RUB": 100, "SAR": 100, "SEK": 100, "SGD": 100, "SKK": 100, "THB": 100, "TRY": 100, "TWD": 1, "UAH": 100, "USD": 100,
	"UYU": 100, "VEF": 100, "VES": 100, "VND": 1, "ZAR": 100,
}

// scale returns the numbers of ISO minor units and of Meta's minor units in one unit of the currency.
func scale(c money.Currency) (iso, meta int64, err error) {
	meta, listed := offsets[c]
	if !listed {
		return 0, 0, ads.Reject(measure.Facebook, ads.CurrencyUnsupported, "Meta's published currency list does not contain %q.",
			ads.Clean(string(c), 3))
	}
	iso = 1
	for range c.Exponent() {
		iso *= 10
	}
	return iso, meta, nil
}

// Amount returns the budget as an amount. It returns an error if Meta's list does not contain the currency, or if the
// budget is not a whole number of ISO minor units.
func (m Minor) Amount(c money.Currency) (money.Amount, error) {
	iso, meta, err := scale(c)
	if err != nil {
		return money.Amount{}, err
	}
	n, ok := rescale(int64(m), iso, meta)
	if !ok {
		return money.Amount{}, ads.Reject(measure.Facebook, ads.NotBillable,
			"%d of Meta's minor units are not a valid amount of %s.", int64(m), c)
	}
	return money.Amount{Minor: n, Currency: c}, nil
}

// MinorOf returns the amount in Meta's minor units.
func MinorOf(a money.Amount) (Minor, error) {
	iso, meta, err := scale(a.Currency)
	if err != nil {
		return 0, err
	}
	n, ok := rescale(a.Minor, meta, iso)
	if !ok {
		return 0, ads.Reject(measure.Facebook, ads.NotBillable,
			"%s is not a whole number of Meta's minor units (1 %s has %d).", a, a.Currency, meta)
	}
	return Minor(n), nil
}

// rescale returns n × up / down if it is a whole number in range.
func rescale(n, up, down int64) (int64, bool) {
	if n > math.MaxInt64/up || n < math.MinInt64/up || n*up%down != 0 {
		return 0, false
	}
	return n * up / down, true
}

// Unit implements [ads.Unit].
type Unit struct{}

// Name implements [ads.Unit].
func (Unit) Name() string { return "minor units (cents)" }

// Amount implements [ads.Unit].
func (Unit) Amount(value int64, c money.Currency) (money.Amount, error) {
	return Minor(value).Amount(c)
}

// Value implements [ads.Unit].
func (Unit) Value(a money.Amount) (json.Number, error) {
	m, err := MinorOf(a)
	return json.Number(strconv.FormatInt(int64(m), 10)), err
}
