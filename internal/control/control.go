// Package control is the service's memory of itself: workspaces, keys, people, grants, the calls that were made and
// the security log. Facts about the store are not here; they are in the warehouse.
package control

import (
	"time"

	"assay/internal/measure"
	"assay/internal/money"
)

// Workspace is one store with its settings.
type Workspace struct {
	ID         measure.WorkspaceID // letters, digits and hyphens; what commands and files call it
	Name       string
	Currency   money.Currency
	Zone       string // IANA name, such as "America/New_York"
	WeekStart  time.Weekday
	Basis      measure.RevenueBasis
	RatePerMin int // 0: by the volume of orders
	CreatedAt  time.Time
	Version    int64 // rises with each change of settings

	Retrain      Retrain // when models are trained by themselves
	LogArguments bool    // the call log keeps what tools were asked
}

// Location returns the workspace's zone. Zones are checked when they are set.
func (w Workspace) Location() *time.Location {
	zone, err := time.LoadLocation(w.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// ModelSettings names what money and revenue mean in the workspace. A model that was trained under other settings gives
// figures of another meaning.
func (w Workspace) ModelSettings() string { return string(w.Currency) + ", " + w.Basis.String() }

// Scope is something a caller may do.
type Scope string

// The scopes.
const (
	ScopeRead    Scope = "measurement.read"
	ScopeWrite   Scope = "measurement.write"
	ScopeApprove Scope = "measurement.approve_execution"
)

// Scopes lists all scopes.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeApprove} }

// Key is an API key without its secret. The secret is shown once and kept as a keyed hash.
type Key struct {
	ID         string
	Workspace  measure.WorkspaceID
	Name       string
	Hint       string // the first characters after asy_, to tell keys apart
	Hash       []byte // HMAC-SHA256 of the whole key under the installation's secret
	Scopes     []Scope
	Tools      []string // allow-list; empty: all tools
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	RevokedAt  time.Time // zero: not revoked
	LastUsed   time.Time // to the minute; zero: never
	ReplacedBy string    // id of the key that a rotation put in its place; "" when there is none
}

// Valid reports whether the key opens the door at that instant: not revoked and not expired.
func (k Key) Valid(at time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || at.Before(k.ExpiresAt))
}
