package operation

import (
	"context"

	"assay/internal/alert"
	"assay/internal/control"
)

// ChooseWeekly subscribes a member to the weekly summary by email, from the current week on. Members can subscribe only
// themselves. The operator can subscribe any member.
var ChooseWeekly = Operation[control.UserID, None]{
	Spec{Name: "weekly.choose", Needs: Read, Facts: true, Undo: "Stop the weekly summary."},
	func(r *Run, ctx context.Context, member control.UserID) (None, error) {
		if err := r.routes(); err != nil {
			return None{}, err
		}
		by := r.By()
		return None{}, r.Store.AddWeeklyReader(ctx, control.WeeklyReader{
			Workspace: r.Workspace.ID, Member: member, At: by.At, Week: control.LastWeek(r.today()).First,
		}, by)
	},
}

// StopWeekly ends a member's subscription to the weekly summary. Members can end only their own subscription. The
// operator can end the subscription of any member.
var StopWeekly = Operation[control.UserID, None]{
	Spec{Name: "weekly.stop", Needs: Read, Undo: "Subscribe to the weekly summary again."},
	func(r *Run, ctx context.Context, member control.UserID) (None, error) {
		if err := r.routes(); err != nil {
			return None{}, err
		}
		return None{}, r.Store.RemoveWeeklyReader(ctx, r.Workspace.ID, member, r.By())
	},
}

// ListWeekly returns the members who receive the weekly summary, in order of subscription.
var ListWeekly = Operation[None, []control.WeeklyReader]{
	Spec{Name: "weekly.list", Needs: Read},
	func(r *Run, ctx context.Context, _ None) ([]control.WeeklyReader, error) {
		return r.Store.WeeklyReaders(ctx, r.Workspace.ID)
	},
}

// ShowWeekly returns the summary of the most recent complete week, as it is sent.
var ShowWeekly = Operation[None, alert.Letter]{
	Spec{Name: "weekly.show", Needs: Read, Facts: true},
	func(r *Run, ctx context.Context, _ None) (alert.Letter, error) { return r.Weekly(ctx, r.Workspace) },
}
