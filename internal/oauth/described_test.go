package oauth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// describe publishes a metadata document with these redirect URIs, and returns the client and the number of times the
// document was fetched.
func (s *service) describe(redirects ...string) (client, *atomic.Int64) {
	s.t.Helper()
	var fetched atomic.Int64
	id := "https://publisher.example/owl.json"
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"client_id":%q,"client_name":"Ledger Owl","redirect_uris":["%s"]}`, id, strings.Join(redirects, `","`))
	}))
	s.t.Cleanup(server.Close)
	s.server.ReachDocumentsAt(server.Listener.Addr().String())
	return client{id: id, redirect: redirects[0]}, &fetched
}

func TestClientIDMayBeAMetadataDocument(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c, fetched := s.describe("https://owl.example/cb")
	page := s.consent(s.session, c.asking(readWrite))
	if page.Client != "Ledger Owl" || page.Origin != "publisher.example" || page.Host != "owl.example" || page.OnlyLocal {
		t.Errorf("consent page: %+v", page)
	}
	got := s.tokens(c, readWrite)
	s.wantAlive("its token", got.Access, true)
	if next, a := s.exchange(c.refreshing(got.Refresh)); a.status != http.StatusOK || next.Scope != readWrite {
		t.Errorf("its refresh: %d %s", a.status, a.body)
	}
	if fetched.Load() != 1 {
		t.Errorf("the document was fetched %d times within minutes, want 1", fetched.Load())
	}
	s.clock.move(5 * time.Minute)
	s.consent(s.session, c.asking(readWrite))
	if fetched.Load() != 2 {
		t.Errorf("after five minutes it was fetched %d times, want 2", fetched.Load())
	}
	foreign := c.asking(readWrite)
	foreign.Set("redirect_uri", "https://evil.example/cb")
	if a := s.ask(s.session, foreign); a.status != http.StatusBadRequest {
		t.Errorf("a redirect URI that is not in the document: %d", a.status)
	}
}

func TestALocalClientIsMarked(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c, _ := s.describe("http://localhost/cb", "http://127.0.0.1/cb")
	if page := s.consent(s.session, c.asking(readWrite)); !page.OnlyLocal || page.Host != "localhost" {
		t.Errorf("document: %+v", page)
	}
	if page := s.consent(s.session, s.register("cursor://anysphere.cursor-mcp/oauth/callback").asking(readWrite)); !page.OnlyLocal {
		t.Errorf("a private scheme: %+v", page)
	}
	if page := s.consent(s.session, s.register("http://localhost/cb", "https://owl.example/cb").asking(readWrite)); page.OnlyLocal {
		t.Errorf("local and remote redirect URIs: %+v", page)
	}
}

func TestDocumentFetchesAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c, fetched := s.describe("https://owl.example/cb")
	ask := func(i int) answer {
		asked := c.asking(readWrite)
		asked.Set("client_id", fmt.Sprintf("https://publisher.example/%d.json", i))
		return s.ask("", asked)
	}
	for i := range 60 {
		if a := ask(i); a.status != http.StatusBadRequest { // the document has another redirect URI
			t.Fatalf("document %d: %d", i, a.status)
		}
	}
	if a := ask(60); a.status != http.StatusTooManyRequests || fetched.Load() != 60 {
		t.Errorf("the 61st: %d after %d fetches, want 429 after 60", a.status, fetched.Load())
	}
	if a := ask(5); a.status != http.StatusBadRequest {
		t.Errorf("a cached document: %d, want 400 as before", a.status)
	}
	s.clock.move(time.Hour)
	if a := ask(61); a.status != http.StatusBadRequest {
		t.Errorf("an hour later: %d", a.status)
	}
}
