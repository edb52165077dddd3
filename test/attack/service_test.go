// Package attack attacks a complete service with real sockets and real stores. docs/security.md names the test of each
// attack. The numbers in the tables of this package are the numbers of attacks in that document.
package attack

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/auth"
	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

const (
	signingSecret = "a signing secret of more than 32 bytes"
	email         = "anna@acme.example"
	password      = "correct horse battery"
	verifier      = "a-verifier-that-is-long-enough-for-the-rule_0123"
	form          = "application/x-www-form-urlencoded"
	readOnly      = "measurement.read"
	allScopes     = "measurement.read measurement.write measurement.approve_execution"
)

// record is a log that can be read while it is written.
type record struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write implements io.Writer.
func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// service is a running service with the workspaces acme and other. Anna owns acme and is in no other workspace.
type service struct {
	url, rpc string
	data     string
	log      *record
	control  *app.Control
	people   *people.People
	app      *app.App
	anna     control.User
	key      string // key of acme with all scopes
	readKey  string // key of acme with the read scope
	otherKey string // key of other with all scopes
}

// start runs a service for one test.
func start(t *testing.T, change func(*config.Config)) *service {
	t.Helper()
	s, stop, err := run(t.TempDir(), change)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the service ends with an error: %v", err)
		}
	})
	return s
}

// shared is the service of all tests that make no changes visible to other tests.
var shared *service

func TestMain(m *testing.M) {
	os.Exit(func() int {
		data, err := os.MkdirTemp("", "assay-attack-*")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(data)
		s, stop, err := run(data, nil)
		if err != nil {
			panic(err)
		}
		shared = s
		code := m.Run()
		if err := stop(); err != nil {
			fmt.Fprintln(os.Stderr, "the service ends with an error:", err)
			return 1
		}
		return code
	}())
}

func run(data string, change func(*config.Config)) (s *service, stop func() error, err error) {
	c := config.Config{
		Addr: "127.0.0.1:0", Data: data, OAuthSecret: config.NewSecret(signingSecret), RateLimit: 1_000_000,
		AllowedOrigins: config.Origins{"https://app.example"},
	}
	if change != nil {
		change(&c)
	}
	s = &service{data: data, log: &record{}}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	ctx, cancel := context.WithCancel(context.Background())
	if s.app, err = app.Open(ctx, c.WithDefaults(), log, time.Now); err != nil {
		cancel()
		return nil, nil, err
	}
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- s.app.Serve(ctx, func(baseURL string) error {
			ready <- baseURL
			return nil
		})
	}()
	stop = func() error {
		cancel()
		err := <-ended
		if s.control != nil {
			err = cmpErr(err, s.control.Close())
		}
		return cmpErr(err, s.app.Close())
	}
	select {
	case s.url = <-ready:
	case err := <-ended:
		cancel()
		return nil, nil, cmpErr(err, s.app.Close())
	}
	s.rpc = s.url + "/api/mcp/rpc"
	if err := s.furnish(ctx, c); err != nil {
		return nil, nil, cmpErr(err, stop())
	}
	return s, stop, nil
}

func cmpErr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// furnish creates workspaces, an account and keys in the same way as commands that run next to a service.
func (s *service) furnish(ctx context.Context, c config.Config) (err error) {
	if s.control, err = app.OpenControl(ctx, app.ControlOf(c, time.Now)); err != nil {
		return err
	}
	s.people = people.New(people.Options{Store: s.control.Store, Now: time.Now})
	for _, name := range []string{"Acme", "Other"} {
		_, err := s.control.Store.CreateWorkspace(ctx, control.NewWorkspace(name), control.By{Actor: "test", At: time.Now()})
		if fault.KindOf(err) == fault.KindConflict { // an earlier service created the data directory
			break
		}
		if err != nil {
			return err
		}
	}
	s.anna, err = s.people.Create(ctx, email, password, "test")
	if fault.KindOf(err) == fault.KindConflict {
		s.anna, err = s.people.Find(ctx, email)
	}
	if err != nil {
		return err
	}
	if err := s.people.SetRole(ctx, s.anna.ID, "acme", control.RoleOwner, "test"); err != nil {
		return err
	}
	for _, k := range []struct {
		into      *string
		workspace measure.WorkspaceID
		scopes    []control.Scope
	}{
		{&s.key, "acme", control.Scopes()},
		{&s.readKey, "acme", []control.Scope{control.ScopeRead}},
		{&s.otherKey, "other", control.Scopes()},
	} {
		secret, _, err := s.control.Keys.Create(ctx, auth.NewKey{Workspace: k.workspace, Name: "test", Scopes: k.scopes}, "test")
		if err != nil {
			return err
		}
		*k.into = string(secret)
	}
	return nil
}

