package oauth

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fetcher returns a fetcher that resolves every name to the test server.
func fetcher(t *testing.T, serve http.HandlerFunc) (*documents, *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		serve(w, r)
	}))
	t.Cleanup(server.Close)
	d := newDocuments(func() time.Time { return time.Unix(1000, 0) })
	d.reachAt(server.Listener.Addr().String())
	return d, &asked
}

const documentID = "https://client.example/client.json"

func documentText(change string) string {
	text := `{"client_id":"` + documentID + `","client_name":"Ledger Owl","redirect_uris":["https://owl.example/cb"]}`
	old, with, _ := strings.Cut(change, "=>")
	return strings.Replace(text, old, with, 1)
}

func serveJSON(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, text)
	}
}

func TestADocumentDescribesAClient(t *testing.T) {
	t.Parallel()
	d, asked := fetcher(t, serveJSON(documentText("")))
	c, err := d.fetch(t.Context(), documentID)
	if err != nil || string(c.ID) != documentID || c.Name != "Ledger Owl" || len(c.Redirects) != 1 {
		t.Fatalf("fetch = %+v, %v", c, err)
	}
	if doc, ok := d.remembered(documentID); !ok || doc.client.Name != c.Name || asked.Load() != 1 {
		t.Errorf("cached = %+v, %v after %d requests", doc, ok, asked.Load())
	}
}

func TestDocumentsAreLimitedAndRedirectsNotFollowed(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, documentText(""))
	z.Close()
	cases := map[string]http.HandlerFunc{
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://10.0.0.1/", http.StatusFound)
		},
		"not found":      http.NotFound,
		"HTML":           func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"above 5 KiB":    serveJSON(documentText("") + strings.Repeat(" ", 5<<10)),
		"two objects":    serveJSON(documentText("") + "{}"),
		"another id":     serveJSON(documentText("client.json=>client.json/")),
		"id in capitals": serveJSON(documentText("client.example=>CLIENT.example")),
		"no name":        serveJSON(documentText(`"Ledger Owl"=>""`)),
		"a secret":       serveJSON(documentText(`{"client_id"=>{"client_secret":"x","client_id"`)),
		"secret method":  serveJSON(documentText(`{"client_id"=>{"token_endpoint_auth_method":"client_secret_basic","client_id"`)),
		"bad redirect":   serveJSON(documentText("https://owl.example/cb=>javascript:alert(1)")),
		"no redirect":    serveJSON(documentText(`"https://owl.example/cb"=>`)),
		"compressed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped.Bytes())
		},
	}
	for what, serve := range cases {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d, asked := fetcher(t, serve)
			if c, err := d.fetch(t.Context(), documentID); err == nil {
				t.Errorf("accepted as %+v", c)
			}
			if asked.Load() != 1 {
				t.Errorf("%d requests, want 1", asked.Load())
			}
			if doc, ok := d.remembered(documentID); !ok || doc.err == nil {
				t.Error("the failure is not cached")
			}
		})
	}
}

func TestEndlessDocumentsAreAborted(t *testing.T) {
	t.Parallel()
	d, _ := fetcher(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := d.fetch(ctx, documentID); err == nil {
		t.Error("accepted")
	}
	if _, remembered := d.remembered(documentID); remembered {
		t.Error("the cancellation of a caller is cached for the document")
	}
}

func TestTheRealDialerRejectsLoopback(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	d := newDocuments(time.Now)
	for _, host := range []string{server.Listener.Addr().String(), "localhost" + server.URL[strings.LastIndex(server.URL, ":"):]} {
		if _, err := d.fetch(t.Context(), "https://"+host+"/client.json"); err == nil || !strings.Contains(err.Error(), "not a public address") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if asked.Load() != 0 {
		t.Errorf("%d requests arrived", asked.Load())
	}
}

func TestDocumentsAreCachedAsTheirServerSpecifies(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"": 5 * time.Minute, "max-age=3600": time.Hour, "public, Max-Age=600": 10 * time.Minute, "max-age=1": 5 * time.Minute,
		"max-age=99999999999": 24 * time.Hour, "max-age=-5": 5 * time.Minute, "no-store": 5 * time.Minute, "max-age=x": 5 * time.Minute,
	} {
		if got := memoryOf(header); got != want {
			t.Errorf("Cache-Control %q: %s, want %s", header, got, want)
		}
	}
}

func FuzzRedirects(f *testing.F) {
	f.Add("http://127.0.0.1:3000/cb")
	f.Add("https://owl.example/cb")
	f.Add("https://u@x/#")
	f.Fuzz(func(t *testing.T, uri string) {
		if checkRedirect(uri) != "" {
			return
		}
		if !matches([]string{uri}, uri) {
			t.Errorf("%q does not match itself", uri)
		}
		if strings.ContainsAny(uri, "#\\\r\n\t \"<>") {
			t.Errorf("%q is accepted", uri)
		}
		if _, _, local := splitLoopback(uri); !local && !strings.HasPrefix(uri, "https://") && uri != privateRedirects[0] {
			t.Errorf("%q is neither https nor loopback", uri)
		}
	})
}

func FuzzDocuments(f *testing.F) {
	f.Add(documentText(""), documentID)
	f.Add(`{"client_id":"https://a.example/x","client_name":"\u202e","redirect_uris":["http://localhost"]}`, "https://a.example/x")
	f.Fuzz(func(t *testing.T, text, id string) {
		c, err := parseDocument(id, []byte(text))
		if err != nil {
			return
		}
		if string(c.ID) != id || c.Name == "" || !isClientName(c.Name) || checkRedirects(c.Redirects) != "" {
			t.Errorf("%q describes %+v", text, c)
		}
	})
}

func FuzzDocumentIDs(f *testing.F) {
	f.Add(documentID)
	f.Add("https://u@client.example:443/a/%2e%2e/b#c")
	f.Fuzz(func(t *testing.T, id string) {
		if !isDocumentID(id) {
			return
		}
		u, err := url.Parse(id)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Hostname() == "" || u.Port() != "" && u.Port() != "443" || strings.Contains(u.Path, "/../") {
			t.Errorf("%q is accepted as the address of a document: %+v, %v", id, u, err)
		}
	})
}
