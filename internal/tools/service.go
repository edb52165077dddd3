package tools

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/reportlag"
	"assay/internal/panics"
)

// Deps is what the tools are built from.
type Deps struct {
	Facts       Facts
	Models      Models           // nil: no workspace has a model
	Experiments Experiments      // nil: no workspace has any
	Forecasts   Forecasts        // nil: forecasts are not kept
	Keys        Keys             // nil: diagnose does not look at keys
	Hooks       Hooks            // nil: diagnose does not look at webhooks
	Calls       Calls            // nil: calls are not kept
	Callers     Callers          // nil: who calls is taken as recognised, also when they act
	Clock       func() time.Time // the clock of answers
	Now         func() time.Time // the real clock, by which keys end; nil: Clock
	Log         *slog.Logger
	CacheBytes  uint64        // of kept answers; 0: 64 MiB
	Deadline    time.Duration // of one call; 0: 30 seconds
}

// Callers tells what a caller may do now. Who is recognised may have been remembered for a moment.
type Callers interface {
	Renew(ctx context.Context, p auth.Principal) (auth.Principal, error)
}

const (
	usualCacheBytes = 64 << 20
	usualDeadline   = 30 * time.Second
	entryOverhead   = 300 // bytes that an entry of the cache takes besides its key's and its value's text
	maxStores       = 1000
)

// Service answers tools/list and tools/call. Its answers are kept until the workspace's data, settings or day change.
type Service struct {
	deps    Deps
	tools   map[string]Tool
	names   []string // in the contract's order
	listed  []listedTool
	list    json.RawMessage // of all tools
	answers *otter.Cache[answerKey, json.RawMessage]
	stores  *otter.Cache[storeKey, store]
	trials  *trials
	people  *people
	zones   sync.Map // *time.Location by name; loading one reads a file
}

// answerKey is all that an answer depends on. The arguments are the bytes that came: two spellings of one call are two
// entries, and no spelling is ever taken for another.
type answerKey struct {
	storeKey
	settings    int64
	models      modelsKey
	experiments uint64
	forecasts   control.ForecastState // of past ones
	today       civil.Date
	tool        string
	arguments   string
	scopes      string
	allowed     string
}

// modelsKey is a state of a workspace's models.
type modelsKey struct {
	version  int // of the last training; 0: none
	drift    mix.Drift
	news     string // completed tests that the model does not know
	training bool
}

// storeKey is a state of a workspace's data. A workspace that was dropped and made anew under its old name counts its
// data versions from the start, so the time it was made tells the two apart.
type storeKey struct {
	workspace measure.WorkspaceID
	made      int64 // microseconds since 1970
	data      uint64
}

// NewService returns a service over a warehouse.
func NewService(deps Deps) (*Service, error) {
	if deps.CacheBytes == 0 {
		deps.CacheBytes = usualCacheBytes
	}
	if deps.Now == nil {
		deps.Now = deps.Clock
	}
	if deps.Deadline == 0 {
		deps.Deadline = usualDeadline
	}
	s := &Service{deps: deps, tools: map[string]Tool{}}
	for _, t := range All() {
		line, err := listing(t)
		if err != nil {
			return nil, err
		}
		s.tools[t.Name] = t
		s.names = append(s.names, t.Name)
		s.listed = append(s.listed, line)
	}
	s.list = listOf(s.listed, func(string) bool { return true })
	var err error
	s.answers, err = otter.New(&otter.Options[answerKey, json.RawMessage]{
		MaximumWeight: deps.CacheBytes,
		Weigher: func(k answerKey, v json.RawMessage) uint32 {
			return uint32(len(k.arguments) + len(k.scopes) + len(k.allowed) + len(v) + entryOverhead)
		},
	})
	if err != nil {
		return nil, err
	}
	if s.trials, err = newTrials(); err != nil {
		return nil, err
	}
	if s.people, err = newPeople(); err != nil {
		return nil, err
	}
	s.stores, err = otter.New(&otter.Options[storeKey, store]{MaximumSize: maxStores})
	return s, err
}