// goods imports orders and an ad report into both workspaces. Names in the data identify the workspace.
func (s *service) goods(t *testing.T) {
	t.Helper()
	for _, ws := range []string{"acme", "other"} {
		orders := "order_id,created_at,currency,total,channel\n" +
			ws + "-1,2026-03-02T15:00:00Z,USD,10.00,facebook\n" + ws + "-2,2026-03-03T15:00:00Z,USD,20.00,google\n"
		ads := "Reporting starts,Reporting ends,Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Link clicks,Purchases,Purchases conversion value\n" +
			"2026-03-02,2026-03-02,2026-03-02,campaign of " + ws + ",7001" + fmt.Sprint(len(ws)) + ",5.00,10,1,1,10.00\n"
		var files []string
		for name, text := range map[string]string{"orders.csv": orders, "meta.csv": ads} {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, path)
		}
		result, err := s.imported(t, ws, files...)
		if err != nil || result.Err() != nil {
			t.Fatalf("import into %s: %v, %v", ws, err, result.Err())
		}
	}
}

// answer is a response of the service.
type answer struct {
	status int
	header http.Header
	body   string
}

// code returns the JSON-RPC error code, or 0 without an error.
func (a answer) code() int {
	var e struct {
		Error struct{ Code int }
	}
	if json.Unmarshal([]byte(a.body), &e) != nil {
		return 0
	}
	return e.Error.Code
}

// failure returns the OAuth error of a body or redirect, or "" without an error.
func (a answer) failure() string {
	if got := a.query().Get("error"); got != "" {
		return got
	}
	var e struct{ Error any }
	if json.Unmarshal([]byte(a.body), &e) != nil {
		return ""
	}
	text, _ := e.Error.(string)
	return text
}

// query returns the query of the redirect target.
func (a answer) query() url.Values {
	u, err := url.Parse(a.header.Get("Location"))
	if err != nil {
		return nil
	}
	return u.Query()
}

// result returns the result of a tool call.
func (a answer) result() (text string, isError bool) {
	var r struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if json.Unmarshal([]byte(a.body), &r) != nil || len(r.Result.Content) == 0 {
		return "", false
	}
	return r.Result.Content[0].Text, r.Result.IsError
}

// browser stores cookies and does not follow redirects. Without a cookie jar, the browser is a plain client.
type browser struct {
	*service
	t      *testing.T
	client *http.Client
}

func (s *service) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &browser{s, t, &http.Client{
		Jar: jar, Transport: transport, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// send sends one request. The parameter header contains names and values in turn. The name Host sets the host of the
// request.
func (b *browser) send(method, path, body string, header ...string) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Add(header[i], header[i+1])
	}
	return b.do(r)
}

func (b *browser) do(r *http.Request) answer {
	b.t.Helper()
	response, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

func (b *browser) get(path string) answer {
	b.t.Helper()
	return b.send(http.MethodGet, path, "")
}

func (b *browser) post(path string, fields url.Values) answer {
	b.t.Helper()
	return b.send(http.MethodPost, path, fields.Encode(), "Content-Type", form, "Origin", b.url)
}

// say sends one message to the RPC endpoint.
func (b *browser) say(credential, message string, header ...string) answer {
	b.t.Helper()
	if credential != "" {
		header = append(header, "Authorization", "Bearer "+credential)
	}
	return b.send(http.MethodPost, "/api/mcp/rpc", message, append(header, "Content-Type", "application/json")...)
}

// callText calls a tool with JSON arguments.
func (b *browser) callText(credential, tool, arguments string) answer {
	b.t.Helper()
	name, err := json.Marshal(tool)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.say(credential, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+string(name)+`,"arguments":`+arguments+`}}`)
}

func (b *browser) call(credential, tool string, arguments map[string]any) answer {
	b.t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.callText(credential, tool, string(text))
}

// field returns the value of the last hidden field with the name, because the page's own form follows the forms of the
// frame.
func (a answer) field(name string) string {
	found := regexp.MustCompile(`name="`+name+`" value="([^"]*)"`).FindAllStringSubmatch(a.body, -1)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[len(found)-1][1])
}

func (b *browser) signIn(email, password string) answer {
	b.t.Helper()
	page := b.get("/sign-in")
	return b.post("/sign-in", url.Values{"csrf": {page.field("csrf")}, "next": {"/"}, "email": {email}, "password": {password}})
}

