package auth

import (
	"context"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
)

// AuthorityStore reads the current permissions of callers. A missing object is a fault of kind not_found.
type AuthorityStore interface {
	Key(ctx context.Context, id control.KeyID) (control.Key, error)
	Access(ctx context.Context, grant control.GrantID) (control.Access, error)
}

// Authority checks the current permissions of callers without a cache. It is used before an action, because a
// permission cached for two seconds is sufficient for reads but not for actions. Its methods are safe for concurrent
// use.
type Authority struct {
	store AuthorityStore
	now   func() time.Time
}

// NewAuthority returns an authority that reads the store. The parameter now is the real clock.
func NewAuthority(store AuthorityStore, now func() time.Time) *Authority {
	return &Authority{store: store, now: now}
}

// Renew returns the caller with the scopes that the store still allows. If the credential is no longer valid, the
// caller has no scopes.
func (a *Authority) Renew(ctx context.Context, p Principal) (Principal, error) {
	allowed, err := a.allowed(ctx, p)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return Principal{}, err
	}
	p.Scopes = control.CommonScopes(p.Scopes, allowed)
	return p, nil
}

// allowed returns the scopes of the caller's key, or the scopes of the grant that the person's role allows.
func (a *Authority) allowed(ctx context.Context, p Principal) ([]control.Scope, error) {
	now := a.now()
	if p.Kind == ByKey {
		key, err := a.store.Key(ctx, p.Key)
		if err != nil || !key.Valid(now) {
			return nil, err
		}
		return key.Scopes, nil
	}
	access, err := a.store.Access(ctx, p.Grant)
	if err != nil || !access.Grant.Valid(now) {
		return nil, err
	}
	return access.Role.Within(access.Grant.Scopes), nil
}
