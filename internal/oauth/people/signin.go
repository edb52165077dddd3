package people

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"strings"
	"time"

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

// WaitError says that an account had too many wrong passwords and when it may be tried again.
type WaitError struct{ For time.Duration }

// Error implements error.
func (e *WaitError) Error() string { return "too many wrong passwords; try again in " + e.For.String() }

// SignIn begins a session for who knows the password. A wrong address and a wrong password are the same fault of
// kind unauthenticated and take the same time. After several of them the account's next try has to wait, which is a
// *[WaitError], also where there is no such account; sessions that exist are not touched.
func (p *People) SignIn(ctx context.Context, email, password string) (Secret, error) {
	email = strings.ToLower(strings.TrimSpace(email))
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
	right, err := p.matches(ctx, u.Password, password)
	if err != nil {
		return "", err
	}
	if !known || !right {
		return "", p.refused(ctx, u.ID, now)
	}
	p.failures.forget(account)
	p.strengthen(ctx, u, password)
	return p.begin(ctx, u.ID, now)
}

func (p *People) refused(ctx context.Context, id control.UserID, now time.Time) error {
	e := control.Event{At: now, Kind: control.SignInRefused, Actor: "unknown", Subject: string(id), Detail: "wrong password"}
	if id == "" {
		e.Detail = "no such account"
	}
	if err := p.store.AppendEvent(ctx, e); err != nil {
		return err
	}
	return fault.New(fault.KindUnauthenticated, "the e-mail address or the password is not right")
}

func (p *People) begin(ctx context.Context, id control.UserID, now time.Time) (Secret, error) {
	secret := NewSecret()
	n := control.Session{Hash: secret.Hash(), User: id, CreatedAt: now, SeenAt: now, EndsAt: now.Add(sessionLifetime)}
	if err := p.store.CreateSession(ctx, n, control.By{Actor: control.ActorOf(id), At: now}); err != nil {
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
	if err != nil || !now.Before(n.EndsAt) || now.Sub(n.SeenAt) >= sessionIdle {
		return Visitor{}, fault.New(fault.KindUnauthenticated, "you are not signed in")
	}
	if minute := now.Truncate(time.Minute); minute.After(n.SeenAt) {
		if err := p.store.TouchSession(ctx, hash, minute); err != nil {
			p.log.WarnContext(ctx, "use of a session not kept", slog.String("user", string(u.ID)), slog.Any("error", err))
		}
	}
	return Visitor{User: u, Session: hash, Secret: secret}, nil
}

// SignOut ends the session for good.
func (p *People) SignOut(ctx context.Context, v Visitor) error {
	return p.store.EndSession(ctx, v.Session, control.By{Actor: control.ActorOf(v.User.ID), At: p.instant()})
}
