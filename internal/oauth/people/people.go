// Package people manages accounts, their passwords, their roles in workspaces, and browser sessions. It contains no
// HTTP code.
package people

import (
	"context"
	"crypto/rand"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/limit"
	"assay/internal/measure"
)

// Store stores accounts, memberships and sessions. A missing object is a fault of kind not_found.
type Store interface {
	CreateUser(ctx context.Context, u control.User, by control.By) error
	Users(ctx context.Context) ([]control.User, error)
	User(ctx context.Context, id control.UserID) (control.User, error)
	UserByEmail(ctx context.Context, email string) (control.User, error)
	ChangePassword(ctx context.Context, id control.UserID, was, is string, by control.By) error
	StrengthenPassword(ctx context.Context, id control.UserID, was, is string) error
	RemoveUser(ctx context.Context, id control.UserID, by control.By) error

	SetRole(ctx context.Context, id control.UserID, ws measure.WorkspaceID, role control.Role, by control.By) error
	RemoveMember(ctx context.Context, id control.UserID, ws measure.WorkspaceID, by control.By) error
	Memberships(ctx context.Context, id control.UserID) ([]control.Membership, error)
	Members(ctx context.Context, ws measure.WorkspaceID) ([]control.Membership, error)

	CreateInvitation(ctx context.Context, n control.Invitation, by control.By) error
	Invitations(ctx context.Context, ws measure.WorkspaceID) ([]control.Invitation, error)
	Invitation(ctx context.Context, hash []byte) (control.Invitation, error)
	WithdrawInvitation(ctx context.Context, id control.InvitationID, ws measure.WorkspaceID, by control.By) error
	AcceptInvitation(ctx context.Context, hash []byte, u control.User, by control.By) error

	CreateSession(ctx context.Context, n control.NewSession, by control.By) error
	Session(ctx context.Context, hash []byte) (control.Session, control.User, error)
	Sessions(ctx context.Context, id control.UserID) ([]control.Session, error)
	TouchSession(ctx context.Context, hash []byte, at time.Time) error
	EndSession(ctx context.Context, hash []byte, by control.By) error
	EndOtherSessions(ctx context.Context, id control.UserID, but []byte, by control.By) error

	AppendEvent(ctx context.Context, e control.Event) error
}

// Options configure [New].
type Options struct {
	Store     Store
	Counter   limit.Counter    // counts logged rejected sign-ins; in this process when nil
	Now       func() time.Time // the real clock, even where answers use a fixed date
	Log       *slog.Logger     // nil: no logging
	KeysEnded func()           // called after a change of access that may revoke keys; may be nil
}

// People manages the accounts of one installation. Its methods are safe for concurrent use.
type People struct {
	store     Store
	now       func() time.Time
	log       *slog.Logger
	keysEnded func()
	hashing   chan time.Time // hashing slots, each with the time from which it is free
	failures  failures
	refusals  *limit.Quota // limits audit events
}

// New returns a People for the accounts in the store.
func New(o Options) *People {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.KeysEnded == nil {
		o.KeysEnded = func() {}
	}
	if o.Counter == nil {
		o.Counter = limit.NewCounter()
	}
	p := &People{
		store: o.Store, now: o.Now, log: o.Log, keysEnded: o.KeysEnded,
		refusals: &limit.Quota{What: "rejected sign-ins logged", Limit: refusalsLogged, Window: time.Hour, Counter: o.Counter, Log: o.Log},
	}
	// Hashing uses at most half of the processors, each for at most a quarter of the time, so requests are served
	// during any number of sign-ins.
	p.hashing = make(chan time.Time, max(1, runtime.GOMAXPROCS(0)/2))
	for range cap(p.hashing) {
		p.hashing <- time.Time{}
	}
	return p
}

// idLen is the length of the ID of a person or an invitation: 60 bits, short enough to type.
const idLen = 12

// Create creates an account on behalf of the caller actor. An invalid email address or password is a fault of kind
// invalid. A duplicate email address is a fault of kind conflict. The account has no workspace yet.
func (p *People) Create(ctx context.Context, email, password, actor string) (control.User, error) {
	u, err := p.newUser(ctx, email, password)
	if err != nil {
		return control.User{}, err
	}
	return u, p.store.CreateUser(ctx, u, control.By{Actor: actor, At: u.CreatedAt})
}

