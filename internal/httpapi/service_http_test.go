package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/bodybudget"
)

const listCall = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// listening starts the service on its own socket, with that address as its base URL.
func listening(tb testing.TB, change func(*Options)) string {
	tb.Helper()
	server := httptest.NewUnstartedServer(nil)
	o := testOptions()
	o.BaseURL = "http://" + server.Listener.Addr().String()
	if change != nil {
		change(&o)
	}
	server.Config.Handler = New(o)
	server.Start()
	tb.Cleanup(server.Close)
	return o.BaseURL
}

func post(tb testing.TB, url, key string, body io.Reader) (status int, header http.Header, text string) {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, url, body)
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return response.StatusCode, response.Header, string(read)
}

// padded returns a call of exactly n bytes.
func padded(n int) string {
	const head, tail = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"p":"`, `"}}}`
	return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
}

func TestABodyMayHaveOneMebibyteAndNotAByteMore(t *testing.T) {
	t.Parallel()
	url := listening(t, nil) + rpcPath
	chunked := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) } // of unknown length
	tests := []struct {
		name   string
		key    string
		body   io.Reader
		status int
	}{
		{"1 MiB", "key", strings.NewReader(padded(maxBody)), 200},
		{"1 MiB in chunks", "key", chunked(padded(maxBody)), 200},
		{"a byte more", "key", strings.NewReader(padded(maxBody + 1)), 413},
		{"a byte more in chunks", "key", chunked(padded(maxBody + 1)), 413},
		{"a byte more without a credential", "nobody", strings.NewReader(padded(maxBody + 1)), 413},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			status, _, body := post(t, url, test.key, test.body)
			if status != test.status {
				t.Errorf("HTTP %d, want %d", status, test.status)
			}
			if want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Request too large"}}`; status == 413 && body != want {
				t.Errorf("got %s", body)
			}
		})
	}
}

func TestManyCallersAtOnceGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	url := listening(t, func(o *Options) { o.Metrics = NewMetrics() }) + rpcPath
	var group sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 30 {
		group.Go(func() {
			status, _, _ := post(t, url, "key", strings.NewReader(listCall))
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	group.Wait()
	if diff := cmp.Diff(map[int]int{200: 20, 429: 10}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func TestEveryAnswerHasTheHeadersThatKeepBrowsersSafe(t *testing.T) {
	t.Parallel()
	service := testService(t, func(o *Options) { o.BaseURL = "https://assay.example" })
	for _, target := range []string{"/healthz", "/nothing", "/api/mcp/foo", "/openapi/mcp.json", "/.well-known/oauth-protected-resource"} {
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
		want := map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Cache-Control": "no-store", "Strict-Transport-Security": "max-age=31536000",
		}
		got := map[string]string{}
		for name := range want {
			got[name] = recorder.Header().Get(name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
}

func TestARequestKeepsAnIDThatIsSafeForLogs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		sent string
		kept bool
	}{
		{"abc-123_x.Y:z", true}, {"", false}, {"a b", false}, {"<script>", false}, {strings.Repeat("a", 65), false}, {"é", false},
	}
	for _, test := range tests {
		recorder := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, livePath, nil)
		r.Header.Set("X-Request-Id", test.sent)
		testService(t, nil).ServeHTTP(recorder, r)
		got := recorder.Header().Get("X-Request-Id")
		if got == "" || (got == test.sent) != test.kept {
			t.Errorf("sent %q, answered %q", test.sent, got)
		}
	}
}

func TestTheHostMayNameThePortThatGoesWithoutSaying(t *testing.T) {
	t.Parallel()
	tests := []struct {
		base, host string
		status     int
	}{
		{"https://assay.example", "assay.example", 200},
		{"https://assay.example", "assay.example:443", 200},
		{"https://assay.example", "assay.example:80", 421},
		{"https://assay.example", "localhost", 421},
		{"http://localhost:9000", "127.0.0.1:9000", 200},
		{"http://[::1]:9000", "[::1]:9000", 200},
	}
	for _, test := range tests {
		service := testService(t, func(o *Options) { o.BaseURL = test.base })
		recorder := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, rpcPath, strings.NewReader(listCall))
		r.Host = test.host
		r.Header.Set("Authorization", "Bearer key")
		r.Header.Set("Content-Type", "application/json")
		service.ServeHTTP(recorder, r)
		if recorder.Code != test.status {
			t.Errorf("%s called as %s: HTTP %d, want %d", test.base, test.host, recorder.Code, test.status)
		}
	}
}

func TestTheLogTellsACallAndNoSecret(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	service := testService(t, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, rpcPath+"?access_token=secret", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"word":"secret"}}}`))
	r.Host = "127.0.0.1:8080"
	r.Header.Set("Authorization", "Bearer key")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Request-Id", "r1")
	service.ServeHTTP(httptest.NewRecorder(), r)
	want := "level=INFO msg=request request_id=r1 method=POST route=rpc status=200 duration=0s workspace=shop actor=key:1 rpc_method=tools/call tool=echo outcome=ok\n"
	if got := log.String(); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestAnInternalErrorIsLoggedAndNotShown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, body, logged string }{
		{"key", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"failing"}}`, "deadline exceeded"},
		{"store-down", listCall, "deadline exceeded"},
		{"unverifiable", listCall, "no signing secret"},
		{"panic", listCall, "a secret detail"},
	} {
		var log bytes.Buffer
		service := testService(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		recorder := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, rpcPath, strings.NewReader(test.body))
		r.Host = "127.0.0.1:8080"
		r.Header.Set("Authorization", "Bearer "+test.key)
		r.Header.Set("Content-Type", "application/json")
		service.ServeHTTP(recorder, r)
		if recorder.Code != 500 || strings.Contains(recorder.Body.String(), test.logged) {
			t.Errorf("%s: HTTP %d %s", test.key, recorder.Code, recorder.Body)
		}
		if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), test.logged) {
			t.Errorf("%s: the log has no %q: %s", test.key, test.logged, log.String())
		}
	}
}

