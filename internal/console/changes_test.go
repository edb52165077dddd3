package console_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/internal/accounts"
	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/connect"
	"assay/internal/ads/simulator"
	"assay/internal/auth"
	"assay/internal/budgetchange"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/operation"
)

// adSite is a site with a simulated TikTok account that can be connected. Its campaign has a budget of USD 50 per day
// and a name that contains an attack.
type adSite struct {
	*site
	sim        *simulator.TikTok
	operations *operation.Service
}

const campaignName = `=<script>alert(1)</script>`

func newAdSite(t *testing.T) *adSite {
	t.Helper()
	a := &adSite{}
	a.site = newSiteWith(t, func(s *site, o *console.Options) {
		clock := adstest.NewClock(s.clock.now())
		a.sim = simulator.NewTikTok(simulator.TikTokAccount{
			ID: "7000", Name: "<b>Store</b>", Currency: "USD", TimeZone: "UTC", Token: "the-token", MinHundredths: 1000,
			Campaigns: []simulator.TikTokCampaign{
				{ID: "1800", Advertiser: "7000", Name: campaignName, Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 5000},
			},
		}, clock.Now)
		client, _ := adstest.Serve(t, a.sim, clock)
		registry := accounts.New(accounts.Options{
			Store: s.store, Unseal: auth.NewInstallation(make([]byte, 32)).Unseal, Now: s.clock.now, Log: slog.New(slog.DiscardHandler),
			Platforms: connect.Options{Client: client, Endpoints: connect.Endpoints{TikTok: client.Endpoint}},
		})
		budgets := budgetchange.New(budgetchange.Options{
			Store: s.store, Accounts: registry, Clock: clock, Log: slog.New(slog.DiscardHandler), WriteTime: time.Minute,
		})
		a.operations = s.operations(operation.Facts{Known: anyName{}, Accounts: registry, Budgets: budgets})
		o.Operations = a.operations
		answer := recorded(t, "campaigns/one_campaign.txtar")
		o.Ask = func(ctx context.Context, p auth.Principal, tool string, with json.RawMessage) (json.RawMessage, error) {
			encoded, err := answer(ctx, p, tool, with)
			return bytes.ReplaceAll(encoded, []byte(`"conversions":56,`), []byte(`"conversions":56,"credited_revenue":2695,`)), err
		}
	})
	return a
}

// writes returns the number of requests that asked for a change.
func (a *adSite) writes() (n int) {
	for _, e := range a.sim.Log() {
		if e.Mutating {
			n++
		}
	}
	return n
}

// connected signs an owner in and connects the account on the page.
func (a *adSite) connected() (control.User, *browser) {
	a.t.Helper()
	u := a.member(email, control.RoleOwner)
	b := a.signedIn(email)
	p := b.form("/connections", "action", "connect", "platform", "tiktok", "advertiser_id", "7000", "access_token", "the-token")
	if p.status != http.StatusSeeOther || !strings.Contains(p.header.Get("Location"), "done=connected") || strings.Contains(p.header.Get("Location"), "token") {
		a.t.Fatalf("connect: %d %s %s", p.status, p.header.Get("Location"), p.body)
	}
	return u, b
}

// executed changes the budget of the campaign as a member.
func (a *adSite) executed(u control.User, units int64) budgetchange.Result {
	a.t.Helper()
	r, err := operation.ExecuteBudgetChange.Do(a.t.Context(), a.operations, operation.Call{Workspace: "acme", Caller: operation.Member(u.ID)},
		budgetchange.Request{Platform: measure.TikTok, Campaign: "1800", Action: ads.SetDailyBudget, Units: units, Reason: "+cmd|' /C calc'!A0"})
	if err != nil || r.Change == nil {
		a.t.Fatalf("%+v, %v", r, err)
	}
	return r
}

func TestAdAccountsAreConnectedTestedAndDisconnected(t *testing.T) {
	t.Parallel()
	a := newAdSite(t)
	_, b := a.connected()
	p := b.get("/connections?workspace=acme")
	for _, want := range []string{"&lt;b&gt;Store", "7000", "Connected", "USD", "UTC", "Nov 20, 2026"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page lacks %q: %s", want, p.body)
		}
	}
	if p = b.form("/connections", "action", "test", "platform", "tiktok"); !strings.Contains(p.header.Get("Location"), "done=tested") {
		t.Errorf("test: %d %s", p.status, p.body)
	}
	wrong := b.form("/connections", "action", "connect", "platform", "tiktok", "advertiser_id", "not-a-number", "access_token", "another-secret")
	if wrong.status != http.StatusUnprocessableEntity || strings.Contains(wrong.body, "another-secret") || !strings.Contains(wrong.body, `value="not-a-number"`) {
		t.Errorf("a wrong account: %d %s", wrong.status, wrong.body)
	}
	b.form("/connections", "action", "connect", "platform", "tiktok", "advertiser_id", "7000", "access_token", "expired-token")
	if p = b.get("/connections?workspace=acme"); !strings.Contains(p.body, `class="status error"`) || strings.Contains(p.body, "expired-token") {
		t.Errorf("a rejected token is not shown as an error, or is shown itself: %s", p.body)
	}
	a.member("vera@example.com", control.RoleViewer)
	viewer := a.signedIn("vera@example.com")
	for _, action := range []string{"connect", "disconnect", "test", "Disconnect"} {
		fields := []string{"action", action, "platform", "tiktok", "account", "7000", "advertiser_id", "7000", "access_token", "x"}
		if p := viewer.form("/connections", fields...); p.status != http.StatusForbidden && p.status != http.StatusUnprocessableEntity {
			t.Errorf("a viewer can %s: %d", action, p.status)
		}
	}
	if foreign := b.post("/connections", url.Values{"workspace": {"acme"}, "action": {"disconnect"}, "platform": {"tiktok"}, "account": {"7000"}}); foreign.status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", foreign.status)
	}
	if p = b.get("/connections?workspace=acme&disconnect=tiktok&account=7000"); !strings.Contains(p.body, "Disconnect TikTok account") {
		t.Errorf("no confirmation: %s", p.body)
	}
	b.form("/connections", "action", "disconnect", "platform", "tiktok", "account", "7000")
	if p = b.get("/connections?workspace=acme"); !strings.Contains(p.body, "No ad account is connected") {
		t.Errorf("not disconnected: %s", p.body)
	}
}

