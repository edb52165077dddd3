package auth

import (
	"crypto/sha256"
	"sync"
	"time"
)

// Known caches the principals of accepted credentials for a short time. Only accepted credentials are cached, up to
// maxKnown. The zero value is an empty cache. Its methods are safe for concurrent use.
//
// A cached principal belongs to a numbered state of the store. The caller reads the number before it reads the store,
// so a principal from before a change is never used after the change.
type Known struct {
	mu         sync.RWMutex // guards all below
	principals map[Digest]*PrincipalUntil
	state      uint64 // state to which the principals belong
}

const maxKnown = 10_000

// Digest identifies a credential in memory without disclosing it. Secrets are not stored, and comparing digests is safe
// against timing attacks.
type Digest [sha256.Size]byte

// PrincipalUntil is a principal with its expiry.
type PrincipalUntil struct {
	Principal
	Stale   time.Time // when the store must be read again
	Expires time.Time // when the credential ends; zero: never
}

// Find returns the principal of the credential, if it is cached for this state and still valid.
func (c *Known) Find(d Digest, now time.Time, state uint64) (Principal, bool) {
	c.mu.RLock()
	p := c.principals[d]
	current := c.state == state
	c.mu.RUnlock()
	if p == nil || !current || !now.Before(p.Stale) || !p.Expires.IsZero() && !now.Before(p.Expires) {
		return Principal{}, false
	}
	return p.Principal, true
}

// Keep caches a principal read in this state. It drops principals of other states.
func (c *Known) Keep(d Digest, p PrincipalUntil, state uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.principals == nil || c.state != state || len(c.principals) >= maxKnown {
		c.principals = make(map[Digest]*PrincipalUntil)
	}
	c.principals[d], c.state = &p, state
}