func TestAStoreThatDoesNotAnswerIsAReasonToTryAgain(t *testing.T) {
	t.Parallel()
	for key, body := range map[string]string{
		"unreachable": listCall, "key": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"unreachable"}}`,
	} {
		var log bytes.Buffer
		service := testService(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		recorder := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, rpcPath, strings.NewReader(body))
		r.Host = "127.0.0.1:8080"
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		service.ServeHTTP(recorder, r)
		if recorder.Code != 503 || recorder.Header().Get("Retry-After") == "" || !strings.Contains(log.String(), "deadline exceeded") {
			t.Errorf("%s: HTTP %d %s with %v, logged %s", key, recorder.Code, recorder.Body, recorder.Header(), log.String())
		}
	}
}

func TestACallThatTheClientCancelsIsNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, body string }{
		{"key", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"failing"}}`}, {"store-down", listCall},
	} {
		var log bytes.Buffer
		service := testService(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		r := httptest.NewRequestWithContext(gone, http.MethodPost, rpcPath, strings.NewReader(test.body))
		r.Host = "127.0.0.1:8080"
		r.Header.Set("Authorization", "Bearer "+test.key)
		r.Header.Set("Content-Type", "application/json")
		service.ServeHTTP(httptest.NewRecorder(), r)
		if strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "deadline exceeded") {
			t.Errorf("%s: logged %s; want the failure, and not as an error", test.key, log.String())
		}
	}
}

// The size is checked before the credential, for announced and unannounced sizes. The body of an unauthenticated caller
// is not stored.
func TestABodyOfAnUnknownCallerIsCountedAndNotKept(t *testing.T) {
	t.Parallel()
	service := testService(t, nil)
	for _, test := range []struct {
		key       string
		announced bool
		size      int
		status    int
	}{
		{"nobody", true, maxBody, 401},
		{"nobody", false, maxBody, 401},
		{"", false, maxBody, 401},
		{"nobody", true, maxBody + 1, 413},
		{"nobody", false, maxBody + 1, 413},
		{"store-down", false, maxBody + 1, 413},
		{"store-down", false, maxBody, 500},
		{"key", false, maxBody, 200},
		{"key", true, maxBody, 200},
		{"key", true, maxBody + 1, 413},
		{"key", false, maxBody + 1, 413},
	} {
		body := &largest{from: strings.NewReader(padded(test.size))}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, rpcPath, body)
		r.Host = "127.0.0.1:8080"
		if test.announced {
			r.ContentLength = int64(test.size)
		}
		r.Header.Set("Authorization", "Bearer "+test.key)
		r.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, r)
		if recorder.Code != test.status {
			t.Errorf("%+v: HTTP %d, want %d", test, recorder.Code, test.status)
		}
		if test.key != "key" && body.buffer > smallBody {
			t.Errorf("%+v: the body is read into a buffer of %d bytes", test, body.buffer)
		}
	}
}

// largest records the size of the largest buffer that is passed to Read.
type largest struct {
	from   io.Reader
	buffer int
}

