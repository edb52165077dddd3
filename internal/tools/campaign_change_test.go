package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/connect"
	"assay/internal/ads/simulator"
	"assay/internal/auth"
	"assay/internal/budgetchange"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/toolkit"
)

// fixtureBudgets are the simulated platforms of the fixture. Tests read them and do not change them.
var fixtureBudgets *simulated

// simulated executes changes on simulated platforms. Every workspace is connected to the simulated platforms.
type simulated struct {
	*budgetchange.Executor
	store    *sqlstore.Store
	accounts map[measure.Platform][]ads.Platform
	changes  atomic.Int64 // number of state changes on all platforms
	servers  []*simulator.Server
}

// Preview implements [toolkit.BudgetChanges].
func (s *simulated) Preview(ctx context.Context, p auth.Principal, r budgetchange.Request) (budgetchange.Result, error) {
	return s.Executor.Preview(ctx, p.Workspace, budgetchange.Caller{Actor: p.Actor}, r)
}

// Execute implements [toolkit.BudgetChanges].
func (s *simulated) Execute(ctx context.Context, p auth.Principal, r budgetchange.Request) (budgetchange.Result, error) {
	return s.Executor.Execute(ctx, p.Workspace, budgetchange.Caller{Actor: p.Actor}, r)
}

// Of implements [budgetchange.Accounts].
func (s *simulated) Of(_ context.Context, _ measure.WorkspaceID, p measure.Platform) ([]ads.Platform, error) {
	return s.accounts[p], nil
}

// Convert implements [budgetchange.Rates]: there are no rates.
func (s *simulated) Convert(_ context.Context, _ control.Workspace, a money.Amount, to money.Currency) (money.Amount, error) {
	return money.Amount{}, fault.NotReady("there is no exchange rate from %s to %s", a.Currency, to)
}

// newSimulated serves simulated ad platforms until the process ends.
func newSimulated(database sqlstore.Options) (*simulated, error) {
	store, err := sqlstore.Open(context.Background(), database)
	if err != nil {
		return nil, err
	}
	for _, id := range stores {
		w := newWorkspace(measure.WorkspaceID(id))
		if _, err := store.CreateWorkspace(context.Background(), w, control.By{Actor: "test", At: fixtureNow}); err != nil {
			return nil, err
		}
	}
	clock := adstest.NewClock(fixtureNow)
	s := &simulated{store: store, accounts: map[measure.Platform][]ads.Platform{}}
	facebook := simulator.NewFacebook(simulator.FacebookAccount{
		ID: "1234567890", Name: "Store", Currency: "USD", TimeZone: fixtureZone, Token: "token", Permissions: []string{"ads_management"},
		MinDaily: 100, Quota: 1_000_000_000,
		Campaigns: []simulator.FacebookCampaign{
			{ID: "1202", Account: "1234567890", Name: "Prospecting\n=SUM(1)", Status: "ACTIVE", Daily: 5000},
			{ID: "1203", Account: "1234567890", Name: "Holiday", Status: "PAUSED", Lifetime: 500000},
		},
	}, clock.Now)
	google := simulator.NewGoogle(simulator.GoogleAccount{
		ID: "1234567890", Name: "Store", Currency: "USD", TimeZone: fixtureZone, ClientID: "client-id", ClientSecret: "client-secret", RefreshToken: "refresh-token",
		Scope: "https://www.googleapis.com/auth/adwords", BillableMicros: 10_000, MinMicros: 1_000_000,
		Campaigns: []simulator.GoogleCampaign{
			{ID: "111", Name: "Brand", Status: "ENABLED", Budget: "201"},
			{ID: "112", Name: "Generic", Status: "ENABLED", Budget: "202"},
			{ID: "113", Name: "Shopping", Status: "PAUSED", Budget: "202"},
		},
		Budgets: []simulator.GoogleBudget{
			{ID: "201", Period: "DAILY", Micros: 50_000_000}, {ID: "202", Period: "DAILY", Micros: 80_000_000, Shared: true},
		},
	}, clock.Now)
	tiktok := simulator.NewTikTok(simulator.TikTokAccount{
		ID: "7000", Name: "Store", Currency: "EUR", TimeZone: "Europe/Berlin", Token: "token", MinHundredths: 1000,
		Campaigns: []simulator.TikTokCampaign{
			{ID: "1800", Advertiser: "7000", Name: "UGC", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10050},
		},
	}, clock.Now)
	for _, p := range []struct {
		platform    measure.Platform
		handler     http.Handler
		server      *simulator.Server
		credentials string
	}{
		{measure.Facebook, facebook, &facebook.Server, `{"account_id":"act_1234567890","access_token":"token"}`},
		{measure.Google, google, &google.Server, `{"customer_id":"1234567890","client_id":"client-id","client_secret":"client-secret","refresh_token":"refresh-token"}`},
		{measure.TikTok, tiktok, &tiktok.Server, `{"advertiser_id":"7000","access_token":"token"}`},
	} {
		endpoint, err := ads.ParseEndpoint(httptest.NewServer(p.handler).URL)
		if err != nil {
			return nil, err
		}
		opened, err := connect.Open(p.platform, []byte(p.credentials), connect.Options{
			Client:    ads.Options{Timeout: adstest.Timeout, Clock: clock, Jitter: func() float64 { return 0.5 }},
			Endpoints: connect.Endpoints{Facebook: endpoint, Google: endpoint, GoogleToken: endpoint, TikTok: endpoint},
		})
		if err != nil {
			return nil, err
		}
		p.server.OnChange(func() { s.changes.Add(1) })
		s.accounts[p.platform], s.servers = []ads.Platform{opened}, append(s.servers, p.server)
	}
	s.Executor = budgetchange.New(budgetchange.Options{
		Store: store, Accounts: s, Rates: s, Clock: clock, Log: slog.New(slog.DiscardHandler),
		WriteTime: time.Minute,
	})
	return s, nil
}

