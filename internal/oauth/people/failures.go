package people

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	freeFailures  = 5                // wrong passwords before anybody has to wait
	firstWait     = time.Second      // after the sixth; each further one doubles it
	longestWait   = 5 * time.Minute  // so that a stranger cannot shut the owner out for long
	forgiveAfter  = 30 * time.Minute // without a further failure
	maxRemembered = 100_000          // accounts; real ones and invented ones
)

// failures remembers how often a wrong password was given for an account, and makes the next try wait. It knows
// accounts by the hash of the address, whether they exist or not.
type failures struct {
	mu   sync.Mutex // guards seen
	seen map[[sha256.Size]byte]failure
}

type failure struct {
	count int
	last  time.Time
}

// admit counts one try and returns 0, or returns how long the account's next try has to wait. The try is counted
// before the password is looked at, so that many at once are no way around it; a right password ends the counting.
func (f *failures) admit(account [sha256.Size]byte, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.seen[account]
	if now.Sub(was.last) >= forgiveAfter {
		was.count = 0
	}
	if was.count > freeFailures {
		pause := min(firstWait<<min(was.count-freeFailures-1, 20), longestWait)
		if left := pause - now.Sub(was.last); left > 0 {
			return min(left, pause) // a clock that was set back makes nobody wait longer
		}
	}
	if f.seen == nil {
		f.seen = make(map[[sha256.Size]byte]failure)
	}
	if len(f.seen) >= maxRemembered {
		f.sweep(now)
	}
	f.seen[account] = failure{count: was.count + 1, last: now}
	return 0
}

// sweep forgets what is forgiven, and all when nothing is: then somebody invents addresses, which the limit for each
// network address slows down.
func (f *failures) sweep(now time.Time) {
	for account, was := range f.seen {
		if now.Sub(was.last) >= forgiveAfter {
			delete(f.seen, account)
		}
	}
	if len(f.seen) >= maxRemembered {
		clear(f.seen)
	}
}

// forget ends the counting after a right password.
func (f *failures) forget(account [sha256.Size]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.seen, account)
}