func TestChangesAreListedExportedAndRolledBackByRole(t *testing.T) {
	t.Parallel()
	a := newAdSite(t)
	owner, b := a.connected()
	made := a.executed(owner, 55)
	id, before := string(made.Change.ID), a.writes()
	p := b.get("/budget-changes?workspace=acme&platform=tiktok&status=applied&campaign=1800&from=2026-11-20&to=2026-11-20")
	for _, want := range []string{"$50.00", "$55.00", "&#43;10.0%", "Applied", "=&lt;script&gt;", email, `<option value="1800" selected>=&lt;script&gt;alert(1)&lt;/script&gt; (TikTok)`} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the list lacks %q: %s", want, p.body)
		}
	}
	if strings.Contains(p.body, "<script>") {
		t.Error("a stored name is not escaped")
	}
	if p := b.get("/budget-changes?workspace=acme&campaign=Alert("); !strings.Contains(p.body, "$55.00") || !strings.Contains(p.body, `<option value="Alert(" selected>`) {
		t.Errorf("a part of a name selects no change: %s", p.body)
	}
	if p := b.get("/budget-changes?workspace=acme&platform=google"); !strings.Contains(p.body, "No change matches the filter") {
		t.Errorf("the platform is ignored: %s", p.body)
	}
	if p := b.get("/budget-changes?workspace=acme&from=2026-11-21"); !strings.Contains(p.body, "No change matches the filter") {
		t.Errorf("the period is ignored: %s", p.body)
	}
	if p := b.get("/budget-changes?workspace=acme&from=tomorrow"); p.status != http.StatusBadRequest {
		t.Errorf("a wrong date: %d, want 400", p.status)
	}
	rows, err := csv.NewReader(strings.NewReader(b.get("/budget-changes/export.csv?workspace=acme").body)).ReadAll()
	list, listErr := operation.ListBudgetChanges.Do(t.Context(), a.operations,
		operation.Call{Workspace: "acme", Caller: operation.Member(owner.ID)}, control.BudgetChangeFilter{})
	if err != nil || listErr != nil || len(rows) != len(list)+1 || rows[1][0] != string(list[0].ID) || rows[1][7] != list[0].Previous.Amount.Decimal() ||
		rows[1][8] != list[0].New.Amount.Decimal() || rows[1][5] != "'"+campaignName || !strings.HasPrefix(rows[1][13], "'+cmd") {
		t.Errorf("export %q, %v; list %+v, %v", rows, err, list, listErr)
	}
	a.clock.move(48 * time.Hour)
	b = a.signedIn(email) // sessions end by idleness
	p = b.get("/budget-changes?workspace=acme&change=" + id)
	for _, want := range []string{"Oct 23 – Nov 19, 2026", "Nov 21 – Nov 22, 2026", "incomplete", "$1,540", "$2,695", "1.75", "weeks.svg"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page of the change lacks %q: %s", want, p.body)
		}
	}
	for _, theme := range []string{"light", "dark"} {
		picture := b.get("/budget-changes/weeks.svg?workspace=acme&theme=" + theme + "&change=" + id)
		if picture.status != http.StatusOK || !strings.Contains(picture.body, "<svg") {
			t.Errorf("picture in %s: %d %s", theme, picture.status, picture.body)
		}
	}
	if p := b.get("/budget-changes/weeks.svg?workspace=acme&change=another"); p.status != http.StatusNotFound {
		t.Errorf("picture of an unknown change: %d, want 404", p.status)
	}
	for _, role := range []control.Role{control.RoleViewer, control.RoleAnalyst} {
		name := string(role) + "@example.com"
		a.member(name, role)
		other := a.signedIn(name)
		if p := other.get("/budget-changes?workspace=acme&change=" + id); p.status != http.StatusOK || strings.Contains(p.body, "ollback") {
			t.Errorf("%s: %d, or the page offers a rollback", role, p.status)
		}
		for _, action := range []string{
			"rollback", "preview-rollback", "approve", "reject", "stop", "go", "guardrails", "Rollback", "ROLLBACK", " rollback", "execute",
		} {
			p := other.form("/budget-changes", "action", action, "change", id, "confirm", "true", "ceiling", "1")
			if p.status != http.StatusForbidden && p.status != http.StatusUnprocessableEntity {
				t.Errorf("%s %q: %d, want 403 or 422", role, action, p.status)
			}
		}
	}
	if p := b.post("/budget-changes", url.Values{"workspace": {"acme"}, "action": {"rollback"}, "change": {id}}); p.status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", p.status)
	}
	if p := b.get("/budget-changes?workspace=acme&action=rollback&confirm=true&change=" + id); p.status != http.StatusOK {
		t.Errorf("a link: %d", p.status)
	}
	p = b.form("/budget-changes", "action", "preview-rollback", "change", id)
	if p.status != http.StatusOK || !strings.Contains(p.body, "Roll back the change") || !strings.Contains(p.body, "max-step-pct") {
		t.Errorf("preview: %d %s", p.status, p.body)
	}
	if a.writes() != before {
		t.Fatalf("%d mutating requests before the confirmation, want %d", a.writes(), before)
	}
	if p = b.form("/budget-changes", "action", "rollback", "change", id, "reason", "too early"); p.status != http.StatusSeeOther {
		t.Errorf("rollback: %d %s", p.status, p.body)
	}
	if p = b.get("/budget-changes?workspace=acme&change=" + id); a.writes() != before+1 || !strings.Contains(p.body, "Applied, rolled back") {
		t.Errorf("%d mutating requests, %s", a.writes(), p.body)
	}
}

