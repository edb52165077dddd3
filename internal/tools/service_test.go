package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// counted forwards queries to the fixture's warehouse, counts them and fails them on request.
type counted struct {
	snapshot.Facts
	asked   atomic.Int64
	version atomic.Uint64
	failing atomic.Pointer[error]
	lost    atomic.Pointer[error] // why the version is unknown
	hold    chan struct{}         // if set, a query waits until the channel is closed and returns no rows
}

func (c *counted) ChannelBriefs(ctx context.Context, ws measure.WorkspaceID, m measure.Model, in warehouse.Windows) (warehouse.Pair[[]warehouse.ChannelTotal], error) {
	c.asked.Add(1)
	if c.hold != nil {
		<-c.hold
		return warehouse.Pair[[]warehouse.ChannelTotal]{}, nil
	}
	if err := c.failing.Load(); err != nil {
		return warehouse.Pair[[]warehouse.ChannelTotal]{}, *err
	}
	return c.Facts.ChannelBriefs(ctx, ws, m, in)
}

func (c *counted) StoreDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.DayTotal, error) {
	if c.hold != nil {
		return nil, nil
	}
	return c.Facts.StoreDays(ctx, ws, days)
}

func (c *counted) SurfaceDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]measure.SalesDay, error) {
	if c.hold != nil {
		return nil, nil
	}
	return c.Facts.SurfaceDays(ctx, ws, days)
}

func (c *counted) GoodsDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]measure.Goods, error) {
	if c.hold != nil {
		return nil, nil
	}
	return c.Facts.GoodsDays(ctx, ws, days)
}

func (c *counted) Version(context.Context, measure.WorkspaceID) (uint64, error) {
	if err := c.lost.Load(); err != nil {
		return 0, *err
	}
	return c.version.Load(), nil
}

// countedService returns a service with counted queries and a clock that the test controls.
func countedService(t *testing.T) (*toolkit.Service, *counted, *atomic.Pointer[time.Time], *bytes.Buffer) {
	t.Helper()
	facts := &counted{Facts: fixtureDeps(t).Facts}
	var now atomic.Pointer[time.Time]
	now.Store(&fixtureNow)
	log := &bytes.Buffer{}
	deps := plainDeps(facts, func() time.Time { return *now.Load() })
	deps.Keys, deps.Log = fixtureKeys{}, slog.New(slog.NewTextHandler(log, nil))
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	return s, facts, &now, log
}

func TestAnswerIsCachedUntilItsInputChanges(t *testing.T) {
	t.Parallel()
	s, facts, now, _ := countedService(t)
	w := newWorkspace("full")
	p := reader(w)
	ask := func(p auth.Principal, args string) int64 {
		t.Helper()
		before := facts.asked.Load()
		if r := callAs(t, s.Session(p, "r1"), "performance", args); r.IsError {
			t.Fatal(r.Content[0].Text)
		}
		return facts.asked.Load() - before
	}
	limited := p
	limited.Tools = []string{"performance"}
	steps := []struct {
		name   string
		change func()
		p      auth.Principal
		args   string
		asks   int64
	}{
		{"the first call", func() {}, p, `{}`, 1},
		{"the same call", func() {}, p, `{}`, 0},
		{"the same arguments in other bytes", func() {}, p, `{ }`, 1},
		{"a caller who may call less", func() {}, limited, `{}`, 1},
		{"an hour later", func() { later := now.Load().Add(time.Hour); now.Store(&later) }, p, `{}`, 0},
		{"after the store's midnight", func() { later := now.Load().Add(3 * time.Hour); now.Store(&later) }, p, `{}`, 1},
		{"after an import", func() { facts.version.Add(1) }, p, `{}`, 1},
		{"again", func() {}, p, `{}`, 0},
	}
	for _, step := range steps {
		step.change()
		if got := ask(step.p, step.args); got != step.asks {
			t.Errorf("%s: %d queries, want %d", step.name, got, step.asks)
		}
	}
	p.Workspace.Version++
	if got := ask(p, `{}`); got != 1 {
		t.Errorf("after a change of settings: %d queries, want 1", got)
	}
	p.Workspace.CreatedAt = fixtureNow
	if got := ask(p, `{}`); got != 1 {
		t.Errorf("a workspace recreated with the same name: %d queries, want 1", got)
	}
	other := reader(newWorkspace("empty"))
	if got := ask(other, `{}`); got != 1 {
		t.Errorf("another workspace: %d queries, want 1", got)
	}
}

