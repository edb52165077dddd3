package attack

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/config"
	"assay/internal/fault"
	"assay/internal/operation"
)

// The tests of this file cover attacks 110 to 124, 55 and 66 of docs/security.md.

func TestOriginsHostsAndPaths(t *testing.T) {
	t.Parallel()
	b := shared.browser(t)
	port := shared.url[strings.LastIndexByte(shared.url, ':'):]
	for _, test := range []struct {
		line   int
		method string
		path   string
		header []string
		status int
		code   int
	}{
		{110, "POST", "/api/mcp/rpc", nil, 200, 0},
		{111, "POST", "/api/mcp/rpc", []string{"Origin", "https://app.example"}, 200, 0},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "null"}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "https://app.example.evil.test"}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "https://evilapp.example"}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "https://app.example:444"}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "http://app.example"}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "https://app.example."}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "https://APP.example/"}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "https://app.example", "Origin", "https://app.example"}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "file://"}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", "chrome-extension://x"}, 403, -32000},
		{112, "POST", "/api/mcp/rpc", []string{"Origin", ""}, 403, -32000},
		{113, "OPTIONS", "/api/mcp/rpc", []string{"Origin", "https://evil.test", "Access-Control-Request-Method", "POST"}, 403, -32000},
		{113, "OPTIONS", "/api/mcp/rpc", []string{"Origin", "https://app.example", "Access-Control-Request-Method", "POST"}, 204, 0},
		{115, "POST", "/api/mcp/rpc", []string{"Host", "evil.test"}, 421, -32000},
		{115, "POST", "/api/mcp/rpc", []string{"Host", "127.0.0.1"}, 421, -32000},
		{115, "POST", "/api/mcp/rpc", []string{"Host", "localhost" + port, "Origin", "http://localhost" + port}, 200, 0},
		{116, "GET", "/.well-known/oauth-protected-resource", []string{"Origin", "https://anywhere.example"}, 200, 0},
		{117, "GET", "/api/mcp/rpc", nil, 405, -32000},
		{117, "PUT", "/api/mcp/rpc", nil, 405, -32000},
		{117, "DELETE", "/api/mcp/rpc", nil, 405, -32000},
		{117, "POST", "/api/mcp/x", nil, 400, 400},
		{117, "POST", "/api/mcp/rpc/", nil, 400, 400},
		{117, "POST", "/api/mcp//rpc", nil, 400, 400},
		{55, "POST", "/api/mcp/revoke", nil, 400, 400},
		{66, "GET", "/api/mcp/register/abc", nil, 400, 400},
		{66, "PUT", "/api/mcp/register/abc", nil, 400, 400},
		{66, "DELETE", "/api/mcp/register/abc", nil, 400, 400},
		{119, "GET", "/api/mcp/rpc", []string{"X-HTTP-Method-Override", "POST"}, 405, -32000},
		{119, "GET", "/healthz", []string{"X-Original-URL", "/api/mcp/info", "X-Rewrite-URL", "/api/mcp/info"}, 200, 0},
		{119, "POST", "/api/mcp/rpc", []string{"Host", "evil.test", "X-Forwarded-Host", shared.url[len("http://"):]}, 421, -32000},
		{181, "POST", "/api/mcp/register", []string{"Origin", "https://evil.test"}, 403, -32000},
		{181, "POST", "/api/mcp/register", []string{"Origin", "null"}, 403, -32000},
		{181, "POST", "/api/mcp/register", []string{"Host", "evil.test"}, 421, -32000},
		{181, "POST", "/api/mcp/register", []string{"Origin", "https://app.example"}, 400, 0},
		{181, "POST", "/api/mcp/register", nil, 400, 0},
		{181, "POST", "/api/mcp/token", []string{"Origin", "https://evil.test"}, 403, -32000},
		{181, "POST", "/api/mcp/token", []string{"Host", "evil.test"}, 421, -32000},
		{181, "POST", "/api/mcp/token", []string{"Origin", shared.url}, 400, 0},
		{181, "OPTIONS", "/api/mcp/token", []string{"Origin", "https://evil.test", "Access-Control-Request-Method", "POST"}, 403, -32000},
		{181, "OPTIONS", "/api/mcp/token", []string{"Origin", "https://app.example", "Access-Control-Request-Method", "POST"}, 204, 0},
		{181, "OPTIONS", "/api/mcp/register", []string{"Origin", "https://app.example", "Access-Control-Request-Method", "POST"}, 204, 0},
		{116, "GET", "/.well-known/oauth-authorization-server", []string{"Origin", "https://anywhere.example"}, 200, 0},
		{120, "POST", "/api/mcp/rpc", []string{"Mcp-Protocol-Version", "1900-01-01"}, 400, -32602},
		{120, "POST", "/api/mcp/rpc", []string{"Mcp-Protocol-Version", strings.Repeat("x", 10<<10)}, 400, -32602},
		{120, "POST", "/api/mcp/rpc", []string{"Mcp-Protocol-Version", "2025-11-25", "Mcp-Protocol-Version", "2025-11-25"}, 400, -32602},
	} {
		a := b.send(test.method, test.path, listTools, append(test.header, "Content-Type", "application/json", "Authorization", "Bearer "+shared.key)...)
		if a.status != test.status || test.code != 0 && test.status != 405 && a.code() != test.code {
			t.Errorf("%d, %s %s %q: %d %.200s, want %d %d", test.line, test.method, test.path, test.header, a.status, a.body, test.status, test.code)
		}
		open := a.header.Get("Access-Control-Allow-Origin")
		if a.header.Get("Access-Control-Allow-Credentials") != "" || test.status == 403 && open != "" || (test.line == 111 || test.line == 181 && test.status < 401 && slices.Contains(test.header, "https://app.example")) && open != "https://app.example" || test.line == 116 && open != "*" {
			t.Errorf("%d, %q: allows origin %q", test.line, test.header, open)
		}
		if test.line == 120 && len(a.body) > 1000 {
			t.Errorf("120: the input is echoed in %d bytes", len(a.body))
		}
	}
	if a := b.send(http.MethodPost, "/api/mcp/rpc", listTools, "Origin", "https://evil.test"); a.status != http.StatusForbidden {
		t.Errorf("114, a foreign origin without a credential: %d", a.status)
	}
}