func TestGuardrailsOfAnOpenFormReplaceNoLaterChange(t *testing.T) {
	t.Parallel()
	a := newAdSite(t)
	_, b := a.connected()
	opened := b.get("/budget-changes?workspace=acme").field("version")
	if p := b.form("/budget-changes", "action", "guardrails", "version", opened, "ceiling", "100"); p.status != http.StatusSeeOther {
		t.Fatalf("%d %s", p.status, p.body)
	}
	p := b.form("/budget-changes", "action", "guardrails", "version", opened, "hours", "8-20", "ceiling", "none")
	if opened == "" || p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "have changed since you opened the form") {
		t.Errorf("version %q: %d, want 422", opened, p.status)
	}
	if p.field("version") == opened || !strings.Contains(p.body, `name="ceiling" type="text" maxlength="40" autocomplete="off" value="100`) {
		t.Error("the ceiling of the later change is lost")
	}
}

func TestAnotherMemberApprovesAboveTheGuardrail(t *testing.T) {
	t.Parallel()
	a := newAdSite(t)
	owner, b := a.connected()
	if p := b.form("/budget-changes", "action", "guardrails", "approve-above", "52", "ceiling", "much"); p.status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong ceiling: %d, want 422", p.status)
	}
	if p := b.form("/budget-changes", "action", "guardrails", "approve-above", "52", "hours", "none"); p.status != http.StatusSeeOther {
		t.Fatalf("guardrails: %d %s", p.status, p.body)
	}
	asked := a.executed(owner, 55)
	id, before := string(asked.Change.ID), a.writes()
	if p := b.form("/budget-changes", "action", "approve", "change", id); p.status != http.StatusForbidden || a.writes() != before {
		t.Errorf("a member approves their own request: %d", p.status)
	}
	a.member("ben@example.com", control.RoleAdmin)
	ben := a.signedIn("ben@example.com")
	if p := ben.get("/keys?workspace=acme"); !strings.Contains(p.body, "awaiting approval") {
		t.Errorf("the navigation has no count: %s", p.body)
	}
	if p := ben.form("/budget-changes", "action", "approve", "change", id); p.status != http.StatusSeeOther || a.writes() != before+1 {
		t.Errorf("ben approves: %d %s", p.status, p.body)
	}
	if p := ben.get("/keys?workspace=acme"); strings.Contains(p.body, "awaiting approval") {
		t.Error("the count stays after the approval")
	}
	ben.form("/budget-changes", "action", "stop")
	if p := b.get("/budget-changes?workspace=acme"); !strings.Contains(p.body, "Changes by tools are stopped") {
		t.Errorf("not stopped: %s", p.body)
	}
	rows, err := csv.NewReader(strings.NewReader(b.get("/security/export.csv?workspace=acme&about=budgets").body)).ReadAll()
	kinds := map[string]int{}
	for _, row := range rows {
		kinds[row[1]]++
	}
	if err != nil || kinds[string(control.GuardrailsChanged)] != 2 || kinds[string(control.BudgetChanged)] != 3 {
		t.Errorf("audit log: %q, %v", rows, err)
	}
	a.member("vera@example.com", control.RoleViewer)
	if p := a.signedIn("vera@example.com").get("/security/export.csv?workspace=acme"); p.status != http.StatusForbidden {
		t.Errorf("a viewer exports the audit log: %d", p.status)
	}
}
