package toolkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse"
	"assay/internal/warehouse/storetest"
)

type params struct {
	answer.Shared
	answer.Paged

	Fail    string `json:"fail" doc:"How the call fails."`
	Confirm bool   `json:"confirm" doc:"Acts."`
}

type echo struct {
	answer.Opening
	answer.Table[row]
	answer.Closing
}

type row struct {
	Orders int64 `json:"orders"`
}

// bench is a service with three tools over a real store.
type bench struct {
	*toolkit.Service
	facts *warehouse.Warehouse
	runs  *atomic.Int64 // number of calculated answers
	log   *bytes.Buffer
	noted *calls
	held  chan struct{} // calls that wait end when it is closed
	renew func(auth.Principal) (auth.Principal, error)
}

// calls is a call log.
type calls struct {
	mu  sync.Mutex // guards all
	all []control.Call
}

// Note implements [toolkit.Calls].
func (c *calls) Note(one control.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, one)
}

// Renew implements [toolkit.Callers].
func (b *bench) Renew(_ context.Context, p auth.Principal) (auth.Principal, error) {
	if b.renew == nil {
		return p, nil
	}
	return b.renew(p)
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchWith(t, toolkittest.Nothing{})
}

func newBenchWith(t *testing.T, models snapshot.Models) *bench {
	t.Helper()
	b := &bench{facts: storetest.Open(t), runs: &atomic.Int64{}, log: &bytes.Buffer{}, noted: &calls{}, held: make(chan struct{})}
	storetest.Load(t, b.facts, "shop", "shop.csv", storetest.Shop())
	run := func(ctx context.Context, c *toolkit.Call, p params) (*echo, error) {
		b.runs.Add(1)
		switch p.Fail {
		case "late":
			return nil, context.DeadlineExceeded
		case "invalid":
			return nil, fault.Invalid("the limit is wrong").WithHint("Use 5.")
		case "broken":
			return nil, errors.New("disk on fire")
		case "wait":
			<-b.held
		}
		a := &echo{Opening: answer.Opening{Summary: "Orders."}}
		a.Rows = []row{{c.Store.Orders}}
		c.Suggest(&a.Closing, "second", map[string]any{}, "Because.")
		c.Suggest(&a.Closing, "third", map[string]any{}, "Because.")
		c.Suggest(&a.Closing, "fourth", map[string]any{}, "Because.")
		if c.LimitGiven {
			a.Summary = "Limited."
		}
		return a, nil
	}
	tools := []toolkit.Tool{
		toolkit.Define(toolkit.Spec{Name: "first", Title: "First", Description: "Reads."}, run).Tool,
		toolkit.Define(toolkit.Spec{Name: "second", Title: "Second", Description: "Acts.", Writes: true, Destructive: true, Acts: toolkit.Action{Argument: "confirm", Scope: control.ScopeWrite}}, run).Tool,
		toolkit.Define(toolkit.Spec{Name: "third", Title: "Third", Description: "Is not cached.", Uncached: true, OpenWorld: true}, run).Tool,
	}
	var err error
	b.Service, err = toolkit.NewService(toolkit.Deps{
		Sources: snapshot.Sources{Facts: b.facts, Models: models, Experiments: toolkittest.Nothing{}, Clock: storetest.Clock, Now: storetest.Clock},
		Keys:    toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Accounts: toolkittest.Nothing{}, Calls: b.noted, Callers: b, Log: slog.New(slog.NewTextHandler(b.log, nil)),
		Turns: 2,
	}, tools)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func key(scopes ...control.Scope) auth.Principal {
	return auth.Principal{
		Workspace: control.Workspace{ID: "shop", Currency: "USD", Zone: storetest.Zone, Version: 1}, Actor: "key:k1", Kind: auth.ByKey, Scopes: scopes,
	}
}

// call returns the result of a call, which must not be a protocol error.
func (b *bench) call(t *testing.T, p auth.Principal, tool, args string) mcp.CallResult {
	t.Helper()
	text, err := b.Session(p, "request-1").CallTool(t.Context(), tool, json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	var r mcp.CallResult
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnAnswerIsCachedForItsStateAndCaller(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	read, both := key(control.ScopeRead), key(control.ScopeWrite, control.ScopeRead)
	other, renamed := both, read
	other.Scopes = []control.Scope{control.ScopeRead, control.ScopeWrite, control.ScopeRead} // the same set
	renamed.Workspace.Version = 2
	few := read
	few.Tools = []string{"first"}
	for _, step := range []struct {
		what string
		p    auth.Principal
		tool string
		args string
		runs int64 // number of calculated answers after the call
	}{
		{"the first call", read, "first", `{}`, 1},
		{"the same call", read, "first", `{}`, 1},
		{"other arguments", read, "first", `{"limit":2}`, 2},
		{"more scopes", both, "first", `{}`, 3},
		{"the same scopes in another order", other, "first", `{}`, 3},
		{"an allow-list", few, "first", `{}`, 4},
		{"other settings", renamed, "first", `{}`, 5},
		{"a failure", read, "first", `{"fail":"invalid"}`, 6},
		{"the same failure", read, "first", `{"fail":"invalid"}`, 7},
		{"a tool that is not cached", read, "third", `{}`, 8},
		{"a tool that is not cached, again", read, "third", `{}`, 9},
		{"a tool that writes", read, "second", `{}`, 10},
		{"a tool that writes, again", read, "second", `{}`, 11},
	} {
		b.call(t, step.p, step.tool, step.args)
		if got := b.runs.Load(); got != step.runs {
			t.Errorf("%s: %d calculations, want %d", step.what, got, step.runs)
		}
	}
	one, err := b.Session(read, "r").CallTool(t.Context(), "first", json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Session(read, "r").CallTool(t.Context(), "first", json.RawMessage(`{}`))
	if err != nil || !bytes.Equal(one, again) || b.runs.Load() != 11 {
		t.Errorf("a cached answer differs: %s and %s (%v)", one, again, err)
	}
	more := storetest.Shop().Orders[:1]
	more[0].Key = "another"
	storetest.Load(t, b.facts, "shop", "more.csv", &warehouse.Batch{Orders: more})
	b.call(t, read, "first", `{}`)
	if got := b.runs.Load(); got != 12 {
		t.Errorf("after an import there are %d calculations, want 12", got)
	}
}

func TestEqualConcurrentCallsAreCalculatedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var some errgroup.Group
	for range 8 {
		some.Go(func() error {
			_, err := b.Session(key(control.ScopeRead), "r").CallTool(t.Context(), "first", json.RawMessage(`{}`))
			return err
		})
	}
	if err := some.Wait(); err != nil || b.runs.Load() != 1 {
		t.Errorf("%d calculations, %v", b.runs.Load(), err)
	}
}

// In an overload, a call is rejected with a protocol error. Cached answers and calls that execute an action do not wait
// for a free slot.
func TestAnOverloadIsRejected(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	read := key(control.ScopeRead)
	b.call(t, read, "first", `{}`)
	var some errgroup.Group
	for range 2 {
		some.Go(func() error {
			_, err := b.Session(read, "r").CallTool(t.Context(), "third", json.RawMessage(`{"fail":"wait"}`))
			return err
		})
	}
	for b.runs.Load() < 3 {
		time.Sleep(time.Millisecond)
	}
	b.Overload()
	if _, err := b.Session(read, "r").CallTool(t.Context(), "third", json.RawMessage(`{}`)); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("a call in an overload: %v, want a fault of kind %s", err, fault.KindUnavailable)
	}
	b.call(t, read, "first", `{}`)
	b.call(t, key(control.ScopeRead, control.ScopeWrite), "second", `{"confirm":true}`)
	close(b.held)
	if err := some.Wait(); err != nil || b.runs.Load() != 4 {
		t.Errorf("%d calculations, %v; want 4", b.runs.Load(), err)
	}
	if r := b.call(t, read, "third", `{}`); r.IsError {
		t.Errorf("a call after the overload: %s", r.Content[0].Text)
	}
}

func TestAnAnswerSuggestsWhatTheCallerMayCall(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	few := key(control.ScopeRead)
	few.Tools = []string{"first", "second"}
	for _, c := range []struct {
		p    auth.Principal
		args string
		want []string
		text string
	}{
		{key(control.ScopeRead), `{}`, []string{"second", "third"}, "Orders."},
		{few, `{"limit":1}`, []string{"second"}, "Limited."},
		{few, `{"limit":null}`, []string{"second"}, "Orders."},
	} {
		var a struct {
			Summary string
			Rows    []row
			Next    []struct{ Tool string }
		}
		r := b.call(t, c.p, "first", c.args)
		if err := json.Unmarshal([]byte(r.Content[0].Text), &a); err != nil {
			t.Fatalf("%v: %s", err, r.Content[0].Text)
		}
		var tools []string
		for _, n := range a.Next {
			tools = append(tools, n.Tool)
		}
		if !slices.Equal(tools, c.want) || a.Summary != c.text || len(a.Rows) != 1 || a.Rows[0].Orders != 120 {
			t.Errorf("%s: next %q, summary %q, rows %+v; want %q, %q, 120 orders", c.args, tools, a.Summary, a.Rows, c.want, c.text)
		}
	}
}

// A writing tool acts only if its argument confirm is the literal true. In that case, the service reads the caller's
// permissions again.
func TestACallNeedsItsScopes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	renewed := 0
	b.renew = func(p auth.Principal) (auth.Principal, error) {
		renewed++
		if p.Actor == "key:ended" {
			return p, fault.Forbidden("the key has ended")
		}
		if p.Actor == "key:demoted" {
			p.Scopes = []control.Scope{control.ScopeRead}
		}
		return p, nil
	}
	write := key(control.ScopeRead, control.ScopeWrite)
	ended, demoted, few := write, write, write
	ended.Actor, demoted.Actor, few.Tools = "key:ended", "key:demoted", []string{"first"}
	for _, c := range []struct {
		what    string
		p       auth.Principal
		tool    string
		args    string
		fails   bool
		renewed int
		part    string
	}{
		{"a preview", key(control.ScopeRead), "second", `{"confirm":false}`, false, 0, ""},
		{"a text that is not true", key(control.ScopeRead), "second", `{"confirm":"true"}`, true, 0, "confirm"},
		{"an action without the scope", key(control.ScopeRead), "second", `{"confirm":true}`, true, 1, "--scopes measurement.read,measurement.write"},
		{"an action", write, "second", `{"confirm":true}`, false, 1, ""},
		{"an action of a key that ended", ended, "second", `{"confirm":true}`, true, 1, "the key has ended."},
		{"an action of a key that lost the scope", demoted, "second", `{"confirm":true}`, true, 1, "lacks the scope measurement.write"},
		{"a tool outside the allow-list", few, "third", `{}`, true, 0, "allow-list contains first"},
		{"no scope at all", key(), "first", `{}`, true, 0, "lacks the scope measurement.read"},
		{"a read-only tool with the argument", key(control.ScopeRead), "first", `{"confirm":true}`, false, 0, ""},
	} {
		renewed = 0
		r := b.call(t, c.p, c.tool, c.args)
		if r.IsError != c.fails || renewed != c.renewed || !strings.Contains(r.Content[0].Text, c.part) {
			t.Errorf("%s: error %t, renewed %d times, %s; want %t, %d, %q", c.what, r.IsError, renewed, r.Content[0].Text, c.fails, c.renewed, c.part)
		}
	}
	person := key(control.ScopeRead)
	person.Kind = auth.ByOAuth
	_, err := b.Session(person, "r").CallTool(t.Context(), "second", json.RawMessage(`{"confirm":true}`))
	if needs, ok := errors.AsType[*mcp.ScopeError](err); !ok || !slices.Equal(needs.Required, []string{string(control.ScopeWrite)}) {
		t.Errorf("a person's program without the scope: %v, want it to ask for write", err)
	}
	if _, err := b.Session(person, "r").CallTool(t.Context(), "fourth", nil); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("an unknown tool: %v", err)
	}
}

