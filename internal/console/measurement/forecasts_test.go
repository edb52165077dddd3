package measurement_test

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// recordedForecasts returns the golden answer of the `forecasting` tool for each aspect.
func recordedForecasts(t *testing.T, pacing string) frame.Ask {
	t.Helper()
	answers := map[string]frame.Ask{
		"pacing": consoletest.Recorded(t, "forecasting/"+pacing), "alerts": consoletest.Recorded(t, "forecasting/alerts.txtar"), "targets": consoletest.Recorded(t, "forecasting/targets.txtar"),
	}
	trends := consoletest.Recorded(t, "trends/defaults.txtar")
	return func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
		var asked struct{ Aspect string }
		if tool == "trends" {
			return trends(ctx, p, tool, args)
		}
		if err := json.Unmarshal(args, &asked); err != nil {
			return nil, err
		}
		return answers[asked.Aspect](ctx, p, tool, args)
	}
}

func TestForecastsPageShowsTheAnswerOfTheTool(t *testing.T) {
	t.Parallel()
	ask := recordedForecasts(t, "days.txtar")
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = ask })
	s.Member(consoletest.Email, control.RoleViewer)
	b := s.SignedIn(consoletest.Email)
	page := b.Get("/forecasts?workspace=acme")
	for _, want := range []string{
		": $14,928 expected", "14,928", "$14,520 to $17,071", "57.", // the month
		"probability of at least one false alarm in 28 days is 7.4%", "Spend has been down since 2026-03-02", "−7.7%", // alerts with their rate
		"No stored forecast is completed yet", "Your role can only view targets", `class="target"`, `class="fan"`, "4,581 to 4,748", // the tenth by day
	} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	var answer struct {
		StructuredContent struct {
			Rows []struct{ Actual, Expected, Target *float64 }
		}
	}
	text, err := ask(t.Context(), auth.Principal{}, "forecasting", json.RawMessage(`{"aspect":"pacing"}`))
	if err != nil || json.Unmarshal(text, &answer) != nil || len(answer.StructuredContent.Rows) < 3 {
		t.Fatalf("the tool's answer: %s, %v", text, err)
	}
	for _, r := range answer.StructuredContent.Rows {
		if r.Expected != nil && *r.Expected > 1000 && !strings.Contains(page.Body, message.NewPrinter(language.English).Sprintf("%.0f", *r.Expected)) {
			t.Errorf("the page does not contain %v", *r.Expected)
		}
	}
	if strings.Contains(page.Body, "<script>") || strings.Contains(page.Body, "style=") || strings.Contains(page.Body, "NaN") || strings.Contains(page.Body, `name="action"`) {
		t.Error("the page contains a script, an inline style, no number, or a form for a viewer")
	}
	for _, path := range []string{"/forecasts?workspace=other"} {
		if p := b.Get(path); p.Status != http.StatusNotFound {
			t.Errorf("%s: %d, want not found", path, p.Status)
		}
	}
}

func TestForecastsPageShowsOnlyAnnotationsOfItsWorkspace(t *testing.T) {
	t.Parallel()
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = recordedForecasts(t, "days.txtar") })
	s.Member(consoletest.Email, control.RoleAnalyst)
	day := civil.New(2026, time.March, 5) // in the month of the recorded answer
	for workspace, label := range map[measure.WorkspaceID]string{"acme": "own launch", "other": "secret launch"} {
		a := control.Annotation{Workspace: workspace, Days: civil.Range{First: day, Last: day}, Label: label}
		if _, err := s.Store.AddAnnotation(t.Context(), a, control.By{Actor: "test", At: s.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	b := s.SignedIn(consoletest.Email)
	for what, p := range map[string]consoletest.Page{
		"address without a workspace": b.Get("/forecasts"),
		"rejected form":               b.Form("/forecasts", "action", "zap"),
		"address of another workspace": b.Post("/forecasts?workspace=other", url.Values{
			"csrf": {b.Get("/forecasts?workspace=acme").Field("csrf")}, "workspace": {"acme"}, "action": {"zap"},
		}),
	} {
		if !strings.Contains(p.Body, "own launch") || strings.Contains(p.Body, "secret launch") {
			t.Errorf("%s: %d, the page does not show exactly the annotations of its workspace", what, p.Status)
		}
	}
}

func TestForecastsPageExplainsMissingTargetsAndOrders(t *testing.T) {
	t.Parallel()
	for pacing, wants := range map[string][]string{
		"no_targets.txtar":  {"No target is set.", "No targets are set"},
		"empty_store.txtar": {"Import data"},
	} {
		s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = recordedForecasts(t, pacing) })
		s.Member(consoletest.Email, control.RoleViewer)
		page := s.SignedIn(consoletest.Email).Get("/forecasts?workspace=acme")
		for _, want := range wants {
			if page.Status != http.StatusOK || !strings.Contains(page.Body, want) {
				t.Errorf("%s: %d, the page does not contain %q", pacing, page.Status, want)
			}
		}
	}
}

