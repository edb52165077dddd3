package control

import (
	"time"

	"assay/internal/measure"
)

// ClientID identifies an OAuth client: an ID from registration, or the URL of its client ID metadata document.
type ClientID string

// Client is a registered OAuth client. It is a public client. Registration gives it an ID, but no secret and no
// permissions.
type Client struct {
	ID        ClientID
	Name      string
	Redirects []string // redirect URIs, compared byte for byte
	CreatedAt time.Time
	UsedAt    time.Time // when a person last authorized it; zero: never
}

// AuthRequest is an authorization request that waits for the person's decision. It is decided once.
type AuthRequest struct {
	Hash       []byte // SHA-256 of the form's secret
	Session    []byte // hash of the session that shows the request
	User       UserID
	Client     ClientID
	ClientName string
	Redirect   string
	Scopes     []Scope // requested scopes
	State      string  // the client's own value, returned unchanged
	HasState   bool    // an empty state is returned, an absent state is not
	Challenge  string  // PKCE, S256
	ExpiresAt  time.Time
	DecidedAt  time.Time // zero: not decided
}

// GrantID identifies a grant.
type GrantID string

// Grant is a person's authorization of a client in a workspace. The tokens of a grant are valid only while the grant is
// valid.
type Grant struct {
	ID         GrantID
	User       UserID
	Workspace  measure.WorkspaceID
	Client     ClientID
	ClientName string
	Redirect   string // redirect URI of the request
	Scopes     []Scope
	CreatedAt  time.Time
	EndsAt     time.Time // absolute end; use does not extend it
	UsedAt     time.Time // when tokens were last issued; zero: never
	RevokedAt  time.Time // zero: not revoked
}

// Valid reports whether tokens of the grant are accepted at that instant.
func (g Grant) Valid(at time.Time) bool { return g.RevokedAt.IsZero() && at.Before(g.EndsAt) }

// Code is an authorization code without its secret. It can be redeemed only once.
type Code struct {
	Hash      []byte // SHA-256
	Grant     GrantID
	Redirect  string
	Challenge string
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not used
}

// RefreshToken is a refresh token without its secret. It can be used only once. Its use replaces it with a successor.
type RefreshToken struct {
	Hash      []byte // SHA-256
	Grant     GrantID
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not used
}

// Access is a grant with its workspace and the person's current role.
type Access struct {
	Grant     Grant
	Workspace Workspace
	Role      Role
}

// The kinds of audit events about grants. The subject is usually the grant. If the person's role does not allow a
// scope, the subject is the client. If a call lacks the required scope, the subject is the tool.
const (
	GrantMade    EventKind = "grant_made"
	GrantRefused EventKind = "grant_refused"
	GrantRevoked EventKind = "grant_revoked"
	ScopeRefused EventKind = "scope_refused"
)
