package chart

import (
	"math"

	"assay/internal/money"
	"assay/internal/number"
)

// scale contains the values of an axis, from low to high in even steps.
type scale struct {
	low, step float64
	steps     int
}

func (s scale) high() float64 { return s.low + s.step*float64(s.steps) }

// ticks returns the labeled values of the axis.
func (s scale) ticks() []float64 {
	out := make([]float64, s.steps+1)
	first := math.Round(s.low / s.step)
	for i := range out {
		out[i] = (first + float64(i)) * s.step
	}
	return out
}

// smallest is the finest step of an axis. With this step, a series of zeros also has an axis.
const smallest = 1e-6

// niceScale returns the narrowest scale around low and high. Its steps are 1, 2 or 5 times a power of ten. The number
// of steps is at least one and at most the parameter most plus one. If whole is true, no step is below 1.
func niceScale(low, high float64, most int, whole bool) scale {
	least := smallest
	if whole {
		least = 1
	}
	step := niceStep((high - low) / float64(max(1, most)))
	step = max(step, least)
	bottom, top := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	return scale{low: bottom * step, step: step, steps: int(max(1, top-bottom))}
}

func niceStep(raw float64) float64 {
	if raw < smallest {
		return smallest
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// figures is the number format of one axis: all labels have the same suffix and the same number of decimals.
type figures struct {
	symbol   string
	divisor  float64
	suffix   string
	decimals int
}

// figures returns the number format of the scale's ticks.
func (s scale) figures(u Unit, c money.Currency) figures {
	f := figures{divisor: 1}
	if u == Money {
		f.symbol = c.Symbol() // the axis title names the currency in any case
	}
	largest := max(math.Abs(s.low), math.Abs(s.high()))
	for _, m := range magnitudes {
		if largest >= m.from {
			f.divisor, f.suffix = m.divisor, m.suffix
			break
		}
	}
	f.decimals = max(0, int(math.Ceil(-math.Log10(s.step/f.divisor)-1e-9)))
	return f
}

// magnitudes are suffixes of large numbers. The suffix k starts at ten thousand because a few thousand are readable
// with a comma.
var magnitudes = []struct {
	from, divisor float64
	suffix        string
}{{1e12, 1e12, "T"}, {1e9, 1e9, "B"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}}

func (f figures) text(v float64) string {
	if v == 0 {
		return f.symbol + "0"
	}
	digits := grouped(math.Abs(v)/f.divisor, f.decimals)
	if v < 0 {
		return money.Minus + f.symbol + digits + f.suffix
	}
	return f.symbol + digits + f.suffix
}

// exactly formats a single value in full: money has two decimals below 1,000 and none from 1,000 on.
func (c Chart) exactly(v float64) string {
	f := figures{divisor: 1}
	switch {
	case c.Unit == Ratio, c.Unit == Money && math.Abs(v) < 1000:
		f.decimals = 2
	case c.Unit == Count && v != math.Trunc(v):
		f.decimals = 1
	}
	if c.Unit == Money && c.Currency != "" {
		return money.Display(v, f.decimals, c.Currency)
	}
	return f.text(v)
}

// grouped formats a nonnegative number with commas between thousands.
func grouped(v float64, decimals int) string {
	if decimals == 0 {
		v = math.Round(v) // halves away from zero, as in answers
	}
	return number.Grouped(v, decimals)
}