// changingService returns a service with its own simulated platforms, which a test may change.
func changingService(t *testing.T) (*toolkit.Service, *simulated) {
	t.Helper()
	deps := fixtureDeps(t)
	s, err := newSimulated(sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.store.Close() })
	deps.Budgets = s
	service, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	return service, s
}

// executor is a key that may execute.
func executor() auth.Principal {
	p := reader(newWorkspace("full"))
	p.Scopes = control.Scopes()
	return p
}

func changed(t *testing.T, r mcp.CallResult) CampaignChangeAnswer {
	t.Helper()
	var a CampaignChangeAnswer
	if err := json.Unmarshal([]byte(r.Content[0].Text), &a); err != nil {
		t.Fatalf("%v in %s", err, r.Content[0].Text)
	}
	return a
}

func TestAChangeIsExecutedOnceAndAnswersWithItsRow(t *testing.T) {
	t.Parallel()
	service, s := changingService(t)
	session := service.Session(executor(), "r1")
	for tool, args := range map[string]string{
		"propose_budget_shift": `{"platform":"google","platform_campaign_id":"111","new_budget_value":55000000,"previous_budget_value":50000000,"currency":"usd","confirm":true}`,
		"pause_campaign":       `{"platform":"meta","platform_campaign_id":"1202","confirm":true,"reason":"test"}`,
	} {
		before := s.changes.Load()
		r := callAs(t, session, tool, args)
		a := changed(t, r)
		if r.IsError || !a.Executed || a.Status != budgetchange.Executed || a.AuditID == "" || !strings.Contains(a.Undo, string(a.AuditID)) {
			t.Errorf("%s %s: %s", tool, args, r.Content[0].Text)
		}
		row, err := s.store.BudgetChange(t.Context(), a.AuditID)
		if err != nil || row.Status != control.ChangeApplied || row.Actor != "key:k1" || row.Effect == "" {
			t.Errorf("row %+v, %v; want one that is applied, with its expected effect", row, err)
		}
		again := changed(t, callAs(t, session, tool, strings.Replace(args, `"previous_budget_value":50000000,`, "", 1)))
		if again.Executed || again.Status != budgetchange.Unchanged || again.AuditID != "" || s.changes.Load() != before+1 {
			t.Errorf("%s again: %+v, %d changes", tool, again, s.changes.Load()-before)
		}
	}
}

