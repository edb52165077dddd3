package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const (
	// DefaultLifetime is the lifetime of a key unless another lifetime is requested.
	DefaultLifetime = 90 * 24 * time.Hour
	// DefaultOverlap is the time for which a rotated key stays valid together with its successor.
	DefaultOverlap = 24 * time.Hour

	maxLifetime = 10 * 365 * 24 * time.Hour
)

// KeyStore stores keys. A missing key or workspace is a fault of kind not_found.
type KeyStore interface {
	CreateKey(ctx context.Context, k control.Key, by control.By) error
	Keys(ctx context.Context, ws measure.WorkspaceID) ([]control.Key, error)
	Key(ctx context.Context, id control.KeyID) (control.Key, error)
	KeyByHash(ctx context.Context, hash []byte) (control.Key, control.Workspace, error)
	RevokeKey(ctx context.Context, id control.KeyID, by control.By) (control.Key, error)
	ReplaceKey(ctx context.Context, id control.KeyID, until time.Time, next control.Key, by control.By) error
	TouchKeys(ctx context.Context, used map[control.KeyID]time.Time) error
}

// Tokens verifies access tokens. A rejected token is a fault of kind unauthenticated.
type Tokens interface {
	Verify(ctx context.Context, token string) (Principal, error)
}

// KeysOptions configure [NewKeys].
type KeysOptions struct {
	Store        KeyStore
	Installation Installation
	Tokens       Tokens           // nil: without a signing secret, tokens cannot be verified
	Now          func() time.Time // the real clock, even where answers use a fixed date
	Log          *slog.Logger     // nil: no logging
}

// Keys creates API keys and authenticates callers. Its methods are safe for concurrent use.
type Keys struct {
	store   KeyStore
	tokens  Tokens
	hashing []byte // HMAC key
	now     func() time.Time
	log     *slog.Logger
	known   Known
	used    lastUse

	changes atomic.Uint64 // incremented to invalidate the cache
}

// NewKeys returns a Keys with the options. Last uses of keys are stored only while [Keys.Run] runs.
func NewKeys(o KeysOptions) *Keys {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Keys{store: o.Store, tokens: o.Tokens, hashing: o.Installation.apiKeyHashing(), now: o.Now, log: o.Log}
}

// NewKey describes a key to create.
type NewKey struct {
	Workspace measure.WorkspaceID
	Name      string
	Scopes    []control.Scope // only measurement.read when empty
	Tools     []string        // allow-list; empty: all tools
	Lifetime  time.Duration   // [DefaultLifetime] when 0
	NoExpiry  bool            // the key is valid until it is revoked
}

// toolForm is the pattern of a valid tool name.
var toolForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Create creates a key on behalf of the caller actor and returns it with its secret, which is shown once.
func (k *Keys) Create(ctx context.Context, n NewKey, actor string) (Secret, control.Key, error) {
	key, err := k.described(n)
	if err != nil {
		return "", control.Key{}, err
	}
	secret := k.equip(&key)
	if err := k.store.CreateKey(ctx, key, control.By{Actor: actor, At: key.CreatedAt}); err != nil {
		return "", control.Key{}, err
	}
	return secret, key, nil
}

// described validates the description of a new key and fills in defaults.
func (k *Keys) described(n NewKey) (control.Key, error) {
	name, err := control.CheckedName(n.Name)
	if err != nil {
		return control.Key{}, err
	}
	scopes, err := control.ParseScopes(texts(n.Scopes))
	if err != nil {
		return control.Key{}, err
	}
	if len(scopes) == 0 {
		scopes = []control.Scope{control.ScopeRead}
	}
	for _, tool := range n.Tools {
		if !toolForm.MatchString(tool) {
			return control.Key{}, fault.Invalid("%q is not a tool name", tool)
		}
	}
	if n.Lifetime < 0 || n.Lifetime > maxLifetime {
		return control.Key{}, fault.Invalid("a key cannot be valid for %s", n.Lifetime).
			WithHint("use a lifetime of at most ten years, or no expiry")
	}
	key := control.Key{Workspace: n.Workspace, Name: name, Scopes: scopes, Tools: n.Tools, CreatedAt: k.instant()}
	if n.Lifetime == 0 {
		n.Lifetime = DefaultLifetime
	}
	if !n.NoExpiry {
		key.ExpiresAt = key.CreatedAt.Add(n.Lifetime)
	}
	return key, nil
}

// equip sets the key's ID and secret.
func (k *Keys) equip(key *control.Key) Secret {
	secret := NewSecret()
	key.ID = control.KeyID(strings.ToLower(rand.Text()[:idLen]))
	key.Hint = secret.Hint()
	key.Hash = k.hash(secret)
	return secret
}

// idLen is the length of a key ID: 60 bits, short enough to type.
const idLen = 12

func (k *Keys) hash(s Secret) []byte {
	mac := hmac.New(sha256.New, k.hashing)
	mac.Write([]byte(s))
	return mac.Sum(nil)
}

// List returns the workspace's keys, including revoked and expired keys, oldest first.
func (k *Keys) List(ctx context.Context, ws measure.WorkspaceID) ([]control.Key, error) {
	return k.store.Keys(ctx, ws)
}

// Revoke revokes the key permanently: immediately in this process, within [Staleness] in others. Revoking twice is
// not an error.
func (k *Keys) Revoke(ctx context.Context, id control.KeyID, actor string) (control.Key, error) {
	key, err := k.store.RevokeKey(ctx, id, control.By{Actor: actor, At: k.instant()})
	k.Invalidate()
	return key, err
}

// Rotate creates a successor with the same name, scopes, tools and lifetime, and its own ID and secret. The old key
// stays valid for the overlap, so that clients can change keys one by one. An overlap of 0 means [DefaultOverlap]. An
// invalid or already rotated key is a fault of kind conflict.
func (k *Keys) Rotate(ctx context.Context, id control.KeyID, overlap time.Duration, actor string) (Secret, control.Key, error) {
	if overlap == 0 {
		overlap = DefaultOverlap
	}
	if overlap < 0 {
		return "", control.Key{}, fault.Invalid("the overlap of %s is negative", overlap)
	}
	old, err := k.store.Key(ctx, id)
	if err != nil {
		return "", control.Key{}, err
	}
	next := control.Key{Workspace: old.Workspace, Name: old.Name, Scopes: old.Scopes, Tools: old.Tools, CreatedAt: k.instant()}
	if !old.ExpiresAt.IsZero() {
		next.ExpiresAt = next.CreatedAt.Add(old.ExpiresAt.Sub(old.CreatedAt))
	}
	secret := k.equip(&next)
	by := control.By{Actor: actor, At: next.CreatedAt}
	if err := k.store.ReplaceKey(ctx, id, next.CreatedAt.Add(overlap), next, by); err != nil {
		return "", control.Key{}, err
	}
	k.Invalidate()
	return secret, next, nil
}

// instant returns the current time in the store's precision.
func (k *Keys) instant() time.Time { return k.now().UTC().Truncate(time.Microsecond) }

// texts converts names to strings.
func texts[T ~string](names []T) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = string(name)
	}
	return out
}

// actorOf returns the name of a key as an actor in the audit log.
func actorOf(k control.Key) string { return fmt.Sprint("key:", k.ID) }
