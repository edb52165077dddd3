package performance_test

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

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/tools"
)

// performancePages are the paths of the performance pages that the tests fill with golden answers.
var performancePages = []string{"/", "/channels", "/campaigns", "/customers", "/products", "/creators", "/email", "/surveys", "/surfaces"}

func TestPerformancePagesShowTheAnswersOfTheTools(t *testing.T) {
	t.Parallel()
	ask := consoletest.RecordedTools(t)
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = ask })
	s.Member(consoletest.Email, control.RoleViewer)
	b := s.SignedIn(consoletest.Email)
	for _, path := range performancePages {
		p := b.Get(path + "?workspace=acme")
		if p.Status != http.StatusOK || strings.Count(p.Body, "<h1") != 1 || strings.Count(p.Body, `aria-current="page"`) != 1 {
			t.Errorf("%s: %d, or not one title and one current page", path, p.Status)
		}
		for _, broken := range []string{"NaN", "<script>", " style=", "ZgotmplZ", "%!"} {
			if strings.Contains(p.Body, broken) {
				t.Errorf("%s contains %q", path, broken)
			}
		}
		if n := len(p.Body); n > 150_000 {
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
	page, printer := b.Get("/?workspace=acme"), message.NewPrinter(language.English)
	for _, want := range []string{
		printer.Sprintf("$%.0f", float64(*a.Metrics.Revenue.Value)), printer.Sprintf("$%.0f", float64(*a.Metrics.Spend.Value)),
		printer.Sprintf(">%.0f<", float64(*a.Metrics.Orders.Value)), printer.Sprintf("%.2f", float64(*a.Metrics.ROAS.Value)),
	} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the overview does not contain %q of the answer", want)
		}
	}
}

func TestTablesStateTheRowsThatTheyOmit(t *testing.T) {
	t.Parallel()
	ask := consoletest.RecordedTools(t)
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) {
		o.Ask = func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
			text, err := ask(ctx, p, tool, args)
			text = regexp.MustCompile(`"(total|ranked)":\d+`).ReplaceAll(text, []byte(`"$1":812`))
			if tool == "creators" {
				text = bytes.Replace(text, []byte(`"rows":`), []byte(`"truncated":{"rows_returned":3,"rows_total":812,"reason":"limit","how":"limit=100"},"rows":`), 1)
			}
			return text, err
		}
	})
	s.Member(consoletest.Email, control.RoleViewer)
	b := s.SignedIn(consoletest.Email)
	for path, tables := range map[string]int{"/campaigns": 1, "/products": 2, "/creators": 1, "/email": 1, "/surveys": 1} {
		p := b.Get(path + "?workspace=acme")
		if n := strings.Count(p.Body, " of 812 rows with the "); p.Status != http.StatusOK || n != tables {
			t.Errorf("%s: %d, %d tables state the number of rows, want %d", path, p.Status, n, tables)
		}
	}
}

func TestPerformancePagesOfAnEmptyStoreExplainTheNextStep(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	for _, path := range performancePages {
		p := b.Get(path + "?workspace=acme")
		if p.Status != http.StatusOK || strings.Contains(p.Body, "NaN") || !strings.Contains(p.Body, "<h1>") {
			t.Errorf("%s: %d", path, p.Status)
		}
	}
	p := b.Get("/")
	if !strings.Contains(p.Body, "Import orders") || !strings.Contains(p.Body, `href="/connect?workspace=acme"`) || strings.Contains(p.Body, `class="kpis"`) {
		t.Error("the overview has no checklist, or has figures")
	}
}

func TestPerformancePagesAreForMembers(t *testing.T) {
	t.Parallel()
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = consoletest.RecordedTools(t) })
	s.Member(consoletest.Email, control.RoleViewer)
	stranger, member := s.Browser(), s.SignedIn(consoletest.Email)
	for _, path := range append(performancePages, "/ask", "/articles") {
		if p := stranger.Get(path); p.Status != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), "/sign-in") {
			t.Errorf("%s without a session: %d", path, p.Status)
		}
		if p := member.Get(path + "?workspace=other"); p.Status != http.StatusNotFound {
			t.Errorf("%s of another workspace: %d, want not found", path, p.Status)
		}
	}
	if _, err := s.People.Create(t.Context(), "new@acme.example", consoletest.Password, "test"); err != nil {
		t.Fatal(err)
	}
	if p := s.SignedIn("new@acme.example").Get("/"); p.Status != http.StatusSeeOther || p.Header.Get("Location") != "/workspaces" {
		t.Errorf("without a workspace: %d to %q", p.Status, p.Header.Get("Location"))
	}
}

func TestPerformancePagesReportFailures(t *testing.T) {
	t.Parallel()
	refused := fault.NotReady("the store is being restored").WithHint("try again in a minute")
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) {
		o.Ask = func(context.Context, auth.Principal, string, json.RawMessage) (json.RawMessage, error) {
			return nil, refused
		}
	})
	s.Member(consoletest.Email, control.RoleViewer)
	b := s.SignedIn(consoletest.Email)
	for _, path := range performancePages {
		if p := b.Get(path); p.Status != http.StatusConflict || !strings.Contains(p.Body, "The store is being restored. Try again in a minute.") {
			t.Errorf("%s: %d", path, p.Status)
		}
	}
}

