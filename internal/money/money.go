// Package money contains exact amounts with their currency.
//
// An amount is an integer number of the currency's minor units. Amounts are never floats. Statistics convert them
// explicitly with [Amount.Major].
package money

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Currency is an ISO 4217 code in upper case, such as "USD".
type Currency string

// ParseCurrency reads a three-letter code in upper or lower case.
func ParseCurrency(s string) (Currency, error) {
	code := strings.ToUpper(strings.TrimSpace(s))
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "", fmt.Errorf("%q is not a currency code such as USD", s)
	}
	return Currency(code), nil
}

// Exponent returns the number of decimals of the minor unit: 2 for USD, 0 for JPY, 3 for KWD.
func (c Currency) Exponent() int {
	switch c { // the currencies of ISO 4217 with a minor unit other than a hundredth
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF":
		return 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	}
	return 2
}

// Amount is an exact amount of money.
type Amount struct {
	Minor    int64 // in minor units: cents for USD
	Currency Currency
}

// Major returns the amount in whole currency units, for display and for statistics.
func (a Amount) Major() float64 { return Major(a.Minor, a.Currency) }

// Major returns minor units of a currency as whole units.
func Major(minor int64, c Currency) float64 {
	return float64(minor) / math.Pow10(c.Exponent())
}

// FromMillionths returns millionths of a currency's whole unit as its minor units, rounded half away from zero.
func FromMillionths(n int64, c Currency) int64 {
	if n < 0 {
		return -FromMillionths(-n, c)
	}
	unit := int64(1_000_000)
	for range c.Exponent() {
		unit /= 10
	}
	return n/unit + (n%unit+unit/2)/unit
}

// Add returns the sum. Amounts in different currencies result in an error.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.Currency != b.Currency {
		return Amount{}, fmt.Errorf("cannot add %s to %s", b.Currency, a.Currency)
	}
	sum := a.Minor + b.Minor
	if (sum > a.Minor) != (b.Minor > 0) && b.Minor != 0 {
		return Amount{}, fmt.Errorf("the total of %s and %s is too large", a, b)
	}
	return Amount{Minor: sum, Currency: a.Currency}, nil
}

// Rate is an exact exchange rate: the number of units of the target currency per unit of the source currency.
type Rate struct{ ratio *big.Rat }

// longestRate is the maximum length of an exchange rate. Exact arithmetic with long numbers is slow.
const longestRate = 64

// ParseRate reads a positive decimal such as "1.0842", with at most 64 characters.
func ParseRate(s string) (Rate, error) {
	s = strings.TrimSpace(s)
	if len(s) > longestRate {
		return Rate{}, fmt.Errorf("an exchange rate of %d characters is not accepted; use at most %d", len(s), longestRate)
	}
	r, ok := new(big.Rat), strings.Trim(s, "+.0123456789") == "" // an exponent could have millions of digits
	if ok {
		_, ok = r.SetString(s)
	}
	if !ok || r.Sign() <= 0 {
		return Rate{}, fmt.Errorf("%q is not a positive exchange rate", s)
	}
	return Rate{ratio: r}, nil
}

// Convert returns the amount in another currency, rounded half away from zero to the minor unit of that currency.
func (a Amount) Convert(to Currency, rate Rate) (Amount, error) {
	x := new(big.Rat).SetInt64(a.Minor)
	x.Mul(x, rate.ratio)
	steps := big.NewInt(int64(abs(to.Exponent() - a.Currency.Exponent())))
	shift := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), steps, nil))
	if to.Exponent() >= a.Currency.Exponent() {
		x.Mul(x, shift)
	} else {
		x.Quo(x, shift)
	}
	minor, ok := roundHalfAway(x)
	if !ok {
		return Amount{}, fmt.Errorf("%s in %s is too large", a, to)
	}
	return Amount{Minor: minor, Currency: to}, nil
}

func roundHalfAway(x *big.Rat) (int64, bool) {
	doubled := new(big.Int).Lsh(new(big.Int).Abs(x.Num()), 1)
	doubled.Add(doubled, x.Denom())
	doubled.Quo(doubled, new(big.Int).Lsh(x.Denom(), 1))
	if x.Sign() < 0 {
		doubled.Neg(doubled)
	}
	return doubled.Int64(), doubled.IsInt64()
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