func TestBodiesThatBrowsersSendWithoutPreflightAreRejected(t *testing.T) {
	t.Parallel()
	b := shared.browser(t)
	for _, media := range []string{"text/plain", form, "multipart/form-data; boundary=x", "application/jsonp", "application/json, text/plain", ""} {
		a := b.send(http.MethodPost, "/api/mcp/rpc", listTools, "Content-Type", media, "Authorization", "Bearer "+shared.key)
		if a.status != http.StatusUnsupportedMediaType || a.code() != -32600 {
			t.Errorf("118, %q: %d %s", media, a.status, a.body)
		}
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.CopyN(z, zeros{}, 64<<20); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, coding := range []string{"gzip", "deflate", "br", "GZIP"} {
		a := b.say(shared.key, bomb.String(), "Content-Encoding", coding)
		if a.status != http.StatusUnsupportedMediaType || a.code() != -32600 {
			t.Errorf("124, %s: %d %s", coding, a.status, a.body)
		}
	}
	if a := b.say(shared.key, listTools, "Content-Encoding", "identity"); a.status != http.StatusOK {
		t.Errorf("124, identity: %d %s", a.status, a.body)
	}
}

type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestAmbiguousRequestsAreRejected(t *testing.T) {
	t.Parallel()
	host := shared.url[len("http://"):]
	head := "POST /api/mcp/rpc HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + shared.key + "\r\nContent-Type: application/json\r\n"
	for _, test := range []struct {
		line int
		what string
		text string
		want string // prefix of the response's first line
	}{
		{121, "two lengths", head + "Content-Length: 46\r\nContent-Length: 0\r\n\r\n" + listTools, "HTTP/1.1 400"},
		{121, "a length with a sign", head + "Content-Length: +46\r\n\r\n" + listTools, "HTTP/1.1 400"},
		{121, "an unknown transfer coding", head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 501"},
		{121, "two transfer codings", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", "HTTP/1.1 501"},
		{121, "a broken chunk", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 400"},
		{121, "a chunk with an endless extension", head + "Transfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("x", 1<<20) + "\r\na\r\n0\r\n\r\n", "HTTP/1.1 400"},
		{121, "a blank before the colon", head + "Content-Length : 46\r\n\r\n" + listTools, "HTTP/1.1 400"},
		{121, "a header on two lines", head + "X-A: a\r\n b\r\n\r\n", "HTTP/1.1 "},
		{115, "no host", "POST /api/mcp/rpc HTTP/1.1\r\n\r\n", "HTTP/1.1 400"},
		{115, "no host, HTTP/1.0", "POST /api/mcp/rpc HTTP/1.0\r\nContent-Length: 0\r\n\r\n", "HTTP/1.0 421"},
		{115, "two hosts", "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\nHost: evil.test\r\n\r\n", "HTTP/1.1 400"},
		{115, "another host in the address", "POST http://evil.test/api/mcp/rpc HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 421"},
		{117, "an escaped path", "POST /api/mcp/%72pcx HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 400"},
		{117, "dots in the path", "POST /api/mcp/x/../rpc HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 400"},
		{123, "HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 "},
		{121, "no HTTP", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\r\n\r\n", "HTTP/1.1 400"},
		{98, "a file", "GET /assets/../../../etc/passwd HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "HTTP/1.1 "},
	} {
		got := shared.raw(t, test.text)
		if !strings.HasPrefix(got, test.want) && got != "closed" || strings.Contains(got, " 200 ") {
			t.Errorf("%d, %s: %s, want %s", test.line, test.what, got, test.want)
		}
	}
}

// If two programs may read the length of a request differently, the service closes the connection after this request.
// It does not parse the following bytes as a request (RFC 9112, section 6.1).
func TestARequestOfAmbiguousLengthClosesItsConnection(t *testing.T) {
	t.Parallel()
	host := shared.url[len("http://"):]
	head := "POST /api/mcp/rpc HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + shared.key + "\r\nContent-Type: application/json\r\n"
	older := strings.Replace(head, "HTTP/1.1", "HTTP/1.0", 1) + "Connection: keep-alive\r\n"
	chunks := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(listTools), listTools)
	next := "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }
	for what, text := range map[string]string{
		"a length and chunks":              head + length(len(chunks)) + "Transfer-Encoding: chunked\r\n\r\n" + chunks + next,
		"chunks and a length":              head + "Transfer-Encoding: chunked\r\n" + length(5) + "\r\n" + chunks + next,
		"a length and chunks to a page":    strings.Replace(head, "/api/mcp/rpc", "/sign-in", 1) + length(3) + "Transfer-Encoding: chunked\r\n\r\n" + chunks + next,
		"a length and chunks to no path":   strings.Replace(head, "/api/mcp/rpc", "/api/mcp/none", 1) + length(3) + "Transfer-Encoding: chunked\r\n\r\n" + chunks + next,
		"chunks in HTTP/1.0":               older + "Transfer-Encoding: chunked\r\n\r\n" + chunks + next,
		"a length and chunks in HTTP/1.0":  older + length(len(listTools)) + "Transfer-Encoding: chunked\r\n\r\n" + listTools + next,
		"two lengths":                      head + length(len(listTools)) + length(0) + "\r\n" + listTools + next,
		"two transfer codings":             head + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks + next,
		"a broken chunk":                   head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + next,
		"a length that is no whole number": head + "Content-Length: 1e3\r\n\r\n" + listTools + next,
	} {
		all, err := shared.toTheEnd(t, text)
		if err != nil {
			t.Errorf("121, %s: the connection stays open (%v) after %.200q", what, err, all)
		}
		if answers := strings.Count(all, "HTTP/1."); answers != 1 {
			t.Errorf("121, %s: %d answers, want 1: %.400q", what, answers, all)
		}
	}
	// After a plain request, the connection stays open for the next request.
	plain := head + length(len(listTools)) + "\r\n" + listTools + strings.Replace(next, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)
	if all, err := shared.toTheEnd(t, plain); err != nil || strings.Count(all, "HTTP/1.1 200") != 2 {
		t.Errorf("two plain requests: %v, %.400q", err, all)
	}
}

func TestEscapedPathsOfTheAPIAreRejected(t *testing.T) {
	t.Parallel()
	b := shared.browser(t)
	for _, path := range []string{
		"/%61pi/mcp/rpc", "/api/mcp/%72pc", "/api%2Fmcp%2Frpc", "/api/mcp/rpc%00", "/api/mcp/rpc%2F", "/api/mcp/%72egister", "/api/mcp/%74oken",
		"/api/ingest/singe%72", "/api/webhooks/shopify/%61cme", "/api/webhooks/shopify/a%20b", "/api/mcp/x/%2e%2e/rpc", "/api/%64ashboard/x", "/openapi/mcp%2ejson", "/%68ealthz",
	} {
		a := b.send(http.MethodPost, path, listTools, "Content-Type", "application/json", "Authorization", "Bearer "+shared.key)
		if a.status != http.StatusBadRequest || a.code() != 400 {
			t.Errorf("117, %s: %d %s", path, a.status, a.body)
		}
	}
	// Paths of pages may contain escapes, because browsers create them.
	if a := b.get("/set-up/%61bc"); a.status != http.StatusNotFound {
		t.Errorf("117, a page: %d", a.status)
	}
	if a := b.get("/%73ign-in"); a.status != http.StatusOK {
		t.Errorf("117, the sign-in page: %d", a.status)
	}
}

func TestSlowConnectionsDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	b := s.browser(t)
	address := strings.TrimPrefix(s.url, "http://")
	for i := range 300 {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { connection.Close() })
		text := "POST /api/mcp/rpc HTTP/1.1\r\nHost: " + address + "\r\nX-Sl" // half of the headers
		if i%2 == 0 {
			text = "POST /api/mcp/token HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: " + form + "\r\nContent-Length: 100\r\n\r\ngrant_" // part of a body
		}
		if _, err := fmt.Fprint(connection, text); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		if a := b.say(s.key, listTools); a.status != http.StatusOK {
			t.Fatalf("122, a call during 300 slow connections: %d", a.status)
		}
	}
	if !thorough() {
		return
	}
	var wg sync.WaitGroup
	for name, head := range slowRequests(address) {
		wg.Go(func() {
			if rest, err := dripped(t, address, head); err != nil || strings.Contains(rest, " 200 ") {
				t.Errorf("122, %s that never ends: %q, %v; want the connection closed", name, rest, err)
			}
		})
	}
	wg.Wait()
}

func TestConnectionsPerAddressAreLimited(t *testing.T) {
	t.Parallel()
	const most = 3
	for name, test := range map[string]struct {
		proxies config.Proxies
		limit   config.Connections
		open    int
	}{
		"a client":        {nil, most, most},
		"a trusted proxy": {config.Proxies{netip.MustParsePrefix("127.0.0.0/8")}, most, 2 * most},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(c *config.Config) { c.MaxConnections, c.TrustedProxies = test.limit, test.proxies })
			open := 0
			for range 2 * most {
				c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { c.Close() })
				_, _ = fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") // writing to a closed connection may fail
				if line, err := bufio.NewReader(c).ReadString('\n'); err == nil && strings.Contains(line, " 200 ") {
					open++
				}
			}
			if open != test.open {
				t.Errorf("185: %d of %d connections are answered, want %d", open, 2*most, test.open)
			}
			if rejected := strings.Count(s.log.String(), "connections rejected"); (rejected == 1) != (test.open == most) {
				t.Errorf("185: %d log lines about rejected connections:\n%s", rejected, s.log)
			}
		})
	}
}

