package console

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/money"
	"assay/internal/number"
)

// The date formats of the pages.
const (
	dateLayout   = "Jan 2, 2006"
	momentLayout = dateLayout + " 15:04:05"
	whenLayout   = dateLayout + ", 15:04 MST"
)

// when, moment and day format an instant in UTC, "never" for the zero instant. machine formats it for the datetime
// attribute.
func when(t time.Time) string { return instantText(t, whenLayout) }

func moment(t time.Time) string { return instantText(t, momentLayout) }

func day(t time.Time) string { return instantText(t, dateLayout) }

func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func instantText(t time.Time, layout string) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(layout)
}

// dateText formats a day: "Oct 23, 2026".
func dateText(d civil.Date) string { return shortDay(d) + ", " + strconv.Itoa(d.Year()) }

// daysText formats a period: "Oct 23 – Nov 22, 2026".
func daysText(first, last civil.Date) string {
	switch {
	case first == last:
		return dateText(last)
	case first.Year() == last.Year():
		return shortDay(first) + " – " + dateText(last)
	}
	return dateText(first) + " – " + dateText(last)
}

func rangeText(r civil.Range) string { return daysText(r.First, r.Last) }

// shortDay formats a day without its year: "Oct 23".
func shortDay(d civil.Date) string { return d.Month().String()[:3] + " " + strconv.Itoa(d.Day()) }

// figure formats a number with commas between thousands.
func figure[T ~float64](x T, decimals int) string {
	return strings.Replace(number.Grouped(float64(x), decimals), "-", "−", 1)
}

// anyFigure formats a number of any floating-point type, or the number that a pointer refers to.
func anyFigure(x any, decimals int) string {
	return figure(reflect.Indirect(reflect.ValueOf(x)).Float(), decimals)
}

// symbols are the currencies that pages write with a symbol. Others have their ISO code.
var symbols = map[money.Currency]string{"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}

// moneyText formats an amount in major units: "$241,995", "−$12.50", "CHF 241,995".
func moneyText(x float64, decimals int, currency money.Currency) string {
	text, sign := figure(x, decimals), ""
	if rest, negative := strings.CutPrefix(text, "−"); negative {
		text, sign = rest, "−"
	}
	if symbol, ok := symbols[currency]; ok {
		return sign + symbol + text
	}
	return sign + string(currency) + " " + text
}
