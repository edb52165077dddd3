package operation

import (
	"context"
	"net/url"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/oauth/people"
)

// NewShare describes a share link: its page, and the time for which it is valid.
type NewShare struct {
	Page  string     // path
	Query url.Values // filters of the page
	Days  int
}

// Shared is a share link with its secret, which is shown once.
type Shared struct {
	Secret people.Secret
	Share  control.Share
}

// CreateShare creates a read-only link to one page with its filters. Only members create links, so each link has an
// author. The link ends after the given number of days, or when its author no longer manages the workspace. The console
// decides which pages and filters can be shared.
var CreateShare = Operation[NewShare, Shared]{
	Spec{Name: "share.create", Needs: Manage, Undo: "Revoke the link."},
	(*Run).createShare,
}

func (r *Run) createShare(ctx context.Context, in NewShare) (made Shared, err error) {
	if in.Days < control.MinShareDays || in.Days > control.MaxShareDays {
		return made, fault.Invalid("the lifetime of a share link must be %d to %d days", control.MinShareDays, control.MaxShareDays).WithHint("choose a lifetime in this range")
	}
	m, err := r.membership(ctx)
	if err != nil {
		return made, err
	}
	by := r.By()
	made.Secret = people.NewSecret()
	made.Share = control.Share{
		ID: control.ShareID(newID()), Workspace: r.Workspace.ID, Hash: made.Secret.Hash(), Page: in.Page, Query: in.Query.Encode(), By: m.User,
		CreatedAt: by.At, ExpiresAt: by.At.Add(time.Duration(in.Days) * 24 * time.Hour),
	}
	return made, r.Store.CreateShare(ctx, made.Share, by)
}

// RevokeShare ends a share link by ID.
var RevokeShare = Operation[control.ShareID, None]{
	Spec{Name: "share.revoke", Needs: Manage, Undo: "The action cannot be undone. Create another link."},
	func(r *Run, ctx context.Context, id control.ShareID) (None, error) {
		return None{}, r.Store.RevokeShare(ctx, r.Workspace.ID, id, r.By())
	},
}

// ListShares lists the share links of a workspace, newest first. Members who do not manage the workspace receive a
// fault of kind forbidden.
var ListShares = Operation[None, []control.Share]{
	Spec{Name: "share.list", Needs: Read},
	func(r *Run, ctx context.Context, _ None) ([]control.Share, error) {
		if err := r.permit(ctx, r.Call.Caller, r.Workspace.ID, Manage); err != nil {
			return nil, err
		}
		return r.Store.Shares(ctx, r.Workspace.ID)
	},
}
