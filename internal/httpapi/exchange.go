package httpapi

import (
	"cmp"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/auth"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/panics"
)

// exchange is one request in progress, with the values for its log line and the metrics.
type exchange struct {
	http.ResponseWriter
	requestID string
	route     string
	principal auth.Principal
	reply     mcp.Reply
	status    int

	values [8]string // values of headers that differ between responses
	used   int       // number of used elements of values
}

// Constant header values. All responses share these slices without a copy. The slices are never modified. They have no
// spare capacity, so [http.Header.Add] allocates a new slice.
var (
	jsonText   = []string{"application/json"}
	notStored  = []string{"no-store"}
	notSniffed = []string{"nosniff"}
	notFramed  = []string{"DENY"}
	noReferrer = []string{"no-referrer"}
	byOrigin   = []string{"Origin"}
	onlyHTTPS  = []string{"max-age=31536000"}
	closed     = []string{"close"}
)

// set sets a header that occurs once in a response, without the allocation of [http.Header.Set]. The name must be in
// the canonical form of net/http.
func (x *exchange) set(name, value string) {
	if x.used == len(x.values) {
		x.Header()[name] = []string{value}
		return
	}
	x.values[x.used] = value
	x.used++
	x.Header()[name] = x.values[x.used-1 : x.used : x.used]
}

// WriteHeader records the status.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write records the status 200 if no status was written before.
func (x *exchange) Write(b []byte) (int, error) {
	x.status = cmp.Or(x.status, http.StatusOK)
	return x.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// ServeHTTP handles, logs and measures one request.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := s.Now()
	x := &exchange{ResponseWriter: w, requestID: requestID(r)}
	x.set("X-Request-Id", x.requestID)
	s.secure(x.Header())
	if len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
		// A request with both a length and chunks may be request smuggling, so its connection closes after the response
		// (RFC 9112, section 6.1). net/http does not report that a request had both, nor that an HTTP/1.0 request had
		// chunks. Therefore, every chunked body and every HTTP/1.0 request closes its connection. Few clients are
		// affected, because they send bodies of known length, and a Singer tap sends one long request.
		x.Header()["Connection"] = closed
	}
	defer func() {
		if cause := recover(); cause != nil {
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(cause)
			}
			s.panicked(x, r, cause)
		}
		s.finish(x, r, began)
	}()
	s.dispatch(x, r)
}

// secure sets the headers that every response has. Pages add more headers.
func (s *service) secure(h http.Header) {
	h["X-Content-Type-Options"] = notSniffed
	h["X-Frame-Options"] = notFramed
	h["Referrer-Policy"] = noReferrer
	if strings.HasPrefix(s.BaseURL, "https://") {
		h["Strict-Transport-Security"] = onlyHTTPS
	}
}

// requestID returns the caller's ID of the request if the ID is safe for a log, otherwise a new ID.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	sane := len(id) > 0 && len(id) <= 64 && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:") == ""
	if sane {
		return id
	}
	return rand.Text()
}

func (s *service) panicked(x *exchange, r *http.Request, cause any) {
	s.Log.ErrorContext(r.Context(), "panic", slog.String("request_id", x.requestID), slog.String("route", x.route),
		slog.Any("error", panics.Of(cause)))
	if x.status == 0 {
		x.fail(mcp.Internal, nil)
	}
}

// logFailure logs an error that the caller does not see.
func (s *service) logFailure(x *exchange, r *http.Request, what string, err error) {
	s.Log.LogAttrs(r.Context(), fault.LogLevel(r.Context(), err), what, slog.String("request_id", x.requestID), slog.Any("error", err))
}

// busyFor is the wait in seconds before a caller repeats a request that was rejected with 503.
const busyFor = "5"

// busy sends the error that the service currently has no memory for the body.
func (s *service) busy(x *exchange, body any) {
	x.set("Retry-After", busyFor)
	x.Header().Set("Connection", "close") // the rest of the body is not read
	x.json(http.StatusServiceUnavailable, mustJSON(body))
}

func (s *service) finish(x *exchange, r *http.Request, began time.Time) {
	now := s.Now()
	took := now.Sub(began)
	s.Metrics.Request(x.route, x.status)
	if x.reply.Method == "tools/call" {
		s.Metrics.Call(s.knownTool(x.reply.Tool), x.reply.Outcome, took)
	}
	level := slog.LevelInfo
	if x.route == routeHealth {
		level = slog.LevelDebug
	}
	if x.reply.Err != nil {
		level = fault.LogLevel(r.Context(), x.reply.Err)
	}
	log := s.Log.Handler()
	if !log.Enabled(r.Context(), level) {
		return
	}
	// Unknown paths and names are omitted, because a caller may have pasted a key into them.
	tool := ""
	if x.reply.Tool != "" {
		tool = s.knownTool(x.reply.Tool)
	}
	attrs := append(make([]slog.Attr, 0, 11),
		slog.String("request_id", x.requestID), slog.String("method", r.Method), slog.String("route", x.route),
		slog.Int("status", x.status), slog.Duration("duration", took))
	for _, a := range [...]slog.Attr{
		slog.String("workspace", string(x.principal.Workspace.ID)), slog.String("actor", x.principal.Actor),
		slog.String("rpc_method", x.reply.Method), slog.String("tool", tool), slog.String("outcome", x.reply.Outcome),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	if x.reply.Err != nil {
		attrs = append(attrs, slog.Any("error", x.reply.Err))
	}
	// The code replaces [slog.Logger.LogAttrs], which would look up the source line. No handler shows the source line.
	line := slog.NewRecord(now, level, "request", 0)
	line.AddAttrs(attrs...)
	_ = log.Handle(r.Context(), line) // an error of the log cannot be logged
}

// knownTool returns "unknown" for unknown tool names, so that callers cannot create metric labels.
func (s *service) knownTool(name string) string {
	if slices.ContainsFunc(s.Tools, func(t ToolDoc) bool { return t.Name == name }) {
		return name
	}
	return "unknown"
}

// json writes a JSON response that must not be cached. It sends the parts in order.
func (x *exchange) json(status int, parts ...[]byte) {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	h := x.Header()
	h["Content-Type"] = jsonText
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = notStored
	}
	x.set("Content-Length", strconv.Itoa(length))
	x.WriteHeader(status)
	for _, part := range parts {
		if _, err := x.Write(part); err != nil {
			return // the client disconnected
		}
	}
}

// fail writes the error envelope of a failure found before the message was read.
func (x *exchange) fail(f mcp.Failure, data any) {
	x.reply.Outcome = f.Class()
	if f == mcp.Unavailable {
		x.set("Retry-After", busyFor)
	}
	x.json(f.Status(), f.Body(nil, "", data))
}
