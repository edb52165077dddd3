package action_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/budgetchange"
	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/operation"
)

// writes returns the number of requests that asked for a change.
func writes(a *consoletest.AdSite) (n int) {
	for _, e := range a.Platform.Log() {
		if e.Mutating {
			n++
		}
	}
	return n
}

// executed changes the budget of the campaign as a member.
func executed(a *consoletest.AdSite, u control.User, units int64) budgetchange.Result {
	a.T.Helper()
	r, err := operation.ExecuteBudgetChange.Do(a.T.Context(), a.Operations, operation.Call{Workspace: "acme", Caller: operation.Member(u.ID)},
		budgetchange.Request{Platform: measure.TikTok, Campaign: "1800", Action: ads.SetDailyBudget, Units: units, Reason: "+cmd|' /C calc'!A0"})
	if err != nil || r.Change == nil {
		a.T.Fatalf("%+v, %v", r, err)
	}
	return r
}

func TestChangesAreListedExportedAndRolledBackByRole(t *testing.T) {
	t.Parallel()
	a := consoletest.NewAds(t)
	owner, b := a.Connected()
	made := executed(a, owner, 55)
	id, before := string(made.Change.ID), writes(a)
	p := b.Get("/budget-changes?workspace=acme&platform=tiktok&status=applied&campaign=1800&from=2026-11-20&to=2026-11-20")
	for _, want := range []string{"$50.00", "$55.00", "&#43;10.0%", "Applied", "=&lt;script&gt;", consoletest.Email, `<option value="1800" selected>=&lt;script&gt;alert(1)&lt;/script&gt; (TikTok)`} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the list lacks %q: %s", want, p.Body)
		}
	}
	if strings.Contains(p.Body, "<script>") {
		t.Error("a stored name is not escaped")
	}
	if p := b.Get("/budget-changes?workspace=acme&campaign=Alert("); !strings.Contains(p.Body, "$55.00") || !strings.Contains(p.Body, `<option value="Alert(" selected>`) {
		t.Errorf("a part of a name selects no change: %s", p.Body)
	}
	if p := b.Get("/budget-changes?workspace=acme&platform=google"); !strings.Contains(p.Body, "No change matches the filter") {
		t.Errorf("the platform is ignored: %s", p.Body)
	}
	if p := b.Get("/budget-changes?workspace=acme&from=2026-11-21"); !strings.Contains(p.Body, "No change matches the filter") {
		t.Errorf("the period is ignored: %s", p.Body)
	}
	if p := b.Get("/budget-changes?workspace=acme&from=tomorrow"); p.Status != http.StatusBadRequest {
		t.Errorf("a wrong date: %d, want 400", p.Status)
	}
	rows, err := csv.NewReader(strings.NewReader(b.Get("/budget-changes/export.csv?workspace=acme").Body)).ReadAll()
	list, listErr := operation.ListBudgetChanges.Do(t.Context(), a.Operations,
		operation.Call{Workspace: "acme", Caller: operation.Member(owner.ID)}, control.BudgetChangeFilter{})
	if err != nil || listErr != nil || len(rows) != len(list)+1 || rows[1][0] != string(list[0].ID) || rows[1][7] != list[0].Previous.Amount.Decimal() ||
		rows[1][8] != list[0].New.Amount.Decimal() || rows[1][5] != "'"+consoletest.CampaignName || !strings.HasPrefix(rows[1][13], "'+cmd") {
		t.Errorf("export %q, %v; list %+v, %v", rows, err, list, listErr)
	}
	a.Clock.Move(48 * time.Hour)
	b = a.SignedIn(consoletest.Email) // sessions end by idleness
	p = b.Get("/budget-changes?workspace=acme&change=" + id)
	for _, want := range []string{"Oct 23 – Nov 19, 2026", "Nov 21 – Nov 22, 2026", "incomplete", "$1,540", "$2,695", "1.75", "weeks.svg"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page of the change lacks %q: %s", want, p.Body)
		}
	}
	for _, theme := range []string{"light", "dark"} {
		picture := b.Get("/budget-changes/weeks.svg?workspace=acme&theme=" + theme + "&change=" + id)
		if picture.Status != http.StatusOK || !strings.Contains(picture.Body, "<svg") {
			t.Errorf("picture in %s: %d %s", theme, picture.Status, picture.Body)
		}
	}
	if p := b.Get("/budget-changes/weeks.svg?workspace=acme&change=another"); p.Status != http.StatusNotFound {
		t.Errorf("picture of an unknown change: %d, want 404", p.Status)
	}
	for _, role := range []control.Role{control.RoleViewer, control.RoleAnalyst} {
		name := string(role) + "@example.com"
		a.Member(name, role)
		other := a.SignedIn(name)
		if p := other.Get("/budget-changes?workspace=acme&change=" + id); p.Status != http.StatusOK || strings.Contains(p.Body, "ollback") {
			t.Errorf("%s: %d, or the page offers a rollback", role, p.Status)
		}
		for _, action := range []string{
			"rollback", "preview-rollback", "approve", "reject", "stop", "go", "guardrails", "Rollback", "ROLLBACK", " rollback", "execute",
		} {
			p := other.Form("/budget-changes", "action", action, "change", id, "confirm", "true", "ceiling", "1")
			if p.Status != http.StatusForbidden && p.Status != http.StatusUnprocessableEntity {
				t.Errorf("%s %q: %d, want 403 or 422", role, action, p.Status)
			}
		}
	}
	if p := b.Post("/budget-changes", url.Values{"workspace": {"acme"}, "action": {"rollback"}, "change": {id}}); p.Status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", p.Status)
	}
	if p := b.Get("/budget-changes?workspace=acme&action=rollback&confirm=true&change=" + id); p.Status != http.StatusOK {
		t.Errorf("a link: %d", p.Status)
	}
	p = b.Form("/budget-changes", "action", "preview-rollback", "change", id)
	if p.Status != http.StatusOK || !strings.Contains(p.Body, "Roll back change") || !strings.Contains(p.Body, "max-step-pct") {
		t.Errorf("preview: %d %s", p.Status, p.Body)
	}
	if writes(a) != before {
		t.Fatalf("%d mutating requests before the confirmation, want %d", writes(a), before)
	}
	if p = b.Form("/budget-changes", "action", "rollback", "change", id, "reason", "too early"); p.Status != http.StatusSeeOther {
		t.Errorf("rollback: %d %s", p.Status, p.Body)
	}
	if p = b.Get("/budget-changes?workspace=acme&change=" + id); writes(a) != before+1 || !strings.Contains(p.Body, "Applied, rolled back") {
		t.Errorf("%d mutating requests, %s", writes(a), p.Body)
	}
}

