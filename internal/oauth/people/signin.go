package people

import (
	"cmp"
	"context"
	"crypto/sha256"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"

	"assay/internal/control"
	"assay/internal/fault"
)

const (
	sessionIdle     = 12 * time.Hour     // after which an unused session ends
	sessionLifetime = 7 * 24 * time.Hour // after which any session ends
)

// Visitor is somebody who is signed in.
type Visitor struct {
	User    control.User
	Session []byte // hash of the session
	Secret  Secret // the session's own; forms are bound to it
}

// Attempt is a sign-in that somebody tries.
type Attempt struct {
	Email    string
	Password string
	Origin   Origin
}

// Origin is from where a browser speaks.
type Origin struct {
	Address string // of the network; for the security log
	Browser string // what it calls itself; "" when it does not say
}

// maxBrowserLen is how much is kept of what a browser calls itself, in bytes.
const maxBrowserLen = 300

func (o Origin) browser() string {
	name := strings.ToValidUTF8(o.Browser[:min(len(o.Browser), maxBrowserLen)], "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
}

func (o Origin) String() string { return "from " + cmp.Or(o.Address, "an unknown address") }

// WaitError says that an account had too many wrong passwords and when it may be tried again.
type WaitError struct{ For time.Duration }

// Error implements error.
func (e *WaitError) Error() string { return "too many wrong passwords; try again in " + e.For.String() }

// SignIn begins a session for who knows the password. A wrong address and a wrong password are the same fault of
// kind unauthenticated and take the same time. After several of them the account's next try has to wait, which is a
// *[WaitError], also where there is no such account; sessions that exist are not touched.
func (p *People) SignIn(ctx context.Context, a Attempt) (Secret, error) {
	email := strings.ToLower(strings.TrimSpace(a.Email))
	now := p.instant()
	account := sha256.Sum256([]byte(email))
	if wait := p.failures.admit(account, now); wait > 0 {
		return "", &WaitError{For: wait}
	}
	u, err := p.store.UserByEmail(ctx, email)
	known := err == nil
	if !known {
		if fault.KindOf(err) != fault.KindNotFound {
			return "", err
		}
		u = control.User{Password: unknownUser}
	}
	right, err := p.matches(ctx, u.Password, a.Password)
	if err != nil {
		return "", err
	}
	if !known || !right {
		return "", p.refused(ctx, u.ID, a.Origin, now)
	}
	secret, err := p.begin(ctx, u, a.Origin, now)
	if fault.KindOf(err) == fault.KindConflict {
		return "", p.refused(ctx, u.ID, a.Origin, now) // while it was looked at, the password became a wrong one
	}
	if err != nil {
		return "", err
	}
	p.failures.forget(account)
	p.strengthen(ctx, u, a.Password)
	return secret, nil
}

// refusalsLogged is how many refused sign-ins the security log takes in an hour: who invents accounts shall not fill
// the disk. Further ones are only in the service's own log.
const refusalsLogged = 1000

// refused logs a sign-in that failed, as long as there are not too many.
func (p *People) refused(ctx context.Context, id control.UserID, from Origin, now time.Time) error {
	e := control.Event{At: now, Kind: control.SignInRefused, Actor: "unknown", Subject: string(id), Detail: "wrong password"}
	if id == "" {
		e.Detail = "no such account"
	}
	e.Detail += "; " + from.String()
	no := fault.New(fault.KindUnauthenticated, "the e-mail address or the password is not right")
	if p.refusals.Take(ctx, "all", now) > 0 {
		p.log.WarnContext(ctx, "sign-in refused; the security log has had its share of these for this hour", slog.String("user", string(id)))
		return no
	}
	if err := p.store.AppendEvent(ctx, e); err != nil {
		return err
	}
	return no
}

// begin begins a session of the account, whose password has to be the one that was right.
func (p *People) begin(ctx context.Context, u control.User, from Origin, now time.Time) (Secret, error) {
	secret := NewSecret()
	n := control.NewSession{
		Session: control.Session{
			Hash: secret.Hash(), User: u.ID, CreatedAt: now, SeenAt: now, EndsAt: now.Add(sessionLifetime), Browser: from.browser(),
		},
		Password: u.Password, From: from.String(),
	}
	if err := p.store.CreateSession(ctx, n, control.By{Actor: control.ActorOf(u.ID), At: now}); err != nil {
		return "", err
	}
	return secret, nil
}

// strengthen hashes a password anew that was hashed with parameters of another time. That it could not be is no
// reason to turn the person away.
func (p *People) strengthen(ctx context.Context, u control.User, password string) {
	if isCurrent(u.Password) {
		return
	}
	hash, err := p.hashAnew(ctx, password)
	if err == nil {
		err = p.store.StrengthenPassword(ctx, u.ID, u.Password, hash)
	}
	if err != nil {
		p.log.WarnContext(ctx, "password not hashed anew", slog.String("user", string(u.ID)), slog.Any("error", err))
	}
}

// Visitor returns who bears the session. One that is unknown, unused for twelve hours or a week old is a fault of
// kind unauthenticated.
func (p *People) Visitor(ctx context.Context, secret Secret) (Visitor, error) {
	hash := secret.Hash()
	n, u, err := p.store.Session(ctx, hash)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return Visitor{}, err
	}
	now := p.instant()
	if err != nil || !live(n, now) {
		return Visitor{}, fault.New(fault.KindUnauthenticated, "you are not signed in")
	}
	if minute := now.Truncate(time.Minute); minute.After(n.SeenAt) {
		if err := p.store.TouchSession(ctx, hash, minute); err != nil {
			p.log.WarnContext(ctx, "use of a session not kept", slog.String("user", string(u.ID)), slog.Any("error", err))
		}
	}
	return Visitor{User: u, Session: hash, Secret: secret}, nil
}

