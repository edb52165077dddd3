package attack

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/internal/auth"
)

// TestNoSecretIsInTheLogOrInTheData creates, uses and rejects every kind of secret at log level debug. It then searches
// for each secret in the log, in the metrics and in every file (attacks 139 and 140 of docs/security.md).
func TestNoSecretIsInTheLogOrInTheData(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	b := s.browser(t)
	secrets := map[string]string{"signing secret": signingSecret, "password": password, "key": s.key, "read key": s.readKey, "verifier": verifier}

	// The secrets include passwords of failed and successful sign-ins, and a password that a person pasted into the
	// email field.
	secrets["wrong password"] = "a wrong password 4711"
	b.signIn(email, secrets["wrong password"])
	secrets["password as address"] = "hunter2-hunter2-hunter2"
	b.signIn(secrets["password as address"], "x")
	if a := b.signIn(email, password); a.status != http.StatusSeeOther {
		t.Fatalf("sign-in: %d", a.status)
	}
	for _, cookie := range b.client.Jar.Cookies(mustURL(t, s.url)) {
		secrets["cookie "+cookie.Name] = cookie.Value
	}
	page := b.get("/keys?workspace=acme")
	secrets["form token"] = page.field("csrf")

	// Keys are created, used, rotated, revoked and used again.
	keyForm := regexp.MustCompile(auth.KeyPrefix + `[0-9A-Za-z]{36}`)
	keys := func(fields url.Values) string {
		fields.Set("csrf", secrets["form token"])
		fields.Set("workspace", "acme")
		return keyForm.FindString(b.post("/keys", fields).body)
	}
	secrets["made key"] = keys(url.Values{"action": {"create"}, "name": {"n"}, "scope": {readOnly}, "days": {"30"}})
	id := b.get("/keys?workspace=acme").field("id")
	secrets["rotated key"] = keys(url.Values{"action": {"rotate"}, "id": {id}})
	b.say(secrets["made key"], listTools)
	keys(url.Values{"action": {"revoke"}, "id": {id}})
	b.say(secrets["made key"], listTools)
	b.say(secrets["made key"]+"x", listTools)

	// A person authorizes an OAuth client, which redeems its code twice and refreshes its token twice.
	c := s.client(t, "https://owl.example/cb")
	asked := s.asking(c, allScopes)
	asked.Set("state", "a-state-that-is-the-clients-own")
	secrets["state"] = asked.Get("state")
	fields := b.consent(asked, strings.Fields(allScopes)...)
	secrets["request"], secrets["consent token"] = fields.Get("request"), fields.Get("csrf")
	b.post("/api/mcp/authorize", url.Values{"decision": {"approve"}, "request": {secrets["request"]}, "csrf": {"wrong"}})
	secrets["code"] = b.post("/api/mcp/authorize", fields).query().Get("code")
	wrong := s.redeeming(c, secrets["code"])
	wrong.Set("code_verifier", strings.Repeat("w", 50))
	b.exchange(wrong)
	got, _ := b.exchange(s.redeeming(c, secrets["code"]))
	secrets["access token"], secrets["refresh token"] = got.Access, got.Refresh
	refreshing := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}, "client_id": {c.id}}
	next, _ := b.exchange(refreshing)
	secrets["second access token"], secrets["second refresh token"] = next.Access, next.Refresh
	b.exchange(refreshing)
	b.callText(got.Access, "manage", `{"action":"create_annotation","params":{"date":"2026-01-05","label":"x"},"confirmed":true}`)
	b.exchange(s.redeeming(c, secrets["code"]))
	b.say(got.Access, listTools)
	secrets["client secret"] = "a-client-secret-of-its-own"
	refreshing.Set("client_secret", secrets["client secret"])
	b.exchange(refreshing)

	// These requests contain secrets in wrong places: URLs, headers, request IDs, arguments, and names of methods and
	// tools.
	b.get("/keys/" + s.key)
	b.get("/sign-in?next=/%3Fkey=" + s.key)
	b.send(http.MethodPost, "/api/mcp/rpc?access_token="+got.Access, listTools, "Content-Type", "application/json")
	b.get("/api/mcp/" + s.key)
	b.say(s.key, listTools, "X-Request-Id", "a b "+s.readKey, "User-Agent", s.readKey, "Referer", "https://x.example/?"+s.readKey)
	b.callText(s.key, "performance\u001b[31m\nlevel=ERROR", `{}`)
	b.callText(s.key, "pause_campaign", `{"platform":"facebook","platform_campaign_id":"1","reason":"\u001b[31m\r\nlevel=ERROR`+strings.Repeat("r", 500_000)+`"}`)
	b.callText(s.key, s.readKey, `{}`)
	b.callText(s.key, "performance", `{"channel":"`+s.readKey+`"}`)
	b.say(s.key, `{"jsonrpc":"2.0","id":1,"method":"`+s.readKey+`"}`)
	b.say(s.key, `{"jsonrpc":"2.0","id":"`+s.readKey+`","method":"tools/call","params":{"name":"discover"}}`)
	b.send(http.MethodPost, "/api/mcp/token", "grant_type="+s.key, "Content-Type", form)
	b.get("/api/mcp/authorize?client_id=https://" + s.key + "@evil.test/x&redirect_uri=https://evil.test/?" + s.key)

	for what, secret := range secrets {
		if len(secret) < 10 {
			t.Errorf("140, no %s was created: %q", what, secret)
			continue
		}
		if log := s.log.String(); strings.Contains(log, secret) {
			at := strings.Index(log, secret)
			t.Errorf("140: the log contains the %s: %s", what, log[max(0, at-300):min(len(log), at+100)])
		}
	}
	if lines := strings.Count(s.log.String(), "msg=request"); lines < 30 {
		t.Errorf("only %d requests were logged", lines)
	}
	for line := range strings.Lines(s.log.String()) {
		if !strings.HasPrefix(line, "time=") || len(line) > 4000 || strings.Contains(line, "\x1b") {
			t.Errorf("139: a log line that the program does not write: %.200q", line)
		}
	}
	s.wantNotKept(t, secrets)
}

// wantNotKept checks that no file of the data directory contains one of the secrets. Only the signing secret of a demo
// and the installation secret are stored in plain text. Neither is in the parameter secrets.
func (s *service) wantNotKept(t *testing.T, secrets map[string]string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(s.data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for what, secret := range secrets {
			if what != "state" && bytes.Contains(text, []byte(secret)) { // the client's state is returned to it
				t.Errorf("140: the file %s contains the %s", filepath.Base(path), what)
			}
		}
		folder, err := os.Stat(filepath.Dir(path))
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && folder.Mode().Perm()&info.Mode().Perm()&0o077 != 0 {
			t.Errorf("other users than the owner may read %s (mode %#o in a folder of %#o)", filepath.Base(path), info.Mode().Perm(), folder.Mode().Perm())
		}
		return nil
	})
	if err != nil || files < 2 {
		t.Errorf("%d files were read, %v", files, err)
	}
}
