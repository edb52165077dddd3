package ads

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// Secret is a text that no verb of fmt, no logger and no encoder shows. Reveal returns the text.
type Secret struct {
	text *string // a pointer, so that printing an enclosing value shows an address
}

// hidden replaces secrets in texts.
const hidden = "[secret]"

// NewSecret returns the text as a secret.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Set reports whether the secret is not empty.
func (s Secret) Set() bool { return s.Reveal() != "" }

// Format implements [fmt.Formatter]. It covers every verb, with or without flags.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) }

// String implements [fmt.Stringer].
func (s Secret) String() string { return hidden }

// GoString implements [fmt.GoStringer].
func (s Secret) GoString() string { return hidden }

// LogValue implements [slog.LogValuer].
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText prevents encoders from printing the text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Redact replaces the secrets in a text, including URL-encoded secrets. Platforms repeat a malformed token or request
// in their messages.
func Redact(text string, secrets ...Secret) string {
	for _, s := range secrets {
		if s.Set() {
			text = strings.ReplaceAll(text, s.Reveal(), hidden)
			text = strings.ReplaceAll(text, url.QueryEscape(s.Reveal()), hidden)
		}
	}
	return text
}
