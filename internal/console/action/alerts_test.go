package action_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"assay/internal/console/consoletest"
	"assay/internal/control"
)

func TestAlertRulesAreAddedShownAndRemovedByRole(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleAnalyst)
	b := d.SignedIn(consoletest.Email)
	if p := b.Get("/alerts?workspace=acme"); p.Status != http.StatusOK || !strings.Contains(p.Body, "No alert rule is set") {
		t.Fatalf("without rules: %d %s", p.Status, p.Body)
	}
	add := []string{"action", "add", "metric", "orders", "condition", "below", "threshold", "3", "name", "<b>Few</b>"}
	if p := b.Form("/alerts", add...); p.Status != http.StatusSeeOther {
		t.Fatalf("add: %d %s", p.Status, p.Body)
	}
	p := b.Get("/alerts?workspace=acme")
	for _, want := range []string{"&lt;b&gt;Few&lt;/b&gt;", "orders below 3", "Not evaluated", "No day in the last four weeks met the condition of a rule"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page lacks %q: %s", want, p.Body)
		}
	}
	add[7] = "1.5"
	rejected := b.Form("/alerts", add...)
	if rejected.Status != http.StatusUnprocessableEntity || !strings.Contains(rejected.Body, "is not a number of orders") {
		t.Errorf("half an order: %d %s", rejected.Status, rejected.Body)
	}
	for _, want := range []string{`<option value="orders" selected>`, `<option value="below" selected>`, `value="1.5"`, `value="&lt;b&gt;Few&lt;/b&gt;"`} {
		if !strings.Contains(rejected.Body, want) {
			t.Errorf("the rejected form loses its input: no %s", want)
		}
	}
	d.Member("vera@example.com", control.RoleViewer)
	viewer := d.SignedIn("vera@example.com")
	rule := p.Field("rule")
	add[7] = "4"
	for _, fields := range [][]string{add, {"action", "remove", "rule", rule}} {
		if p := viewer.Form("/alerts", fields...); p.Status != http.StatusForbidden {
			t.Errorf("a viewer may %v: %d", fields[:2], p.Status)
		}
	}
	if p := viewer.Get("/alerts?workspace=acme"); strings.Contains(p.Body, "Add rule") || strings.Contains(p.Body, `value="remove"`) {
		t.Errorf("a viewer is offered changes: %s", p.Body)
	}
	if p := b.Post("/alerts", url.Values{"workspace": {"acme"}, "action": {"remove"}, "rule": {rule}}); p.Status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", p.Status)
	}
	b.Form("/alerts", "action", "remove", "rule", rule)
	if p := b.Get("/alerts?workspace=acme"); !strings.Contains(p.Body, "No alert rule is set") {
		t.Errorf("not removed: %s", p.Body)
	}
}

func TestMembersChooseEmailForThemselves(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleViewer)
	d.Member("vera@example.com", control.RoleViewer)
	b, other := d.SignedIn(consoletest.Email), d.SignedIn("vera@example.com")
	if p := b.Form("/alerts", "action", "email"); p.Status != http.StatusSeeOther {
		t.Fatalf("choose email: %d %s", p.Status, p.Body)
	}
	own := b.Get("/alerts?workspace=acme").Field("destination")
	if own == "" {
		t.Fatal("the own destination cannot be removed")
	}
	p := other.Get("/alerts?workspace=acme")
	if !strings.Contains(p.Body, consoletest.Email) || p.Field("destination") != "" || !strings.Contains(p.Body, "Email me alerts") {
		t.Errorf("the page of another member: %s", p.Body)
	}
	if p := other.Form("/alerts", "action", "silence", "destination", own); p.Status != http.StatusForbidden {
		t.Errorf("another member removes it: %d", p.Status)
	}
	b.Form("/alerts", "action", "silence", "destination", own)
	if p := b.Get("/alerts?workspace=acme"); !strings.Contains(p.Body, "No member or webhook receives alerts") {
		t.Errorf("not removed: %s", p.Body)
	}
}
