// Package control contains the service's state: workspaces, keys, people, grants, the call log and the audit log. Facts
// about the store are in the warehouse.
package control

import (
	"time"

	"assay/internal/measure"
	"assay/internal/money"
)

// Workspace is one store with its settings.
type Workspace struct {
	ID         measure.WorkspaceID // letters, digits and hyphens; used in commands and file names
	Name       string
	Currency   money.Currency
	Zone       string // IANA name, such as "America/New_York"
	WeekStart  time.Weekday
	Basis      measure.RevenueBasis
	RatePerMin int // requests per minute; 0: the limit follows the order volume
	CreatedAt  time.Time
	Version    int64 // increases with each change of settings

	Retrain      Retrain           // schedule of model training
	Costs        measure.CostRules // margins, fees and shipping costs that people entered
	LogArguments bool              // the call log stores arguments
}

// Location returns the workspace's time zone. Zones are validated when they are set.
func (w Workspace) Location() *time.Location {
	zone, err := time.LoadLocation(w.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// ModelSettings describes the settings that determine the meaning of money and revenue in the workspace. The figures of
// a model that was trained under other settings have a different meaning.
func (w Workspace) ModelSettings() string { return string(w.Currency) + ", " + w.Basis.String() }

// Scope is a permission of a caller.
type Scope string

// The scopes.
const (
	ScopeRead    Scope = "measurement.read"
	ScopeWrite   Scope = "measurement.write"
	ScopeApprove Scope = "measurement.approve_execution"
)

// Scopes lists all scopes.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeApprove} }

// KeyID identifies an API key.
type KeyID string

// Key is an API key without its secret. The secret is shown once. The store contains only a keyed hash of the secret.
type Key struct {
	ID         KeyID
	Workspace  measure.WorkspaceID
	Name       string
	Hint       string // the first characters after asy_, to identify the key
	Hash       []byte // HMAC-SHA256 of the whole key under the installation's secret
	Scopes     []Scope
	Tools      []string // allow-list; empty: all tools
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	RevokedAt  time.Time // zero: not revoked
	LastUsed   time.Time // to the minute; zero: never
	ReplacedBy KeyID     // ID of the key that replaced this one in a rotation; "" when it was not rotated
}

// Valid reports whether the key is neither revoked nor expired at the given instant.
func (k Key) Valid(at time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || at.Before(k.ExpiresAt))
}
