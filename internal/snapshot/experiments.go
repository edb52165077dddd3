package snapshot

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/maypok86/otter/v2"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/experiment"
	"assay/internal/measure"
	"assay/internal/measure/halo"
)

// stateOfExperiments returns a hash of the experiments and their versions.
func stateOfExperiments(all []control.Experiment) uint64 {
	h := fnv.New64a()
	for _, e := range all {
		_, _ = h.Write([]byte(string(e.ID) + " " + strconv.FormatInt(e.Version, 10) + "\n")) // a hash never returns an error
	}
	return h.Sum64()
}

// Annotations lists a workspace's annotations, sorted by day. The control store implements it.
type Annotations interface {
	Annotations(ctx context.Context, ws measure.WorkspaceID) ([]control.Annotation, error)
}

// stateOfAnnotations returns a hash of the annotations. Annotations never change, so their IDs are sufficient.
func stateOfAnnotations(all []control.Annotation) uint64 {
	h := fnv.New64a()
	for _, a := range all {
		_, _ = h.Write([]byte(string(a.ID) + "\n")) // a hash never returns an error
	}
	return h.Sum64()
}

// resultKey identifies all inputs of an experiment's result.
type resultKey struct {
	dataKey
	experiments uint64
	over        bool // the experiment's days are over
	id          control.ExperimentID
}

// results caches the results of experiments and calculates one at a time, because a fit uses all cores.
type results struct {
	whole    *otter.Cache[resultKey, *experiment.Result]
	surfaces *otter.Cache[resultKey, []halo.Experiment] // by sales surface
	lane     chan struct{}
}

const maxResults = 2000

func newResults() (*results, error) {
	whole, err := otter.New(&otter.Options[resultKey, *experiment.Result]{MaximumSize: maxResults})
	if err != nil {
		return nil, err
	}
	surfaces, err := otter.New(&otter.Options[resultKey, []halo.Experiment]{MaximumSize: maxResults})
	return &results{whole: whole, surfaces: surfaces, lane: make(chan struct{}, 1)}, err
}

// Result returns an experiment with its result. A running experiment has no result. If a test were ended as soon as its
// result looked good, it would often show an effect that does not exist.
func (c *Snapshot) Result(ctx context.Context, e control.Experiment) (*experiment.Result, error) {
	if e.Status != control.ExperimentCompleted {
		return &experiment.Result{Experiment: e}, nil
	}
	if c.data == 0 { // unknown version: not cached
		return c.measured(ctx, e)
	}
	return c.reader.results.whole.Get(
		ctx, c.resultKey(e), Loading(func(ctx context.Context, _ resultKey) (*experiment.Result, error) {
			select {
			case c.reader.results.lane <- struct{}{}:
				defer func() { <-c.reader.results.lane }()
				return c.measured(ctx, e)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}))
}

func (c *Snapshot) resultKey(e control.Experiment) resultKey {
	return resultKey{dataKey: c.dataKey, experiments: c.experiments, over: c.evidence().Over(e.Days), id: e.ID}
}

// Results returns the experiments of a channel with their results. For an empty channel, it returns all experiments.
func (c *Snapshot) Results(ctx context.Context, channel measure.Channel) ([]*experiment.Result, error) {
	var out []*experiment.Result
	for _, e := range c.Experiments {
		if channel != "" && e.Channel != channel {
			continue
		}
		r, err := c.Result(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("experiment %q: %w", e.ID, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// measured calculates the result of a completed experiment.
func (c *Snapshot) measured(ctx context.Context, e control.Experiment) (*experiment.Result, error) {
	s, err := c.fresh().SeriesOf(ctx, e.Channel, e.Days)
	if err != nil {
		return nil, err
	}
	var reported *float64
	total := s.Total(e.Days)
	if roas, ok := measure.ROAS(total.Charged, total.Spend); ok && total.SpendKnown && !s.RevenueUnknown && s.Days == e.Days {
		reported = &roas
	}
	return c.evidence().Result(ctx, e, reported)
}

// evidence returns the data on which the workspace's experiments are evaluated.
func (c *Snapshot) evidence() experiment.Store {
	return experiment.Store{
		Workspace: c.Workspace, Facts: c.facts, OrderDays: c.Store.OrderDays, AdDays: c.Store.AdDays, Today: c.Today,
		All: c.Experiments,
	}
}

// surfaceTests returns the results of completed geo experiments by channel and sales surface.
func (c *Snapshot) surfaceTests(ctx context.Context) ([]halo.Experiment, error) {
	var all []halo.Experiment
	for _, e := range c.Experiments {
		found, err := c.surfaceTest(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("experiment %q by surface: %w", e.ID, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

func (c *Snapshot) surfaceTest(ctx context.Context, e control.Experiment) ([]halo.Experiment, error) {
	if c.data == 0 {
		return c.evidence().BySurface(ctx, e)
	}
	return c.reader.results.surfaces.Get(
		ctx, c.resultKey(e), Loading(func(ctx context.Context, _ resultKey) ([]halo.Experiment, error) {
			return c.evidence().BySurface(ctx, e)
		}))
}

// AppliedFactors returns the applied incrementality factors by channel.
func (c *Snapshot) AppliedFactors(ctx context.Context) (map[measure.Channel]experiment.ChannelFactor, error) {
	all, err := c.Results(ctx, "")
	if err != nil {
		return nil, err
	}
	factors, err := experiment.ChannelFactors(all)
	if err != nil {
		return nil, err
	}
	out := map[measure.Channel]experiment.ChannelFactor{}
	for _, f := range factors {
		if f.Applied {
			out[f.Channel] = f
		}
	}
	return out, nil
}

// Years returns the number of years from a day to today.
func (c *Snapshot) Years(day civil.Date) float64 {
	return float64(c.Today.Sub(day)) / 365.25
}
