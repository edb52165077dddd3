package mcp

import (
	"encoding/json"
	"unicode/utf8"
)

// maxID is the maximum size in bytes of a request ID, which is returned unchanged.
const maxID = 8 << 10

// envelope is a JSON-RPC request, or a notification if it has no ID. Its values are the received bytes.
type envelope struct {
	id     []byte // nil: a notification, or an unreadable ID
	method string
	params []byte // nil: none
}

// readEnvelope parses a body as one JSON-RPC message. After an error, the returned envelope contains the ID if the ID
// was readable.
func readEnvelope(body []byte) (envelope, error) {
	if !json.Valid(body) || !utf8.Valid(body) {
		return envelope{}, refusal{Failure: NotJSON}
	}
	switch kind := kindOf(body[skipBlanks(body, 0):]); kind {
	case "object":
	case "array":
		return envelope{}, invalidRequest("batches are not supported")
	default:
		return envelope{}, invalidRequest("a request is an object; got " + kind)
	}
	parts, repeated := collect(body)
	return parts.envelope(repeated)
}

// parts are the members of an envelope as received. An absent member is nil.
type parts struct {
	version, id, method, params []byte
}

// collect finds the members by their exact names and returns the name of the first duplicate.
func collect(body []byte) (p parts, repeated string) {
	var others map[string]bool // almost always empty
	for name, value := range members(body) {
		var place *[]byte
		switch string(name) {
		case "jsonrpc":
			place = &p.version
		case "id":
			place = &p.id
		case "method":
			place = &p.method
		case "params":
			place = &p.params
		default:
			if others[string(name)] && repeated == "" {
				repeated = string(name)
			}
			if others == nil {
				others = map[string]bool{}
			}
			others[string(name)] = true
			continue
		}
		if *place != nil && repeated == "" {
			repeated = string(name)
		}
		*place = value
	}
	return p, repeated
}

func (p parts) envelope(repeated string) (envelope, error) {
	var e envelope
	if kind := kindOf(p.id); (kind == "string" || kind == "number") && len(p.id) <= maxID {
		e.id = p.id
	}
	switch {
	case repeated == "id":
		return envelope{}, invalidRequest("id is given twice")
	case len(p.id) > maxID:
		return e, invalidRequest("id is larger than 8 KiB")
	case repeated != "":
		return e, invalidRequest(shownText(repeated) + " is given twice")
	case p.id != nil && e.id == nil:
		return e, invalidRequest("id must be a string or a number")
	case kindOf(p.version) != "string" || text(p.version) != "2.0":
		return e, invalidRequest(`jsonrpc must be "2.0"`)
	case kindOf(p.method) != "string":
		return e, invalidRequest("method must be a string")
	}
	e.method, e.params = text(p.method), p.params
	return e, nil
}
