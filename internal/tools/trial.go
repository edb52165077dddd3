package tools

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/maypok86/otter/v2"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/measure/halo"
	"assay/internal/money"
	"assay/internal/warehouse"
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

const (
	trialSeed    = 1
	trialAlpha   = 1 - level90
	trialBlock   = 7    // days of a point of its picture
	trialDraws   = 5000 // placebo sets: as many as a level of 90 % takes where a third of the regions is treated
	leastHistory = 84   // days before a test that are read at least, where there are as many
	washout      = 7    // days after another test in which its effect may linger
)

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
		t.returned = &geo.Factor{Value: e.Found.Return, Interval: geo.Interval{Low: e.Found.Low, High: e.Found.High, Level: float64(e.Found.LevelPct) / 100}}
	} else if err := c.assess(ctx, t); err != nil {
		if kind := fault.KindOf(err); kind != fault.KindInvalid && kind != fault.KindNotReady {
			return nil, err
		}
		t.why, _, _ = fault.Public(err) // the store's data are to blame, not the caller
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

// assess compares the treated regions of a test with the others.
func (c *Call) assess(ctx context.Context, t *trial) error {
	if whole := c.Store.OrderDays; !whole.Contains(t.Days.First) || !whole.Contains(t.Days.Last) || !t.Days.Last.Before(c.Today) {
		return fault.NotReady("the store's orders do not cover the days of the test")
	}
	history := c.cleanDays(t)
	window := civil.Range{First: history[0], Last: t.Days.Last}
	found, err := c.Facts.RegionDays(ctx, c.Workspace.ID, window)
	if err != nil {
		return fmt.Errorf("days of regions %s: %w", window, err)
	}
	spent, err := c.Facts.RegionSpend(ctx, c.Workspace.ID, t.Channel, window)
	if err != nil {
		return fmt.Errorf("spend of %q by region %s: %w", t.Channel, window, err)
	}
	outcome := regionTable{days: history, values: map[string]map[civil.Date]float64{}}
	for _, f := range found {
		outcome.add(f.Region, f.Day, f.Charged, c.Workspace.Currency)
	}
	test, panel, err := c.panelOf(t, outcome)
	if err != nil {
		return err
	}
	options := geo.Options{Alpha: trialAlpha, Seed: trialSeed, Draws: trialDraws}
	change, known, err := c.spendChange(spent, test, panel, history)
	if err != nil {
		return err
	}
	if known {
		options.Cost, t.spend = change, &change
	}
	if t.found, err = geo.Assess(panel, test, trialBlock, options); err != nil {
		return err
	}
	if r := t.found.Return; r != nil && r.PerCostInterval != nil {
		t.returned = &geo.Factor{Value: r.PerCost, Interval: *r.PerCostInterval}
	}
	return nil
}

// spendChange returns by how much spend in the treated regions of a panel was another one than it would have been; false where it
// hardly was.
func (c *Call) spendChange(spent []warehouse.RegionSpend, test geo.Test, panel *geo.Panel, days []civil.Date) (change float64, known bool, err error) {
	costs := regionTable{days: days, values: map[string]map[civil.Date]float64{}}
	for _, region := range panel.Regions {
		costs.values[string(region)] = map[civil.Date]float64{}
	}
	for _, s := range spent {
		if costs.values[s.Region] != nil {
			costs.add(s.Region, s.Day, s.Spend, c.Workspace.Currency)
		}
	}
	spend, err := costs.panel()
	if err != nil {
		return 0, false, err
	}
	change, known = geo.SpendChange(spend, test)
	return change, known, nil
}

// cleanDays returns the days before a test on which no other test by region ran, and those of the test: four times its
// length, where the store is old enough.
func (c *Call) cleanDays(t *trial) []civil.Date {
	var days []civil.Date
	wanted := max(leastHistory, 4*t.Days.Days())
	for day := t.Days.First.AddDays(-1); len(days) < wanted && !day.Before(c.Store.OrderDays.First); day = day.AddDays(-1) {
		disturbed := slices.ContainsFunc(c.Experiments, func(e control.Experiment) bool {
			lasting := civil.Range{First: e.Days.First, Last: e.Days.Last.AddDays(washout)}
			return e.ID != t.ID && e.Kind == control.GeoTest && e.Status.Settled() && lasting.Contains(day)
		})
		if disturbed {
			t.lost = append(t.lost, day)
			continue
		}
		days = append(days, day)
	}
	slices.Reverse(days)
	for day := t.Days.First; !day.After(t.Days.Last); day = day.AddDays(1) {
		days = append(days, day)
	}
	return days
}

// regionTable is a figure by region on some days, in whole units; nothing is zero.
type regionTable struct {
	days   []civil.Date
	values map[string]map[civil.Date]float64
}

func (r regionTable) add(region string, day civil.Date, minor int64, currency money.Currency) {
	if r.values[region] == nil {
		r.values[region] = map[civil.Date]float64{}
	}
	r.values[region][day] += money.Major(minor, currency)
}

func (r regionTable) panel() (*geo.Panel, error) {
	var rows []geo.Row
	for _, region := range sortedKeys(r.values) {
		for _, day := range r.days {
			rows = append(rows, geo.Row{Region: geo.Region(region), Period: geo.Day(day), Value: r.values[region][day]})
		}
	}
	if len(rows) == 0 {
		return nil, fault.NotReady("no order of these days says which region it comes from")
	}
	return geo.NewPanel(rows, geo.Refuse)
}

// panelOf returns the test on the panel of its regions: those treated and those compared with, without regions of other
// tests of the same days and without regions that had no order before the test.
func (c *Call) panelOf(t *trial, outcome regionTable) (geo.Test, *geo.Panel, error) {
	test := geo.Test{Start: len(outcome.days) - t.Days.Days(), End: len(outcome.days) - 1}
	for region, days := range outcome.values {
		silent := !slices.ContainsFunc(outcome.days[:test.Start], func(day civil.Date) bool { return days[day] != 0 })
		elsewhere := slices.ContainsFunc(c.Experiments, func(e control.Experiment) bool {
			return e.ID != t.ID && e.Status.Settled() && e.Days.Intersect(t.Days).Days() > 0 && slices.Contains(e.Treated, region)
		})
		compared := len(t.HeldOut) == 0 || slices.Contains(t.HeldOut, region)
		if treated := slices.Contains(t.Treated, region); silent || !treated && (elsewhere || !compared) {
			delete(outcome.values, region)
		}
	}
	for _, region := range t.Treated {
		if outcome.values[region] == nil {
			return test, nil, fault.NotReady("no order came from the treated region %s in the days before the test", clean(region))
		}
		test.Treated = append(test.Treated, geo.Region(region))
	}
	panel, err := outcome.panel()
	return test, panel, err
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
