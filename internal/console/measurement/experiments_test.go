package measurement_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/tools"
)

// recordedExperiments returns the golden answers of the tools that the experiment pages call.
func recordedExperiments(t *testing.T, results string) frame.Ask {
	t.Helper()
	all, views := consoletest.RecordedTools(t), map[string]frame.Ask{
		"results": consoletest.Recorded(t, "experiments/"+results), "next_test": consoletest.Recorded(t, "experiments/next_test.txtar"),
	}
	check := consoletest.Recorded(t, "geo_experiment_preflight/power.txtar")
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
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = ask })
	s.Member(consoletest.Email, control.RoleViewer)
	page := s.SignedIn(consoletest.Email).Get("/experiments?workspace=acme")
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
			if !strings.Contains(page.Body, want) {
				t.Errorf("%s: the page does not contain %q", row.ID, want)
			}
		}
	}
	if measured == 0 || strings.Count(page.Body, `class="whisker`) != 3*measured {
		t.Errorf("%d whiskers for %d results", strings.Count(page.Body, `class="whisker`)/3, measured)
	}
	for _, want := range []string{"Test Google Ads next.", "What to test next", `href="/experiments/plan?channel=google`, "$1,159"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}

func TestPlanLeadsFromAChannelToADraft(t *testing.T) {
	t.Parallel()
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = recordedExperiments(t, "results.txtar") })
	s.Member(consoletest.Email, control.RoleAnalyst)
	b := s.SignedIn(consoletest.Email)
	for step, wants := range map[string][]string{
		"":                  {"Which channel do you want to test?", "/experiments/plan?channel=google"},
		"&channel=facebook": {`name="design" value="x4"`, "Recommended", `class="curve chosen"`, `name="step" value="3"`, "0.79"},
		"&channel=facebook&step=3": {
			`name="treated" value="AR" checked`, `name="treated" value="CA">`, `name="treated" value="NV" checked`, `name="treated" value="UT" checked`,
			`class="options codes"`, `name="step" value="4"`,
		},
		"&channel=facebook&step=4&treated=AR&treated=UT": {`type="hidden" name="treated" value="AR"`, `type="hidden" name="treated" value="UT"`},
		"&channel=facebook&step=4":                       {`name="start" type="date" required value="2026-11-30"`, `value="2026-12-27"`},
		"&channel=facebook&step=5":                       {`name="treated" value="NV"`, `name="start" value="2026-11-30"`, `value="plan">Save draft`, "The readiness score is 83 of 100."},
		"&channel=facebook&step=%3C":                     {`name="design"`},
	} {
		page := b.Get("/experiments/plan?workspace=acme" + step)
		for _, want := range wants {
			if page.Status != http.StatusOK || !strings.Contains(page.Body, want) {
				t.Errorf("%q: %d, the page does not contain %q", step, page.Status, want)
			}
		}
	}
	last := b.Get("/experiments/plan?workspace=acme&channel=facebook&design=off&start=2026-12-01&end=2026-12-28&step=5")
	saved := b.Post("/experiments", url.Values{
		"csrf": {last.Field("csrf")}, "workspace": {"acme"}, "action": {"plan"}, "kind": {"geo"}, "channel": {"facebook"}, "name": {"A plan"},
		"start": {last.Field("start")}, "end": {last.Field("end")}, "treated": {"AR", "NV"},
	})
	if saved.Status != http.StatusSeeOther {
		t.Fatalf("save: %d %s", saved.Status, saved.Body)
	}
	all, err := s.Store.Experiments(t.Context(), "acme")
	if err != nil || len(all) != 1 || strings.Join(all[0].Treated, " ") != "AR NV" || all[0].Days.First.String() != "2026-12-01" || all[0].Days.Last.String() != "2026-12-28" {
		t.Errorf("stored %+v, %v", all, err)
	}
}

