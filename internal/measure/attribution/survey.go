package attribution

import (
	"cmp"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"assay/internal/fault"
	"assay/internal/measure"
)

// DefaultClickWorth is the default weight of click data, in survey answers.
const DefaultClickWorth = 200

// DefaultLevel is the default level of intervals.
const DefaultLevel = 0.9

// Stratum is a group of orders and the buyers' answers to "how did you hear of us". Strata by order value, new or
// returning customer, and age of the order correct for nonresponse.
type Stratum struct {
	Name   string // such as "new, under 50 USD"
	Orders float64
	Value  int64 // of all its orders, answered or not, in the unit of [Path.Value]
	// Answers counts the answers that name a channel.
	Answers map[measure.Channel]float64
	// Unmapped counts the answers without a channel. They are reported and otherwise ignored.
	Unmapped float64
}

// Blend is how a survey is blended with an attribution model.
type Blend struct {
	ClickWorth float64 // weight of click data, in answers; [DefaultClickWorth] when 0
	Level      float64 // of the intervals, between 0 and 1; [DefaultLevel] when 0
}

// Share is a channel's share of conversions by clicks, by survey and blended, each a fraction.
type Share struct {
	Channel   measure.Channel
	Clicks    float64
	Survey    float64
	Blended   float64
	Low, High float64 // interval of Blended
}

// Blended is an attribution result adjusted by a survey.
type Blended struct {
	Result
	Shares           []Share // of the rows of the result, in their order, the unattributed one last
	SurveyWeight     float64 // the rest of 1 is the weight of the clicks
	Answers          float64 // that name a channel
	EffectiveAnswers float64 // after weighting strata by their orders
	UnmappedShare    float64 // of all answers
	Coverage         float64 // share of orders in strata with an answer
	Level            float64
}

// WithSurvey returns the result with each channel's share drawn towards what customers say.
//
// With p the shares by touches, the unattributed one included, and s the shares by survey, strata weighted by their
// orders (post-stratification), the blended shares are the mean of the Dirichlet-multinomial posterior
//
//	(1 - w) p + w s,   w = n / (n + κ),   n = 1 / Σ_h W_h² / n_h,
//
// where W_h is the stratum's share of orders and n_h its answers, n is Kish's effective number of answers and κ is
// ClickWorth (Gelman and others 2013, "Bayesian Data Analysis", section 3.4; Kish 1965, section 11.7). The interval
// of a share is the middle of its Beta marginal; it covers the chance in who answered and not the bias of what
// people remember. For value, strata are weighted by their value instead. Totals do not change.
//
// A survey never answers "unattributed", so that row shrinks by the factor 1 - w. Channels that only the survey
// knows get rows. Without answers the result is unchanged, with weight 0. Negative or infinite counts are refused,
// naming the stratum.
func (r Result) WithSurvey(strata []Stratum, b Blend) (Blended, error) {
	b = b.withDefaults()
	if err := b.check(strata); err != nil {
		return Blended{}, err
	}
	survey := poolStrata(strata)
	w := 0.0
	if survey.effective > 0 {
		w = survey.effective / (survey.effective + b.ClickWorth)
	}
	out := Blended{
		Result: r.mix(survey, w), SurveyWeight: w, Answers: survey.answers, EffectiveAnswers: survey.effective,
		UnmappedShare: survey.unmapped, Coverage: survey.coverage, Level: b.Level,
	}
	conversions, whole := r.Totals()
	if err := out.round(whole); err != nil {
		return Blended{}, err
	}
	clicks := r.byChannel()
	for _, c := range append(slices.Clone(out.Credits), out.Unattributed) {
		s := Share{Channel: c.Channel, Survey: survey.byOrders[c.Channel]}
		if conversions > 0 {
			s.Clicks, s.Blended = clicks[c.Channel].Conversions/conversions, c.Conversions/conversions
		}
		s.Low, s.High = betaInterval(s.Blended, survey.effective+b.ClickWorth, b.Level)
		out.Shares = append(out.Shares, s)
	}
	return out, nil
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
		return fault.Invalid("the click record is worth %v answers, want a number above 0", b.ClickWorth)
	}
	if !(b.Level > 0 && b.Level < 1) {
		return fault.Invalid("level of the interval is %v, want a fraction between 0 and 1", b.Level)
	}
	for _, s := range strata {
		if !isCount(s.Orders) || !isCount(s.Unmapped) || s.Value < 0 {
			return fault.Invalid("stratum %q: orders %v, value %d, unmapped answers %v: want numbers from 0 up", s.Name, s.Orders, s.Value, s.Unmapped)
		}
		for ch, n := range s.Answers {
			if !isCount(n) || ch == "" {
				return fault.Invalid("stratum %q: %v answers for channel %q, want a number from 0 up and a name", s.Name, n, ch)
			}
		}
	}
	return nil
}

// pooled is a survey summed over strata.
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

// count returns the answers that name a channel. Summing in sorted order gives the same bytes each time.
func (s Stratum) count() float64 {
	var n float64
	for _, ch := range slices.Sorted(maps.Keys(s.Answers)) {
		n += s.Answers[ch]
	}
	return n
}

func (r Result) byChannel() map[measure.Channel]Credit {
	rows := map[measure.Channel]Credit{measure.Unattributed: r.Unattributed}
	for _, c := range r.Credits {
		rows[c.Channel] = c
	}
	return rows
}

// mix draws the credits towards the survey's shares with weight w.
func (r Result) mix(s pooled, w float64) Result {
	conversions, whole := r.Totals()
	row := func(c Credit) Credit {
		c.Conversions = (1-w)*c.Conversions + w*s.byOrders[c.Channel]*conversions
		c.Value = (1-w)*c.Value + w*s.byValue[c.Channel]*float64(whole)
		return c
	}
	out := Result{Unattributed: row(r.Unattributed)}
	known := r.byChannel()
	for _, c := range r.Credits {
		out.Credits = append(out.Credits, row(c))
	}
	for ch := range s.byOrders {
		if _, ok := known[ch]; !ok {
			out.Credits = append(out.Credits, row(Credit{Channel: ch}))
		}
	}
	slices.SortFunc(out.Credits, func(a, b Credit) int { return cmp.Compare(a.Channel, b.Channel) })
	return out
}

// betaInterval returns the equal-tailed interval of a Beta distribution with the mean and the number of
// observations that it is worth.
func betaInterval(mean, worth, level float64) (low, high float64) {
	a, b := mean*worth, (1-mean)*worth
	if a <= 0 {
		return 0, 0
	}
	if b <= 1e-9*worth {
		return 1, 1
	}
	return mathext.InvRegIncBeta(a, b, (1-level)/2), mathext.InvRegIncBeta(a, b, (1+level)/2)
}
