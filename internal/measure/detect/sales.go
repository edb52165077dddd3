package detect

import (
	"math"
	"slices"

	"assay/internal/measure"
)

// Minimum size of a drift for a finding.
const (
	leastChange   = 0.15
	leastAcquired = 30 // minimum number of new customers in the recent window
)

// quarter compares four weeks with the twelve weeks before them.
var quarter = windows{recent: 28, base: 84}

// cacDrift finds channels with a rise in CAC. The value is the spend saved if CAC returns to its former level.
func cacDrift(s Store) (all []Finding) {
	for _, c := range s.Channels {
		if lately(c.NewOrders, quarter.recent) < leastAcquired {
			continue
		}
		d, ok := driftOf(c.Spend, c.NewOrders, quarter)
		if !ok || d.z < alarmZ || d.change() < leastChange {
			continue
		}
		spend := perMonth(lately(c.Spend, quarter.recent), quarter.recent)
		all = append(all, s.drifted(Finding{Kind: CACDrift, Subject: string(c.Name), Channel: c.Name}, d, spend, 1, "cac", "earlier_cac", Money))
	}
	return all
}

// drifted completes the finding of a changed ratio. The value of the finding is the part of the monthly amount that is
// gained if the ratio returns to its former level. The direction is 1 for a ratio that rose, and -1 for a ratio that
// fell.
func (s Store) drifted(f Finding, d drift, monthly, direction float64, now, before string, unit Unit) Finding {
	low, high := d.span()
	f.Since, f.Confidence, f.Effort, f.Severity = s.day(d.since), d.confidence(), Medium, Warning
	f.Value = worth(direction*monthly*(1-d.before/d.now), direction*monthly*(1-high), direction*monthly*(1-low))
	f.Evidence = []Figure{{now, d.now, unit}, {before, d.before, unit}, {"change", d.change(), Share}, {"z_score", math.Abs(d.z), Ratio}}
	return f
}

// storeDrifts finds lasting changes of ratios of the whole store.
func storeDrifts(s Store) (all []Finding) {
	rate, days := s.rate(), quarter.recent
	gross := make([]float64, len(s.Revenue))
	for i := range gross {
		gross[i] = s.Revenue[i] + at(s.Discounts, i)
	}
	revenue := perMonth(lately(s.Revenue, days), days)
	orders := perMonth(lately(s.Orders, days), days)
	for _, r := range []struct {
		kind        Kind
		num, den    []float64
		falls       bool
		monthly     float64 // contribution per month that is proportional to the ratio
		now, before string
	}{
		{Discounting, s.Discounts, gross, false, perMonth(lately(s.Discounts, days), days), "discount_share", "earlier_discount_share"},
		{RefundRate, s.Refunds, s.Revenue, false, perMonth(lately(s.Refunds, days), days), "refund_share", "earlier_refund_share"},
		{FewerNew, s.NewOrders, s.Orders, true, rate * s.aov() * orders * ratioOf(s.NewOrders, s.Orders, days), "new_customer_share", "earlier_new_customer_share"},
	} {
		if len(r.num) != len(r.den) || len(r.num) == 0 {
			continue
		}
		d, ok := driftOf(r.num, r.den, quarter)
		sign := 1.0
		if r.falls {
			sign = -1
		}
		if !ok || sign*d.z < alarmZ || sign*d.change() < leastChange || math.Abs(d.now-d.before) < 0.02 {
			continue
		}
		f := s.drifted(Finding{Kind: r.kind}, d, r.monthly, sign, r.now, r.before, Share)
		if !r.falls { // discounts and refunds reduce contribution in full, at most by the revenue
			f.Value.High = min(f.Value.High, revenue)
		}
		all = append(all, f)
	}
	return append(all, payback(s)...)
}

// payback finds a falling value of new customers per unit of spend. It excludes customers acquired in the last
// CohortDays days, because their value is incomplete.
func payback(s Store) []Finding {
	n := len(s.CohortValue) - s.CohortDays
	if n <= quarter.base+quarter.recent {
		return nil
	}
	spend := s.totalSpend()[:n]
	d, ok := driftOf(s.CohortValue[:n], spend, quarter)
	if !ok || d.z > -alarmZ || d.change() > -leastChange {
		return nil
	}
	monthly := s.rate() * perMonth(lately(s.CohortValue[:n], quarter.recent), quarter.recent)
	return []Finding{s.drifted(Finding{Kind: PaybackDrift}, d, monthly, -1, "cohort_return", "earlier_cohort_return", Ratio)}
}

func (s Store) totalSpend() []float64 {
	sum := make([]float64, s.Days.Days())
	for _, c := range s.Channels {
		for i, x := range c.Spend {
			sum[i] += x
		}
	}
	return sum
}

func at(series []float64, i int) float64 {
	if i < len(series) {
		return series[i]
	}
	return 0
}

func ratioOf(num, den []float64, days int) float64 {
	if d := lately(den, days); d > 0 {
		return lately(num, days) / d
	}
	return 0
}

// Limits of an outage.
const (
	outageShare = 0.3 // maximum share of the smallest number of orders on that weekday in the three previous weeks
	outageDays  = 14  // number of days to search
	leastDaily  = 10  // minimum orders per day
)

