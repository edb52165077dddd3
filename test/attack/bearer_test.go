package attack

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/config"
	"assay/internal/control"
)

// The tests of this file cover attacks 76 to 97 of docs/security.md.

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// refusedBody is the body of every 401 response.
const refusedBody = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Authentication failed"}}`

// forged returns a token with any header, claims and signing key.
func forged(header, key any, claims ...string) string {
	part := base64.RawURLEncoding.EncodeToString
	signed := part([]byte(fmt.Sprint(header))) + "." + part([]byte(strings.Join(claims, "")))
	secret, _ := key.([]byte)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(signed))
	return signed + "." + part(mac.Sum(nil))
}

// insider has the signing secret and creates tokens with the keys derived from it.
type insider struct {
	t      *testing.T
	key    []byte
	kid    string
	claims map[string]any
}

func newInsider(t *testing.T, access string) insider {
	t.Helper()
	key, err := hkdf.Key(sha256.New, []byte(signingSecret), nil, "assay/access-token/v1", sha256.Size)
	if err != nil {
		t.Fatal(err)
	}
	name, err := hkdf.Key(sha256.New, []byte(signingSecret), nil, "assay/access-token-id/v1", 8)
	if err != nil {
		t.Fatal(err)
	}
	in := insider{t, key, hex.EncodeToString(name), nil}
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(access, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &in.claims); err != nil {
		t.Fatal(err)
	}
	return in
}

