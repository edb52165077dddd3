package people

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	freeFailures  = 5                // wrong passwords before the first wait
	firstWait     = time.Second      // wait after the sixth failure; it doubles with each further failure
	longestWait   = 5 * time.Minute  // maximum wait, so that an attacker cannot lock the owner out for long
	forgiveAfter  = 30 * time.Minute // time without a failure after which the count is removed
	maxRemembered = 100_000          // maximum number of accounts with a count, existing or not
)

// failures counts wrong passwords per account and delays the next attempt. Accounts are identified by the hash of the
// email address, including addresses without an account.
type failures struct {
	mu   sync.Mutex // guards seen
	seen map[[sha256.Size]byte]failure
}

type failure struct {
	count int
	last  time.Time
}

// admit counts one attempt and returns 0, or returns the time until the account's next attempt. The attempt is counted
// before the password is checked, so concurrent attempts cannot bypass the limit. A correct password resets the count.
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
			return min(left, pause) // setting the clock back does not extend the wait
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

// sweep removes expired counts. If there are still too many counts, it removes all of them. Such a large number of
// counts means that someone is trying many accounts. The limit per IP address slows down these attempts.
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

// forget resets an account's count of wrong passwords after a correct password.
func (f *failures) forget(account [sha256.Size]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.seen, account)
}
