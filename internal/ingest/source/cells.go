package source

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"assay/internal/money"
)

// Largest is the largest accepted amount in minor units, and the largest accepted count. A larger figure is an error in
// the file, and sums of such figures would overflow.
const Largest = 1_000_000_000_000_000

// LargestOrders is the largest accepted number of orders or conversions. These numbers are stored in millionths, so
// sums of larger numbers would overflow.
const LargestOrders = 1_000_000_000

// CheckOrders returns the error of a number of orders or conversions above [LargestOrders].
func CheckOrders(n int64) error {
	if max(n, -n) > LargestOrders {
		return errors.New("is implausibly large: the maximum is 1,000,000,000")
	}
	return nil
}

// Money reads an amount as minor units of the currency. It rejects extra decimals other than zero.
func Money(cell string, c money.Currency, n money.Notation) (int64, error) {
	if minor, ok := plain(cell, c.Exponent()); ok && n == money.Point {
		return minor, nil
	}
	a, err := money.Parse(cell, c, n)
	return believed(a.Minor, cell, err)
}

// MoneyRounded reads an amount as [Money] does, but rounds extra decimals.
func MoneyRounded(cell string, c money.Currency, n money.Notation) (int64, error) {
	if minor, ok := plain(cell, c.Exponent()); ok && n == money.Point {
		return minor, nil
	}
	a, err := money.ParseRounded(cell, c, n)
	return believed(a.Minor, cell, err)
}

func believed(n int64, cell string, err error) (int64, error) {
	if err == nil && (n > Largest || n < -Largest) {
		err = fmt.Errorf("%q %w", Shown(cell), errLarge)
	}
	return n, err
}

var errLarge = errors.New("is implausibly large")

// plain is a fast path for digits with at most one point, which nearly every cell contains. It must agree with
// money.Parse, which reads all other cells.
func plain(s string, exponent int) (minor int64, ok bool) {
	negative := strings.HasPrefix(s, "-")
	if negative {
		s = s[1:]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "" || len(whole)+exponent > 15 || len(fraction) > exponent {
		return 0, false
	}
	for i := range len(whole) {
		digit := whole[i] - '0'
		if digit > 9 {
			return 0, false
		}
		minor = minor*10 + int64(digit)
	}
	for i := range exponent {
		minor *= 10
		if i >= len(fraction) {
			continue
		}
		digit := fraction[i] - '0'
		if digit > 9 {
			return 0, false
		}
		minor += int64(digit)
	}
	if negative {
		minor = -minor
	}
	return minor, true
}

// Count reads a whole number, with optional thousands separators and zeros after the decimal separator.
func Count(cell string, n money.Notation) (int64, error) {
	if count, ok := plain(cell, 0); ok {
		return count, nil
	}
	// A count has the same notation as an amount in JPY, a currency without decimals.
	a, err := money.Parse(cell, "JPY", n)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", Shown(cell))
	}
	return believed(a.Minor, cell, nil)
}

// Millionths reads a number as millionths, because platforms report fractions of orders. It rounds half away from zero.
func Millionths(cell string, n money.Notation) (int64, error) {
	if m, ok := plain(cell, millionths); ok && n == money.Point {
		return m, nil
	}
	whole, fraction, _ := strings.Cut(strings.TrimSpace(cell), string(rune(n)))
	if whole == "" && fraction != "" {
		whole = "0"
	}
	a, err := money.Parse(whole, "JPY", n) // as in Count
	units := a.Minor
	if err != nil || strings.Trim(fraction, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a number", Shown(cell))
	}
	if max(units, -units) > Largest/1000 {
		return 0, fmt.Errorf("%q %w", Shown(cell), errLarge)
	}
	part := int64(0)
	for i := range millionths {
		part *= 10
		if i < len(fraction) {
			part += int64(fraction[i] - '0')
		}
	}
	if len(fraction) > millionths && fraction[millionths] >= '5' {
		part++
	}
	if strings.HasPrefix(whole, "-") {
		part = -part
	}
	return units*1e6 + part, nil
}

const millionths = 6 // decimals

// Conversions reads a number of conversions as millionths, like [Millionths], up to [LargestOrders].
func Conversions(cell string, n money.Notation) (int64, error) {
	m, err := Millionths(cell, n)
	if errors.Is(err, errLarge) {
		return 0, CheckOrders(Largest)
	}
	if err == nil {
		err = CheckOrders(m / 1e6)
	}
	return m, err
}

// NotationOf detects the decimal separator of cells. It uses only unambiguous cells, because "1.234" may have a decimal
// or a thousands separator. Without an unambiguous cell, the decimal separator is a point. The reader later rejects
// cells that contradict the result.
func NotationOf(columns ...[]string) money.Notation {
	points, commas := 0, 0
	for _, cells := range columns {
		for _, cell := range cells {
			switch decimalMark(cell) {
			case '.':
				points++
			case ',':
				commas++
			}
		}
	}
	if commas > points {
		return money.Comma
	}
	return money.Point
}

// decimalMark returns the separator of a cell that can only be the decimal separator, or 0 if the cell is ambiguous.
func decimalMark(cell string) byte {
	last := strings.LastIndexAny(cell, ".,")
	if last < 0 {
		return 0
	}
	mark, digits := cell[last], 0
	for i := last + 1; i < len(cell) && cell[i] >= '0' && cell[i] <= '9'; i++ {
		digits++
	}
	other := '.' + ',' - mark
	switch {
	case strings.IndexByte(cell[:last], other) >= 0:
		return mark // "1.234,5": the last of two different separators
	case strings.IndexByte(cell[:last], mark) >= 0:
		return other // "1.234.567": a repeated separator groups thousands
	case digits == 1 || digits == 2:
		return mark
	}
	return 0
}

// Times returns amount · count, or ok = false if the product exceeds [Largest].
func Times(amount, count int64) (product int64, ok bool) {
	if math.Abs(float64(amount)*float64(count)) > Largest {
		return 0, false
	}
	return amount * count, true
}

// Product returns the price of count pieces, rounded to the minor unit, half away from zero. The price of one piece may
// have more decimals than its currency. An empty price is zero.
func Product(price string, count int64, c money.Currency, n money.Notation) (int64, error) {
	if price == "" {
		return 0, nil
	}
	factor := int64(1)
	each, err := Money(price, c, n)
	if err != nil {
		if each, err = Millionths(price, n); err != nil {
			return 0, err
		}
		for range millionths - c.Exponent() {
			factor *= 10
		}
	}
	product, ok := Times(each, count)
	if !ok {
		return 0, fmt.Errorf("%q times %d is implausibly large", Shown(price), count)
	}
	return roundedDivision(product, factor), nil
}

func roundedDivision(n, by int64) int64 {
	if n < 0 {
		return -roundedDivision(-n, by)
	}
	return (n + by/2) / by
}

var shortened = regexp.MustCompile(`^\d([.,]\d+)?[eE]\+\d+$`)

// Shortened reports whether a spreadsheet has shortened a long ID to a form such as 1.20265E+17.
func Shortened(id string) bool { return shortened.MatchString(id) }

// ShortenedID returns the error for an ID that a spreadsheet has shortened.
func ShortenedID(line int, column, id, fix string) *RowError {
	return &RowError{Line: line, Column: column, Value: id, Reason: "a spreadsheet has shortened this ID, so other IDs may look the same", Fix: fix}
}
