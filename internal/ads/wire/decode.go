package wire

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of a reply.
const maxDepth = 48

// Decode reads a reply: one JSON value, not nested too deeply.
func Decode(body []byte, into any) error {
	if !shallow(body) {
		return errors.New("the reply is nested too deeply")
	}
	return json.Unmarshal(body, into)
}

// shallow reports whether brackets outside of strings are nested at most maxDepth levels deep.
func shallow(body []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return true
}

// Int is a whole number that a platform writes as a number or as a string. An absent number is 0.
type Int int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Int) UnmarshalJSON(text []byte) error {
	plain := strings.Trim(string(text), `"`)
	if plain == "null" || plain == "" {
		return nil
	}
	value, err := strconv.ParseInt(plain, 10, 64)
	if err != nil {
		whole, ferr := strconv.ParseFloat(plain, 64)
		if ferr != nil || whole != math.Trunc(whole) || math.Abs(whole) > 1<<53 {
			return err
		}
		value = int64(whole)
	}
	*n = Int(value)
	return nil
}

// Text is a text that a platform may also write as a number.
type Text string

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Text) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	if text[0] != '"' {
		var number json.Number
		if err := json.Unmarshal(text, &number); err != nil {
			return err
		}
		*s = Text(number)
		return nil
	}
	var plain string
	if err := json.Unmarshal(text, &plain); err != nil {
		return err
	}
	*s = Text(plain)
	return nil
}
