package toolkit

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"assay/internal/answer"
	"assay/internal/ask"
	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/knowledge"
	"assay/internal/mcp"
	"assay/internal/snapshot"
)

// Deps are the dependencies of the tools.
type Deps struct {
	snapshot.Sources
	Keys       Keys
	Hooks      Hooks
	Accounts   Connections
	Backups    func() BackupState // nil: the service does not schedule backups
	Budgets    BudgetChanges
	Records    Records
	Calls      Calls
	Callers    Callers
	Language   ask.Language // nil: no language model
	Log        *slog.Logger
	Turns      int           // maximum number of answers calculated at the same time; 0: 8 per core
	CacheBytes uint64        // maximum size of the cached answers; 0: 64 MiB
	Deadline   time.Duration // maximum duration of one call; 0: 30 seconds
}

// Callers returns a caller's current permissions. Authentication may use a principal that is cached for a short time.
type Callers interface {
	Renew(ctx context.Context, p auth.Principal) (auth.Principal, error)
}

const (
	usualCacheBytes = 64 << 20
	usualDeadline   = 30 * time.Second
	entryOverhead   = 300 // bytes of a cache entry in addition to the text of its key and value
)

// Service answers tools/list and tools/call. It caches answers until the workspace's data, settings or day change.
type Service struct {
	deps      Deps
	tools     map[string]Tool
	specs     []Spec // in the contract's order
	listed    []listedTool
	list      json.RawMessage // encoded list of all tools
	knowledge *knowledge.Library
	answers   *otter.Cache[answerKey, json.RawMessage]
	reader    *snapshot.Reader
	turns     *turns
	questions
}

// answerKey contains everything that an answer depends on. The arguments are the received bytes. Equivalent arguments
// with different spelling are therefore separate entries.
type answerKey struct {
	snapshot.Key
	tool      string
	arguments string
	scopes    string
	allowed   string
	client    mcp.Client // client of a call of a tool with a view
	vector    bool
}

// NewService returns a service with the given tools.
func NewService(deps Deps, all []Tool) (*Service, error) {
	if deps.CacheBytes == 0 {
		deps.CacheBytes = usualCacheBytes
	}
	if deps.Deadline == 0 {
		deps.Deadline = usualDeadline
	}
	if deps.Turns == 0 {
		deps.Turns = usualTurns()
	}
	s := &Service{deps: deps, tools: map[string]Tool{}, turns: newTurns(deps.Turns, deps.Now)}
	for _, t := range all {
		line, err := listing(t)
		if err != nil {
			return nil, err
		}
		s.tools[t.Name] = t
		s.specs = append(s.specs, t.Spec)
		s.listed = append(s.listed, line)
	}
	s.list = listOf(s.listed, false, func(string) bool { return true })
	var err error
	if s.knowledge, err = knowledge.Load(); err != nil {
		return nil, err
	}
	s.answers, err = otter.New(&otter.Options[answerKey, json.RawMessage]{
		MaximumWeight: deps.CacheBytes,
		Weigher: func(k answerKey, v json.RawMessage) uint32 {
			return uint32(len(k.arguments) + len(k.scopes) + len(k.allowed) + len(v) + entryOverhead)
		},
	})
	if err != nil {
		return nil, err
	}
	if s.questions, err = newQuestions(all); err != nil {
		return nil, err
	}
	s.reader, err = snapshot.NewReader(deps.Sources)
	return s, err
}

// WarmSearch trains the article search before the first question.
func (s *Service) WarmSearch() { s.knowledge.Warm() }

// Snapshots returns the service's snapshot reader, so that pages and jobs share its caches.
func (s *Service) Snapshots() *snapshot.Reader { return s.reader }

// Session returns the session of one caller. Messages about internal errors contain the request ID, which is also in
// the log.
func (s *Service) Session(p auth.Principal, requestID string) mcp.Session {
	return &Session{service: s, principal: p, requestID: requestID}
}

// Session is one caller's view of the service.
type Session struct {
	service   *Service
	principal auth.Principal
	requestID string
	faults    bool // a failure is returned as an error, not as a tool result
	client    mcp.Client
	vector    bool // pictures are SVG documents
}

// For returns a copy of the session with answers for a client that can show more than text and images.
func (s *Session) For(client mcp.Client) mcp.Session {
	other := *s
	other.client = client
	return &other
}

