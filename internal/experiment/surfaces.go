package experiment

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/measure/halo"
	"assay/internal/warehouse"
)

const (
	surfaceDraws = 500 // placebo sets: enough for a standard error
	minSold      = 0.8 // minimum share of days before a test with an order on the surface from a treated region
)

// BySurface estimates the iROAS of a completed experiment on each surface. It omits surfaces on which the treated
// regions have orders on too few days before the test. It returns nothing if the experiment is not a completed geo
// experiment or if spend by region is unknown. It also returns nothing if the store's orders do not cover the
// experiment.
func (s Store) BySurface(ctx context.Context, e control.Experiment) ([]halo.Experiment, error) {
	if e.Kind != control.GeoTest || e.Status != control.ExperimentCompleted || !s.covers(e.Days) {
		return nil, nil
	}
	days, _ := s.cleanDays(e)
	window := civil.Range{First: days[0], Last: e.Days.Last}
	sold, err := s.Facts.SurfaceRegionDays(ctx, s.Workspace.ID, window)
	if err != nil {
		return nil, fmt.Errorf("days of surfaces by region %s: %w", window, err)
	}
	spent, err := s.Facts.RegionSpend(ctx, s.Workspace.ID, e.Channel, window)
	if err != nil {
		return nil, fmt.Errorf("spend of %q by region %s: %w", e.Channel, window, err)
	}
	outcomes := map[measure.Surface]table{}
	for _, d := range sold {
		if _, known := outcomes[d.Surface]; !known {
			outcomes[d.Surface] = newTable(days)
		}
		outcomes[d.Surface].add(d.Region, d.Day, d.Charged, s.Workspace.Currency)
	}
	var out []halo.Experiment
	for _, surface := range slices.Sorted(maps.Keys(outcomes)) {
		found, err := s.onSurface(e, outcomes[surface], spent)
		if err != nil && !unusable(err) {
			return nil, err
		}
		if found != nil {
			out = append(out, halo.Experiment{
				Channel: e.Channel, Surface: surface, Coefficient: found.Value, Error: found.NormalSD(),
			})
		}
	}
	return out, nil
}

// onSurface returns the iROAS of an experiment on a surface, or nil if it is unknown.
func (s Store) onSurface(e control.Experiment, outcome table, spent []warehouse.RegionSpend) (
	*measure.Estimate, error,
) {
	test, panel, err := s.panelOf(e, outcome)
	if err != nil || outcome.soldShare(e.Treated, test.Start) < minSold {
		return nil, err
	}
	costs := newTable(outcome.days)
	for _, region := range panel.Regions {
		costs.values[string(region)] = map[civil.Date]float64{}
	}
	costs.addSpend(spent, s.Workspace.Currency)
	spending, err := costs.panel()
	if err != nil {
		return nil, err
	}
	change, known := geo.SpendChange(spending, test)
	if !known {
		return nil, nil
	}
	found, err := geo.Fit(panel, test, geo.Options{Alpha: alpha, Seed: seed, Draws: surfaceDraws, Cost: change})
	if err != nil {
		return nil, err
	}
	returned := found.Return.Estimate()
	if returned == nil || !(returned.NormalSD() > 0) {
		return nil, nil //nolint:nilnil // without an interval of positive length there is no standard error
	}
	return returned, nil
}

// soldShare returns the share of the days before a test on which any of the regions has an order.
func (t table) soldShare(regions []string, start int) float64 {
	sold := 0
	for _, day := range t.days[:start] {
		for _, region := range regions {
			if t.values[region][day] != 0 {
				sold++
				break
			}
		}
	}
	return float64(sold) / float64(max(1, start))
}
