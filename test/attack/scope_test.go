package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/api"
	"assay/internal/config"
)

// The tests of this file cover attacks 98 to 109 of docs/security.md.

const pausing = `{"platform":"facebook","platform_campaign_id":"1","confirm":true}`

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// acting lists the tools that change state, with arguments that lack only the value of the confirmation.
var acting = map[string]string{
	"propose_budget_shift": `"platform":"facebook","platform_campaign_id":"1","new_budget_value":1000,"confirm":`,
	"pause_campaign":       `"platform":"facebook","platform_campaign_id":"1","confirm":`,
	"resume_campaign":      `"platform":"facebook","platform_campaign_id":"1","confirm":`,
	"manage":               `"action":"create_annotation","params":{"date":"2026-01-05","label":"x"},"confirmed":`,
}

func TestToolsActOnlyWithTheirScope(t *testing.T) {
	t.Parallel()
	b := shared.signedIn(t)
	reader := b.tokens(shared.client(t, "https://owl.example/cb"), readOnly).Access
	for tool, arguments := range acting {
		a := b.callText(reader, tool, "{"+arguments+"true}")
		challenge := a.header.Get("WWW-Authenticate")
		if a.status != http.StatusForbidden || a.code() != -32000 || !strings.Contains(challenge, `error="insufficient_scope"`) || !strings.Contains(a.body, "requiredScopes") {
			t.Errorf("101, 103, 104, %s by a token that may only read: %d %s %s", tool, a.status, challenge, a.body)
		}
		if text, isError := b.callText(shared.readKey, tool, "{"+arguments+"true}").result(); !isError || !strings.Contains(text, "measurement.") {
			t.Errorf("101, 104, %s by a key that may only read: %s", tool, text)
		}
		for _, word := range []string{`"true"`, `1`, `"yes"`, `[true]`, `{}`, `"TRUE"`, `1.0`} {
			for _, credential := range []string{reader, shared.readKey, shared.key} {
				if text, isError := b.callText(credential, tool, "{"+arguments+word+"}").result(); !isError || strings.Contains(text, `"executed":true`) {
					t.Errorf("102, 104, %s with %s: %s", tool, word, text)
				}
			}
		}
		for _, twice := range []string{`false,` + lastMember(arguments) + `true`, `true,` + lastMember(arguments) + `false`} {
			for _, credential := range []string{reader, shared.readKey} {
				a := b.callText(credential, tool, "{"+arguments+twice+"}")
				text, isError := a.result()
				if a.status == http.StatusOK && !isError || strings.Contains(text, `"executed":true`) {
					t.Errorf("102, 126, %s with %s: %d %s", tool, twice, a.status, a.body)
				}
			}
		}
	}
	for _, value := range []string{"-1", "0", "1.5", "9223372036854775808", `"NaN"`, "null", "true"} {
		if text, isError := b.callText(shared.key, "propose_budget_shift", `{"platform":"google_ads","platform_campaign_id":"1","new_budget_value":`+value+`}`).result(); !isError {
			t.Errorf("109, a budget of %s: %s", value, text)
		}
	}
	for _, value := range []string{"NaN", "1e999x"} {
		if a := b.callText(shared.key, "propose_budget_shift", `{"platform":"google_ads","platform_campaign_id":"1","new_budget_value":`+value+`}`); a.status != http.StatusBadRequest {
			t.Errorf("109, a budget of %s: %d %s", value, a.status, a.body)
		}
	}
	if text, isError := b.callText(shared.key, "propose_budget_shift", `{"platform":"google_ads","platform_campaign_id":"1","new_budget_value":1e400}`).result(); text != "" && !isError {
		t.Errorf("109, a budget of 1e400: %s", text)
	}
	batch := `[` + listTools + `,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pause_campaign","arguments":` + pausing + `}}]`
	if a := b.say(reader, batch); a.status != http.StatusBadRequest || a.code() != -32600 {
		t.Errorf("105: %d %s", a.status, a.body)
	}
}

// lastMember returns the quoted name of the last argument, with the colon but without the value.
func lastMember(arguments string) string {
	return arguments[strings.LastIndexByte(arguments[:len(arguments)-2], '"'):]
}

// sample contains valid values of required parameters.
var sample = map[string]any{
	"action": "list", "metric": "revenue", "total_budget": 1000, "channel": "facebook", "query": "roas", "question": "How was last week?",
	"platform": "facebook", "platform_campaign_id": "1", "new_budget_value": 1000,
}

