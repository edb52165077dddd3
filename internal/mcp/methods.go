package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// call is a method call in progress.
type call struct {
	server  Server
	session Session
	params  []byte
	reply   *Reply
}

// method executes one MCP method and returns the encoded result.
type method func(context.Context, *call) (json.RawMessage, error)

// methods lists the implemented methods. All other methods, including ping, are unknown.
var methods = []struct {
	name   string
	answer method
}{
	{"initialize", initialize},
	{"tools/list", listTools},
	{"tools/call", callTool},
	{"resources/list", listResources},
	{"resources/read", readResource},
	{"prompts/list", listPrompts},
	{"prompts/get", getPrompt},
}

// Methods lists the implemented methods.
func Methods() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

func methodNamed(name string) method {
	for _, m := range methods {
		if m.name == name {
			return m.answer
		}
	}
	return nil
}

func initialize(_ context.Context, c *call) (json.RawMessage, error) {
	params, err := readParams(c.params, "protocolVersion", "capabilities")
	if err != nil {
		return nil, err
	}
	c.reply.SessionID = sessionID(params[1])
	var requested string
	if kindOf(params[0]) == "string" {
		requested = text(params[0])
	}
	type none struct{}
	return encode(struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    map[string]none `json:"capabilities"`
		ServerInfo      serverInfo      `json:"serverInfo"`
		Instructions    string          `json:"instructions,omitempty"`
	}{
		ProtocolVersion: negotiated(requested),
		Capabilities:    map[string]none{"tools": {}, "resources": {}, "prompts": {}},
		ServerInfo:      serverInfo{Name: "assay", Title: c.server.Title, Version: c.server.Version},
		Instructions:    c.server.Instructions,
	}), nil
}

type serverInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

func listTools(_ context.Context, c *call) (json.RawMessage, error) {
	return c.session.ListTools(), c.firstPage()
}

// firstPage rejects a cursor. The lists of tools and prompts have one page, so the server never issues a cursor for
// them.
func (c *call) firstPage() error {
	cursor, err := c.cursor()
	if err == nil && cursor != nil {
		return noPage(cursor)
	}
	return err
}

// cursor returns the cursor of a request for a list, or nil for the first page.
func (c *call) cursor() (json.RawMessage, error) {
	params, err := readParams(c.params, "cursor")
	if err != nil || isNull(params[0]) || string(params[0]) == `""` {
		return nil, err
	}
	return params[0], nil
}

func noPage(cursor json.RawMessage) error { return invalidParams("there is no page " + shown(cursor)) }

func callTool(ctx context.Context, c *call) (json.RawMessage, error) {
	params, err := readParams(c.params, "name", "arguments")
	if err != nil {
		return nil, err
	}
	name, err := stringParam("name", params[0])
	if err != nil {
		return nil, err
	}
	c.reply.Tool = shownText(name)
	if !isNull(params[1]) && kindOf(params[1]) != "object" {
		return nil, invalidParams("arguments must be an object")
	}
	result, err := c.session.CallTool(ctx, name, params[1])
	if err == nil && IsToolError(result) {
		c.reply.Outcome = OutcomeToolError
	}
	return result, err
}

// IsToolError reports whether an encoded [CallResult] is an error. It checks the end of the result, because isError is
// the last member and is omitted when false.
func IsToolError(result []byte) bool {
	const end = `"isError":true}`
	return len(result) > len(end) && string(result[len(result)-len(end):]) == end
}

// resourcesPerPage is the number of resources in one page of resources/list.
const resourcesPerPage = 100

// listResources returns a page of the resources. The cursor is the encoded URI of the last resource on the previous
// page. Therefore, a page neither repeats nor skips a resource when other resources are added.
func listResources(ctx context.Context, c *call) (json.RawMessage, error) {
	cursor, err := c.cursor()
	if err != nil {
		return nil, err
	}
	all, err := c.session.ListResources(ctx)
	if err != nil {
		return nil, err
	}
	if cursor != nil {
		at := -1
		if kindOf(cursor) == "string" {
			at = slices.IndexFunc(all, func(r Resource) bool { return cursorOf(r) == text(cursor) })
		}
		if at < 0 {
			return nil, noPage(cursor)
		}
		all = all[at+1:]
	}
	page := struct {
		Resources  []Resource `json:"resources"`
		NextCursor string     `json:"nextCursor,omitempty"`
	}{Resources: list(all)}
	if len(all) > resourcesPerPage {
		page.Resources = all[:resourcesPerPage]
		page.NextCursor = cursorOf(all[resourcesPerPage-1])
	}
	return encode(page), nil
}

// cursorOf returns the cursor of the page after a resource.
func cursorOf(last Resource) string { return base64.RawURLEncoding.EncodeToString([]byte(last.URI)) }

func readResource(ctx context.Context, c *call) (json.RawMessage, error) {
	params, err := readParams(c.params, "uri")
	if err != nil {
		return nil, err
	}
	uri, err := stringParam("uri", params[0])
	if err != nil {
		return nil, err
	}
	contents, err := c.session.ReadResource(ctx, uri)
	if err != nil {
		return nil, fmt.Errorf("resource %s: %w", quoted(uri), err)
	}
	return encode(struct {
		Contents []ResourceContents `json:"contents"`
	}{[]ResourceContents{contents}}), nil
}

func listPrompts(_ context.Context, c *call) (json.RawMessage, error) {
	return encode(struct {
		Prompts []Prompt `json:"prompts"`
	}{list(c.session.ListPrompts())}), c.firstPage()
}

func getPrompt(ctx context.Context, c *call) (json.RawMessage, error) {
	params, err := readParams(c.params, "name", "arguments")
	if err != nil {
		return nil, err
	}
	name, err := stringParam("name", params[0])
	if err != nil {
		return nil, err
	}
	args, err := promptArguments(params[1])
	if err != nil {
		return nil, err
	}
	result, err := c.session.GetPrompt(ctx, name, args)
	if err != nil {
		return nil, fmt.Errorf("prompt %s: %w", quoted(name), err)
	}
	result.Messages = list(result.Messages)
	return encode(result), nil
}

func promptArguments(raw []byte) (map[string]string, error) {
	args := map[string]string{}
	if isNull(raw) {
		return args, nil
	}
	if kindOf(raw) != "object" {
		return nil, invalidParams("arguments must be an object")
	}
	for name, value := range members(raw) {
		switch _, twice := args[string(name)]; {
		case twice:
			return nil, invalidParams("argument " + quoted(string(name)) + " is given twice")
		case kindOf(value) != "string":
			return nil, invalidParams("argument " + quoted(string(name)) + " must be a string")
		}
		args[string(name)] = text(value)
	}
	return args, nil
}

func stringParam(name string, raw []byte) (string, error) {
	if kindOf(raw) != "string" {
		return "", invalidParams(name + " must be a string")
	}
	return text(raw), nil
}

// list returns an empty list for nil, because clients reject null in place of a list.
func list[T any](of []T) []T {
	if of == nil {
		return []T{}
	}
	return of
}

// readParams returns the values of the named members of params. A missing member has the value nil. A duplicate name is
// an error.
func readParams(params []byte, names ...string) ([]json.RawMessage, error) {
	values := make([]json.RawMessage, len(names))
	if isNull(params) {
		return values, nil
	}
	for name, value := range members(params) {
		for i, known := range names {
			if string(name) != known {
				continue
			}
			if values[i] != nil {
				return nil, invalidParams(known + " is given twice")
			}
			values[i] = value
		}
	}
	return values, nil
}
