package console_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
)

// calls logs n calls of a key, one second apart.
func (s *site) calls(n int, key control.Key, change func(i int, c *control.Call)) {
	s.t.Helper()
	var all []control.Call
	for i := range n {
		c := control.Call{
			At: s.clock.now().Add(time.Duration(i) * time.Second), Workspace: "acme", Tool: fmt.Sprint("tool", i), Status: control.CallOK,
			Took: 1500 * time.Microsecond, Bytes: 4200, Actor: "key:" + string(key.ID), Arguments: `{"q":"<script>"}`,
		}
		change(i, &c)
		all = append(all, c)
	}
	if err := s.store.AppendCalls(s.t.Context(), all); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) key(name string) control.Key {
	s.t.Helper()
	_, k, err := s.keys.Create(s.t.Context(), auth.NewKey{Workspace: "acme", Name: name}, "test")
	if err != nil {
		s.t.Fatal(err)
	}
	return k
}

// toolsOn returns the tools of the calls on a page, and the address of the next page.
func toolsOn(p seen) (tools []string, older string) {
	for _, m := range regexp.MustCompile(`<th scope="row">(tool\d+)`).FindAllStringSubmatch(p.body, -1) {
		tools = append(tools, m[1])
	}
	if m := regexp.MustCompile(`<a href="([^"]*)" rel="next">`).FindStringSubmatch(p.body); m != nil {
		older = html.UnescapeString(m[1])
	}
	return tools, older
}

func TestCallLogIsPagedNewestFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	if p := b.get("/calls?workspace=acme"); !strings.Contains(p.body, "No calls yet") {
		t.Errorf("without calls: %s", p.body)
	}
	s.calls(120, s.key("weekly report"), func(int, *control.Call) {})
	var all []string
	next := "/calls?workspace=acme"
	for pages := 0; next != ""; pages++ {
		p := b.get(next)
		var tools []string
		if tools, next = toolsOn(p); p.status != http.StatusOK || pages > 3 {
			t.Fatalf("page %d: %d", pages, p.status)
		}
		if pages > 0 && !strings.Contains(p.body, ">Newest<") {
			t.Errorf("page %d has no way back", pages)
		}
		all = append(all, tools...)
	}
	if len(all) != 120 || all[0] != "tool119" || all[119] != "tool0" || len(slices.Compact(slices.Clone(all))) != 120 {
		t.Errorf("%d calls on all pages, from %s on", len(all), all[0])
	}
}

func TestCallLogIsFiltered(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	one, other := s.key("weekly report"), s.key("dashboard")
	s.calls(3, one, func(i int, c *control.Call) {
		switch i {
		case 1:
			c.Status, c.Actor = control.CallRefused, "key:"+string(other.ID)
		case 2:
			c.Actor, c.Client, c.ClientName = "user:somebody", "c1", "Ledger <Owl>"
		}
	})
	b := s.signedIn(email)
	for query, want := range map[string]string{
		"": "tool2 tool1 tool0", "&status=refused": "tool1", "&caller=key:" + string(one.ID): "tool0", "&caller=program:c1": "tool2",
		"&tool=tool1": "tool1", "&tool=tool1&status=ok": "", "&before=0": "",
	} {
		p := b.get("/calls?workspace=acme" + query)
		if got, _ := toolsOn(p); strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
		if want == "" && !strings.Contains(p.body, "No call matches") {
			t.Errorf("%q does not state that there is none", query)
		}
	}
	p := b.get("/calls?workspace=acme")
	for _, want := range []string{"key “dashboard”", "Ledger &lt;Owl&gt; for somebody", "1.5 ms", "4.2 kB", "&lt;script&gt;"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}

func TestOnlyAdminsSeeArguments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	s.member("ana@acme.example", control.RoleAnalyst)
	s.calls(1, s.key("weekly report"), func(_ int, c *control.Call) { c.Client, c.ClientName, c.Actor = "c1", "Owl", "user:anna" })
	owner, analyst := s.signedIn(email), s.signedIn("ana@acme.example")
	if p := owner.get("/calls?workspace=acme"); !strings.Contains(p.body, "&lt;script&gt;") {
		t.Error("the owner does not see them")
	}
	if p := analyst.get("/calls?workspace=acme"); strings.Contains(p.body, "&lt;script") || strings.Contains(p.body, "for anna") || !strings.Contains(p.body, "tool0") {
		t.Error("an analyst sees arguments or callers, or no call")
	}
	for _, who := range []string{"user:anna", "user:nobody"} {
		if got, _ := toolsOn(analyst.get("/calls?workspace=acme&caller=" + who)); len(got) != 1 {
			t.Errorf("an analyst filters the list by the calls of %s: %q", who, got)
		}
	}
	if p := analyst.form("/calls", "arguments", "keep"); p.status != http.StatusForbidden {
		t.Errorf("an analyst switches it: %d, want 403", p.status)
	}
	for _, want := range []bool{true, false} {
		word := map[bool]string{true: "keep", false: "leave"}[want]
		if p := owner.form("/calls", "arguments", word); p.status != http.StatusSeeOther {
			t.Errorf("%s: %d", word, p.status)
		}
		if w, err := s.store.Workspace(t.Context(), "acme"); err != nil || w.LogArguments != want {
			t.Errorf("after %s: %v, %v", word, w.LogArguments, err)
		}
	}
	if p := owner.form("/calls", "arguments", "perhaps"); p.status != http.StatusUnprocessableEntity {
		t.Errorf("another word: %d, want 422", p.status)
	}
}

func TestOnlyAdminsSeeTheAuditLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	s.member("ana@acme.example", control.RoleAnalyst)
	s.key("weekly report")
	s.browser().signIn("ana@acme.example", "wrong password", "/")
	s.browser().signIn("nobody@acme.example", "wrong password", "/")
	if _, err := s.people.Create(t.Context(), "foreign@mill.example", password, "test"); err != nil {
		t.Fatal(err)
	}
	owner := s.signedIn(email)
	p := owner.get("/security?workspace=acme")
	for _, want := range []string{
		"Key created", "weekly report", "Role changed", "ana@acme.example", "Sign-in failed", "wrong password; from 127.0.0.1", "Signed in", "Workspace created",
	} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	for _, not := range []string{"foreign@mill.example", "no such account", "Other"} {
		if strings.Contains(p.body, not) {
			t.Errorf("the page contains %q of another workspace", not)
		}
	}
	if p := owner.get("/security?workspace=acme&about=keys"); !strings.Contains(p.body, "Key created") || strings.Contains(p.body, "Signed in<") {
		t.Error("the list is not filtered by keys")
	}
	if p := s.signedIn("ana@acme.example").get("/security?workspace=acme"); p.status != http.StatusForbidden {
		t.Errorf("an analyst: %d, want 403", p.status)
	}
}

// A deleted workspace keeps its events. A new workspace with its ID may belong to other people.
func TestTheAuditLogBeginsWithTheWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	err := s.store.AppendEvent(t.Context(), control.Event{
		Workspace: "acme", Kind: control.KeyMade, Actor: "previous tenant", At: s.clock.now().Add(-24 * time.Hour), Detail: "secret plan",
	})
	if err != nil {
		t.Fatal(err)
	}
	b := s.signedIn(email)
	for path, created := range map[string]string{"/security": "Workspace created", "/security/export.csv": "workspace_made"} {
		p := b.get(path + "?workspace=acme")
		if p.status != http.StatusOK || !strings.Contains(p.body, created) {
			t.Errorf("%s: %d, or without the event of the creation", path, p.status)
		}
		if strings.Contains(p.body, "secret plan") {
			t.Errorf("%s shows an event from before the workspace", path)
		}
	}
}

func TestRotatedKeyExpiresAfterTheChosenTime(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b, k := s.signedIn(email), s.key("weekly report")
	for _, bad := range []string{"0", "169", "x"} {
		if p := b.form("/keys", "action", "rotate", "id", string(k.ID), "hours", bad); p.status != http.StatusUnprocessableEntity {
			t.Errorf("%s hours: %d, want 422", bad, p.status)
		}
	}
	if p := b.form("/keys", "action", "rotate", "id", string(k.ID), "hours", "1"); p.status != http.StatusOK {
		t.Fatalf("an hour: %d", p.status)
	}
	if old, err := s.store.Key(t.Context(), k.ID); err != nil || !old.ExpiresAt.Equal(s.clock.now().Add(time.Hour)) {
		t.Errorf("the old key ends %s, %v", old.ExpiresAt, err)
	}
}

// Every page of a workspace links to the other pages and marks itself as the current page. Users without access to the
// workspace cannot see it.
func TestNavigationLinksAllPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	paths := []string{"/connect", "/connections", "/budget-changes", "/apps", "/keys", "/people", "/calls", "/security"}
	for _, path := range paths {
		p := b.get(path + "?workspace=acme")
		if p.status != http.StatusOK || strings.Count(p.body, `aria-current="page"`) != 1 || !strings.Contains(p.body, path+`?workspace=acme" aria-current="page"`) {
			t.Errorf("%s: %d, or not marked", path, p.status)
		}
		for _, other := range paths {
			if !strings.Contains(p.body, `href="`+other+`?workspace=acme"`) {
				t.Errorf("%s does not lead to %s", path, other)
			}
		}
		if policy := p.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(p.body, "<script>") || strings.Contains(p.body, " style=") {
			t.Errorf("%s runs or styles inline, or has the policy %q", path, policy)
		}
		if p := b.get(path + "?workspace=other"); p.status != http.StatusNotFound {
			t.Errorf("%s of another workspace: %d, want 404", path, p.status)
		}
		if p := s.browser().get(path + "?workspace=acme"); p.status != http.StatusSeeOther {
			t.Errorf("%s signed out: %d, want 303", path, p.status)
		}
	}
}
