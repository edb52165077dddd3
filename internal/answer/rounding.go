package answer

import (
	"math"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/internal/measure"
	"assay/internal/money"
)

// The types of the figures in an answer. The type determines how a figure is rounded when the answer is written. Until
// then figures are exact.
type (
	// Money is an amount in whole units of the answer's currency, written without decimals from 1,000 up and with two
	// decimals below 1,000. At the debug level, it has all decimals.
	Money float64
	// Ratio is a quotient such as ROAS, written with two decimals.
	Ratio float64
	// Percent is a percentage, written with one decimal.
	Percent float64
	// Count is a number of orders or conversions. It has two decimals, because attribution models may split an order.
	Count float64
	// Foreign is untrusted text, such as a campaign name. Control characters are removed and the length is capped when
	// the answer is written. Untrusted text never enters a summary.
	Foreign string
)

// foreignLength is the maximum number of characters of untrusted text.
const foreignLength = 80

// rounding rounds the figures of an answer, cleans its untrusted text and removes fields above the level of detail and
// optional figures that are not finite.
type rounding struct {
	level    Level
	exponent int // decimals of the currency's minor unit
}

func (f rounding) apply(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		switch {
		case v.IsNil():
		case v.Kind() == reflect.Pointer && v.CanSet() && !finite(v.Elem()):
			v.SetZero()
		default:
			f.apply(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.apply(v.Index(i))
		}
	case reflect.Struct:
		f.applyFields(v)
	case reflect.Float64:
		f.round(v)
	case reflect.String:
		switch v.Type() {
		case reflect.TypeFor[Foreign]():
			v.SetString(f.text(v.String()))
		case reflect.TypeFor[measure.Channel]():
			v.SetString(Clean(v.String())) // a channel name may come from the URL of a click
		}
	default:
	}
}

// finite reports whether a figure, or each figure of an estimate, is a finite number. An optional figure that is not
// finite is undefined. It becomes nil, because JSON cannot represent such a number.
func finite(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64:
		return !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.Kind() == reflect.Float64 && !finite(field) {
				return false
			}
		}
	default:
	}
	return true
}

func (f rounding) applyFields(v reflect.Value) {
	t := v.Type()
	for i := range v.NumField() {
		field := t.Field(i)
		switch {
		case !field.IsExported() && !field.Anonymous:
		case !f.shows(field.Tag.Get("detail")):
			v.Field(i).SetZero()
		default:
			f.apply(v.Field(i))
		}
	}
}

// shows reports whether the level of detail includes a field with this tag.
func (f rounding) shows(tag string) bool {
	switch Level(tag) {
	case AnalystLevel:
		return f.level != SummaryLevel
	case DebugLevel:
		return f.level == DebugLevel
	case SummaryLevel:
	}
	return true
}

func (f rounding) round(v reflect.Value) {
	switch v.Type() {
	case reflect.TypeFor[Money]():
		v.SetFloat(f.money(v.Float()))
	case reflect.TypeFor[Ratio](), reflect.TypeFor[Count]():
		v.SetFloat(Decimals(v.Float(), 2))
	case reflect.TypeFor[Percent]():
		v.SetFloat(Decimals(v.Float(), 1))
	}
}

func (f rounding) money(x float64) float64 {
	switch {
	case f.level == DebugLevel:
		return Decimals(x, f.exponent)
	case math.Abs(x) >= 999.995:
		return Decimals(x, 0)
	}
	return Decimals(x, min(2, f.exponent))
}

// text cleans untrusted text. The maximum length is smaller at the summary level.
func (f rounding) text(s string) string {
	s = Clean(s)
	if f.level == SummaryLevel {
		return capped(s, foreignLength/2)
	}
	return s
}

// Decimals rounds x to n decimals, with halves away from zero. The result is never negative zero.
func Decimals(x float64, n int) float64 {
	shift := math.Pow10(n)
	return math.Round(x*shift)/shift + 0
}

// Clean returns the text on one line, without control characters and with a capped length.
func Clean(s string) string {
	s = oneLine(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s))
	return capped(s, foreignLength)
}

func capped(s string, length int) string {
	if utf8.RuneCountInString(s) <= length {
		return s
	}
	return string([]rune(s)[:length-1]) + "…"
}

// Writer writes one answer in the workspace's currency and in the requested format.
type Writer struct {
	Figures    Figures
	View       Shared
	LimitGiven bool // the caller set a limit, which overrides the level's limit
}

// RoundMoney rounds an amount in whole units for the writer's level.
func (w *Writer) RoundMoney(x float64) float64 {
	return rounding{level: w.View.DetailLevel, exponent: w.Figures.Currency.Exponent()}.money(x)
}

// Figures converts warehouse totals into the figures of an answer, in the workspace's currency and revenue basis.
type Figures struct {
	Currency money.Currency
	Basis    measure.RevenueBasis
}

// Money converts minor units to whole units.
func (f Figures) Money(minor int64) Money { return Money(money.Major(minor, f.Currency)) }

// Revenue returns the revenue on the workspace's basis.
func (f Figures) Revenue(s measure.Sums) Money { return f.Money(f.Basis.Revenue(s)) }

// PerMinor converts a ratio in minor units, such as an average order value, to money.
func (f Figures) PerMinor(minor float64, ok bool) *Money {
	if !ok {
		return nil
	}
	return new(Money(minor * money.Major(1, f.Currency)))
}

// RatioOf returns a ratio, or nil if it is undefined.
func RatioOf(value float64, ok bool) *Ratio {
	if !ok {
		return nil
	}
	return new(Ratio(value))
}

// PercentOf returns a percentage, or nil if it is undefined.
func PercentOf(value float64, ok bool) *Percent {
	if !ok {
		return nil
	}
	return new(Percent(value))
}

// Orders converts millionths to a number of orders or conversions.
func Orders(millionths int64) Count { return Count(float64(millionths) / measure.Millionths) }

// AOV returns the average order value, or nil if there are no orders.
func (f Figures) AOV(s measure.Sums) *Money {
	return f.PerMinor(measure.AOV(f.Basis.Revenue(s), s.Orders))
}

// ROAS returns the revenue per unit of spend, or nil if there is no spend.
func (f Figures) ROAS(s measure.Sums, spend int64) *Ratio {
	return RatioOf(measure.ROAS(f.Basis.Revenue(s), spend))
}