// Read implements io.Reader.
func (l *largest) Read(p []byte) (int, error) {
	l.buffer = max(l.buffer, len(p))
	return l.from.Read(p)
}

func TestFormsWaitWhileTheMemoryForThemIsUsedUp(t *testing.T) {
	t.Parallel()
	answers := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	bodies := bodybudget.New(maxForm, maxForm)
	service := testService(t, func(o *Options) { o.OAuth, o.Pages, o.Bodies = answers, answers, bodies })
	status := func(method, path, body string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Host = "127.0.0.1:8080"
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, r)
		return recorder.Code, recorder.Header().Get("Retry-After")
	}
	release, err := bodies.Reserve(netip.Addr{}, maxForm-10)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/sign-in", authorizePath, tokenPath, registerPath} {
		if code, after := status(http.MethodPost, path, "more than 10 bytes"); code != http.StatusServiceUnavailable || after == "" {
			t.Errorf("%s: HTTP %d, Retry-After %q; want 503", path, code, after)
		}
		if code, _ := status(http.MethodPost, path, "10 bytes.."); code != http.StatusTeapot {
			t.Errorf("%s with a body that fits: HTTP %d", path, code)
		}
	}
	if code, _ := status(http.MethodGet, "/sign-in", ""); code != http.StatusTeapot {
		t.Errorf("a page without a body: HTTP %d", code)
	}
	release()
	if code, _ := status(http.MethodPost, "/sign-in", strings.Repeat("a", 2*maxForm)); code != http.StatusTeapot || bodies.Used() != 0 {
		t.Errorf("a body of unlimited size: HTTP %d, %d bytes still taken", code, bodies.Used())
	}
}

func TestReadyFollowsTheStores(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	service := testService(t, func(o *Options) { o.Ready = func(context.Context) error { return errors.New("disk gone") } })
	service.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, readyPath, nil))
	if recorder.Code != http.StatusServiceUnavailable || strings.Contains(recorder.Body.String(), "disk") {
		t.Errorf("HTTP %d %s", recorder.Code, recorder.Body)
	}
}

func TestThePagesGetWhatIsNotTheAPIs(t *testing.T) {
	t.Parallel()
	service := testService(t, func(o *Options) {
		o.Pages = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.URL.Path) })
	})
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/sign-in", nil))
	if recorder.Body.String() != "page /sign-in" {
		t.Errorf("HTTP %d %s", recorder.Code, recorder.Body)
	}
}

func TestMetricsNameNoToolThatACallerMadeUp(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	service := testService(t, func(o *Options) { o.Metrics = m })
	for i := range 21 {
		name := "echo"
		if i == 1 {
			name = "made-up"
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, rpcPath, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":{}}}`))
		r.Host = "127.0.0.1:8080"
		r.Header.Set("Authorization", "Bearer key")
		r.Header.Set("Content-Type", "application/json")
		service.ServeHTTP(httptest.NewRecorder(), r)
	}
	recorder := httptest.NewRecorder()
	m.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	page := recorder.Body.String()
	for _, want := range []string{
		`assay_calls_total{outcome="ok",tool="echo"} 19`, `assay_calls_total{outcome="invalid_params",tool="unknown"} 1`,
		`assay_call_duration_seconds_count{tool="echo"} 19`, `assay_http_requests_total{route="rpc",status="429"} 1`, `assay_rate_limited_total 1`,
	} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("the page has no line %s", want)
		}
	}
	for _, no := range []string{"made-up", "shop"} {
		if strings.Contains(page, no) {
			t.Errorf("the page contains %s", no)
		}
	}
}

// BenchmarkCall measures a tool call with a cached answer, and a bare handler that writes the same bytes. Each runs
// over a socket.
func BenchmarkCall(b *testing.B) {
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"word":"` + strings.Repeat("x", 1000) + `"}}}`
	_, _, kept := func() (int, http.Header, string) {
		return post(b, listening(b, nil)+rpcPath, "key", strings.NewReader(call))
	}()
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, kept)
	}))
	b.Cleanup(bare.Close)
	service := listening(b, func(o *Options) {
		o.Limits = unlimited{}
		o.Now = time.Now
		o.Metrics = NewMetrics()
	})
	for name, url := range map[string]string{"bare": bare.URL, "assay": service + rpcPath} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if status, _, _ := post(b, url, "key", strings.NewReader(call)); status != http.StatusOK {
					b.Fatal(status)
				}
			}
		})
	}
}
