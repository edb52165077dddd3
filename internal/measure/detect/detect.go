// Package detect finds changes and opportunities in a store's data that need a decision. Examples are spend past its
// optimum, broken tracking, outages and rising CAC. Each finding has its evidence, the value of acting per month, and a
// confidence.
//
// Changes of a series have a robust z-score relative to the series' own history (see [drift]). The threshold is
// [alarmZ]. The orders that a platform reports are small counts and have a p-value instead (see [claims]). The aim is
// at most one false finding of high priority per store and month. Tests on simulated series measure the rate.
package detect

import (
	"cmp"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Kind is the kind of a finding.
type Kind string

// The kinds.
const (
	PastOptimum   Kind = "spend_past_optimum"
	Headroom      Kind = "budget_headroom"
	SpendShift    Kind = "spend_shift"
	NoEffect      Kind = "campaign_without_effect"
	CappedWinner  Kind = "budget_capped_winner"
	Fatigue       Kind = "creative_fatigue"
	Untested      Kind = "untested_channel"
	CACDrift      Kind = "cac_drift"
	PaybackDrift  Kind = "payback_drift"
	Discounting   Kind = "discount_dependence"
	FewerNew      Kind = "new_customer_share"
	RefundRate    Kind = "refund_rate"
	Outage        Kind = "outage"
	SalesStopped  Kind = "product_sales_stopped"
	TrackingBreak Kind = "tracking_break"
	ClaimsBreak   Kind = "claims_break"
	PixelLoss     Kind = "pixel_against_survey"
	CouponLeak    Kind = "coupon_leak"
	PacingRisk    Kind = "pacing_risk"
	Rebooking     Kind = "creator_rebooking"
	HaloEffect    Kind = "halo_effect"
	SeasonAhead   Kind = "season_ahead"
)

// Severity is the urgency of the decision that a finding needs, regardless of the finding's value.
type Severity int

// The severities.
const (
	Notice  Severity = iota // can wait
	Warning                 // act this week
	Alarm                   // today: sales are lost or figures are wrong until a person acts
)

// Effort is the amount of work to act on a finding.
type Effort int

// The efforts.
const (
	Small  Effort = 1 // minutes, such as a change of a budget
	Medium Effort = 2 // days, such as new creatives
	Large  Effort = 4 // weeks, such as a geo experiment
)

// Unit is the unit of a figure.
type Unit string

// The units. Shares are fractions.
const (
	Money Unit = "money"
	Share Unit = "share"
	Ratio Unit = "ratio"
	Count Unit = "count"
)

// Figure is a number that supports a finding.
type Figure struct {
	Name  string
	Value float64
	Unit  Unit
}

// Finding is a change or an opportunity that needs a decision.
type Finding struct {
	Kind    Kind
	Subject string          // channel, campaign ID, code or SKU; "" for the store
	Name    string          // display name of the subject, if it differs
	Channel measure.Channel // channel of the subject; "" if it has none
	Since   civil.Date      // first day of the evidence; zero: none
	// Value is the gain per month from acting on the finding, as contribution if the contribution rate is known, otherwise
	// as revenue. It is nil if the gain is unknown.
	Value      *measure.Estimate
	Confidence float64 // probability that the finding is real
	Effort     Effort
	Severity   Severity
	Evidence   []Figure
}

// Level is the level of the intervals of findings and of expected values.
const Level = 0.9

// worth returns the estimate of a value per month with the given interval.
func worth(value, low, high float64) *measure.Estimate {
	return &measure.Estimate{
		Value: value, Interval: measure.Interval{Low: min(low, high), High: max(low, high), Level: Level}, Basis: measure.Modelled,
	}
}

// Find returns the findings of all detectors, sorted by score, highest first.
func Find(s Store) []Finding {
	var all []Finding
	for _, detector := range []func(Store) []Finding{
		pastOptimum, spendShifts, withoutEffect, capped, fatigued, untested,
		cacDrift, storeDrifts, outages, stopped,
		trackingBreaks, claimsBreaks, pixelLosses, leaks, pacing, rebooking, halos, seasons,
	} {
		all = append(all, detector(s)...)
	}
	all = withoutConsequences(all)
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Score(), a.Score()), cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject))
	})
	return all
}

// Score returns the expected value of acting, divided by the effort. The score of a finding without a value is 0.
func (f Finding) Score() float64 {
	if f.Value == nil {
		return 0
	}
	return max(0, f.Value.Value) * f.Confidence / float64(f.Effort)
}

// consequences lists the kinds that follow from another finding on the same channel, or on the store.
var consequences = map[Kind][]Kind{
	TrackingBreak: {CACDrift, PaybackDrift, ClaimsBreak, PixelLoss, NoEffect, FewerNew},
	PixelLoss:     {CACDrift, ClaimsBreak, NoEffect},
	Outage:        {CACDrift, SalesStopped},
	SpendShift:    {CACDrift, PaybackDrift},
	CouponLeak:    {Discounting},
	FewerNew:      {CACDrift, PaybackDrift},
}

// withoutConsequences returns the findings that do not follow from another finding, so that one cause has one finding.
// If the store has a tracking break, it also removes the tracking breaks of channels.
func withoutConsequences(all []Finding) []Finding {
	follows := func(f Finding) bool {
		return slices.ContainsFunc(all, func(cause Finding) bool {
			if cause.Kind == TrackingBreak && f.Kind == TrackingBreak {
				return cause.Channel == "" && f.Channel != ""
			}
			return slices.Contains(consequences[cause.Kind], f.Kind) && (cause.Channel == "" || f.Channel == "" || cause.Channel == f.Channel)
		})
	}
	var kept []Finding
	for _, f := range all {
		if !follows(f) {
			kept = append(kept, f)
		}
	}
	return kept
}
