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

// Staleness is how long a result from the store is cached. After another process revokes a key or changes a workspace's
// settings, this process applies the change within that time.
const Staleness = 2 * time.Second

// Authenticate returns the principal of a bearer credential. Every unknown, malformed, expired or revoked credential
// gives the same fault of kind unauthenticated, so that the caller cannot distinguish the reasons. A credential that is
// not an API key is treated as a token. Without a token verifier, a token results in a fault of kind misconfigured.
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
	if p, ok := k.known.Find(digest, now, k.changes.Load()); ok {
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

// unauthenticated returns the error for every rejected credential.
func unauthenticated() error {
	return fault.New(fault.KindUnauthenticated, "the credential is not valid").
		WithHint("send a valid API key or access token as a bearer credential")
}

// lookUp reads the key from the store and caches the principal.
func (k *Keys) lookUp(ctx context.Context, secret Secret, digest Digest, now time.Time) (Principal, error) {
	state := k.changes.Load()
	hash := k.hash(secret)
	key, ws, err := k.store.KeyByHash(ctx, hash)
	if fault.KindOf(err) == fault.KindNotFound {
		return Principal{}, unauthenticated()
	}
	if err != nil {
		return Principal{}, err
	}
	if !hmac.Equal(key.Hash, hash) || !key.Valid(now) {
		k.log.DebugContext(ctx, "key refused", slog.String("key", string(key.ID)), slog.String("workspace", string(key.Workspace)))
		return Principal{}, unauthenticated()
	}
	p := Principal{Workspace: ws, Actor: actorOf(key), Kind: ByKey, Key: key.ID, Scopes: key.Scopes, Tools: key.Tools}
	k.known.Keep(digest, PrincipalUntil{Principal: p, Stale: now.Add(Staleness), Expires: key.ExpiresAt}, state)
	k.used.note(key, now)
	return p, nil
}

// Invalidate clears the cache, so the next request with each key reads the store. Call it after this process changes
// keys or the settings of a workspace.
func (k *Keys) Invalidate() { k.changes.Add(1) }

func digestOf(s Secret) Digest {
	var buf [keyLen]byte // a copy on the stack
	copy(buf[:], s)
	return sha256.Sum256(buf[:])
}

// lastUse collects the last uses of keys until they are written. A use is recorded when a key is looked up in the
// store. A key in use is looked up at least every two seconds, so the recorded minute is correct. A call with a cached
// principal records nothing.
type lastUse struct {
	mu      sync.Mutex // guards pending
	pending map[control.KeyID]time.Time
}

func (u *lastUse) note(k control.Key, now time.Time) {
	minute := now.UTC().Truncate(time.Minute)
	if !minute.After(k.LastUsed) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pending == nil {
		u.pending = make(map[control.KeyID]time.Time)
	}
	u.pending[k.ID] = minute
}

func (u *lastUse) take() map[control.KeyID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.pending
	u.pending = nil
	return taken
}

// putBack records the last uses again if they could not be written. Later uses take precedence.
func (u *lastUse) putBack(taken map[control.KeyID]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.Copy(taken, u.pending)
	u.pending = taken
}

// flushEvery is the interval between writes of last uses, and flushTimeout is the time limit of the write on shutdown.
const (
	flushEvery   = 30 * time.Second
	flushTimeout = 5 * time.Second
)

// Run writes the last uses of keys periodically, and once more when ctx ends. It returns nil.
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
		k.log.WarnContext(ctx, "last uses of keys not written", slog.Any("error", err))
		k.used.putBack(used)
	}
}
