package toolkit

import (
	"context"
	"encoding/json"
	"time"

	"github.com/maypok86/otter/v2"

	"assay/internal/ask"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
)

// Questions are the dependencies of a tool that answers a question by calling other tools.
type Questions struct {
	Translator *ask.Translator
	Language   ask.Language // nil: no language model

	session *Session
}

// Run calls a tool that only reads, with the caller's permissions, and returns its encoded result. The call is part of
// the running request, so it is not counted or recorded separately.
func (q Questions) Run(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
	t, ok := q.session.service.tools[tool]
	if !ok || t.Writes || t.Asks {
		return nil, fault.Invalid("a question cannot call tool %q", tool)
	}
	return q.session.callTool(ctx, tool, args)
}

// Previous returns the last call of the caller's previous question, or nil if there is none in the last 15 minutes.
func (q Questions) Previous() *ask.Call {
	if call, ok := q.session.service.previous.GetIfPresent(q.session.asker()); ok {
		return &call
	}
	return nil
}

// Remember stores a call for the caller's next question.
func (q Questions) Remember(call ask.Call) { q.session.service.previous.Set(q.session.asker(), call) }

// asker identifies a caller.
type asker struct {
	workspace measure.WorkspaceID
	actor     string
	client    control.ClientID
}

func (s *Session) asker() asker {
	return asker{s.principal.Workspace.ID, s.principal.Actor, s.principal.Client}
}

func (s *Session) forQuestions() Questions {
	plain := *s
	plain.client = mcp.Client{} // no client shows the answers of these calls
	return Questions{Translator: s.service.translator, Language: s.service.deps.Language, session: &plain}
}

const (
	rememberedFor = 15 * time.Minute
	maxAskers     = 10_000
)

// questions is the state that the tools for questions share.
type questions struct {
	translator *ask.Translator
	previous   *otter.Cache[asker, ask.Call] // the last call of each caller's previous question
}

// NewTranslator returns a translator that converts questions to calls of the given tools. Tools that answer questions
// are excluded.
func NewTranslator(all []Tool) (*ask.Translator, error) {
	var described []ask.Tool
	for _, t := range all {
		if t.Asks {
			continue
		}
		d, err := ask.ToolOf(t.Name, t.Writes, t.Schema)
		if err != nil {
			return nil, err
		}
		described = append(described, d)
	}
	return ask.New(described)
}

func newQuestions(all []Tool) (questions, error) {
	translator, err := NewTranslator(all)
	if err != nil {
		return questions{}, err
	}
	previous, err := otter.New(&otter.Options[asker, ask.Call]{
		MaximumSize: maxAskers, ExpiryCalculator: otter.ExpiryWriting[asker, ask.Call](rememberedFor),
	})
	return questions{translator, previous}, err
}
