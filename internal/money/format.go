package money

import (
	"math"
	"strconv"
	"strings"

	"assay/internal/number"
)

// Minus is the minus sign on pages and charts. Text for programs has a hyphen.
const Minus = "−"

// symbols lists the currencies that pages and charts write with a symbol. Other currencies have their ISO code.
var symbols = map[Currency]string{"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}

// Symbol returns the symbol of a currency, or "" for a currency that is written with its ISO code.
func (c Currency) Symbol() string { return symbols[c] }

// Text formats whole units for answers, command output and logs: "USD 241,995", "-USD 12.50".
func Text(x float64, decimals int, c Currency) string {
	digits, sign := digits(x, decimals, "-")
	return sign + string(c) + " " + digits
}

// Display formats whole units for pages and charts: "$241,995", "−$12.50", "CHF 241,995".
func Display(x float64, decimals int, c Currency) string {
	digits, sign := digits(x, decimals, Minus)
	return sign + displayed(digits, c)
}

// DisplayOf formats an amount that is a decimal number, with the same decimals: "$1,234.50".
func DisplayOf(decimal string, c Currency) string {
	sign := ""
	if rest, negative := strings.CutPrefix(decimal, "-"); negative {
		decimal, sign = rest, Minus
	}
	return sign + displayed(number.Group(decimal), c)
}

// displayed adds the symbol of a currency to digits, or the ISO code if there is no symbol.
func displayed(digits string, c Currency) string {
	if symbol := c.Symbol(); symbol != "" {
		return symbol + digits
	}
	return string(c) + " " + digits
}

// digits formats the absolute value, rounded half away from zero. An amount that is rounded to zero has no sign.
func digits(x float64, decimals int, minus string) (digits, sign string) {
	shift := math.Pow10(decimals)
	if rounded := math.Round(x*shift) / shift; !math.IsNaN(rounded) && !math.IsInf(rounded, 0) {
		x = rounded
	}
	digits = number.Grouped(x, decimals)
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		return rest, minus
	}
	return digits, ""
}

// Decimal returns the amount as a decimal number with all decimals of its currency, for data: "1234.50".
func (a Amount) Decimal() string {
	sign, digits := "", strconv.FormatInt(a.Minor, 10)
	if a.Minor < 0 {
		sign, digits = "-", digits[1:]
	}
	e := a.Currency.Exponent()
	if e == 0 {
		return sign + digits
	}
	for len(digits) <= e {
		digits = "0" + digits
	}
	return sign + digits[:len(digits)-e] + "." + digits[len(digits)-e:]
}

// String returns the amount with all decimals of its currency, such as "USD 1,234.50".
func (a Amount) String() string { return TextOf(a.Decimal(), a.Currency) }

// TextOf formats an amount that is a decimal number, with the same decimals: "USD 1,234.50".
func TextOf(decimal string, c Currency) string {
	sign := ""
	if rest, negative := strings.CutPrefix(decimal, "-"); negative {
		decimal, sign = rest, "-"
	}
	return sign + string(c) + " " + number.Group(decimal)
}
