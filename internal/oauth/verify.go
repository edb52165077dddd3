package oauth

import (
	"context"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
)

// Verify returns who bears the access token. It asks the store at every call and keeps no answer, so a revoked grant,
// a removed person and a lowered role count from the next call on: the caller's scopes are those of the token that
// the person's role in the workspace allows now. A token that is not accepted is a fault of kind unauthenticated;
// without a signing secret there is one of kind misconfigured.
func (s *Server) Verify(ctx context.Context, token string) (auth.Principal, error) {
	if s.keys == nil {
		return auth.Principal{}, fault.New(fault.KindMisconfigured, "access tokens cannot be verified: no signing secret is configured").
			WithHint("set ASSAY_OAUTH_SECRET, or use an API key")
	}
	c, err := s.keys.open(token)
	if err != nil || c.Issuer != s.issuer || c.Audience != s.resource || !c.current(s.now()) {
		return auth.Principal{}, unauthenticated()
	}
	scopes, ok := parseScopes(c.Scope)
	if !ok {
		return auth.Principal{}, unauthenticated()
	}
	a, err := s.store.Access(ctx, c.Family)
	if fault.KindOf(err) == fault.KindNotFound {
		return auth.Principal{}, unauthenticated()
	}
	if err != nil {
		return auth.Principal{}, err
	}
	g := a.Grant
	if !g.Valid(s.now()) || string(g.User) != c.Subject || string(g.Client) != c.Client || string(g.Workspace) != c.Workspace {
		return auth.Principal{}, unauthenticated()
	}
	return auth.Principal{
		Workspace:  a.Workspace,
		Actor:      control.ActorOf(g.User),
		Kind:       auth.ByOAuth,
		Client:     g.Client,
		ClientName: g.ClientName,
		Scopes:     a.Role.Within(control.CommonScopes(scopes, g.Scopes)),
	}, nil
}

// unauthenticated is the one answer to every token that is not accepted.
func unauthenticated() error {
	return fault.New(fault.KindUnauthenticated, "the credential is not valid").
		WithHint("send a valid API key or access token as a bearer credential")
}
