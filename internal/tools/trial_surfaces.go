package tools

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/measure/halo"
	"assay/internal/warehouse"
)

const (
	surfaceDraws = 500 // placebo sets: they make a standard error, and no test
	leastSold    = 0.8 // of the days before a test, on which the treated regions together bought on the surface
)

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
	quiet := *c
	if c.key.data == 0 {
		return quiet.testedBySurface(ctx, e)
	}
	key := trialKey{storeKey: c.key, experiments: stateOfExperiments(c.Experiments), over: e.Days.Last.Before(c.Today), id: e.ID}
	return c.trials.surfaces.Get(ctx, key, loading(func(ctx context.Context, _ trialKey) ([]halo.Experiment, error) {
		return quiet.testedBySurface(ctx, e)
	}))
}

// testedBySurface compares the treated regions with the others, surface by surface. Surfaces on which they buy too rarely are
// left out, and so is a test whose spend by region is not known or that the store's orders do not cover.
func (c *Call) testedBySurface(ctx context.Context, e control.Experiment) ([]halo.Experiment, error) {
	if whole := c.Store.OrderDays; !whole.Contains(e.Days.First) || !whole.Contains(e.Days.Last) || !e.Days.Last.Before(c.Today) {
		return nil, nil
	}
	t := &trial{Experiment: e}
	history := c.cleanDays(t)
	window := civil.Range{First: history[0], Last: e.Days.Last}
	sold, err := c.Facts.SurfaceRegionDays(ctx, c.Workspace.ID, window)
	if err != nil {
		return nil, fmt.Errorf("days of surfaces by region %s: %w", window, err)
	}
	spent, err := c.Facts.RegionSpend(ctx, c.Workspace.ID, e.Channel, window)
	if err != nil {
		return nil, fmt.Errorf("spend of %q by region %s: %w", e.Channel, window, err)
	}
	outcomes := map[measure.Surface]regionTable{}
	for _, s := range sold {
		if _, known := outcomes[s.Surface]; !known {
			outcomes[s.Surface] = regionTable{days: history, values: map[string]map[civil.Date]float64{}}
		}
		outcomes[s.Surface].add(s.Region, s.Day, s.Charged, c.Workspace.Currency)
	}
	var out []halo.Experiment
	for _, surface := range sortedKeys(outcomes) {
		found, err := c.testedOn(t, outcomes[surface], spent)
		switch kind := fault.KindOf(err); {
		case err == nil && found != nil:
			out = append(out, halo.Experiment{Channel: e.Channel, Surface: surface, Coefficient: found.Value, Error: found.SD()})
		case err != nil && kind != fault.KindInvalid && kind != fault.KindNotReady:
			return nil, err
		}
	}
	return out, nil
}

// testedOn returns the revenue on a surface for each unit of spend that a test changed; nil where that cannot be told.
func (c *Call) testedOn(t *trial, outcome regionTable, spent []warehouse.RegionSpend) (*geo.Factor, error) {
	test, panel, err := c.panelOf(t, outcome)
	if err != nil || outcome.soldShare(t.Treated, test.Start) < leastSold {
		return nil, err
	}
	change, known, err := c.spendChange(spent, test, panel, outcome.days)
	if err != nil || !known {
		return nil, err
	}
	found, err := geo.Fit(panel, test, geo.Options{Alpha: trialAlpha, Seed: trialSeed, Draws: surfaceDraws, Cost: change})
	if err != nil || found.Return == nil || found.Return.PerCostInterval == nil {
		return nil, err
	}
	factor := &geo.Factor{Value: found.Return.PerCost, Interval: *found.Return.PerCostInterval}
	if !(factor.SD() > 0) {
		return nil, nil //nolint:nilnil // an interval without length says nothing
	}
	return factor, nil
}

// soldShare is the share of the days before a test on which any of the regions bought something.
func (r regionTable) soldShare(regions []string, start int) float64 {
	sold := 0
	for _, day := range r.days[:start] {
		for _, region := range regions {
			if r.values[region][day] != 0 {
				sold++
				break
			}
		}
	}
	return float64(sold) / float64(max(1, start))
}
