package frame

import (
	"cmp"
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

// Arguments are the arguments of a tool call by name.
type Arguments map[string]any

// AnswerOf calls a tool with the scopes of the visitor's role and decodes its answer, so pages show the same figures
// that clients receive. An error keeps its kind.
func AnswerOf[A answers.Answer](c *Frame, v Visit, p Place, tool toolkit.Typed[A], with Arguments) (a A, err error) {
	encoded, err := json.Marshal(with)
	if err != nil {
		return a, err
	}
	who := auth.Principal{
		Workspace: p.Workspace, Actor: cmp.Or(v.Actor, control.ActorOf(v.Visitor.User.ID)), Kind: auth.ByOAuth, Scopes: p.Role.Scopes(),
	}
	result, err := c.Ask(v.Context(), who, tool.Name, encoded)
	if err != nil {
		return a, fmt.Errorf("%s: %w", tool.Name, err)
	}
	return tool.Result(result)
}