func TestNothingIsCachedWhileTheDataVersionIsUnknown(t *testing.T) {
	t.Parallel()
	s, facts, _, _ := countedService(t)
	p := reader(newWorkspace("full"))
	callAs(t, s.Session(p, "r1"), "performance", `{}`)
	lost := error(fault.Unavailable("the store is busy"))
	facts.lost.Store(&lost)
	before := facts.asked.Load()
	for range 2 {
		if r := callAs(t, s.Session(p, "r1"), "performance", `{}`); r.IsError {
			t.Fatal(r.Content[0].Text)
		}
	}
	if got := facts.asked.Load() - before; got != 2 {
		t.Errorf("%d queries of two calls without a version, want 2", got)
	}
}

// The clock of answers may be fixed, as in a demo. Keys still expire by the real clock.
func TestKeysExpireByTheRealClock(t *testing.T) {
	t.Parallel()
	deps := fixtureDeps(t)
	deps.Now = func() time.Time { return fixtureNow.AddDate(0, 0, 4) }
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	text := callAs(t, s.Session(reader(newWorkspace("full")), "r1"), "diagnose", `{"detail_level":"debug"}`).Content[0].Text
	if strings.Contains(text, "nightly job") || !strings.Contains(text, "1 API key is valid") {
		t.Errorf("an expired key is not distinguished from a valid key: %s", text)
	}
}

func TestConcurrentIdenticalCallsShareOneQuery(t *testing.T) {
	t.Parallel()
	s, facts, _, _ := countedService(t)
	p := reader(newWorkspace("full"))
	callAs(t, s.Session(p, "r1"), "discover", `{}`) // the store's coverage is read before
	synctest.Test(t, func(t *testing.T) {
		facts.hold = make(chan struct{})
		texts := make([]string, 8)
		var group sync.WaitGroup
		for i := range texts {
			group.Go(func() { texts[i] = callAs(t, s.Session(p, "r1"), "performance", `{}`).Content[0].Text })
		}
		synctest.Wait() // one query is blocked, the others wait for it
		if got := facts.asked.Load(); got != 1 {
			t.Errorf("%d queries of eight callers, want 1", got)
		}
		close(facts.hold)
		group.Wait()
		for i, text := range texts {
			if text != texts[0] || text == "" {
				t.Errorf("caller %d got another answer", i)
			}
		}
	})
}

func TestFailureIsNotCached(t *testing.T) {
	t.Parallel()
	s, facts, _, log := countedService(t)
	p := reader(newWorkspace("full"))
	broken := errors.New("disk on fire at /secret/path")
	facts.failing.Store(&broken)
	r := callAs(t, s.Session(p, "req-42"), "performance", `{}`)
	if !r.IsError || !strings.Contains(r.Content[0].Text, "req-42") || strings.Contains(r.Content[0].Text, "secret") {
		t.Errorf("an internal failure reads %q, want the request's ID without the cause", r.Content[0].Text)
	}
	if got := log.String(); !strings.Contains(got, "disk on fire") || !strings.Contains(got, "req-42") || !strings.Contains(got, "performance") {
		t.Errorf("the log contains %q", got)
	}
	busy := error(fault.Unavailable("the store is busy").WithHint("try again in a moment"))
	facts.failing.Store(&busy)
	if r := callAs(t, s.Session(p, "r2"), "performance", `{}`); r.Content[0].Text != "the store is busy. try again in a moment" {
		t.Errorf("a busy store reads %q", r.Content[0].Text)
	}
	slow := fmt.Errorf("channel totals: %w", context.DeadlineExceeded)
	facts.failing.Store(&slow)
	if r := callAs(t, s.Session(p, "r3"), "performance", `{}`); !strings.Contains(r.Content[0].Text, "took longer than 30s") {
		t.Errorf("a slow store reads %q", r.Content[0].Text)
	}
	facts.failing.Store(nil)
	if r := callAs(t, s.Session(p, "r4"), "performance", `{}`); r.IsError {
		t.Errorf("after the failure: %q", r.Content[0].Text)
	}
}

