package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const forecastColumns = `workspace, metric, channel, made, first_day, last_day, median, low80, high80, low90, high90, low95, high95,
	method, data_version, occasion, at, judged_at, judged_data, actual, error, inside80, inside90, inside95, pinball, mase`

// KeepForecasts stores new forecasts of one workspace, without outcomes. A forecast does not replace a stored forecast
// with the same metric, channel, days and creation day. An unknown workspace is a fault of kind not_found.
func (s *forecastStore) KeepForecasts(ctx context.Context, ws measure.WorkspaceID, all []control.Forecast) error {
	if len(all) == 0 {
		return nil
	}
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, ws); err != nil {
			return err
		}
		for _, f := range all {
			b := f.Bands
			_, err := tx.ExecContext(ctx, `
				INSERT INTO forecasts (workspace, metric, channel, made, first_day, last_day, points, median, low80, high80, low90, high90, low95, high95,
					method, data_version, occasion, at)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
				ON CONFLICT DO NOTHING`,
				ws, f.Metric, f.Channel, f.Made.String(), f.Days.First.String(), f.Days.Last.String(), f.Days.Days(), f.Median,
				b[0].Low, b[0].High, b[1].Low, b[1].High, b[2].Low, b[2].High, f.Method, int64(f.DataVersion), f.Occasion, micros(f.At))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("forecasts of workspace %q: %w", ws, err)
	}
	return nil
}

// OpenForecasts returns the forecasts of a workspace that have no outcome and end before a day, earliest first.
func (s *forecastStore) OpenForecasts(ctx context.Context, ws measure.WorkspaceID, before civil.Date) ([]control.Forecast, error) {
	return s.forecasts(ctx, `workspace = $1 AND judged_at IS NULL AND last_day < $2`, ws, before.String())
}

// Forecasts returns the forecasts of a workspace made on or after a day, earliest first.
func (s *forecastStore) Forecasts(ctx context.Context, ws measure.WorkspaceID, since civil.Date) ([]control.Forecast, error) {
	return s.forecasts(ctx, `workspace = $1 AND made >= $2`, ws, since.String())
}

func (s *forecastStore) forecasts(ctx context.Context, where string, ws measure.WorkspaceID, day string) ([]control.Forecast, error) {
	all, err := collect(ctx, s.read, scanForecast, `
		SELECT `+forecastColumns+` FROM forecasts WHERE `+where+` ORDER BY made, metric, channel, last_day, first_day`, ws, day)
	if err != nil {
		return nil, fmt.Errorf("forecasts of workspace %q: %w", ws, err)
	}
	return all, nil
}

// LastForecast returns the latest day from which a scheduled forecast or a backtest of the workspace was made. It
// returns the zero day if there is none. It ignores forecasts that were made for an answer.
func (s *forecastStore) LastForecast(ctx context.Context, ws measure.WorkspaceID) (civil.Date, error) {
	var made civil.Date
	err := s.read.QueryRowContext(ctx, `SELECT max(made) FROM forecasts WHERE workspace = $1 AND occasion <> $2`, ws, control.AnswerForecast).Scan(&made)
	if err != nil {
		return made, fmt.Errorf("newest forecast of workspace %q: %w", ws, engineFault(err))
	}
	return made, nil
}