func TestFailuresSayWhatToDo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	read := key(control.ScopeRead)
	for args, want := range map[string]string{
		`{"fail":"invalid"}`: "the limit is wrong. Use 5.",
		`{"fail":"late"}`:    "first took longer than 30s. Use a shorter period, or try again when the service is less busy.",
		`{"fail":"broken"}`:  "first failed with an internal error, logged as request request-1. Try again. If the error persists, report the request ID to the operator.",
	} {
		if r := b.call(t, read, "first", args); !r.IsError || r.Content[0].Text != want {
			t.Errorf("%s: %+v, want %q", args, r, want)
		}
	}
	if log := b.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "disk on fire") || !strings.Contains(log, "request_id=request-1") || !strings.Contains(log, "workspace=shop") {
		t.Errorf("log %q, want the internal error alone", log)
	}
	b.log.Reset()
	_, err := b.Answer(t.Context(), read, "first", json.RawMessage(`{"fail":"broken"}`))
	if err == nil || err.Error() != "disk on fire" || b.log.Len() > 0 {
		t.Errorf("a page gets %v, and %q is logged", err, b.log)
	}
	if _, err = b.Answer(t.Context(), read, "first", json.RawMessage(`{"fail":"invalid"}`)); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a page gets %v, want a fault of kind invalid", err)
	}
	if text, err := b.Answer(t.Context(), read, "first", json.RawMessage(`{}`)); err != nil || len(text) == 0 {
		t.Errorf("a page gets %s, %v", text, err)
	}
}

