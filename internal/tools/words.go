package tools

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/number"
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
	return number.Grouped(x, places) + " " + string(currency)
}

// quantity writes a number of things: "1,204" or "12.5".
func quantity(x float64) string {
	if x == math.Trunc(x) {
		return number.Grouped(x, 0)
	}
	return strings.TrimRight(strings.TrimRight(number.Grouped(x, 2), "0"), ".")
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
		return fmt.Sprintf("up %s %%", number.Grouped(p, 1))
	case p < 0:
		return fmt.Sprintf("down %s %%", number.Grouped(-p, 1))
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
	return number.Grouped(float64(n), 0) + " " + many
}

// listedItems is how many items of a list a sentence names.
const listedItems = 3

// listed joins the first few of a list and counts the rest.
func listed(items []string) string { return listedUpTo(listedItems, items) }

func listedUpTo(n int, items []string) string {
	if len(items) <= n {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:n], ", "), len(items)-n)
}
