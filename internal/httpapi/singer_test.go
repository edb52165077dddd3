package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"assay/internal/auth"
	"assay/internal/fault"
)

func TestATapsMessagesNeedAScopeAndAreAnsweredWithTheLastState(t *testing.T) {
	t.Parallel()
	service := testService(t, func(o *Options) {
		o.Singer = func(_ context.Context, p auth.Principal, messages io.Reader, skip bool) (state, report json.RawMessage, err error) {
			text, err := io.ReadAll(messages)
			switch {
			case err != nil:
				return nil, nil, err
			case string(text) == "broken" && !skip:
				err = fault.Invalid("line 7: no").WithHint("mend it")
			case string(text) == "down":
				err = fault.Unavailable("the disk is full")
			case string(text) == "defect":
				err = io.ErrUnexpectedEOF
			}
			return json.RawMessage(`{"at":1}`), json.RawMessage(`{"workspace":"` + string(p.Workspace.ID) + `"}`), err
		}
	})
	for name, c := range map[string]struct {
		bearer, media, query, body string
		status                     int
		want                       string
	}{
		"kept":          {"key", "application/x-ndjson", "", "x", 200, `{"state":{"at":1},"report":{"workspace":"shop"}}`},
		"skipped":       {"key", "application/jsonl", "?skip_rejected=true", "broken", 200, `{"state":{"at":1},"report":{"workspace":"shop"}}`},
		"refused":       {"key", "application/x-ndjson", "", "broken", 422, `"error":"line 7: no","hint":"mend it"`},
		"down":          {"key", "application/x-ndjson", "", "down", 503, `"error":"the disk is full"`},
		"defect":        {"key", "application/x-ndjson", "", "defect", 500, `"error":"the messages could not be imported"`},
		"no credential": {"", "application/x-ndjson", "", "x", 401, "Authentication failed"},
		"no scope":      {"token", "application/x-ndjson", "", "x", 403, `"requiredScopes":["measurement.write"]`},
		"media type":    {"key", "text/csv", "", "x", 415, "application/x-ndjson"},
		"compressed":    {"key", "application/x-ndjson", "", "\x1f\x8b", 415, "application/x-ndjson"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, singerPath+c.query, strings.NewReader(c.body))
		r.Host = "127.0.0.1:8080"
		r.Header.Set("Content-Type", c.media)
		if name == "compressed" {
			r.Header.Set("Content-Encoding", "gzip")
		}
		if c.bearer != "" {
			r.Header.Set("Authorization", "Bearer "+c.bearer)
		}
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, r)
		if recorder.Code != c.status || !strings.Contains(recorder.Body.String(), c.want) {
			t.Errorf("%s: HTTP %d %s, want %d with %s", name, recorder.Code, recorder.Body, c.status, c.want)
		}
	}
}
