package oauth

import (
	"context"
	"crypto/sha256"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
)

// Verify returns the principal of the access token. Its scopes are the token's scopes that the person's current role in
// the workspace allows. The result is cached for at most [auth.Staleness], and only while the store does not change.
// Therefore a revoked grant, a removed person and a lower role take effect on the next call. A rejected token is a
// fault of kind unauthenticated. A missing signing secret is a fault of kind misconfigured.
func (s *Server) Verify(ctx context.Context, token string) (auth.Principal, error) {
	if s.keys == nil {
		return auth.Principal{}, fault.New(fault.KindMisconfigured, "access tokens cannot be verified: no signing secret is configured").
			WithHint("set ASSAY_OAUTH_SECRET, or use an API key")
	}
	if len(token) > maxTokenLen {
		return auth.Principal{}, unauthenticated()
	}
	state, err := s.store.State(ctx)
	if err != nil {
		return auth.Principal{}, err
	}
	// The digest covers every byte of the token, so the signature of a cached token was verified.
	digest, now := digestOf(token), s.now()
	if p, ok := s.known.Find(digest, now, state); ok {
		return p, nil
	}
	p, err := s.lookUp(ctx, token, now)
	if err != nil {
		return auth.Principal{}, err
	}
	s.known.Keep(digest, p, state)
	return p.Principal, nil
}

// lookUp verifies the token and reads its grant from the store.
func (s *Server) lookUp(ctx context.Context, token string, now time.Time) (auth.PrincipalUntil, error) {
	c, err := s.keys.open(token)
	if err != nil || c.Issuer != s.issuer || c.Audience != s.resource || !c.current(now) {
		return auth.PrincipalUntil{}, unauthenticated()
	}
	scopes, ok := parseScopes(c.Scope)
	if !ok {
		return auth.PrincipalUntil{}, unauthenticated()
	}
	a, err := s.store.Access(ctx, c.Family)
	if fault.KindOf(err) == fault.KindNotFound {
		return auth.PrincipalUntil{}, unauthenticated()
	}
	if err != nil {
		return auth.PrincipalUntil{}, err
	}
	g := a.Grant
	if !g.Valid(now) || string(g.User) != c.Subject || string(g.Client) != c.Client || string(g.Workspace) != c.Workspace {
		return auth.PrincipalUntil{}, unauthenticated()
	}
	p := auth.Principal{
		Workspace:  a.Workspace,
		Actor:      control.ActorOf(g.User),
		Kind:       auth.ByOAuth,
		Grant:      g.ID,
		Client:     g.Client,
		ClientName: g.ClientName,
		Scopes:     a.Role.Within(control.CommonScopes(scopes, g.Scopes)),
	}
	expires := c.ends()
	if g.EndsAt.Before(expires) {
		expires = g.EndsAt
	}
	return auth.PrincipalUntil{Principal: p, Stale: now.Add(auth.Staleness), Expires: expires}, nil
}

func digestOf(token string) auth.Digest {
	var buf [maxTokenLen]byte // a copy on the stack
	return sha256.Sum256(buf[:copy(buf[:], token)])
}

// unauthenticated returns the error for every rejected token.
func unauthenticated() error {
	return fault.New(fault.KindUnauthenticated, "the credential is not valid").
		WithHint("send a valid API key or access token as a bearer credential")
}
