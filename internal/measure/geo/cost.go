package geo

import (
	"math"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Return is a geo experiment's effect per unit of cost. If spend is reduced, the cost is negative. With an effective
// channel, the effect is then also negative, so the ratio is positive.
type Return struct {
	PerCost         float64           // effect per unit of cost: iROAS if the outcome is revenue
	PerCostInterval *measure.Interval // nil without an interval of the effect
	// Each is the cost per unit of effect: iCPA if the outcome is the number of orders. It is nil if the effect is 0.
	Each         *float64
	EachInterval *measure.Interval // nil if the effect's interval contains 0 (unbounded cost per unit)
}

// Estimate returns the effect per unit of cost. It returns nil if there is no interval or if r is nil.
func (r *Return) Estimate() *measure.Estimate {
	if r == nil || r.PerCostInterval == nil {
		return nil
	}
	return estimated(r.PerCost, r.PerCostInterval)
}

// ratio returns the incremental outcome divided by a cost. The cost is known exactly, so the limits of the interval are
// divided by the same cost.
func (r *Result) ratio(cost float64) *Return {
	total := float64(len(r.Treated) * r.Periods)
	out := &Return{PerCost: r.Incremental / cost, PerCostInterval: r.Interval.Times(total / cost)}
	if r.Incremental != 0 {
		each := cost / r.Incremental
		out.Each = &each
	}
	if i := out.PerCostInterval; i != nil && i.Low*i.High > 0 {
		out.EachInterval = &measure.Interval{Low: min(1/i.Low, 1/i.High), High: max(1/i.Low, 1/i.High), Level: i.Level}
	}
	return out
}

// LiftTest is the result of a geo experiment as a lift test for a media mix model. Spend changes from X to X + DeltaX
// per period. Once adstock has settled, the target changes by DeltaY per period.
type LiftTest struct {
	Channel measure.Channel
	X       float64 // spend of the treated regions per period before the test
	DeltaX  float64
	DeltaY  float64
	Sigma   float64 // standard deviation of DeltaY
}

// Spread contains the factors that convert a result from the treated regions and the test's periods to the regions and
// periods of a model.
type Spread struct {
	Share   float64 // the treated regions' share of sales of all compared regions
	Outcome float64 // the model's target / outcome of all regions, over the same days
	Periods float64 // periods of the test per model period: 7 for days and weeks
}

// Over returns the lift test scaled to all regions. It assumes that spend is proportional to sales and that all regions
// respond equally. A share w of the regions with spend x then represents all regions with spend x/w.
func (t LiftTest) Over(s Spread) (LiftTest, error) {
	for _, x := range []float64{s.Share, s.Outcome, s.Periods} {
		if !(x > 0) || math.IsInf(x, 0) {
			return LiftTest{}, fault.Invalid("the test cannot be scaled to all regions by %+v: every value must be above 0 and finite", s)
		}
	}
	exposure, outcome := s.Periods/s.Share, s.Periods*s.Outcome/s.Share
	t.X, t.DeltaX, t.DeltaY, t.Sigma = exposure*t.X, exposure*t.DeltaX, outcome*t.DeltaY, outcome*t.Sigma
	return t, nil
}

// Settling contains the adjustments of a test's result for a model. The zero value changes nothing.
type Settling struct {
	Share    float64 // share of the effect that occurs within the test, given adstock; 0 means the whole effect
	Spend    float64 // added variance for a spend level that differs from today's, as a share of the variance
	Recency  float64 // added share of the variance for the test's age
	Duration float64 // added share of the variance for a short duration
}

// LiftTest returns the result as a lift test. The parameters spend (before the test) and change are sums over the
// treated regions per period. The effect is divided by the share of the effect that occurs within the test. The
// standard deviation sd of the effect increases as in Meridian's calibration of priors: sd √(1 + τ_spend + τ_recency +
// τ_duration).
func (r *Result) LiftTest(channel measure.Channel, spend, change float64, s Settling) (LiftTest, error) {
	if change == 0 || s.Share < 0 || s.Share > 1 || s.Spend < 0 || s.Recency < 0 || s.Duration < 0 {
		return LiftTest{}, fault.Invalid("a lift test needs a change of spend, a share of at most 1 and no negative variance")
	}
	sd, ok := r.sd()
	if !ok {
		return LiftTest{}, fault.Invalid("the result has neither an interval nor placebo sets, so it has no standard error")
	}
	if s.Share == 0 {
		s.Share = 1
	}
	scale := float64(len(r.Treated)) / s.Share
	return LiftTest{
		Channel: channel, X: spend, DeltaX: change, DeltaY: r.ATT * scale,
		Sigma: sd * scale * math.Sqrt(1+s.Spend+s.Recency+s.Duration),
	}, nil
}

// sd returns the standard deviation of ATT that its interval or its placebo sets imply.
func (r *Result) sd() (float64, bool) {
	if i := r.Interval; i != nil && i.High > i.Low {
		return i.NormalSD(), true
	}
	if r.Placebo != nil && r.Placebo.SE > 0 {
		return r.Placebo.SE, true
	}
	return 0, false
}
