package attribution

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"assay/internal/fault"
	"assay/internal/measure"
)

// DefaultClickWorth is the default weight of click data, as a number of survey answers.
const DefaultClickWorth = 200

// DefaultLevel is the default level of intervals.
const DefaultLevel = 0.9

// Stratum is a group of orders and the buyers' answers to "How did you hear about us?". Strata by order value, new or
// returning customer, and age of the order correct for nonresponse.
type Stratum struct {
	Name   string // such as "new, under USD 50"
	Orders float64
	Value  int64 // value of all its orders, with and without an answer, in the unit of [Path.Value]
	// Answers is the number of answers by channel.
	Answers map[measure.Channel]float64
	// Unmapped is the number of answers without a channel. Results report this number; estimates do not use it.
	Unmapped float64
}

// Blend contains the settings for blending a survey with an attribution model.
type Blend struct {
	ClickWorth float64 // weight of click data, in answers; 0: [DefaultClickWorth]
	Level      float64 // level of the intervals, between 0 and 1; 0: [DefaultLevel]
}

// Share contains a channel's shares of conversions, as fractions: by clicks, by survey and blended.
type Share struct {
	Channel measure.Channel
	Clicks  float64
	Survey  float64
	Blended measure.Estimate
}

func (b Blend) withDefaults() Blend {
	if b.ClickWorth == 0 {
		b.ClickWorth = DefaultClickWorth
	}
	if b.Level == 0 {
		b.Level = DefaultLevel
	}
	return b
}

func (b Blend) check(strata []Stratum) error {
	if !isCount(b.ClickWorth) {
		return fault.Invalid("the weight of last touch is %v answers, want a number above 0", b.ClickWorth)
	}
	if !(b.Level > 0 && b.Level < 1) {
		return fault.Invalid("level of the interval is %v, want a fraction between 0 and 1", b.Level)
	}
	for _, s := range strata {
		if !isCount(s.Orders) || !isCount(s.Unmapped) || s.Value < 0 {
			return fault.Invalid("stratum %q: orders %v, value %d, unmapped answers %v: want numbers of at least 0",
				s.Name, s.Orders, s.Value, s.Unmapped)
		}
		for ch, n := range s.Answers {
			if !isCount(n) || ch == "" {
				return fault.Invalid("stratum %q: %v answers for channel %q, want a number of at least 0 and a name", s.Name, n, ch)
			}
		}
	}
	return nil
}

// pooled contains the sums of a survey over strata.
type pooled struct {
	byOrders, byValue  map[measure.Channel]float64 // shares that add up to 1
	answers, effective float64
	unmapped, coverage float64
}

func poolStrata(strata []Stratum) pooled {
	s := pooled{byOrders: map[measure.Channel]float64{}, byValue: map[measure.Channel]float64{}}
	var orders, covered, value, unmapped float64
	for _, h := range strata {
		orders += h.Orders
		unmapped += h.Unmapped
		if n := h.count(); n > 0 {
			s.answers += n
			covered += h.Orders
			value += float64(h.Value)
		}
	}
	if s.answers+unmapped > 0 {
		s.unmapped = unmapped / (s.answers + unmapped)
	}
	if covered == 0 {
		return s
	}
	s.coverage = covered / orders
	var spread float64
	for _, h := range strata {
		n := h.count()
		if n == 0 {
			continue
		}
		weight := h.Orders / covered
		spread += weight * weight / n
		for _, ch := range slices.Sorted(maps.Keys(h.Answers)) {
			s.byOrders[ch] += weight * h.Answers[ch] / n
			if value > 0 {
				s.byValue[ch] += float64(h.Value) / value * h.Answers[ch] / n
			}
		}
	}
	s.effective = 1 / spread
	if value == 0 {
		s.byValue = s.byOrders
	}
	return s
}

// count returns the number of answers that name a channel. It sums in sorted order, so that rounding is the same each
// time.
func (s Stratum) count() float64 {
	var n float64
	for _, ch := range slices.Sorted(maps.Keys(s.Answers)) {
		n += s.Answers[ch]
	}
	return n
}

// betaEstimate returns the share mean with the equal-tailed interval of a Beta distribution that has this mean. The
// parameter worth is the equivalent number of observations.
func betaEstimate(mean, worth, level float64) measure.Estimate {
	e := measure.Estimate{
		Value: mean, Interval: measure.Interval{Level: level}, Method: measure.SurveyBlend, Basis: measure.Attributed,
	}
	a, b := mean*worth, (1-mean)*worth
	switch {
	case a <= 0:
	case b <= 1e-9*worth:
		e.Low, e.High = 1, 1
	default:
		e.Low, e.High = mathext.InvRegIncBeta(a, b, (1-level)/2), mathext.InvRegIncBeta(a, b, (1+level)/2)
	}
	return e
}
