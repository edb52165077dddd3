package console_test

import (
	"bytes"
	"context"
	"encoding/json"
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
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/tools"
	"assay/internal/warehouse"
)

// performancePages are the paths of the performance pages that the tests fill with golden answers.
var performancePages = []string{"/", "/channels", "/campaigns", "/customers", "/products", "/creators", "/email", "/surveys", "/surfaces"}

// recordedTools returns the golden answers of a store, by tool. The customers tool has one answer for each view.
func recordedTools(t *testing.T) frame.Ask {
	t.Helper()
	answers := map[string]frame.Ask{}
	for tool, file := range map[string]string{
		"performance": "defaults", "compare": "channels", "trends": "defaults", "forecasting": "days", "diagnose": "debug", "optimization": "defaults",
		"campaigns": "analyst", "products": "defaults", "creators": "defaults", "email_lifecycle": "defaults", "surveys": "defaults", "omnichannel": "analyst",
		"explain": "analyst", "ask": "two_parts",
		"insights": "second_page", "decision_feed": "defaults", "autopilot_plan": "conservative",
	} {
		answers[tool] = recorded(t, tool+"/"+file+".txtar")
	}
	views := map[string]frame.Ask{
		"segments": recorded(t, "customers/defaults.txtar"), "retention": recorded(t, "customers/retention.txtar"), "ltv": recorded(t, "customers/ltv.txtar"),
	}
	return func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
		var asked struct{ View string }
		if err := json.Unmarshal(args, &asked); err != nil {
			return nil, err
		}
		if tool == "customers" {
			return views[asked.View](ctx, p, tool, args)
		}
		return answers[tool](ctx, p, tool, args)
	}
}

func TestPerformancePagesShowTheAnswersOfTheTools(t *testing.T) {
	t.Parallel()
	ask := recordedTools(t)
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = ask })
	s.member(email, control.RoleViewer)
	b := s.signedIn(email)
	for _, path := range performancePages {
		p := b.get(path + "?workspace=acme")
		if p.status != http.StatusOK || strings.Count(p.body, "<h1") != 1 || strings.Count(p.body, `aria-current="page"`) != 1 {
			t.Errorf("%s: %d, or not one title and one current page", path, p.status)
		}
		for _, broken := range []string{"NaN", "<script>", " style=", "ZgotmplZ", "%!"} {
			if strings.Contains(p.body, broken) {
				t.Errorf("%s contains %q", path, broken)
			}
		}
		if n := len(p.body); n > 150_000 {
			t.Errorf("%s has %d bytes", path, n)
		}
	}
	text, err := ask(t.Context(), auth.Principal{}, "compare", json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := tools.Compare.Result(text)
	if err != nil {
		t.Fatal(err)
	}
	page, printer := b.get("/?workspace=acme"), message.NewPrinter(language.English)
	for _, want := range []string{
		printer.Sprintf("$%.0f", float64(*a.Metrics.Revenue.Value)), printer.Sprintf("$%.0f", float64(*a.Metrics.Spend.Value)),
		printer.Sprintf(">%.0f<", float64(*a.Metrics.Orders.Value)), printer.Sprintf("%.2f", float64(*a.Metrics.ROAS.Value)),
	} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the overview does not contain %q of the answer", want)
		}
	}
}

func TestTablesStateTheRowsThatTheyOmit(t *testing.T) {
	t.Parallel()
	ask := recordedTools(t)
	s := newSiteWith(t, func(_ *site, o *console.Options) {
		o.Ask = func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
			text, err := ask(ctx, p, tool, args)
			text = regexp.MustCompile(`"(total|ranked)":\d+`).ReplaceAll(text, []byte(`"$1":812`))
			if tool == "creators" {
				text = bytes.Replace(text, []byte(`"rows":`), []byte(`"truncated":{"rows_returned":3,"rows_total":812,"reason":"limit","how":"limit=100"},"rows":`), 1)
			}
			return text, err
		}
	})
	s.member(email, control.RoleViewer)
	b := s.signedIn(email)
	for path, tables := range map[string]int{"/campaigns": 1, "/products": 2, "/creators": 1, "/email": 1, "/surveys": 1} {
		p := b.get(path + "?workspace=acme")
		if n := strings.Count(p.body, " of 812 rows: those with the "); p.status != http.StatusOK || n != tables {
			t.Errorf("%s: %d, %d tables state the number of rows, want %d", path, p.status, n, tables)
		}
	}
}

