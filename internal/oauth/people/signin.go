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
	sessionIdle     = 12 * time.Hour     // time after which an unused session ends
	sessionLifetime = 7 * 24 * time.Hour // time after which every session ends
)

// Visitor is a signed-in person.
type Visitor struct {
	User    control.User
	Session []byte // hash of the session
	Secret  Secret // the session's secret; forms are bound to it
}

// Attempt is an attempt to sign in.
type Attempt struct {
	Email    string
	Password string
	Origin   Origin
}

// Origin is the source of a request.
type Origin struct {
	Address string // network address, for the audit log
	Browser string // name that the browser reports; "" when it reports none
}

// maxBrowserLen is the maximum stored length of a browser's name, in bytes.
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

// WaitError reports too many wrong passwords for an account and the time until the next attempt.
type WaitError struct{ For time.Duration }

// Error implements error.
func (e *WaitError) Error() string { return "too many wrong passwords; try again in " + e.For.String() }

// SignIn creates a session for a person with the correct password. For a wrong email address and for a wrong password,
// it returns the same fault of kind unauthenticated after the same time. After several wrong attempts, SignIn rejects
// further attempts for a time with a *[WaitError], even if the account does not exist. Existing sessions continue.
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
		return "", p.refused(ctx, u.ID, a.Origin, now) // the password changed during the check
	}
	if err != nil {
		return "", err
	}
	p.failures.forget(account)
	p.strengthen(ctx, u, a.Password)
	return secret, nil
}

// refusalsLogged is the maximum number of rejected sign-ins in the audit log per hour, so that sign-ins to nonexistent
// accounts cannot fill the disk. Further rejections appear only in the service log.
const refusalsLogged = 1000

// refused records a failed sign-in in the audit log, up to refusalsLogged per hour.
func (p *People) refused(ctx context.Context, id control.UserID, from Origin, now time.Time) error {
	e := control.Event{At: now, Kind: control.SignInRefused, Actor: "unknown", Subject: string(id), Detail: "wrong password"}
	if id == "" {
		e.Detail = "no such account"
	}
	e.Detail += "; " + from.String()
	no := fault.New(fault.KindUnauthenticated, "wrong email address or password")
	if p.refusals.Take(ctx, "all", now) > 0 {
		p.log.WarnContext(ctx, "sign-in rejected; the audit log has reached its limit for this hour", slog.String("user", string(id)))
		return no
	}
	if err := p.store.AppendEvent(ctx, e); err != nil {
		return err
	}
	return no
}

// begin creates a session of the account, if the verified password is still the account's password.
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

// strengthen hashes a password again if its hash has outdated parameters. A failure does not reject the sign-in.
func (p *People) strengthen(ctx context.Context, u control.User, password string) {
	if isCurrent(u.Password) {
		return
	}
	hash, err := p.hashAnew(ctx, password)
	if err == nil {
		err = p.store.StrengthenPassword(ctx, u.ID, u.Password, hash)
	}
	if err != nil {
		p.log.WarnContext(ctx, "password not hashed again", slog.String("user", string(u.ID)), slog.Any("error", err))
	}
}

// Visitor returns the person of the session. A session that is unknown, unused for twelve hours or a week old is a
// fault of kind unauthenticated.
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
			p.log.WarnContext(ctx, "use of a session not written", slog.String("user", string(u.ID)), slog.Any("error", err))
		}
	}
	return Visitor{User: u, Session: hash, Secret: secret}, nil
}

// live reports whether the session is valid.
func live(n control.Session, now time.Time) bool {
	return now.Before(n.EndsAt) && now.Sub(n.SeenAt) < sessionIdle
}

// Sessions returns the visitor's valid sessions, most recently used first.
func (p *People) Sessions(ctx context.Context, v Visitor) ([]control.Session, error) {
	all, err := p.store.Sessions(ctx, v.User.ID)
	now := p.instant()
	return slices.DeleteFunc(all, func(n control.Session) bool { return !live(n, now) }), err
}

// SignOutElsewhere ends all other sessions of the visitor.
func (p *People) SignOutElsewhere(ctx context.Context, v Visitor) error {
	return p.store.EndOtherSessions(ctx, v.User.ID, v.Session, control.By{Actor: control.ActorOf(v.User.ID), At: p.instant()})
}

// ChangePassword sets a new password for the visitor. A wrong old password is handled as in [People.SignIn].
// ChangePassword ends all sessions and returns a new session. It returns a fault of kind conflict if another request
// has changed the password in the meantime.
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

// SignOut ends the session.
func (p *People) SignOut(ctx context.Context, v Visitor) error {
	return p.store.EndSession(ctx, v.Session, control.By{Actor: control.ActorOf(v.User.ID), At: p.instant()})
}