func TestCanceledCallDoesNotFailOtherCallers(t *testing.T) {
	t.Parallel()
	s, _, _, _ := countedService(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	encoded, err := s.Session(reader(newWorkspace("full")), "r1").CallTool(ctx, "performance", json.RawMessage(`{}`))
	if err != nil || !bytes.Contains(encoded, []byte(`"structuredContent"`)) {
		t.Errorf("answer %s, %v; want it computed for the waiting callers", encoded, err)
	}
}

func TestDiagnoseIsNotCached(t *testing.T) {
	t.Parallel()
	s, _, now, _ := countedService(t)
	p := reader(newWorkspace("full"))
	before := callAs(t, s.Session(p, "r1"), "diagnose", `{}`).Content[0].Text
	later := now.Load().Add(4 * time.Hour * 24)
	now.Store(&later)
	after := callAs(t, s.Session(p, "r1"), "diagnose", `{}`).Content[0].Text
	if !strings.Contains(before, "nightly job") || strings.Contains(after, "nightly job") {
		t.Error("an expired key is still named, or a key that expires soon is not")
	}
}

func TestUnknownToolIsAProtocolError(t *testing.T) {
	t.Parallel()
	_, err := fixtureService(t).Session(reader(newWorkspace("full")), "r1").CallTool(t.Context(), "no_such_tool", nil)
	if fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("an unknown tool: %v, want not found", err)
	}
}

func TestReadingNeedsItsScope(t *testing.T) {
	t.Parallel()
	p := reader(newWorkspace("full"))
	p.Scopes = []control.Scope{control.ScopeWrite}
	r := callAs(t, fixtureService(t).Session(p, "r1"), "performance", `{}`)
	if !r.IsError || !strings.Contains(r.Content[0].Text, string(control.ScopeRead)) {
		t.Errorf("a key that may not read: %+v", r)
	}
}

func TestRevenueBasisIsTheWorkspaces(t *testing.T) {
	t.Parallel()
	w := newWorkspace("full")
	plain := decoded[PerformanceAnswer](t, callAs(t, fixtureService(t).Session(reader(w), "r1"), "performance", `{`+february+`}`).StructuredContent)
	w.Basis = measure.RevenueBasis{WithoutTax: true, WithoutShipping: true, NetOfRefunds: true}
	w.Version = 2
	net := decoded[PerformanceAnswer](t, callAs(t, fixtureService(t).Session(reader(w), "r1"), "performance", `{`+february+`}`).StructuredContent)
	if *net.Metrics.Revenue.Value >= *plain.Metrics.Revenue.Value || *net.Metrics.NetRevenue.Value != *net.Metrics.Revenue.Value {
		t.Errorf("revenue %v without tax, shipping and refunds, %v with them; net %v", *net.Metrics.Revenue.Value, *plain.Metrics.Revenue.Value, *net.Metrics.NetRevenue.Value)
	}
	if !strings.Contains(net.DataQuality.Revenue, "without tax and shipping") {
		t.Errorf("data_quality names the basis %q", net.DataQuality.Revenue)
	}
}

func TestTheModelCardReportsAStaleModel(t *testing.T) {
	t.Parallel()
	card := func(w control.Workspace) (card toolkit.ModelCard) {
		t.Helper()
		c, err := fixtureService(t).Session(reader(w), "r1").ReadResource(t.Context(), toolkit.CardURI)
		if err == nil {
			err = json.Unmarshal([]byte(c.Text), &card)
		}
		if err != nil {
			t.Fatal(err)
		}
		return card
	}
	if c := card(newWorkspace("full")); c.Status != string(mix.Active) || len(c.Why) > 0 {
		t.Errorf("status %q because of %q, want active", c.Status, c.Why)
	}
	changed := newWorkspace("full")
	changed.Basis.WithoutTax = true
	if c := card(changed); c.Status != string(mix.Stale) || len(c.Why) != 1 {
		t.Errorf("after the revenue basis has changed: status %q because of %q, want stale", c.Status, c.Why)
	}
}

