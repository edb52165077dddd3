package mcp

import (
	"bytes"
	"encoding/json"
	"iter"
)

// The functions below read validated JSON text. They return every value as received, so an ID is returned unchanged.
// Names are case-sensitive, and duplicates are visible. In contrast, encoding/json ignores case and silently keeps the
// last of two members.

// members yields the decoded name and the encoded value of each member of a JSON object, in order.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		i := skipBlanks(object, 0) + 1
		for {
			i = skipBlanks(object, i)
			if object[i] == '}' {
				return
			}
			end := valueEnd(object, i)
			name := memberName(object[i:end])
			i = skipBlanks(object, end) + 1 // the colon
			i = skipBlanks(object, i)
			end = valueEnd(object, i)
			if !yield(name, object[i:end]) {
				return
			}
			i = skipBlanks(object, end)
			if object[i] == ',' {
				i++
			}
		}
	}
}

// elements yields the encoded elements of a JSON array with their positions.
func elements(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := skipBlanks(array, 0) + 1
		for n := 0; ; n++ {
			i = skipBlanks(array, i)
			if array[i] == ']' {
				return
			}
			end := valueEnd(array, i)
			if !yield(n, array[i:end]) {
				return
			}
			i = skipBlanks(array, end)
			if array[i] == ',' {
				i++
			}
		}
	}
}

// memberName decodes a quoted name. Almost all names have no escapes and need no allocation.
func memberName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	return []byte(text(quoted))
}

// text decodes a JSON string.
func text(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		panic("text of invalid JSON: " + err.Error())
	}
	return s
}

func skipBlanks(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// valueEnd returns the index after the value that starts at i.
func valueEnd(s []byte, i int) int {
	switch s[i] {
	case '"':
		return stringEnd(s, i)
	case '{', '[':
		return nestedEnd(s, i)
	}
	for i < len(s) && !endsNumber(s[i]) {
		i++
	}
	return i
}

// endsNumber reports whether the byte ends a number or a literal.
func endsNumber(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

func stringEnd(s []byte, i int) int {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func nestedEnd(s []byte, i int) int {
	for depth := 0; ; {
		switch s[i] {
		case '"':
			i = stringEnd(s, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
		if depth == 0 {
			return i
		}
	}
}

// kindOf returns the JSON type of a value, from its first byte.
func kindOf(value []byte) string {
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// isNull reports whether the value is absent or null, which are equivalent for optional parameters.
func isNull(value []byte) bool { return len(value) == 0 || value[0] == 'n' }
