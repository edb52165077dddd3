// Package document reads JSON that arrives in bulk, member by member and without building values: the records of a
// tap, the body of a webhook. It expects text that [encoding/json.Valid] accepts, and nothing in it fails.
package document

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Value is the text of one JSON value.
type Value []byte

// Object is a JSON object. Its members share the text that they were read from.
type Object struct{ members []member }

type member struct {
	name  []byte // without quotes and escapes
	value Value
}

// Read makes the object hold the members of a value, and none when it is no object.
func (o *Object) Read(v Value) {
	o.members = o.members[:0]
	for m := range v.members {
		o.members = append(o.members, m)
	}
}

// Len returns how many members the object has.
func (o *Object) Len() int { return len(o.members) }

// Get returns the member's value, nil when there is none. Of members with the same name the last one counts.
func (o *Object) Get(name string) Value {
	for _, m := range slices.Backward(o.members) {
		if string(m.name) == name {
			return m.value
		}
	}
	return nil
}

// First returns the value of the first of the names that is there and not null, nil when none is.
func (o *Object) First(names ...string) Value {
	for _, name := range names {
		if v := o.Get(name); !v.Missing() {
			return v
		}
	}
	return nil
}

// Names yields the members' names in their order.
func (o *Object) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range o.members {
			if !yield(string(m.name)) {
				return
			}
		}
	}
}

// Missing reports whether there is no value, or null.
func (v Value) Missing() bool { return len(v) == 0 || v[0] == 'n' }

// Text returns a string's content, a number in decimal digits, "true" or "false". It is "" for everything else.
func (v Value) Text() string {
	if len(v) == 0 {
		return ""
	}
	switch c := v[0]; {
	case c == '"':
		return string(content(v))
	case c == '-' || c >= '0' && c <= '9':
		return digits(string(v))
	case c == 't' || c == 'f':
		return string(v)
	}
	return ""
}

// Path returns the value at the end of a path of names, nil when it leads nowhere.
func (v Value) Path(names ...string) Value {
	for _, name := range names {
		var found Value
		for m := range v.members {
			if string(m.name) == name {
				found = m.value
			}
		}
		if v = found; v == nil {
			return nil
		}
	}
	return v
}

// members yields what an object holds, and nothing of any other value.
func (v Value) members(yield func(member) bool) {
	at := skipBlank(v, 0)
	if at >= len(v) || v[at] != '{' {
		return
	}
	for at = skipBlank(v, at+1); at < len(v) && v[at] == '"'; at = skipBlank(v, at) {
		end := stringEnd(v, at)
		name := content(v[at:end])
		at = skipBlank(v, skipBlank(v, end)+1) // over the colon
		end = valueEnd(v, at)
		if !yield(member{name, v[at:end:end]}) {
			return
		}
		if at = skipBlank(v, end); at < len(v) && v[at] == ',' {
			at++
		}
	}
}

// Elements yields the elements of an array, and none of anything else.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if len(v) == 0 || v[0] != '[' {
			return
		}
		for at := skipBlank(v, 1); at < len(v) && v[at] != ']'; at = skipBlank(v, at) {
			end := valueEnd(v, at)
			if !yield(v[at:end:end]) {
				return
			}
			if at = skipBlank(v, end); at < len(v) && v[at] == ',' {
				at++
			}
		}
	}
}

// digits writes numbers with an exponent without one.
func digits(number string) string {
	for i := range len(number) {
		if number[i] != 'e' && number[i] != 'E' {
			continue
		}
		if f, err := strconv.ParseFloat(number, 64); err == nil {
			return strconv.FormatFloat(f, 'f', -1, 64)
		}
		break
	}
	return number
}

// content returns what stands between the quotes, without escapes and, as in encoding/json, with U+FFFD for each byte
// that is not UTF-8. Text that needs neither is shared.
func content(quoted []byte) []byte {
	if plain := quoted[1 : len(quoted)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return plain
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return nil
	}
	return []byte(text)
}

func skipBlank(v []byte, at int) int {
	for at < len(v) && (v[at] == ' ' || v[at] == '\t' || v[at] == '\n' || v[at] == '\r') {
		at++
	}
	return at
}

// stringEnd returns the place behind the string that starts at a quote.
func stringEnd(v []byte, at int) int {
	for at++; at < len(v); at++ {
		switch v[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(v)
}

// valueEnd returns the place behind the value that starts at at.
func valueEnd(v []byte, at int) int {
	if at >= len(v) {
		return len(v)
	}
	switch v[at] {
	case '"':
		return stringEnd(v, at)
	case '{', '[':
		for depth := 0; at < len(v); at++ {
			switch v[at] {
			case '"':
				at = stringEnd(v, at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
		return len(v)
	}
	for at < len(v) && !isEnd(v[at]) {
		at++
	}
	return at
}

func isEnd(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\n' || c == '\r'
}
