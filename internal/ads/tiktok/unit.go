package tiktok

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"

	"assay/internal/ads"
	"assay/internal/measure"
	"assay/internal/money"
)

// Whole is a budget in whole units of the currency, as callers of the API pass it.
type Whole int64

// Amount returns the budget as an amount.
func (w Whole) Amount(c money.Currency) (money.Amount, error) {
	iso := minorUnits(c)
	if int64(w) > math.MaxInt64/iso || int64(w) < math.MinInt64/iso {
		return money.Amount{}, ads.Reject(measure.TikTok, ads.AboveMaximum, "%d %s is too large.", int64(w), c)
	}
	return money.Amount{Minor: int64(w) * iso, Currency: c}, nil
}

func minorUnits(c money.Currency) int64 {
	n := int64(1)
	for range c.Exponent() {
		n *= 10
	}
	return n
}

// Decimal is a budget as TikTok writes it: a decimal number of units of the currency. A live budget can have a
// fraction, which a rollback restores.
type Decimal string

// Amount returns the budget as an amount. The result exact is false if the budget is finer than the currency's minor
// unit or is not an amount.
func (d Decimal) Amount(c money.Currency) (a money.Amount, exact bool) {
	if len(d) > 30 || strings.ContainsAny(string(d), "/xXpP_") || exponentTooLarge(string(d)) {
		return money.Amount{}, false
	}
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return money.Amount{}, false
	}
	r.Mul(r, new(big.Rat).SetInt64(minorUnits(c)))
	if !r.IsInt() || !r.Num().IsInt64() {
		return money.Amount{}, false
	}
	return money.Amount{Minor: r.Num().Int64(), Currency: c}, true
}

// exponentTooLarge reports whether the exponent has more than two digits. Such a number is not a budget, and exact
// arithmetic with it takes much memory.
func exponentTooLarge(text string) bool {
	_, exponent, found := strings.Cut(strings.ToLower(text), "e")
	return found && len(strings.TrimLeft(exponent, "+-0")) > 2
}

// DecimalOf returns the amount as a decimal number, without trailing zeros.
func DecimalOf(a money.Amount) Decimal {
	text := a.Decimal()
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return Decimal(text)
}

// Unit implements [ads.Unit].
type Unit struct{}

// Name implements [ads.Unit].
func (Unit) Name() string { return "whole currency units" }

// Amount implements [ads.Unit].
func (Unit) Amount(value int64, c money.Currency) (money.Amount, error) {
	return Whole(value).Amount(c)
}

// Value implements [ads.Unit].
func (Unit) Value(a money.Amount) (json.Number, error) { return json.Number(DecimalOf(a)), nil }
