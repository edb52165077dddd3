package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/console"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/tools"
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

// recordedExperiments returns the golden answers of the tools that the experiment pages call.
func recordedExperiments(t *testing.T, results string) frame.Ask {
	t.Helper()
	all, views := recordedTools(t), map[string]frame.Ask{
		"results": recorded(t, "experiments/"+results), "next_test": recorded(t, "experiments/next_test.txtar"),
	}
	check := recorded(t, "geo_experiment_preflight/power.txtar")
	return func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
		var asked struct{ View string }
		if err := json.Unmarshal(args, &asked); err != nil {
			return nil, err
		}
		switch tool {
		case "experiments":
			return views[asked.View](ctx, p, tool, args)
		case "geo_experiment_preflight":
			return check(ctx, p, tool, args)
		}
		return all(ctx, p, tool, args)
	}
}

func TestExperimentsAreOnOneScale(t *testing.T) {
	t.Parallel()
	ask := recordedExperiments(t, "results.txtar")
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = ask })
	s.member(email, control.RoleViewer)
	page := s.signedIn(email).get("/experiments?workspace=acme")
	text, err := ask(t.Context(), auth.Principal{}, "experiments", json.RawMessage(`{"view":"results"}`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := tools.Experiments.Result(text)
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	for _, row := range a.Rows {
		if row.Return == nil {
			continue
		}
		measured++
		for _, want := range []string{frame.Figure(row.Return.Value, 2), frame.Figure(row.Return.Low, 2) + " – " + frame.Figure(row.Return.High, 2), "experiment=" + string(row.ID)} {
			if !strings.Contains(page.body, want) {
				t.Errorf("%s: the page does not contain %q", row.ID, want)
			}
		}
	}
	if measured == 0 || strings.Count(page.body, `class="whisker`) != 3*measured {
		t.Errorf("%d whiskers for %d results", strings.Count(page.body, `class="whisker`)/3, measured)
	}
	for _, want := range []string{"Test Google Ads next.", "What to test next", `href="/experiments/plan?channel=google`, "$1,159"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}

func TestPlanLeadsFromAChannelToADraft(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = recordedExperiments(t, "results.txtar") })
	s.member(email, control.RoleAnalyst)
	b := s.signedIn(email)
	for step, wants := range map[string][]string{
		"":                  {"Which channel do you want to test?", "/experiments/plan?channel=google"},
		"&channel=facebook": {`name="design" value="x4"`, "Recommended", `class="curve chosen"`, `name="step" value="3"`, "0.79"},
		"&channel=facebook&step=3": {
			`name="treated" value="AR" checked`, `name="treated" value="CA">`, `name="treated" value="NV" checked`, `name="treated" value="UT" checked`,
			`class="options codes"`, `name="step" value="4"`,
		},
		"&channel=facebook&step=4&treated=AR&treated=UT": {`type="hidden" name="treated" value="AR"`, `type="hidden" name="treated" value="UT"`},
		"&channel=facebook&step=4":                       {`name="start" type="date" required value="2026-11-30"`, `value="2026-12-27"`},
		"&channel=facebook&step=5":                       {`name="treated" value="NV"`, `name="start" value="2026-11-30"`, `value="plan">Save draft`, "Readiness is 83 of 100."},
		"&channel=facebook&step=%3C":                     {`name="design"`},
	} {
		page := b.get("/experiments/plan?workspace=acme" + step)
		for _, want := range wants {
			if page.status != http.StatusOK || !strings.Contains(page.body, want) {
				t.Errorf("%q: %d, the page does not contain %q", step, page.status, want)
			}
		}
	}
	last := b.get("/experiments/plan?workspace=acme&channel=facebook&design=off&start=2026-12-01&end=2026-12-28&step=5")
	saved := b.post("/experiments", url.Values{
		"csrf": {last.field("csrf")}, "workspace": {"acme"}, "action": {"plan"}, "kind": {"geo"}, "channel": {"facebook"}, "name": {"A plan"},
		"start": {last.field("start")}, "end": {last.field("end")}, "treated": {"AR", "NV"},
	})
	if saved.status != http.StatusSeeOther {
		t.Fatalf("save: %d %s", saved.status, saved.body)
	}
	all, err := s.store.Experiments(t.Context(), "acme")
	if err != nil || len(all) != 1 || strings.Join(all[0].Treated, " ") != "AR NV" || all[0].Days.First.String() != "2026-12-01" || all[0].Days.Last.String() != "2026-12-28" {
		t.Errorf("stored %+v, %v", all, err)
	}
}

