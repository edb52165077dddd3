package attribution

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Journey is a form of path and what the orders that ended it add up to.
type Journey struct {
	Channels []measure.Channel // the oldest first, at least one
	Sums     measure.Sums      // may be negative, and may hold refunds without an order
}

// Sums is what each channel is credited with, in whole cents and millionths.
type Sums map[measure.Channel]measure.Sums

// direct is the channel that takes last touch from no other.
const direct measure.Channel = "direct"

// CreditSums credits whole sums of journeys, refunds and all, so that the credits add up to what came in exactly,
// each of the nine figures by itself. A journey without channels is refused by its index.
//
//   - [Last]: everything to the last channel that is not direct, to direct when there is no other.
//   - [Shapley]: each journey's sums in equal parts to its different channels, split at whole units by cumulative
//     weights: part i is ⌊S i/n⌋ - ⌊S (i-1)/n⌋, channels in the order of their names.
//   - [Markov1], [Markov2], [Markov3]: the sums of all journeys in proportion to the removal effects, by largest
//     remainders. Where no journey has an order there is no chain, and the sums are credited as by Shapley.
//
// Other models are refused: their credits are kept by day and need no journeys.
func CreditSums(journeys []Journey, m Model) (Sums, error) {
	for i, j := range journeys {
		if len(j.Channels) == 0 {
			return nil, fault.Invalid("journey %d has no channel", i)
		}
	}
	switch m {
	case Last:
		return lastSums(journeys), nil
	case Shapley:
		return shapleySums(journeys), nil
	case Markov1, Markov2, Markov3:
		return markovSums(journeys, int(m[len(m)-1]-'0'))
	case First, Linear, TimeDecay, Position:
	}
	return nil, fault.Invalid("sums cannot be credited by the model %q", m)
}

// Add adds what another result credits.
func (s Sums) Add(t Sums) {
	for channel, sums := range t {
		s[channel] = s[channel].Add(sums)
	}
}

// Total returns what all channels are credited with.
func (s Sums) Total() (total measure.Sums) {
	for _, sums := range s {
		total = total.Add(sums)
	}
	return total
}

func lastSums(journeys []Journey) Sums {
	credits := Sums{}
	for _, j := range journeys {
		last := direct
		for _, channel := range slices.Backward(j.Channels) {
			if channel != direct {
				last = channel
				break
			}
		}
		credits[last] = credits[last].Add(j.Sums)
	}
	return credits
}

func shapleySums(journeys []Journey) Sums {
	credits := Sums{}
	for _, j := range journeys {
		members := slices.Compact(slices.Sorted(slices.Values(j.Channels)))
		n := int64(len(members))
		for i, channel := range members {
			part := zip(j.Sums, func(amount int64) int64 {
				return floorOf(amount, int64(i)+1, n) - floorOf(amount, int64(i), n)
			})
			credits[channel] = credits[channel].Add(part)
		}
	}
	return credits
}

// floorOf returns ⌊amount k/n⌋ for 0 ≤ k ≤ n without leaving 64 bits.
func floorOf(amount, k, n int64) int64 {
	rest := amount % n * k
	down := rest / n
	if rest < 0 && rest%n != 0 {
		down--
	}
	return amount/n*k + down
}

func markovSums(journeys []Journey, order int) (Sums, error) {
	var paths Paths
	var total measure.Sums
	for i, j := range journeys {
		total = total.Add(j.Sums)
		if err := paths.Add(Path{Channels: j.Channels, Conversions: j.Sums.OrderCount()}); err != nil {
			return nil, fmt.Errorf("journey %d: %w", i, err)
		}
	}
	removals, err := RemovalEffects(&paths, order)
	if err != nil {
		return nil, err
	}
	weights, sum := make([]float64, len(removals.Effects)), 0.0
	for i, e := range removals.Effects {
		weights[i] = e.Effect
		sum += e.Effect
	}
	if sum == 0 {
		return shapleySums(journeys), nil
	}
	names := make([]measure.Channel, len(removals.Effects))
	for i, e := range removals.Effects {
		names[i] = e.Channel
	}
	return allotSums(total, names, func(int) []float64 { return weights })
}

// figures is how many figures [measure.Sums] have.
const figures = 9

