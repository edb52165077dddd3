package snapshot

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/experiment"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/warehouse"
)

// ReturnBasis is the evidence for the best estimate of a channel's incremental ROAS.
type ReturnBasis string

// The bases are in order of priority. There is one exception: applied experiments that the model does not use have
// priority over a model without any experiment on the channel.
const (
	ByModel       ReturnBasis = "model"       // posterior of the media mix model, which experiments calibrate
	ByExperiments ReturnBasis = "experiments" // last-touch ROAS times the factor of applied experiments
	ByAttribution ReturnBasis = "attribution" // last-touch ROAS with the interval of the factor's prior
)

// ReturnDays is the number of days before today from which last-touch and platform-reported ROAS are computed.
const ReturnDays = 90

// Return contains the best estimate of a channel's incremental ROAS, and other figures for comparison. The best
// estimate does not depend on the requested date range, so all answers show the same value. Unknown values are nil.
type Return struct {
	Channel measure.Channel
	Best    *measure.Estimate
	Basis   ReturnBasis // "" without a best estimate
	Days    civil.Range // days of the best estimate
	Tests   int         // number of experiments in the best estimate

	Recent    civil.Range // days of the next three figures
	Spend     int64       // in minor units
	LastTouch *float64    // last-touch ROAS
	Claimed   *float64    // ROAS that the platform reports
	Modelled  *measure.Estimate
	Factor    *experiment.ChannelFactor // factor of applied experiments
}

// ClaimedOver returns platform-reported ROAS divided by incremental ROAS. It returns false if one of them is unknown or
// if incremental ROAS is not positive.
func (r Return) ClaimedOver() (float64, bool) {
	if r.Claimed == nil || r.Best == nil || !(r.Best.Value > 0) {
		return 0, false
	}
	return *r.Claimed / r.Best.Value, true
}

// UsableModel returns the workspace's media mix model. It returns nil if there is no model or the model is not usable.
func UsableModel(c *Snapshot) *mix.Model {
	status, _ := c.ModelState()
	if (status != mix.Active && status != mix.Stale) || c.MMM.Model.Settings != c.Workspace.ModelSettings() {
		return nil
	}
	return c.MMM.Model
}

// Returns returns the best estimate of incremental ROAS for every channel with spend in the last [ReturnDays] days or
// in the model. The snapshot must include the experiments. The result is read-only.
func Returns(ctx context.Context, c *Snapshot) (map[measure.Channel]Return, error) {
	return Shared(ctx, c, "returns", returnsOf)
}

func returnsOf(ctx context.Context, c *Snapshot) (map[measure.Channel]Return, error) {
	days := c.LastDays(ReturnDays)
	totals, err := c.LastTouchTotals(ctx, warehouse.Windows{Recent: days}, "")
	if err != nil {
		return nil, err
	}
	factors, err := c.AppliedFactors(ctx)
	if err != nil {
		return nil, fmt.Errorf("applied factors: %w", err)
	}
	all := map[measure.Channel]Return{}
	for _, t := range totals.Recent {
		if t.SpendKnown && t.Spend > 0 {
			all[t.Channel] = recentReturn(c, t, days)
		}
	}
	model := UsableModel(c)
	if model != nil {
		for _, e := range model.Effects {
			if e.ROAS != nil {
				r := all[e.Channel]
				r.Channel, r.Recent, r.Modelled = e.Channel, days, new(mmm.EstimateOf(*e.ROAS))
				all[e.Channel] = r
			}
		}
	}
	for channel, r := range all {
		if f, ok := factors[channel]; ok {
			r.Factor = &f
		}
		r.choose(model)
		all[channel] = r
	}
	return all, nil
}

// recentReturn returns the last-touch ROAS and the platform-reported ROAS of a channel.
func recentReturn(c *Snapshot, t warehouse.ChannelTotal, days civil.Range) Return {
	r := Return{Channel: t.Channel, Recent: days, Spend: t.Spend}
	if roas, ok := measure.ROAS(c.Workspace.Basis.Revenue(t.Sums), t.Spend); ok && !c.RevenueUnknown(t.Channel) {
		r.LastTouch = &roas
	}
	if roas, ok := measure.ROAS(t.ClaimedSum, t.Spend); ok && t.ClaimedSum > 0 {
		r.Claimed = &roas
	}
	return r
}

// choose sets the best estimate.
func (r *Return) choose(model *mix.Model) {
	used := 0
	if r.Modelled != nil {
		used = len(model.TestsOf(r.Channel))
	}
	known := r.LastTouch != nil && *r.LastTouch > 0
	switch {
	case r.Modelled != nil && (used > 0 || r.Factor == nil || !known):
		r.Best, r.Basis, r.Days, r.Tests = r.Modelled, ByModel, model.Window, used
	case r.Factor != nil && known:
		r.Best, r.Basis, r.Days, r.Tests = new(r.Factor.Times(*r.LastTouch)), ByExperiments, r.Recent, r.Factor.Tests
	case known:
		r.Best, r.Basis, r.Days = new(geo.Prior(experiment.Level).Times(*r.LastTouch)), ByAttribution, r.Recent
	}
}
