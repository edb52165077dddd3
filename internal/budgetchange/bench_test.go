package budgetchange

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/connect"
	"assay/internal/ads/simulator"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/panics"
)

// platforms are the simulated platforms with a campaign of USD 50 per day.
var platforms = []measure.Platform{measure.Facebook, measure.Google, measure.TikTok}

// each runs a test on every platform.
func each(t *testing.T, run func(t *testing.T, b *bench)) {
	t.Helper()
	for _, p := range platforms {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			run(t, newBench(t, p))
		})
	}
}

// bench is an executor with a store and one simulated account.
type bench struct {
	*Executor
	workspace control.Workspace
	platform  measure.Platform
	account   string
	campaign  ads.CampaignID
	clock     *adstest.Clock
	sim       *simulator.Server
	store     *settlements
	accounts  accounts
	rates     rates
	ticks     chan time.Time // tick channel of running executors

	perUnit int64             // platform units of one currency unit
	budget  func() int64      // the live budget in minor units
	person  func(minor int64) // someone sets the budget
	status  func() string     // the live status in the platform's words
	expire  func()            // the access token ends

	editGoogle func(do func(*simulator.GoogleAccount)) // someone edits the Google account
}

// accounts are the connected accounts of one workspace.
type accounts map[measure.Platform][]ads.Platform

func (a accounts) Of(_ context.Context, w measure.WorkspaceID, p measure.Platform) ([]ads.Platform, error) {
	if w != "acme" {
		return nil, nil
	}
	return a[p], nil
}

// rates are exchange rates by pair, such as EURUSD.
type rates map[string]string

func (r rates) Convert(_ context.Context, _ control.Workspace, a money.Amount, to money.Currency) (money.Amount, error) {
	text, ok := r[string(a.Currency+to)]
	if !ok {
		return money.Amount{}, fault.NotReady("there is no exchange rate from %s to %s", a.Currency, to)
	}
	rate, err := money.ParseRate(text)
	if err != nil {
		return money.Amount{}, err
	}
	return a.Convert(to, rate)
}

// settlements is a store that sends each change with a final status to the channel final.
type settlements struct {
	*sqlstore.Store
	final  chan control.BudgetChange
	broken error // error of the next update to a final status
}

func (s *settlements) UpdateBudgetChange(ctx context.Context, c control.BudgetChange, from control.ChangeStatus, by control.By) (
	*control.BudgetChange, error,
) {
	if err := s.broken; err != nil && c.Status.Done() {
		s.broken = nil
		return nil, err
	}
	open, err := s.Store.UpdateBudgetChange(ctx, c, from, by)
	if err == nil && c.Status.Done() {
		s.final <- c
	}
	return open, err
}

func openStore(t *testing.T) *settlements {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return &settlements{Store: store, final: make(chan control.BudgetChange, 100)}
}

func newBench(t *testing.T, p measure.Platform) *bench {
	t.Helper()
	b := &bench{platform: p, clock: adstest.NewClock(adstest.Noon), store: openStore(t), rates: rates{}, ticks: make(chan time.Time)}
	var err error
	b.workspace, err = b.store.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), control.By{Actor: "assay test", At: adstest.Noon})
	if err != nil {
		t.Fatal(err)
	}
	var client ads.Platform
	switch p {
	case measure.Facebook:
		client = b.facebook(t, "USD")
	case measure.Google:
		client = b.google(t)
	default:
		client = b.tiktok(t)
	}
	b.accounts, b.account = accounts{p: {client}}, client.Account().ID
	b.Executor = b.restarted()
	return b
}

// restarted returns the executor of a new process on the same store.
func (b *bench) restarted() *Executor {
	return New(Options{
		Store: b.store, Accounts: b.accounts, Rates: b.rates, Clock: b.clock, Log: slog.New(slog.DiscardHandler),
		WriteTime: 3 * adstest.Timeout,
	})
}

