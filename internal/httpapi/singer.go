package httpapi

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/slowbody"
)

const (
	// maxSinger is the maximum size of one request of a tap: 1 GiB.
	maxSinger = 1 << 30

	// singerPause is the maximum time without data from a tap, and the maximum time to store a step. singerTime is the
	// maximum duration of a request.
	singerPause = 10 * time.Minute
	singerTime  = 24 * time.Hour
)

// singer serves POST /api/ingest/singer. The order of checks is the same as in rpc, except that the size is checked
// last, while the messages are read.
func (s *service) singer(x *exchange, r *http.Request) {
	if !s.authenticate(x, r) || !s.withinLimit(x, r) {
		return
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains([]string{"application/x-ndjson", "application/jsonl", "application/json"}, media) || isCoded(r.Header) {
		x.fail(mcp.WrongMediaType, map[string]string{"reason": "use application/x-ndjson"})
		return
	}
	if needed := []string{string(control.ScopeWrite)}; !x.principal.Has(control.ScopeWrite) {
		x.Header().Set("WWW-Authenticate", s.stepUp(x.principal, needed))
		x.fail(mcp.InsufficientScope, map[string][]string{"requiredScopes": needed})
		return
	}
	if s.Singer == nil {
		x.json(http.StatusServiceUnavailable, []byte(`{"report":{},"error":"this service does not accept messages"}`))
		return
	}
	messages := slowbody.Slowly(x, http.MaxBytesReader(x, r.Body, maxSinger), slowbody.Pace{Silence: singerPause, Total: singerTime, Now: s.Now})
	state, report, err := s.Singer(r.Context(), x.principal, messages, r.URL.Query().Get("skip_rejected") == "true")
	if report == nil {
		report = json.RawMessage("{}")
	}
	s.answerSinger(x, r, singerResult{State: state, Report: report}, err)
}

type singerResult struct {
	State  json.RawMessage `json:"state,omitempty"`
	Report json.RawMessage `json:"report"`
	Error  string          `json:"error,omitempty"`
	Hint   string          `json:"hint,omitempty"`
}

// answerSinger reports what was stored and why the import ended.
func (s *service) answerSinger(x *exchange, r *http.Request, result singerResult, err error) {
	status := http.StatusOK
	if err != nil {
		status = http.StatusInternalServerError
		text, hint, public := fault.Public(err)
		result.Error, result.Hint = text, hint
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			status, result.Error, result.Hint = http.StatusRequestEntityTooLarge, "the messages are larger than 1 GiB", "send the tap's messages in parts"
		case fault.KindOf(err) == fault.KindInvalid:
			status = http.StatusUnprocessableEntity
		case fault.KindOf(err) == fault.KindForbidden:
			status = http.StatusForbidden
		case fault.KindOf(err) == fault.KindUnavailable:
			status = http.StatusServiceUnavailable
			x.set("Retry-After", busyFor)
		}
		if !public && status == http.StatusInternalServerError {
			result.Error = "the messages could not be imported"
		}
		if status >= http.StatusInternalServerError {
			s.logFailure(x, r, "singer messages not stored", err)
		}
		x.Header().Set("Connection", "close") // the rest of the body is not read
	}
	x.json(status, mustJSON(result))
}