func TestTargetIsSetAndInvalidOnesAreExplained(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleAnalyst)
	d.Member("viewer@acme.example", control.RoleViewer)
	b := d.SignedIn(consoletest.Email)
	form := func(value string) []string {
		return []string{"action", "set", "metric", "revenue", "period", "monthly", "start", "2036-11-01", "channel", "", "value", value}
	}
	for _, value := range []string{"120,000", "90000.5", "120000"} { // the last value restores the first
		if done := b.Form("/forecasts", form(value)...); done.Status != http.StatusSeeOther {
			t.Fatalf("target of %s: %d %s", value, done.Status, done.Body)
		}
	}
	all, err := d.Facts.Targets(t.Context(), "acme")
	if err != nil || len(all) != 1 || all[0].Value != 120_000 || all[0].Metric != "revenue" || all[0].Start.String() != "2036-11-01" {
		t.Errorf("targets %+v, %v; want one of 120,000", all, err)
	}
	if page := b.Get("/forecasts?workspace=acme&period=monthly&done=target"); !strings.Contains(page.Body, "120,000") || !strings.Contains(page.Body, "Target set.") {
		t.Errorf("the page does not show it: %d", page.Status)
	}
	if page := b.Get("/data?workspace=acme"); strings.Count(page.Body, "targets changed on a page") != 1 {
		t.Errorf("three changes on one day are %d lines in the list of imports, want one", strings.Count(page.Body, "targets changed on a page"))
	}
	for name, c := range map[string]struct {
		change []string
		says   string
	}{
		"mid-month":  {[]string{"start", "2036-11-15"}, "starts on the first day of a month, not on 2036-11-15. The period that contains this day starts on 2036-11-01"},
		"mid-week":   {[]string{"period", "weekly", "start", "2036-11-01"}, "starts on 2036-10-27"},
		"quarter":    {[]string{"period", "quarterly"}, "starts on 2036-10-01"},
		"a far year": {[]string{"start", "2096-11-01"}, "is in the year 2096"},
		"channel":    {[]string{"channel", "fcebook"}, "&#34;fcebook&#34; does not exist: this store has no channels yet"},
		"no channel": {[]string{"channel", "unattributed"}, "is not a channel"},
		"zero":       {[]string{"value", "0"}, "must be greater than zero"},
		"below zero": {[]string{"value", "-5"}, "must be greater than zero"},
		"endless":    {[]string{"value", "Inf"}, "must be greater than zero"},
		"no number":  {[]string{"value", "NaN"}, "is not a number"},
		"a comma":    {[]string{"value", "2,5"}, "is not a number"},
		"words":      {[]string{"value", "a lot"}, "is not a number"},
		"no day":     {[]string{"start", "2036-02-31"}, "is not a calendar date"},
		"period":     {[]string{"period", "yearly"}, "is not a period type"},
		"metric":     {[]string{"metric", "profit"}, "cannot have a target"},
		"nothing":    {[]string{"action", "zap"}, "Unknown form action"},
	} {
		if p := b.Form("/forecasts", append(form("1"), c.change...)...); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, c.says) {
			t.Errorf("%s: %d, want a page that contains %q", name, p.Status, c.says)
		}
	}
	if refused := d.SignedIn("viewer@acme.example").Form("/forecasts", form("1")...); refused.Status != http.StatusForbidden {
		t.Errorf("a viewer sets a target: %d", refused.Status)
	}
	if planned := b.Form("/forecasts", append(form("500"), "metric", "spend", "channel", "Meta Ads")...); planned.Status != http.StatusSeeOther {
		t.Errorf("the spend of a platform that is not used yet: %d %s", planned.Status, planned.Body)
	}
	gone := []string{"action", "remove", "metric", "revenue", "period", "monthly", "start", "2036-11-01", "channel", ""}
	if done := b.Form("/forecasts", gone...); done.Status != http.StatusSeeOther || done.Header.Get("Location") != "/forecasts?done=removed&period=monthly&workspace=acme" {
		t.Errorf("removal: %d to %q", done.Status, done.Header.Get("Location"))
	}
	if p := b.Form("/forecasts", gone...); p.Status != http.StatusConflict || !strings.Contains(p.Body, "There is no target for revenue, monthly from 2036-11-01") {
		t.Errorf("the second removal: %d", p.Status)
	}
	if all, err = d.Facts.Targets(t.Context(), "acme"); err != nil || len(all) != 1 || all[0].Channel != "facebook" {
		t.Errorf("%+v, %v remain; want the target of the channel", all, err)
	}
}