// CallTool calls a tool and returns its encoded result.
func (s *Session) CallTool(ctx context.Context, name string, args json.RawMessage) (result json.RawMessage, err error) {
	began := s.service.deps.Now()
	defer func() { s.noteCall(name, args, began, result, err) }()
	return s.callTool(ctx, name, args)
}

// Answer calls a tool for a page. The answer is the same as for an MCP client, but the call is not in the call log. A
// failure is returned as an error instead of a tool result.
func (s *Service) Answer(ctx context.Context, p auth.Principal, name string, args json.RawMessage) (json.RawMessage, error) {
	return (&Session{service: s, principal: p, faults: true}).callTool(ctx, name, args)
}

func (s *Session) callTool(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	tool, ok := s.service.tools[name]
	if !ok {
		return nil, fault.NotFound("tool %q does not exist", answer.Clean(name)).WithHint("tools/list lists all tools.")
	}
	if acts(tool, args) {
		renewed, err := s.service.deps.Callers.Renew(ctx, s.principal)
		if err != nil {
			return s.failed(ctx, name, err)
		}
		s.principal = renewed
	}
	if !s.principal.MayCall(name) {
		return s.refused(fault.Forbidden("this key may not call %s: its allow-list contains %s", name, strings.Join(s.principal.Tools, ", ")).
			WithHint("Use one of those tools, or a key without an allow-list."))
	}
	if needed := s.missing(tool, args); needed != "" {
		if s.principal.Kind == auth.ByOAuth {
			return nil, &mcp.ScopeError{Required: []string{string(needed)}}
		}
		return s.refused(fault.Forbidden("this API key lacks the scope %s, which the call requires", needed).
			WithHint("Create a key with that scope: assay keys create --workspace %s --scopes %s,%s", s.principal.Workspace.ID, control.ScopeRead, needed))
	}
	result, err := s.answer(ctx, tool, args)
	if errors.Is(err, errBusy) {
		return nil, err // the response is 503, so that clients and load balancers wait
	}
	if err != nil {
		return s.failed(ctx, name, err)
	}
	return result, nil
}

// missing returns the scope that the call needs and the caller lacks, or "" if there is none.
func (s *Session) missing(tool Tool, args json.RawMessage) control.Scope {
	for _, scope := range scopesOf(tool, args) {
		if !s.principal.Has(scope) {
			return scope
		}
	}
	return ""
}

// scopesOf returns the scopes that a call needs. Calls that do not act need the read scope only.
func scopesOf(tool Tool, args json.RawMessage) []control.Scope {
	if !acts(tool, args) {
		return []control.Scope{control.ScopeRead}
	}
	return []control.Scope{control.ScopeRead, tool.Acts.Scope}
}

// acts reports whether a call changes something: a writing tool acts only if its confirmation argument is the literal
// true.
func acts(tool Tool, args json.RawMessage) bool {
	return tool.Acts.Argument != "" && string(argument(args, tool.Acts.Argument)) == "true"
}

// argument returns an argument as it was sent, or nil if it is missing. The tool reports other errors in the arguments.
func argument(args json.RawMessage, name string) json.RawMessage {
	var sent map[string]json.RawMessage
	if json.Unmarshal(args, &sent) != nil {
		return nil
	}
	return sent[name]
}

// answer returns the cached answer of an identical call, or calculates it. Identical concurrent calls share one
// calculation. Failures are not cached. While the data version is unknown, no answer is cached. The state is read once:
// it is part of the cache key, and the answer is calculated from it.
func (s *Session) answer(ctx context.Context, tool Tool, args json.RawMessage) (json.RawMessage, error) {
	reading, cancel := context.WithTimeout(ctx, s.service.deps.Deadline)
	defer cancel()
	state, err := s.service.reader.State(reading, s.principal.Workspace, tool.Reads)
	if err != nil {
		return nil, err
	}
	if !state.Versioned() || tool.Writes || tool.Uncached {
		return s.make(ctx, tool, args, &state)
	}
	key := answerKey{
		Key: state.Key, tool: tool.Name, arguments: string(args),
		scopes: joined(s.principal.Scopes), allowed: joined(s.principal.Tools),
	}
	if tool.App != nil {
		key.client, key.vector = s.client, s.vector
	}
	if cached, ok := s.service.answers.GetIfPresent(key); ok {
		return cached, nil
	}
	return s.cache(ctx, tool, args, key, state)
}

