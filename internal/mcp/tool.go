// Package mcp implements JSON-RPC 2.0 and the Model Context Protocol: envelopes, methods, and tools with struct
// parameters. It does not define tools, check credentials or open sockets.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"assay/internal/civil"
)

// Spec describes a tool to clients, without its parameters.
type Spec struct {
	Name        string
	Title       string
	Description string // one or two sentences: when to use it and when not
	Writes      bool   // changes something; by default a tool only reads
	Destructive bool   // the change replaces or stops something
	Repeatable  bool   // repeating a call with the same arguments has no further effect
	OpenWorld   bool   // reaches systems outside the service
}

// Tool is a tool with typed parameters. D is the type of a handler's dependencies.
//
// The parameters are a struct. Its fields have the tags json and doc and, where they apply, enum:"a|b", default:"a",
// min:"1", max:"100", required:"true". Embedded structs are flattened. Field types are string, bool, int, float64,
// civil.Date, []string, map[string]T, nested structs, and pointers to these where "absent" must differ from the zero
// value. The order of the fields is the order of the schema.
//
// Further tags: also:"meta=facebook|google_ads=google" maps accepted aliases, which the schema does not list, to values
// of the enum. nonempty:"true" rejects an empty string or array. example:"x" is the value of a corrected call if the
// caller's own value cannot be used. An enum on an array restricts its items. If the parameters implement [Validator],
// its Check method runs after all other checks.
type Tool[D any] struct {
	Spec
	Schema json.RawMessage // JSON Schema object of the parameters, minified
	Result json.RawMessage // JSON Schema object of the result, for the OpenAPI document
	call   func(ctx context.Context, d D, args json.RawMessage) (any, error)
	check  func(today civil.Date, args json.RawMessage) error
}

// Dated is the interface of a handler's dependencies that provide the current day. The correction of a call uses this
// day to replace words such as yesterday with a date.
type Dated interface{ CurrentDay() civil.Date }

// NewTool builds a tool from a spec and its handler. It panics if a parameter has no doc or a tag is invalid, which
// is a programming error.
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
			var today civil.Date
			if dated, ok := any(d).(Dated); ok {
				today = dated.CurrentDay()
			}
			if err := parameters.decode(spec.Name, today, args, &p); err != nil {
				return nil, err
			}
			result, err := run(ctx, d, p)
			return result, parameters.hinted(spec.Name, today, args, err)
		},
		check: func(today civil.Date, args json.RawMessage) error {
			var p P
			return parameters.decode(spec.Name, today, args, &p)
		},
	}
}

// Check validates arguments without a call.
func (t Tool[D]) Check(today civil.Date, args json.RawMessage) error { return t.check(today, args) }

// checkEmbedded panics if two embedded structs have a Check method, because Go would silently call neither.
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

// Call validates and decodes the arguments, applies defaults and runs the handler. Invalid arguments result in an error
// of kind invalid. The text names the parameter, the received value and the accepted values. The hint is a corrected
// call.
func (t Tool[D]) Call(ctx context.Context, d D, args json.RawMessage) (any, error) {
	return t.call(ctx, d, args)
}

// Content is one piece of a tool's result.
type Content struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"` // base64, for images
	MIMEType string `json:"mimeType,omitempty"`
	URI      string `json:"uri,omitempty"` // target of a link; Name is the link's text
	Name     string `json:"name,omitempty"`
}

// MarshalJSON writes the text even if it is empty, because clients reject content without a text.
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

// CallResult is the result of tools/call. A failure that the calling model can correct has IsError and one text.
type CallResult struct {
	Content           []Content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	Meta              json.RawMessage `json:"_meta,omitempty"` // for the client's view, not for its model
	IsError           bool            `json:"isError,omitempty"`
}

// Session contains the tools, resources and prompts of one authenticated caller. Encoded results are sent unchanged, so
// a cached result needs no encoding.
type Session interface {
	// For returns the session with results for a client that can show more than text and images.
	For(client Client) Session
	// ListTools returns the encoded result of tools/list.
	ListTools() json.RawMessage
	// CallTool returns the encoded [CallResult]. An error is a protocol error. Its kind is not_found for an unknown
	// tool, and forbidden for a missing scope of an OAuth caller. All other outcomes, including failures of the tool,
	// are results.
	CallTool(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	ListResources(ctx context.Context) ([]Resource, error)
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

	Meta json.RawMessage `json:"_meta,omitempty"` // metadata of a view
}

// ResourceContents is the result of resources/read for one resource.
type ResourceContents struct {
	URI      string          `json:"uri"`
	MIMEType string          `json:"mimeType,omitempty"`
	Text     string          `json:"text"`
	Meta     json.RawMessage `json:"_meta,omitempty"` // metadata of a view
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

// PromptResult is the result of prompts/get.
type PromptResult struct {
	Description string          `json:"description,omitempty"`
	Messages    []PromptMessage `json:"messages"`
}

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}
