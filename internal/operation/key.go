package operation

import (
	"context"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
)

// KeyMade is a new API key with its secret, which is shown once.
type KeyMade struct {
	Secret auth.Secret
	Key    control.Key
}

// CreateKey creates an API key. Members can create keys with at most the scopes of their role.
var CreateKey = Operation[auth.NewKey, KeyMade]{
	Spec{Name: "key.create", Needs: Manage, Undo: "Revoke the key."},
	(*Run).createKey,
}

func (r *Run) createKey(ctx context.Context, n auth.NewKey) (made KeyMade, err error) {
	n.Workspace = r.Workspace.ID
	made.Secret, made.Key, err = r.Keys.Create(ctx, n, r.Call.Caller.Actor)
	return made, err
}

// RevokeKey revokes a key by ID.
var RevokeKey = Operation[control.KeyID, control.Key]{
	Spec{Name: "key.revoke", Needs: Manage, Undo: "The action cannot be undone. Create another key."},
	(*Run).revokeKey,
}

func (r *Run) revokeKey(ctx context.Context, id control.KeyID) (control.Key, error) {
	if err := r.ownsKey(ctx, id); err != nil {
		return control.Key{}, err
	}
	key, err := r.Keys.Revoke(ctx, id, r.Call.Caller.Actor)
	if err == nil {
		r.AccessEnded()
	}
	return key, err
}

// Rotation names the key to replace, and how long it stays valid next to its successor.
type Rotation struct {
	ID      control.KeyID
	Overlap time.Duration
}

// RotateKey creates the successor of a key. The old key stays valid for the overlap.
var RotateKey = Operation[Rotation, KeyMade]{
	Spec{Name: "key.rotate", Needs: Manage, Undo: "Revoke the new key and create another; the old key still expires."},
	(*Run).rotateKey,
}

func (r *Run) rotateKey(ctx context.Context, in Rotation) (made KeyMade, err error) {
	if err := r.ownsKey(ctx, in.ID); err != nil {
		return made, err
	}
	made.Secret, made.Key, err = r.Keys.Rotate(ctx, in.ID, in.Overlap, r.Call.Caller.Actor)
	if err == nil {
		r.AccessEnded()
	}
	return made, err
}

// ownsKey returns a fault of kind not_found unless the key belongs to the workspace.
func (r *Run) ownsKey(ctx context.Context, id control.KeyID) error {
	key, err := r.Store.Key(ctx, id)
	if err == nil && key.Workspace != r.Workspace.ID {
		err = fault.NotFound("the workspace has no key %q", id)
	}
	return err
}

// RevokeGrant ends the access that a person granted to an OAuth client. The input is the grant's ID. A member who does
// not manage the workspace can end only their own grants.
var RevokeGrant = Operation[control.GrantID, None]{
	Spec{Name: "grant.revoke", Needs: Read, Undo: "The action cannot be undone. Connect the client again."},
	(*Run).revokeGrant,
}

func (r *Run) revokeGrant(ctx context.Context, id control.GrantID) (None, error) {
	grants, err := r.Store.Grants(ctx, r.Workspace.ID)
	if err != nil {
		return None{}, err
	}
	manages := r.permit(ctx, r.Call.Caller, r.Workspace.ID, Manage) == nil
	for _, g := range grants {
		if g.ID == id && g.Valid(r.Now()) && (manages || g.User == r.Call.Caller.member) {
			_, err := r.Store.RevokeGrant(ctx, id, "by a person", r.By())
			return None{}, err
		}
	}
	return None{}, fault.NotFound("this app connection does not exist")
}
