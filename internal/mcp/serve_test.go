package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// TestWire runs the scripts of testdata. Each section is a message. The section of the same name followed by "answer"
// contains the HTTP status and the body of the answer. A first line "Mcp-Protocol-Version: V" in a message is the HTTP
// header of the request.
func TestWire(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) {
			t.Parallel()
			play(t, script)
		})
	}
}

func play(t *testing.T, script string) {
	t.Helper()
	archive, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(archive.Comment)) == 0 {
		t.Error("the script does not state its purpose")
	}
	answers := map[string]string{}
	played := &txtar.Archive{Comment: archive.Comment}
	for _, section := range archive.Files {
		if strings.HasSuffix(section.Name, " answer") {
			answers[section.Name] = string(section.Data)
			continue
		}
		answer := txtar.File{Name: section.Name + " answer", Data: []byte(answerTo(t, section.Data))}
		played.Files = append(played.Files, section, answer)
	}
	if *update {
		if err := os.WriteFile(script, txtar.Format(played), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, section := range played.Files {
		if want, isAnswer := answers[section.Name], strings.HasSuffix(section.Name, " answer"); isAnswer {
			if diff := cmp.Diff(want, string(section.Data)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", section.Name, diff)
			}
		}
	}
}

func answerTo(t *testing.T, message []byte) string {
	t.Helper()
	in := Incoming{Body: bytes.TrimSuffix(message, []byte("\n"))}
	if rest, ok := bytes.CutPrefix(in.Body, []byte("Mcp-Protocol-Version: ")); ok {
		version, body, _ := bytes.Cut(rest, []byte("\n"))
		in = Incoming{Body: body, ProtocolVersion: string(version), HasVersion: true}
	}
	reply := stage{}.server().Handle(t.Context(), stage{}, in)
	answer := fmt.Sprintf("%d\n", reply.Status)
	if reply.Body != nil {
		answer += string(sent(reply)) + "\n"
	}
	return answer
}

// sent is the body of a reply as the client receives it.
func sent(r Reply) []byte { return bytes.Join(r.Body, nil) }

func TestInvalidUTF8IsNotJSON(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{
		"invalid UTF-8 in an id":        "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\xfe\",\"method\":\"tools/list\"}",
		"invalid UTF-8 in an argument":  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"a\":\"\xc3\x28\"}}}",
		"UTF-16":                        "\xff\xfe{\x00}\x00",
		"a byte order mark":             "\ufeff{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
		"300,000 open brackets":         strings.Repeat("[", 300000),
		"200,000 nested arrays":         `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":` + strings.Repeat("[", 200000) + strings.Repeat("]", 200000) + `}}`,
		"a control character in a name": "{\"a\x01\":1}",
	}
	for name, body := range bodies {
		reply := stage{}.server().Handle(t.Context(), stage{}, Incoming{Body: []byte(body)})
		if reply.Status != 400 || !bytes.Contains(sent(reply), []byte(`"id":null,"error":{"code":-32700`)) {
			t.Errorf("%s: HTTP %d %s", name, reply.Status, sent(reply))
		}
	}
}

func TestAnIDIsSentBackUpToEightKiB(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]int{maxID: 200, maxID + 1: 400} {
		id := `"` + strings.Repeat("x", length-2) + `"`
		reply := stage{}.server().Handle(t.Context(), stage{}, Incoming{Body: []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"}`)})
		if reply.Status != want || bytes.Contains(sent(reply), []byte(id)) != (want == 200) {
			t.Errorf("an id of %d bytes: HTTP %d, %d bytes", length, reply.Status, len(sent(reply)))
		}
	}
}

func TestTheLogHasDetailsThatTheCallerDoesNotSee(t *testing.T) {
	t.Parallel()
	tests := []struct{ tool, outcome, logged string }{
		{"echo", OutcomeOK, ""},
		{"refusing", OutcomeToolError, ""},
		{"nobody", "invalid_params", ""},
		{"approving", "insufficient_scope", ""},
		{"failing", "internal", "a secret detail"},
		{"panicking", "internal", "a secret detail"},
		{"unconfigured", "misconfigured", "a secret detail"},
	}
	for _, test := range tests {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, test.tool)
		reply := stage{}.server().Handle(t.Context(), stage{}, Incoming{Body: []byte(body)})
		if reply.Outcome != test.outcome || reply.Tool != test.tool || reply.Method != "tools/call" {
			t.Errorf("%s: outcome %q of %s %s, want %q", test.tool, reply.Outcome, reply.Method, reply.Tool, test.outcome)
		}
		switch {
		case test.logged == "" && reply.Err != nil:
			t.Errorf("%s: the log gets %v", test.tool, reply.Err)
		case test.logged != "" && (reply.Err == nil || !strings.Contains(reply.Err.Error(), test.logged)):
			t.Errorf("%s: the log gets %v, want %q in it", test.tool, reply.Err, test.logged)
		}
		if bytes.Contains(sent(reply), []byte("secret")) {
			t.Errorf("%s: the caller sees %s", test.tool, sent(reply))
		}
	}
}

func TestAnEmptyTextIsStillWritten(t *testing.T) {
	t.Parallel()
	got := string(encode(CallResult{Content: []Content{{Type: "text"}, {Type: "image", Data: "AA==", MIMEType: "image/png"}}}))
	want := `{"content":[{"type":"text","text":""},{"type":"image","data":"AA==","mimeType":"image/png"}]}`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkHandleToolCall(b *testing.B) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kept","arguments":{"start_date":"2026-10-01","end_date":"2026-10-31","limit":25}}}`)
	b.ReportAllocs()
	for b.Loop() {
		keeper{}.server().Handle(b.Context(), keeper{}, Incoming{Body: body})
	}
}

// keeper is a session with a cached answer.
type keeper struct{ stage }

var kept = []byte(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 1000) + `"}]}`)

func (keeper) CallTool(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return kept, nil
}
