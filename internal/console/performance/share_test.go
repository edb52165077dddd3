package performance_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/control"
)

// shareSite returns a site with figures, and a share link to the Channels page for Google and the last seven days.
func shareSite(t *testing.T) (s *consoletest.Site, owner *consoletest.Browser, seen *consoletest.Calls, link string) {
	t.Helper()
	seen = &consoletest.Calls{}
	ask := seen.Recording(consoletest.RecordedTools(t))
	s = consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = ask })
	s.Member(consoletest.Email, control.RoleOwner)
	owner = s.SignedIn(consoletest.Email)
	return s, owner, seen, share(owner, "/channels", "range", "7d", "channel", "google")
}

// share creates a link and returns its path.
func share(b *consoletest.Browser, page string, filters ...string) string {
	b.T.Helper()
	made := b.Form("/shares", append([]string{"action", "create", "page", page, "days", "7"}, filters...)...)
	found := regexp.MustCompile(regexp.QuoteMeta(b.URL) + `(/shared/[\w-]{43})<`).FindStringSubmatch(made.Body)
	if made.Status != http.StatusOK || found == nil {
		b.T.Fatalf("a link: %d %s", made.Status, made.Body)
	}
	return found[1]
}

func TestSharedPageIsReadOnlyAndLeadsNowhere(t *testing.T) {
	t.Parallel()
	s, owner, seen, _ := shareSite(t)
	for _, page := range performancePages {
		link := share(owner, page, "range", "7d")
		seen.Taken()
		p := s.Browser().Get(link)
		if p.Status != http.StatusOK || strings.Count(p.Body, "<h1") != 1 || !strings.Contains(p.Body, "Acme") || !strings.Contains(p.Body, "Last 7 days") {
			t.Errorf("%s: %d %.300s", page, p.Status, p.Body)
		}
		for _, unwanted := range []string{"<form", "<script", "<nav class=\"side\"", "name=\"csrf\"", "data-copy", "data-save", "curl ", consoletest.Email, "id=\"ask\"", "sign-in", "workspace="} {
			if strings.Contains(p.Body, unwanted) {
				t.Errorf("%s contains %q", page, unwanted)
			}
		}
		for _, m := range regexp.MustCompile(`(?:href|src|action)="([^"]*)"`).FindAllStringSubmatch(p.Body, -1) {
			if !strings.HasPrefix(m[1], "/assets/") && !strings.HasPrefix(m[1], link) && m[1] != "#main" {
				t.Errorf("%s leads to %s", page, m[1])
			}
		}
		for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow", "X-Frame-Options": "DENY"} {
			if got := p.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", page, name, got, want)
			}
		}
		if policy := p.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'none'") || strings.Contains(policy, "script-src") || !strings.Contains(p.Body, `content="noindex, nofollow"`) {
			t.Errorf("%s: policy %q", page, policy)
		}
		if len(p.Header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s sets a cookie", page)
		}
		for _, call := range seen.Taken() {
			if !strings.Contains(call, "|acme|share:") || !strings.Contains(call, "|"+string(control.ScopeRead)+"|") {
				t.Errorf("%s calls %s; want the scope to read only", page, call)
			}
		}
	}
}

func TestPagesStateOnlyFiltersOfTheirFigures(t *testing.T) {
	t.Parallel()
	s, owner, seen, _ := shareSite(t)
	filters := []string{"range", "7d", "channel", "google", "compare", "year", "model", "linear"}
	for page, want := range map[string]string{
		"/": "Last 7 days · compared with one year earlier · Google Ads · Linear", "/channels": "Last 7 days · Google Ads · Linear",
		"/campaigns": "Last 7 days · Google Ads", "/customers": "Last 7 days · Google Ads", "/products": "Last 7 days",
	} {
		p := s.Browser().Get(share(owner, page, filters...))
		if _, stated, _ := strings.Cut(p.Body, `<p class="hint">`); !strings.Contains(stated, "<bdi>"+want+"</bdi>") {
			t.Errorf("%s states the filters %.150q, want %q", page, stated, want)
		}
	}
	list := owner.Get("/shares?workspace=acme&page=/products&range=7d&channel=google")
	if !strings.Contains(list.Body, `name="channel" value="google"`) || !strings.Contains(list.Body, "Filters: <bdi>Last 7 days</bdi>") {
		t.Error("the form of a page without channels loses the filter, or states it")
	}
	seen.Taken()
	for _, path := range []string{"/campaigns?workspace=acme&channel=podcast", share(owner, "/campaigns", "channel", "podcast")} {
		p := owner.Get(path)
		if p.Status != http.StatusOK || !strings.Contains(p.Body, "No ad platform reports campaigns for Podcast.") {
			t.Errorf("%s: %d, or no reason why there are no campaigns", path, p.Status)
		}
	}
	for _, call := range seen.Taken() {
		if strings.HasPrefix(call, "campaigns|") {
			t.Errorf("the page for podcasts shows campaigns: %s", call)
		}
	}
	p := owner.Get("/?workspace=acme&channel=google&model=linear")
	if !strings.Contains(p.Body, "The key figures and the chart use last touch. The channel table uses the attribution model Linear.") {
		t.Error("the overview does not state the model of its figures")
	}
}

