package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/oauth/people"
)

// exchange is one request at the token endpoint.
type exchange struct {
	*http.Request
	client control.ClientID
	fields url.Values
	now    time.Time
}

// token issues tokens for a code or a refresh token.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if s.keys == nil {
		notConfigured().write(w)
		return
	}
	answer, no := s.exchange(w, r) //nolint:contextcheck // the exchange has the request's context
	if no != nil {
		if no.status == http.StatusUnauthorized && r.Header.Get("Authorization") != "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="token"`)
		}
		no.write(w)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *Server) exchange(w http.ResponseWriter, r *http.Request) (*tokens, *refusal) {
	fields, no := form(w, r)
	if no != nil {
		return nil, no
	}
	if repeated(fields) {
		return nil, refuse(invalidRequest, "a parameter is repeated")
	}
	x := &exchange{Request: r, fields: fields, now: s.instant()}
	if x.client, no = s.clientOf(r, fields); no != nil {
		return nil, no
	}
	switch fields.Get("grant_type") {
	case "authorization_code":
		return s.redeem(x)
	case "refresh_token":
		return s.refresh(x)
	case "":
		return nil, refuse(invalidRequest, "grant_type is missing")
	}
	return nil, refuse(unsupportedGrantType, "use authorization_code or refresh_token")
}

// clientOf returns the client of the request. Clients have no secrets. Basic credentials with an empty secret are
// accepted, because some clients send them.
func (s *Server) clientOf(r *http.Request, fields url.Values) (control.ClientID, *refusal) {
	no := &refusal{status: http.StatusUnauthorized, code: invalidClient, text: "the client is unknown, or sent a secret although it has none"}
	id := fields.Get("client_id")
	if r.Header.Get("Authorization") != "" {
		name, secret, ok := r.BasicAuth()
		name, err := url.QueryUnescape(name)
		if !ok || err != nil || secret != "" || name == "" || id != "" && id != name {
			return "", no
		}
		id = name
	}
	switch {
	case id == "":
		return "", refuse(invalidRequest, "client_id is missing")
	case fields.Get("client_secret") != "":
		return "", no
	case isDocumentID(id):
		return control.ClientID(id), nil
	}
	_, err := s.store.Client(r.Context(), control.ClientID(id))
	switch {
	case err == nil:
		return control.ClientID(id), nil
	case isUnknown(err):
		return "", no
	}
	return "", s.broken(r, err)
}

// isUnknown reports whether an error of the store means that a client does not exist. PostgreSQL rejects texts that it
// cannot store, so such texts cannot be client IDs.
func isUnknown(err error) bool {
	return fault.KindOf(err) == fault.KindNotFound || fault.KindOf(err) == fault.KindInvalid
}

// tokens are the response of the token endpoint.
type tokens struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int64  `json:"expires_in"` // seconds
	Refresh   string `json:"refresh_token"`
	Scope     string `json:"scope"`
}

// noGrant returns the error for every rejected code and refresh token.
func noGrant() *refusal {
	return refuse(invalidGrant, "the code or refresh token is not valid, was used before, or belongs to another request")
}

// redeem issues the first tokens for a code. An invalid request does not use the code. If a code is used twice, redeem
// revokes the grant with all its tokens.
func (s *Server) redeem(x *exchange) (*tokens, *refusal) {
	code, verifier, redirect := x.fields.Get("code"), x.fields.Get("code_verifier"), x.fields.Get("redirect_uri")
	if code == "" {
		return nil, refuse(invalidRequest, "code is missing")
	}
	kept, err := s.store.Code(x.Context(), people.Secret(code).Hash())
	if err != nil {
		return nil, s.notFound(x, err)
	}
	a, no := s.access(x, kept.Grant)
	switch {
	case no != nil:
		return nil, no
	case !kept.UsedAt.IsZero():
		return nil, s.endFamily(x, a.Grant, "its code was used twice")
	case !x.now.Before(kept.ExpiresAt), redirect != kept.Redirect, !proves(verifier, kept.Challenge):
		return nil, noGrant()
	case !s.wantsResource(x):
		return nil, refuse(invalidTarget, "the resource does not belong to this server")
	}
	scopes, no := s.scopes(x, a)
	if no != nil {
		return nil, no
	}
	secret, next := s.nextRefreshToken(x, a.Grant)
	done, err := s.store.RedeemCode(x.Context(), kept.Hash, next, x.now)
	switch {
	case err != nil:
		return nil, s.broken(x.Request, err)
	case !done: // another request used the code first
		return nil, s.endFamily(x, a.Grant, "its code was used twice")
	}
	return s.give(x, a, scopes, secret)
}