func TestStoredNamesAreEscapedOnPagesAndHarmlessInFiles(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleViewer)
	d.Stock(`<script>alert(1)</script>`, `=HYPERLINK("http://evil.example")`, `a plain tee`)
	b := d.SignedIn(consoletest.Email)
	const days = "?workspace=acme&start=2026-01-01&end=2026-01-31"
	p := b.Get("/products" + days)
	if p.Status != http.StatusOK || !strings.Contains(p.Body, html.EscapeString(`<script>alert(1)</script>`)) || strings.Contains(p.Body, "<script>alert") {
		t.Errorf("the page: %d, the name is missing or not escaped", p.Status)
	}
	file := b.Get("/products" + days + "&format=csv")
	if file.Header.Get("Content-Type") != "text/csv; charset=utf-8" || strings.Contains(file.Body, "\n=HYPERLINK") ||
		strings.Contains(file.Body, "\n\"=HYPERLINK") || !strings.Contains(file.Body, "a plain tee,30,") {
		t.Errorf("the file: %s\n%s", file.Header.Get("Content-Type"), file.Body)
	}
	at := func(sort, title string) int {
		_, table, _ := strings.Cut(b.Get("/products"+days+"&sort="+sort).Body, "<table")
		return strings.Index(table, title)
	}
	if at("-units", "a plain tee") > at("-units", "HYPERLINK") || at("units", "a plain tee") < at("units", "HYPERLINK") {
		t.Error("the products are not sorted by units")
	}
}

func TestFiltersSelectTheFiguresOfTheTool(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	u := d.Member(consoletest.Email, control.RoleViewer)
	d.Stock("a tee")
	b := d.SignedIn(consoletest.Email)
	page := b.Get("/?workspace=acme&start=2026-01-01&end=2026-01-31")
	acme, err := d.Store.Workspace(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	who := auth.Principal{Workspace: acme, Actor: control.ActorOf(u.ID), Kind: auth.ByOAuth, Scopes: control.RoleViewer.Scopes()}
	text, err := d.Tools.Answer(t.Context(), who, "performance", json.RawMessage(`{"start_date":"2026-01-01","end_date":"2026-01-31"}`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := tools.Performance.Result(text)
	if err != nil {
		t.Fatal(err)
	}
	const want = "Revenue is $1,234."
	if *a.Metrics.Revenue.Value != 1234 || !strings.Contains(page.Body, want) || !strings.Contains(page.Body, "Jan 1 – Jan 31, 2026") {
		t.Errorf("the tool reports %v; the page does not contain %q and the period", *a.Metrics.Revenue.Value, want)
	}
	if !strings.Contains(page.Body, `href="/channels?end=2026-01-31&amp;start=2026-01-01&amp;workspace=acme"`) {
		t.Error("the navigation does not keep the period")
	}
	for query, want := range map[string]string{
		"start=2026-02-30&end=2026-03-01": "is not a calendar date", "start=2026-03-02&end=2026-03-01": "is after the last day",
	} {
		if p := b.Get("/?workspace=acme&" + query); p.Status != http.StatusBadRequest || !strings.Contains(p.Body, want) {
			t.Errorf("%s: %d, want %q", query, p.Status, want)
		}
	}
}

func TestQuestionsShowTheInterpretationOfTheTool(t *testing.T) {
	t.Parallel()
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = consoletest.RecordedTools(t) })
	s.Member(consoletest.Email, control.RoleViewer)
	b := s.SignedIn(consoletest.Email)
	form := b.Get("/ask?workspace=acme")
	if form.Status != http.StatusOK || !strings.Contains(form.Body, "Example questions") {
		t.Fatalf("the page of questions: %d", form.Status)
	}
	fields := url.Values{"csrf": {form.Field("csrf")}, "workspace": {"acme"}, "question": {`<b>"revenue"</b>`}}
	p := b.Post("/ask", fields)
	if p.Status != http.StatusOK || !strings.Contains(p.Body, html.EscapeString(`<b>"revenue"</b>`)) ||
		!strings.Contains(p.Body, "tools/call") || !strings.Contains(p.Body, "Open ") {
		t.Errorf("the answer: %d, without the question, the call or the page with the figures", p.Status)
	}
	fields.Set("csrf", "wrong")
	if p := b.Post("/ask", fields); p.Status != http.StatusForbidden {
		t.Errorf("a foreign form: %d, want forbidden", p.Status)
	}
	if p := b.Get("/articles?workspace=acme&term=roas"); p.Status != http.StatusOK || !strings.Contains(p.Body, "<article") {
		t.Errorf("the article: %d", p.Status)
	}
}
