package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"assay/api"
)

// The tests of this file cover attacks 124 to 143, 153 and 154 of docs/security.md.

// thorough reports whether tests may take longer, as under `make race`.
func thorough() bool { return os.Getenv("ASSAY_TEST_THOROUGH") != "" }

func TestMalformedMessagesRunNothing(t *testing.T) {
	t.Parallel()
	b := shared.browser(t)
	call := func(member string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"discover"}` + member + `}`
	}
	for _, test := range []struct {
		line   int
		what   string
		body   string
		status int
		code   int
	}{
		{125, "100,000 arrays", strings.Repeat("[", 100_000), 400, -32700},
		{125, "100,000 objects", strings.Repeat(`{"a":`, 100_000), 400, -32700},
		{125, "deep arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}`, 400, -32700},
		{125, "a number of a million digits", `{"jsonrpc":"2.0","id":` + strings.Repeat("1", 1_000_000) + `,"method":"nothing"}`, 400, -32600},
		{126, "method twice", call(`,"method":"tools/list"`), 400, -32600},
		{126, "params twice", call(`,"params":{}`), 400, -32600},
		{126, "method twice, one escaped", call(`,"m\u0065thod":"tools/list"`), 400, -32600},
		{126, "name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"discover","name":"manage"}}`, 400, -32602},
		{127, "names in capitals", `{"jsonrpc":"2.0","id":1,"METHOD":"tools/list"}`, 400, -32600},
		{127, "a second method in capitals is not the method", `{"jsonrpc":"2.0","id":1,"method":"nothing","Method":"tools/list"}`, 200, -32601},
		{128, "invalid UTF-8", call(`,"x":"` + "\xff" + `"`), 400, -32700},
		{128, "overlong", call(`,"x":"` + "\xc0\xaf" + `"`), 400, -32700},
		{128, "a mark before", "\ufeff" + listTools, 400, -32700},
		{128, "NUL", call(`,"x":"` + "\x00" + `"`), 400, -32700},
		{129, "two objects", listTools + listTools, 400, -32700},
		{129, "lines", listTools + "\n" + listTools, 400, -32700},
		{129, "JSON5", `{jsonrpc:'2.0',id:1,method:'tools/list'}`, 400, -32700},
		{130, "another version", `{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, 400, -32600},
		{130, "no version", `{"id":1,"method":"tools/list"}`, 400, -32600},
		{130, "version a number", `{"jsonrpc":2.0,"id":1,"method":"tools/list"}`, 400, -32600},
		{130, "method a number", `{"jsonrpc":"2.0","id":1,"method":7}`, 400, -32600},
		{130, "params an array", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, 400, -32602},
		{130, "id an object", `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, 400, -32600},
		{130, "id true", `{"jsonrpc":"2.0","id":true,"method":"tools/list"}`, 400, -32600},
		{131, "id null", `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, 400, -32600},
		{131, "a call without id", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"discover"}}`, 202, 0},
		{132, "unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nobody"}}`, 400, -32602},
		{132, "__proto__", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__"}}`, 400, -32602},
		{132, "a path", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"../performance"}}`, 400, -32602},
		{132, "no name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""}}`, 400, -32602},
		{132, "a name of 10 KiB", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("x", 10<<10) + `"}}`, 400, -32602},
	} {
		a := b.say(shared.key, test.body)
		if a.status != test.status || a.code() != test.code {
			t.Errorf("%d, %s: %d %.200s, want %d %d", test.line, test.what, a.status, a.body, test.status, test.code)
		}
		if len(a.body) > 2000 {
			t.Errorf("%d, %s: answered with %d bytes", test.line, test.what, len(a.body))
		}
	}
	keys := make([]string, 60_000)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"k%d":1`, i)
	}
	if a := b.callText(shared.key, "discover", "{"+strings.Join(keys, ",")+"}"); a.status != http.StatusOK || len(a.body) > 4000 {
		t.Errorf("125, 60,000 arguments: %d, %d bytes", a.status, len(a.body))
	}
	for _, text := range []string{`"\ud800"`, `"\udc00x"`} { // unpaired surrogates never reach a store or an answer
		a := b.callText(shared.key, "performance", `{"channel":`+text+`}`)
		if a.status != http.StatusOK && a.status != http.StatusBadRequest || strings.Contains(strings.ToLower(a.body), "ud800") {
			t.Errorf("128, %s: %d %s", text, a.status, a.body)
		}
	}
}

// leaks are texts that no answer may contain: SQL, paths, Go names, stack traces.
var leaks = regexp.MustCompile(`(?i)\bselect\b.+\bfrom\b|\binsert into\b|\bwhere 1=1\b|catalog error|binder error|parser error|sqlite|duckdb|/tmp/|/root/|/home/|\.go:\d|goroutine |panic|runtime error|\*?(control|mcp|tools|oauth|auth|fault)\.[A-Z]\w+|no such column|syntax error`)

func TestArgumentsAreNeitherRunAsSQLNorEchoed(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.goods(t)
	b := s.browser(t)
	hostile := []string{
		`'`, `"`, `';select pg_sleep(5)--`, `x' OR '1'='1`, `\`, `$1`, `?`, `%`, `_`, "a\u0000b", `{{dialect}}`, `') UNION SELECT name FROM sqlite_master --`,
		`../../etc/passwd`, `read_csv('/etc/passwd')`, "line\nline\x1b[31m", `<script>alert(1)</script>`, strings.Repeat("a", 100_000) + "!", "=cmd|' /C calc'!A0",
		"2026-02-30", "0000-00-00", "9999-12-31", "2026-1-1", "+10000-01-01",
	}
	if !thorough() {
		hostile = append(hostile[:6], hostile[11:]...)
	}
	calls := 0
	for _, p := range api.Contract() {
		if p.Type != "string" {
			continue
		}
		for _, text := range hostile {
			arguments := needed(p.Tool)
			arguments[p.Name] = text
			a := b.call(s.key, p.Tool, arguments)
			calls++
			what := fmt.Sprintf("133, %s.%s = %.30q", p.Tool, p.Name, text)
			if a.status != http.StatusOK {
				t.Errorf("%s: %d %.300s", what, a.status, a.body)
			}
			shown, isError := a.result()
			if found := leaks.FindString(without(shown, text)); found != "" {
				t.Errorf("154, %s shows %q: %.400s", what, found, shown)
			}
			if strings.Contains(shown, "internal") && isError && !strings.Contains(shown, "available") {
				t.Errorf("%s ends in an internal error: %.300s", what, shown)
			}
			if len(a.body) > 100_000 {
				t.Errorf("%s: %d bytes", what, len(a.body))
			}
			if len(p.Enum) > 0 && !isError {
				t.Errorf("%s is accepted, although it is not one of %q", what, p.Enum)
			}
			if (strings.HasSuffix(p.Name, "_date") || strings.HasPrefix(p.Name, "period")) && p.Name != "period_type" && !isError && text != "9999-12-31" {
				t.Errorf("135, %s is accepted", what)
			}
		}
	}
	if calls < 1000 {
		t.Errorf("only %d calls were made", calls)
	}
	if a := s.log.String(); strings.Contains(a, "level=ERROR") {
		t.Errorf("an internal error occurred:\n%.2000s", a[strings.Index(a, "level=ERROR"):])
	}
}