func TestPerformancePagesOfAnEmptyStoreExplainTheNextStep(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	for _, path := range performancePages {
		p := b.get(path + "?workspace=acme")
		if p.status != http.StatusOK || strings.Contains(p.body, "NaN") || !strings.Contains(p.body, "<h1>") {
			t.Errorf("%s: %d", path, p.status)
		}
	}
	p := b.get("/")
	if !strings.Contains(p.body, "Import orders") || !strings.Contains(p.body, `href="/connect?workspace=acme"`) || strings.Contains(p.body, `class="kpis"`) {
		t.Error("the overview has no checklist, or has figures")
	}
}

func TestPerformancePagesAreForMembers(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = recordedTools(t) })
	s.member(email, control.RoleViewer)
	stranger, member := s.browser(), s.signedIn(email)
	for _, path := range append(performancePages, "/ask", "/articles") {
		if p := stranger.get(path); p.status != http.StatusSeeOther || !strings.HasPrefix(p.header.Get("Location"), "/sign-in") {
			t.Errorf("%s without a session: %d", path, p.status)
		}
		if p := member.get(path + "?workspace=other"); p.status != http.StatusNotFound {
			t.Errorf("%s of another workspace: %d, want not found", path, p.status)
		}
	}
	if _, err := s.people.Create(t.Context(), "new@acme.example", password, "test"); err != nil {
		t.Fatal(err)
	}
	if p := s.signedIn("new@acme.example").get("/"); p.status != http.StatusSeeOther || p.header.Get("Location") != "/workspaces" {
		t.Errorf("without a workspace: %d to %q", p.status, p.header.Get("Location"))
	}
}

func TestPerformancePagesReportFailures(t *testing.T) {
	t.Parallel()
	refused := fault.NotReady("the store is being restored").WithHint("try again in a minute")
	s := newSiteWith(t, func(_ *site, o *console.Options) {
		o.Ask = func(context.Context, auth.Principal, string, json.RawMessage) (json.RawMessage, error) {
			return nil, refused
		}
	})
	s.member(email, control.RoleViewer)
	b := s.signedIn(email)
	for _, path := range performancePages {
		if p := b.get(path); p.status != http.StatusConflict || !strings.Contains(p.body, "The store is being restored. Try again in a minute.") {
			t.Errorf("%s: %d", path, p.status)
		}
	}
}

