package tools

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/control/sqlstore"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/servertest"
	"assay/internal/toolkit"
	"assay/internal/warehouse/storetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A case is a txtar archive in testdata/<tool>. It contains a sentence on its purpose, arguments.json and the answer. A
// case for a workspace other than "full" names the workspace in store.txt. The answer is answer.json for an object
// (indented), answer.txt for text, or error.txt for an error.
func TestAnswersAreGolden(t *testing.T) {
	t.Parallel()
	goldenCases(t, fixtureService(t))
}

// The golden files are also the answers of a node that has imported nothing, with facts in ClickHouse and control data in
// PostgreSQL.
func TestAnswersOnServersAreGolden(t *testing.T) {
	t.Parallel()
	if storetest.Servers() == "" || *update {
		t.Skip("needs ClickHouse: run the test under test/cluster/up")
	}
	database := sqlstore.Options{URL: servertest.StartPostgres(t).NewDatabase(t)}
	deps, budgets, err := newFixture(t.Context(), storetest.OpenAt(t, fixtureClock), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = budgets.store.Close() })
	service, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	goldenCases(t, service)
}

func goldenCases(t *testing.T, service *toolkit.Service) {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("cases: %v, %v", files, err)
	}
	for _, file := range files {
		tool := filepath.Base(filepath.Dir(file))
		t.Run(tool+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			goldenCase(t, service, tool, file)
		})
	}
}

func goldenCase(t *testing.T, service *toolkit.Service, tool, file string) {
	t.Helper()
	c, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(c.Comment)) == 0 {
		t.Error("the case does not state its purpose")
	}
	in := map[string]string{}
	for _, f := range c.Files {
		in[f.Name] = strings.TrimSpace(string(f.Data))
	}
	store := "full"
	if in["store.txt"] != "" {
		store = in["store.txt"]
	}
	name, got := answerOf(t, callAs(t, reading(service, store), tool, in["arguments.json"]))
	kept := c.Files[:0:0]
	for _, f := range c.Files {
		if f.Name == "arguments.json" || f.Name == "store.txt" {
			kept = append(kept, f)
		}
	}
	want := in[name]
	if *update {
		c.Files = append(kept, txtar.File{Name: name, Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(c), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, strings.TrimSpace(got)); diff != "" {
		t.Errorf("%s of %s (-want +got):\n%s", name, in["arguments.json"], diff)
	}
}

// call calls a tool with a read-only key and decodes the result.
func call(t *testing.T, store, tool, args string) mcp.CallResult {
	t.Helper()
	return callAs(t, reading(fixtureService(t), store), tool, args)
}

// reading is a session of a read-only key.
func reading(s *toolkit.Service, store string) mcp.Session {
	return s.Session(reader(newWorkspace(measure.WorkspaceID(store))), "r1")
}

func callAs(t *testing.T, s mcp.Session, tool, args string) mcp.CallResult {
	t.Helper()
	encoded, err := s.CallTool(t.Context(), tool, json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	var result mcp.CallResult
	if err := json.Unmarshal(encoded, &result); err != nil {
		t.Fatalf("%s %s: %v in %s", tool, args, err, encoded)
	}
	return result
}

// answerOf returns the name of a result's golden file and its formatted text.
func answerOf(t *testing.T, r mcp.CallResult) (name, text string) {
	t.Helper()
	text = r.Content[0].Text
	switch {
	case r.IsError:
		return "error.txt", text + "\n"
	case r.StructuredContent == nil:
		return "answer.txt", text + "\n"
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	return "answer.json", dataVersion.ReplaceAllString(b.String(), "${1}1") + "\n"
}

// dataVersion matches the data version, which is random for a new store.
var dataVersion = regexp.MustCompile(`("data_version": )\d+`)