func TestCallsAreNoted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	read, few, open := key(control.ScopeRead), key(control.ScopeRead), key(control.ScopeRead)
	few.Tools, open.Workspace.LogArguments = []string{"second"}, true
	open.Client, open.ClientName = "c1", "Claude"
	b.call(t, read, "first", `{}`)
	b.call(t, read, "first", `{"fail":"invalid"}`)
	b.call(t, read, "second", `{"confirm":true}`)
	b.call(t, few, "first", `{}`)
	b.call(t, open, "first", `{"limit":3}`)
	_, _ = b.Session(read, "r").CallTool(t.Context(), "fourth", json.RawMessage(`{}`))
	want := []struct {
		tool    string
		status  control.CallStatus
		missing control.Scope
		args    string
	}{
		{"first", control.CallOK, "", ""},
		{"first", control.CallError, "", ""},
		{"second", control.CallRefused, control.ScopeWrite, ""},
		{"first", control.CallRefused, "", ""},
		{"first", control.CallOK, "", `{"limit":3}`},
		{"unknown", control.CallError, "", ""},
	}
	if len(b.noted.all) != len(want) {
		t.Fatalf("%d calls are recorded, want %d", len(b.noted.all), len(want))
	}
	for i, w := range want {
		got := b.noted.all[i]
		if got.Tool != w.tool || got.Status != w.status || got.Missing != w.missing || got.Arguments != w.args || got.Workspace != "shop" || !got.At.Equal(storetest.Now) ||
			got.Actor != "key:k1" || (got.Bytes > 0) != (w.tool != "unknown") {
			t.Errorf("call %d is recorded as %+v, want %+v", i, got, w)
		}
	}
	if last := b.noted.all[4]; last.Client != "c1" || last.ClientName != "Claude" {
		t.Errorf("the client is recorded as %q %q", last.Client, last.ClientName)
	}
	if _, err := b.Answer(t.Context(), read, "first", nil); err != nil || len(b.noted.all) != len(want) {
		t.Errorf("the call of a page is recorded: %v", err)
	}
}

