package mcp

import (
	"crypto/rand"
	"encoding/json"
	"strings"
)

// Client describes the content that a client can show in addition to texts and images.
type Client struct {
	Links bool // links to resources in results
	Apps  bool // HTML views of results, by the extension MCP Apps
}

const (
	// AppType is the media type of an HTML view.
	AppType = "text/html;profile=mcp-app"

	appExtension = "io.modelcontextprotocol/ui" // MCP Apps, revision 2026-01-26
	linksSince   = "2025-06-18"                 // first revision with links to resources in results

	// appSession is the prefix of the session IDs of clients that can show views. The server stores no sessions. The ID
	// only repeats the capability that the client announced. Other clients get no ID.
	appSession = "ui-"
)

// client returns the kinds of content that the sender of a message can show. Only the headers of the message contain
// this information.
func (in Incoming) client() Client {
	return Client{Links: in.ProtocolVersion >= linksSince, Apps: strings.HasPrefix(in.SessionID, appSession)}
}

// sessionID returns a new session ID if the client can show views, otherwise "".
func sessionID(capabilities json.RawMessage) string {
	extensions := member(capabilities, "extensions")
	types := member(member(extensions, appExtension), "mimeTypes")
	if kindOf(types) != "array" {
		return ""
	}
	for _, value := range elements(types) {
		if kindOf(value) == "string" && text(value) == AppType {
			return appSession + rand.Text()
		}
	}
	return ""
}

// member returns a member of an object, or nil if there is none.
func member(object json.RawMessage, wanted string) json.RawMessage {
	if kindOf(object) != "object" {
		return nil
	}
	for name, value := range members(object) {
		if string(name) == wanted {
			return value
		}
	}
	return nil
}
