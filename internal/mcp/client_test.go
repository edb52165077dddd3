package mcp

import (
	"bytes"
	"strings"
	"testing"
)

// The session ID records that the client can show views. Other clients get no session ID.
func TestOnlyClientsWithViewsGetASession(t *testing.T) {
	t.Parallel()
	for capabilities, want := range map[string]bool{
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`:             true,
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":[1,"text/html;profile=mcp-app"],"more":{}}}}`: true,
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}`:                             false,
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":"text/html;profile=mcp-app"}}}`:               false,
		`{"extensions":{"io.modelcontextprotocol/ui":{}}}`:                                                      false,
		`{"extensions":{"other":{"mimeTypes":["text/html;profile=mcp-app"]}}}`:                                  false,
		`{"extensions":[]}`: false, `{}`: false, `[]`: false, `null`: false, `7`: false,
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `}}`
		reply := stage{}.server().Handle(t.Context(), stage{}, Incoming{Body: []byte(body)})
		if got := strings.HasPrefix(reply.SessionID, appSession); got != want || !want && reply.SessionID != "" || reply.Outcome != OutcomeOK {
			t.Errorf("%s: session %q (%s), want one: %v", capabilities, reply.SessionID, reply.Outcome, want)
		}
	}
}

func TestHeadersStateWhatTheClientShows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version, session string
		want             Client
	}{
		{"", "", Client{}},
		{"2025-03-26", "", Client{}},
		{"2025-06-18", "", Client{Links: true}},
		{"2025-11-25", "ui-x", Client{Links: true, Apps: true}},
		{"", "ui-x", Client{Apps: true}},
		{"2025-11-25", "another", Client{Links: true}},
	} {
		if got := (Incoming{ProtocolVersion: c.version, SessionID: c.session}).client(); got != c.want {
			t.Errorf("version %q, session %q: %+v, want %+v", c.version, c.session, got, c.want)
		}
	}
}

// A result with data for a view still ends with isError, which [IsToolError] reads.
func TestDataForAViewDoNotHideAnError(t *testing.T) {
	t.Parallel()
	failed := encode(CallResult{Meta: []byte(`{"a":1}`), IsError: true})
	if !IsToolError(failed) || bytes.Contains(encode(CallResult{}), []byte("_meta")) {
		t.Errorf("%s", failed)
	}
}