func TestResourcesAreListedAndRead(t *testing.T) {
	t.Parallel()
	p := reader(newWorkspace("full"))
	s := fixtureService(t).Session(p, "r1")
	list, err := s.ListResources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	schemas := 0
	for _, r := range list {
		if strings.HasPrefix(r.URI, toolkit.SchemaURI) {
			schemas++
		}
	}
	if schemas != len(All()) {
		t.Errorf("%d result schemas, want one for each of %d tools", schemas, len(All()))
	}
	for _, r := range list {
		c, err := s.ReadResource(t.Context(), r.URI)
		if err != nil || c.Text == "" || c.URI != r.URI || c.MIMEType != r.MIMEType {
			t.Errorf("%s: %+v, %v", r.URI, c, err)
		}
		if strings.HasPrefix(r.URI, toolkit.SchemaURI) && !json.Valid([]byte(c.Text)) {
			t.Errorf("%s is not JSON", r.URI)
		}
	}
	for _, uri := range []string{"assay://nothing", toolkit.SchemaURI + "nothing", toolkit.SchemaURI, "file:///etc/passwd", ""} {
		if _, err := s.ReadResource(t.Context(), uri); fault.KindOf(err) != fault.KindNotFound {
			t.Errorf("%q: %v, want not found", uri, err)
		}
	}
	p.Tools = []string{"trends"}
	if _, err := fixtureService(t).Session(p, "r1").ReadResource(t.Context(), toolkit.SchemaURI+"performance"); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("the schema of a tool outside the allow-list: %v, want not found", err)
	}
}

func BenchmarkKeptAnswer(b *testing.B) {
	s := fixtureService(b)
	p := reader(newWorkspace("full"))
	args := json.RawMessage(`{"detail_level":"analyst"}`)
	for b.Loop() {
		if _, err := s.Session(p, "r1").CallTool(b.Context(), "performance", args); err != nil {
			b.Fatal(err)
		}
	}
}

// demoted returns every renewed caller with only the read scope, and counts the renewals.
type demoted struct{ asked int }

func (d *demoted) Renew(_ context.Context, p auth.Principal) (auth.Principal, error) {
	d.asked++
	p.Scopes = []control.Scope{control.ScopeRead}
	return p, nil
}

func TestOnlyActingCallsRenewTheCaller(t *testing.T) {
	t.Parallel()
	callers := &demoted{}
	deps := fixtureDeps(t)
	deps.Callers = callers
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	p := reader(newWorkspace("full"))
	p.Kind, p.Scopes = auth.ByOAuth, control.Scopes()
	for _, call := range []struct{ tool, args string }{
		{"manage", `{"action":"map_coupon","confirmed":true}`},
		{"propose_budget_shift", `{"confirm":true}`},
		{"pause_campaign", `{"confirm":true}`},
		{"resume_campaign", `{"confirm":true}`},
	} {
		callers.asked = 0
		var missing *mcp.ScopeError
		if _, err := s.Session(p, "r1").CallTool(t.Context(), call.tool, json.RawMessage(call.args)); !errors.As(err, &missing) || callers.asked != 1 {
			t.Errorf("%s by a caller who was cached with all scopes: %v, asked %d times; want a missing scope, asked once", call.tool, err, callers.asked)
		}
	}
	callers.asked = 0
	for _, call := range []struct{ tool, args string }{
		{"discover", `{}`}, {"pause_campaign", `{"confirm":false}`}, {"discover", `{"confirm":true}`},
	} {
		if _, err := s.Session(p, "r1").CallTool(t.Context(), call.tool, json.RawMessage(call.args)); err != nil {
			t.Errorf("%s %s: %v", call.tool, call.args, err)
		}
	}
	if callers.asked != 0 {
		t.Errorf("for calls that change nothing the store gets %d queries", callers.asked)
	}
}

// connected lists ad accounts that a test replaces.
type connected struct{ accounts []control.Connection }

func (c *connected) Connections(context.Context, measure.WorkspaceID) ([]control.Connection, error) {
	return c.accounts, nil
}

func TestDiscoverShowsTheCurrentAdAccounts(t *testing.T) {
	t.Parallel()
	deps, accounts := fixtureDeps(t), &connected{}
	deps.Accounts = accounts
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	session := s.Session(reader(newWorkspace("full")), "r1")
	status := func() (all []string) {
		a := decoded[DiscoverAnswer](t, callAs(t, session, "discover", `{"aspect":"integrations","detail_level":"debug"}`).StructuredContent)
		for _, r := range a.Rows {
			if r.Kind == adAccount {
				all = append(all, r.Status)
			}
		}
		return all
	}
	if before := status(); len(before) != 0 {
		t.Errorf("accounts %v, want none", before)
	}
	for _, now := range []control.ConnectionStatus{control.ConnectionOK, control.ConnectionError} {
		accounts.accounts = []control.Connection{{Platform: measure.Facebook, Account: "123", ConnectionState: control.ConnectionState{Status: now}}}
		if got := status(); len(got) != 1 || got[0] != string(now) {
			t.Errorf("accounts %v, want %s", got, now)
		}
	}
}