// live reports whether the session still counts.
func live(n control.Session, now time.Time) bool {
	return now.Before(n.EndsAt) && now.Sub(n.SeenAt) < sessionIdle
}

// Sessions returns the visitor's sessions that count, the one last seen first.
func (p *People) Sessions(ctx context.Context, v Visitor) ([]control.Session, error) {
	all, err := p.store.Sessions(ctx, v.User.ID)
	now := p.instant()
	return slices.DeleteFunc(all, func(n control.Session) bool { return !live(n, now) }), err
}

// SignOutElsewhere ends all sessions of the visitor but this one.
func (p *People) SignOutElsewhere(ctx context.Context, v Visitor) error {
	return p.store.EndOtherSessions(ctx, v.User.ID, v.Session, control.By{Actor: control.ActorOf(v.User.ID), At: p.instant()})
}

// ChangePassword gives the visitor a new password. Who does not know the old one is refused as in [People.SignIn]. All
// sessions end; the one returned is new. A password that was changed meanwhile is a fault of kind conflict.
func (p *People) ChangePassword(ctx context.Context, v Visitor, old, password string, from Origin) (Secret, error) {
	now := p.instant()
	account := sha256.Sum256([]byte(v.User.Email))
	if wait := p.failures.admit(account, now); wait > 0 {
		return "", &WaitError{For: wait}
	}
	right, err := p.matches(ctx, v.User.Password, old)
	if err != nil {
		return "", err
	}
	if !right {
		return "", p.refused(ctx, v.User.ID, from, now)
	}
	p.failures.forget(account)
	u, err := p.setPassword(ctx, v.User, password, control.ActorOf(v.User.ID))
	if err != nil {
		return "", err
	}
	return p.begin(ctx, u, from, now)
}

// SignOut ends the session for good.
func (p *People) SignOut(ctx context.Context, v Visitor) error {
	return p.store.EndSession(ctx, v.Session, control.By{Actor: control.ActorOf(v.User.ID), At: p.instant()})
}
