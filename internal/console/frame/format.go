package frame

import (
	"reflect"
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

// when, moment and day format an instant in UTC. They return "never" for the zero instant. machine formats an instant
// for the datetime attribute.
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

// DaysText formats a period: "Oct 23 – Nov 22, 2026".
func DaysText(first, last civil.Date) string { return civil.Range{First: first, Last: last}.Words() }

// Figure formats a number with commas between thousands.
func Figure[T ~float64](x T, decimals int) string {
	return strings.Replace(number.Grouped(float64(x), decimals), "-", money.Minus, 1)
}

// anyFigure formats a number of any floating-point type, or the number that a pointer refers to.
func anyFigure(x any, decimals int) string {
	return Figure(reflect.Indirect(reflect.ValueOf(x)).Float(), decimals)
}

// ShortMoney returns a function that formats an amount for an axis: $12k.
func ShortMoney(c money.Currency) func(float64) string {
	decimals := func(x float64) int {
		if x == float64(int64(x)) {
			return 0
		}
		return 1
	}
	return func(x float64) string {
		switch size := max(x, -x); {
		case size >= 1e6:
			return money.Display(x/1e6, decimals(x/1e6), c) + "m"
		case size >= 1e3:
			return money.Display(x/1e3, decimals(x/1e3), c) + "k"
		}
		return money.Display(x, 0, c)
	}
}
