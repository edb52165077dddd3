package auth

import (
	"crypto/rand"
	"hash/crc32"
	"log/slog"
	"strings"
)

// KeyPrefix is how every API key begins. A bearer that begins otherwise is no API key.
const KeyPrefix = "asy_"

const (
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	secretLen   = 30 // characters of chance: 178 bits
	checksumLen = 6  // 62^6 is more than 2^32
	hintLen     = 4
	keyLen      = len(KeyPrefix) + secretLen + checksumLen
)

// Secret is a whole API key: "asy_", 30 base62 characters of chance, and 6 of checksum, which is the CRC32 (IEEE)
// of the 30. The checksum lets scanners of source code tell a leaked key from a text that looks like one, and
// refuses a mistyped key without a look-up. A Secret does not print itself; string(s) does.
type Secret string

// NewSecret returns a new key.
func NewSecret() Secret {
	var b strings.Builder
	b.WriteString(KeyPrefix)
	var chance [secretLen]byte
	for b.Len() < len(KeyPrefix)+secretLen {
		rand.Read(chance[:]) // never fails: the program ends when the system has no randomness
		for _, c := range chance {
			if c &= 63; c < 62 && b.Len() < len(KeyPrefix)+secretLen { // 62 and 63 are drawn again, or 0 and 1 would come twice as often
				b.WriteByte(base62[c])
			}
		}
	}
	sum := checksum(b.String()[len(KeyPrefix):])
	b.Write(sum[:])
	return Secret(b.String())
}

// ParseKey returns the text as a key, and ok = false when its form or its checksum is not that of a key.
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

// Hint returns the first characters of chance, by which people tell keys apart.
func (s Secret) Hint() string { return string(s[len(KeyPrefix) : len(KeyPrefix)+hintLen]) }

// String returns the beginning of the key only.
func (s Secret) String() string {
	if len(s) != keyLen {
		return KeyPrefix + "…"
	}
	return KeyPrefix + s.Hint() + "…"
}

// GoString returns the beginning of the key only.
func (s Secret) GoString() string { return s.String() }

// LogValue returns the beginning of the key only.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// checksum returns the CRC32 of the text in base62, padded with '0' on the left. The sum is taken over the string
// itself: every call checks a key, and crc32.ChecksumIEEE would need a copy on the heap.
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