func TestExperimentPageShowsItsEvidence(t *testing.T) {
	t.Parallel()
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = recordedExperiments(t, "results_tested.txtar") })
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	one := b.Get("/experiments?workspace=acme&experiment=facebook-scale-up")
	for _, want := range []string{"19.9%", "17.9% to 21.8%", "0.21", "Effect detected", "Placebo test", ">AL</text>", "Apply factor", `class="fan"`, "Week of"} {
		if !strings.Contains(one.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if strings.Contains(one.Body, "<script>") || strings.Contains(one.Body, "style=") {
		t.Error("the page contains a script or an inline style, which its policy forbids")
	}
}

// The factor of an inconclusive experiment is applied only if the member confirms it.
func TestAnInconclusiveFactorNeedsInsistence(t *testing.T) {
	t.Parallel()
	one := consoletest.Changed(consoletest.Recorded(t, "experiments/results.txtar"), func(a map[string]any) {
		row := a["rows"].([]any)[0].(map[string]any)
		row["outcome"], a["rows"] = "no_clear_effect", []any{row}
	})
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) {
		o.Ask = consoletest.ForTool("experiments", one, consoletest.RecordedTools(t))
	})
	s.Member(consoletest.Email, control.RoleAnalyst)
	e := control.Experiment{
		ID: "unclear", Workspace: "acme", Name: "Unclear", Kind: control.GeoTest, Channel: "facebook", Status: control.ExperimentCompleted,
		Days: civil.Range{First: civil.New(2026, 10, 1), Last: civil.New(2026, 10, 28)}, Treated: []string{"CA"},
	}
	if _, err := s.Store.CreateExperiment(t.Context(), e, control.By{Actor: "test", At: s.Clock.Now()}); err != nil {
		t.Fatal(err)
	}
	b := s.SignedIn(consoletest.Email)
	applied := func() bool {
		e, err := s.Store.Experiment(t.Context(), "acme", "unclear")
		if err != nil {
			t.Fatal(err)
		}
		return e.Applied
	}
	apply := []string{"action", "apply", "experiment", "unclear"}
	if p := b.Form("/experiments", apply...); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "inconclusive") || applied() {
		t.Errorf("without insistence: %d, applied %t", p.Status, applied())
	}
	if p := b.Form("/experiments", append(apply, "insist", "1")...); p.Status != http.StatusSeeOther || !applied() {
		t.Errorf("with insistence: %d, applied %t", p.Status, applied())
	}
}

func TestExperimentIsPlannedCompletedAndApplied(t *testing.T) {
	t.Parallel()
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = recordedExperiments(t, "results.txtar") })
	s.Member(consoletest.Email, control.RoleAnalyst)
	s.Member("viewer@acme.example", control.RoleViewer)
	b := s.SignedIn(consoletest.Email)
	plan := []string{"action", "plan", "name", "Off in one", "kind", "geo", "channel", "Meta Ads", "start", "2026-10-01", "end", "2026-10-28", "treated", "CA", "held_out", "Washington, DC"}
	if done := b.Form("/experiments", plan...); done.Status != http.StatusSeeOther {
		t.Fatalf("plan: %d %s", done.Status, done.Body)
	}
	all, err := s.Store.Experiments(t.Context(), "acme")
	if err != nil || len(all) != 1 || all[0].Channel != "facebook" || strings.Join(all[0].Treated, "; ") != "CA" || strings.Join(all[0].HeldOut, "; ") != "Washington, DC" || all[0].Status != control.ExperimentDraft {
		t.Fatalf("stored: %+v, %v", all, err)
	}
	id := string(all[0].ID)
	for _, to := range []string{"planned", "running", "completed"} {
		if moved := b.Form("/experiments", "action", "move", "experiment", id, "to", to); moved.Status != http.StatusSeeOther {
			t.Fatalf("to %s: %d %s", to, moved.Status, moved.Body)
		}
	}
	if applied := b.Form("/experiments", "action", "apply", "experiment", id); applied.Status != http.StatusSeeOther {
		t.Fatalf("apply: %d %s", applied.Status, applied.Body)
	}
	if e, err := s.Store.Experiment(t.Context(), "acme", all[0].ID); err != nil || !e.Applied || e.Status != control.ExperimentCompleted {
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
		if p := b.Form("/experiments", c.fields...); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, c.says) {
			t.Errorf("%s: %d, want a page that contains %q", name, p.Status, c.says)
		}
	}
	viewer := s.SignedIn("viewer@acme.example")
	if refused := viewer.Form("/experiments", plan...); refused.Status != http.StatusForbidden {
		t.Errorf("a viewer plans: %d", refused.Status)
	}
	if page := viewer.Get("/experiments?workspace=acme"); page.Status != http.StatusOK || strings.Contains(page.Body, `name="action"`) {
		t.Errorf("a viewer sees forms, or no page: %d", page.Status)
	}
	if foreign := b.Get("/experiments?workspace=other"); foreign.Status != http.StatusNotFound {
		t.Errorf("another workspace: %d", foreign.Status)
	}
}

// The form lists the channels and regions of the store. After an error, it keeps the selected values.
func TestExperimentFormListsTheStore(t *testing.T) {
	t.Parallel()
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = recordedExperiments(t, "results.txtar") })
	s.Member(consoletest.Email, control.RoleAnalyst)
	b := s.SignedIn(consoletest.Email)
	page := b.Get("/experiments?workspace=acme").Body
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
	again := b.Post("/experiments", url.Values{
		"csrf": {b.Get("/account").Field("csrf")}, "workspace": {"acme"}, "action": {"plan"}, "kind": {"geo"}, "channel": {"Meta Ads"},
		"start": {"tomorrow"}, "treated": {"NV", "Atlantis"}, "held_out": {"UT"},
	}).Body
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
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	page := d.SignedIn(consoletest.Email).Get("/experiments?workspace=acme").Body
	if strings.Contains(page, `name="treated"`) || !strings.Contains(page, `<a href="/data?workspace=acme#import">Import orders</a> with the region`) {
		t.Errorf("the form does not say what to import: %s", page)
	}
}
