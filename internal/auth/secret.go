package auth

import (
	"crypto/rand"
	"hash/crc32"
	"log/slog"
	"strings"
)

// KeyPrefix is the prefix of every API key. A bearer token without this prefix is not an API key.
const KeyPrefix = "asy_"

const (
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	secretLen   = 30 // random characters: 178 bits
	checksumLen = 6  // 62^6 is more than 2^32
	hintLen     = 4
	keyLen      = len(KeyPrefix) + secretLen + checksumLen
)

// Secret is an API key in plain text. It consists of "asy_", 30 random base62 characters, and 6 characters with their
// CRC32 (IEEE) checksum. The checksum lets source-code scanners recognize leaked keys. It also rejects a mistyped key
// without a look-up. Printing a Secret shows only its prefix and hint. The expression string(s) returns the whole key.
type Secret string

// NewSecret returns a new key.
func NewSecret() Secret {
	var b strings.Builder
	b.WriteString(KeyPrefix)
	var chance [secretLen]byte
	for b.Len() < len(KeyPrefix)+secretLen {
		rand.Read(chance[:]) // never fails: Go ends the program if the system has no randomness
		for _, c := range chance {
			// Draw again for 62 and 63. Otherwise 0 and 1 would be twice as likely.
			if c &= 63; c < 62 && b.Len() < len(KeyPrefix)+secretLen {
				b.WriteByte(base62[c])
			}
		}
	}
	sum := checksum(b.String()[len(KeyPrefix):])
	b.Write(sum[:])
	return Secret(b.String())
}

// ParseKey returns the text as a key, and ok = false if its form or checksum is wrong.
func ParseKey(text string) (s Secret, ok bool) {
	if len(text) != keyLen || !strings.HasPrefix(text, KeyPrefix) {
		return "", false
	}
	chance, sum := text[len(KeyPrefix):keyLen-checksumLen], text[keyLen-checksumLen:]
	for i := range len(chance) {
		if !isBase62(chance[i]) {
			return "", false
		}
	}
	if want := checksum(chance); sum != string(want[:]) {
		return "", false
	}
	return Secret(text), true
}

// Hint returns the first random characters, which identify the key.
func (s Secret) Hint() string { return string(s[len(KeyPrefix) : len(KeyPrefix)+hintLen]) }

// String returns the prefix and hint of the key.
func (s Secret) String() string {
	if len(s) != keyLen {
		return KeyPrefix + "…"
	}
	return KeyPrefix + s.Hint() + "…"
}

// GoString returns the prefix and hint of the key.
func (s Secret) GoString() string { return s.String() }

// LogValue returns the prefix and hint of the key.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// checksum returns the CRC32 of the text in base62, padded with '0' on the left. It computes the CRC from the string
// directly, because crc32.ChecksumIEEE would need a copy on the heap. Every request checks a key.
func checksum(text string) (digits [checksumLen]byte) {
	sum := ^uint32(0)
	for i := range len(text) {
		sum = crc32.IEEETable[byte(sum)^text[i]] ^ sum>>8
	}
	sum = ^sum
	for i := checksumLen - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return digits
}

func isBase62(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
