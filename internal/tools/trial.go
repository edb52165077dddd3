package tools

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/maypok86/otter/v2"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/experiment"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/measure/halo"
)

// Experiments has the workspaces' experiments. The store of control data does.
type Experiments interface {
	Experiments(ctx context.Context, ws measure.WorkspaceID) ([]control.Experiment, error)
}

// experimentTools answer from the workspace's experiments.
var experimentTools = []string{"experiments", "geo_experiment_preflight", "chart", "omnichannel"}

// stateOfExperiments is another number whenever one of them is.
func stateOfExperiments(all []control.Experiment) uint64 {
	h := fnv.New64a()
	for _, e := range all {
		_, _ = h.Write([]byte(string(e.ID) + " " + strconv.FormatInt(e.Version, 10) + "\n")) // a hash never fails
	}
	return h.Sum64()
}

// trial is an experiment with what it found. What cannot be told is nil, and why says the reason.
type trial struct {
	control.Experiment
	found    *geo.Assessment // of a test by region
	lost     []civil.Date    // days before it that other tests made useless
	spend    *float64        // by how much spend differed, in whole units
	returned *geo.Factor     // incremental return on spend with its interval
	reported *float64        // return on spend by last touch in its days
	factor   *geo.Factor
	why      string
}

// trialKey is all that the result of an experiment depends on.
type trialKey struct {
	storeKey
	experiments uint64
	over        bool // its days are
	id          control.ExperimentID
}

// trials keeps what experiments found, and works one out at a time: a fit takes all cores.
type trials struct {
	kept     *otter.Cache[trialKey, *trial]
	surfaces *otter.Cache[trialKey, []halo.Experiment] // what they found on each sales surface
	lane     chan struct{}
}

const maxTrials = 2000

func newTrials() (*trials, error) {
	kept, err := otter.New(&otter.Options[trialKey, *trial]{MaximumSize: maxTrials})
	if err != nil {
		return nil, err
	}
	surfaces, err := otter.New(&otter.Options[trialKey, []halo.Experiment]{MaximumSize: maxTrials})
	return &trials{kept: kept, surfaces: surfaces, lane: make(chan struct{}, 1)}, err
}