// Regardless of the query in the address of a link, the calls have the workspace and filters of the link.
func TestQueryOfASharedPageWidensNothing(t *testing.T) {
	t.Parallel()
	s, _, seen, link := shareSite(t)
	seen.Taken()
	plain := s.Browser().Get(link)
	want := seen.Taken()
	if plain.Status != http.StatusOK || len(want) == 0 || !strings.Contains(strings.Join(want, "\n"), `"channel":"google"`) && !strings.Contains(strings.Join(want, "\n"), "start_date") {
		t.Fatalf("%d, calls %s", plain.Status, want)
	}
	for _, tampered := range []string{
		"?workspace=other", "?channel=facebook", "?channel=", "?range=year", "?start=2020-01-01&end=2026-11-20", "?compare=year", "?model=linear", "?page=/customers",
		"?format=csv", "?format=csv&table=", "?open=google", "?days=90", "?view=ltv", "?sort=-spend&page=2", "?channel=google&channel=facebook",
	} {
		p := s.Browser().Get(link + tampered)
		got := seen.Taken()
		if p.Status != http.StatusOK || !strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", tampered, p.Status, p.Header.Get("Content-Type"))
		}
		if !sameCalls(got, want) {
			t.Errorf("%s: calls\n%s\nwant\n%s", tampered, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for _, path := range []string{link + "/customers", link + "/../customers", "/shared/", "/shared/x/y"} {
		if p := s.Browser().Get(path); p.Status == http.StatusOK {
			t.Errorf("%s: 200", path)
		}
	}
}

// sameCalls compares calls without their order.
func sameCalls(a, b []string) bool {
	count := map[string]int{}
	for _, one := range a {
		count[one]++
	}
	for _, one := range b {
		count[one]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// Unknown, expired and revoked links have the same answer. A link has this answer too if its author has lost the role.
func TestEndedSharesHaveOneAnswer(t *testing.T) {
	t.Parallel()
	s, owner, seen, expiring := shareSite(t)
	ada := s.Member("ada@acme.example", control.RoleAdmin)
	revoked := share(owner, "/")
	all, err := s.Store.Shares(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one.Page == "/" {
			if p := owner.Form("/shares", "action", "revoke", "id", string(one.ID)); p.Status != http.StatusOK {
				t.Fatalf("revocation: %d", p.Status)
			}
		}
	}
	orphaned := share(s.SignedIn("ada@acme.example"), "/")
	if p := s.Browser().Get(orphaned); p.Status != http.StatusOK {
		t.Fatalf("before: %d", p.Status)
	}
	if err := s.People.SetRole(t.Context(), ada.ID, "acme", control.RoleAnalyst, "test"); err != nil {
		t.Fatal(err)
	}
	s.Clock.Move(7*24*time.Hour - time.Second)
	if p := s.Browser().Get(expiring); p.Status != http.StatusOK {
		t.Errorf("a second before the end: %d", p.Status)
	}
	s.Clock.Move(2 * time.Second)
	seen.Taken()
	wrong := s.Browser().Get("/shared/" + strings.Repeat("A", 43))
	if wrong.Status != http.StatusNotFound || wrong.Header.Get("X-Robots-Tag") == "" || wrong.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("a wrong link: %d", wrong.Status)
	}
	for what, path := range map[string]string{
		"expired": expiring, "revoked": revoked, "author without the role": orphaned, "short": "/shared/x", "endless": "/shared/" + strings.Repeat("A", 4000),
		"another case": strings.ToLower(expiring), "cut": expiring[:len(expiring)-1], "with an injection": "/shared/" + url.PathEscape("' OR 1=1 --"),
	} {
		p := s.Browser().Get(path)
		if p.Status != wrong.Status || p.Body != wrong.Body {
			t.Errorf("%s: %d; its answer differs from that of a wrong link", what, p.Status)
		}
	}
	if calls := seen.Taken(); len(calls) > 0 {
		t.Errorf("ended links call tools: %s", calls)
	}
}

func TestSharedPagesAcceptNoOtherMethodAndAreRateLimited(t *testing.T) {
	t.Parallel()
	s, _, seen, link := shareSite(t)
	seen.Taken()
	for _, method := range []string{http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, "PROPFIND"} {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+link, strings.NewReader("csrf=x"))
		if err != nil {
			t.Fatal(err)
		}
		if p := s.Browser().Send(r); p.Status != http.StatusMethodNotAllowed || p.Header.Get("Allow") != http.MethodGet {
			t.Errorf("%s: %d, Allow %q", method, p.Status, p.Header.Get("Allow"))
		}
	}
	if calls := seen.Taken(); len(calls) > 0 {
		t.Errorf("calls: %s", calls)
	}
	b := s.Browser()
	for i := range 60 {
		if p := b.Get("/shared/wrong"); p.Status != http.StatusNotFound {
			t.Fatalf("attempt %d: %d", i, p.Status)
		}
	}
	if p := b.Get(link); p.Status != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" {
		t.Errorf("the 61st: %d, Retry-After %q", p.Status, p.Header.Get("Retry-After"))
	}
	s.Clock.Move(time.Minute)
	if p := b.Get(link); p.Status != http.StatusOK {
		t.Errorf("a minute later: %d", p.Status)
	}
}

func TestOnlyAdminsShareListAndRevoke(t *testing.T) {
	t.Parallel()
	s, owner, _, link := shareSite(t)
	s.Member("ana@acme.example", control.RoleAnalyst)
	analyst := s.SignedIn("ana@acme.example")
	all, err := s.Store.Shares(t.Context(), "acme")
	if err != nil || len(all) != 1 || strings.Contains(link, string(all[0].Hash)) {
		t.Fatalf("%+v, %v", all, err)
	}
	if p := analyst.Get("/shares?workspace=acme"); p.Status != http.StatusForbidden {
		t.Errorf("an analyst sees the links: %d", p.Status)
	}
	if p := analyst.Get("/?workspace=acme"); strings.Contains(p.Body, "/shares") {
		t.Error("an analyst is offered to share")
	}
	for what, fields := range map[string][]string{"creates": {"action", "create", "page", "/", "days", "7"}, "revokes": {"action", "revoke", "id", string(all[0].ID)}} {
		if p := analyst.Form("/shares", fields...); p.Status != http.StatusForbidden {
			t.Errorf("an analyst %s: %d", what, p.Status)
		}
	}
	for what, c := range map[string]struct {
		status int
		fields []string
	}{
		"a page with actions": {422, []string{"action", "create", "page", "/keys", "days", "7"}}, "no page": {422, []string{"action", "create", "days", "7"}},
		"another host": {422, []string{"action", "create", "page", "//evil.example/", "days", "7"}}, "no expiry": {422, []string{"action", "create", "page", "/"}},
		"too long": {422, []string{"action", "create", "page", "/", "days", "91"}}, "a wrong day": {422, []string{"action", "create", "page", "/", "days", "7", "start", "yesterday", "end", "x"}},
		"another workspace": {404, []string{"workspace", "other", "action", "create", "page", "/", "days", "7"}}, "without a token": {403, []string{"csrf", "", "action", "create", "page", "/", "days", "7"}},
		"no action": {422, nil}, "an unknown link": {422, []string{"action", "revoke", "id", "nothing"}},
	} {
		if p := owner.Form("/shares", c.fields...); p.Status != c.status {
			t.Errorf("%s: %d, want %d", what, p.Status, c.status)
		}
	}
	if p := s.Browser().Get(link); p.Status != http.StatusOK {
		t.Fatalf("opened: %d", p.Status)
	}
	list := owner.Get("/shares?workspace=acme")
	for _, want := range []string{"1 share link.", "Channels", "Last 7 days · Google Ads", consoletest.Email, "Nov 20, 2026, 12:00 UTC", "Nov 27, 2026"} {
		if !strings.Contains(list.Body, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	if strings.Contains(list.Body, link) {
		t.Error("the list shows the link again")
	}
	if p := owner.Get("/channels?workspace=acme&range=7d"); !strings.Contains(p.Body, `href="/shares?range=7d&amp;workspace=acme&amp;page=%2Fchannels"`) {
		t.Error("the page has no button to share it with its filters")
	}
	hostile := owner.Get("/shares?workspace=acme&channel=" + url.QueryEscape(`"><script>alert(1)</script>`))
	if strings.Contains(hostile.Body, "<script>alert") {
		t.Error("a filter is not escaped")
	}
}
