package ads

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/internal/fault"
)

// maxCredentials is the maximum size of credentials in bytes, and maxMember is the maximum size of one member.
const (
	maxCredentials = 64 << 10
	maxMember      = 8 << 10
)

// Member is one value of a platform's credentials, such as a refresh token.
type Member struct {
	Name     string
	Required bool
	Into     *string
}

// ParseMembers reads credentials: one JSON object with strings as members. It rejects unknown, repeated, invalid and
// empty members, and missing required members. No error contains a value.
func ParseMembers(text []byte, members ...Member) error {
	found, err := objectOfStrings(text)
	if err != nil {
		return err
	}
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
		value, ok := found[m.Name]
		delete(found, m.Name)
		switch {
		case !ok && m.Required:
			return fault.Invalid("The credentials lack %q.", m.Name).WithHint("Required and optional members: %s.",
				describe(members))
		case ok && !usable(value):
			return fault.Invalid("The value of %q is not valid.", m.Name).
				WithHint("Copy the value again. It can have at most %d printable characters and no spaces.", maxMember)
		case ok:
			*m.Into = value
		}
	}
	for name := range found {
		return fault.Invalid("The credentials have an unknown member %q.", Clean(name, 60)).
			WithHint("Known members: %s.", strings.Join(names, ", "))
	}
	return nil
}

func describe(members []Member) string {
	var words []string
	for _, m := range members {
		word := m.Name
		if !m.Required {
			word += " (optional)"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// usable reports whether the value can be a token or an ID: visible ASCII characters, which are safe in a header.
func usable(value string) bool {
	visible := func(r rune) bool { return r > ' ' && r < 0x7f }
	return value != "" && len(value) <= maxMember && !strings.ContainsFunc(value, func(r rune) bool { return !visible(r) })
}

func objectOfStrings(text []byte) (map[string]string, error) {
	malformed := func(what string) error {
		return fault.Invalid("The credentials are not valid: %s.", what).
			WithHint("Send one JSON object with string members on standard input.")
	}
	if len(text) > maxCredentials {
		return nil, malformed("they are too long")
	}
	if !utf8.Valid(text) {
		return nil, malformed("they are not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, malformed("they are not a JSON object")
	}
	found := map[string]string{}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return nil, malformed("they are not a JSON object")
		}
		value, err := d.Token()
		text, ok := value.(string)
		if err != nil || !ok {
			return nil, malformed("member \"" + Clean(name, 60) + "\" is not a string")
		}
		if _, repeated := found[name]; repeated {
			return nil, malformed("member \"" + Clean(name, 60) + "\" is repeated")
		}
		found[name] = text
	}
	if _, err := d.Token(); err != nil {
		return nil, malformed("the JSON object is not closed")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, malformed("text follows the JSON object")
	}
	return found, nil
}

// AccountID returns an account ID as digits. It accepts the written forms act_123 and 123-456-7890.
func AccountID(member, text string) (string, error) {
	digits := strings.TrimPrefix(text, "act_")
	parts := strings.Split(digits, "-")
	if len(parts) == 3 && slices.EqualFunc(parts, []int{3, 3, 4}, func(p string, n int) bool { return len(p) == n }) {
		digits = strings.Join(parts, "")
	}
	if !IsNumber(digits, maxID) {
		return "", fault.Invalid("%q is not an account ID.",
			member).WithHint("Use the digits of the ID that the platform shows.")
	}
	return digits, nil
}
