package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/console/frame"
	"assay/internal/control"
)

// recorded returns the answer of a golden case for every call.
func recorded(t *testing.T, file string) frame.Ask {
	t.Helper()
	c, err := txtar.ParseFile("../tools/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var answer bytes.Buffer
	for _, f := range c.Files {
		if f.Name == "answer.json" {
			if err := json.Compact(&answer, f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return func(context.Context, auth.Principal, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"content":[],"structuredContent":` + answer.String() + `}`), nil
	}
}

func TestExperimentPageShowsItsEvidence(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = recorded(t, "experiments/results_tested.txtar") })
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	one := b.get("/experiments?workspace=acme&experiment=facebook-scale-up")
	for _, want := range []string{"19.9%", "17.9% to 21.8%", "0.21", "Effect detected", "Placebo test", ">AL</text>", "Apply factor", "weeks.svg"} {
		if !strings.Contains(one.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if strings.Contains(one.body, "<script>") || strings.Contains(one.body, "style=") {
		t.Error("the page contains a script or an inline style, which its policy forbids")
	}
	for _, theme := range []string{"light", "dark"} {
		picture := b.get("/experiments/weeks.svg?workspace=acme&experiment=facebook-scale-up&theme=" + theme)
		if picture.status != http.StatusOK || picture.header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(picture.body, "<svg") {
			t.Errorf("picture in %s: %d %s", theme, picture.status, picture.header)
		}
	}
}

func TestExperimentIsPlannedCompletedAndApplied(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = recorded(t, "experiments/results.txtar") })
	s.member(email, control.RoleAnalyst)
	s.member("viewer@acme.example", control.RoleViewer)
	b := s.signedIn(email)
	plan := []string{"action", "plan", "name", "Off in two", "kind", "geo", "channel", "Meta Ads", "start", "2026-10-01", "end", "2026-10-28", "treated", "CA, NY"}
	if done := b.form("/experiments", plan...); done.status != http.StatusSeeOther {
		t.Fatalf("plan: %d %s", done.status, done.body)
	}
	all, err := s.store.Experiments(t.Context(), "acme")
	if err != nil || len(all) != 1 || all[0].Channel != "facebook" || strings.Join(all[0].Treated, " ") != "CA NY" || all[0].Status != control.ExperimentDraft {
		t.Fatalf("stored: %+v, %v", all, err)
	}
	id := string(all[0].ID)
	for _, to := range []string{"planned", "running", "completed"} {
		if moved := b.form("/experiments", "action", "move", "experiment", id, "to", to); moved.status != http.StatusSeeOther {
			t.Fatalf("to %s: %d %s", to, moved.status, moved.body)
		}
	}
	if applied := b.form("/experiments", "action", "apply", "experiment", id); applied.status != http.StatusSeeOther {
		t.Fatalf("apply: %d %s", applied.status, applied.body)
	}
	if e, err := s.store.Experiment(t.Context(), "acme", all[0].ID); err != nil || !e.Applied || e.Status != control.ExperimentCompleted {
		t.Errorf("in the end: %+v, %v", e, err)
	}
	for name, c := range map[string]struct {
		fields []string
		says   string
	}{
		"reversed days": {append(plan[:8:8], "start", "2026-10-28", "end", "2026-10-01", "treated", "TX"), "before it starts"},
		"no day":        {append(plan[:8:8], "start", "tomorrow"), "is not a calendar date"},
		"two no days":   {append(plan[:8:8], "start", "tomorrow", "end", "later"), "First day: &#34;tomorrow&#34; is not a calendar date; last day: &#34;later&#34; is not a calendar date."},
		"no channel":    {[]string{"action", "plan", "kind", "geo"}, "needs a channel"},
		"a way back":    {[]string{"action", "move", "experiment", id, "to", "running"}, "which is final"},
		"half a result": {[]string{"action", "move", "experiment", id, "to", "completed", "return", "2"}, "Lower bound: &#34;&#34; is not a number; upper bound: &#34;&#34; is not a number."},
		"nothing":       {[]string{"action", "zap"}, "Unknown form action"},
	} {
		if p := b.form("/experiments", c.fields...); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, c.says) {
			t.Errorf("%s: %d, want a page that contains %q", name, p.status, c.says)
		}
	}
	viewer := s.signedIn("viewer@acme.example")
	if refused := viewer.form("/experiments", plan...); refused.status != http.StatusForbidden {
		t.Errorf("a viewer plans: %d", refused.status)
	}
	if page := viewer.get("/experiments?workspace=acme"); page.status != http.StatusOK || strings.Contains(page.body, `name="action"`) {
		t.Errorf("a viewer sees forms, or no page: %d", page.status)
	}
	if foreign := b.get("/experiments?workspace=other"); foreign.status != http.StatusNotFound {
		t.Errorf("another workspace: %d", foreign.status)
	}
}
