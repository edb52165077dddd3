// Package toolkit is the framework of the tools. It contains the definition of a tool, the call that its handler
// receives, shared sentences, and the service. The service lists tools, calls them and caches their answers. The
// package does not depend on any tool.
package toolkit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/mcp"
	"assay/internal/snapshot"
)

// Tool is one of the service's tools. Its handler receives a [Call] and the arguments.
type Tool struct {
	mcp.Tool[*Call]
	Spec

	decode func(content json.RawMessage) (answer.Answer, error)
}

// Decode reads an encoded answer of the tool. It rejects members that the answer does not have.
func (t Tool) Decode(content json.RawMessage) (answer.Answer, error) { return t.decode(content) }

// Typed is a tool with the type of its answer.
type Typed[A answer.Answer] struct{ Tool }

// Result decodes the answer in an encoded tool result. The result must be in the JSON format.
func (t Typed[A]) Result(encoded json.RawMessage) (A, error) {
	var result mcp.CallResult
	if err := json.Unmarshal(encoded, &result); err != nil {
		var none A
		return none, fmt.Errorf("result of %s: %w", t.Name, err)
	}
	if result.IsError || result.StructuredContent == nil {
		var none A
		return none, fmt.Errorf("result of %s has no answer: %q", t.Name, result.Content)
	}
	return decoded[A](t.Name, result.StructuredContent)
}

func decoded[A answer.Answer](tool string, content json.RawMessage) (a A, err error) {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, fmt.Errorf("answer of %s: %w", tool, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return a, fmt.Errorf("answer of %s: text after the answer", tool)
	}
	return a, nil
}

// Spec is the metadata of a tool.
type Spec struct {
	Name        string
	Title       string
	Description string // one or two sentences: when to use it and when not to
	Writes      bool   // changes something; the zero value is a read-only tool
	Destructive bool   // the change replaces or stops something
	Repeatable  bool   // idempotent: repeating a call changes nothing more
	OpenWorld   bool   // reaches systems outside the service

	Needs     string         // the data that the tool requires; "": none, or a model
	Model     bool           // uses the media mix model
	Reads     snapshot.Wants // records of the control store that its answers depend on
	Uncached  bool           // answers depend on more than the snapshot, so they are not cached
	Asks      bool           // answers by calling other tools
	App       *App           // the view of its answers; its pictures are also resources
	Acts      Action         // how a writing tool acts
	Arguments map[string]any // an example with the minimum arguments
}

// App is an HTML view of a tool's answers, for clients that show views.
type App struct {
	URI         string
	Name        string
	Title       string
	Description string
	HTML        string
}

// Action is the argument that makes a tool execute its change, with the scope that the execution requires.
type Action struct {
	Argument string        // the tool acts if this argument is true
	Scope    control.Scope // required to act
}

func (s Spec) mcp() mcp.Spec {
	return mcp.Spec{
		Name: s.Name, Title: s.Title, Description: s.Description,
		Writes: s.Writes, Destructive: s.Destructive, Repeatable: s.Repeatable, OpenWorld: s.OpenWorld,
	}
}

// Define returns a tool. Its parameters embed [answer.Shared], which selects the format of the answer.
func Define[P answer.Viewer, A answer.Answer](spec Spec, run func(context.Context, *Call, P) (A, error)) Typed[A] {
	return typed(spec, func(ctx context.Context, call *Call, p P) (A, error) {
		call.View = p.Viewed()
		return run(ctx, call, p)
	})
}

// DefineAction returns a writing tool. It has no parameters for the format: its answer is JSON without metadata.
func DefineAction[P any, A answer.Answer](spec Spec, run func(context.Context, *Call, P) (A, error)) Typed[A] {
	return typed(spec, func(ctx context.Context, call *Call, p P) (A, error) {
		call.View = answer.Shared{DetailLevel: answer.AnalystLevel, Format: answer.JSONFormat, Compact: true}
		return run(ctx, call, p)
	})
}

func typed[P any, A answer.Answer](spec Spec, run func(context.Context, *Call, P) (A, error)) Typed[A] {
	spec.Repeatable = spec.Repeatable || !spec.Writes
	return Typed[A]{Tool{
		Tool:   mcp.NewTool(spec.mcp(), run),
		Spec:   spec,
		decode: func(content json.RawMessage) (answer.Answer, error) { return decoded[A](spec.Name, content) },
	}}
}

// Statement is an answer without figures.
type Statement struct {
	answer.Opening
	answer.Table[struct{}]
	answer.Closing
}