// trial returns an experiment with what it found. Only completed ones are read: looking at a test while it runs, and
// ending it when it looks well, finds effects that are not there.
func (c *Call) trial(ctx context.Context, e control.Experiment) (*trial, error) {
	if e.Status != control.ExperimentCompleted {
		return &trial{Experiment: e}, nil
	}
	quiet := *c          // what was read for a result that is kept belongs to no single answer
	if c.key.data == 0 { // the version is not known: nothing is kept
		return quiet.measured(ctx, e)
	}
	key := trialKey{storeKey: c.key, experiments: stateOfExperiments(c.Experiments), over: e.Days.Last.Before(c.Today), id: e.ID}
	return c.trials.kept.Get(ctx, key, loading(func(ctx context.Context, _ trialKey) (*trial, error) {
		select {
		case c.trials.lane <- struct{}{}:
			defer func() { <-c.trials.lane }()
			return quiet.measured(ctx, e)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}))
}

// trialsOf returns the experiments of a channel, or all, with what they found.
func (c *Call) trialsOf(ctx context.Context, channel measure.Channel) ([]*trial, error) {
	var out []*trial
	for _, e := range c.Experiments {
		if channel != "" && e.Channel != channel {
			continue
		}
		t, err := c.trial(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("experiment %q: %w", e.ID, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// measured works out what a completed experiment found.
func (c *Call) measured(ctx context.Context, e control.Experiment) (*trial, error) {
	t := &trial{Experiment: e}
	s, err := c.series(ctx, e.Channel, e.Days)
	if err != nil {
		return nil, err
	}
	total := s.total(e.Days)
	if roas, ok := measure.ROAS(total.Charged, total.spend); ok && total.spendKnown && !s.untold && s.days == e.Days {
		t.reported = &roas
	}
	if e.Kind != control.GeoTest {
		t.returned = &geo.Factor{Value: e.Found.Return, Interval: measure.Interval{Low: e.Found.Low, High: e.Found.High, Level: float64(e.Found.LevelPct) / 100}}
	} else if err := c.assess(ctx, t); err != nil {
		if kind := fault.KindOf(err); kind != fault.KindInvalid && kind != fault.KindNotReady {
			return nil, err
		}
		text, _, _ := fault.Public(err) // the store's data are to blame, not the caller
		t.why = clean(text)
		return t, nil
	}
	switch {
	case t.returned == nil:
		t.why = "reports do not know the channel's spend by region, or it hardly changed: a lift without a return"
	case t.reported == nil || *t.reported <= 0:
		t.why = "last touch credits the channel with nothing in these days, or its spend is not known: a return without a factor"
	default:
		f, err := geo.NewFactor(t.returned.Value, t.returned.Interval, *t.reported)
		if err != nil {
			return nil, err
		}
		t.factor = new(f.At(level90))
	}
	return t, nil
}

// trialStore is where the workspace's experiments were made.
func (c *Call) trialStore() experiment.Store {
	return experiment.Store{Workspace: c.Workspace, Facts: c.Facts, OrderDays: c.Store.OrderDays, Today: c.Today, All: c.Experiments}
}

// assess compares the treated regions of a test with the others.
func (c *Call) assess(ctx context.Context, t *trial) error {
	found, err := c.trialStore().Assess(ctx, t.Experiment)
	t.found, t.lost, t.spend, t.returned = found.Assessment, found.Lost, found.Change, found.Return
	return err
}

// surfaceTests returns what completed tests by region found of their channels on each sales surface.
func (c *Call) surfaceTests(ctx context.Context) ([]halo.Experiment, error) {
	var all []halo.Experiment
	for _, e := range c.Experiments {
		if e.Kind != control.GeoTest || e.Status != control.ExperimentCompleted {
			continue
		}
		found, err := c.surfaceTest(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("experiment %q by surface: %w", e.ID, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

func (c *Call) surfaceTest(ctx context.Context, e control.Experiment) ([]halo.Experiment, error) {
	if c.key.data == 0 {
		return c.trialStore().BySurface(ctx, e)
	}
	key := trialKey{storeKey: c.key, experiments: stateOfExperiments(c.Experiments), over: e.Days.Last.Before(c.Today), id: e.ID}
	return c.trials.surfaces.Get(ctx, key, loading(func(ctx context.Context, _ trialKey) ([]halo.Experiment, error) {
		return c.trialStore().BySurface(ctx, e)
	}))
}

// channelFactor is what the experiments of a channel say together.
type channelFactor struct {
	channel measure.Channel
	geo.Pooled
	applied bool       // the tests behind it are applied; otherwise none of the channel is
	latest  civil.Date // last day of the latest of them
}

// channelFactors pools the factors of each channel: those applied, or, where none is, all that were found.
func channelFactors(all []*trial) ([]channelFactor, error) {
	applied, others := map[measure.Channel][]geo.Factor{}, map[measure.Channel][]geo.Factor{}
	latest := map[measure.Channel]map[bool]civil.Date{}
	for _, t := range all {
		if t.factor == nil {
			continue
		}
		to := others
		if t.Applied {
			to = applied
		}
		to[t.Channel] = append(to[t.Channel], *t.factor)
		if latest[t.Channel] == nil {
			latest[t.Channel] = map[bool]civil.Date{}
		}
		if t.Days.Last.After(latest[t.Channel][t.Applied]) {
			latest[t.Channel][t.Applied] = t.Days.Last
		}
	}
	var out []channelFactor
	for _, channel := range sortedKeys(latest) {
		f := channelFactor{channel: channel, applied: len(applied[channel]) > 0}
		from := others[channel]
		if f.applied {
			from = applied[channel]
		}
		pooled, err := geo.Pool(from, level90)
		if err != nil {
			return nil, fmt.Errorf("factor of %q: %w", channel, err)
		}
		f.Pooled, f.latest = pooled, latest[channel][f.applied]
		out = append(out, f)
	}
	return out, nil
}

// years is how long before today a day was.
func (c *Call) years(day civil.Date) float64 {
	return float64(c.Today.Sub(day)) / 365.25
}
