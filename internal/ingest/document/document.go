// Package document reads JSON in bulk, such as records of Singer taps and bodies of webhooks. It reads member by member
// and builds no values. [Object.Check] and [encoding/json.Valid] check untrusted text. All other functions require
// valid JSON and return no errors.
//
// Results share memory with the text. A caller that stores part of a large text must clone it.
package document

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Value is the text of a JSON value, or "" for a missing value.
type Value string

// Object is a JSON object.
type Object struct {
	hashes  []uint32 // hashes of the members' names; most different names have different hashes
	some    uint64   // a bit per hash, by the hash's lowest bits; most missing names have no bit set
	members []member
}

type member struct {
	name  string // without quotes and escapes
	value Value
}

// Read reads the members of a value. A value that is not an object has no members.
func (o *Object) Read(v Value) {
	o.clear()
	for name, value := range v.members {
		o.add(name, value)
	}
}

func (o *Object) clear() { o.hashes, o.some, o.members = o.hashes[:0], 0, o.members[:0] }

func (o *Object) add(name string, value Value) {
	h := hash(name)
	o.hashes = append(o.hashes, h)
	o.some |= 1 << (h % 64)
	o.members = append(o.members, member{name, value})
}

// hash returns a hash of a name's length and four of its characters.
func hash(name string) uint32 {
	n := len(name)
	if n == 0 {
		return 0
	}
	return uint32(n)<<24 ^ uint32(name[0])<<16 ^ uint32(name[n/2])<<8 ^ uint32(name[n-1]) ^ uint32(name[n*2/3])<<20
}

// Len returns the number of members.
func (o *Object) Len() int { return len(o.members) }

// Get returns the member's value, or "" if it is missing. If a name repeats, the last member counts.
func (o *Object) Get(name string) Value {
	wanted := hash(name)
	if o.some&(1<<(wanted%64)) == 0 {
		return ""
	}
	for i, h := range slices.Backward(o.hashes) {
		if h == wanted && o.members[i].name == name {
			return o.members[i].value
		}
	}
	return ""
}

// First returns the value of the first name that is present and not null, or "" if there is none.
func (o *Object) First(names ...string) Value {
	for _, name := range names {
		if v := o.Get(name); !v.Missing() {
			return v
		}
	}
	return ""
}

// Names yields the names of the members in their order.
func (o *Object) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range o.members {
			if !yield(o.members[i].name) {
				return
			}
		}
	}
}

// Missing reports whether the value is missing or null.
func (v Value) Missing() bool { return v == "" || v[0] == 'n' }

// Text returns a string's content, a number in decimal digits, "true" or "false", and "" for all other values.
func (v Value) Text() string {
	if v == "" {
		return ""
	}
	switch c := v[0]; {
	case c == '"':
		return content(string(v))
	case c == '-' || c >= '0' && c <= '9':
		return digits(string(v))
	case c == 't' || c == 'f':
		return string(v)
	}
	return ""
}

// Path returns the value at a path of names, or "" if it does not exist.
func (v Value) Path(names ...string) Value {
	for _, wanted := range names {
		var found Value
		for name, value := range v.members {
			if name == wanted {
				found = value
			}
		}
		if v = found; v == "" {
			return ""
		}
	}
	return v
}

// members yields the members of an object. It yields nothing for any other value.
func (v Value) members(yield func(string, Value) bool) {
	text := string(v)
	at := skipBlank(text, 0)
	if at >= len(text) || text[at] != '{' {
		return
	}
	for at = skipBlank(text, at+1); at < len(text) && text[at] == '"'; at = skipBlank(text, at) {
		end := stringEnd(text, at)
		name := content(text[at:end])
		at = skipBlank(text, skipBlank(text, end)+1) // after the colon
		end = valueEnd(text, at)
		if !yield(name, v[at:end]) {
			return
		}
		if at = skipBlank(text, end); at < len(text) && text[at] == ',' {
			at++
		}
	}
}

// Elements yields the elements of an array. It yields nothing for any other value.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		text := string(v)
		if text == "" || text[0] != '[' {
			return
		}
		for at := skipBlank(text, 1); at < len(text) && text[at] != ']'; at = skipBlank(text, at) {
			end := valueEnd(text, at)
			if !yield(v[at:end]) {
				return
			}
			if at = skipBlank(text, end); at < len(text) && text[at] == ',' {
				at++
			}
		}
	}
}

// digits returns a number in decimal digits, without an exponent.
func digits(number string) string {
	if strings.ContainsAny(number, "eE") {
		if f, err := strconv.ParseFloat(number, 64); err == nil {
			return strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return number
}

// content returns the text between the quotes, with escapes decoded. As in encoding/json, each byte that is not UTF-8
// becomes U+FFFD. ASCII text without escapes shares memory with the input.
func content(quoted string) string {
	plain := quoted[1 : len(quoted)-1]
	for i := range len(plain) {
		if c := plain[i]; c == '\\' || c >= 0x80 {
			return decoded(quoted)
		}
	}
	return plain
}

func decoded(quoted string) string {
	var text string
	if json.Unmarshal([]byte(quoted), &text) != nil {
		return ""
	}
	return text
}

func skipBlank(text string, at int) int {
	for at < len(text) && isBlank(text[at]) {
		at++
	}
	return at
}

func isBlank(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r') }

// stringEnd returns the offset after the string that starts at a quote.
func stringEnd(text string, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// valueEnd returns the offset after the value that starts at the offset at.
func valueEnd(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	switch text[at] {
	case '"':
		return stringEnd(text, at)
	case '{', '[':
		for depth := 0; at < len(text); at++ {
			switch text[at] {
			case '"':
				at = stringEnd(text, at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
		return len(text)
	}
	for at < len(text) && !isEnd(text[at]) {
		at++
	}
	return at
}

func isEnd(c byte) bool { return c == ',' || c == '}' || c == ']' || isBlank(c) }