// cache calculates an answer and caches it.
func (s *Session) cache(ctx context.Context, tool Tool, args json.RawMessage, key answerKey, state snapshot.State) (json.RawMessage, error) {
	// The calculation must outlive the first request, because other requests may wait for it.
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.service.deps.Deadline)
	defer cancel()
	return s.service.answers.Get(detached, key, snapshot.Loading(func(ctx context.Context, _ answerKey) (json.RawMessage, error) {
		return s.make(ctx, tool, args, &state)
	}))
}

// make calculates an answer. If the service is overloaded, make returns errBusy. A tool that calls other tools does not
// wait for a slot, because each of its calls waits for one. A call that changes data does not wait for a slot, because it
// waits for an ad platform or the control data.
func (s *Session) make(ctx context.Context, tool Tool, args json.RawMessage, state *snapshot.State) (json.RawMessage, error) {
	if !tool.Asks && !acts(tool, args) {
		leave, err := s.service.turns.enter(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	snap, err := s.service.reader.Snapshot(ctx, *state)
	if err != nil {
		return nil, err
	}
	limit := argument(args, "limit")
	call := &Call{
		Snapshot: snap,
		Writer: answer.Writer{
			Figures:    answer.Figures{Currency: state.Workspace.Currency, Basis: state.Workspace.Basis},
			LimitGiven: limit != nil && string(limit) != "null",
		},
		Principal: s.principal, Keys: s.service.deps.Keys, Hooks: s.service.deps.Hooks, Accounts: s.service.deps.Accounts, Backups: s.service.deps.Backups,
		Client: s.client, Vector: s.vector, Budgets: s.service.deps.Budgets, Managed: s.service.deps.Records, Tools: s.service.specs, Knowledge: s.service.knowledge, Log: s.service.deps.Log,
	}
	call.Reports = func(name string, args json.RawMessage) error { return s.reportable(state.Today, name, args) }
	if tool.Asks {
		call.Questions = s.forQuestions()
	}
	value, err := tool.Call(ctx, call, args)
	if err != nil {
		return nil, err
	}
	a, ok := value.(answer.Answer)
	if !ok {
		panic("tool " + tool.Name + " does not return an answer")
	}
	result, err := answer.Render(a, &call.Writer)
	if err != nil {
		return nil, err
	}
	return answer.Encode(result)
}

// failed converts a failure to a result that the calling model can act on. Internal errors are logged in full and
// reported with the request ID only. A page logs its own errors.
func (s *Session) failed(ctx context.Context, tool string, err error) (json.RawMessage, error) {
	if _, _, ok := fault.Public(err); ok {
		return s.refused(err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return s.refused(fault.Unavailable("%s took longer than %s", tool, s.service.deps.Deadline).
			WithHint("Use a shorter period, or try again when the service is less busy."))
	}
	if s.faults {
		return nil, err
	}
	s.service.deps.Log.LogAttrs(ctx, fault.LogLevel(ctx, err), "tool failed", slog.String("tool", tool), slog.String("workspace", string(s.principal.Workspace.ID)),
		slog.String("request_id", s.requestID), slog.Any("error", err))
	return s.refused(fault.New(fault.KindUnavailable, "%s failed with an internal error, logged as request %s", tool, s.requestID).
		WithHint("Try again. If the error persists, report the request ID to the operator."))
}

// refused encodes a failure as a tool result: the error and its remedy.
func (s *Session) refused(err error) (json.RawMessage, error) {
	if s.faults {
		return nil, err
	}
	text, hint, _ := fault.Public(err)
	if !strings.HasSuffix(text, ".") && text != "" {
		text += "."
	}
	if hint != "" {
		text += " " + hint
	}
	return answer.Encode(mcp.CallResult{Content: []mcp.Content{{Type: "text", Text: text}}, IsError: true})
}

// joined returns a set of names as one text that does not depend on their order.
func joined[T ~string](names []T) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return string(names[0])
	}
	set := make([]string, len(names))
	for i, name := range names {
		set[i] = string(name)
	}
	slices.Sort(set)
	return strings.Join(slices.Compact(set), " ")
}
