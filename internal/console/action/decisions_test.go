package action_test

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/tools"
)

func TestInsightAndDecisionPagesShowTheAnswersOfTheTools(t *testing.T) {
	t.Parallel()
	ask := consoletest.RecordedTools(t)
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = ask })
	s.Member(consoletest.Email, control.RoleAnalyst)
	b := s.SignedIn(consoletest.Email)
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
	page := b.Get("/insights?workspace=acme")
	if page.Status != http.StatusOK || !strings.Contains(page.Body, "<h1>7 insights, 1 of critical or high priority.</h1>") ||
		!strings.Contains(page.Body, "$154 per month") {
		t.Errorf("insights: %d, without the counts or the value of the answer", page.Status)
	}
	for _, row := range insights.Rows {
		if !strings.Contains(page.Body, html.EscapeString(named(row.Finding))) || !strings.Contains(page.Body, html.EscapeString(row.Action)) ||
			!strings.Contains(page.Body, `name="insight" value="`+string(row.ID)+`"`) {
			t.Errorf("the page lacks %+v", row)
		}
	}
	feed, err := tools.DecisionFeed.Result(result("decision_feed"))
	if err != nil {
		t.Fatal(err)
	}
	page = b.Get("/decisions?workspace=acme&risk=conservative&horizon=30")
	if page.Status != http.StatusOK || !strings.Contains(page.Body, "<h1>9 decisions are open.</h1>") || strings.Count(page.Body, `aria-current="page"`) != 1 {
		t.Errorf("decisions: %d, or not the count of the answer", page.Status)
	}
	calls := 0
	for _, row := range feed.Rows {
		if !strings.Contains(page.Body, html.EscapeString(row.Decision)) || !strings.Contains(page.Body, html.EscapeString(named(row.Why))) {
			t.Errorf("the page lacks %+v", row)
		}
		if row.Call != nil {
			calls++
		}
	}
	if n := strings.Count(page.Body, `data-copy="item-`); n != 2*calls {
		t.Errorf("%d buttons copy a call, want 2 for each of %d decisions", n, calls)
	}
	prose := regexp.MustCompile(`(?s)<pre.*?</pre>|<[^>]*>`).ReplaceAllString(page.Body, " ")
	if key := regexp.MustCompile(`facebook|google`).FindString(prose); key != "" {
		t.Errorf("the page writes %s instead of the name of the channel: %s", key, prose)
	}
	for _, want := range []string{
		"a campaign on Google Ads by", "$60.00 → $65.00 per day", "$241 – $308", "Prospecting | broad",
		`<option value="conservative" selected>`, `value="30"`, "9 steps",
	} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the plan lacks %q", want)
		}
	}
}

func TestInsightNamesAreEscaped(t *testing.T) {
	t.Parallel()
	const hostile = `<script>alert(1)</script>`
	all := consoletest.Changed(consoletest.Recorded(t, "insights/second_page.txtar"), func(a map[string]any) {
		row := a["rows"].([]any)[0].(map[string]any)
		row["subject"], row["confidence_pct"] = hostile, 82.4
		row["evidence"] = []any{map[string]any{"name": hostile, "value": 0.1234, "unit": "share"}}
		row["call"] = map[string]any{"tool": "creators", "arguments": map[string]any{"search": hostile}, "reason": hostile}
	})
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = all })
	s.Member(consoletest.Email, control.RoleViewer)
	body := s.SignedIn(consoletest.Email).Get("/insights?workspace=acme").Body
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
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleAnalyst)
	d.Member("vera@example.com", control.RoleViewer)
	d.Stock("a tee")
	b, viewer := d.SignedIn(consoletest.Email), d.SignedIn("vera@example.com")
	page := b.Get("/insights?workspace=acme")
	shown := page.Body
	id := page.Field("insight")
	if id == "" {
		t.Fatalf("the store has no insight: %s", shown)
	}
	fields := []string{"action", "dismiss", "insight", id, "reason", "<b>known</b>"}
	if p := viewer.Form("/insights", fields...); p.Status != http.StatusForbidden {
		t.Errorf("a viewer may dismiss: %d", p.Status)
	}
	if p := viewer.Get("/insights?workspace=acme"); p.Status != http.StatusOK || p.Field("insight") != "" || strings.Contains(p.Body, `value="dismiss"`) {
		t.Errorf("a viewer is offered changes: %d", p.Status)
	}
	open := strings.Count(shown, `value="dismiss"`)
	if p := b.Form("/insights", fields...); p.Status != http.StatusSeeOther {
		t.Fatalf("dismiss: %d %s", p.Status, p.Body)
	}
	p := b.Get("/insights?workspace=acme")
	if strings.Count(p.Body, `value="dismiss"`) != open-1 || !strings.Contains(p.Body, "&lt;b&gt;known&lt;/b&gt;") {
		t.Errorf("the insight is not dismissed, or the reason is missing: %s", p.Body)
	}
	if p := viewer.Form("/insights", "action", "restore", "insight", id); p.Status != http.StatusForbidden {
		t.Errorf("a viewer may restore: %d", p.Status)
	}
	b.Form("/insights", "action", "restore", "insight", id)
	if p := b.Get("/insights?workspace=acme"); strings.Count(p.Body, `value="dismiss"`) != open || strings.Contains(p.Body, `value="restore"`) {
		t.Errorf("the insight is not restored: %s", p.Body)
	}
}

func TestInsightAndDecisionPagesOfAnEmptyStore(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	for path, want := range map[string]string{
		"/insights": "<h1>No insights.</h1>", "/insights?priority=high": "no data have been imported", "/decisions": "<h1>No decision is open.</h1>",
	} {
		if p := b.Get(path); p.Status != http.StatusOK || !strings.Contains(p.Body, want) {
			t.Errorf("%s: %d, want %q", path, p.Status, want)
		}
	}
	for _, tool := range []string{"insights", "decision_feed", "autopilot_plan"} {
		if p := b.Get("/articles?term=" + tool); p.Status != http.StatusOK || !strings.Contains(p.Body, "<article") {
			t.Errorf("the article about %s: %d", tool, p.Status)
		}
	}
	for _, query := range []string{"horizon=99", "horizon=x", "risk=reckless"} {
		if p := b.Get("/decisions?" + query); p.Status != http.StatusBadRequest {
			t.Errorf("%s: %d, want a bad request", query, p.Status)
		}
	}
}
