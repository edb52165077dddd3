package operation

import (
	"context"

	"assay/internal/alert"
	"assay/internal/control"
)

// ChooseWeekly sends the summary of each week to a member by email, from the current week on. A member can choose it
// only for themselves. The operator can choose it for any member.
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

// StopWeekly ends the weekly summary of a member. A member can end only their own summary. The operator can end the
// summary of any member.
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

// ShowWeekly returns the summary of the last whole week, as it is sent.
var ShowWeekly = Operation[None, alert.Letter]{
	Spec{Name: "weekly.show", Needs: Read, Facts: true},
	func(r *Run, ctx context.Context, _ None) (alert.Letter, error) { return r.Weekly(ctx, r.Workspace) },
}
