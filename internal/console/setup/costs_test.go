package setup_test

import (
	"net/http"
	"strings"
	"testing"

	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/operation"
)

func TestCostsAreEnteredAndRemoved(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	u := d.Member(consoletest.Email, control.RoleAnalyst)
	d.Member("viewer@acme.example", control.RoleViewer)
	d.Stock("a tee")
	b := d.SignedIn(consoletest.Email)
	page := b.Get("/costs?workspace=acme")
	for _, want := range []string{"No cost is entered.", "Contribution margin", "unknown", "template.csv", "Add cost"} {
		if page.Status != http.StatusOK || !strings.Contains(page.Body, want) {
			t.Errorf("%d, the page does not contain %q", page.Status, want)
		}
	}
	fee := []string{"action", "set", "sales", "", "kind", "payment_fee", "pct", "2.9", "per_order", "0.30", "from", "2026-01-01"}
	if p := b.Form("/costs", fee...); p.Status != http.StatusSeeOther {
		t.Fatalf("set: %d %s", p.Status, p.Body)
	}
	all, err := operation.ListCosts.Do(t.Context(), d.Operations, operation.Call{Workspace: "acme", Caller: operation.Member(u.ID)}, operation.None{})
	if err != nil || len(all.Rules) != 1 || all.Rules[0].String() != "payment_fee from 2026-01-01: 2.9% and USD 0.30 per order" {
		t.Fatalf("stored %+v, %v", all.Rules, err)
	}
	page = b.Get("/costs?workspace=acme")
	for _, want := range []string{"Payment fees", "2.9% and $0.30 per order", "Jan 1, 2026"} {
		if !strings.Contains(page.Body, want) {
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
		if p := b.Form("/costs", c.fields...); p.Status != http.StatusUnprocessableEntity || !strings.Contains(strings.ToLower(p.Body), strings.ToLower(c.says)) {
			t.Errorf("%s: %d, want a page that contains %q", name, p.Status, c.says)
		}
	}
	wholesale := []string{"kind", "gross_margin", "sales", "surface:wholesale"}
	if p := b.Form("/costs", append(wholesale, "action", "set", "pct", "30")...); p.Status != http.StatusSeeOther {
		t.Errorf("a margin of a surface: %d", p.Status)
	}
	if page := b.Get("/costs?workspace=acme"); !strings.Contains(page.Body, "Gross margin, Wholesale") || !strings.Contains(page.Body, `value="surface:wholesale"`) {
		t.Error("the page does not show the margin of the surface")
	}
	if p := b.Form("/costs", append(wholesale, "action", "remove")...); p.Status != http.StatusSeeOther {
		t.Errorf("remove the margin of a surface: %d", p.Status)
	}
	viewer := d.SignedIn("viewer@acme.example")
	if p := viewer.Form("/costs", fee...); p.Status != http.StatusForbidden {
		t.Errorf("a viewer sets: %d", p.Status)
	}
	if p := viewer.Get("/costs?workspace=acme"); p.Status != http.StatusOK || strings.Contains(p.Body, `name="action"`) || !strings.Contains(p.Body, "Your role can only view costs") {
		t.Errorf("a viewer: %d, or the page has forms", p.Status)
	}
	if p := viewer.Get("/costs?workspace=other"); p.Status != http.StatusNotFound {
		t.Errorf("another workspace: %d", p.Status)
	}
	if p := b.Form("/costs", "action", "remove", "sales", "", "kind", "payment_fee", "from", "2026-01-01"); p.Status != http.StatusSeeOther {
		t.Errorf("remove: %d", p.Status)
	}
	if file := b.Get("/costs/template.csv"); file.Status != http.StatusOK || !strings.HasPrefix(file.Body, "sku,") {
		t.Errorf("template: %d %s", file.Status, file.Body)
	}
}

// Forms offer the channels of the store and the ad platforms that the store does not use yet. Users select a channel
// and do not type it.
func TestFormsListTheChannelsOfTheStore(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleAnalyst)
	d.Stock("a tee")
	b := d.SignedIn(consoletest.Email)
	for _, path := range []string{"/alerts", "/forecasts", "/experiments"} {
		page := b.Get(path + "?workspace=acme")
		for _, want := range []string{`<select id="channel" name="channel"`, `<optgroup label="Not used by this store yet">`, `<option value="microsoft">Microsoft</option>`} {
			if page.Status != http.StatusOK || !strings.Contains(page.Body, want) {
				t.Errorf("%s: %d, the form does not contain %q", path, page.Status, want)
			}
		}
		if strings.Contains(page.Body, `name="channel" type="text"`) {
			t.Errorf("%s: the channel is typed", path)
		}
	}
	margin := []string{"action", "set", "kind", "gross_margin", "pct", "40", "sales", "surface:retail"}
	if p := b.Form("/costs", margin...); p.Status != http.StatusSeeOther {
		t.Errorf("a margin of a surface: %d %s", p.Status, p.Body)
	}
	if p := b.Form("/costs", append(margin, "from", "soon")...); !strings.Contains(p.Body, `<option value="surface:retail" selected>`) {
		t.Error("after an error, the form forgets the sales")
	}
}
