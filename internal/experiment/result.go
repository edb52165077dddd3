package experiment

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
)

// Result is an experiment with its measured values. Unknown values are nil.
type Result struct {
	control.Experiment
	Found    *geo.Assessment   // assessment of a geo experiment
	Excluded []civil.Date      // days before the experiment that are excluded because of other experiments
	Spend    *float64          // spend minus counterfactual spend, in whole units
	Returned *measure.Estimate // iROAS
	Reported *float64          // last-touch ROAS on the experiment's days
	Factor   *measure.Estimate // incremental / reported ROAS, as measured; [ChannelFactors] returns the factors to use
	Unread   error             // reason why the data do not allow a comparison of regions
	Missing  Missing           // input that the factor lacks
}

// Missing is the input that a completed experiment lacks for an incrementality factor.
type Missing string

// Inputs that may be missing.
const (
	NoReturn   Missing = "return"          // see [noSpendChange]
	NoReported Missing = "reported return" // last touch attributes no revenue to the channel, or its spend is unknown
)

// Reasons why an experiment has no result or no iROAS.
const (
	notCovered    = "the store's orders do not cover the days of the experiment"
	noSpendChange = "the channel's spend by region is unknown or barely changed"
)

// Why returns the reason why the experiment has no factor, or "" if it has a factor.
func (r *Result) Why() string {
	switch {
	case r.Unread != nil:
		text, _, _ := fault.Public(r.Unread)
		return text
	case r.Missing == NoReturn:
		return "there is a lift but no iROAS: " + noSpendChange
	case r.Missing == NoReported:
		return "there is an iROAS but no factor: last touch attributes no revenue to the channel on these days, or its spend is unknown"
	}
	return ""
}

// Level is the level of the intervals in results, except for the iROAS of a platform study.
const Level = 1 - alpha

// Result returns a completed experiment with its measured values. The parameter reported is the channel's last-touch
// ROAS on the experiment's days, or nil if it is unknown.
func (s Store) Result(ctx context.Context, e control.Experiment, reported *float64) (*Result, error) {
	r := &Result{Experiment: e, Reported: reported}
	if e.Kind != control.GeoTest {
		r.Returned = &measure.Estimate{
			Value: e.Found.Return, Interval: measure.Interval{
				Low: e.Found.Low, High: e.Found.High, Level: float64(e.Found.LevelPct) / 100,
			},
			Method: measure.PlatformStudy, Basis: measure.Incremental,
		}
	} else {
		found, err := s.Assess(ctx, e)
		r.Found, r.Excluded, r.Spend, r.Returned = found.Assessment, found.Excluded, found.Change, found.Return
		if unusable(err) {
			r.Unread = err
			return r, nil
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case r.Returned == nil:
		r.Missing = NoReturn
	case reported == nil || *reported <= 0:
		r.Missing = NoReported
	default:
		f, err := geo.Factor(*r.Returned, *reported)
		if err != nil {
			return nil, err
		}
		r.Factor = new(f.At(Level))
	}
	return r, nil
}

// Conclusive reports whether the interval of the effect excludes zero. It is false without a result.
func (r *Result) Conclusive() bool {
	i := measure.Interval{}
	switch {
	case r.Found != nil && r.Found.LiftEstimate != nil:
		i = r.Found.LiftEstimate.Interval
	case r.Found == nil && r.Returned != nil:
		i = r.Returned.At(Level).Interval
	}
	return i.Low > 0 || i.High < 0
}

// FactorUse reports whether the experiment is a part of its channel's applied factor, and why.
func (r *Result) FactorUse() (used bool, why string) {
	switch {
	case r.Status != control.ExperimentCompleted:
		return false, "the experiment is not completed"
	case r.Factor == nil:
		return false, r.Why()
	case !r.Applied && !r.Conclusive():
		return false, "the experiment is inconclusive, and no member has applied the factor"
	case !r.Applied:
		return false, "no member has applied the factor"
	case !r.Conclusive():
		return true, "applied, although the experiment is inconclusive"
	}
	return true, "applied"
}

// ChannelFactor is the factor of a channel: the posterior from a prior and the channel's experiments.
type ChannelFactor struct {
	Channel measure.Channel
	geo.Pooled
	Applied bool       // the experiments are applied; false: the channel has no applied experiment
	Latest  civil.Date // last day of the latest of these experiments
}

// ChannelFactors returns the pooled incrementality factor of each channel with a measured factor. For each channel, it
// pools the factors of the applied experiments or, if none is applied, of all experiments.
func ChannelFactors(all []*Result) ([]ChannelFactor, error) {
	applied, others := map[measure.Channel][]measure.Estimate{}, map[measure.Channel][]measure.Estimate{}
	latest := map[measure.Channel]map[bool]civil.Date{}
	for _, r := range all {
		if r.Factor == nil {
			continue
		}
		to := others
		if r.Applied {
			to = applied
		}
		to[r.Channel] = append(to[r.Channel], *r.Factor)
		if latest[r.Channel] == nil {
			latest[r.Channel] = map[bool]civil.Date{}
		}
		if r.Days.Last.After(latest[r.Channel][r.Applied]) {
			latest[r.Channel][r.Applied] = r.Days.Last
		}
	}
	var out []ChannelFactor
	for _, channel := range slices.Sorted(maps.Keys(latest)) {
		f := ChannelFactor{Channel: channel, Applied: len(applied[channel]) > 0}
		from := others[channel]
		if f.Applied {
			from = applied[channel]
		}
		pooled, err := geo.Posterior(from, Level)
		if err != nil {
			return nil, fmt.Errorf("factor of %q: %w", channel, err)
		}
		f.Pooled, f.Latest = pooled, latest[channel][f.Applied]
		out = append(out, f)
	}
	return out, nil
}
