package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/toolkit"
)

// docsFolder has one page for each tool, written from its definition and its first golden case.
const docsFolder = "../../docs/tools"

// shownLines is the number of lines of an answer on a page.
const shownLines = 60

func TestPagesOfToolsAreCurrent(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"README.md": indexOfTools()}
	for _, tool := range All() {
		pages[tool.Name+".md"] = pageOfTool(t, tool)
	}
	for name, want := range pages {
		path := filepath.Join(docsFolder, name)
		if *update {
			if err := os.MkdirAll(docsFolder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s is not current (%v): run go test ./internal/tools -run TestPagesOfTools -update", path, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(docsFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if pages[filepath.Base(file)] == "" {
			t.Errorf("%s is not the page of a tool", file)
		}
	}
}

// indexOfTools lists the tools in the contract's order.
func indexOfTools() string {
	var b strings.Builder
	b.WriteString("# Tools\n\nEach page lists the parameters of a tool. It also shows an example call with its answer for a simulated store. Amounts are in\nthe currency of the workspace, and days are in its time zone.\n\n| tool | use |\n|---|---|\n")
	for _, tool := range All() {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", tool.Name, tool.Name, tool.Description)
	}
	return b.String()
}

func pageOfTool(t *testing.T, tool toolkit.Tool) string {
	t.Helper()
	files := exampleOf(t, tool.Name)
	arguments := files["arguments.json"]
	if arguments == "" {
		arguments = "{}"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n\n## Parameters\n\n%s\n## Example\n\n", tool.Title, tool.Description, behavior(tool), parameterRows(t, tool))
	fmt.Fprintf(&b, "```sh\ncurl \"$ASSAY_URL/api/mcp/rpc\" -H \"Authorization: Bearer $ASSAY_KEY\" -H 'Content-Type: application/json' \\\n"+
		"  -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":%q,\"arguments\":%s}}'\n```\n\n", tool.Name, arguments)
	lines := strings.Split(files["answer.json"], "\n")
	title := "The answer:"
	if len(lines) > shownLines {
		title, lines = fmt.Sprintf("The first %d of %d lines of the answer:", shownLines, len(lines)), append(lines[:shownLines:shownLines], "…")
	}
	fmt.Fprintf(&b, "%s\n\n```\n%s\n```\n\n[All tools](README.md)\n", title, strings.Join(lines, "\n"))
	return b.String()
}

// exampleOf returns the files of the golden case with the defaults, or of the first case with an answer if there is no
// such case.
func exampleOf(t *testing.T, tool string) map[string]string {
	t.Helper()
	cases, err := filepath.Glob(filepath.Join("testdata", tool, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append([]string{filepath.Join("testdata", tool, "defaults.txtar")}, cases...) {
		c, err := txtar.ParseFile(path)
		if err != nil {
			continue // there is no such case
		}
		files := map[string]string{}
		for _, f := range c.Files {
			files[f.Name] = strings.TrimSpace(string(f.Data))
		}
		if files["answer.json"] != "" {
			return files
		}
	}
	t.Fatalf("%s: no golden case has an answer", tool)
	return nil
}

// behavior states what the tool changes and needs.
func behavior(tool toolkit.Tool) string {
	text := "The tool only reads data. It requires the scope `measurement.read`."
	switch {
	case tool.Writes && tool.OpenWorld:
		text = fmt.Sprintf("The tool changes a campaign on an ad platform, after a preview and with confirmation. The change requires the scope `%s`.", tool.Acts.Scope)
	case tool.Writes:
		text = fmt.Sprintf("The tool changes records of the workspace, after a preview and with confirmation. The change requires the scope `%s`.", tool.Acts.Scope)
	}
	return text
}

// parameterRows returns the table of parameters, the required ones first.
func parameterRows(t *testing.T, tool toolkit.Tool) string {
	t.Helper()
	var schema struct {
		Properties map[string]struct {
			Type        any    `json:"type"`
			Description string `json:"description"`
			Default     any    `json:"default"`
			Enum        []any  `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.NewDecoder(bytes.NewReader(tool.Schema)).Decode(&schema); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	var names []string
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := slices.Contains(schema.Required, a), slices.Contains(schema.Required, b)
		if x != y {
			if x {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	b.WriteString("| parameter | type | meaning |\n|---|---|---|\n")
	for _, name := range names {
		p := schema.Properties[name]
		meaning := p.Description
		if slices.Contains(schema.Required, name) {
			meaning = "Required. " + meaning
		}
		if len(p.Enum) > 0 {
			values := make([]string, len(p.Enum))
			for i, v := range p.Enum {
				values[i] = fmt.Sprintf("`%v`", v)
			}
			meaning += " One of " + strings.Join(values, ", ") + "."
		}
		if p.Default != nil {
			meaning += fmt.Sprintf(" Default: `%v`.", p.Default)
		}
		kind := fmt.Sprint(p.Type)
		if p.Type == nil {
			kind = "any"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, kind, strings.TrimSpace(strings.ReplaceAll(meaning, "|", "\\|")))
	}
	return b.String()
}