// outages finds days with far fewer orders than on the same weekday of the three previous weeks. The cause is an outage
// of the store or a missing import. Consecutive days are one finding.
func outages(s Store) (all []Finding) {
	n := len(s.Orders)
	for t := max(21, n-outageDays); t < n; t++ {
		least := slices.Min([]float64{s.Orders[t-7], s.Orders[t-14], s.Orders[t-21]})
		expected := (s.Orders[t-7] + s.Orders[t-14] + s.Orders[t-21]) / 3
		if least < leastDaily || s.Orders[t] > outageShare*least || atMost(s.Orders[t], least, dispersion) >= 1e-3 {
			continue
		}
		lost := s.rate() * s.aov() * (expected - s.Orders[t])
		if k := len(all) - 1; k >= 0 && all[k].Since.AddDays(int(all[k].Evidence[2].Value)) == s.day(t) {
			f := &all[k]
			f.Value = worth(f.Value.Value+lost, f.Value.Low+0.6*lost, f.Value.High+1.2*lost)
			f.Evidence[0].Value, f.Evidence[1].Value = f.Evidence[0].Value+s.Orders[t], f.Evidence[1].Value+expected
			f.Evidence[2].Value++
			continue
		}
		all = append(all, Finding{
			Kind: Outage, Since: s.day(t), Confidence: 0.95, Effort: Small, Severity: Warning, Value: worth(lost, 0.6*lost, 1.2*lost),
			Evidence: []Figure{{"orders", s.Orders[t], Count}, {"expected_orders", expected, Count}, {"days", 1, Count}},
		})
	}
	for i, f := range all {
		if f.Since.AddDays(int(f.Evidence[2].Value)-1) == s.Days.Last {
			all[i].Severity = Alarm // the outage may continue
		}
	}
	return all
}

// stopped finds products with usual sales of at least 12 units per week. In the last 7 days, their sales are at most
// 0.15 times the usual sales. They may be sold out or hidden. The loss is between 20% and 100% of the contribution of
// the lost sales, because some customers buy another product.
func stopped(s Store) (all []Finding) {
	for _, p := range s.Products {
		expected := p.Before / 8
		if expected < 12 || p.Units > 0.15*expected || atMost(p.Units, expected, dispersion) >= rare*1e3 {
			continue
		}
		lost := s.rate() * p.Price * perMonth(expected-p.Units, 7)
		all = append(all, Finding{
			Kind: SalesStopped, Subject: p.SKU, Name: p.Title, Since: s.Days.Last.AddDays(-6), Confidence: 0.9, Effort: Small, Severity: Warning,
			Value:    worth(0.5*lost, 0.2*lost, lost),
			Evidence: []Figure{{"units", p.Units, Count}, {"usual_units_per_week", expected, Count}, {"price", p.Price, Money}},
		})
	}
	return all
}

// trackingBreaks finds a jump in the share of orders without a channel. It also finds channels that lose most of their
// share of orders while their spend continues.
func trackingBreaks(s Store) (all []Finding) {
	week := windows{recent: 7, base: 56}
	if d, ok := driftOf(s.Unattributed, s.Orders, week); ok && d.z >= alarmZ && d.now-d.before > 0.1 {
		all = append(all, tracking(s, "", d, "unattributed_share", "earlier_unattributed_share"))
	}
	for _, c := range s.Channels {
		if lately(c.Spend, week.recent) == 0 || lately(c.Orders, week.recent+week.base) < 200 {
			continue
		}
		d, ok := driftOf(floored(c.Orders), s.Orders, week)
		spend, known := driftOf(c.Spend, ones(len(c.Spend)), week)
		if ok && known && d.z <= -alarmZ && d.now < 0.4*d.before && spend.now > 0.6*spend.before {
			all = append(all, tracking(s, c.Name, d, "order_share", "earlier_order_share"))
		}
	}
	return all
}

// floored returns the series with values below 0.05 replaced by 0.05. Logarithms are then finite, even if the series
// drops to zero.
func floored(series []float64) []float64 {
	out := slices.Clone(series)
	for i, x := range out {
		out[i] = max(x, 0.05)
	}
	return out
}

func tracking(s Store, channel measure.Channel, d drift, now, before string) Finding {
	return Finding{
		Kind: TrackingBreak, Subject: string(channel), Channel: channel, Since: s.day(d.since), Confidence: d.confidence(),
		Effort: Small, Severity: Alarm,
		Evidence: []Figure{{now, d.now, Share}, {before, d.before, Share}, {"z_score", math.Abs(d.z), Ratio}},
	}
}

// Limits of a loss of touchpoints.
const (
	leastAnswers = 60   // minimum number of earlier respondents per channel
	lostShare    = 0.5  // maximum attributed orders per answer, as a share of the former value
	lostP        = 5e-3 // maximum p-value; few channels of a store have this many answers
)

// pixelLosses finds channels to which last touch attributes fewer respondents' orders than before, relative to the
// number of respondents who name the channel. Typical causes are a broken pixel, a consent banner, or a link without
// UTM parameters. Let n respondents name the channel now, let n0 respondents name it before, and let k orders of
// respondents be attributed to it before. The expected number of attributed orders is e = n k/n0. Its variance is e (1
// + e (1/n + 1/n0 + 1/k)), because n, n0 and k are counts.
func pixelLosses(s Store) (all []Finding) {
	for _, a := range s.Answers {
		if a.NamedBefore < leastAnswers || a.CreditBefore < leastAnswers/2 || a.Named == 0 {
			continue
		}
		before, now := a.CreditBefore/a.NamedBefore, a.Credited/a.Named
		expected := a.Named * before
		spread := 1 + expected*(1/a.Named+1/a.NamedBefore+1/a.CreditBefore)
		if now > lostShare*before || atMost(a.Credited, expected, spread) >= lostP {
			continue
		}
		all = append(all, Finding{
			Kind: PixelLoss, Subject: string(a.Channel), Channel: a.Channel, Since: s.Days.Last.AddDays(1 - AnswerDays), Confidence: 0.9, Effort: Small, Severity: Alarm,
			Evidence: []Figure{{"credited_per_answer", now, Ratio}, {"earlier_credited_per_answer", before, Ratio}, {"answers", a.Named, Count}, {"credited", a.Credited, Count}},
		})
	}
	return all
}
