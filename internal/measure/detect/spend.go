package detect

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/measure"
)

// sure is the minimum probability of a finding: the model's probability that marginal ROAS is below, or above,
// break-even.
const sure = 0.9

// pastOptimum finds channels with a marginal ROAS below or above break-even, with a probability of at least 90%.
// Break-even is 1 / contribution rate. The value is the change of contribution after spend if spend changes by one
// step, with the model's interval.
func pastOptimum(s Store) (all []Finding) {
	for _, c := range s.Channels {
		m := c.Marginal
		if m == nil || m.Spend <= 0 {
			continue
		}
		evenAt := 1 / s.rate()
		below := distuv.Normal{Mu: m.ROAS.Value, Sigma: max(m.ROAS.NormalSD(), 1e-9)}.CDF(evenAt)
		f := Finding{
			Subject: string(c.Name), Channel: c.Name, Effort: Small, Severity: Notice,
			Evidence: []Figure{
				{"marginal_roas", m.ROAS.Value, Ratio},
				{"marginal_roas_low", m.ROAS.Low, Ratio},
				{"marginal_roas_high", m.ROAS.High, Ratio},
				{"break_even_roas", evenAt, Ratio},
				{"monthly_spend", m.Spend, Money},
				{"step", m.Step, Share},
			},
		}
		saved, rate := m.Step*m.Spend, s.rate()
		switch {
		case below >= sure:
			f.Kind, f.Confidence = PastOptimum, below
			f.Value = worth(saved+rate*m.Less.Value, saved+rate*m.Less.Low, saved+rate*m.Less.High)
		case below <= 1-sure && s.Rate != nil:
			f.Kind, f.Confidence = Headroom, 1-below
			f.Value = worth(rate*m.More.Value-saved, rate*m.More.Low-saved, rate*m.More.High-saved)
		default:
			continue
		}
		all = append(all, f)
	}
	return all
}

// Parameters of a spend shift. shiftUp and shiftDown are limits of mean daily spend in the last shiftDays days, as
// multiples of mean daily spend in the shiftBase days before. See also [beyond].
const (
	shiftUp   = 2.5
	shiftDown = 0.2
	shiftDays = 3
	shiftBase = 28
)

// spendShifts finds channels with spend in the last three days that differs strongly from their spend in the four weeks
// before. Typical causes are a mistyped budget, a restarted campaign or a rejected payment. The three days end with the
// channel's last ad report. Their spend must be outside the range of all earlier three-day totals, including those of
// earlier seasons.
func spendShifts(s Store) (all []Finding) {
	for _, c := range s.Channels {
		if c.Late >= shiftDays {
			continue // unknown spend is not zero
		}
		spend, first := c.Spend[:len(c.Spend)-c.Late], 0
		measured := spend
		stopped := lately(spend, shiftDays) == 0 && lately(spend, shiftDays+shiftBase) > 0
		if stopped {
			first = firstSpend(spend)
			measured = floored(spend[first:])
		}
		d, ok := driftOf(measured, ones(len(measured)), windows{recent: shiftDays, base: shiftBase, anySeason: true})
		d.since += first
		ratio := d.now / d.before
		if !ok || math.Abs(d.z) < alarmZ || ratio > shiftDown && ratio < shiftUp || !beyond(spend, d.since, ratio > 1) {
			continue
		}
		if stopped {
			d.now = 0
		}
		f := Finding{
			Kind: SpendShift, Subject: string(c.Name), Channel: c.Name, Since: s.day(d.since), Confidence: d.confidence(),
			Effort: Small, Severity: Alarm,
			Evidence: []Figure{{"daily_spend", d.now, Money}, {"usual_daily_spend", d.before, Money}, {"change", d.change(), Share}},
		}
		if extra := monthDays * (d.now - d.before); extra > 0 {
			// The marginal ROAS of the extra spend is between zero and the average ROAS.
			average := s.rate() * c.average()
			f.Value = worth(extra*(1-min(1, average/2)), extra*(1-min(1, average)), extra)
		}
		all = append(all, f)
	}
	return all
}

