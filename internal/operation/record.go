package operation

import (
	"context"
	"fmt"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// AddAnnotation adds an annotation of an event on a day or in a period. An annotation with the same content is not
// added again.
var AddAnnotation = Operation[control.Annotation, control.Kept[control.Annotation]]{
	Spec{Name: "annotation.add", Needs: Write, Undo: "Remove the annotation."},
	func(r *Run, ctx context.Context, a control.Annotation) (control.Kept[control.Annotation], error) {
		a.ID, a.Workspace = "", r.Workspace.ID
		return r.Store.AddAnnotation(ctx, a, r.By())
	},
}

// ListAnnotations returns a workspace's annotations, sorted by day.
var ListAnnotations = Operation[None, []control.Annotation]{
	Spec{Name: "annotation.list", Needs: Read},
	func(r *Run, ctx context.Context, _ None) ([]control.Annotation, error) {
		return r.Store.Annotations(ctx, r.Workspace.ID)
	},
}

// RemoveAnnotation removes an annotation.
var RemoveAnnotation = Operation[control.AnnotationID, None]{
	Spec{Name: "annotation.remove", Needs: Write, Undo: "Add the annotation again; the audit log has its day and label."},
	func(r *Run, ctx context.Context, id control.AnnotationID) (None, error) {
		return None{}, r.Store.RemoveAnnotation(ctx, r.Workspace.ID, id, r.By())
	},
}

// SaveReport saves a call of a tool under a name. A report with the same content is not saved again. The caller
// validates the tool and its arguments.
var SaveReport = Operation[control.SavedReport, control.Kept[control.SavedReport]]{
	Spec{Name: "report.save", Needs: Write, Undo: "Remove the report."},
	func(r *Run, ctx context.Context, report control.SavedReport) (control.Kept[control.SavedReport], error) {
		report.ID, report.Workspace = "", r.Workspace.ID
		return r.Store.SaveReport(ctx, report, r.By())
	},
}

// ListReports returns a workspace's saved reports, sorted by name.
var ListReports = Operation[None, []control.SavedReport]{
	Spec{Name: "report.list", Needs: Read},
	func(r *Run, ctx context.Context, _ None) ([]control.SavedReport, error) {
		return r.Store.Reports(ctx, r.Workspace.ID)
	},
}

// RemoveReport removes a saved report.
var RemoveReport = Operation[control.ReportID, None]{
	Spec{Name: "report.remove", Needs: Write, Undo: "Save the report again."},
	func(r *Run, ctx context.Context, id control.ReportID) (None, error) {
		return None{}, r.Store.RemoveReport(ctx, r.Workspace.ID, id, r.By())
	},
}

// DismissInsight hides an insight. If the insight is already dismissed, nothing changes.
var DismissInsight = Operation[control.DismissedInsight, control.Kept[control.DismissedInsight]]{
	Spec{Name: "insight.dismiss", Needs: Write, Undo: "Restore the insight."},
	func(r *Run, ctx context.Context, d control.DismissedInsight) (control.Kept[control.DismissedInsight], error) {
		d.Workspace = r.Workspace.ID
		return r.Store.DismissInsight(ctx, d, r.By())
	},
}

// RestoreInsight shows a dismissed insight again.
var RestoreInsight = Operation[control.InsightID, None]{
	Spec{Name: "insight.restore", Needs: Write, Undo: "Dismiss the insight again."},
	func(r *Run, ctx context.Context, id control.InsightID) (None, error) {
		return None{}, r.Store.RestoreInsight(ctx, r.Workspace.ID, id, r.By())
	},
}

// MapCoupon sets the channel of a discount code. Orders with the code and without touchpoints are attributed to this
// channel. The channel unattributed removes the mapping. The result contains the previous mapping. The channel must
// exist in the store.
var MapCoupon = Operation[warehouse.CouponChannel, control.Kept[warehouse.CouponChannel]]{
	Spec{Name: "coupon.map", Needs: Write, Facts: true, Locks: true, Undo: "Map the code to its previous channel; the audit log has it."},
	(*Run).mapCoupon,
}

func (r *Run) mapCoupon(ctx context.Context, m warehouse.CouponChannel) (kept control.Kept[warehouse.CouponChannel], err error) {
	channel := measure.Channel("")
	if measure.ParseChannel(string(m.Channel)) != measure.Unattributed {
		if channel, err = r.Known.Channel(ctx, r.Workspace, string(m.Channel)); err != nil {
			return kept, err
		}
	}
	if m.Code, err = control.CheckedName(m.Code); err != nil {
		return kept, fault.Invalid("code: %v", err)
	}
	kept.Record, err = r.Warehouse.MapCoupon(ctx, r.Workspace.ID, r.Workspace.Currency, warehouse.CouponChange{
		Code: m.Code, Channel: channel, Where: "coupon mapped " + r.Call.Caller.way(),
	})
	if err != nil || kept.Record.Channel == channel {
		return kept, err
	}
	kept.Changed = true
	shown := func(c measure.Channel) measure.Channel {
		if c == "" {
			return measure.Unattributed
		}
		return c
	}
	by := r.By()
	// The facts are changed already, so the end of the caller's request does not cancel the event.
	err = r.Store.AppendEvent(context.WithoutCancel(ctx), control.Event{
		At: by.At, Workspace: r.Workspace.ID, Kind: control.CouponMapped, Actor: by.Actor, Subject: kept.Record.Code,
		Detail: string(shown(channel)) + ", was " + string(shown(kept.Record.Channel)),
	})
	if err != nil {
		return kept, fmt.Errorf("coupon %q was mapped, but its audit event was not stored: %w", kept.Record.Code, err)
	}
	return kept, nil
}