func TestEveryTargetIsOnOnePage(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleAnalyst)
	var days []warehouse.Target
	for i := range 45 {
		days = append(days, warehouse.Target{Metric: "orders", Period: "daily", Start: civil.New(2036, time.January, 1+i), Value: 5})
	}
	for _, goal := range days {
		if _, err := d.Facts.ChangeTarget(t.Context(), "acme", "USD", warehouse.TargetChange{Target: goal}); err != nil {
			t.Fatal(err)
		}
	}
	b := d.SignedIn(consoletest.Email)
	seen := map[string]bool{}
	next := "/forecasts?workspace=acme&period=daily"
	pages := 0
	for next != "" && pages < 9 {
		page := b.Get(next)
		pages++
		for _, goal := range days {
			if strings.Contains(page.Body, `name="start" value="`+goal.Start.String()+`"`) {
				seen[goal.Start.String()] = true
			}
		}
		next = ""
		if found := nextPage.FindStringSubmatch(page.Body); found != nil {
			next = html.UnescapeString(found[1])
		}
	}
	if len(seen) != len(days) || pages != 3 {
		t.Errorf("%d of %d targets on %d pages, want all on 3", len(seen), len(days), pages)
	}
}

var nextPage = regexp.MustCompile(`href="([^"#]*)#targets" rel="next"`)

func TestPlanExplainsWhyAChannelCannotBeChecked(t *testing.T) {
	t.Parallel()
	results := consoletest.Recorded(t, "experiments/next_test.txtar")
	for _, c := range []struct {
		err    error
		status int
	}{
		{fault.Invalid("channel %q is not known", "fcebook"), http.StatusBadRequest},
		{fault.NotReady("there are no orders").WithHint("import some first"), http.StatusConflict},
		{fault.Unavailable("the database does not respond").WithHint("try again in a few seconds"), http.StatusServiceUnavailable},
		{errors.New("a defect"), http.StatusInternalServerError},
	} {
		failing := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) {
			o.Ask = func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
				if tool == "experiments" {
					return results(ctx, p, tool, args)
				}
				return nil, c.err
			}
		})
		failing.Member(consoletest.Email, control.RoleViewer)
		b := failing.SignedIn(consoletest.Email)
		for _, path := range []string{"/experiments/plan?workspace=acme&channel=fcebook"} {
			text, hint, public := fault.Public(c.err)
			p := b.Get(path)
			said := html.UnescapeString(p.Body)
			if p.Status != c.status || public && !strings.Contains(said, text[1:]) || !public && strings.Contains(said, "defect") {
				t.Errorf("%s after %v: %d, want %d", path, c.err, p.Status, c.status)
			}
			if wait := p.Header.Get("Retry-After"); (wait != "") != (c.status == http.StatusServiceUnavailable) {
				t.Errorf("%s after %v: Retry-After %q", path, c.err, wait)
			}
			if hint != "" && !strings.Contains(said, hint[1:]) {
				t.Errorf("%s after %v does not state what to do next", path, c.err)
			}
		}
	}
}
