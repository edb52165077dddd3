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

// Result is an experiment with what it measured. A value that cannot be calculated is nil.
type Result struct {
	control.Experiment
	Found    *geo.Assessment // of a geo experiment
	Lost     []civil.Date    // days before it that other experiments made useless
	Spend    *float64        // by how much spend differed, in whole units
	Returned *geo.Factor     // incremental return on spend with its interval
	Reported *float64        // return on spend by last touch in its days
	Factor   *geo.Factor     // incremental over reported return
	Unread   error           // why the store's data do not allow the comparison of regions
	Missing  Missing         // what a factor lacks
}

// Missing is what a completed experiment lacks for a factor.
type Missing string

// What may be missing.
const (
	NoReturn   Missing = "return"          // the channel's spend by region is unknown, or it hardly changed
	NoReported Missing = "reported return" // last touch credits the channel with nothing, or its spend is unknown
)

// Level is the level of all intervals of results.
const Level = 1 - alpha

// Result returns a completed experiment with what it measured. Reported is the return on spend by last touch in its days,
// nil where it is unknown.
func (s Store) Result(ctx context.Context, e control.Experiment, reported *float64) (*Result, error) {
	r := &Result{Experiment: e, Reported: reported}
	if e.Kind != control.GeoTest {
		r.Returned = &geo.Factor{Value: e.Found.Return, Interval: measure.Interval{Low: e.Found.Low, High: e.Found.High, Level: float64(e.Found.LevelPct) / 100}}
	} else {
		found, err := s.Assess(ctx, e)
		r.Found, r.Lost, r.Spend, r.Returned = found.Assessment, found.Lost, found.Change, found.Return
		if kind := fault.KindOf(err); kind == fault.KindInvalid || kind == fault.KindNotReady {
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
		f, err := geo.NewFactor(r.Returned.Value, r.Returned.Interval, *reported)
		if err != nil {
			return nil, err
		}
		r.Factor = new(f.At(Level))
	}
	return r, nil
}

// ChannelFactor is the pooled factor of a channel's experiments.
type ChannelFactor struct {
	Channel measure.Channel
	geo.Pooled
	Applied bool       // the experiments are applied; otherwise none of the channel is
	Latest  civil.Date // last day of the latest of them
}

// ChannelFactors pools the factors of each channel: those of applied experiments or, where none is applied, of all.
func ChannelFactors(all []*Result) ([]ChannelFactor, error) {
	applied, others := map[measure.Channel][]geo.Factor{}, map[measure.Channel][]geo.Factor{}
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
		pooled, err := geo.Pool(from, Level)
		if err != nil {
			return nil, fmt.Errorf("factor of %q: %w", channel, err)
		}
		f.Pooled, f.Latest = pooled, latest[channel][f.Applied]
		out = append(out, f)
	}
	return out, nil
}
