package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// GeoHistoryDays is the number of days of history for planning a geo experiment.
const GeoHistoryDays = 365

// RegionPanel returns revenue by region and day in whole units, or nil without regions.
func (c *Snapshot) RegionPanel(ctx context.Context, days civil.Range) (*geo.Panel, error) {
	found, err := c.facts.RegionDays(ctx, c.Workspace.ID, days)
	if err != nil {
		return nil, fmt.Errorf("days of regions %s: %w", days, err)
	}
	c.note("region_days", len(found))
	if len(found) == 0 {
		return nil, nil
	}
	return geo.NewPanel(regionRows(found, c.Workspace.Currency), geo.Zero)
}

func regionRows(found []warehouse.RegionTotal, currency money.Currency) []geo.Row {
	rows := make([]geo.Row, len(found))
	for i, f := range found {
		rows[i] = geo.Row{Region: geo.Region(f.Region), Period: geo.Day(f.Day), Value: money.Major(f.Charged, currency)}
	}
	return rows
}

// Regions returns the sorted regions with orders in the last year, or in the year up to the end of a past experiment.
func (c *Snapshot) Regions(ctx context.Context, test civil.Range) ([]geo.Region, error) {
	days := c.LastDays(GeoHistoryDays)
	if !test.Last.IsZero() && test.Last.Before(days.Last) {
		days = civil.Range{First: test.Last.AddDays(1 - GeoHistoryDays), Last: test.Last}
	}
	found, err := c.facts.RegionDays(ctx, c.Workspace.ID, days)
	if err != nil {
		return nil, fmt.Errorf("days of regions %s: %w", days, err)
	}
	var known []geo.Region
	for _, f := range found {
		known = append(known, geo.Region(f.Region))
	}
	slices.Sort(known)
	return slices.Compact(known), nil
}

// RegionSpend returns a channel's spend by region and day.
func (c *Snapshot) RegionSpend(ctx context.Context, channel measure.Channel, days civil.Range) (
	[]warehouse.RegionSpend, error,
) {
	spent, err := c.facts.RegionSpend(ctx, c.Workspace.ID, channel, days)
	if err != nil {
		return nil, fmt.Errorf("spend of %q by region: %w", channel, err)
	}
	c.note("region_spend", len(spent))
	return spent, nil
}

// TreatedSpend returns a channel's spend in the given regions on the given days, in whole currency units. Without
// reports by region, it allocates the spend by share of revenue.
func (c *Snapshot) TreatedSpend(s Series, panel *geo.Panel, regions []geo.Region, spent []warehouse.RegionSpend,
	days civil.Range,
) float64 {
	var spend float64
	known := false
	for _, r := range spent {
		if !days.Contains(r.Day) {
			continue
		}
		known = true
		if slices.Contains(regions, geo.Region(r.Region)) {
			spend += money.Major(r.Spend, c.Workspace.Currency)
		}
	}
	if !known {
		spend = money.Major(s.Total(days).Spend, c.Workspace.Currency) * shareOf(panel, regions)
	}
	return spend
}

// shareOf returns the share of the given regions in the panel's outcome.
func shareOf(panel *geo.Panel, regions []geo.Region) float64 {
	var part, whole float64
	for r, values := range panel.Values {
		for _, v := range values {
			whole += v
			if slices.Contains(regions, panel.Regions[r]) {
				part += v
			}
		}
	}
	if whole == 0 {
		return 0
	}
	return part / whole
}

// RegionNamed finds a region by common spellings of its name: "ca" and "US-CA" are CA.
func RegionNamed(known []geo.Region, name string) (geo.Region, bool) {
	code := strings.ToUpper(strings.TrimSpace(name))
	for _, written := range []string{strings.TrimSpace(name), code, code[strings.LastIndexByte(code, '-')+1:]} {
		if slices.Contains(known, geo.Region(written)) {
			return geo.Region(written), true
		}
	}
	return "", false
}