// refresh issues new tokens for a refresh token and marks it as used. An invalid request does not mark the refresh
// token as used. A second use indicates theft and revokes the grant. A second use within a few seconds, before the
// successor is used, is only rejected. In this case, two parts of the client may have refreshed at the same time.
func (s *Server) refresh(x *exchange) (*tokens, *refusal) {
	token := x.fields.Get("refresh_token")
	if token == "" {
		return nil, refuse(invalidRequest, "refresh_token is missing")
	}
	kept, successorUsed, err := s.store.RefreshToken(x.Context(), people.Secret(token).Hash())
	if err != nil {
		return nil, s.notFound(x, err)
	}
	a, no := s.access(x, kept.Grant)
	switch {
	case no != nil:
		return nil, no
	case !kept.UsedAt.IsZero() && !successorUsed && x.now.Sub(kept.UsedAt) <= reuseGrace:
		return nil, noGrant()
	case !kept.UsedAt.IsZero():
		return nil, s.endFamily(x, a.Grant, "a refresh token was used twice")
	case !x.now.Before(kept.ExpiresAt):
		return nil, noGrant()
	case !s.wantsResource(x):
		return nil, refuse(invalidTarget, "the resource does not belong to this server")
	}
	scopes, no := s.scopes(x, a)
	if no != nil {
		return nil, no
	}
	secret, next := s.nextRefreshToken(x, a.Grant)
	done, err := s.store.RotateRefreshToken(x.Context(), kept.Hash, next, x.now)
	switch {
	case err != nil:
		return nil, s.broken(x.Request, err)
	case !done: // another request used the token first
		return nil, noGrant()
	}
	return s.give(x, a, scopes, secret)
}

// access returns the grant with its person's current role, if the grant belongs to the client and is valid.
func (s *Server) access(x *exchange, grant control.GrantID) (control.Access, *refusal) {
	a, err := s.store.Access(x.Context(), grant)
	if err != nil {
		return control.Access{}, s.notFound(x, err)
	}
	if a.Grant.Client != x.client || !a.Grant.Valid(x.now) {
		return control.Access{}, noGrant()
	}
	return a, nil
}

// scopes returns the scopes of the new tokens: the requested scopes, or all granted scopes, that the person's role
// allows.
func (s *Server) scopes(x *exchange, a control.Access) ([]control.Scope, *refusal) {
	asked := a.Grant.Scopes
	if text := x.fields.Get("scope"); text != "" {
		var known bool
		asked, known = parseScopes(text)
		if !known || len(control.CommonScopes(asked, a.Grant.Scopes)) < len(asked) {
			return nil, refuse(invalidScope, "the requested scope exceeds the grant")
		}
	}
	scopes := a.Role.Within(asked)
	if len(scopes) == 0 {
		return nil, noGrant()
	}
	return scopes, nil
}

func (s *Server) wantsResource(x *exchange) bool {
	return !x.fields.Has("resource") || s.isResource(x.fields.Get("resource"))
}

func (s *Server) notFound(x *exchange, err error) *refusal {
	if fault.KindOf(err) == fault.KindNotFound {
		return noGrant()
	}
	return s.broken(x.Request, err)
}

// endFamily revokes a grant after its code or refresh token was used twice.
func (s *Server) endFamily(x *exchange, g control.Grant, why string) *refusal {
	by := control.By{Actor: "client:" + string(g.Client), At: x.now}
	if _, err := s.store.RevokeGrant(x.Context(), g.ID, why, by); err != nil {
		return s.broken(x.Request, err)
	}
	return noGrant()
}

// nextRefreshToken creates a refresh token of the grant. The token expires no later than the grant.
func (s *Server) nextRefreshToken(x *exchange, g control.Grant) (people.Secret, control.RefreshToken) {
	secret := people.NewSecret()
	ends := x.now.Add(refreshIdle)
	if g.EndsAt.Before(ends) {
		ends = g.EndsAt
	}
	return secret, control.RefreshToken{Hash: secret.Hash(), Grant: g.ID, ExpiresAt: ends}
}

// give signs an access token and returns the response.
func (s *Server) give(x *exchange, a control.Access, scopes []control.Scope, refresh people.Secret) (*tokens, *refusal) {
	access, err := s.keys.sign(claims{
		Issuer: s.issuer, Audience: s.resource, Subject: string(a.Grant.User), Client: string(x.client),
		Scope: scopeText(scopes), IssuedAt: x.now.Unix(), ExpiresAt: x.now.Add(accessLifetime).Unix(),
		ID: string(people.NewSecret()), Workspace: string(a.Grant.Workspace), Family: a.Grant.ID,
	})
	if err != nil {
		return nil, s.broken(x.Request, err)
	}
	return &tokens{
		Access: access, Type: "Bearer", ExpiresIn: int64(accessLifetime.Seconds()),
		Refresh: string(refresh), Scope: scopeText(scopes),
	}, nil
}

// proves reports whether the challenge is the S256 hash of the verifier (RFC 7636).
func proves(verifier, challenge string) bool {
	if len(verifier) < 43 || len(verifier) > 128 || strings.Trim(verifier, unreserved) != "" {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	made := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(made), []byte(challenge)) == 1
}

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