func TestToolsAreListedForTheCaller(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	list := func(p auth.Principal) (names []string, hints map[string]map[string]bool) {
		var listed struct {
			Tools []struct {
				Name        string
				Annotations map[string]bool
			}
		}
		if err := json.Unmarshal(b.Session(p, "r").ListTools(), &listed); err != nil {
			t.Fatal(err)
		}
		hints = map[string]map[string]bool{}
		for _, tool := range listed.Tools {
			names, hints[tool.Name] = append(names, tool.Name), tool.Annotations
		}
		return names, hints
	}
	names, hints := list(key(control.ScopeRead))
	if !slices.Equal(names, []string{"first", "second", "third"}) {
		t.Errorf("tools %q", names)
	}
	for name, want := range map[string][4]bool{ // read-only, destructive, idempotent, open world
		"first": {true, false, true, false}, "second": {false, true, false, false}, "third": {true, false, true, true},
	} {
		h := hints[name]
		if got := [4]bool{h["readOnlyHint"], h["destructiveHint"], h["idempotentHint"], h["openWorldHint"]}; got != want || len(h) != 4 {
			t.Errorf("%s has the hints %v, want %v", name, h, want)
		}
	}
	few := key(control.ScopeRead)
	few.Tools = []string{"third", "first"}
	if names, _ := list(few); !slices.Equal(names, []string{"first", "third"}) {
		t.Errorf("a key with an allow-list sees %q", names)
	}
}

