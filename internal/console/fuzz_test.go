package console

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/control/sqlstore"
	"assay/internal/oauth/people"
)

// An invalid cookie signs no user in and breaks no page.
func FuzzCookies(f *testing.F) {
	store, err := sqlstore.Open(f.Context(), sqlstore.Options{Path: filepath.Join(f.TempDir(), "control.db")})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { store.Close() })
	c := New(Options{BaseURL: "http://127.0.0.1:8080", People: people.New(people.Options{Store: store, Now: time.Now}), Now: time.Now})
	f.Add("assay_session=" + strings.Repeat("A", 43))
	f.Add("assay_visit=x; assay_session=\"")
	f.Fuzz(func(t *testing.T, header string) {
		for path, want := range map[string]int{"/": http.StatusSeeOther, "/sign-in": http.StatusOK} {
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil)
			r.Header.Set("Cookie", header)
			w := httptest.NewRecorder()
			c.ServeHTTP(w, r)
			if w.Code != want || strings.ContainsAny(strings.Join(w.Header().Values("Set-Cookie"), ""), "\r\n") {
				t.Errorf("%s with %q: HTTP %d", path, header, w.Code)
			}
		}
	})
}

func FuzzLocalPaths(f *testing.F) {
	for _, text := range []string{"/keys?workspace=acme", "//evil.test", `/\evil.test`, "/%2f/evil.test", "https:evil.test", "/\t/evil.test"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := localPath(text)
		if !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.ContainsAny(got, "\\\r\n\t ") {
			t.Errorf("%q leads to %q", text, got)
		}
	})
}
