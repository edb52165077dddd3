package money

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Notation is the notation of decimal numbers in a file.
type Notation byte

// The notations of numbers. Point is "1,234.50", Comma is "1.234,50".
const (
	Point Notation = '.'
	Comma Notation = ','
)

// Parse reads an amount in whole currency units, such as "1,234.50", "-20", "$3" or "(4.00)" for a negative amount. A
// currency sign or code may come before or after the number. Parse rejects more decimals than the currency has, unless
// they are zeros, so that nothing is rounded silently.
func Parse(s string, c Currency, n Notation) (Amount, error) {
	minor, exact, err := parse(s, c.Exponent(), n)
	if err == nil && !exact {
		err = fmt.Errorf("%q has more decimals than %s", s, c)
	}
	return Amount{Minor: minor, Currency: c}, err
}

// ParseRounded reads an amount like [Parse], but rounds surplus decimals half away from zero. Ad platforms report cost
// with more decimals than the currency has.
func ParseRounded(s string, c Currency, n Notation) (Amount, error) {
	minor, _, err := parse(s, c.Exponent(), n)
	return Amount{Minor: minor, Currency: c}, err
}

func parse(s string, exponent int, n Notation) (minor int64, exact bool, err error) {
	text, negative := strip(s)
	whole, fraction, ok := split(text, n)
	if !ok {
		return 0, false, fmt.Errorf("%q is not an amount of money", s)
	}
	for len(fraction) < exponent {
		fraction = append(fraction, '0')
	}
	kept, surplus := fraction[:exponent], fraction[exponent:]
	minor, err = strconv.ParseInt(string(append(whole, kept...)), 10, 64)
	if err != nil {
		return 0, false, fmt.Errorf("%q is too large", s)
	}
	exact = len(bytes.Trim(surplus, "0")) == 0
	if len(surplus) > 0 && surplus[0] >= '5' && minor < math.MaxInt64 {
		minor++
	}
	if negative {
		minor = -minor
	}
	return minor, exact, nil
}

// split returns the digits before and after the decimal separator, without thousands separators. The result ok is false
// if the text is not a number.
func split(text string, n Notation) (whole, fraction []byte, ok bool) {
	seenMark := false
	for i := range len(text) {
		switch ch := text[i]; {
		case ch >= '0' && ch <= '9' && seenMark:
			fraction = append(fraction, ch)
		case ch >= '0' && ch <= '9':
			whole = append(whole, ch)
		case ch == byte(n) && !seenMark:
			seenMark = true
		case isGroup(ch, n) && !seenMark && len(whole) > 0 && groupFollows(text[i+1:], n):
		default:
			return nil, nil, false
		}
	}
	if len(whole) == 0 {
		whole = []byte{'0'}
		return whole, fraction, len(fraction) > 0
	}
	return whole, fraction, true
}

func isGroup(ch byte, n Notation) bool {
	return ch == ' ' || ch == '\'' || n == Point && ch == ',' || n == Comma && ch == '.'
}

// groupFollows reports whether exactly three digits come before the next separator or the end.
func groupFollows(s string, n Notation) bool {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i == 3 && (i == len(s) || isGroup(s[i], n) || s[i] == byte(n))
}

// strip removes spaces, a plus or minus sign, parentheses and a currency's sign or code.
func strip(s string) (digits string, negative bool) {
	s = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2212", "-", "\u2019", "'").Replace(s)
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		s, negative = s[1:len(s)-1], true
	}
	s = trimCurrency(s)
	switch {
	case strings.HasPrefix(s, "-"):
		s, negative = s[1:], !negative
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	case strings.HasSuffix(s, "-"):
		s, negative = s[:len(s)-1], !negative
	}
	return trimCurrency(s), negative
}

func trimCurrency(s string) string {
	s = strings.TrimSpace(s)
	for _, sign := range []string{"$", "€", "£", "¥", "₹", "zł", "kr", "US$"} {
		s = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, sign), sign))
	}
	if len(s) > 3 {
		if _, err := ParseCurrency(s[:3]); err == nil {
			s = strings.TrimSpace(s[3:])
		}
	}
	if len(s) > 3 {
		if _, err := ParseCurrency(s[len(s)-3:]); err == nil {
			s = strings.TrimSpace(s[:len(s)-3])
		}
	}
	return s
}
