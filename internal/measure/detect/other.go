package detect

import (
	"math"

	"assay/internal/measure"
)

// leaks finds discount codes with a jump in use. A typical cause is a code for few customers, or a creator's code, that
// is now on a coupon site. The value is 0.7 times the monthly discounts above the usual level, with an interval from
// 0.2 to 1 times this amount.
func leaks(s Store) (all []Finding) {
	growth := 1.0
	if before := lately(s.Orders, 70) - lately(s.Orders, 14); before > 0 {
		growth = lately(s.Orders, 14) / (before / 4)
	}
	for _, c := range s.Coupons {
		usual := max(c.Before/4, 1) * max(1, growth)
		if c.Before < 8 || c.Orders < 25 || c.Orders < 3*usual || atLeast(c.Orders, usual, 2*dispersion) >= rare {
			continue
		}
		extra := perMonth(c.Discount*(1-usual/c.Orders), 14)
		severity := Warning
		if !c.Creator && c.New > 0.5*c.Orders {
			severity = Notice // mostly new customers: the cause can be a campaign
		}
		all = append(all, Finding{
			Kind: CouponLeak, Subject: c.Code, Since: s.Days.Last.AddDays(-13), Confidence: 0.8, Effort: Small, Severity: severity,
			Value:    worth(0.7*extra, 0.2*extra, extra),
			Evidence: []Figure{{"orders", c.Orders, Count}, {"usual_orders", usual, Count}, {"discount", c.Discount, Money}, {"new_customer_share", c.New / c.Orders, Share}},
		})
	}
	return all
}

// pacing finds sales targets that will be missed, and spend targets that will be reached, with a probability of at
// least 80%. These findings have no value, because acting may not close the gap to the target. The sales targets of a
// channel have one cause, so only the target at highest risk is a finding. The same applies to its spend targets.
func pacing(s Store) (all []Finding) {
	type sales struct {
		channel measure.Channel
		spend   bool
	}
	first := map[sales]int{}
	for _, g := range s.Goals {
		risk := 1 - g.Chance
		if g.Metric == "spend" {
			risk = g.Chance
		}
		if risk < 0.8 || g.Target <= 0 {
			continue
		}
		severity := Notice
		if risk >= 0.95 {
			severity = Warning
		}
		f := Finding{
			Kind: PacingRisk, Subject: g.Name, Channel: g.Channel, Since: g.Days.First, Confidence: risk, Effort: Large, Severity: severity,
			Evidence: []Figure{
				{"target", g.Target, Count},
				{"expected", g.Expected.Value, Count},
				{"expected_low", g.Expected.Low, Count},
				{"expected_high", g.Expected.High, Count},
				{"probability", risk, Share},
			},
		}
		key := sales{g.Channel, g.Metric == "spend"}
		if at, ok := first[key]; !ok {
			first[key] = len(all)
			all = append(all, f)
		} else if f.Confidence > all[at].Confidence {
			all[at] = f
		}
	}
	return all
}

// rebooking finds creators without recent posts who have a positive contribution after their cost, even at the lower
// limit of the estimated orders.
func rebooking(s Store) (all []Finding) {
	for _, c := range s.Creators {
		if c.Open || c.Cost <= 0 || s.Rate == nil {
			continue
		}
		gain := func(orders float64) float64 { return perMonth(s.rate()*c.AOV*orders-c.Cost, c.Days) }
		if gain(c.Orders.Low) <= 0 {
			continue
		}
		all = append(all, Finding{
			Kind: Rebooking, Subject: c.ID, Name: c.Name, Confidence: 0.6, Effort: Medium, // past results tend to regress to the mean
			Value: worth(0.5*gain(c.Orders.Value), 0, gain(c.Orders.High)),
			Evidence: []Figure{
				{"estimated_orders", c.Orders.Value, Count},
				{"estimated_orders_low", c.Orders.Low, Count},
				{"estimated_orders_high", c.Orders.High, Count},
				{"cost", c.Cost, Money},
			},
		})
	}
	return all
}

// halos lists effects of channels on other sales surfaces. The store's own revenue does not include these effects.
func halos(s Store) (all []Finding) {
	for _, h := range s.Halos {
		share := h.Monthly.Value / math.Max(1, s.Monthly()/s.rate())
		if h.Chance < 0.975 || share < 0.01 {
			continue
		}
		all = append(all, Finding{
			Kind: HaloEffect, Subject: string(h.Channel) + " on " + string(h.Surface), Channel: h.Channel, Confidence: h.Chance, Effort: Small,
			Evidence: []Figure{{"monthly_revenue", h.Monthly.Value, Money}, {"monthly_revenue_low", h.Monthly.Low, Money}, {"monthly_revenue_high", h.Monthly.High, Money}, {"share", share, Share}},
		})
	}
	return all
}

// seasons lists upcoming seasons that begin in a month without a target.
func seasons(s Store) (all []Finding) {
	for _, e := range s.Seasons {
		if e.Planned {
			continue
		}
		f := Finding{
			Kind: SeasonAhead, Subject: e.Name, Name: e.Title, Since: e.First, Confidence: 0.9, Effort: Medium,
			Evidence: []Figure{{"days_ahead", float64(e.First.Sub(s.Days.Last)), Count}},
		}
		if e.Usual > 0 {
			f.Evidence = append(f.Evidence, Figure{"last_year_ratio", e.Usual, Ratio})
		}
		all = append(all, f)
	}
	return all
}