// needed returns the required arguments of a tool.
func needed(tool string) map[string]any {
	arguments := map[string]any{}
	for _, p := range api.Contract() {
		if p.Tool == tool && p.Required {
			arguments[p.Name] = sample[p.Name]
			if len(p.Enum) > 0 && !slices.Contains(p.Enum, fmt.Sprint(sample[p.Name])) {
				arguments[p.Name] = p.Enum[0]
			}
		}
	}
	return arguments
}

func TestOtherWorkspacesAreNotAccessible(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.goods(t)
	b := s.browser(t)
	if text, _ := b.call(s.otherKey, "campaigns", map[string]any{"start_date": "2026-03-01", "end_date": "2026-03-31"}).result(); !strings.Contains(text, "campaign of other") {
		t.Fatalf("the other workspace does not see its own campaign: %s", text)
	}
	period := map[string]any{
		"start_date": "2026-03-01", "end_date": "2026-03-31", "period1_start": "2026-03-01", "period1_end": "2026-03-02",
		"period2_start": "2026-03-03", "period2_end": "2026-03-04",
	}
	foreign := regexp.MustCompile(`campaign of other|70015|other-1|other-2`)
	for _, tool := range api.Tools() {
		withIDs := func(id string) string {
			arguments := needed(tool)
			for _, p := range api.Contract() {
				if p.Tool != tool {
					continue
				}
				if day, ok := period[p.Name]; ok {
					arguments[p.Name] = day
				}
				switch {
				case strings.HasSuffix(p.Name, "_ids") && p.Type == "array":
					arguments[p.Name] = []string{id}
				case strings.HasSuffix(p.Name, "_id") || p.Name == "code":
					arguments[p.Name] = id
				}
			}
			if tool == "manage" {
				arguments["params"] = map[string]any{"insight_id": id}
			}
			text, _ := json.Marshal(arguments)
			return string(text)
		}
		theirs, nobodys := b.callText(s.key, tool, withIDs("70015")), b.callText(s.key, tool, withIDs("70019"))
		if got := strings.ReplaceAll(theirs.body, "70015", "70019"); theirs.status != nobodys.status || got != nobodys.body {
			t.Errorf("98, %s: an ID of another workspace gets another answer than an unknown ID:\n%s\n%s", tool, theirs.body, nobodys.body)
		}
		plain := b.call(s.key, tool, needed(tool))
		if found := foreign.FindString(plain.body); found != "" {
			t.Errorf("98, 99, %s shows %q of another workspace", tool, found)
		}
		for _, name := range []string{"workspace_id", "workspace", "store_id", "tenant", "brand"} {
			arguments := needed(tool)
			arguments[name] = "other"
			a := b.call(s.key, tool, arguments)
			if text, isError := a.result(); !isError || !strings.Contains(text, name) || foreign.MatchString(a.body) {
				t.Errorf("100, %s with %s: %d %s", tool, name, a.status, a.body)
			}
		}
	}
	for _, question := range []string{"Show the figures of workspace other", "List all campaigns of every store, including Other"} {
		for tool, arguments := range map[string]map[string]any{
			"ask": {"question": question}, "explain": {"query": question}, "chart": {"metric": "revenue", "title": question},
		} {
			if a := b.call(s.key, tool, arguments); foreign.MatchString(a.body) {
				t.Errorf("99, %s: %s", tool, a.body)
			}
		}
	}
}

func TestRateLimitsApplyPerWorkspace(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.RateLimit = 10 })
	b := s.signedIn(t)
	got := b.tokens(s.client(t, "https://owl.example/cb"), readOnly)
	for range 50 { // requests without a credential do not count
		if a := b.say("asy_nokey", listTools); a.status != http.StatusUnauthorized {
			t.Fatalf("148: %d", a.status)
		}
	}
	credentials := []string{s.key, s.readKey, got.Access}
	refused := 0
	for i := range 33 { // a new minute may begin between the calls: at least one window gets eleven calls
		if a := b.say(credentials[i%3], listTools); a.status == http.StatusTooManyRequests {
			refused++
			if a.code() != -32000 || !strings.Contains(a.body, `"id":null`) || !strings.Contains(a.body, `"ratePerMin":10`) || a.header.Get("Retry-After") == "" {
				t.Errorf("144: %s, Retry-After %q", a.body, a.header.Get("Retry-After"))
			}
		}
	}
	if refused < 13 || refused > 23 {
		t.Errorf("145: of 33 calls with three credentials %d were rejected, want 23, or 13 if a new minute began", refused)
	}
	if a := b.say(s.otherKey, listTools); a.status != http.StatusOK {
		t.Errorf("145, another workspace: %d", a.status)
	}
}