// newUser returns an account that is not stored yet.
func (p *People) newUser(ctx context.Context, email, password string) (control.User, error) {
	email, err := control.CheckedEmail(email)
	if err != nil {
		return control.User{}, err
	}
	hash, err := p.hash(ctx, password)
	if err != nil {
		return control.User{}, err
	}
	return control.User{ID: control.UserID(newID()), Email: email, Password: hash, CreatedAt: p.instant()}, nil
}

func newID() string { return strings.ToLower(rand.Text()[:idLen]) }

// List returns all accounts, oldest first.
func (p *People) List(ctx context.Context) ([]control.User, error) { return p.store.Users(ctx) }

// Find returns the account with that ID or email address, or a fault of kind not_found.
func (p *People) Find(ctx context.Context, idOrEmail string) (control.User, error) {
	if strings.Contains(idOrEmail, "@") {
		return p.store.UserByEmail(ctx, strings.ToLower(strings.TrimSpace(idOrEmail)))
	}
	return p.store.User(ctx, control.UserID(idOrEmail))
}

// SetPassword sets a new password and ends the account's sessions. Authorized clients retain their access.
func (p *People) SetPassword(ctx context.Context, id control.UserID, password, actor string) error {
	u, err := p.store.User(ctx, id)
	if err != nil {
		return err
	}
	_, err = p.setPassword(ctx, u, password, actor)
	return err
}

// setPassword returns the account with the new password. It returns a fault of kind conflict if the stored password is
// no longer the password in u.
func (p *People) setPassword(ctx context.Context, u control.User, password, actor string) (control.User, error) {
	was := u.Password
	var err error
	if u.Password, err = p.hash(ctx, password); err != nil {
		return u, err
	}
	return u, p.store.ChangePassword(ctx, u.ID, was, u.Password, p.by(actor))
}

// Accepts reports whether the password is the account's. It is for commands, because it does not count or log failed
// attempts.
func (p *People) Accepts(ctx context.Context, u control.User, password string) (bool, error) {
	return p.matches(ctx, u.Password, password)
}

// SetRole changes the person's role in the workspace. The new role applies from the person's next call. SetRole also
// revokes the keys that the person created in the workspace if they exceed the role. Lowering the role of the last
// owner is a fault of kind conflict.
func (p *People) SetRole(ctx context.Context, id control.UserID, ws measure.WorkspaceID, role control.Role, actor string) error {
	role, err := control.ParseRole(string(role))
	if err != nil {
		return err
	}
	err = p.store.SetRole(ctx, id, ws, role, p.by(actor))
	p.keysEnded()
	return err
}

// Leave removes the person, with the person's tokens and keys, from the workspace. Removing the last owner is a fault
// of kind conflict.
func (p *People) Leave(ctx context.Context, id control.UserID, ws measure.WorkspaceID, actor string) error {
	err := p.store.RemoveMember(ctx, id, ws, p.by(actor))
	p.keysEnded()
	return err
}

// Remove removes the account, with its sessions, tokens and keys. Removing the last owner of a workspace is a fault
// of kind conflict.
func (p *People) Remove(ctx context.Context, id control.UserID, actor string) error {
	err := p.store.RemoveUser(ctx, id, p.by(actor))
	p.keysEnded()
	return err
}

// Memberships returns the person's workspaces, sorted by ID.
func (p *People) Memberships(ctx context.Context, id control.UserID) ([]control.Membership, error) {
	return p.store.Memberships(ctx, id)
}

// Members returns the members of the workspace, longest membership first.
func (p *People) Members(ctx context.Context, ws measure.WorkspaceID) ([]control.Membership, error) {
	return p.store.Members(ctx, ws)
}

func (p *People) by(actor string) control.By { return control.By{Actor: actor, At: p.instant()} }

// instant returns the current time in the store's precision.
func (p *People) instant() time.Time { return p.now().UTC().Truncate(time.Microsecond) }
