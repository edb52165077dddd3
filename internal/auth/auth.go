// Package auth says who calls and how often they may: principals, API keys and rate limits.
package auth

import (
	"slices"

	"assay/internal/control"
)

// Principal is an authenticated caller: a key, or a person's grant to a client.
type Principal struct {
	Workspace control.Workspace
	Actor     string // "key:ID" or "user:ID": for the audit trail and the logs
	Kind      Kind

	Credential string // id of the key, or of the grant that the token belongs to

	Client     control.ClientID // the program that acts for a person; "" for a key
	ClientName string           // what it calls itself

	Scopes []control.Scope
	Tools  []string // allow-list; empty: all tools
}

// Kind is how the caller proved who they are.
type Kind string

// The kinds. A missing scope is answered differently to each.
const (
	ByKey   Kind = "key"
	ByOAuth Kind = "oauth"
)

// Has reports whether the caller holds the scope.
func (p Principal) Has(s control.Scope) bool { return slices.Contains(p.Scopes, s) }

// MayCall reports whether the allow-list lets the caller use the tool.
func (p Principal) MayCall(tool string) bool {
	return len(p.Tools) == 0 || slices.Contains(p.Tools, tool)
}