// slowRequests returns incomplete requests without a credential: to every route that reads a body, and to one route
// without a body.
func slowRequests(address string) map[string]string {
	all := map[string]string{"a head": "GET /healthz HTTP/1.1\r\n"}
	for path, media := range map[string]string{
		"/api/mcp/rpc": "application/json", "/api/ingest/singer": "application/x-ndjson", "/api/webhooks/shopify/acme": "application/json",
		"/api/mcp/authorize": form, "/api/mcp/token": form, "/api/mcp/register": "application/json",
		"/sign-in": form, "/keys": form, "/set-up/link": form, "/data/check": "multipart/form-data; boundary=b", "/no/such/page": form, "/healthz": form,
	} {
		all["a body to "+path] = "POST " + path + " HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: " + media + "\r\nContent-Length: 1000\r\n\r\n"
	}
	return all
}

// dripped sends an endless request one byte at a time. It returns the response that arrives before the connection is
// closed.
func dripped(t *testing.T, address, head string) (string, error) {
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	if err := connection.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprint(connection, head); err != nil {
		return "", err
	}
	go func() {
		each := time.NewTicker(500 * time.Millisecond)
		defer each.Stop()
		for range each.C {
			if _, err := fmt.Fprint(connection, "x"); err != nil {
				return
			}
		}
	}()
	rest, err := io.ReadAll(connection)
	if errors.Is(err, syscall.ECONNRESET) { // closed while a byte was in transit
		err = nil
	}
	return string(rest), err
}