// connected returns a client of a served simulator.
func (b *bench) connected(t *testing.T, credentials string, sim *simulator.Server, handler http.Handler) ads.Platform {
	t.Helper()
	b.sim = sim
	client, _ := adstest.Serve(t, handler, b.clock)
	o := connect.Options{Client: client, Endpoints: connect.Endpoints{
		Facebook: client.Endpoint, Google: client.Endpoint, GoogleToken: client.Endpoint, TikTok: client.Endpoint,
	}}
	opened, err := connect.Open(b.platform, []byte(credentials), o)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func (b *bench) facebook(t *testing.T, currency string) ads.Platform {
	t.Helper()
	const own = "1234567890"
	b.campaign, b.perUnit = "120210000000000001", 100
	sim := simulator.NewFacebook(simulator.FacebookAccount{
		ID: own, Name: "Store", Currency: currency, TimeZone: "UTC", Token: "token", Permissions: []string{"ads_management"}, MinDaily: 100,
		Campaigns: []simulator.FacebookCampaign{
			{ID: "120210000000000001", Account: own, Name: "Prospecting", Status: "ACTIVE", Daily: 5000},
			{ID: "120210000000000002", Account: own, Name: "Retargeting", Status: "ACTIVE", Daily: 5000},
			{ID: "120210000000000003", Account: own, Name: "Holiday", Status: "ACTIVE", Lifetime: 500000},
			{ID: "120210000000000004", Account: own, Name: "Old", Status: "ARCHIVED", Daily: 5000},
		},
	}, b.clock.Now)
	edit := func(do func(*simulator.FacebookCampaign)) {
		sim.Edit(func(a *simulator.FacebookAccount) { do(a.Campaign(string(b.campaign))) })
	}
	b.budget = func() (n int64) { edit(func(c *simulator.FacebookCampaign) { n = c.Daily }); return n }
	b.person = func(n int64) { edit(func(c *simulator.FacebookCampaign) { c.Daily, c.Changed = n, nil }) }
	b.status = func() (s string) { edit(func(c *simulator.FacebookCampaign) { s = c.Status }); return s }
	b.expire = func() { sim.Edit(func(a *simulator.FacebookAccount) { a.TokenEnds = b.clock.Now() }) }
	return b.connected(t, `{"account_id":"act_1234567890","access_token":"token"}`, &sim.Server, sim)
}

func (b *bench) google(t *testing.T) ads.Platform {
	t.Helper()
	b.campaign, b.perUnit = "111", 1_000_000
	sim := simulator.NewGoogle(simulator.GoogleAccount{
		ID: "1234567890", Name: "Store", Currency: "USD", TimeZone: "UTC", ClientID: "client", ClientSecret: "secret",
		RefreshToken: "refresh", Scope: "https://www.googleapis.com/auth/adwords", BillableMicros: 10_000, MinMicros: 1_000_000,
		Campaigns: []simulator.GoogleCampaign{
			{ID: "111", Name: "Brand", Status: "ENABLED", Budget: "201"},
			{ID: "112", Name: "Generic", Status: "ENABLED", Budget: "202"},
			{ID: "113", Name: "Shopping", Status: "PAUSED", Budget: "202"},
			{ID: "115", Name: "Gone", Status: "REMOVED", Budget: "201"},
		},
		Budgets: []simulator.GoogleBudget{
			{ID: "201", Period: "DAILY", Micros: 50_000_000}, {ID: "202", Period: "DAILY", Micros: 50_000_000, Shared: true},
		},
	}, b.clock.Now)
	b.editGoogle = sim.Edit
	edit := func(do func(c *simulator.GoogleCampaign, b *simulator.GoogleBudget)) {
		sim.Edit(func(a *simulator.GoogleAccount) {
			c := a.Campaign(string(b.campaign))
			do(c, a.Budget(c.Budget))
		})
	}
	b.budget = func() (n int64) {
		edit(func(_ *simulator.GoogleCampaign, g *simulator.GoogleBudget) { n = g.Micros / 10_000 })
		return n
	}
	b.person = func(n int64) {
		edit(func(_ *simulator.GoogleCampaign, g *simulator.GoogleBudget) { g.Micros = n * 10_000 })
	}
	b.status = func() (s string) {
		edit(func(c *simulator.GoogleCampaign, _ *simulator.GoogleBudget) { s = c.Status })
		return s
	}
	b.expire = func() { sim.Edit(func(a *simulator.GoogleAccount) { a.AccessEnds = b.clock.Now() }) }
	return b.connected(t, `{"customer_id":"123-456-7890","client_id":"client","client_secret":"secret","refresh_token":"refresh"}`,
		&sim.Server, sim)
}

func (b *bench) tiktok(t *testing.T) ads.Platform {
	t.Helper()
	b.campaign, b.perUnit = "1800", 1
	sim := simulator.NewTikTok(simulator.TikTokAccount{
		ID: "7000", Name: "Store", Currency: "USD", TimeZone: "UTC", Token: "token", MinHundredths: 1000,
		Campaigns: []simulator.TikTokCampaign{
			{ID: "1800", Advertiser: "7000", Name: "UGC", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 5000},
			{ID: "1801", Advertiser: "7000", Name: "Fine", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 6050},
		},
	}, b.clock.Now)
	edit := func(do func(*simulator.TikTokCampaign)) {
		sim.Edit(func(a *simulator.TikTokAccount) { do(a.Campaign(string(b.campaign))) })
	}
	b.budget = func() (n int64) { edit(func(c *simulator.TikTokCampaign) { n = c.Hundredths }); return n }
	b.person = func(n int64) { edit(func(c *simulator.TikTokCampaign) { c.Hundredths = n }) }
	b.status = func() (s string) { edit(func(c *simulator.TikTokCampaign) { s = c.Status }); return s }
	b.expire = func() { sim.Edit(func(a *simulator.TikTokAccount) { a.TokenEnds = b.clock.Now() }) }
	return b.connected(t, `{"advertiser_id":"7000","access_token":"token"}`, &sim.Server, sim)
}

// to returns a request for a daily budget in whole dollars.
func (b *bench) to(major int64) Request {
	return Request{Platform: b.platform, Campaign: b.campaign, Action: ads.SetDailyBudget, Units: major * b.perUnit, Reason: "test"}
}

// asks returns a request for another action.
func (b *bench) asks(a ads.Action) Request {
	return Request{Platform: b.platform, Campaign: b.campaign, Action: a}
}

// The callers of the tests: a tool and a command.
var (
	key      = Caller{Actor: "key:k1"}
	operator = Caller{Actor: "assay budget-changes rollback", Person: true}
)

// traffic counts two kinds of requests: requests for a change, and requests that changed something.
func (b *bench) traffic() (mutating, applied int) {
	for _, e := range b.sim.Log() {
		if e.Mutating {
			mutating++
		}
		if e.Applied {
			applied++
		}
	}
	return mutating, applied
}

// wantTraffic checks the numbers of mutating and applied requests since the last Reset of the simulator.
func (b *bench) wantTraffic(t *testing.T, mutating, applied int) {
	t.Helper()
	if m, a := b.traffic(); m != mutating || a != applied {
		t.Errorf("%d mutating requests of which %d changed something, want %d and %d: %+v", m, a, mutating, applied, b.sim.Log())
	}
}

// preview makes a preview. It never sends a mutating request and writes no row.
func (b *bench) preview(t *testing.T, r Request) (Result, error) {
	t.Helper()
	mutating, _ := b.traffic()
	rows := len(b.rows(t))
	result, err := b.Preview(t.Context(), b.workspace, key, r)
	if now, _ := b.traffic(); now != mutating || len(b.rows(t)) != rows {
		t.Errorf("a preview sent %d mutating requests and wrote %d rows", now-mutating, len(b.rows(t))-rows)
	}
	return result, err
}

// execute executes a request and checks that it sends at most one mutating request, or two on Google. The Google client
// repeats a request that was rejected with 401.
func (b *bench) execute(t *testing.T, r Request) Result {
	t.Helper()
	mutating, applied := b.traffic()
	result, err := b.Execute(t.Context(), b.workspace, key, r)
	if err != nil {
		t.Fatalf("Execute(%+v): %v", r, err)
	}
	most := 1
	if b.platform == measure.Google {
		most = 2
	}
	if m, a := b.traffic(); m-mutating > most || a-applied > 1 {
		t.Errorf("%d mutating requests changed something %d times: %+v", m-mutating, a-applied, b.sim.Log())
	}
	return result
}

func (b *bench) rows(t *testing.T) []control.BudgetChange {
	t.Helper()
	rows, err := b.store.BudgetChanges(t.Context(), control.BudgetChangeFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// row returns the stored row of a change.
func (b *bench) row(t *testing.T, id control.BudgetChangeID) control.BudgetChange {
	t.Helper()
	c, err := b.store.BudgetChange(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// running runs the executor in the background until the test ends.
func (b *bench) running(t *testing.T, e *Executor) {
	t.Helper()
	e.serve(true) // serving starts now, before the goroutine starts
	ctx, stop := context.WithCancel(t.Context())
	var work panics.Group
	work.Go(func() {
		if err := e.Run(ctx, b.ticks); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(func() { stop(); work.Wait() })
}

// settled waits for the next row with a final status.
func (b *bench) settled(t *testing.T) control.BudgetChange {
	t.Helper()
	select {
	case c := <-b.store.final:
		return c
	case <-t.Context().Done():
		t.Fatal("no row was settled")
		return control.BudgetChange{}
	}
}

// limits sets the guardrails.
func (b *bench) limits(t *testing.T, change func(*control.Guardrails)) {
	t.Helper()
	g, err := b.store.Guardrails(t.Context(), b.workspace.ID)
	if err != nil {
		t.Fatal(err)
	}
	change(&g)
	if _, err := b.store.SetGuardrails(t.Context(), g, control.By{Actor: "assay test", At: adstest.Noon}); err != nil {
		t.Fatal(err)
	}
}

// wantOutcome checks the outcome of a result. Only the outcomes Refused and Unknown have a reason.
func wantOutcome(t *testing.T, r Result, want Outcome) {
	t.Helper()
	if r.Outcome != want {
		t.Fatalf("outcome %s (%+v), want %s", r.Outcome, r.Refusal, want)
	}
	if explained := want == Refused || want == Unknown; explained != (r.Refusal != nil) {
		t.Errorf("%s has the reason %+v", want, r.Refusal)
	}
}

func wantError(t *testing.T, err error, kind fault.Kind, part string) {
	t.Helper()
	text, _, _ := fault.Public(err)
	if fault.KindOf(err) != kind || !strings.Contains(text, part) {
		t.Errorf("error %v (%s), want %s with the text %q", err, fault.KindOf(err), kind, part)
	}
}

var errTest = errors.New("the disk is full")
