package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
)

// Staleness is how long an answer of the store is trusted. It bounds how long a key that another process revoked
// still works here, and how late changed settings of a workspace are seen.
const Staleness = 2 * time.Second

// Authenticate returns who sends the bearer credential. Every credential that is not accepted (unknown, malformed,
// expired or revoked) gives the same fault of kind unauthenticated: a caller learns nothing from the difference. A
// credential that is no API key is a token; without a verifier for tokens it is a fault of kind misconfigured.
func (k *Keys) Authenticate(ctx context.Context, bearer string) (Principal, error) {
	if !strings.HasPrefix(bearer, KeyPrefix) {
		return k.verify(ctx, bearer)
	}
	secret, ok := ParseKey(bearer)
	if !ok {
		return Principal{}, unauthenticated()
	}
	now := k.now()
	digest := digestOf(secret)
	if p, ok := k.known.find(digest, now); ok {
		return p, nil
	}
	return k.lookUp(ctx, secret, digest, now)
}

func (k *Keys) verify(ctx context.Context, bearer string) (Principal, error) {
	if bearer == "" {
		return Principal{}, unauthenticated()
	}
	if k.tokens == nil {
		return Principal{}, fault.New(fault.KindMisconfigured, "access tokens cannot be verified: no signing secret is configured").
			WithHint("set ASSAY_OAUTH_SECRET, or use an API key")
	}
	return k.tokens.Verify(ctx, bearer)
}

// unauthenticated is the one answer to every credential that is not accepted.
func unauthenticated() error {
	return fault.New(fault.KindUnauthenticated, "the credential is not valid").
		WithHint("send a valid API key or access token as a bearer credential")
}

// lookUp asks the store and remembers the answer when it is a principal.
func (k *Keys) lookUp(ctx context.Context, secret Secret, digest digest, now time.Time) (Principal, error) {
	generation := k.known.current()
	hash := k.hash(secret)
	key, ws, err := k.store.KeyByHash(ctx, hash)
	if fault.KindOf(err) == fault.KindNotFound {
		return Principal{}, unauthenticated()
	}
	if err != nil {
		return Principal{}, err
	}
	if !hmac.Equal(key.Hash, hash) || !key.Valid(now) {
		k.log.DebugContext(ctx, "key refused", slog.String("key", key.ID), slog.String("workspace", string(key.Workspace)))
		return Principal{}, unauthenticated()
	}
	p := Principal{Workspace: ws, Actor: actorOf(key), Kind: ByKey, Scopes: key.Scopes, Tools: key.Tools}
	k.known.keep(digest, principalUntil{Principal: p, stale: now.Add(Staleness), expires: key.ExpiresAt}, generation)
	k.used.note(key, now)
	return p, nil
}

// Invalidate forgets what was read from the store. The next call of each key asks again. It is called after a
// change of keys or of a workspace's settings in this process.
func (k *Keys) Invalidate() { k.known.forget() }

// digest identifies a key in memory without being one: the secrets themselves are not kept, and comparing digests
// tells nothing about them.
type digest [sha256.Size]byte

func digestOf(s Secret) digest {
	var buf [keyLen]byte // a copy on the stack
	copy(buf[:], s)
	return sha256.Sum256(buf[:])
}

// principalUntil is a principal with the ends of its use.
type principalUntil struct {
	Principal
	stale   time.Time // when the store has to be asked again
	expires time.Time // when the key ends; zero: never
}

// known remembers for a short while who bears which key. Only valid keys get in, so it is no larger than the
// number of keys in use, up to maxKnown.
type known struct {
	mu         sync.RWMutex // guards all below
	principals map[digest]*principalUntil
	generation uint64 // rises when everything is forgotten
}

const maxKnown = 10_000

func (c *known) find(d digest, now time.Time) (Principal, bool) {
	c.mu.RLock()
	p := c.principals[d]
	c.mu.RUnlock()
	if p == nil || !now.Before(p.stale) || !p.expires.IsZero() && !now.Before(p.expires) {
		return Principal{}, false
	}
	return p.Principal, true
}

// current returns the generation that an answer read from now on belongs to.
func (c *known) current() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.generation
}

// keep remembers an answer, unless everything was forgotten since it was asked for: it may be from before the
// change.
func (c *known) keep(d digest, p principalUntil, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return
	}
	if c.principals == nil || len(c.principals) >= maxKnown {
		c.principals = make(map[digest]*principalUntil)
	}
	c.principals[d] = &p
}

func (c *known) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.principals = nil
	c.generation++
}

// lastUse collects when keys were used until the store is told. Uses are noted when the store is asked for a key,
// which happens every two seconds at least, so calls in between cost nothing and the minute is right.
type lastUse struct {
	mu      sync.Mutex // guards pending
	pending map[string]time.Time
}

func (u *lastUse) note(k control.Key, now time.Time) {
	minute := now.UTC().Truncate(time.Minute)
	if !minute.After(k.LastUsed) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pending == nil {
		u.pending = make(map[string]time.Time)
	}
	u.pending[k.ID] = minute
}

func (u *lastUse) take() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.pending
	u.pending = nil
	return taken
}

// putBack returns what could not be kept, unless there is something later.
func (u *lastUse) putBack(taken map[string]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.Copy(taken, u.pending)
	u.pending = taken
}

// flushEvery is how often last uses are written, and flushTimeout how long that may take at the end.
const (
	flushEvery   = 30 * time.Second
	flushTimeout = 5 * time.Second
)

// Run writes the last uses of keys to the store from time to time, and once more when ctx ends. It returns nil.
func (k *Keys) Run(ctx context.Context) error {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			k.flush(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
			defer cancel()
			k.flush(last)
			return nil
		}
	}
}

func (k *Keys) flush(ctx context.Context) {
	used := k.used.take()
	if len(used) == 0 {
		return
	}
	if err := k.store.TouchKeys(ctx, used); err != nil {
		k.log.WarnContext(ctx, "last uses of keys are not kept yet", slog.Any("error", err))
		k.used.putBack(used)
	}
}
