package oauth

import (
	"context"
	"crypto/sha256"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
)

// Verify returns who bears the access token: the caller's scopes are those of the token that the person's role in the
// workspace allows now. What was found out is remembered for [auth.Staleness], and only as long as nothing in the store
// changes, so a revoked grant, a removed person and a lowered role count from the next call on. A token that is not
// accepted is a fault of kind unauthenticated; without a signing secret there is one of kind misconfigured.
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
	// The digest covers every byte, so a token that is known has the signature that was checked.
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

// lookUp checks all that a token says, and asks the store about its grant.
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
		Credential: g.ID,
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

// unauthenticated is the one answer to every token that is not accepted.
func unauthenticated() error {
	return fault.New(fault.KindUnauthenticated, "the credential is not valid").
		WithHint("send a valid API key or access token as a bearer credential")
}
