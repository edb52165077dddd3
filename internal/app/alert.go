package app

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/alert"
	"assay/internal/fault"
)

// alertsEvery is the interval between checks of alert rules. A new day or an import takes effect within this time.
const alertsEvery = 5 * time.Minute

// watchAlerts checks the alert rules of all workspaces until ctx ends.
func (a *App) watchAlerts(ctx context.Context) error {
	again := time.NewTicker(alertsEvery)
	defer again.Stop()
	for {
		a.checkAlerts(ctx)
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// checkAlerts checks the alert rules of all workspaces once. A failure does not affect other workspaces.
func (a *App) checkAlerts(ctx context.Context) {
	all, err := a.control.Store.Workspaces(ctx)
	if err != nil {
		if ctx.Err() == nil {
			a.log.WarnContext(ctx, "workspaces cannot be read for alert rules", slog.Any("error", err))
		}
		return
	}
	for _, w := range all {
		fresh, err := alert.Evaluate(ctx, a.control.Store, a.tools.Snapshots(), w, a.now())
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && fault.KindOf(err) != fault.KindNotFound: // not found: the workspace was deleted meanwhile
			a.log.WarnContext(ctx, "alert rules cannot be checked", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		case fresh > 0:
			a.log.InfoContext(ctx, "alerts raised", slog.String("workspace", string(w.ID)), slog.Int("events", fresh))
		}
	}
}

// deliverAlerts sends alert messages until ctx ends.
func (a *App) deliverAlerts(ctx context.Context) error {
	return alert.Run(ctx, a.control.Store, a.sender, a.log)
}

// alertsGivenUp returns the number of alert messages that were given up, for the metrics.
func (a *App) alertsGivenUp() int {
	n, err := a.control.Store.AlertsGivenUp(context.Background())
	if err != nil {
		a.log.Warn("alert messages cannot be counted", slog.Any("error", err))
	}
	return n
}
