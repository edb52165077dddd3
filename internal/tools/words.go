package tools

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

// amount writes minor units for a sentence, rounded as figures are: "118,240 USD" or "12.50 USD".
func (w *Writer) amount(minor int64) string {
	return w.spelled(Money(money.Major(minor, w.figures.currency)))
}

// spelled writes an amount in whole units for a sentence.
func (w *Writer) spelled(amount Money) string {
	currency := w.figures.currency
	x := finish{level: analystLevel, exponent: currency.Exponent()}.money(float64(amount))
	places := 0
	if math.Abs(x) < 1000 {
		places = min(2, currency.Exponent())
	}
	return grouped(x, places) + " " + string(currency)
}

// grouped writes a number with commas between thousands.
func grouped(x float64, places int) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', places, 64)
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

// number writes a number of things: "1,204" or "12.5".
func number(x float64) string {
	if x == math.Trunc(x) {
		return grouped(x, 0)
	}
	return strings.TrimRight(strings.TrimRight(grouped(x, 2), "0"), ".")
}

// against writes a change against the equally long window before: "up 4.6 % on the 31 days before".
func against(change *Percent, days civil.Range) string {
	before := "the day before"
	if days.Days() > 1 {
		before = fmt.Sprintf("the %d days before", days.Days())
	}
	if change == nil {
		return "with nothing in " + before + " to compare with"
	}
	if decimals(float64(*change), 1) == 0 {
		return "unchanged from " + before
	}
	return moved(change) + " on " + before
}

// moved writes a change in percent for a sentence: "up 4.6 %", "down 12.0 %", "unchanged".
func moved(change *Percent) string {
	if change == nil {
		return "with nothing to compare"
	}
	switch p := decimals(float64(*change), 1); {
	case p > 0:
		return fmt.Sprintf("up %s %%", grouped(p, 1))
	case p < 0:
		return fmt.Sprintf("down %s %%", grouped(-p, 1))
	}
	return "unchanged"
}

// plainName is what a channel's name looks like in a sentence.
var plainName = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)

// spoken names a channel in a sentence. A name that reads like anything but a key stays in the rows.
func spoken(c measure.Channel) string {
	if plainName.MatchString(string(c)) {
		return string(c)
	}
	return "one channel"
}

// spell writes a window for a sentence.
func spell(w civil.Range) string {
	if w.Days() == 1 {
		return "on " + w.First.String()
	}
	return fmt.Sprintf("from %s to %s", w.First, w.Last)
}

// plural writes a number with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(float64(n), 0) + " " + many
}
