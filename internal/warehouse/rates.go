package warehouse

import (
	"context"

	"assay/internal/measure"
)

// FXRates returns all exchange rates, sorted by day, currency pair and source. If there are several rates for a day and
// pair, the last rate applies.
func (w *salesQuestions) FXRates(ctx context.Context, ws measure.WorkspaceID) ([]FXRate, error) {
	var rates []FXRate
	err := w.ask(ctx, ws, "fx_rates", nil, func(row Row) error {
		var r FXRate
		err := row.Scan(&r.Day, &r.From, &r.To, &r.Rate, &r.Source)
		rates = append(rates, r)
		return err
	})
	return rates, err
}
