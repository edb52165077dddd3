package people

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
)

// Secret is 256 random bits as text. Examples are the content of a session cookie and other values that are shown once
// and stored as a hash. Printing a Secret shows no content. The expression string(s) returns the content.
type Secret string

const secretBytes = 32

// NewSecret returns a new secret of 43 letters, digits, hyphens and underscores.
func NewSecret() Secret {
	chance := make([]byte, secretBytes)
	rand.Read(chance) // never fails: Go ends the program if the system has no randomness
	return Secret(base64.RawURLEncoding.EncodeToString(chance))
}

// Hash returns the SHA-256 hash of the secret, which the store contains instead of the secret. The hash needs no key,
// because 256 random bits cannot be guessed.
func (s Secret) Hash() []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// FormToken returns the CSRF token of a form. The token proves that the form was shown to the owner of the secret.
func (s Secret) FormToken(purpose string) string {
	mac := hmac.New(sha256.New, []byte(s))
	mac.Write([]byte("form " + purpose))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// AcceptsForm reports whether the token belongs to a form of that purpose shown to the owner of the secret. An empty
// secret accepts no token.
func (s Secret) AcceptsForm(purpose, token string) bool {
	return s != "" && hmac.Equal([]byte(s.FormToken(purpose)), []byte(token))
}

// String hides the secret.
func (s Secret) String() string { return "…" }

// GoString hides the secret.
func (s Secret) GoString() string { return "…" }

// LogValue hides the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue("…") }
