package people

import (
	"context"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// What people may do to one another in a workspace: who manages it may bring in, promote, lower and remove others, up
// to their own role. Everybody may leave. The store keeps the last owner where they are.

// invitationLifetime is how long the link of an invitation works.
const invitationLifetime = 3 * 24 * time.Hour

// Invite makes an invitation with a link's secret, which cannot be had again. The role above the member's own is a fault
// of kind forbidden, the address of somebody who is there already one of kind conflict. Whether an account with the
// address exists is not told.
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
			return "", control.Invitation{}, fault.Conflict("%s is in the workspace already", email)
		}
	case fault.KindOf(err) != fault.KindNotFound:
		return "", control.Invitation{}, err
	}
	secret, now := NewSecret(), p.instant()
	n := control.Invitation{
		ID: newID(), Hash: secret.Hash(), Workspace: m.Workspace.ID, Email: email, Role: role, By: m.User,
		CreatedAt: now, ExpiresAt: now.Add(invitationLifetime),
	}
	return secret, n, p.store.CreateInvitation(ctx, n, control.By{Actor: control.ActorOf(m.User), At: now})
}

func mayGive(m control.Membership, role control.Role) error {
	if !m.Role.Manages() {
		return fault.Forbidden("only owners and admins of a workspace look after its people")
	}
	if !m.Role.MayGive(role) {
		return fault.Forbidden("a role above your own is not yours to give or to take")
	}
	return nil
}

// Invitations returns the invitations to the workspace that are open.
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
func (p *People) Withdraw(ctx context.Context, m control.Membership, id string) error {
	if !m.Role.Manages() {
		return fault.Forbidden("only owners and admins of a workspace look after its people")
	}
	return p.store.WithdrawInvitation(ctx, id, m.Workspace.ID, p.by(control.ActorOf(m.User)))
}

// Invitation is an invitation that somebody holds the link of.
type Invitation struct {
	control.Invitation
	HasAccount bool // the address has an account, whose bearer accepts it signed in
}

// Invitation returns what the link is for. One that is used, withdrawn or too old is a fault of kind not_found.
func (p *People) Invitation(ctx context.Context, link Secret) (Invitation, error) {
	n, err := p.store.Invitation(ctx, link.Hash())
	if err != nil {
		return Invitation{}, err
	}
	if !p.instant().Before(n.ExpiresAt) {
		return Invitation{}, fault.NotFound("this invitation is too old")
	}
	_, err = p.store.UserByEmail(ctx, n.Email)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return Invitation{}, err
	}
	return Invitation{Invitation: n, HasAccount: err == nil}, nil
}

// SetUp makes the account that an invitation is for, with its first session. The link works once. A password that
// cannot be one is a fault of kind invalid and uses nothing up.
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

// Accept brings the visitor into the workspace that an invitation is for. One for another address is a fault of kind
// forbidden.
func (p *People) Accept(ctx context.Context, link Secret, v Visitor) error {
	n, err := p.Invitation(ctx, link)
	if err != nil {
		return err
	}
	if n.Email != v.User.Email {
		return fault.Forbidden("this invitation is for another e-mail address")
	}
	return p.store.AcceptInvitation(ctx, link.Hash(), v.User, p.by(control.ActorOf(v.User.ID)))
}

// ChangeRole gives a person of the member's workspace another role. Neither the role nor the one the person has may be
// above the member's own: those are faults of kind forbidden.
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

// Dismiss takes a person out of the member's workspace, as [People.Leave] does. Everybody may leave; another person may
// be removed by who could take their role.
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
	return control.Membership{}, fault.NotFound("there is no such person in this workspace")
}