// Clients that show views get the address of a tool's view. Other clients do not.
func TestToolsAreListedWithTheirViews(t *testing.T) {
	t.Parallel()
	run := func(context.Context, *toolkit.Call, params) (*echo, error) { return &echo{}, nil }
	service, err := toolkit.NewService(toolkit.Deps{}, []toolkit.Tool{
		toolkit.Define(toolkit.Spec{Name: "plain", Title: "Plain", Description: "Reads."}, run).Tool,
		toolkit.Define(toolkit.Spec{Name: "drawn", Title: "Drawn", Description: "Reads.", App: &toolkit.App{URI: "ui://drawn"}}, run).Tool,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what    string
		client  mcp.Client
		allowed []string
		want    string
	}{
		{"a client", mcp.Client{Links: true}, nil, "plain drawn"},
		{"a client with views", mcp.Client{Apps: true}, nil, "plain drawn ui://drawn"},
		{"a client with an allow-list", mcp.Client{}, []string{"drawn"}, "drawn"},
		{"a client with views and an allow-list", mcp.Client{Apps: true}, []string{"drawn"}, "drawn ui://drawn"},
		{"a client with views that may not call the tool", mcp.Client{Apps: true}, []string{"plain"}, "plain"},
	} {
		p := key(control.ScopeRead)
		p.Tools = c.allowed
		session, ok := service.Session(p, "r").(*toolkit.Session)
		if !ok {
			t.Fatal("the session has another type")
		}
		var listed struct {
			Tools []struct {
				Name string
				Meta *struct {
					UI struct{ ResourceURI string }
				} `json:"_meta"`
			}
		}
		if err := json.Unmarshal(session.For(c.client).ListTools(), &listed); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tool := range listed.Tools {
			if got = append(got, tool.Name); tool.Meta != nil {
				got = append(got, tool.Meta.UI.ResourceURI)
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s gets %q, want %q", c.what, text, c.want)
		}
	}
}

// The articles are the same for every caller.
func TestResourcesAreThoseOfTheCaller(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	few := key()
	few.Tools = []string{"second"}
	for _, c := range []struct {
		p    auth.Principal
		want []string
	}{
		{key(control.ScopeRead), []string{
			"assay://guide", "assay://store", "assay://data-dictionary", "assay://models/mmm",
			"assay://result-schemas/first", "assay://result-schemas/second", "assay://result-schemas/third",
		}},
		{few, []string{"assay://guide", "assay://data-dictionary", "assay://result-schemas/second"}},
	} {
		s := b.Session(c.p, "r")
		var uris []string
		articles := 0
		all, err := s.ListResources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if strings.HasPrefix(r.URI, toolkit.ArticleURI) {
				articles++
			} else {
				uris = append(uris, r.URI)
			}
			text, err := s.ReadResource(t.Context(), r.URI)
			if err != nil || text.Text == "" || text.URI != r.URI || text.MIMEType != r.MIMEType || r.Name == "" || r.Title == "" || r.Description == "" {
				t.Errorf("%s is %.50q as %s (%v), want %s", r.URI, text.Text, text.MIMEType, err, r.MIMEType)
			}
			if strings.Contains(r.MIMEType, "json") && !json.Valid([]byte(text.Text)) {
				t.Errorf("%s is not JSON", r.URI)
			}
		}
		if !slices.Equal(uris, c.want) || articles < 150 {
			t.Errorf("resources %q and %d articles, want %q and all articles", uris, articles, c.want)
		}
	}
	for _, uri := range []string{
		"assay://store", "assay://models/mmm", "assay://result-schemas/first", "assay://result-schemas/fourth", "assay://other",
		"assay://articles/", "assay://articles/none", "assay://articles/../guide", "assay://guide/", "assay://guide#cac", "ASSAY://guide",
	} {
		if _, err := b.Session(few, "r").ReadResource(t.Context(), uri); fault.KindOf(err) != fault.KindNotFound {
			t.Errorf("%s: %v, want a fault of kind not_found", uri, err)
		}
	}
	limited := key(control.ScopeRead)
	limited.Tools = []string{"second"}
	for _, uri := range []string{toolkit.StoreURI, toolkit.CardURI} {
		if _, err := b.Session(limited, "r").ReadResource(t.Context(), uri); fault.KindOf(err) != fault.KindNotFound {
			t.Errorf("%s with an allow-list: %v, want a fault of kind not_found", uri, err)
		}
	}
	for tool, uri := range map[string]string{"discover": toolkit.StoreURI, "optimization": toolkit.CardURI} {
		limited.Tools = []string{tool}
		if _, err := b.Session(limited, "r").ReadResource(t.Context(), uri); err != nil {
			t.Errorf("%s with %s in the allow-list: %v", uri, tool, err)
		}
	}
	card, err := b.Session(key(control.ScopeRead), "r").ReadResource(t.Context(), "assay://models/mmm")
	var got toolkit.ModelCard
	if err == nil {
		err = json.Unmarshal([]byte(card.Text), &got)
	}
	if err != nil || got.Status != "none" || got.How != "assay train mmm --workspace shop" || len(got.Limits) == 0 {
		t.Errorf("the card is %+v (%v)", got, err)
	}
}

// held is the state of a workspace's model, which tests replace.
type held struct{ mix.Held }

// MMM implements [snapshot.Models].
func (h *held) MMM(context.Context, control.Workspace) (mix.Held, error) { return h.Held, nil }

func TestTheModelCardDescribesTheModel(t *testing.T) {
	t.Parallel()
	call := callOf()
	call.Workspace = key().Workspace
	m := trained(call)
	m.Saved = &mmm.Saved{Spec: mmm.Spec{Saturation: mmm.MichaelisMenten}}
	refused := &mix.Model{Version: 4, Status: mix.Refused, Window: days("2025-03-17", "2026-03-15"), Reasons: []mmm.Reason{{Text: "too few weeks", Remedy: "import more"}}}
	var state held
	b := newBenchWith(t, &state)
	for _, c := range []struct {
		what    string
		held    mix.Held
		status  string
		drift   string
		reasons int // number of reasons why the model is not active
		attempt int // version of a newer, rejected training
	}{
		{"an active model", mix.Held{Model: m}, "active", "", 0, 0},
		{"a small drift", mix.Held{Model: m, Drift: mix.Drift{Weeks: 2, Of: "revenue", Share: 0.0004}}, "active", "mainly revenue by 0.04%", 0, 0},
		{"a large drift", mix.Held{Model: m, Drift: mix.Drift{Weeks: 2, Of: "revenue", Share: 0.25}}, "stale", "mainly revenue by 25%", 1, 0},
		{"a new test", mix.Held{Model: m, NewTests: []string{"a test"}, Training: true}, "stale", "", 1, 0},
		{"a refused training", mix.Held{Model: m, Attempt: refused}, "active", "", 0, 4},
	} {
		state.Held = c.held
		text, err := b.Session(key(control.ScopeRead), "r").ReadResource(t.Context(), "assay://models/mmm")
		if err != nil {
			t.Fatal(err)
		}
		var got toolkit.ModelCard
		if err := json.Unmarshal([]byte(text.Text), &got); err != nil {
			t.Fatal(err)
		}
		if got.Status != c.status || len(got.Why) != c.reasons || !strings.HasSuffix(got.Drift, c.drift) || (got.Drift == "") != (c.drift == "") || got.Training != c.held.Training {
			t.Errorf("%s: %s, want status %s, %d reasons and the drift %q", c.what, text.Text, c.status, c.reasons, c.drift)
		}
		if got.Version != 3 || got.Weeks != 104 || got.Seed != 9 || got.DataHash != "hash" || got.Start != m.Window.First || got.End != m.Window.Last ||
			got.Accuracy.R2 != 0.9 || len(got.Tests) != 3 || len(got.LeftOut) != 1 || got.Spec.Saturation != mmm.MichaelisMenten || !slices.Equal(got.Channels, []string{"facebook", "google"}) {
			t.Errorf("%s: %s does not describe the model %+v", c.what, text.Text, m)
		}
		switch a := got.Attempt; {
		case (a != nil) != (c.attempt > 0):
			t.Errorf("%s: the newer training is %+v", c.what, a)
		case a != nil && (a.Version != c.attempt || a.End != refused.Window.Last || len(a.Reasons) != 1 || a.Reasons[0].Remedy != "import more"):
			t.Errorf("%s: the newer training is %+v, want %+v", c.what, a, refused)
		}
	}
}

func TestTheStoreIsThatOfTheWorkspace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := key(control.ScopeRead)
	other.Workspace.ID, other.Workspace.Currency = "another", "EUR"
	for p, want := range map[string]toolkit.StoreContext{
		"shop":    {Workspace: "shop", Currency: "USD", Channels: []string{"facebook"}},
		"another": {Workspace: "another", Currency: "EUR"},
	} {
		principal := key(control.ScopeRead)
		if p == "another" {
			principal = other
		}
		text, err := b.Session(principal, "r").ReadResource(t.Context(), toolkit.StoreURI)
		var got toolkit.StoreContext
		if err == nil {
			err = json.Unmarshal([]byte(text.Text), &got)
		}
		if err != nil || got.Workspace != want.Workspace || got.Currency != want.Currency || got.Today != today || got.Model.Status != "none" {
			t.Errorf("%s: %s (%v)", p, text.Text, err)
		}
		if has := slices.Contains(got.Channels, "facebook"); has != (p == "shop") || (got.Rows["orders"] > 0) != has || got.LastOrder.IsZero() == has {
			t.Errorf("%s: %s", p, text.Text)
		}
	}
}

