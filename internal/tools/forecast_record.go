package tools

import (
	"context"
	"fmt"
	"log/slog"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/pacing"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// storeForecasts stores the forecasts of an answer. A failure is logged and does not fail the answer.
func storeForecasts(ctx context.Context, c *toolkit.Call, all []control.Forecast) {
	if err := c.RecordForecasts(ctx, all); err != nil {
		c.Log.WarnContext(ctx, "cannot store the forecasts of an answer", slog.String("workspace", string(c.Workspace.ID)), slog.Any("error", err))
	}
}

// pastSentence reports the accuracy of weekly forecasts of a metric.
func pastSentence(c *toolkit.Call, past []pacing.Accuracy, metric snapshot.Metric) string {
	if !c.RecordsForecasts() {
		return ""
	}
	judged := 0
	var shown *pacing.Accuracy
	for i, p := range past {
		if p.Metric != metric || p.Days != snapshot.Week {
			continue
		}
		if !p.Afterwards {
			judged = p.Judged
		}
		if shown == nil && p.Enough {
			shown = &past[i]
		}
	}
	few := " No stored weekly forecast is due yet."
	if judged > 0 {
		few = fmt.Sprintf(" Only %s due, too few to report accuracy.", answer.Plural(judged, "stored weekly forecast is", "stored weekly forecasts are"))
	}
	if shown == nil {
		return few
	}
	inside := shown.Inside80.Whole()
	if shown.Afterwards {
		return fmt.Sprintf("%s %s of the results were inside the 80%% interval in a backtest of %d past weeks%s.", few, inside, shown.Judged, shown.Overlap())
	}
	return fmt.Sprintf(" In %s of %d past weekly forecasts%s, the result was inside the 80%% interval.", inside, shown.Judged, shown.Overlap())
}
