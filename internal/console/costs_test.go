package console_test

import (
	"net/http"
	"strings"
	"testing"

	"assay/internal/control"
	"assay/internal/operation"
)

func TestCostsAreEnteredAndRemoved(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	u := d.member(email, control.RoleAnalyst)
	d.member("viewer@acme.example", control.RoleViewer)
	d.stock("a tee")
	b := d.signedIn(email)
	page := b.get("/costs?workspace=acme")
	for _, want := range []string{"No cost is entered.", "Contribution margin", "unknown", "template.csv", "Add cost"} {
		if page.status != http.StatusOK || !strings.Contains(page.body, want) {
			t.Errorf("%d, the page does not contain %q", page.status, want)
		}
	}
	fee := []string{"action", "set", "sales", "", "kind", "payment_fee", "pct", "2.9", "per_order", "0.30", "from", "2026-01-01"}
	if p := b.form("/costs", fee...); p.status != http.StatusSeeOther {
		t.Fatalf("set: %d %s", p.status, p.body)
	}
	all, err := operation.ListCosts.Do(t.Context(), d.operate, operation.Call{Workspace: "acme", Caller: operation.Member(u.ID)}, operation.None{})
	if err != nil || len(all.Rules) != 1 || all.Rules[0].String() != "payment_fee from 2026-01-01: 2.9% and USD 0.30 per order" {
		t.Fatalf("stored %+v, %v", all.Rules, err)
	}
	page = b.get("/costs?workspace=acme")
	for _, want := range []string{"Payment fees", "2.9% and $0.30 per order", "Jan 1, 2026"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	for name, c := range map[string]struct {
		fields []string
		says   string
	}{
		"no value":   {[]string{"action", "set", "sales", "", "kind", "shipping"}, "The cost has no value"},
		"no percent": {[]string{"action", "set", "sales", "", "kind", "returns", "pct", "many"}, "is not a percentage"},
		"no amount":  {[]string{"action", "set", "sales", "", "kind", "shipping", "per_order", "-3"}, "is not an amount in USD"},
		"no day":     {[]string{"action", "set", "sales", "", "kind", "shipping", "per_order", "3", "from", "soon"}, "is not a calendar date"},
		"a channel":  {[]string{"action", "set", "kind", "shipping", "per_order", "3", "sales", "channel:google"}, "only a gross_margin can be for one channel"},
		"no sales":   {[]string{"action", "set", "kind", "shipping", "per_order", "3"}, "is not a sales surface or channel"},
		"no surface": {[]string{"action", "set", "kind", "shipping", "per_order", "3", "sales", "surface:moon"}, "is not a sales surface"},
		"no kind":    {[]string{"action", "set", "sales", "", "kind", "rent", "pct", "3"}, "is not a kind of cost"},
		"nothing":    {[]string{"action", "zap", "sales", ""}, "Unknown form action"},
	} {
		if p := b.form("/costs", c.fields...); p.status != http.StatusUnprocessableEntity || !strings.Contains(strings.ToLower(p.body), strings.ToLower(c.says)) {
			t.Errorf("%s: %d, want a page that contains %q", name, p.status, c.says)
		}
	}
	wholesale := []string{"kind", "gross_margin", "sales", "surface:wholesale"}
	if p := b.form("/costs", append(wholesale, "action", "set", "pct", "30")...); p.status != http.StatusSeeOther {
		t.Errorf("a margin of a surface: %d", p.status)
	}
	if page := b.get("/costs?workspace=acme"); !strings.Contains(page.body, "Gross margin, Wholesale") || !strings.Contains(page.body, `value="surface:wholesale"`) {
		t.Error("the page does not show the margin of the surface")
	}
	if p := b.form("/costs", append(wholesale, "action", "remove")...); p.status != http.StatusSeeOther {
		t.Errorf("remove the margin of a surface: %d", p.status)
	}
	viewer := d.signedIn("viewer@acme.example")
	if p := viewer.form("/costs", fee...); p.status != http.StatusForbidden {
		t.Errorf("a viewer sets: %d", p.status)
	}
	if p := viewer.get("/costs?workspace=acme"); p.status != http.StatusOK || strings.Contains(p.body, `name="action"`) || !strings.Contains(p.body, "Your role can only view costs") {
		t.Errorf("a viewer: %d, or the page has forms", p.status)
	}
	if p := viewer.get("/costs?workspace=other"); p.status != http.StatusNotFound {
		t.Errorf("another workspace: %d", p.status)
	}
	if p := b.form("/costs", "action", "remove", "sales", "", "kind", "payment_fee", "from", "2026-01-01"); p.status != http.StatusSeeOther {
		t.Errorf("remove: %d", p.status)
	}
	if file := b.get("/costs/template.csv"); file.status != http.StatusOK || !strings.HasPrefix(file.body, "sku,") {
		t.Errorf("template: %d %s", file.status, file.body)
	}
}

// Forms offer the channels of the store and the ad platforms that the store does not use yet. Users select a channel
// and do not type it.
func TestFormsListTheChannelsOfTheStore(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleAnalyst)
	d.stock("a tee")
	b := d.signedIn(email)
	for _, path := range []string{"/alerts", "/forecasts", "/experiments"} {
		page := b.get(path + "?workspace=acme")
		for _, want := range []string{`<select id="channel" name="channel"`, `<optgroup label="Not used by this store yet">`, `<option value="microsoft">Microsoft</option>`} {
			if page.status != http.StatusOK || !strings.Contains(page.body, want) {
				t.Errorf("%s: %d, the form does not contain %q", path, page.status, want)
			}
		}
		if strings.Contains(page.body, `name="channel" type="text"`) {
			t.Errorf("%s: the channel is typed", path)
		}
	}
	margin := []string{"action", "set", "kind", "gross_margin", "pct", "40", "sales", "surface:retail"}
	if p := b.form("/costs", margin...); p.status != http.StatusSeeOther {
		t.Errorf("a margin of a surface: %d %s", p.status, p.body)
	}
	if p := b.form("/costs", append(margin, "from", "soon")...); !strings.Contains(p.body, `<option value="surface:retail" selected>`) {
		t.Error("after an error, the form forgets the sales")
	}
}