// The service stops although request bodies never end. If it waited for them, the shutdown timeout would cut off calls.
func TestSlowBodiesDoNotDelayShutdown(t *testing.T) {
	t.Parallel()
	s, stop, err := run(t.TempDir(), func(c *config.Config) { c.ShutdownTimeout = 15 * time.Second })
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(s.url, "http://")
	requests := slowRequests(address)
	delete(requests, "a head") // the server itself gives new connections five seconds
	for name, head := range requests {
		for _, waits := range []bool{true, false} {
			connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { connection.Close() })
			text := head + "grant_" // part of a body
			if waits {
				text = strings.TrimSuffix(head, "\r\n") + "Expect: 100-continue\r\n\r\n"
			}
			if _, err := fmt.Fprint(connection, text); err != nil {
				t.Fatal(err)
			}
			if waits { // the service asks for the body or rejects the request
				if _, err := connection.Read(make([]byte, 12)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	if a := s.browser(t).say(s.key, listTools); a.status != http.StatusOK {
		t.Errorf("a call at the same time: %d", a.status)
	}
	if err := stop(); err != nil {
		t.Errorf("the shutdown: %v", err)
	}
	if log := s.log.String(); strings.Contains(log, "cut off") {
		t.Errorf("122, bodies that never end delayed the shutdown:\n%s", log)
	}
}

// Authenticated callers may send for minutes or hours. The shutdown does not wait for these callers or for a Singer tap
// on this machine.
func TestSlowAuthenticatedSendersDoNotDelayShutdown(t *testing.T) {
	t.Parallel()
	s, stop, err := run(t.TempDir(), func(c *config.Config) { c.ShutdownTimeout = 15 * time.Second })
	if err != nil {
		t.Fatal(err)
	}
	b := s.signedIn(t)
	site, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	var cookies []string
	for _, c := range b.client.Jar.Cookies(site) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	field := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	start := " HTTP/1.1\r\nHost: " + site.Host + "\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n"
	var slow []net.Conn
	for _, text := range [][2]string{
		{
			"POST /api/ingest/singer" + start + "Content-Type: application/x-ndjson\r\nAuthorization: Bearer " + s.key + "\r\n\r\n",
			`{"type":"STATE","value":{}}` + "\n",
		},
		{
			"POST /data/check" + start + "Content-Type: multipart/form-data; boundary=b\r\nCookie: " + strings.Join(cookies, "; ") + "\r\nOrigin: " + s.url + "\r\n\r\n",
			field("csrf", b.get("/data").field("csrf")) + field("workspace", "acme") + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\na,b\r\n",
		},
	} {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", site.Host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { connection.Close() })
		fmt.Fprint(connection, text[0])
		asked := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n")) // the body is being read
		if _, err := io.ReadFull(connection, asked); err != nil || !strings.Contains(string(asked), " 100 ") {
			t.Fatalf("%.30s: %q, %v", text[0], asked, err)
		}
		fmt.Fprint(connection, text[1])
		slow = append(slow, connection)
		go func() { // until it is closed
			for each := time.NewTicker(50 * time.Millisecond); err == nil; <-each.C {
				_, err = fmt.Fprint(connection, "x")
			}
		}()
	}
	ended := make(chan error, 1)
	messages, tap := io.Pipe()
	go func() {
		_, err := app.ImportSinger(t.Context(), config.Config{Data: s.data}, operator("acme"), operation.Stream{Messages: messages, Emit: func([]byte) error { return nil }}, time.Now)
		ended <- err
	}()
	if _, err := tap.Write([]byte(`{"type":"STATE","value":{}}` + "\n")); err != nil { // the service reads the tap
		t.Error(err)
	}
	if err := stop(); err != nil {
		t.Errorf("the shutdown: %v", err)
	}
	if log := s.log.String(); strings.Contains(log, "cut off") {
		t.Errorf("122, slow bodies delayed the shutdown:\n%s", log)
	}
	for _, connection := range slow {
		if told, err := io.ReadAll(connection); !strings.Contains(string(told), "HTTP/1.1 503") && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("a slow sender gets %.200q, %v", told, err)
		}
	}
	if err := <-ended; fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("the tap gets %v", err)
	}
}