func TestExperimentPageShowsItsEvidence(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = recordedExperiments(t, "results_tested.txtar") })
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	one := b.get("/experiments?workspace=acme&experiment=facebook-scale-up")
	for _, want := range []string{"19.9%", "17.9% to 21.8%", "0.21", "Effect detected", "Placebo test", ">AL</text>", "Apply factor", `class="fan"`, "Week from"} {
		if !strings.Contains(one.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if strings.Contains(one.body, "<script>") || strings.Contains(one.body, "style=") {
		t.Error("the page contains a script or an inline style, which its policy forbids")
	}
}

// The factor of an inconclusive experiment is applied only if the member confirms it.
func TestAnInconclusiveFactorNeedsInsistence(t *testing.T) {
	t.Parallel()
	one := changed(recorded(t, "experiments/results.txtar"), func(a map[string]any) {
		row := a["rows"].([]any)[0].(map[string]any)
		row["outcome"], a["rows"] = "no_clear_effect", []any{row}
	})
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = forTool("experiments", one, recordedTools(t)) })
	s.member(email, control.RoleAnalyst)
	e := control.Experiment{
		ID: "unclear", Workspace: "acme", Name: "Unclear", Kind: control.GeoTest, Channel: "facebook", Status: control.ExperimentCompleted,
		Days: civil.Range{First: civil.New(2026, 10, 1), Last: civil.New(2026, 10, 28)}, Treated: []string{"CA"},
	}
	if _, err := s.store.CreateExperiment(t.Context(), e, control.By{Actor: "test", At: s.clock.now()}); err != nil {
		t.Fatal(err)
	}
	b := s.signedIn(email)
	applied := func() bool {
		e, err := s.store.Experiment(t.Context(), "acme", "unclear")
		if err != nil {
			t.Fatal(err)
		}
		return e.Applied
	}
	apply := []string{"action", "apply", "experiment", "unclear"}
	if p := b.form("/experiments", apply...); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "inconclusive") || applied() {
		t.Errorf("without insistence: %d, applied %t", p.status, applied())
	}
	if p := b.form("/experiments", append(apply, "insist", "1")...); p.status != http.StatusSeeOther || !applied() {
		t.Errorf("with insistence: %d, applied %t", p.status, applied())
	}
}

func TestExperimentIsPlannedCompletedAndApplied(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = recordedExperiments(t, "results.txtar") })
	s.member(email, control.RoleAnalyst)
	s.member("viewer@acme.example", control.RoleViewer)
	b := s.signedIn(email)
	plan := []string{"action", "plan", "name", "Off in one", "kind", "geo", "channel", "Meta Ads", "start", "2026-10-01", "end", "2026-10-28", "treated", "CA", "held_out", "Washington, DC"}
	if done := b.form("/experiments", plan...); done.status != http.StatusSeeOther {
		t.Fatalf("plan: %d %s", done.status, done.body)
	}
	all, err := s.store.Experiments(t.Context(), "acme")
	if err != nil || len(all) != 1 || all[0].Channel != "facebook" || strings.Join(all[0].Treated, "; ") != "CA" || strings.Join(all[0].HeldOut, "; ") != "Washington, DC" || all[0].Status != control.ExperimentDraft {
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

// The form lists the channels and regions of the store. After an error, it keeps the selected values.
func TestExperimentFormListsTheStore(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = recordedExperiments(t, "results.txtar") })
	s.member(email, control.RoleAnalyst)
	b := s.signedIn(email)
	page := b.get("/experiments?workspace=acme").body
	for _, want := range []string{
		`<option value="facebook">Facebook Ads</option><option value="google">Google Ads</option><option value="tv_spots">Tv spots</option>`,
		`<optgroup label="Not used by this store yet"><option value="amazon">Amazon Ads</option>`,
		`type="checkbox" name="treated" value="CA">`, `type="checkbox" name="held_out" value="UT">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the form does not contain %q", want)
		}
	}
	for _, name := range []string{"channel", "treated", "held_out"} {
		if strings.Contains(page, `name="`+name+`" type="text"`) {
			t.Errorf("%s is typed", name)
		}
	}
	again := b.post("/experiments", url.Values{
		"csrf": {b.get("/account").field("csrf")}, "workspace": {"acme"}, "action": {"plan"}, "kind": {"geo"}, "channel": {"Meta Ads"},
		"start": {"tomorrow"}, "treated": {"NV", "Atlantis"}, "held_out": {"UT"},
	}).body
	for _, want := range []string{
		`<option value="facebook" selected>`, `name="treated" value="Atlantis" checked`, `name="treated" value="NV" checked`, `name="treated" value="UT">`,
		`<details open><summary>Limit the control regions`, `name="held_out" value="UT" checked`,
	} {
		if !strings.Contains(again, want) {
			t.Errorf("after an error, the form does not contain %q", want)
		}
	}
}

func TestExperimentFormOfAStoreWithoutRegions(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	page := d.signedIn(email).get("/experiments?workspace=acme").body
	if strings.Contains(page, `name="treated"`) || !strings.Contains(page, `<a href="/data?workspace=acme#import">Import orders</a> with the region`) {
		t.Errorf("the form does not say what to import: %s", page)
	}
}