func TestTheDictionaryExplainsTheFieldsOfTheCallersTools(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	few := key(control.ScopeRead)
	few.Tools = []string{"second"}
	for _, c := range []struct {
		p    auth.Principal
		want string
	}{
		{key(control.ScopeRead), "| `timezone` | Time zone in which days start at midnight. | first, second, third |\n"},
		{few, "| `timezone` | Time zone in which days start at midnight. | second |\n"},
	} {
		text, err := b.Session(c.p, "r").ReadResource(t.Context(), "assay://data-dictionary")
		if err != nil || !strings.Contains(text.Text, c.want) || !strings.Contains(text.Text, "| `orders` | ") {
			t.Errorf("%v, want %q in\n%s", err, c.want, text.Text)
		}
	}
}

// The service of this test lacks the tools of the prompts, so it offers no prompt.
func TestPromptsNeedTheirTools(t *testing.T) {
	t.Parallel()
	s := newBench(t).Session(key(control.ScopeRead), "r")
	if prompts := s.ListPrompts(); len(prompts) != 0 {
		t.Errorf("prompts %+v, want none", prompts)
	}
	if _, err := s.GetPrompt(t.Context(), toolkit.WeeklyReview, nil); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a prompt without its tools: %v, want not found", err)
	}
}

// copying is an engine that is still copying the facts when a call's deadline is reached.
type copying struct{ warehouse.Engine }

