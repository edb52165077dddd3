package control

import (
	"time"

	"assay/internal/measure"
)

// ShareID identifies a share link.
type ShareID string

// Share is a link that shows one page to people without an account, read-only. Its secret is shown once. The store
// contains only a hash of the secret.
type Share struct {
	ID        ShareID
	Workspace measure.WorkspaceID
	Hash      []byte // SHA-256 of the secret
	Page      string // path of the page, such as /channels
	Query     string // filters of the page, encoded; without the workspace
	By        UserID
	CreatedAt time.Time
	ExpiresAt time.Time
	LastUsed  time.Time // to the minute; zero: never
}

// Limits of share links.
const (
	MinShareDays = 1
	MaxShareDays = 90
	MaxShares    = 50 // maximum number of links of a workspace
)

// Valid reports whether the link has not expired at the given instant. A revoked link is removed.
func (s Share) Valid(at time.Time) bool { return at.Before(s.ExpiresAt) }

// The kinds of audit events about share links. The subject is the link's ID, and the detail is the page with its
// filters.
const (
	ShareMade    EventKind = "share_made"
	ShareRevoked EventKind = "share_revoked"
)
