package setup_test

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
	"assay/internal/console/consoletest"
	"assay/internal/control"
)

// calls logs n calls of a key, one second apart.
func calls(s *consoletest.Site, n int, key control.Key, change func(i int, c *control.Call)) {
	s.T.Helper()
	var all []control.Call
	for i := range n {
		c := control.Call{
			At: s.Clock.Now().Add(time.Duration(i) * time.Second), Workspace: "acme", Tool: fmt.Sprint("tool", i), Status: control.CallOK,
			Took: 1500 * time.Microsecond, Bytes: 4200, Actor: "key:" + string(key.ID), Arguments: `{"q":"<script>"}`,
		}
		change(i, &c)
		all = append(all, c)
	}
	if err := s.Store.AppendCalls(s.T.Context(), all); err != nil {
		s.T.Fatal(err)
	}
}

func key(s *consoletest.Site, name string) control.Key {
	s.T.Helper()
	_, k, err := s.Keys.Create(s.T.Context(), auth.NewKey{Workspace: "acme", Name: name}, "test")
	if err != nil {
		s.T.Fatal(err)
	}
	return k
}

// toolsOn returns the tools of the calls on a page, and the address of the next page.
func toolsOn(p consoletest.Page) (tools []string, older string) {
	for _, m := range regexp.MustCompile(`<th scope="row">(tool\d+)`).FindAllStringSubmatch(p.Body, -1) {
		tools = append(tools, m[1])
	}
	if m := regexp.MustCompile(`<a href="([^"]*)" rel="next">`).FindStringSubmatch(p.Body); m != nil {
		older = html.UnescapeString(m[1])
	}
	return tools, older
}

