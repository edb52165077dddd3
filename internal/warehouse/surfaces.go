package warehouse

import (
	"context"

	"assay/internal/civil"
	"assay/internal/measure"
)

// SurfaceTotal contains the totals of a sales surface.
type SurfaceTotal struct {
	Surface measure.Surface
	Sums    measure.Sums
}

// SpendDay is a channel's spend on a day in the ad account's time zone.
type SpendDay struct {
	Channel measure.Channel
	Day     civil.Date
	Spend   int64
}

// SurfaceTotals returns each surface's totals in each window, sorted by surface. The sum over surfaces equals
// StoreTotals.
func (w *salesQuestions) SurfaceTotals(ctx context.Context, ws measure.WorkspaceID, in Windows) (Pair[[]SurfaceTotal], error) {
	var totals Pair[[]SurfaceTotal]
	err := w.ask(ctx, ws, "surface_totals", in.bind(), func(row Row) error {
		var period int
		var t SurfaceTotal
		err := row.Scan(append([]any{&period, &t.Surface}, sumsOf(&t.Sums)...)...)
		rows := totals.of(period)
		*rows = append(*rows, t)
		return err
	})
	return totals, err
}

// SurfaceDays returns the days of every surface, sorted by surface and day. It omits empty days.
func (w *salesQuestions) SurfaceDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]measure.SalesDay, error) {
	var out []measure.SalesDay
	err := w.ask(ctx, ws, "surface_days", bindDays(days), func(row Row) error {
		var d measure.SalesDay
		err := row.Scan(append([]any{&d.Surface, &d.Day}, sumsOf(&d.Sums)...)...)
		out = append(out, d)
		return err
	})
	return out, err
}

// SpendDays returns the days with known spend of each channel, from ad reports or manual entries, sorted by channel and
// day.
func (w *salesQuestions) SpendDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]SpendDay, error) {
	var out []SpendDay
	err := w.ask(ctx, ws, "spend_days", bindDays(days), func(row Row) error {
		var d SpendDay
		err := row.Scan(&d.Channel, &d.Day, &d.Spend)
		out = append(out, d)
		return err
	})
	return out, err
}