// JudgeForecasts stores the outcomes of forecasts of one workspace. It skips forecasts that already have a stored
// outcome or were removed. Each forecast in the argument must have an outcome.
func (s *forecastStore) JudgeForecasts(ctx context.Context, ws measure.WorkspaceID, all []control.Forecast) error {
	if len(all) == 0 {
		return nil
	}
	err := s.change(ctx, func(tx *sql.Tx) error {
		for _, f := range all {
			o := f.Outcome
			if o == nil {
				return fault.Invalid("the forecast of %s %s has no outcome", f.Metric, f.Days)
			}
			mase := sql.NullFloat64{}
			if o.MASE != nil {
				mase = sql.NullFloat64{Float64: *o.MASE, Valid: true}
			}
			_, err := tx.ExecContext(ctx, `
				UPDATE forecasts SET judged_at = $1, judged_data = $2, actual = $3, error = $4, inside80 = $5, inside90 = $6, inside95 = $7,
					pinball = $8, mase = $9
				WHERE workspace = $10 AND metric = $11 AND channel = $12 AND made = $13 AND first_day = $14 AND last_day = $15 AND judged_at IS NULL`,
				micros(o.At), int64(o.DataVersion), o.Actual, o.Error, bit(o.Inside[0]), bit(o.Inside[1]), bit(o.Inside[2]), o.Pinball, mase,
				ws, f.Metric, f.Channel, f.Made.String(), f.Days.First.String(), f.Days.Last.String())
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("outcomes of forecasts of workspace %q: %w", ws, err)
	}
	return nil
}

// ForecastState returns a value that changes whenever more forecasts of the workspace are evaluated.
func (s *forecastStore) ForecastState(ctx context.Context, ws measure.WorkspaceID) (control.ForecastState, error) {
	var state control.ForecastState
	var last sql.NullInt64
	err := s.read.QueryRowContext(ctx, `SELECT count(judged_at), max(judged_at) FROM forecasts WHERE workspace = $1 AND judged_at IS NOT NULL`, ws).
		Scan(&state.Judged, &last)
	if err != nil {
		return state, fmt.Errorf("state of forecasts of workspace %q: %w", ws, engineFault(err))
	}
	state.Last = last.Int64
	return state, nil
}

// horizonOf is an SQL expression: the number of days of a forecast, or 0 for the rest of a period.
const horizonOf = `CASE WHEN occasion <> $1 AND points IN ($2, $3, $4) THEN points ELSE 0 END`

// ForecastRecords summarizes the evaluated forecasts of a workspace. It groups and sorts them by metric, channel,
// number of days and whether they are backtests.
func (s *forecastStore) ForecastRecords(ctx context.Context, ws measure.WorkspaceID) ([]control.ForecastRecord, error) {
	days := control.ForecastDays()
	args := []any{control.AnswerForecast, days[0], days[1], days[2], control.BackMadeForecast, ws}
	all, err := collect(ctx, s.read, scanRecord, `
		SELECT metric, channel, `+horizonOf+` AS horizon, occasion = $5 AS back_made,
			count(*), sum(inside80), sum(inside90), sum(inside95), sum(error), sum(abs(error)), sum(actual),
			coalesce(avg(mase), 0), count(mase), min(first_day), max(last_day)
		FROM forecasts
		WHERE workspace = $6 AND judged_at IS NOT NULL
		GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`, args...)
	if err == nil {
		err = s.countSeparate(ctx, all, args)
	}
	if err != nil {
		return nil, fmt.Errorf("record of forecasts of workspace %q: %w", ws, err)
	}
	return all, nil
}

func scanRecord(row scanner) (control.ForecastRecord, error) {
	var r control.ForecastRecord
	err := row.Scan(&r.Metric, &r.Channel, &r.Points, &r.BackMade, &r.Judged, &r.Inside[0], &r.Inside[1], &r.Inside[2],
		&r.Error, &r.Size, &r.Actual, &r.MASE, &r.Scaled, &r.Days.First, &r.Days.Last)
	return r, engineFault(err)
}

// countSeparate counts, for each record, the largest set of forecasts with no day in common (greedy interval
// scheduling). Among the forecasts that begin after the last counted forecast, it repeatedly counts the forecast with
// the earliest end.
func (s *forecastStore) countSeparate(ctx context.Context, all []control.ForecastRecord, args []any) error {
	ended := make([]civil.Date, len(all)) // the last forecast counted
	_, err := collect(ctx, s.read, func(row scanner) (none struct{}, err error) {
		var of control.ForecastRecord
		if err := row.Scan(&of.Metric, &of.Channel, &of.Points, &of.BackMade, &of.Days.First, &of.Days.Last); err != nil {
			return none, engineFault(err)
		}
		at := slices.IndexFunc(all, func(r control.ForecastRecord) bool {
			return r.Metric == of.Metric && r.Channel == of.Channel && r.Points == of.Points && r.BackMade == of.BackMade
		})
		if at >= 0 && of.Days.First.After(ended[at]) {
			ended[at] = of.Days.Last
			all[at].Separate++
		}
		return none, nil
	}, `
		SELECT DISTINCT metric, channel, `+horizonOf+` AS horizon, occasion = $5 AS back_made, first_day, last_day
		FROM forecasts
		WHERE workspace = $6 AND judged_at IS NOT NULL
		ORDER BY last_day, first_day DESC`, args...)
	return err
}

func scanForecast(row scanner) (control.Forecast, error) {
	var f control.Forecast
	var version, at int64
	var judgedAt, judgedData sql.NullInt64
	var actual, missed, pinball, mase sql.NullFloat64
	var inside [3]sql.NullBool
	err := row.Scan(&f.Workspace, &f.Metric, &f.Channel, &f.Made, &f.Days.First, &f.Days.Last, &f.Median,
		&f.Bands[0].Low, &f.Bands[0].High, &f.Bands[1].Low, &f.Bands[1].High, &f.Bands[2].Low, &f.Bands[2].High,
		&f.Method, &version, &f.Occasion, &at, &judgedAt, &judgedData, &actual, &missed, &inside[0], &inside[1], &inside[2], &pinball, &mase)
	f.DataVersion, f.At = uint64(version), instant(at)
	if judgedAt.Valid {
		f.Outcome = &control.ForecastOutcome{
			Actual: actual.Float64, Error: missed.Float64, Inside: [3]bool{inside[0].Bool, inside[1].Bool, inside[2].Bool},
			Pinball: pinball.Float64, DataVersion: uint64(judgedData.Int64), At: instant(judgedAt.Int64),
		}
		if mase.Valid {
			f.Outcome.MASE = &mase.Float64
		}
	}
	return f, engineFault(err)
}