// beyond reports whether the total of the last three days is outside the range of all three-day totals before the
// shift. The shift starts on day since. Days before the channel's first spend are ignored. An increase must be at least
// 20% above all totals. A decrease must be more than a sixth below all of them.
func beyond(spend []float64, since int, up bool) bool {
	sums, first := prefix(spend), firstSpend(spend)
	last := len(spend)
	now := sums[last] - sums[last-shiftDays]
	for t := min(since, last-shiftDays); t >= first+shiftDays; t-- {
		if was := sums[t] - sums[t-shiftDays]; up && was*1.2 > now || !up && was <= now*1.2 {
			return false
		}
	}
	return true
}

// firstSpend returns the index of the first day with spend, or 0 without spend.
func firstSpend(spend []float64) int {
	return max(0, slices.IndexFunc(spend, func(x float64) bool { return x > 0 }))
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// withoutEffect finds campaigns with far fewer orders than needed to pay for half of the campaign's spend. The number
// of orders is the larger of last-touch orders and orders reported by the platform. An awareness campaign is therefore
// not a finding while its platform reports conversions.
func withoutEffect(s Store) (all []Finding) {
	aov := s.aov()
	for _, c := range s.Campaigns {
		if aov <= 0 || c.Spend <= 0 {
			continue
		}
		orders := max(c.Orders, c.Claimed)
		needed := c.Spend / (s.rate() * aov)
		p := atMost(orders, needed/2, dispersion)
		if p >= rare {
			continue
		}
		monthly := perMonth(c.Spend, s.CampaignDays)
		earned := perMonth(s.rate()*aov*orders, s.CampaignDays)
		all = append(all, Finding{
			Kind: NoEffect, Subject: c.ID, Name: c.Name, Channel: c.Channel, Confidence: 0.9, Effort: Small, Severity: Warning,
			Value: worth(monthly-earned, monthly-2*earned, monthly),
			Evidence: []Figure{
				{"spend", c.Spend, Money},
				{"orders", c.Orders, Count},
				{"claimed_orders", c.Claimed, Count},
				{"break_even_orders", needed, Count},
			},
		})
	}
	return all
}

// capped finds campaigns that use their whole daily budget and have a last-touch ROAS well above break-even.
func capped(s Store) (all []Finding) {
	for _, c := range s.Campaigns {
		if c.DailyBudget <= 0 || c.RecentSpend < 0.95*c.DailyBudget || c.Spend <= 0 || s.Rate == nil {
			continue
		}
		roas := c.Revenue / c.Spend
		if s.rate()*roas < 1.5 || c.Orders < 30 {
			continue
		}
		// A budget increase of 20% is assumed to have a marginal ROAS between half of the average ROAS and the average ROAS.
		step := 0.2 * c.DailyBudget * monthDays
		low, high := step*(s.rate()*roas/2-1), step*(s.rate()*roas-1)
		all = append(all, Finding{
			Kind: CappedWinner, Subject: c.ID, Name: c.Name, Channel: c.Channel, Confidence: 0.6, Effort: Small, Value: worth((low+high)/2, low, high),
			Evidence: []Figure{{"daily_budget", c.DailyBudget, Money}, {"daily_spend", c.RecentSpend, Money}, {"last_touch_roas", roas, Ratio}},
		})
	}
	return all
}

// Limits of ad fatigue.
const (
	tiredCTR  = 0.7 // maximum share of the earlier CTR
	tiredDays = 28
)

// fatigued finds ads with a click-through rate (CTR) below 70% of the earlier CTR. The other ads of the channel are the
// control.
func fatigued(s Store) (all []Finding) {
	clicks, views := map[measure.Channel][2]float64{}, map[measure.Channel][2]float64{}
	spend := map[measure.Channel]float64{}
	for _, a := range s.Ads {
		clicks[a.Channel] = [2]float64{clicks[a.Channel][0] + a.Clicks, clicks[a.Channel][1] + a.ClicksBefore}
		views[a.Channel] = [2]float64{views[a.Channel][0] + a.Views, views[a.Channel][1] + a.ViewsBefore}
		spend[a.Channel] += a.Spend
	}
	for _, a := range s.Ads {
		others := relative(clicks[a.Channel][0]-a.Clicks, views[a.Channel][0]-a.Views, clicks[a.Channel][1]-a.ClicksBefore, views[a.Channel][1]-a.ViewsBefore)
		own := relative(a.Clicks, a.Views, a.ClicksBefore, a.ViewsBefore)
		if own == 0 || a.Days < tiredDays || a.Spend < 0.05*spend[a.Channel] {
			continue
		}
		if others == 0 {
			others = 1
		}
		fall := own / min(1, others)
		expected := a.Views * a.ClicksBefore / a.ViewsBefore * min(1, others)
		if fall > tiredCTR || atMost(a.Clicks, expected, 4*dispersion) >= rare {
			continue
		}
		lost := perMonth(a.Spend, FatigueDays) * (1 - fall)
		all = append(all, Finding{
			Kind: Fatigue, Subject: a.ID, Name: a.Name, Channel: a.Channel, Confidence: 0.8, Effort: Medium, Value: worth(lost, 0.5*lost, 1.2*lost),
			Evidence: []Figure{
				{"click_rate", a.Clicks / a.Views, Share},
				{"earlier_click_rate", a.ClicksBefore / a.ViewsBefore, Share},
				{"age_days", float64(a.Days), Count},
				{"spend", a.Spend, Money},
			},
		})
	}
	return all
}

// relative returns the ratio of a rate to its earlier value, or 0 if the ratio is unknown.
func relative(k, n, kBefore, nBefore float64) float64 {
	if !(n > 0 && nBefore > 0 && kBefore > 0) {
		return 0
	}
	return k / n / (kBefore / nBefore)
}

// leastInformation is the minimum value of a recommended experiment, as a share of the store's monthly contribution.
const leastInformation = 1e-3

// untested finds channels with at least a tenth of the spend of the last 90 days and no recent experiment. The value is
// the expected value of perfect information on one decision: to increase or decrease spend by 20%. Contribution after
// spend, per unit of spend, is normally distributed with mean m and standard deviation v. Both come from marginal ROAS
// if the model estimates it, otherwise from the best estimate of ROAS. The step is a fifth of monthly spend. The value
// is
//
//	step (v φ(m/v) - |m| Φ(-|m|/v)).
func untested(s Store) (all []Finding) {
	total := 0.0
	for _, c := range s.Channels {
		total += lately(c.Spend, 90)
	}
	for _, c := range s.Channels {
		spend, revenue := lately(c.Spend, 90), lately(c.Revenue, 90)
		if c.Tested || spend <= 0 || spend < 0.1*total || c.FactorSD <= 0 {
			continue
		}
		roas := revenue / spend
		mean, sd := s.rate()*c.average()-1, s.rate()*roas*c.FactorSD
		if m := c.Marginal; m != nil {
			mean, sd = s.rate()*m.ROAS.Value-1, s.rate()*m.ROAS.NormalSD()
		}
		step := 0.2 * perMonth(spend, 90)
		value := step * loss(mean, sd)
		if value < leastInformation*s.Monthly() {
			continue
		}
		all = append(all, Finding{
			Kind: Untested, Subject: string(c.Name), Channel: c.Name, Confidence: 0.8, Effort: Large, Value: worth(value, 0, 2*value),
			Evidence: []Figure{{"spend_share", spend / total, Share}, {"spend", spend, Money}, {"last_touch_roas", roas, Ratio}, {"factor_sd", c.FactorSD, Ratio}},
		})
	}
	return all
}

// loss returns the expected opportunity loss of the decision that is better on average. The difference in value between
// the two decisions is normally distributed with the given mean and standard deviation.
func loss(mean, sd float64) float64 {
	if sd <= 0 {
		return 0
	}
	u := math.Abs(mean) / sd
	return sd * (distuv.UnitNormal.Prob(u) - u*distuv.UnitNormal.CDF(-u))
}
