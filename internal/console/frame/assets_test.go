package frame_test

import (
	"net/http"
	"strings"
	"testing"

	"assay/internal/console/consoletest"
	"assay/internal/control"
)

func TestAssetsAreImmutableWithTheirHash(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	page := b.Get("/keys?workspace=acme")
	_, after, _ := strings.Cut(page.Body, `<script src="`)
	address, _, _ := strings.Cut(after, `"`)
	script := b.Get(address)
	if script.Status != http.StatusOK || !strings.Contains(script.Header.Get("Cache-Control"), "immutable") ||
		!strings.Contains(script.Header.Get("Content-Type"), "javascript") {
		t.Errorf("%s: %d %v", address, script.Status, script.Header)
	}
	if old := b.Get("/assets/console.js?v=0"); strings.Contains(old.Header.Get("Cache-Control"), "immutable") {
		t.Error("another hash is immutable")
	}
}
