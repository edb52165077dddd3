package auth

import (
	"crypto/sha256"
	"sync"
	"time"
)

// Known remembers for a short while who bears which credential. Only accepted credentials get in, so it is no larger
// than the number of credentials in use, up to maxKnown. The zero value is empty, and its methods may be called from
// many goroutines.
//
// What is remembered belongs to a state of the store, which has a number of its own for each. Who asks the store reads
// the number first, so that an answer from before a change is never taken for one from after it.
type Known struct {
	mu         sync.RWMutex // guards all below
	principals map[Digest]*PrincipalUntil
	state      uint64 // that the principals are from
}

const maxKnown = 10_000

// Digest identifies a credential in memory without being one: the secrets themselves are not kept, and comparing
// digests tells nothing about them.
type Digest [sha256.Size]byte

// PrincipalUntil is a principal with the ends of its use.
type PrincipalUntil struct {
	Principal
	Stale   time.Time // when the store has to be asked again
	Expires time.Time // when the credential ends; zero: never
}

// Find returns who bears the credential, if that is known in this state and counts now.
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

// Keep remembers an answer to a question that was asked in this state. All of other states is forgotten.
func (c *Known) Keep(d Digest, p PrincipalUntil, state uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.principals == nil || c.state != state || len(c.principals) >= maxKnown {
		c.principals = make(map[Digest]*PrincipalUntil)
	}
	c.principals[d], c.state = &p, state
}