// without removes the caller's input, complete or truncated, from an answer.
func without(shown, sent string) string {
	for n := min(len(sent), len(shown), 400); n >= 4; n-- {
		if strings.Contains(shown, sent[:n]) {
			return strings.ReplaceAll(shown, sent[:n], "")
		}
	}
	return shown
}

func TestNumbersOutsideTheirBoundsAreRejected(t *testing.T) {
	t.Parallel()
	b := shared.browser(t)
	for _, p := range api.Contract() {
		if p.Type != "number" {
			continue
		}
		values := []string{"-1", `"25"`, "1e400", "[]"}
		switch p.Name {
		case "limit":
			values = append(values, "0", "101", "1.5", "1e9")
		case "offset":
			values = append(values, "9223372036854775808", "0.5")
		}
		for _, value := range values {
			arguments := needed(p.Tool)
			arguments[p.Name] = json.RawMessage(value)
			text, err := json.Marshal(arguments)
			if err != nil { // Go cannot represent 1e400, so it is inserted as text
				t.Fatal(err)
			}
			a := b.callText(shared.key, p.Tool, string(text))
			if shown, isError := a.result(); a.status == http.StatusOK && !isError {
				t.Errorf("136, %s.%s = %s is accepted: %.200s", p.Tool, p.Name, value, shown)
			}
		}
	}
	many := make([]string, 20_000)
	for i := range many {
		many[i] = fmt.Sprintf(`"c%d":{"min":1,"max":2}`, i)
	}
	for what, constraints := range map[string]string{
		"many": "{" + strings.Join(many, ",") + "}", "min above max": `{"facebook":{"min":5,"max":1}}`, "below zero": `{"facebook":{"min":-1}}`,
		"a text": `{"facebook":{"min":"1"}}`, "__proto__": `{"__proto__":{"min":1}}`, "a list": `[]`, "nothing": `{"facebook":null}`,
	} {
		a := b.callText(shared.key, "optimize_budget", `{"total_budget":1000,"constraints":`+constraints+`}`)
		if _, isError := a.result(); !isError || len(a.body) > 4000 {
			t.Errorf("137, %s: %d %.300s", what, a.status, a.body)
		}
	}
}