func TestGuardrailsOfAnOpenFormReplaceNoLaterChange(t *testing.T) {
	t.Parallel()
	a := consoletest.NewAds(t)
	_, b := a.Connected()
	opened := b.Get("/budget-changes?workspace=acme").Field("version")
	if p := b.Form("/budget-changes", "action", "guardrails", "version", opened, "ceiling", "100"); p.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", p.Status, p.Body)
	}
	p := b.Form("/budget-changes", "action", "guardrails", "version", opened, "hours", "8-20", "ceiling", "none")
	if opened == "" || p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "have changed since you opened the form") {
		t.Errorf("version %q: %d, want 422", opened, p.Status)
	}
	if p.Field("version") == opened || !strings.Contains(p.Body, `name="ceiling" type="text" maxlength="40" autocomplete="off" value="100`) {
		t.Error("the ceiling of the later change is lost")
	}
}

func TestAnotherMemberApprovesAboveTheGuardrail(t *testing.T) {
	t.Parallel()
	a := consoletest.NewAds(t)
	owner, b := a.Connected()
	if p := b.Form("/budget-changes", "action", "guardrails", "approve-above", "52", "ceiling", "much"); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong ceiling: %d, want 422", p.Status)
	}
	if p := b.Form("/budget-changes", "action", "guardrails", "approve-above", "52", "hours", "none"); p.Status != http.StatusSeeOther {
		t.Fatalf("guardrails: %d %s", p.Status, p.Body)
	}
	asked := executed(a, owner, 55)
	id, before := string(asked.Change.ID), writes(a)
	if p := b.Form("/budget-changes", "action", "approve", "change", id); p.Status != http.StatusForbidden || writes(a) != before {
		t.Errorf("a member approves their own request: %d", p.Status)
	}
	a.Member("ben@example.com", control.RoleAdmin)
	ben := a.SignedIn("ben@example.com")
	if p := ben.Get("/keys?workspace=acme"); !strings.Contains(p.Body, "awaiting approval") {
		t.Errorf("the navigation has no count: %s", p.Body)
	}
	if p := ben.Form("/budget-changes", "action", "approve", "change", id); p.Status != http.StatusSeeOther || writes(a) != before+1 {
		t.Errorf("ben approves: %d %s", p.Status, p.Body)
	}
	if p := ben.Get("/keys?workspace=acme"); strings.Contains(p.Body, "awaiting approval") {
		t.Error("the count stays after the approval")
	}
	ben.Form("/budget-changes", "action", "stop")
	if p := b.Get("/budget-changes?workspace=acme"); !strings.Contains(p.Body, "Changes by tools are stopped") {
		t.Errorf("not stopped: %s", p.Body)
	}
	rows, err := csv.NewReader(strings.NewReader(b.Get("/security/export.csv?workspace=acme&about=budgets").Body)).ReadAll()
	kinds := map[string]int{}
	for _, row := range rows {
		kinds[row[1]]++
	}
	if err != nil || kinds[string(control.GuardrailsChanged)] != 2 || kinds[string(control.BudgetChanged)] != 3 {
		t.Errorf("audit log: %q, %v", rows, err)
	}
	a.Member("vera@example.com", control.RoleViewer)
	if p := a.SignedIn("vera@example.com").Get("/security/export.csv?workspace=acme"); p.Status != http.StatusForbidden {
		t.Errorf("a viewer exports the audit log: %d", p.Status)
	}
}