// stock stores an order of January 10, 2026, with one line item for each hostile title.
func (d *dataSite) stock(titles ...string) {
	d.t.Helper()
	load, err := d.facts.Begin(d.t.Context(), warehouse.ImportSpec{Workspace: "acme", Source: "test", Base: "USD"})
	if err != nil {
		d.t.Fatal(err)
	}
	defer load.Abort()
	at := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	ref := warehouse.OrderRef{Source: "csv", Key: "hostile"}
	batch := &warehouse.Batch{Orders: []warehouse.Order{{
		OrderRef: ref, At: at, Day: civil.DayOf(at, time.UTC), Surface: measure.OnlineStore, Charged: 123_400, Status: "paid",
	}}}
	for i, title := range titles {
		batch.Lines = append(batch.Lines, warehouse.OrderLine{OrderRef: ref, Line: i + 1, Title: title, Quantity: int64(i + 1), Net: int64(1000 * (i + 1))})
	}
	if err := load.Add(d.t.Context(), batch); err != nil {
		d.t.Fatal(err)
	}
	if _, err := load.Commit(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

func TestStoredNamesAreEscapedOnPagesAndHarmlessInFiles(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleViewer)
	d.stock(`<script>alert(1)</script>`, `=HYPERLINK("http://evil.example")`, `a plain tee`)
	b := d.signedIn(email)
	const days = "?workspace=acme&start=2026-01-01&end=2026-01-31"
	p := b.get("/products" + days)
	if p.status != http.StatusOK || !strings.Contains(p.body, html.EscapeString(`<script>alert(1)</script>`)) || strings.Contains(p.body, "<script>alert") {
		t.Errorf("the page: %d, the name is missing or not escaped", p.status)
	}
	file := b.get("/products" + days + "&format=csv")
	if file.header.Get("Content-Type") != "text/csv; charset=utf-8" || strings.Contains(file.body, "\n=HYPERLINK") ||
		strings.Contains(file.body, "\n\"=HYPERLINK") || !strings.Contains(file.body, "a plain tee,30,") {
		t.Errorf("the file: %s\n%s", file.header.Get("Content-Type"), file.body)
	}
	at := func(sort, title string) int {
		_, table, _ := strings.Cut(b.get("/products"+days+"&sort="+sort).body, "<table")
		return strings.Index(table, title)
	}
	if at("-units", "a plain tee") > at("-units", "HYPERLINK") || at("units", "a plain tee") < at("units", "HYPERLINK") {
		t.Error("the products are not sorted by units")
	}
}

func TestFiltersSelectTheFiguresOfTheTool(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	u := d.member(email, control.RoleViewer)
	d.stock("a tee")
	b := d.signedIn(email)
	page := b.get("/?workspace=acme&start=2026-01-01&end=2026-01-31")
	acme, err := d.store.Workspace(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	who := auth.Principal{Workspace: acme, Actor: control.ActorOf(u.ID), Kind: auth.ByOAuth, Scopes: control.RoleViewer.Scopes()}
	text, err := d.tools.Answer(t.Context(), who, "performance", json.RawMessage(`{"start_date":"2026-01-01","end_date":"2026-01-31"}`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := tools.Performance.Result(text)
	if err != nil {
		t.Fatal(err)
	}
	const want = "Revenue is $1,234."
	if *a.Metrics.Revenue.Value != 1234 || !strings.Contains(page.body, want) || !strings.Contains(page.body, "Jan 1 – Jan 31, 2026") {
		t.Errorf("the tool reports %v; the page does not contain %q and the period", *a.Metrics.Revenue.Value, want)
	}
	if !strings.Contains(page.body, `href="/channels?end=2026-01-31&amp;start=2026-01-01&amp;workspace=acme"`) {
		t.Error("the navigation does not keep the period")
	}
	for query, want := range map[string]string{
		"start=2026-02-30&end=2026-03-01": "is not a calendar date", "start=2026-03-02&end=2026-03-01": "is after the last day",
	} {
		if p := b.get("/?workspace=acme&" + query); p.status != http.StatusBadRequest || !strings.Contains(p.body, want) {
			t.Errorf("%s: %d, want %q", query, p.status, want)
		}
	}
}

func TestQuestionsShowTheInterpretationOfTheTool(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = recordedTools(t) })
	s.member(email, control.RoleViewer)
	b := s.signedIn(email)
	form := b.get("/ask?workspace=acme")
	if form.status != http.StatusOK || !strings.Contains(form.body, "Questions to try") {
		t.Fatalf("the page of questions: %d", form.status)
	}
	fields := url.Values{"csrf": {form.field("csrf")}, "workspace": {"acme"}, "question": {`<b>"revenue"</b>`}}
	p := b.post("/ask", fields)
	if p.status != http.StatusOK || !strings.Contains(p.body, html.EscapeString(`<b>"revenue"</b>`)) ||
		!strings.Contains(p.body, "tools/call") || !strings.Contains(p.body, "Open ") {
		t.Errorf("the answer: %d, without the question, the call or the page with the figures", p.status)
	}
	fields.Set("csrf", "wrong")
	if p := b.post("/ask", fields); p.status != http.StatusForbidden {
		t.Errorf("a foreign form: %d, want forbidden", p.status)
	}
	if p := b.get("/articles?workspace=acme&term=roas"); p.status != http.StatusOK || !strings.Contains(p.body, "<article") {
		t.Errorf("the article: %d", p.status)
	}
}

func TestAssetsAreImmutableWithTheirHash(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	page := b.get("/keys?workspace=acme")
	_, after, _ := strings.Cut(page.body, `<script src="`)
	address, _, _ := strings.Cut(after, `"`)
	script := b.get(address)
	if script.status != http.StatusOK || !strings.Contains(script.header.Get("Cache-Control"), "immutable") ||
		!strings.Contains(script.header.Get("Content-Type"), "javascript") {
		t.Errorf("%s: %d %v", address, script.status, script.header)
	}
	if old := b.get("/assets/console.js?v=0"); strings.Contains(old.header.Get("Cache-Control"), "immutable") {
		t.Error("another hash is immutable")
	}
}