// fields lists the figures of sums, so that a rule can be written once for all of them.
func fields(s *measure.Sums) [figures]*int64 {
	return [figures]*int64{&s.Orders, &s.Charged, &s.Tax, &s.Shipping, &s.Discounts, &s.Refunds, &s.Undated, &s.NewOrders, &s.Units}
}

// zip applies a rule to each figure.
func zip(s measure.Sums, rule func(int64) int64) measure.Sums {
	for _, field := range fields(&s) {
		*field = rule(*field)
	}
	return s
}

// allotSums splits each figure of a total by the weights for it. A negative figure is split like its opposite.
func allotSums(total measure.Sums, names []measure.Channel, weights func(figure int) []float64) (Sums, error) {
	credits := Sums{}
	for figure, field := range fields(&total) {
		amount, sign := *field, int64(1)
		if amount < 0 {
			amount, sign = -amount, -1
		}
		parts, err := Allot(amount, weights(figure))
		if err != nil {
			return nil, fmt.Errorf("figure %d of the sums: %w", figure, err)
		}
		for i, name := range names {
			sums := credits[name]
			*fields(&sums)[figure] = sign * parts[i]
			credits[name] = sums
		}
	}
	return credits, nil
}

// BlendedSums is a result of [BlendSums], and how much the survey counted.
type BlendedSums struct {
	Credits          Sums
	SurveyWeight     float64 // the rest of 1 is the weight of the clicks
	Answers          float64 // that name a channel
	EffectiveAnswers float64
	UnmappedShare    float64
	Shares           []Share // of orders, by channel, with the interval of the blended one
	Level            float64
}

// BlendSums draws credits towards what customers say, as [Result.WithSurvey] does: orders, new orders and units towards
// the answers weighted by orders, money towards the answers weighted by value. Each figure's total stays what it was,
// to the last unit. Credits of a figure below zero, such as of a channel with more exchanges than sales, count as zero
// in the shares.
func BlendSums(credits Sums, strata []Stratum, b Blend) (BlendedSums, error) {
	b = b.withDefaults()
	if err := b.check(strata); err != nil {
		return BlendedSums{}, err
	}
	survey := poolStrata(strata)
	out := BlendedSums{Credits: maps.Clone(credits), Answers: survey.answers, EffectiveAnswers: survey.effective, UnmappedShare: survey.unmapped, Level: b.Level}
	if survey.effective > 0 {
		out.SurveyWeight = survey.effective / (survey.effective + b.ClickWorth)
	}
	total := credits.Total()
	if out.SurveyWeight > 0 {
		names := unionOf(credits, survey.byOrders)
		blended, err := allotSums(total, names, func(figure int) []float64 {
			return survey.blend(credits, names, figure, out.SurveyWeight)
		})
		if err != nil {
			return BlendedSums{}, err
		}
		out.Credits = blended
	}
	for _, name := range unionOf(credits, survey.byOrders) {
		s := Share{Channel: name, Survey: survey.byOrders[name]}
		if total.Orders > 0 {
			s.Clicks = float64(credits[name].Orders) / float64(total.Orders)
			s.Blended = float64(out.Credits[name].Orders) / float64(total.Orders)
		}
		s.Low, s.High = betaInterval(s.Blended, survey.effective+b.ClickWorth, b.Level)
		out.Shares = append(out.Shares, s)
	}
	return out, nil
}

// countFigures are the figures of sums that count things and not money.
var countFigures = map[int]bool{0: true, 7: true, 8: true}

// blend returns the weights of a figure: the shares by credit drawn towards the shares by survey.
func (s pooled) blend(credits Sums, names []measure.Channel, figure int, w float64) []float64 {
	shares := s.byValue
	if countFigures[figure] {
		shares = s.byOrders
	}
	weights, sum := make([]float64, len(names)), 0.0
	for i, name := range names {
		mine := credits[name]
		weights[i] = max(0, float64(*fields(&mine)[figure]))
		sum += weights[i]
	}
	for i, name := range names {
		if sum > 0 {
			weights[i] = (1 - w) * weights[i] / sum
		}
		weights[i] += w * shares[name]
	}
	return weights
}

func unionOf(credits Sums, shares map[measure.Channel]float64) []measure.Channel {
	names := slices.Collect(maps.Keys(credits))
	for name := range shares {
		if _, ok := credits[name]; !ok {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, cmp.Compare)
	return names
}