func TestARefusedExecutionIsAnErrorWithItsReason(t *testing.T) {
	t.Parallel()
	service, s := changingService(t)
	r := callAs(t, service.Session(executor(), "r1"), "propose_budget_shift",
		`{"platform":"facebook","platform_campaign_id":"1202","new_budget_value":7000,"confirm":true}`)
	if a := changed(t, r); !r.IsError || r.StructuredContent != nil || a.Executed || a.Status != budgetchange.Refused || a.AuditID != "" ||
		!strings.Contains(a.Problem, "max-step-pct") || *a.CurrentValue != 5000 {
		t.Errorf("%+v", r)
	}
	if s.changes.Load() != 0 {
		t.Errorf("%d changes", s.changes.Load())
	}
}

func TestAnUnknownOutcomeIsNotAnError(t *testing.T) {
	t.Parallel()
	service, s := changingService(t)
	for _, server := range s.servers {
		server.Script(simulator.Fault{On: simulator.Writes, Do: simulator.Drop})
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s.Clock = stopped{s.Clock, ctx, stop}
	r := callAs(t, service.Session(executor(), "r1"), "pause_campaign", `{"platform":"tiktok","platform_campaign_id":"1800","confirm":true}`)
	if a := changed(t, r); r.IsError || a.Executed || a.Status != budgetchange.Unknown || a.AuditID == "" ||
		!strings.Contains(a.Summary, "Do not repeat") || !strings.Contains(a.NextStep, string(a.AuditID)) {
		t.Errorf("%+v", r)
	}
}

// stopped is a clock with sleeps that end immediately, as in a process that shuts down.
type stopped struct {
	ads.Clock
	ended context.Context // canceled when the process ends
	stop  func()
}

func (s stopped) Sleep(context.Context, time.Duration) error {
	s.stop()
	return s.ended.Err()
}

func TestPreviewsMatchTheirSchema(t *testing.T) {
	t.Parallel()
	for tool, args := range map[string]string{
		"propose_budget_shift": `{"platform":"tiktok","platform_campaign_id":"1800","new_budget_value":110}`,
		"pause_campaign":       `{"platform":"facebook","platform_campaign_id":"1202"}`,
		"resume_campaign":      `{"platform":"google_ads","platform_campaign_id":"113"}`,
	} {
		var schema jsonschema.Schema
		if err := json.Unmarshal(toolNamed(tool).Result, &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		r := call(t, "full", tool, args)
		var value any
		if err := json.Unmarshal([]byte(r.Content[0].Text), &value); err != nil || r.IsError {
			t.Fatalf("%s: %v in %s", tool, err, r.Content[0].Text)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

func TestArgumentsOfChangesAreChecked(t *testing.T) {
	t.Parallel()
	session := fixtureService(t).Session(executor(), "r1")
	const base = `"platform":"google_ads","platform_campaign_id":"111"`
	for args, part := range map[string]string{
		`{` + base + `,"new_budget_value":0,"confirm":true}`:                                                                  "new_budget_value",
		`{` + base + `,"new_budget_value":-55000000,"confirm":true}`:                                                          "new_budget_value",
		`{` + base + `,"new_budget_value":"55000000","confirm":true}`:                                                         "new_budget_value",
		`{` + base + `,"new_budget_value":55000000.5,"confirm":true}`:                                                         "new_budget_value",
		`{` + base + `,"new_budget_value":1e30,"confirm":true}`:                                                               "new_budget_value",
		`{` + base + `,"new_budget_value":1e400,"confirm":true}`:                                                              "new_budget_value",
		`{` + base + `,"new_budget_value":55000001,"confirm":true}`:                                                           "unit",
		`{` + base + `,"new_budget_value":55000000,"currency":"EUR"}`:                                                         "currency",
		`{` + base + `,"new_budget_value":55000000,"confirm":"true"}`:                                                         "confirm",
		`{` + base + `,"new_budget_value":55000000,"confirm":1}`:                                                              "confirm",
		`{` + base + `,"new_budget_value":55000000,"previous_budget_value":1,"confirm":true}`:                                 "previous_budget_value",
		`{` + base + `,"new_budget_value":55000000,"platform_resource_ids":{"nope":"1"}}`:                                     "platform_resource_ids",
		`{` + base + `,"new_budget_value":55000000,"platform_resource_ids":{"tiktokAdvertiserId":"1"}}`:                       "tiktokAdvertiserId",
		`{` + base + `,"new_budget_value":55000000,"platform_resource_ids":{"googleCustomerId":"999"}}`:                       "999",
		`{` + base + `,"new_budget_value":55000000,"platform_resource_ids":{"googleCampaignResourceName":"customers/1/x/1"}}`: "googleCampaignResourceName",
		`{"platform":"google","platform_campaign_id":"112","new_budget_value":90000000}`:                                      "shared",
		`{"platform":"facebook","platform_campaign_id":"1203","new_budget_value":6000}`:                                       "lifetime",
		`{"platform":"tiktok","platform_campaign_id":"987654321098765","new_budget_value":6000,"confirm":true}`:               "987654321098765",
	} {
		if r := callAs(t, session, "propose_budget_shift", args); !r.IsError || !strings.Contains(r.Content[0].Text, part) {
			t.Errorf("%s: %s, want a rejection with the text %q", args, r.Content[0].Text, part)
		}
	}
	if n := fixtureBudgets.changes.Load(); n != 0 {
		t.Errorf("%d changes", n)
	}
}

// FuzzNothingIsExecutedWithoutTheScope sends arguments in every spelling, with a key and a token that may do everything
// except execute changes.
func FuzzNothingIsExecutedWithoutTheScope(f *testing.F) {
	writing := []string{"propose_budget_shift", "pause_campaign", "resume_campaign"}
	for i := range writing {
		for _, args := range []string{
			`{"platform":"facebook","platform_campaign_id":"1202","new_budget_value":5500,"confirm":true}`,
			`{"platform":"google","platform_campaign_id":"113","new_budget_value":81000000,"confirm":false,"confirm":true}`,
			`{"platform":"meta","platform_campaign_id":"1202","new_budget_value":5500,"confirm":true,"confirm":false}`,
			`{"platform":"meta","platform_campaign_id":"1202","new_budget_value":5500,"\u0063onfirm":true}`,
			`{"platform":"meta","platform_campaign_id":"1202","Confirm":true,"new_budget_value":5500}`,
			` {"platform":"tiktok","platform_campaign_id":"1800","new_budget_value":110 ,"confirm" : true } `,
			`{"platform":"tiktok","platform_campaign_id":"1800","new_budget_value":110,"confirm":"true"}`,
			`{"platform":"tiktok","platform_campaign_id":"1800","confirm":[true]}`, `[{"confirm":true}]`,
		} {
			f.Add(byte(i), []byte(args))
		}
	}
	service := fixtureService(f)
	f.Fuzz(func(t *testing.T, which byte, args []byte) {
		tool := writing[int(which)%len(writing)]
		for _, kind := range []auth.Kind{auth.ByKey, auth.ByOAuth} {
			p := reader(newWorkspace("full"))
			p.Kind, p.Scopes = kind, []control.Scope{control.ScopeRead, control.ScopeWrite}
			_, _ = service.Session(p, "r1").CallTool(t.Context(), tool, args)
		}
		if n := fixtureBudgets.changes.Load(); n != 0 {
			t.Fatalf("%s %q executed %d changes", tool, args, n)
		}
	})
}
