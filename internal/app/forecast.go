package app

import (
	"context"

	"assay/internal/control"
)

// forecaster makes forecasts with the clock of answers.
type forecaster struct{ *App }

// forecastHour is the local hour after which the day's forecasts are made: by then the data of the day before have arrived.
const forecastHour = 4

// Forecast makes the workspace's forecasts of the day once it is late enough there, and scores forecasts whose period is over.
func (f forecaster) Forecast(ctx context.Context, w control.Workspace) error {
	if f.clock().In(w.Location()).Hour() < forecastHour {
		return nil
	}
	return f.tools.Snapshots().Forecast(ctx, w)
}
