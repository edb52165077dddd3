package auth

import (
	"context"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
)

// AuthorityStore is asked what callers may do. What does not exist is a fault of kind not_found.
type AuthorityStore interface {
	Key(ctx context.Context, id string) (control.Key, error)
	Access(ctx context.Context, grant string) (control.Access, error)
}

// Authority tells what callers may do now, past everything that is remembered. It is asked before something is done
// that others see: an answer that is two seconds old is good enough to read by, and not to act on. Its methods may be
// called from many goroutines.
type Authority struct {
	store AuthorityStore
	now   func() time.Time
}

// NewAuthority returns one on the store. The clock is the real one.
func NewAuthority(store AuthorityStore, now func() time.Time) *Authority {
	return &Authority{store: store, now: now}
}

// Renew returns the caller with those of the scopes that the store still allows: none when the credential has ended.
func (a *Authority) Renew(ctx context.Context, p Principal) (Principal, error) {
	allowed, err := a.allowed(ctx, p)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return Principal{}, err
	}
	p.Scopes = control.CommonScopes(p.Scopes, allowed)
	return p, nil
}

// allowed returns the scopes of the caller's key, or those of the grant that the person's role allows.
func (a *Authority) allowed(ctx context.Context, p Principal) ([]control.Scope, error) {
	now := a.now()
	if p.Kind == ByKey {
		key, err := a.store.Key(ctx, p.Credential)
		if err != nil || !key.Valid(now) {
			return nil, err
		}
		return key.Scopes, nil
	}
	access, err := a.store.Access(ctx, p.Credential)
	if err != nil || !access.Grant.Valid(now) {
		return nil, err
	}
	return access.Role.Within(access.Grant.Scopes), nil
}
