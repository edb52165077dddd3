package toolkit

import (
	"encoding/json"
	"time"

	"assay/internal/control"
	"assay/internal/control/calllog"
	"assay/internal/mcp"
)

// Calls records tool calls. It does not block.
type Calls interface {
	Note(c control.Call)
}

// unknownTool replaces tool names that do not exist.
const unknownTool = "unknown"

// noteCall records a finished call, including one that ended in a panic and has no result.
func (s *Session) noteCall(name string, args json.RawMessage, began time.Time, result json.RawMessage, err error) {
	p := &s.principal
	c := control.Call{
		At: began, Workspace: p.Workspace.ID, Tool: name, Status: control.CallOK, Took: s.service.deps.Now().Sub(began),
		Bytes: len(result), Actor: p.Actor, Client: p.Client, ClientName: p.ClientName,
	}
	tool, known := s.service.tools[name]
	if !known {
		c.Tool = unknownTool
	}
	if err != nil || result == nil || mcp.IsToolError(result) {
		c.Status = control.CallError
		if known && p.MayCall(name) {
			c.Missing = s.missing(tool, args)
		}
		if known && (c.Missing != "" || !p.MayCall(name)) {
			c.Status = control.CallRefused
		}
	}
	if p.Workspace.LogArguments {
		c.Arguments = calllog.Arguments(args)
	}
	s.service.deps.Calls.Note(c)
}