func (copying) Version(ctx context.Context, _ measure.WorkspaceID) (uint64, error) {
	<-ctx.Done()
	return 0, fault.Unavailable("this node is still copying the facts").WithHint("Try again in a minute.").Wrap(ctx.Err())
}

func TestACallHasADeadlineBeforeItsDataAreRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"first", "third"} { // cached and not cached
		tool := toolkit.Define(toolkit.Spec{Name: name, Title: "Tool", Description: "Reads.", Uncached: name == "third"},
			func(context.Context, *toolkit.Call, params) (*echo, error) { return &echo{}, nil }).Tool
		b := &bench{noted: &calls{}}
		var err error
		b.Service, err = toolkit.NewService(toolkit.Deps{
			Sources: snapshot.Sources{Facts: warehouse.New(copying{}), Models: toolkittest.Nothing{}, Experiments: toolkittest.Nothing{}, Clock: storetest.Clock, Now: storetest.Clock},
			Keys:    toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Accounts: toolkittest.Nothing{}, Calls: b.noted, Callers: b, Log: slog.New(slog.DiscardHandler),
			Deadline: time.Millisecond,
		}, []toolkit.Tool{tool})
		if err != nil {
			t.Fatal(err)
		}
		if r := b.call(t, key(control.ScopeRead), name, `{}`); !r.IsError || !strings.Contains(r.Content[0].Text, "still copying") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
