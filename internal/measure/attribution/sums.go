package attribution

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Journey is a path with the totals of its orders.
type Journey struct {
	Channels []measure.Channel // oldest first, at least one
	Sums     measure.Sums      // may be negative, and may include refunds without an order
}

// Sums contains the figures attributed to each channel: amounts in minor units, and orders in millionths.
type Sums map[measure.Channel]measure.Sums

// direct is the channel that last touch ignores if there is another channel.
const direct measure.Channel = "direct"

// CreditSums attributes all figures of the journeys' totals, including refunds. Credits add up exactly to the input in
// each of the nine figures. A journey without channels is rejected with its index.
//
//   - [Last]: all credit to the last channel other than direct, or to direct if there is no other.
//   - [Shapley]: each journey's sums in equal parts to its distinct channels. Parts are whole units by cumulative
//     weights: part i is ⌊S i/n⌋ - ⌊S (i-1)/n⌋, channels in alphabetical order.
//   - [Markov1], [Markov2], [Markov3]: the sums of all journeys in proportion to the removal effects, by largest
//     remainders. Without any order, there is no chain, and the rule of Shapley applies.
//
// Other models are rejected: their credits are stored by day and do not depend on journeys.
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
	return nil, fault.Invalid("the model %q cannot attribute totals", m)
}

// Add adds the credits of another result.
func (s Sums) Add(t Sums) {
	for channel, sums := range t {
		s[channel] = s[channel].Add(sums)
	}
}

// Total returns the total over all channels.
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

// floorOf returns ⌊amount · k / n⌋ for 0 ≤ k ≤ n without overflow.
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

// figures is the number of figures in [measure.Sums].
const figures = 9

// fields returns pointers to the figures of s, so that a rule can apply to all figures.
func fields(s *measure.Sums) [figures]*int64 {
	return [figures]*int64{
		&s.Orders, &s.Charged, &s.Tax, &s.Shipping, &s.Discounts, &s.Refunds, &s.Undated, &s.NewOrders, &s.Units,
	}
}

// zip returns the sums with a rule applied to each figure.
func zip(s measure.Sums, rule func(int64) int64) measure.Sums {
	for _, field := range fields(&s) {
		*field = rule(*field)
	}
	return s
}

// allotSums splits each figure of a total by its weights. A negative figure is split like its absolute value.
func allotSums(total measure.Sums, names []measure.Channel, weights func(figure int) []float64) (Sums, error) {
	credits := Sums{}
	for figure, field := range fields(&total) {
		amount, sign := *field, int64(1)
		if amount < 0 {
			amount, sign = -amount, -1
		}
		parts, err := Allot(amount, weights(figure))
		if err != nil {
			return nil, fmt.Errorf("figure %d of the totals: %w", figure, err)
		}
		for i, name := range names {
			sums := credits[name]
			*fields(&sums)[figure] = sign * parts[i]
			credits[name] = sums
		}
	}
	return credits, nil
}

// BlendedSums contains credits after survey blending, with the weights of survey and clicks.
type BlendedSums struct {
	Credits          Sums
	SurveyWeight     float64 // the weight of clicks is 1 - SurveyWeight
	Answers          float64 // answers that name a channel
	EffectiveAnswers float64
	UnmappedShare    float64
	Shares           []Share // shares of orders by channel, with the interval of the blended share
	Level            float64
}

// BlendSums returns the credits, shrunk toward the survey's shares.
//
// Let p be the shares by touchpoints, including the unattributed share, and s the shares by survey, weighted by strata
// (post-stratification). The blended shares are the mean of the Dirichlet-multinomial posterior
//
//	(1 - w) p + w s,   w = n / (n + κ),   n = 1 / Σ_h W_h² / n_h,
//
// where W_h is the stratum's share of orders, n_h its number of answers, n Kish's effective sample size and κ
// ClickWorth. See Gelman and others 2013, "Bayesian Data Analysis", section 3.4, and Kish 1965, section 11.7. The
// interval of a share is the central interval of its Beta marginal. It includes sampling error and excludes recall
// bias.
//
// Orders, new orders and units use strata weighted by orders. Amounts of money use strata weighted by value. Each
// figure's total is unchanged, to the last unit. In the shares, negative credits are treated as zero. An example is the
// credit of an exchange with a negative amount. The unattributed row is multiplied by 1 - w, because no survey answer
// names it. Channels that only the survey names get rows. Without answers, w is 0 and the credits are unchanged. The
// error for invalid counts names the stratum.
func BlendSums(credits Sums, strata []Stratum, b Blend) (BlendedSums, error) {
	b = b.withDefaults()
	if err := b.check(strata); err != nil {
		return BlendedSums{}, err
	}
	survey := poolStrata(strata)
	out := BlendedSums{
		Credits: maps.Clone(credits), Answers: survey.answers, EffectiveAnswers: survey.effective,
		UnmappedShare: survey.unmapped, Level: b.Level,
	}
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
		blended := 0.0
		if total.Orders > 0 {
			s.Clicks = float64(credits[name].Orders) / float64(total.Orders)
			blended = float64(out.Credits[name].Orders) / float64(total.Orders)
		}
		s.Blended = betaEstimate(blended, survey.effective+b.ClickWorth, b.Level)
		out.Shares = append(out.Shares, s)
	}
	return out, nil
}

// countFigures contains the indices of the figures that are numbers of orders or units. The other figures are money.
var countFigures = map[int]bool{0: true, 7: true, 8: true}

// blend returns the channels' weights for a figure: shares by credit, shrunk toward the survey's shares.
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