// Session returns what one caller can see and do. The request's id is repeated where something goes wrong inside, so
// that it can be found in the log.
func (s *Service) Session(p auth.Principal, requestID string) mcp.Session {
	return &session{service: s, principal: p, requestID: requestID}
}

// session is one caller's view of the service.
type session struct {
	service   *Service
	principal auth.Principal
	requestID string
	faults    bool // a failure is an error, and no result that says it
}

// CallTool calls a tool and returns its encoded result.
func (s *session) CallTool(ctx context.Context, name string, args json.RawMessage) (result json.RawMessage, err error) {
	if s.service.deps.Calls == nil {
		return s.callTool(ctx, name, args)
	}
	began := s.service.deps.Now()
	defer func() { s.noteCall(name, args, began, result, err) }()
	return s.callTool(ctx, name, args)
}

// Answer answers a call that a page makes for who looks at it. It is the answer that a program gets, and stands in no
// call log, because no program asked. A failure is an error of its kind, where a program gets a result that says it.
func (s *Service) Answer(ctx context.Context, p auth.Principal, name string, args json.RawMessage) (json.RawMessage, error) {
	return (&session{service: s, principal: p, faults: true}).callTool(ctx, name, args)
}

func (s *session) callTool(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	tool, ok := s.service.tools[name]
	if !ok {
		return nil, fault.NotFound("there is no tool %q", clean(name)).WithHint("tools/list names all tools")
	}
	if acts(name, args) && s.service.deps.Callers != nil {
		renewed, err := s.service.deps.Callers.Renew(ctx, s.principal)
		if err != nil {
			return s.failed(ctx, name, err)
		}
		s.principal = renewed
	}
	if !s.principal.MayCall(name) {
		return s.refused(fault.Forbidden("this key may not call %s: its allow-list holds %s", name, strings.Join(s.principal.Tools, ", ")).
			WithHint("Use one of those tools, or a key without an allow-list."))
	}
	if needed := s.missing(tool, args); needed != "" {
		if s.principal.Kind == auth.ByOAuth {
			return nil, &mcp.ScopeError{Required: []string{string(needed)}}
		}
		return s.refused(fault.Forbidden("this key lacks the scope %s, which the call needs", needed).
			WithHint("Create a key with that scope: assay keys create --workspace %s --scopes %s,%s", s.principal.Workspace.ID, control.ScopeRead, needed))
	}
	result, err := s.answer(ctx, tool, args)
	if err != nil {
		return s.failed(ctx, name, err)
	}
	return result, nil
}

// missing returns the scope that the call needs and the caller does not hold, "" when there is none.
func (s *session) missing(tool Tool, args json.RawMessage) control.Scope {
	for _, scope := range scopesOf(tool.Name, args) {
		if !s.principal.Has(scope) {
			return scope
		}
	}
	return ""
}

// acting names, for each tool that writes, the argument that makes it act and the scope that acting needs.
var acting = map[string]struct {
	argument string
	scope    control.Scope
}{
	"manage":               {"confirmed", control.ScopeWrite},
	"propose_budget_shift": {"confirm", control.ScopeApprove},
	"pause_campaign":       {"confirm", control.ScopeApprove},
	"resume_campaign":      {"confirm", control.ScopeApprove},
}

// scopesOf returns the scopes that a call needs. Everything can be looked at with the scope to read.
func scopesOf(tool string, args json.RawMessage) []control.Scope {
	if !acts(tool, args) {
		return []control.Scope{control.ScopeRead}
	}
	return []control.Scope{control.ScopeRead, acting[tool].scope}
}

// acts reports whether a call does something: only the word true, and nothing like it, makes a writing tool act.
func acts(tool string, args json.RawMessage) bool {
	act, writes := acting[tool]
	return writes && string(argument(args, act.argument)) == "true"
}