// token returns a token with valid claims and the given changes; nil removes a claim.
func (in insider) token(changes map[string]any) string {
	in.t.Helper()
	claims := maps.Clone(in.claims)
	for name, value := range changes {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	// Whole numbers must not become 1.7e9.
	for name, value := range claims {
		if number, ok := value.(float64); ok {
			claims[name] = int64(number)
		}
	}
	text, err := json.Marshal(claims)
	if err != nil {
		in.t.Fatal(err)
	}
	return forged(`{"alg":"HS256","typ":"at+jwt","kid":"`+in.kid+`"}`, in.key, string(text))
}

func TestForgedAndForeignTokensAreRejected(t *testing.T) {
	t.Parallel()
	b := shared.signedIn(t)
	got := b.tokens(shared.client(t, "https://owl.example/cb"), allScopes)
	in := newInsider(t, got.Access)
	now := time.Now().Unix()
	type claims = map[string]any
	for _, test := range []struct {
		line   int
		what   string
		change claims
		want   int
	}{
		{87, "as it was given", nil, 200},
		{87, "audience of another host", claims{"aud": "https://other.example/api/mcp/rpc"}, 401},
		{87, "audience in another case", claims{"aud": strings.ToUpper(shared.rpc)}, 401},
		{87, "audience with a slash", claims{"aud": shared.rpc + "/"}, 401},
		{87, "audience a list", claims{"aud": []string{shared.rpc, "https://other.example"}}, 401},
		{87, "no audience", claims{"aud": nil}, 401},
		{88, "another issuer", claims{"iss": "https://evil.test"}, 401},
		{88, "issuer with a slash", claims{"iss": shared.url + "/"}, 401},
		{88, "no issuer", claims{"iss": nil}, 401},
		{86, "ended 29 seconds ago, as clocks differ", claims{"exp": now - 25}, 200},
		{86, "ended long enough ago", claims{"exp": now - 31}, 401},
		{86, "not before a minute from now", claims{"nbf": now + 60}, 401},
		{86, "made a minute from now", claims{"iat": now + 60}, 401},
		{85, "no end", claims{"exp": nil}, 401},
		{85, "end as text", claims{"exp": fmt.Sprint(now + 60)}, 401},
		{85, "end in another case", claims{"exp": nil, "EXP": now + 60}, 401},
		{98, "another workspace", claims{"workspace": "other"}, 401},
		{96, "another person", claims{"sub": "nobody"}, 401},
		{96, "another grant", claims{"family": "nothing"}, 401},
		{106, "scope by prefix", claims{"scope": "measurement.read measurement.approve"}, 401},
		{106, "scope by pattern", claims{"scope": "measurement.*"}, 401},
		{106, "scope in another case", claims{"scope": "Measurement.Read"}, 401},
		{106, "scopes with a tab between", claims{"scope": "measurement.read\tmeasurement.write"}, 401},
	} {
		a := b.say(in.token(test.change), listTools)
		if a.status != test.want || test.want == 401 && a.body != refusedBody {
			t.Errorf("%d, %s: %d %.120s, want %d", test.line, test.what, a.status, a.body, test.want)
		}
	}
	more := in.token(claims{"scope": allScopes})
	narrow := b.tokens(shared.client(t, "https://owl.example/cb"), readOnly)
	in = newInsider(t, narrow.Access)
	if a := b.callText(in.token(claims{"scope": allScopes}), "pause_campaign", pausing); a.status != http.StatusForbidden {
		t.Errorf("106, a token that claims more than was granted: %d %s", a.status, a.body)
	}
	if a := b.say(more, listTools); a.status != http.StatusOK {
		t.Errorf("106, a token that claims what was granted: %d", a.status)
	}
}

func TestEveryRejectedCredentialGetsTheSameAnswer(t *testing.T) {
	t.Parallel()
	b := shared.signedIn(t)
	got := b.tokens(shared.client(t, "https://owl.example/cb"), readOnly)
	revoked, expired := shared.endedKeys(t)
	parts := strings.Split(got.Access, ".")
	in := newInsider(t, got.Access)
	csrf := b.get("/keys").field("csrf")
	var session string
	for _, cookie := range b.client.Jar.Cookies(mustURL(t, shared.url)) {
		session = cookie.Value
	}
	for _, test := range []struct {
		line  int
		what  string
		value string // value of the Authorization header; "-": no header
	}{
		{76, "nothing", "-"},
		{77, "empty", "Bearer "},
		{77, "two blanks", "Bearer  " + shared.key},
		{77, "another scheme", "Basic " + shared.key},
		{77, "two in one", "Bearer " + shared.key + ", Bearer " + shared.key},
		{79, "no algorithm", "Bearer " + forged(`{"alg":"none","typ":"at+jwt"}`, nil, `{}`)},
		{79, "unsigned", "Bearer " + parts[0] + "." + parts[1] + "."},
		{80, "signed with the secret's text", "Bearer " + forged(`{"alg":"HS256","typ":"at+jwt","kid":"`+in.kid+`"}`, []byte(signingSecret), `{}`)},
		{81, "kid of a file", "Bearer " + forged(`{"alg":"HS256","typ":"at+jwt","kid":"../../secret"}`, in.key, `{}`)},
		{81, "kid of SQL", "Bearer " + forged(`{"alg":"HS256","typ":"at+jwt","kid":"' OR 1=1"}`, in.key, `{}`)},
		{82, "x5c", "Bearer " + forged(`{"alg":"HS256","typ":"at+jwt","x5c":["AAAA"],"kid":"`+in.kid+`"}`, in.key, `{}`)},
		{83, "crit", "Bearer " + forged(`{"alg":"HS256","typ":"at+jwt","crit":["x"],"x":1,"kid":"`+in.kid+`"}`, in.key, `{}`)},
		{84, "cut", "Bearer " + got.Access[:len(got.Access)-1]},
		{84, "padded", "Bearer " + got.Access + "="},
		{84, "four parts", "Bearer " + got.Access + ".x"},
		{89, "of another type", "Bearer " + forged(`{"alg":"HS256","typ":"JWT","kid":"`+in.kid+`"}`, in.key, `{}`)},
		{89, "a session", "Bearer " + session},
		{89, "a form's token", "Bearer " + csrf},
		{49, "a refresh token", "Bearer " + got.Refresh},
		{93, "a revoked key", "Bearer " + revoked},
		{93, "an expired key", "Bearer " + expired},
		{93, "an unknown key", "Bearer " + string(auth.NewSecret())},
		{93, "a key with another ending", "Bearer " + shared.key[:len(shared.key)-1] + "_"},
		{93, "a key in capitals", "Bearer " + strings.ToUpper(shared.key)},
		{93, "a key with a blank behind", "Bearer " + shared.key + " x"},
		{93, "another prefix", "Bearer xsy_" + shared.key[4:]},
		{97, "9 KiB", "Bearer " + strings.Repeat("x", 9<<10)},
	} {
		var header []string
		if test.value != "-" {
			header = []string{"Authorization", test.value}
		}
		a := shared.browser(t).say("", listTools, header...)
		challenge := a.header.Get("WWW-Authenticate")
		wantError := test.value != "-"
		if a.status != http.StatusUnauthorized || a.body != refusedBody || strings.Contains(challenge, "error=") != wantError ||
			!strings.Contains(challenge, `resource_metadata="`+shared.url) {
			t.Errorf("%d, %s: %d %.100s, challenge %s", test.line, test.what, a.status, a.body, challenge)
		}
	}
	for what, a := range map[string]answer{
		"two headers":  shared.browser(t).say(shared.key, listTools, "Authorization", "Bearer "+shared.key),
		"in the query": shared.browser(t).send(http.MethodPost, "/api/mcp/rpc?access_token="+shared.key, listTools, "Content-Type", "application/json"),
		"in a cookie":  shared.browser(t).say("", listTools, "Cookie", "access_token="+shared.key),
		"the session":  b.say("", listTools),
	} {
		if a.status != http.StatusUnauthorized || a.body != refusedBody {
			t.Errorf("77, 78, %s: %d %s", what, a.status, a.body)
		}
	}
	if a := shared.browser(t).say("", listTools, "Authorization", "bearer "+shared.key); a.status != http.StatusOK {
		t.Errorf("77, the scheme in lower case: %d", a.status)
	}
	long := shared.raw(t, "POST /api/mcp/rpc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+strings.Repeat("x", 24<<10)+"\r\n\r\n")
	if !strings.HasPrefix(long, "HTTP/1.1 431") {
		t.Errorf("97, headers of 24 KiB: %s", long)
	}
}

// endedKeys returns a revoked key and an expired key.
func (s *service) endedKeys(t *testing.T) (revoked, expired string) {
	t.Helper()
	secret, key, err := s.control.Keys.Create(t.Context(), auth.NewKey{Workspace: "acme", Name: "revoked"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.control.Keys.Revoke(t.Context(), key.ID, "test"); err != nil {
		t.Fatal(err)
	}
	short, _, err := s.control.Keys.Create(t.Context(), auth.NewKey{Workspace: "acme", Name: "short", Lifetime: time.Microsecond}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return string(secret), string(short)
}

func TestTheRunningServiceRejectsARevokedKeyWithinSeconds(t *testing.T) {
	t.Parallel()
	b := shared.browser(t)
	secret, key, err := shared.control.Keys.Create(t.Context(), auth.NewKey{Workspace: "acme", Name: "soon revoked"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if a := b.say(string(secret), listTools); a.status != http.StatusOK {
		t.Fatalf("before: %d", a.status)
	}
	if _, err := shared.control.Keys.Revoke(t.Context(), key.ID, "test"); err != nil { // as another process does
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		if b.say(string(secret), listTools).status == http.StatusUnauthorized {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("94: after five seconds the key still works")
}

func TestWithoutASigningSecretOnlyKeysWork(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.OAuthSecret = config.NewSecret("") })
	b := s.browser(t)
	if a := b.say(s.key, listTools); a.status != http.StatusOK {
		t.Errorf("91, a key: %d", a.status)
	}
	if a := b.say("asy_nokey", listTools); a.status != http.StatusUnauthorized {
		t.Errorf("91, a string that looks like a key: %d", a.status)
	}
	if a := b.say("a.b.c", listTools); a.status != http.StatusInternalServerError || a.code() != http.StatusInternalServerError {
		t.Errorf("91, a token: %d %s", a.status, a.body)
	}
	if a := b.send(http.MethodPost, "/api/mcp/token", "grant_type=refresh_token", "Content-Type", form); a.status != http.StatusInternalServerError || a.failure() != "server_error" {
		t.Errorf("91, the token endpoint: %d %s", a.status, a.body)
	}
}

func TestTheServiceRejectsAShortSigningSecret(t *testing.T) {
	t.Parallel()
	_, stop, err := run(t.TempDir(), func(c *config.Config) { c.OAuthSecret = config.NewSecret(strings.Repeat("x", 31)) })
	if err == nil {
		t.Errorf("92: it starts, %v", stop())
	}
}

func TestEndedAccessIsRejectedImmediately(t *testing.T) {
	t.Parallel()
	b := shared.colleague(t, "leaver@acme.example", control.RoleAdmin)
	c := shared.client(t, "https://owl.example/cb")
	got := b.tokens(c, allScopes)
	u, err := shared.people.Find(t.Context(), "leaver@acme.example")
	if err != nil {
		t.Fatal(err)
	}
	if a := b.callText(got.Access, "pause_campaign", pausing); a.status != http.StatusOK {
		t.Errorf("107, an admin: %d %s", a.status, a.body)
	}
	if err := shared.people.SetRole(t.Context(), u.ID, "acme", control.RoleViewer, "test"); err != nil {
		t.Fatal(err)
	}
	if a := b.callText(got.Access, "pause_campaign", pausing); a.status != http.StatusForbidden {
		t.Errorf("107, on the next call after the demotion: %d %s", a.status, a.body)
	}
	if next, _ := b.exchange(map[string][]string{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}, "client_id": {c.id}}); next.Scope != readOnly {
		t.Errorf("50, a refresh after the demotion gives %q", next.Scope)
	}
	if err := shared.people.Remove(t.Context(), u.ID, "test"); err != nil {
		t.Fatal(err)
	}
	if a := b.say(got.Access, listTools); a.status != http.StatusUnauthorized {
		t.Errorf("96, on the next call after the removal: %d", a.status)
	}
	if a := b.get("/"); a.status != http.StatusSeeOther {
		t.Errorf("150, the session after the removal: %d", a.status)
	}
}
