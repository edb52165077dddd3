// Package mcp speaks JSON-RPC 2.0 and the Model Context Protocol: envelopes, methods, tools made of structs.
// It knows no tool, no credential and no socket.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
)

// Spec is the description of a tool for clients, without its parameters.
type Spec struct {
	Name        string
	Title       string
	Description string // one or two sentences: when to use it and when not
	Writes      bool   // changes something; the zero value is a tool that only reads
	Destructive bool   // a change that replaces or stops something
	Repeatable  bool   // calling a writing tool twice with the same arguments changes nothing more
	OpenWorld   bool   // reaches systems outside the service
}

// Tool is a tool made of typed parameters. D is what a handler is given besides them.
//
// The parameters are a struct whose fields carry the tags json, doc and, where they apply, enum:"a|b",
// default:"a", min:"1", max:"100", required:"true". Embedded structs are flattened. Field types are string,
// bool, int, float64, civil.Date, []string, map[string]T, nested structs, and pointers to these where "absent"
// must differ from the zero value. The order of the fields is the order of the schema.
//
// Further tags: also:"meta=facebook|google_ads=google" maps spellings that are accepted and not listed to values
// of the enum, nonempty:"true" refuses an empty string or array, and example:"x" is what a corrected call shows
// when the caller's own value cannot be kept. An enum on an array restricts its items. Parameters that implement
// [Validator] check themselves after that.
type Tool[D any] struct {
	Spec
	Schema json.RawMessage // of the parameters: a JSON Schema object, minified
	Result json.RawMessage // of the result, for the OpenAPI document: a JSON Schema object
	call   func(ctx context.Context, d D, args json.RawMessage) (any, error)
}

// NewTool makes a tool of a spec and its handler. It panics when a parameter has no doc, or a tag cannot be
// meant: such a tool is a mistake in the program.
func NewTool[D, P, R any](spec Spec, run func(context.Context, D, P) (R, error)) Tool[D] {
	if spec.Name == "" || spec.Title == "" || spec.Description == "" {
		panic(fmt.Sprintf("tool %q: needs a name, a title and a description", spec.Name))
	}
	parameters := planOf(reflect.TypeFor[P]())
	checkEmbedded(reflect.TypeFor[P]())
	return Tool[D]{
		Spec:   spec,
		Schema: parameters.schema(),
		Result: resultSchema(reflect.TypeFor[R]()),
		call: func(ctx context.Context, d D, args json.RawMessage) (any, error) {
			var p P
			if err := parameters.decode(spec.Name, args, &p); err != nil {
				return nil, err
			}
			return run(ctx, d, p)
		},
	}
}

// checkEmbedded panics when Go would silently not call an embedded struct's Check, because two of them have one.
func checkEmbedded(t reflect.Type) {
	if reflect.PointerTo(t).Implements(validatorType) {
		return
	}
	for f := range t.Fields() {
		if f.Anonymous && reflect.PointerTo(f.Type).Implements(validatorType) {
			panic(fmt.Sprintf("%s embeds two structs with a Check: give it one that calls both", t))
		}
	}
}

// Call checks and decodes the arguments, applies defaults and runs the handler. Arguments that cannot be
// accepted give an error of kind invalid whose text names the parameter, what came and what is allowed, and
// whose hint is a corrected call.
func (t Tool[D]) Call(ctx context.Context, d D, args json.RawMessage) (any, error) {
	return t.call(ctx, d, args)
}

// Content is one piece of a tool's result.
type Content struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"` // base64, for images
	MIMEType string `json:"mimeType,omitempty"`
}

// MarshalJSON writes a text even when it is empty, because clients reject one without.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Type == "text" {
		return encode(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{c.Type, c.Text}), nil
	}
	type plain Content
	return encode(plain(c)), nil
}

// CallResult is the result of tools/call. A failure that the caller's model can mend has IsError and one text.
type CallResult struct {
	Content           []Content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
}

// Session is what one authenticated caller can see and do. The encoded results are written to the wire as they
// are, so that an answer kept from an earlier call costs nothing to send.
type Session interface {
	// ListTools returns the encoded result of tools/list.
	ListTools() json.RawMessage
	// CallTool returns the encoded [CallResult]. An error is a protocol error: of kind not_found for a tool
	// that does not exist, forbidden for a missing scope of an OAuth caller. Everything a tool itself has to
	// say, failures included, is a result.
	CallTool(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	ListResources() []Resource
	ReadResource(ctx context.Context, uri string) (ResourceContents, error)
	ListPrompts() []Prompt
	GetPrompt(ctx context.Context, name string, args map[string]string) (PromptResult, error)
}

// Resource is one line of resources/list.
type Resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
}

// ResourceContents is what resources/read returns of one resource.
type ResourceContents struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	Text     string `json:"text"`
}

// Prompt is one line of prompts/list.
type Prompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
}

// PromptArgument is an argument of a prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required,omitempty"`
}

// PromptResult is what prompts/get returns.
type PromptResult struct {
	Description string          `json:"description,omitempty"`
	Messages    []PromptMessage `json:"messages"`
}

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}
