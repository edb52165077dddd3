package languagemodel

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// server returns a server that replies with a status and a body and records the request.
func server(t *testing.T, status int, body string) (*httptest.Server, *http.Request, *map[string]any) {
	t.Helper()
	var got http.Request
	var sent map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = *r
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(text, &sent)
		}
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s, &got, &sent
}

func TestCompleteReturnsTheReply(t *testing.T) {
	t.Parallel()
	s, got, sent := server(t, http.StatusOK, `{"choices":[{"message":{"role":"assistant","content":"{\"calls\":[]}"}}]}`)
	m := New(Options{URL: s.URL + "/v1/", Model: "small", Key: "k1"})
	reply, err := m.Complete(t.Context(), "Choose tools.", "how is it going")
	if err != nil || reply != `{"calls":[]}` {
		t.Fatalf("reply %q, %v", reply, err)
	}
	if got.URL.Path != "/v1/chat/completions" || got.Header.Get("Authorization") != "Bearer k1" || (*sent)["model"] != "small" {
		t.Errorf("request to %s with %v: %v", got.URL.Path, got.Header, *sent)
	}
}

func TestFailuresOfTheModelAreErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"status": {http.StatusInternalServerError, "broken"}, "redirect": {http.StatusFound, ""}, "not JSON": {http.StatusOK, "<html>"},
		"no choice": {http.StatusOK, `{"choices":[]}`}, "too long": {http.StatusOK, strings.Repeat(" ", maxReply+1)},
	} {
		s, _, _ := server(t, c.status, c.body)
		if reply, err := New(Options{URL: s.URL}).Complete(t.Context(), "", "q"); err == nil {
			t.Errorf("%s: reply %q, want an error", name, reply)
		}
	}
	s, _, _ := server(t, http.StatusOK, "{}")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(Options{URL: s.URL}).Complete(ctx, "", "q"); err == nil {
		t.Error("a canceled call has no error")
	}
}

func TestWithoutAURLThereIsNoModel(t *testing.T) {
	t.Parallel()
	if m := New(Options{Model: "small"}); m != nil {
		t.Errorf("model %+v", m)
	}
}
