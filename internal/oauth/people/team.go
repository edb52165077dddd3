package people

import (
	"context"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// Members who manage a workspace may invite, promote, demote and remove others, up to their own role. Every member may
// leave. The store does not remove the last owner.

// invitationLifetime is how long an invitation link is valid.
const invitationLifetime = 3 * 24 * time.Hour

// Invite creates an invitation and returns the secret of its link, which is shown once. A role above the inviting
// member's own role is a fault of kind forbidden. The email address of an existing member is a fault of kind conflict.
// Invite does not disclose whether an account with the address exists.
func (p *People) Invite(ctx context.Context, m control.Membership, email string, role control.Role) (Secret, control.Invitation, error) {
	email, err := control.CheckedEmail(email)
	if err != nil {
		return "", control.Invitation{}, err
	}
	if role, err = control.ParseRole(string(role)); err != nil {
		return "", control.Invitation{}, err
	}
	if err := mayGive(m, role); err != nil {
		return "", control.Invitation{}, err
	}
	switch known, err := p.store.UserByEmail(ctx, email); {
	case err == nil:
		if _, err := p.member(ctx, m.Workspace.ID, known.ID); err == nil {
			return "", control.Invitation{}, fault.Conflict("%s is already a member of the workspace", email)
		}
	case fault.KindOf(err) != fault.KindNotFound:
		return "", control.Invitation{}, err
	}
	secret, now := NewSecret(), p.instant()
	n := control.Invitation{
		ID: control.InvitationID(newID()), Hash: secret.Hash(), Workspace: m.Workspace.ID, Email: email, Role: role, By: m.User,
		CreatedAt: now, ExpiresAt: now.Add(invitationLifetime),
	}
	return secret, n, p.store.CreateInvitation(ctx, n, control.By{Actor: control.ActorOf(m.User), At: now})
}

func mayGive(m control.Membership, role control.Role) error {
	if !m.Role.Manages() {
		return fault.Forbidden("only owners and admins of a workspace can manage its members")
	}
	if !m.Role.MayGive(role) {
		return fault.Forbidden("you cannot assign or remove a role above your own")
	}
	return nil
}

// Invitations returns the valid invitations to the workspace.
func (p *People) Invitations(ctx context.Context, ws measure.WorkspaceID) ([]control.Invitation, error) {
	all, err := p.store.Invitations(ctx, ws)
	now := p.instant()
	open := all[:0]
	for _, n := range all {
		if now.Before(n.ExpiresAt) {
			open = append(open, n)
		}
	}
	return open, err
}

// Withdraw ends an invitation to the member's workspace.
func (p *People) Withdraw(ctx context.Context, m control.Membership, id control.InvitationID) error {
	if !m.Role.Manages() {
		return fault.Forbidden("only owners and admins of a workspace can manage its members")
	}
	return p.store.WithdrawInvitation(ctx, id, m.Workspace.ID, p.by(control.ActorOf(m.User)))
}

// Invitation is an invitation as shown to the person who opens its link.
type Invitation struct {
	control.Invitation
	HasAccount bool // an account with the address exists; its owner has to sign in to accept
}

// Invitation returns the invitation of a link. A used, withdrawn or expired invitation is a fault of kind not_found.
func (p *People) Invitation(ctx context.Context, link Secret) (Invitation, error) {
	n, err := p.store.Invitation(ctx, link.Hash())
	if err != nil {
		return Invitation{}, err
	}
	if !p.instant().Before(n.ExpiresAt) {
		return Invitation{}, fault.NotFound("this invitation has expired")
	}
	_, err = p.store.UserByEmail(ctx, n.Email)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return Invitation{}, err
	}
	return Invitation{Invitation: n, HasAccount: err == nil}, nil
}

// SetUp creates the account of an invitation, with its first session. The link works once. An invalid password is a
// fault of kind invalid, and the link remains valid.
func (p *People) SetUp(ctx context.Context, link Secret, password string, from Origin) (Secret, error) {
	n, err := p.Invitation(ctx, link)
	if err != nil {
		return "", err
	}
	u, err := p.newUser(ctx, n.Email, password)
	if err != nil {
		return "", err
	}
	if err := p.store.AcceptInvitation(ctx, link.Hash(), u, control.By{Actor: control.ActorOf(u.ID), At: u.CreatedAt}); err != nil {
		return "", err
	}
	return p.begin(ctx, u, from, u.CreatedAt)
}

// Accept adds the visitor to the workspace of an invitation. An invitation for another email address is a fault of kind
// forbidden.
func (p *People) Accept(ctx context.Context, link Secret, v Visitor) error {
	n, err := p.Invitation(ctx, link)
	if err != nil {
		return err
	}
	if n.Email != v.User.Email {
		return fault.Forbidden("this invitation is for another email address")
	}
	return p.store.AcceptInvitation(ctx, link.Hash(), v.User, p.by(control.ActorOf(v.User.ID)))
}

// ChangeRole changes the role of a member of the workspace. If the new or the old role is above the caller's own role,
// it returns a fault of kind forbidden.
func (p *People) ChangeRole(ctx context.Context, m control.Membership, id control.UserID, role control.Role) error {
	them, err := p.member(ctx, m.Workspace.ID, id)
	if err != nil {
		return err
	}
	if role, err = control.ParseRole(string(role)); err != nil {
		return err
	}
	for _, r := range []control.Role{role, them.Role} {
		if err := mayGive(m, r); err != nil {
			return err
		}
	}
	return p.SetRole(ctx, id, m.Workspace.ID, role, control.ActorOf(m.User))
}

// Dismiss removes a member from the workspace, as [People.Leave] does. Every member may leave. Removing another member
// requires the permission to remove that member's role.
func (p *People) Dismiss(ctx context.Context, m control.Membership, id control.UserID) error {
	them, err := p.member(ctx, m.Workspace.ID, id)
	if err != nil {
		return err
	}
	if id != m.User {
		if err := mayGive(m, them.Role); err != nil {
			return err
		}
	}
	return p.Leave(ctx, id, m.Workspace.ID, control.ActorOf(m.User))
}

func (p *People) member(ctx context.Context, ws measure.WorkspaceID, id control.UserID) (control.Membership, error) {
	all, err := p.store.Members(ctx, ws)
	if err != nil {
		return control.Membership{}, err
	}
	for _, m := range all {
		if m.User == id {
			return m, nil
		}
	}
	return control.Membership{}, fault.NotFound("this workspace has no such member")
}
