package app

import (
	"context"

	"assay/internal/control"
)

// forecaster makes forecasts as of the day that answers have.
type forecaster struct{ *App }

// forecastHour is from when a day's forecasts are made: what came on the day before has arrived by then.
const forecastHour = 4

// Forecast makes the workspace's forecasts of the day once it is late enough there, and judges those that are over.
func (f forecaster) Forecast(ctx context.Context, w control.Workspace) error {
	if f.clock().In(w.Location()).Hour() < forecastHour {
		return nil
	}
	return f.tools.Snapshots().Forecast(ctx, w)
}
