package console_test

import (
	"net/http"
	"strings"
	"testing"

	"assay/internal/console/consoletest"
	"assay/internal/control"
)

// Every page of a workspace links to the other pages and marks itself as the current page. Users without access to the
// workspace cannot see it.
func TestNavigationLinksAllPages(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	paths := []string{"/connect", "/connections", "/budget-changes", "/apps", "/keys", "/people", "/calls", "/security"}
	for _, path := range paths {
		p := b.Get(path + "?workspace=acme")
		if p.Status != http.StatusOK || strings.Count(p.Body, `aria-current="page"`) != 1 || !strings.Contains(p.Body, path+`?workspace=acme" aria-current="page"`) {
			t.Errorf("%s: %d, or not marked", path, p.Status)
		}
		for _, other := range paths {
			if !strings.Contains(p.Body, `href="`+other+`?workspace=acme"`) {
				t.Errorf("%s does not lead to %s", path, other)
			}
		}
		if policy := p.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(p.Body, "<script>") || strings.Contains(p.Body, " style=") {
			t.Errorf("%s runs or styles inline, or has the policy %q", path, policy)
		}
		if p := b.Get(path + "?workspace=other"); p.Status != http.StatusNotFound {
			t.Errorf("%s of another workspace: %d, want 404", path, p.Status)
		}
		if p := s.Browser().Get(path + "?workspace=acme"); p.Status != http.StatusSeeOther {
			t.Errorf("%s signed out: %d, want 303", path, p.Status)
		}
	}
}
