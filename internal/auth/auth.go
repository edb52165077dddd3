// Package auth contains authenticated callers (principals), API keys and rate limits.
package auth

import (
	"slices"

	"assay/internal/control"
)

// Principal is an authenticated caller: an API key, or a person's grant to an OAuth client.
type Principal struct {
	Workspace control.Workspace
	Actor     string // "key:ID" or "user:ID", for the audit log and the service log
	Kind      Kind

	Key   control.KeyID   // ID of a key
	Grant control.GrantID // grant of an access token

	Client     control.ClientID // the OAuth client that acts for a person; "" for a key
	ClientName string           // the name that the client gives itself

	Scopes []control.Scope
	Tools  []string // allow-list; empty: all tools
}

// Kind is the type of credential.
type Kind string

// The kinds of credentials. The error for a missing scope depends on the kind.
const (
	ByKey   Kind = "key"
	ByOAuth Kind = "oauth"
)

// Has reports whether the caller has the scope.
func (p Principal) Has(s control.Scope) bool { return slices.Contains(p.Scopes, s) }

// MayCall reports whether the caller may use the tool according to the allow-list.
func (p Principal) MayCall(tool string) bool {
	return len(p.Tools) == 0 || slices.Contains(p.Tools, tool)
}