func TestCallLogIsPagedNewestFirst(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	if p := b.Get("/calls?workspace=acme"); !strings.Contains(p.Body, "No calls yet") {
		t.Errorf("without calls: %s", p.Body)
	}
	calls(s, 120, key(s, "weekly report"), func(int, *control.Call) {})
	var all []string
	next := "/calls?workspace=acme"
	for pages := 0; next != ""; pages++ {
		p := b.Get(next)
		var tools []string
		if tools, next = toolsOn(p); p.Status != http.StatusOK || pages > 3 {
			t.Fatalf("page %d: %d", pages, p.Status)
		}
		if pages > 0 && !strings.Contains(p.Body, ">Newest<") {
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
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	one, other := key(s, "weekly report"), key(s, "dashboard")
	calls(s, 3, one, func(i int, c *control.Call) {
		switch i {
		case 1:
			c.Status, c.Actor = control.CallRefused, "key:"+string(other.ID)
		case 2:
			c.Actor, c.Client, c.ClientName = "user:somebody", "c1", "Ledger <Owl>"
		}
	})
	b := s.SignedIn(consoletest.Email)
	for query, want := range map[string]string{
		"": "tool2 tool1 tool0", "&status=refused": "tool1", "&caller=key:" + string(one.ID): "tool0", "&caller=program:c1": "tool2",
		"&tool=tool1": "tool1", "&tool=tool1&status=ok": "", "&before=0": "",
	} {
		p := b.Get("/calls?workspace=acme" + query)
		if got, _ := toolsOn(p); strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
		if want == "" && !strings.Contains(p.Body, "No call matches") {
			t.Errorf("%q does not state that there is none", query)
		}
	}
	p := b.Get("/calls?workspace=acme")
	for _, want := range []string{"key “dashboard”", "Ledger &lt;Owl&gt; for somebody", "1.5 ms", "4.2 kB", "&lt;script&gt;"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}

func TestOnlyAdminsSeeArguments(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	s.Member("ana@acme.example", control.RoleAnalyst)
	calls(s, 1, key(s, "weekly report"), func(_ int, c *control.Call) { c.Client, c.ClientName, c.Actor = "c1", "Owl", "user:anna" })
	owner, analyst := s.SignedIn(consoletest.Email), s.SignedIn("ana@acme.example")
	if p := owner.Get("/calls?workspace=acme"); !strings.Contains(p.Body, "&lt;script&gt;") {
		t.Error("the owner does not see them")
	}
	if p := analyst.Get("/calls?workspace=acme"); strings.Contains(p.Body, "&lt;script") || strings.Contains(p.Body, "for anna") || !strings.Contains(p.Body, "tool0") {
		t.Error("an analyst sees arguments or callers, or no call")
	}
	for _, who := range []string{"user:anna", "user:nobody"} {
		if got, _ := toolsOn(analyst.Get("/calls?workspace=acme&caller=" + who)); len(got) != 1 {
			t.Errorf("an analyst filters the list by the calls of %s: %q", who, got)
		}
	}
	if p := analyst.Form("/calls", "arguments", "keep"); p.Status != http.StatusForbidden {
		t.Errorf("an analyst switches it: %d, want 403", p.Status)
	}
	for _, want := range []bool{true, false} {
		word := map[bool]string{true: "keep", false: "leave"}[want]
		if p := owner.Form("/calls", "arguments", word); p.Status != http.StatusSeeOther {
			t.Errorf("%s: %d", word, p.Status)
		}
		if w, err := s.Store.Workspace(t.Context(), "acme"); err != nil || w.LogArguments != want {
			t.Errorf("after %s: %v, %v", word, w.LogArguments, err)
		}
	}
	if p := owner.Form("/calls", "arguments", "perhaps"); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("another word: %d, want 422", p.Status)
	}
}

func TestOnlyAdminsSeeTheAuditLog(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	s.Member("ana@acme.example", control.RoleAnalyst)
	key(s, "weekly report")
	s.Browser().SignIn("ana@acme.example", "wrong password", "/")
	s.Browser().SignIn("nobody@acme.example", "wrong password", "/")
	if _, err := s.People.Create(t.Context(), "foreign@mill.example", consoletest.Password, "test"); err != nil {
		t.Fatal(err)
	}
	owner := s.SignedIn(consoletest.Email)
	p := owner.Get("/security?workspace=acme")
	for _, want := range []string{
		"Key created", "weekly report", "Role changed", "ana@acme.example", "Sign-in failed", "wrong password; from 127.0.0.1", "Signed in", "Workspace created",
	} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	for _, not := range []string{"foreign@mill.example", "no such account", "Other"} {
		if strings.Contains(p.Body, not) {
			t.Errorf("the page contains %q of another workspace", not)
		}
	}
	if p := owner.Get("/security?workspace=acme&about=keys"); !strings.Contains(p.Body, "Key created") || strings.Contains(p.Body, "Signed in<") {
		t.Error("the list is not filtered by keys")
	}
	if p := s.SignedIn("ana@acme.example").Get("/security?workspace=acme"); p.Status != http.StatusForbidden {
		t.Errorf("an analyst: %d, want 403", p.Status)
	}
}

// A deleted workspace keeps its events. A new workspace with its ID may belong to other people.
func TestTheAuditLogBeginsWithTheWorkspace(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	err := s.Store.AppendEvent(t.Context(), control.Event{
		Workspace: "acme", Kind: control.KeyMade, Actor: "previous tenant", At: s.Clock.Now().Add(-24 * time.Hour), Detail: "secret plan",
	})
	if err != nil {
		t.Fatal(err)
	}
	b := s.SignedIn(consoletest.Email)
	for path, created := range map[string]string{"/security": "Workspace created", "/security/export.csv": "workspace_made"} {
		p := b.Get(path + "?workspace=acme")
		if p.Status != http.StatusOK || !strings.Contains(p.Body, created) {
			t.Errorf("%s: %d, or without the event of the creation", path, p.Status)
		}
		if strings.Contains(p.Body, "secret plan") {
			t.Errorf("%s shows an event from before the workspace", path)
		}
	}
}

func TestRotatedKeyExpiresAfterTheChosenTime(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b, k := s.SignedIn(consoletest.Email), key(s, "weekly report")
	for _, bad := range []string{"0", "169", "x"} {
		if p := b.Form("/keys", "action", "rotate", "id", string(k.ID), "hours", bad); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s hours: %d, want 422", bad, p.Status)
		}
	}
	if p := b.Form("/keys", "action", "rotate", "id", string(k.ID), "hours", "1"); p.Status != http.StatusOK {
		t.Fatalf("an hour: %d", p.Status)
	}
	if old, err := s.Store.Key(t.Context(), k.ID); err != nil || !old.ExpiresAt.Equal(s.Clock.Now().Add(time.Hour)) {
		t.Errorf("the old key ends %s, %v", old.ExpiresAt, err)
	}
}
