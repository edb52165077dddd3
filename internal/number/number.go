// Package number formats numbers for display.
package number

import (
	"math"
	"strconv"
	"strings"
)

// Grouped formats a number with commas between thousands: "1,234,567.80". Zero has no sign, even if the number is
// rounded to zero.
func Grouped(x float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	if x < 0 && strings.Trim(text, "0.") != "" {
		return "-" + Group(text)
	}
	return Group(text)
}

// Group adds commas between the thousands of an unsigned decimal number.
func Group(digits string) string {
	whole, fraction, hasFraction := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if hasFraction {
		whole += "." + fraction
	}
	return whole
}

// Percent formats a percentage: "12.5%".
func Percent(x float64, decimals int) string { return Grouped(x, decimals) + "%" }
