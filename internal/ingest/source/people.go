package source

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strings"

	"assay/internal/warehouse"
)

// Customers turns mail addresses and customers' ids into keyed hashes. The same person gets the same hash from
// every source of a workspace, and the hash tells nothing without the key.
type Customers struct {
	mac  hash.Hash
	text []byte // the address, then its hash: kept to spare an allocation per order
	sum  []byte
}

// hashBytes is how much of the HMAC-SHA256 is kept. Of ten million customers two share 72 bits with a chance of one in a
// hundred million, and twelve characters are what a database holds, compares and groups without looking elsewhere.
const hashBytes = 9

// NewCustomers returns hashes under the key.
func NewCustomers(key []byte) *Customers {
	return &Customers{mac: hmac.New(sha256.New, key)}
}

// Hash returns the hash of an address or id, with case and surrounding blanks left out of account, and "" for "".
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

// HashPhone returns the hash of a telephone number's digits, however they are set apart, and "" for what is no number of
// anybody: fewer than six digits, or one digit over and over, as forms are filled in that ask for one.
func (c *Customers) HashPhone(number string) string {
	digits := strings.Map(digit, number)
	if len(digits) < leastDigits || strings.Trim(digits, digits[:1]) == "" {
		return ""
	}
	return c.Hash(digits)
}

const leastDigits = 6 // of a telephone number

// ConsentOf reads a consent as shops and mailing tools write it; ok is false for a word that none of them uses.
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

// Hashes returns the hashes under which somebody may be known who is named by an address, a telephone number or an id: a
// number is written in many ways. It returns none for "".
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
