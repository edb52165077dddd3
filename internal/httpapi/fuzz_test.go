package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Only the one valid credential is accepted, for any form of the header.
func FuzzBearer(f *testing.F) {
	service := New(testOptions())
	f.Add("Bearer key")
	f.Add("bearer  key")
	f.Add("Basic a2V5")
	f.Add("Bearer key, Bearer key")
	f.Fuzz(func(t *testing.T, header string) {
		r := httptest.NewRequest(http.MethodGet, testBase+infoPath, nil)
		r.Header.Set("Authorization", header)
		w := httptest.NewRecorder()
		service.ServeHTTP(w, r)
		scheme, token, _ := strings.Cut(header, " ")
		good := strings.EqualFold(scheme, "Bearer") && (token == "key" || token == "token")
		broken := token == "unverifiable" || token == "store-down" || token == "panic"
		if !broken && (w.Code == http.StatusOK) != good || !broken && !good && w.Code != http.StatusUnauthorized {
			t.Errorf("%q: HTTP %d", header, w.Code)
		}
	})
}
