// Package number writes numbers for people.
package number

import (
	"math"
	"strconv"
	"strings"
)

// Grouped writes a number with commas between thousands: "1,234,567.80". Zero has no sign, also where it is rounded to.
func Grouped(x float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if x < 0 && strings.Trim(text, "0.") != "" {
		return "-" + whole
	}
	return whole
}
