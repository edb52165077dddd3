package warehouse

import (
	"context"

	"assay/internal/civil"
	"assay/internal/measure"
)

// RegionTotal contains the orders from a region on a day.
type RegionTotal struct {
	Day     civil.Date
	Region  string
	Orders  int64 // millionths
	Charged int64 // minor units
}

// RegionSpend is a channel's spend in a region on a day.
type RegionSpend struct {
	Day    civil.Date
	Region string
	Spend  int64
}

// RegionDays returns the days of each region in the country with the most orders, sorted by day and region. It omits
// days without orders.
func (w *salesQuestions) RegionDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]RegionTotal, error) {
	var out []RegionTotal
	err := w.ask(ctx, ws, "region_days", bindDays(days), func(row Row) error {
		var t RegionTotal
		err := row.Scan(&t.Day, &t.Region, &t.Orders, &t.Charged)
		out = append(out, t)
		return err
	})
	return out, err
}

// SurfaceRegionDay contains a surface's orders and revenue from a region on a day.
type SurfaceRegionDay struct {
	Surface measure.Surface
	Region  string
	Day     civil.Date
	Orders  int64
	Charged int64 // minor units
}

// SurfaceRegionDays returns the days of each region in the country with the most orders, sorted by surface, region and
// day. It omits days without orders.
func (w *salesQuestions) SurfaceRegionDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]SurfaceRegionDay, error) {
	var out []SurfaceRegionDay
	err := w.ask(ctx, ws, "region_surface_days", bindDays(days), func(row Row) error {
		var t SurfaceRegionDay
		err := row.Scan(&t.Surface, &t.Region, &t.Day, &t.Orders, &t.Charged)
		out = append(out, t)
		return err
	})
	return out, err
}

// RegionSpend returns a channel's reported spend by region, sorted by day and region.
func (w *salesQuestions) RegionSpend(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, days civil.Range) ([]RegionSpend, error) {
	bind := bindDays(days)
	bind["channel"] = string(channel)
	var out []RegionSpend
	err := w.ask(ctx, ws, "region_spend", bind, func(row Row) error {
		var t RegionSpend
		err := row.Scan(&t.Day, &t.Region, &t.Spend)
		out = append(out, t)
		return err
	})
	return out, err
}
