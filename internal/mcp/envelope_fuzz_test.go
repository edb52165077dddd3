package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"unicode/utf8"
)

// FuzzEnvelope checks that any bytes get one well-formed response: valid JSON of the right version with the same id, or no
// body with 202. The id is null only with an HTTP error.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","method":"x"}`, `[]`, `null`, ``, ` {} `,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"a":[1,{}]}}}`,
		`{"jsonrpc":"2.0","id":1.50,"id":2,"method":"ping"}`, `{"\u0069d":"\ud800","jsonrpc":"2.0","method":"a"}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"review","arguments":{"week":"w"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"\n"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		reply := stage{}.server().Handle(t.Context(), stage{}, Incoming{Body: body})
		if reply.Status == http.StatusAccepted {
			if reply.Body != nil {
				t.Fatalf("%q: 202 with a body", body)
			}
			return
		}
		answer := sent(reply)
		if !json.Valid(answer) || !utf8.Valid(answer) {
			t.Fatalf("%q: the answer is not JSON: %q", body, answer)
		}
		var version, id []byte
		for name, value := range members(answer) {
			switch string(name) {
			case "jsonrpc":
				version = value
			case "id":
				id = value
			}
		}
		if string(version) != `"2.0"` {
			t.Fatalf("%q: answer %s", body, answer)
		}
		if string(id) == "null" {
			if reply.Status < 400 {
				t.Fatalf("%q: id null with HTTP %d", body, reply.Status)
			}
		} else if !bytes.Contains(body, id) {
			t.Fatalf("%q: id %s was not sent", body, id)
		}
	})
}
