package app

import (
	"context"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/warehouse"
)

// recordTools reads and changes records for tools, with the permission of their caller. It implements
// [toolkit.Records].
type recordTools struct{ app *App }

// Reports implements [toolkit.Records].
func (r recordTools) Reports(ctx context.Context, ws measure.WorkspaceID) ([]control.SavedReport, error) {
	return r.app.control.Store.Reports(ctx, ws)
}

// Report implements [toolkit.Records].
func (r recordTools) Report(ctx context.Context, ws measure.WorkspaceID, id control.ReportID) (control.SavedReport, error) {
	return r.app.control.Store.Report(ctx, ws, id)
}

// AddAnnotation implements [toolkit.Records].
func (r recordTools) AddAnnotation(ctx context.Context, p auth.Principal, a control.Annotation) (control.Kept[control.Annotation], error) {
	return operation.AddAnnotation.Do(ctx, r.app.operations, clientCall(p), a)
}

// SaveReport implements [toolkit.Records].
func (r recordTools) SaveReport(ctx context.Context, p auth.Principal, report control.SavedReport) (control.Kept[control.SavedReport], error) {
	return operation.SaveReport.Do(ctx, r.app.operations, clientCall(p), report)
}

// Alerts implements [toolkit.Records].
func (r recordTools) Alerts(ctx context.Context, ws measure.WorkspaceID) ([]control.Alert, error) {
	return r.app.control.Store.Alerts(ctx, ws)
}

// CreateAlert implements [toolkit.Records].
func (r recordTools) CreateAlert(ctx context.Context, p auth.Principal, a control.Alert) (control.Kept[control.Alert], error) {
	return operation.CreateAlert.Do(ctx, r.app.operations, clientCall(p), operation.Alert{
		Name: a.Name, Metric: a.Metric, Channel: a.Channel, Condition: a.Condition, Threshold: a.Threshold,
	})
}

// MapCoupon implements [toolkit.Records]. It does not wait for a long import.
func (r recordTools) MapCoupon(ctx context.Context, p auth.Principal, m warehouse.CouponChannel) (control.Kept[warehouse.CouponChannel], error) {
	call := clientCall(p)
	call.Caller = call.Caller.Briefly()
	return operation.MapCoupon.Do(ctx, r.app.operations, call, m)
}

// AddExperiment implements [toolkit.Records].
func (r recordTools) AddExperiment(ctx context.Context, p auth.Principal, e control.Experiment) (control.Kept[control.Experiment], error) {
	return operation.AddExperiment.Do(ctx, r.app.operations, clientCall(p), e)
}

// MoveExperiment implements [toolkit.Records].
func (r recordTools) MoveExperiment(ctx context.Context, p auth.Principal, m control.Move) (control.Kept[control.Experiment], error) {
	return operation.MoveExperimentOnce.Do(ctx, r.app.operations, clientCall(p), m)
}

// DismissInsight implements [toolkit.Records].
func (r recordTools) DismissInsight(ctx context.Context, p auth.Principal, d control.DismissedInsight) (control.Kept[control.DismissedInsight], error) {
	return operation.DismissInsight.Do(ctx, r.app.operations, clientCall(p), d)
}
