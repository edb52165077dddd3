package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"assay/internal/control"
)

// hidden returns the value of the page's first hidden field with the name, or "" if there is none.
func hidden(body, name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(body)
	if found == nil {
		return ""
	}
	return found[1]
}

func TestAlertRulesAreAddedShownAndRemovedByRole(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleAnalyst)
	b := d.signedIn(email)
	if p := b.get("/alerts?workspace=acme"); p.status != http.StatusOK || !strings.Contains(p.body, "No alert rule is set") {
		t.Fatalf("without rules: %d %s", p.status, p.body)
	}
	add := []string{"action", "add", "metric", "orders", "condition", "below", "threshold", "3", "name", "<b>Few</b>"}
	if p := b.form("/alerts", add...); p.status != http.StatusSeeOther {
		t.Fatalf("add: %d %s", p.status, p.body)
	}
	p := b.get("/alerts?workspace=acme")
	for _, want := range []string{"&lt;b&gt;Few&lt;/b&gt;", "orders below 3", "Not evaluated", "No day met a rule"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page lacks %q: %s", want, p.body)
		}
	}
	add[7] = "1.5"
	rejected := b.form("/alerts", add...)
	if rejected.status != http.StatusUnprocessableEntity || !strings.Contains(rejected.body, "is not a number of orders") {
		t.Errorf("half an order: %d %s", rejected.status, rejected.body)
	}
	for _, want := range []string{`<option value="orders" selected>`, `<option value="below" selected>`, `value="1.5"`, `value="&lt;b&gt;Few&lt;/b&gt;"`} {
		if !strings.Contains(rejected.body, want) {
			t.Errorf("the rejected form loses its input: no %s", want)
		}
	}
	d.member("vera@example.com", control.RoleViewer)
	viewer := d.signedIn("vera@example.com")
	rule := hidden(p.body, "rule")
	add[7] = "4"
	for _, fields := range [][]string{add, {"action", "remove", "rule", rule}} {
		if p := viewer.form("/alerts", fields...); p.status != http.StatusForbidden {
			t.Errorf("a viewer may %v: %d", fields[:2], p.status)
		}
	}
	if p := viewer.get("/alerts?workspace=acme"); strings.Contains(p.body, "Add rule") || strings.Contains(p.body, `value="remove"`) {
		t.Errorf("a viewer is offered changes: %s", p.body)
	}
	if p := b.post("/alerts", url.Values{"workspace": {"acme"}, "action": {"remove"}, "rule": {rule}}); p.status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", p.status)
	}
	b.form("/alerts", "action", "remove", "rule", rule)
	if p := b.get("/alerts?workspace=acme"); !strings.Contains(p.body, "No alert rule is set") {
		t.Errorf("not removed: %s", p.body)
	}
}

func TestMembersChooseEmailForThemselves(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleViewer)
	d.member("vera@example.com", control.RoleViewer)
	b, other := d.signedIn(email), d.signedIn("vera@example.com")
	if p := b.form("/alerts", "action", "email"); p.status != http.StatusSeeOther {
		t.Fatalf("choose email: %d %s", p.status, p.body)
	}
	own := hidden(b.get("/alerts?workspace=acme").body, "destination")
	if own == "" {
		t.Fatal("the own destination cannot be removed")
	}
	p := other.get("/alerts?workspace=acme")
	if !strings.Contains(p.body, email) || hidden(p.body, "destination") != "" || !strings.Contains(p.body, "Email me alerts") {
		t.Errorf("the page of another member: %s", p.body)
	}
	if p := other.form("/alerts", "action", "silence", "destination", own); p.status != http.StatusForbidden {
		t.Errorf("another member removes it: %d", p.status)
	}
	b.form("/alerts", "action", "silence", "destination", own)
	if p := b.get("/alerts?workspace=acme"); !strings.Contains(p.body, "No member or webhook receives messages") {
		t.Errorf("not removed: %s", p.body)
	}
}
