package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

const approveExecution = "measurement.approve_execution"

// person gives or denies consent in a browser and passes the redirect to the client.
type person struct {
	t        *testing.T
	rpc      string
	node     string
	redirect string
	came     chan url.Values
}

// newPerson returns a person with a browser. It skips the test unless the environment names a service and a browser.
func newPerson(t *testing.T) *person {
	t.Helper()
	p := &person{t: t, rpc: os.Getenv("ASSAY_TEST_RPC"), node: os.Getenv("ASSAY_TEST_BROWSER"), came: make(chan url.Values, 1)}
	if p.rpc == "" || p.node == "" {
		t.Skip("ASSAY_TEST_RPC and ASSAY_TEST_BROWSER name no running service and no Node with a browser")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "You can close this page.")
		if r.URL.Path == "/callback" {
			p.came <- r.URL.Query()
		}
	}))
	t.Cleanup(server.Close)
	p.redirect = server.URL + "/callback"
	return p
}

// decide opens the address in a browser and returns the query that the client's listener received.
func (p *person) decide(ctx context.Context, address, decision string, ticks ...string) url.Values {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	text, err := exec.CommandContext(ctx, p.node, append([]string{"browser.mjs", address, decision}, ticks...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("the browser: %v\n%s", err, text)
	}
	answer := <-p.came
	if want := strings.TrimSuffix(p.rpc, "/api/mcp/rpc"); answer.Get("iss") != want {
		p.t.Errorf("iss is %q, want %q", answer.Get("iss"), want)
	}
	p.note(answer.Get("code"))
	return answer
}

// note records a secret, which must not be in the log.
func (p *person) note(secrets ...string) {
	p.t.Helper()
	f, err := os.OpenFile(os.Getenv("secrets"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintln(f, strings.Join(secrets, "\n"))
}

// ended returns a copy of the token that has expired, so that the library refreshes it.
func (p *person) ended(token *oauth2.Token) *oauth2.Token {
	p.note(token.AccessToken, token.RefreshToken)
	old := *token
	old.Expiry = time.Now().Add(-time.Minute)
	return &old
}

func TestTheGoSDKSignsIn(t *testing.T) {
	p := newPerson(t)
	var asked []string
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "suite go", RedirectURIs: []string{p.redirect}},
		},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			asked = append(asked, args.URL)
			var ticks []string
			if strings.Contains(args.URL, approveExecution) {
				ticks = []string{approveExecution}
			}
			answer := p.decide(ctx, args.URL, "allow", ticks...)
			return &auth.AuthorizationResult{Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss")}, nil
		},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			return &noting{person: p, from: c.TokenSource(ctx, p.ended(token))}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "suite", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: p.rpc, OAuthHandler: handler}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 29 {
		t.Fatalf("tools/list: %v", err)
	}
	if result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "discover"}); err != nil || result.IsError {
		t.Fatalf("discover: %v %+v", err, result)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{
		Name: "pause_campaign", Arguments: map[string]any{"platform": "facebook", "platform_campaign_id": "none", "confirm": true},
	})
	if err != nil || !result.IsError {
		t.Errorf("after the step-up the call fails because of the campaign: %v %+v", err, result)
	}
	if len(asked) != 2 {
		t.Fatalf("the person was asked %d times, want twice: %q", len(asked), asked)
	}
	for i, want := range [][]string{{"measurement.read"}, {approveExecution, "measurement.read"}} {
		u, err := url.Parse(asked[i])
		scopes := strings.Fields(u.Query().Get("scope")) // the SDK requests them in any order
		slices.Sort(scopes)
		if err != nil || !slices.Equal(scopes, want) || u.Query().Get("resource") != p.rpc {
			t.Errorf("request %d: %v, %v; want scopes %q", i+1, u.Query(), err, want)
		}
	}
}

// noting records each token that passes.
type noting struct {
	*person
	from oauth2.TokenSource
	mu   sync.Mutex // guards last
	last string
}

// Token implements oauth2.TokenSource.
func (n *noting) Token() (*oauth2.Token, error) {
	token, err := n.from.Token()
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil && token.AccessToken != n.last {
		n.last = token.AccessToken
		n.note(token.AccessToken, token.RefreshToken)
	}
	return token, err
}

func TestThePlainGoLibrarySignsIn(t *testing.T) {
	p := newPerson(t)
	base := strings.TrimSuffix(p.rpc, "/api/mcp/rpc")
	var found struct {
		AuthorizationEndpoint string `json:"authorization_endpoint"`
		TokenEndpoint         string `json:"token_endpoint"`
		RegistrationEndpoint  string `json:"registration_endpoint"`
	}
	p.get(base+"/.well-known/oauth-authorization-server", &found)
	config := &oauth2.Config{
		ClientID: p.register(found.RegistrationEndpoint), RedirectURL: p.redirect, Scopes: []string{"measurement.read"},
		Endpoint: oauth2.Endpoint{AuthURL: found.AuthorizationEndpoint, TokenURL: found.TokenEndpoint},
	}
	verifier := oauth2.GenerateVerifier()
	p.note(verifier)
	address := config.AuthCodeURL("a state", oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", p.rpc))
	if got := p.decide(t.Context(), address, "deny").Get("error"); got != "access_denied" {
		t.Errorf("a denial is reported as %q", got)
	}
	answer := p.decide(t.Context(), address, "allow")
	if answer.Get("state") != "a state" {
		t.Errorf("state %q", answer.Get("state"))
	}
	token, err := config.Exchange(t.Context(), answer.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	source := config.TokenSource(t.Context(), p.ended(token))
	next, err := source.Token()
	if err != nil || next.AccessToken == token.AccessToken || next.RefreshToken == token.RefreshToken {
		t.Fatalf("refresh: %v", err)
	}
	p.note(next.AccessToken, next.RefreshToken)
	response, err := oauth2.NewClient(t.Context(), source).Post(p.rpc, "application/json",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"discover"}}`))
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("a call: %v %+v", err, response)
	}
	response.Body.Close()
	_, err = config.Exchange(t.Context(), answer.Get("code"), oauth2.VerifierOption(verifier))
	if failed, ok := errors.AsType[*oauth2.RetrieveError](err); !ok || failed.ErrorCode != "invalid_grant" {
		t.Errorf("the code a second time: %v", err)
	}
	if _, err := config.TokenSource(t.Context(), p.ended(next)).Token(); err == nil {
		t.Error("after a second use of the code its tokens can be refreshed")
	}
}

func (p *person) get(address string, into any) {
	p.t.Helper()
	response, err := http.Get(address)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) register(address string) string {
	p.t.Helper()
	text, err := json.Marshal(map[string]any{"client_name": "suite library", "redirect_uris": []string{p.redirect}})
	if err != nil {
		p.t.Fatal(err)
	}
	response, err := http.Post(address, "application/json", bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	var made struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || response.StatusCode != http.StatusCreated {
		p.t.Fatalf("registration: %s, %v", response.Status, err)
	}
	return made.ID
}
