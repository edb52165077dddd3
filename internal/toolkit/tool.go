// Package toolkit is what tools are made with: the definition of a tool, the call that its handler gets, the sentences that
// several tools share, and the service that lists tools, calls them and caches their answers. It knows no tool.
package toolkit

import (
	"context"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/snapshot"
)

// Tool is one of the service's tools. Its handler gets a [Call] and the arguments.
type Tool struct {
	mcp.Tool[*Call]
	Spec
}

// Spec is what a tool is, besides its parameters and its result.
type Spec struct {
	Name        string
	Title       string
	Description string // one or two sentences: when to use it and when not
	Writes      bool   // changes something; the zero value is a tool that only reads
	Destructive bool   // a change that replaces or stops something
	Repeatable  bool   // calling a writing tool twice with the same arguments changes nothing more
	OpenWorld   bool   // reaches systems outside the service

	Needs     string         // the facts without which it has nothing to answer; "": none, or a model
	Model     bool           // answers from the media mix model
	Reads     snapshot.Wants // records of the control store that its answers depend on
	Uncached  bool           // answers depend on more than the snapshot
	Acts      Action         // of a tool that writes
	Later     Absence        // of a tool without answers
	Arguments map[string]any // an example: the least that it answers to
}

// Action is how a tool that writes is told to act.
type Action struct {
	Argument string        // acts where this argument is true
	Scope    control.Scope // that acting needs
}

// Absence says why a tool has no answers yet. Its arguments are checked all the same.
type Absence struct {
	Needs   string // what its answers will be based on
	Instead string // what helps now
}

// Set reports whether the tool has no answers.
func (a Absence) Set() bool { return a != Absence{} }

func (s Spec) mcp() mcp.Spec {
	return mcp.Spec{
		Name: s.Name, Title: s.Title, Description: s.Description,
		Writes: s.Writes, Destructive: s.Destructive, Repeatable: s.Repeatable, OpenWorld: s.OpenWorld,
	}
}

// Define makes a tool that only reads. Its parameters embed [answer.Shared], which says how the answer is written.
func Define[P answer.Viewer, A answer.Answer](spec Spec, run func(context.Context, *Call, P) (A, error)) Tool {
	spec.Repeatable = spec.Repeatable || !spec.Writes
	return Tool{mcp.NewTool(spec.mcp(), func(ctx context.Context, call *Call, p P) (A, error) {
		call.View = p.Viewed()
		return run(ctx, call, p)
	}), spec}
}

// DefineLater makes a tool without answers: it checks its arguments and says what it needs.
func DefineLater[P any](spec Spec) Tool {
	spec.Repeatable = spec.Repeatable || !spec.Writes
	return Tool{mcp.NewTool(spec.mcp(), func(context.Context, *Call, P) (*statement, error) {
		return nil, fault.NotReady("%s is not available yet: it needs %s", spec.Name, spec.Later.Needs).
			WithHint("Meanwhile: %s.", spec.Later.Instead)
	}), spec}
}

// statement is an answer without figures.
type statement struct {
	answer.Opening
	answer.Table[struct{}]
	answer.Closing
}
