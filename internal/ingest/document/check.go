package document

// deepest is the maximum nesting of objects and arrays, as in encoding/json.
const deepest = 10_000

// Check reads the members of an untrusted text into the object and reports whether the text is JSON. The result equals
// the result of [encoding/json.Valid]. In the same pass, it reads the nested object with the name inner into a second
// object, the parameter into. The second object is empty if the nested object is missing or not an object. If the text
// is not JSON, the content of both objects is undefined.
func (o *Object) Check(text, inner string, into *Object) bool {
	o.clear()
	into.clear()
	c := check{text: text, outer: o, name: inner, inner: into}
	end := c.value(skipBlank(text, 0), 0, o)
	return end >= 0 && skipBlank(text, end) == len(text)
}

// check reads a text once. Each method returns the offset after the part that it read, or -1 if the text is not JSON.
type check struct {
	text         string
	outer, inner *Object
	name         string
}

// value reads a value at a nesting depth. If the value is an object and into is not nil, it adds the members to into.
func (c *check) value(at, depth int, into *Object) int {
	if at >= len(c.text) {
		return -1
	}
	switch b := c.text[at]; {
	case b == '"':
		end, _ := c.quoted(at)
		return end
	case b == '-' || b >= '0' && b <= '9':
		return c.number(at)
	case b == '{' && depth < deepest:
		return c.object(at, depth, into)
	case b == '[' && depth < deepest:
		return c.list(at, depth)
	case b == 't':
		return c.word(at, "true")
	case b == 'f':
		return c.word(at, "false")
	case b == 'n':
		return c.word(at, "null")
	}
	return -1
}

func (c *check) object(at, depth int, into *Object) int {
	text := c.text
	if at = skipBlank(text, at+1); at < len(text) && text[at] == '}' {
		return at + 1
	}
	for at < len(text) && text[at] == '"' {
		start := at
		end, plain := c.quoted(at)
		if end < 0 {
			return -1
		}
		if at = skipBlank(text, end); at >= len(text) || text[at] != ':' {
			return -1
		}
		var below *Object
		name := ""
		if into != nil {
			if name = text[start+1 : end-1]; !plain {
				name = decoded(text[start:end])
			}
			if into == c.outer && name == c.name {
				below = c.inner
				below.clear() // if a name repeats, the last member counts
			}
		}
		from := skipBlank(text, at+1)
		if at = c.value(from, depth+1, below); at < 0 {
			return -1
		}
		if into != nil {
			into.add(name, Value(text[from:at]))
		}
		if at = skipBlank(text, at); at >= len(text) {
			return -1
		}
		switch text[at] {
		case '}':
			return at + 1
		case ',':
			at = skipBlank(text, at+1)
		default:
			return -1
		}
	}
	return -1
}

func (c *check) list(at, depth int) int {
	text := c.text
	if at = skipBlank(text, at+1); at < len(text) && text[at] == ']' {
		return at + 1
	}
	for {
		if at = c.value(at, depth+1, nil); at < 0 {
			return -1
		}
		if at = skipBlank(text, at); at >= len(text) {
			return -1
		}
		switch text[at] {
		case ']':
			return at + 1
		case ',':
			at = skipBlank(text, at+1)
		default:
			return -1
		}
	}
}

// quoted reads a string. The result plain is true if the string is ASCII without escapes.
func (c *check) quoted(at int) (end int, plain bool) {
	text := c.text
	plain = true
	for at++; at < len(text); at++ {
		switch b := text[at]; {
		case b == '"':
			return at + 1, plain
		case b < ' ':
			return -1, false
		case b == '\\':
			plain = false
			if at = c.escape(at + 1); at < 0 {
				return -1, false
			}
		case b >= 0x80:
			plain = false
		}
	}
	return -1, false
}

// escape reads an escape after its backslash and returns the offset of its last character.
func (c *check) escape(at int) int {
	if at >= len(c.text) {
		return -1
	}
	switch c.text[at] {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return at
	case 'u':
		if at+4 >= len(c.text) {
			return -1
		}
		for _, b := range []byte(c.text[at+1 : at+5]) {
			if isHex := b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f'; !isHex {
				return -1
			}
		}
		return at + 4
	}
	return -1
}

func (c *check) number(at int) int {
	text := c.text
	if text[at] == '-' {
		at++
	}
	switch {
	case at >= len(text):
		return -1
	case text[at] == '0':
		at++
	default:
		if at = c.digits(at); at < 0 {
			return -1
		}
	}
	if at < len(text) && text[at] == '.' {
		if at = c.digits(at + 1); at < 0 {
			return -1
		}
	}
	if at < len(text) && text[at]|0x20 == 'e' {
		if at++; at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		at = c.digits(at)
	}
	return at
}

// digits reads one or more digits.
func (c *check) digits(at int) int {
	start := at
	for at < len(c.text) && c.text[at]-'0' <= 9 {
		at++
	}
	if at == start {
		return -1
	}
	return at
}

func (c *check) word(at int, word string) int {
	if end := at + len(word); end <= len(c.text) && c.text[at:end] == word {
		return end
	}
	return -1
}
