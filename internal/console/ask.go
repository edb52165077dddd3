package console

import (
	"context"
	"encoding/json"
	"fmt"

	answers "assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/toolkit"
)

// Ask calls a tool for a principal and returns the encoded result, as an OAuth client receives it.
type Ask func(ctx context.Context, p auth.Principal, tool string, arguments json.RawMessage) (json.RawMessage, error)

// arguments are the arguments of a tool call by name.
type arguments map[string]any

// answerOf calls a tool with the scopes of the visitor's role and decodes its answer, so pages show the same figures as
// clients receive. An error keeps its kind.
func answerOf[A answers.Answer](c *core, v visit, p place, tool toolkit.Typed[A], with arguments) (a A, err error) {
	encoded, err := json.Marshal(with)
	if err != nil {
		return a, err
	}
	who := auth.Principal{
		Workspace: p.Workspace, Actor: control.ActorOf(v.visitor.User.ID), Kind: auth.ByOAuth, Scopes: p.Role.Scopes(),
	}
	result, err := c.ask(v.Context(), who, tool.Name, encoded)
	if err != nil {
		return a, fmt.Errorf("%s: %w", tool.Name, err)
	}
	return tool.Result(result)
}
