package source

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strings"

	"assay/internal/warehouse"
)

// Customers converts email addresses, phone numbers and customer IDs to keyed hashes. The same email address, phone
// number or ID has the same hash in every source of a workspace. Without the key, the hash reveals nothing.
type Customers struct {
	mac  hash.Hash
	text []byte // buffer for the address, then its hash; avoids an allocation per order
	sum  []byte
}

// hashBytes is the number of stored bytes of the HMAC-SHA256. Among ten million customers, the probability of a
// collision in 72 bits is about one in a hundred million. The Base64 text of twelve characters fits into a database's
// inline strings.
const hashBytes = 9

// NewCustomers returns a converter with the key.
func NewCustomers(key []byte) *Customers {
	return &Customers{mac: hmac.New(sha256.New, key)}
}

// Hash returns the keyed hash of an email address or ID, ignoring case and surrounding spaces. It returns "" for an
// empty text.
func (c *Customers) Hash(id string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	if id == "" {
		return ""
	}
	c.mac.Reset()
	c.text = append(c.text[:0], id...)
	c.mac.Write(c.text)
	c.sum = c.mac.Sum(c.sum[:0])
	c.text = base64.RawURLEncoding.AppendEncode(c.text[:0], c.sum[:hashBytes])
	return string(c.text)
}

// HashPhone returns the hash of a phone number's digits, ignoring punctuation. It returns "" for placeholder numbers:
// fewer than six digits, or one repeated digit.
func (c *Customers) HashPhone(number string) string {
	digits := strings.Map(digit, number)
	if len(digits) < leastDigits || strings.Trim(digits, digits[:1]) == "" {
		return ""
	}
	return c.Hash(digits)
}

const leastDigits = 6 // minimum number of digits of a phone number

// ConsentOf reads a consent in the terms of shops and mailing tools. The result ok is false for an unknown word.
func ConsentOf(text string) (consent warehouse.Consent, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "yes", "true", "1", "y", "subscribed", "opted_in", "opted in":
		return warehouse.Consented, true
	case "no", "false", "0", "n", "unsubscribed", "not_subscribed", "never_subscribed", "never subscribed", "not subscribed", "opted_out", "opted out":
		return warehouse.Refused, true
	case "", "unknown", "pending", "invalid", "redacted", "n/a", "null":
		return warehouse.ConsentUnknown, true
	}
	return warehouse.ConsentUnknown, false
}

// Hashes returns all hashes that may identify a customer with the email address, phone number or ID. There are several
// hashes, because a phone number has several notations. Hashes returns nil for "".
func (c *Customers) Hashes(id string) []string {
	id = strings.TrimSpace(id)
	if id == "" {
		return nil
	}
	hashes := []string{c.Hash(id)}
	if digits := strings.Map(digit, id); strings.Trim(id, "+0123456789 ()-./") == "" && digits != "" {
		for _, spelling := range []string{digits, "+" + digits} {
			if spelling != id {
				hashes = append(hashes, c.Hash(spelling))
			}
		}
	}
	return hashes
}

func digit(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}
