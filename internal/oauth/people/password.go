package people

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"assay/internal/fault"
)

// strength contains the parameters of Argon2id (RFC 9106). The current parameters are the minimum that OWASP's Password
// Storage Cheat Sheet recommends. A hash takes about 26 ms on one core.
type strength struct {
	kibibytes uint32
	passes    uint32
	lanes     uint8
}

var current = strength{kibibytes: 19 << 10, passes: 2, lanes: 1}

const (
	saltLen = 16
	hashLen = 32

	minPasswordLen = 12   // characters
	maxPasswordLen = 1024 // bytes; limits the hashing time
)

// unknownUser is the hash for a sign-in without an account, so that a wrong email address takes as long as a wrong
// password. No password has this hash.
var unknownUser = encode(current, make([]byte, saltLen), make([]byte, hashLen))

// hash returns the hash of a new password in PHC format. A password that is too short or too long is a fault of kind
// invalid.
func (p *People) hash(ctx context.Context, password string) (string, error) {
	switch {
	case utf8.RuneCountInString(password) < minPasswordLen:
		return "", fault.Invalid("the password is too short; use at least %d characters", minPasswordLen)
	case len(password) > maxPasswordLen:
		return "", fault.Invalid("the password is too long; use at most %d bytes", maxPasswordLen)
	}
	return p.hashAnew(ctx, password)
}

func (p *People) hashAnew(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLen)
	rand.Read(salt) // never fails: Go ends the program if the system has no randomness
	sum, err := p.derive(ctx, password, salt, current)
	if err != nil {
		return "", err
	}
	return encode(current, salt, sum), nil
}

// matches reports whether the password has the hash. It waits for a free hashing slot.
func (p *People) matches(ctx context.Context, hash, password string) (bool, error) {
	s, salt, want, err := decode(hash)
	if err != nil {
		return false, err
	}
	if len(password) > maxPasswordLen {
		return false, nil
	}
	got, err := p.derive(ctx, password, salt, s)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

// restFactor is the idle time of a slot as a multiple of its hashing time.
const restFactor = 3

// derive hashes a password in one of a few slots. Afterwards the slot is idle for restFactor times the hashing time,
// which limits the load of sign-in attempts.
func (p *People) derive(ctx context.Context, password string, salt []byte, s strength) ([]byte, error) {
	if err := p.takePlace(ctx); err != nil {
		return nil, err
	}
	began := p.now()
	defer func() {
		ended := p.now()
		p.hashing <- ended.Add(restFactor * ended.Sub(began))
	}()
	return argon2.IDKey([]byte(password), salt, s.passes, s.kibibytes, s.lanes, hashLen), nil
}

// longestRest is the maximum wait between two hashes. The limit applies if the system clock was set back.
const longestRest = time.Second

func (p *People) takePlace(ctx context.Context) error {
	var rested time.Time
	select {
	case rested = <-p.hashing:
	case <-ctx.Done():
		return ctx.Err()
	}
	left := time.NewTimer(min(rested.Sub(p.now()), longestRest))
	defer left.Stop()
	select {
	case <-left.C:
		return nil
	case <-ctx.Done():
		p.hashing <- rested
		return ctx.Err()
	}
}

// encode writes the PHC string format: $argon2id$v=19$m=…,t=…,p=…$salt$hash.
func encode(s strength, salt, sum []byte) string {
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, s.kibibytes, s.passes, s.lanes, text(salt), text(sum))
}

func decode(hash string) (s strength, salt, sum []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprint("v=", argon2.Version) {
		return s, nil, nil, fmt.Errorf("hash of a password: unknown form")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &s.kibibytes, &s.passes, &s.lanes); err != nil {
		return s, nil, nil, fmt.Errorf("hash of a password: parameters: %w", err)
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return s, nil, nil, fmt.Errorf("hash of a password: salt: %w", err)
	}
	if sum, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(sum) != hashLen {
		return s, nil, nil, fmt.Errorf("hash of a password: %d bytes: %w", len(sum), err)
	}
	return s, salt, sum, nil
}

// isCurrent reports whether the hash has the current parameters.
func isCurrent(hash string) bool {
	s, _, _, err := decode(hash)
	return err == nil && s == current
}
