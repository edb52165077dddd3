package console

import (
	"context"
	"encoding/json"
	"fmt"

	"assay/internal/auth"
	"assay/internal/control"
)

// Ask calls a tool for a principal and returns its encoded result, as programs get it.
type Ask func(ctx context.Context, p auth.Principal, tool string, arguments json.RawMessage) (json.RawMessage, error)

// asked calls a tool for who looks at a page, with what their role may, and decodes its answer. So a page shows what a
// program is told. A failure has the kind that it has in the tool.
func (c *Console) asked(v visit, p place, tool string, arguments, into any) error {
	encoded, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	who := auth.Principal{Workspace: p.Workspace, Actor: control.ActorOf(v.visitor.User.ID), Kind: auth.ByOAuth, Scopes: p.Role.Scopes()}
	text, err := c.ask(v.Context(), who, tool, encoded)
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	var result struct {
		Content           []struct{ Text string } `json:"content"`
		StructuredContent json.RawMessage         `json:"structuredContent"`
		IsError           bool                    `json:"isError"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return fmt.Errorf("result of %s: %w", tool, err)
	}
	if result.IsError || result.StructuredContent == nil {
		return fmt.Errorf("%s answers %q", tool, result.Content)
	}
	return json.Unmarshal(result.StructuredContent, into)
}