// argument returns an argument as it was sent, nil when it was not. What else is wrong with the arguments is the
// tool's to say.
func argument(args json.RawMessage, name string) json.RawMessage {
	var sent map[string]json.RawMessage
	if json.Unmarshal(args, &sent) != nil {
		return nil
	}
	return sent[name]
}

// answer returns the kept answer of the same call, or makes it. Calls that arrive while it is being made wait for it.
// Failures are not kept, and nothing is while the version of the data is not known.
func (s *session) answer(ctx context.Context, tool Tool, args json.RawMessage) (json.RawMessage, error) {
	now := s.service.deps.Clock().UTC()
	w := s.principal.Workspace
	version, unversioned := s.service.deps.Facts.Version(ctx, w.ID)
	key := answerKey{
		storeKey:  storeKey{workspace: w.ID, made: w.CreatedAt.UnixMicro(), data: version},
		settings:  w.Version,
		today:     civil.DayOf(now, s.service.zone(w)),
		tool:      tool.Name,
		arguments: string(args),
		scopes:    joined(s.principal.Scopes),
		allowed:   joined(s.principal.Tools),
	}
	held, unmodelled := s.service.held(ctx, w)
	if unmodelled != nil {
		return nil, unmodelled
	}
	key.models.training = held.Training
	key.models.version, key.models.drift, key.models.news = held.Version(), held.Drift, strings.Join(held.NewTests, "\n")
	tests, err := s.service.experiments(ctx, w, tool)
	if err != nil {
		return nil, err
	}
	key.experiments = stateOfExperiments(tests)
	if key.forecasts, err = s.service.stateOfRecords(ctx, w, tool); err != nil {
		return nil, err
	}
	switch {
	case unversioned != nil:
		return s.make(ctx, tool, args, key, now, tests, s.service.read)
	case !keepable(tool):
		return s.make(ctx, tool, args, key, now, tests, s.service.kept)
	}
	if kept, ok := s.service.answers.GetIfPresent(key); ok {
		return kept, nil
	}
	return s.keep(ctx, tool, args, key, now, tests)
}

// keep makes an answer and keeps it.
func (s *session) keep(ctx context.Context, tool Tool, args json.RawMessage, key answerKey, now time.Time, tests []control.Experiment) (json.RawMessage, error) {
	// The one who asked first may hang up while others wait, so the work does not end with their request.
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.service.deps.Deadline)
	defer cancel()
	return s.service.answers.Get(detached, key, loading(func(ctx context.Context, _ answerKey) (json.RawMessage, error) {
		return s.make(ctx, tool, args, key, now, tests, s.service.kept)
	}))
}

// loading makes what a cache is filled by of a function. A panic in it becomes a [panics.Error] that is counted; the cache
// would make an error of its own of it.
func loading[K comparable, V any](load func(ctx context.Context, key K) (V, error)) otter.LoaderFunc[K, V] {
	return func(ctx context.Context, key K) (value V, err error) {
		err = panics.Caught(func() (err error) {
			value, err = load(ctx, key)
			return err
		})
		return value, err
	}
}

// held returns the workspace's model.
func (s *Service) held(ctx context.Context, w control.Workspace) (mix.Held, error) {
	if s.deps.Models == nil {
		return mix.Held{}, nil
	}
	return s.deps.Models.MMM(ctx, w)
}

// experiments returns the workspace's experiments, for a tool that answers from them.
func (s *Service) experiments(ctx context.Context, w control.Workspace, tool Tool) ([]control.Experiment, error) {
	if s.deps.Experiments == nil || !slices.Contains(experimentTools, tool.Name) {
		return nil, nil
	}
	return s.deps.Experiments.Experiments(ctx, w.ID)
}

// zone returns the workspace's zone.
func (s *Service) zone(w control.Workspace) *time.Location {
	if zone, ok := s.zones.Load(w.Zone); ok {
		return zone.(*time.Location)
	}
	zone := w.Location()
	s.zones.Store(w.Zone, zone)
	return zone
}

