package console_test

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/tools"
)

func TestInsightAndDecisionPagesShowTheAnswersOfTheTools(t *testing.T) {
	t.Parallel()
	ask := recordedTools(t)
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = ask })
	s.member(email, control.RoleAnalyst)
	b := s.signedIn(email)
	result := func(tool string) json.RawMessage {
		text, err := ask(t.Context(), auth.Principal{}, tool, json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	named := strings.NewReplacer("facebook", "Facebook Ads", "google", "Google Ads").Replace // sentences name channels, calls have their keys
	insights, err := tools.Insights.Result(result("insights"))
	if err != nil {
		t.Fatal(err)
	}
	page := b.get("/insights?workspace=acme")
	if page.status != http.StatusOK || !strings.Contains(page.body, "<h1>7 insights, 1 of critical or high priority.</h1>") ||
		!strings.Contains(page.body, "$154 per month") {
		t.Errorf("insights: %d, without the counts or the value of the answer", page.status)
	}
	for _, row := range insights.Rows {
		if !strings.Contains(page.body, html.EscapeString(named(row.Finding))) || !strings.Contains(page.body, html.EscapeString(row.Action)) ||
			!strings.Contains(page.body, `name="insight" value="`+string(row.ID)+`"`) {
			t.Errorf("the page lacks %+v", row)
		}
	}
	feed, err := tools.DecisionFeed.Result(result("decision_feed"))
	if err != nil {
		t.Fatal(err)
	}
	page = b.get("/decisions?workspace=acme&risk=conservative&horizon=30")
	if page.status != http.StatusOK || !strings.Contains(page.body, "<h1>9 decisions are open.</h1>") || strings.Count(page.body, `aria-current="page"`) != 1 {
		t.Errorf("decisions: %d, or not the count of the answer", page.status)
	}
	calls := 0
	for _, row := range feed.Rows {
		if !strings.Contains(page.body, html.EscapeString(row.Decision)) || !strings.Contains(page.body, html.EscapeString(named(row.Why))) {
			t.Errorf("the page lacks %+v", row)
		}
		if row.Call != nil {
			calls++
		}
	}
	if n := strings.Count(page.body, `data-copy="item-`); n != 2*calls {
		t.Errorf("%d buttons copy a call, want 2 for each of %d decisions", n, calls)
	}
	prose := regexp.MustCompile(`(?s)<pre.*?</pre>|<[^>]*>`).ReplaceAllString(page.body, " ")
	if key := regexp.MustCompile(`facebook|google`).FindString(prose); key != "" {
		t.Errorf("the page writes %s instead of the name of the channel: %s", key, prose)
	}
	for _, want := range []string{
		"a campaign on Google Ads by", "$60.00 → $65.00 per day", "$241 – $308", "Prospecting | broad",
		`<option value="conservative" selected>`, `value="30"`, "9 steps",
	} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the plan lacks %q", want)
		}
	}
}

func TestInsightNamesAreEscaped(t *testing.T) {
	t.Parallel()
	const hostile = `<script>alert(1)</script>`
	all := changed(recorded(t, "insights/second_page.txtar"), func(a map[string]any) {
		row := a["rows"].([]any)[0].(map[string]any)
		row["subject"], row["confidence_pct"] = hostile, 82.4
		row["evidence"] = []any{map[string]any{"name": hostile, "value": 0.1234, "unit": "share"}}
		row["call"] = map[string]any{"tool": "creators", "arguments": map[string]any{"search": hostile}, "reason": hostile}
	})
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = all })
	s.member(email, control.RoleViewer)
	body := s.signedIn(email).get("/insights?workspace=acme").body
	if strings.Contains(body, "<script>alert") || !strings.Contains(body, html.EscapeString(hostile)) {
		t.Error("a stored name is not escaped or missing")
	}
	for _, want := range []string{"82.4% confidence", ": 12.3%", "Copy as call: curl"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestInsightsAreDismissedAndRestoredByRole(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleAnalyst)
	d.member("vera@example.com", control.RoleViewer)
	d.stock("a tee")
	b, viewer := d.signedIn(email), d.signedIn("vera@example.com")
	shown := b.get("/insights?workspace=acme").body
	id := hidden(shown, "insight")
	if id == "" {
		t.Fatalf("the store has no insight: %s", shown)
	}
	fields := []string{"action", "dismiss", "insight", id, "reason", "<b>known</b>"}
	if p := viewer.form("/insights", fields...); p.status != http.StatusForbidden {
		t.Errorf("a viewer may dismiss: %d", p.status)
	}
	if p := viewer.get("/insights?workspace=acme"); p.status != http.StatusOK || hidden(p.body, "insight") != "" || strings.Contains(p.body, `value="dismiss"`) {
		t.Errorf("a viewer is offered changes: %d", p.status)
	}
	open := strings.Count(shown, `value="dismiss"`)
	if p := b.form("/insights", fields...); p.status != http.StatusSeeOther {
		t.Fatalf("dismiss: %d %s", p.status, p.body)
	}
	p := b.get("/insights?workspace=acme")
	if strings.Count(p.body, `value="dismiss"`) != open-1 || !strings.Contains(p.body, "&lt;b&gt;known&lt;/b&gt;") {
		t.Errorf("the insight is not dismissed, or the reason is missing: %s", p.body)
	}
	if p := viewer.form("/insights", "action", "restore", "insight", id); p.status != http.StatusForbidden {
		t.Errorf("a viewer may restore: %d", p.status)
	}
	b.form("/insights", "action", "restore", "insight", id)
	if p := b.get("/insights?workspace=acme"); strings.Count(p.body, `value="dismiss"`) != open || strings.Contains(p.body, `value="restore"`) {
		t.Errorf("the insight is not restored: %s", p.body)
	}
}

func TestInsightAndDecisionPagesOfAnEmptyStore(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	for path, want := range map[string]string{
		"/insights": "<h1>No insights.</h1>", "/insights?priority=high": "no data have been imported", "/decisions": "<h1>No decision is open.</h1>",
	} {
		if p := b.get(path); p.status != http.StatusOK || !strings.Contains(p.body, want) {
			t.Errorf("%s: %d, want %q", path, p.status, want)
		}
	}
	for _, tool := range []string{"insights", "decision_feed", "autopilot_plan"} {
		if p := b.get("/articles?term=" + tool); p.status != http.StatusOK || !strings.Contains(p.body, "<article") {
			t.Errorf("the article about %s: %d", tool, p.status)
		}
	}
	for _, query := range []string{"horizon=99", "horizon=x", "risk=reckless"} {
		if p := b.get("/decisions?" + query); p.status != http.StatusBadRequest {
			t.Errorf("%s: %d, want a bad request", query, p.status)
		}
	}
}