// signedIn returns a browser in which Anna is signed in.
func (s *service) signedIn(t *testing.T) *browser {
	t.Helper()
	b := s.browser(t)
	if a := b.signIn(email, password); a.status != http.StatusSeeOther {
		t.Fatalf("sign-in: %d %s", a.status, a.body)
	}
	return b
}

// client is a registered OAuth client.
type client struct{ id, redirect string }

func (s *service) client(t *testing.T, redirects ...string) client {
	t.Helper()
	c := control.Client{
		ID: control.ClientID(strings.ToLower(string(people.NewSecret()[:12]))), Name: "Ledger Owl", Redirects: redirects, CreatedAt: time.Now(),
	}
	if err := s.control.Store.CreateClient(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return client{string(c.ID), redirects[0]}
}

func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (s *service) asking(c client, scope string) url.Values {
	return url.Values{
		"response_type": {"code"}, "client_id": {c.id}, "redirect_uri": {c.redirect}, "state": {"s"}, "scope": {scope},
		"code_challenge": {challenge()}, "code_challenge_method": {"S256"}, "resource": {s.rpc},
	}
}

func authorize(v url.Values) string { return "/api/mcp/authorize?" + v.Encode() }

// consent opens the consent page and returns the fields of its form with the boxes of the scopes checked.
func (b *browser) consent(asked url.Values, scopes ...string) url.Values {
	b.t.Helper()
	page := b.get(authorize(asked))
	if page.status != http.StatusOK || page.field("request") == "" {
		b.t.Fatalf("no consent page: %d to %q %s", page.status, page.header.Get("Location"), page.body)
	}
	return url.Values{
		"request": {page.field("request")}, "csrf": {page.field("csrf")}, "workspace": {"acme"}, "scope": scopes, "decision": {"approve"},
	}
}

// tokens is a response of the token endpoint.
type tokens struct {
	Code    string `json:"-"`
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

func (s *service) redeeming(c client, code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier},
		"redirect_uri": {c.redirect}, "client_id": {c.id}, "resource": {s.rpc},
	}
}

func (b *browser) exchange(fields url.Values) (tokens, answer) {
	b.t.Helper()
	a := b.send(http.MethodPost, "/api/mcp/token", fields.Encode(), "Content-Type", form)
	got := tokens{Code: fields.Get("code")}
	if a.status == http.StatusOK {
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			b.t.Fatal(err)
		}
	}
	return got, a
}

// tokens gets tokens for the client. The person selects every requested scope.
func (b *browser) tokens(c client, scope string) tokens {
	b.t.Helper()
	a := b.post("/api/mcp/authorize", b.consent(b.asking(c, scope), strings.Fields(scope)...))
	got, redeemed := b.exchange(b.redeeming(c, a.query().Get("code")))
	if redeemed.status != http.StatusOK {
		b.t.Fatalf("no tokens: %d %s after %d to %s", redeemed.status, redeemed.body, a.status, a.header.Get("Location"))
	}
	return got
}

// raw sends raw bytes and returns the first line of the response, or "closed".
func (s *service) raw(t *testing.T, text string) string {
	t.Helper()
	all, _ := s.exchangeBytes(t, text, func(c net.Conn) (string, error) { return bufio.NewReader(c).ReadString('\n') })
	if all == "" {
		return "closed"
	}
	return strings.TrimSpace(all)
}

// toTheEnd sends raw bytes and returns everything that the service sends before it closes the connection. A connection that
// stays open is an error.
func (s *service) toTheEnd(t *testing.T, text string) (string, error) {
	t.Helper()
	return s.exchangeBytes(t, text, func(c net.Conn) (string, error) {
		all, err := io.ReadAll(c)
		if errors.Is(err, syscall.ECONNRESET) { // closed while bytes were on the way
			err = nil
		}
		return string(all), err
	})
}

func (s *service) exchangeBytes(t *testing.T, text string, read func(net.Conn) (string, error)) (string, error) {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, text); err != nil && !strings.Contains(err.Error(), "reset") && !strings.Contains(err.Error(), "broken pipe") {
		t.Fatal(err)
	}
	return read(connection)
}

// operator returns the operation call that a command makes.
func operator(ws measure.WorkspaceID) operation.Call {
	return operation.Call{Workspace: ws, Caller: operation.Operator("test")}
}

// imported imports files with a command.
func (s *service) imported(t *testing.T, ws string, files ...string) (operation.Imported, error) {
	t.Helper()
	return app.ImportFiles(t.Context(), config.Config{Data: s.data}, operator(measure.WorkspaceID(ws)), operation.Import{Paths: files}, nil, time.Now)
}
