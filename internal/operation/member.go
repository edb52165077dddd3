package operation

import (
	"context"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/oauth/people"
)

// NewMember is a person who gets a role in a workspace.
type NewMember struct {
	Email    string
	Password string // password of a new account; "" keeps the password of an existing account
	Role     control.Role
}

// AddMember gives a person a role, and creates the account if it is missing. Without a password, a missing account is a
// fault of kind not_found. With a password, an existing account is a fault of kind conflict.
var AddMember = Operation[NewMember, control.User]{
	Spec{Name: "member.add", Needs: Manage, Undo: "Remove the member."},
	(*Run).addMember,
}

func (r *Run) addMember(ctx context.Context, in NewMember) (u control.User, err error) {
	if in.Password == "" {
		u, err = r.People.Find(ctx, in.Email)
	} else {
		u, err = r.People.Create(ctx, in.Email, in.Password, r.Call.Caller.Actor)
	}
	if err != nil {
		return control.User{}, err
	}
	return u, r.People.SetRole(ctx, u.ID, r.Workspace.ID, in.Role, r.Call.Caller.Actor)
}

// NewPassword is the password that an account gets.
type NewPassword struct {
	User     control.UserID
	Password string
}

// ResetPassword gives an account a new password and ends its sessions.
var ResetPassword = Operation[NewPassword, None]{
	Spec{Name: "user.reset-password", Needs: Manage, Scope: Installation, Undo: "Set another password."},
	func(r *Run, ctx context.Context, in NewPassword) (None, error) {
		return None{}, r.People.SetPassword(ctx, in.User, in.Password, r.Call.Caller.Actor)
	},
}

// Invited is an invitation with the secret of its link, which is shown once.
type Invited struct {
	Link       people.Secret
	Invitation control.Invitation
}

// Invitee is the person to invite, with the role.
type Invitee struct {
	Email string
	Role  control.Role
}

// Invite creates a link with which a person joins the workspace. Only members can invite.
var Invite = Operation[Invitee, Invited]{
	Spec{Name: "member.invite", Needs: Manage, Undo: "Withdraw the invitation."},
	(*Run).invite,
}

func (r *Run) invite(ctx context.Context, in Invitee) (made Invited, err error) {
	m, err := r.membership(ctx)
	if err == nil {
		made.Link, made.Invitation, err = r.People.Invite(ctx, m, in.Email, in.Role)
	}
	return made, err
}

// WithdrawInvitation invalidates the link of an invitation, by its ID.
var WithdrawInvitation = Operation[control.InvitationID, None]{
	Spec{Name: "member.withdraw", Needs: Manage, Undo: "Invite the person again."},
	func(r *Run, ctx context.Context, id control.InvitationID) (None, error) {
		m, err := r.membership(ctx)
		if err != nil {
			return None{}, err
		}
		return None{}, r.People.Withdraw(ctx, m, id)
	},
}

// NewRole is the role that a member gets.
type NewRole struct {
	User control.UserID
	Role control.Role
}

// ChangeRole gives a member another role. Members cannot give or remove a role above their own.
var ChangeRole = Operation[NewRole, None]{
	Spec{Name: "member.role", Needs: Manage, Undo: "Assign the earlier role; the audit log has it."},
	func(r *Run, ctx context.Context, in NewRole) (None, error) {
		m, err := r.membership(ctx)
		if err != nil {
			return None{}, err
		}
		return None{}, r.People.ChangeRole(ctx, m, in.User, in.Role)
	},
}

// RemoveMember removes a member from the workspace. Members who do not manage the workspace can remove only themselves.
var RemoveMember = Operation[control.UserID, None]{
	Spec{Name: "member.remove", Needs: Read, Undo: "Invite the person again."},
	func(r *Run, ctx context.Context, id control.UserID) (None, error) {
		m, err := r.membership(ctx)
		if err != nil {
			return None{}, err
		}
		return None{}, r.People.Dismiss(ctx, m, id)
	},
}

// membership returns the caller's membership in the workspace.
func (r *Run) membership(ctx context.Context) (control.Membership, error) {
	all, err := r.People.Memberships(ctx, r.Call.Caller.member)
	if err != nil {
		return control.Membership{}, err
	}
	for _, m := range all {
		if m.Workspace.ID == r.Workspace.ID {
			return m, nil
		}
	}
	return control.Membership{}, fault.Forbidden("only members of the workspace may do this")
}
