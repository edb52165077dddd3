// Package people knows who may sign in: accounts, their passwords, their roles in workspaces, and sessions of
// browsers. It speaks no HTTP.
package people

import (
	"context"
	"crypto/rand"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/measure"
)

// Store keeps accounts, memberships and sessions. What does not exist is a fault of kind not_found.
type Store interface {
	CreateUser(ctx context.Context, u control.User, by control.By) error
	Users(ctx context.Context) ([]control.User, error)
	User(ctx context.Context, id control.UserID) (control.User, error)
	UserByEmail(ctx context.Context, email string) (control.User, error)
	ChangePassword(ctx context.Context, id control.UserID, password string, by control.By) error
	StrengthenPassword(ctx context.Context, id control.UserID, was, is string) error
	RemoveUser(ctx context.Context, id control.UserID, by control.By) error

	SetRole(ctx context.Context, id control.UserID, ws measure.WorkspaceID, role control.Role, by control.By) error
	RemoveMember(ctx context.Context, id control.UserID, ws measure.WorkspaceID, by control.By) error
	Memberships(ctx context.Context, id control.UserID) ([]control.Membership, error)
	Members(ctx context.Context, ws measure.WorkspaceID) ([]control.Membership, error)

	CreateSession(ctx context.Context, n control.Session, by control.By) error
	Session(ctx context.Context, hash []byte) (control.Session, control.User, error)
	TouchSession(ctx context.Context, hash []byte, at time.Time) error
	EndSession(ctx context.Context, hash []byte, by control.By) error

	AppendEvent(ctx context.Context, e control.Event) error
}

// Options are what [New] needs.
type Options struct {
	Store     Store
	Now       func() time.Time // the real clock, also where answers have a frozen one
	Log       *slog.Logger     // nothing is logged when nil
	KeysEnded func()           // called after keys ended with their maker's access; may be nil
}

// People are the accounts of one installation. Its methods may be called from many goroutines.
type People struct {
	store     Store
	now       func() time.Time
	log       *slog.Logger
	keysEnded func()
	hashing   chan struct{} // a place for each password being hashed: each takes 19 MiB
	failures  failures
}

// New returns the accounts that the store keeps.
func New(o Options) *People {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.KeysEnded == nil {
		o.KeysEnded = func() {}
	}
	return &People{
		store: o.Store, now: o.Now, log: o.Log, keysEnded: o.KeysEnded,
		hashing: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
}

// userIDLen is the length of a person's id: 60 bits, short enough to be typed.
const userIDLen = 12

// Create makes an account for actor. The address or password that cannot be one is a fault of kind invalid, an
// address that is taken one of kind conflict. The account is in no workspace yet.
func (p *People) Create(ctx context.Context, email, password, actor string) (control.User, error) {
	email, err := control.CheckedEmail(email)
	if err != nil {
		return control.User{}, err
	}
	hash, err := p.hash(ctx, password)
	if err != nil {
		return control.User{}, err
	}
	u := control.User{
		ID: control.UserID(strings.ToLower(rand.Text()[:userIDLen])), Email: email, Password: hash, CreatedAt: p.instant(),
	}
	return u, p.store.CreateUser(ctx, u, control.By{Actor: actor, At: u.CreatedAt})
}

// List returns all accounts, oldest first.
func (p *People) List(ctx context.Context) ([]control.User, error) { return p.store.Users(ctx) }

// Find returns the account with that id or e-mail address, or a fault of kind not_found.
func (p *People) Find(ctx context.Context, idOrEmail string) (control.User, error) {
	if strings.Contains(idOrEmail, "@") {
		return p.store.UserByEmail(ctx, strings.ToLower(strings.TrimSpace(idOrEmail)))
	}
	return p.store.User(ctx, control.UserID(idOrEmail))
}

// SetPassword gives the account a new password and ends its sessions. What the account allowed to clients stays.
func (p *People) SetPassword(ctx context.Context, id control.UserID, password, actor string) error {
	hash, err := p.hash(ctx, password)
	if err != nil {
		return err
	}
	return p.store.ChangePassword(ctx, id, hash, p.by(actor))
}

// Accepts reports whether the password is the account's. It is for commands: nothing is counted or logged.
func (p *People) Accepts(ctx context.Context, u control.User, password string) (bool, error) {
	return p.matches(ctx, u.Password, password)
}

// SetRole gives the person the role in the workspace, in place of an earlier one. It counts from the next call on.
func (p *People) SetRole(ctx context.Context, id control.UserID, ws measure.WorkspaceID, role control.Role, actor string) error {
	if _, err := control.ParseRole(string(role)); err != nil {
		return err
	}
	return p.store.SetRole(ctx, id, ws, role, p.by(actor))
}

// Leave takes the person out of the workspace, with the tokens and keys the person made there.
func (p *People) Leave(ctx context.Context, id control.UserID, ws measure.WorkspaceID, actor string) error {
	err := p.store.RemoveMember(ctx, id, ws, p.by(actor))
	p.keysEnded()
	return err
}

// Remove removes the account, with its sessions, tokens and keys.
func (p *People) Remove(ctx context.Context, id control.UserID, actor string) error {
	err := p.store.RemoveUser(ctx, id, p.by(actor))
	p.keysEnded()
	return err
}

// Memberships returns the workspaces that the person is in, sorted by id.
func (p *People) Memberships(ctx context.Context, id control.UserID) ([]control.Membership, error) {
	return p.store.Memberships(ctx, id)
}

// Members returns who is in the workspace, longest first.
func (p *People) Members(ctx context.Context, ws measure.WorkspaceID) ([]control.Membership, error) {
	return p.store.Members(ctx, ws)
}

func (p *People) by(actor string) control.By { return control.By{Actor: actor, At: p.instant()} }

// instant is now as the store keeps it.
func (p *People) instant() time.Time { return p.now().UTC().Truncate(time.Microsecond) }
