package control

import (
	"time"

	"assay/internal/measure"
)

// ClientID names a program that people let act for them: an id that registration made, or the address of a
// document in which the program describes itself.
type ClientID string

// Client is a registered program. It has no secret: whoever registers gets an id and no rights.
type Client struct {
	ID        ClientID
	Name      string
	Redirects []string // where answers may be sent, byte for byte
	CreatedAt time.Time
	UsedAt    time.Time // when somebody last let it act; zero: never
}

// AuthRequest is what a client asked for while a person looks at it. It is decided once.
type AuthRequest struct {
	Hash       []byte // SHA-256 of the form's secret
	Session    []byte // hash of the session that it is shown to
	User       UserID
	Client     ClientID
	ClientName string
	Redirect   string
	Scopes     []Scope // asked for
	State      string  // the client's own; returned as it came
	HasState   bool    // an empty state is returned too, an absent one is not
	Challenge  string  // PKCE, S256
	ExpiresAt  time.Time
	DecidedAt  time.Time // zero: not yet
}

// Grant is what a person allowed a client to do in a workspace: a family of tokens that live and die together.
type Grant struct {
	ID         string
	User       UserID
	Workspace  measure.WorkspaceID
	Client     ClientID
	ClientName string
	Redirect   string // where its answer went
	Scopes     []Scope
	CreatedAt  time.Time
	EndsAt     time.Time // whatever is done with it
	UsedAt     time.Time // when tokens were last given out; zero: never
	RevokedAt  time.Time // zero: not revoked
}

// Valid reports whether the grant gives anything at that instant.
func (g Grant) Valid(at time.Time) bool { return g.RevokedAt.IsZero() && at.Before(g.EndsAt) }

// Code is an authorization code without its secret. It is redeemed once.
type Code struct {
	Hash      []byte // SHA-256
	Grant     string
	Redirect  string
	Challenge string
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not yet
}

// RefreshToken is a refresh token without its secret. It is used once, and then has a successor.
type RefreshToken struct {
	Hash      []byte // SHA-256
	Grant     string
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not yet
}

// Access is a grant with what its person is in its workspace now.
type Access struct {
	Grant     Grant
	Workspace Workspace
	Role      Role
}

// The kinds of security events about grants. The subject is the grant, or the client for a scope that a person's
// role did not allow to be granted, or the tool for a call that its caller's scopes did not allow.
const (
	GrantMade    EventKind = "grant_made"
	GrantRefused EventKind = "grant_refused"
	GrantRevoked EventKind = "grant_revoked"
	ScopeRefused EventKind = "scope_refused"
)