// keepable reports whether a tool's answers depend on nothing but the key. Tools that write act each time, and
// diagnose looks at keys and their ends.
func keepable(tool Tool) bool { return !tool.Writes && tool.Name != diagnose.Name }

func (s *session) make(ctx context.Context, tool Tool, args json.RawMessage, key answerKey, now time.Time, tests []control.Experiment, reads storeReader) (json.RawMessage, error) {
	have, err := reads(ctx, key.storeKey)
	if err != nil {
		return nil, err
	}
	held, err := s.service.held(ctx, s.principal.Workspace)
	if err != nil {
		return nil, err
	}
	records, err := s.service.records(ctx, s.principal.Workspace, tool)
	if err != nil {
		return nil, err
	}
	limit := argument(args, "limit")
	call := &Call{
		Workspace: s.principal.Workspace, Principal: s.principal, Now: now, Today: key.today,
		Real: s.service.deps.Now().UTC(), Facts: s.service.deps.Facts,
		Store: have, MMM: held, Experiments: tests, Forecasts: s.service.deps.Forecasts, Records: records,
		key: key.storeKey, trials: s.service.trials, people: s.service.people,
		Keys: s.service.deps.Keys, Hooks: s.service.deps.Hooks, Tools: s.service.names, Log: s.service.deps.Log,
		limitGiven: limit != nil && string(limit) != "null",
	}
	value, err := tool.Call(ctx, call, args)
	if err != nil {
		return nil, err
	}
	a, ok := value.(answer)
	if !ok {
		panic("tool " + tool.Name + " does not return an answer")
	}
	result, err := render(a, call)
	if err != nil {
		return nil, err
	}
	return encode(result)
}

// storeReader returns what a workspace has.
type storeReader func(context.Context, storeKey) (store, error)

// kept returns what a workspace has. It is read once for each version of the data.
func (s *Service) kept(ctx context.Context, key storeKey) (store, error) {
	return s.stores.Get(ctx, key, loading(s.read))
}

// read asks the warehouse what a workspace has.
func (s *Service) read(ctx context.Context, key storeKey) (have store, err error) {
	if have.Coverage, err = s.deps.Facts.Coverage(ctx, key.workspace); err != nil {
		return store{}, err
	}
	if have.channels, err = s.deps.Facts.Channels(ctx, key.workspace); err != nil {
		return store{}, err
	}
	if have.sources, err = s.deps.Facts.Sources(ctx, key.workspace); err != nil {
		return store{}, err
	}
	curves, err := s.curves(ctx, key.workspace, measure.SpendTotals, measure.RevenueBasis{})
	have.late = slices.DeleteFunc(curves, func(c reportlag.Curve) bool { return !c.Late() })
	return have, err
}

// failed turns a failure into a result that the caller's model can act on. What is not the caller's doing is logged in
// full and shown as a sentence with the request's id; a page logs it itself.
func (s *session) failed(ctx context.Context, tool string, err error) (json.RawMessage, error) {
	if _, _, ok := fault.Public(err); ok {
		return s.refused(err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return s.refused(fault.Unavailable("%s took longer than %s", tool, s.service.deps.Deadline).
			WithHint("Ask for a shorter period, or try again when the service is less busy."))
	}
	if s.faults {
		return nil, err
	}
	s.service.deps.Log.LogAttrs(ctx, fault.LogLevel(ctx), "tool failed", slog.String("tool", tool), slog.String("workspace", string(s.principal.Workspace.ID)),
		slog.String("request_id", s.requestID), slog.Any("error", err))
	return s.refused(fault.New(fault.KindUnavailable, "%s met an error inside the service; it was logged as request %s", tool, s.requestID).
		WithHint("Try again; if it stays, give the operator that request id."))
}

// refused encodes a failure as a result: what is wrong, and what to do next.
func (s *session) refused(err error) (json.RawMessage, error) {
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
	return encode(mcp.CallResult{Content: []mcp.Content{{Type: "text", Text: text}}, IsError: true})
}

// joined makes one text of a set of names, whatever their order.
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
