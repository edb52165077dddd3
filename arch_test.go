package assay

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parts lists every package path of the project and the project packages that it may import. A part may name only parts above
// it, so there are no import cycles. The longest path that matches a package applies; "x/..." means x and all packages below
// it. ARCHITECTURE.md has the same table.
var parts = []struct {
	part string
	may  []string
}{
	{"internal/civil", nil},
	{"internal/fault", nil},
	{"internal/limit", nil},
	{"internal/servertest", nil},
	{"internal/limit/shared", []string{"internal/fault", "internal/limit", "internal/servertest"}},
	{"internal/panics", nil},
	{"internal/number", nil},
	{"internal/money", []string{"internal/number"}},
	{"internal/spelling", nil},
	{"internal/sheet", nil},
	{"internal/knowledge", []string{"internal/spelling", "internal/fault"}},
	{"internal/notice", nil},
	{"internal/notice/generate", []string{"internal/notice"}},
	{"internal/slowbody", []string{"internal/fault"}},
	{"internal/datadir", []string{"internal/fault"}},
	{"internal/bodybudget", nil},
	{"internal/connlimit", nil},
	{"internal/publicnet", nil},
	{"internal/measure", []string{"internal/civil", "internal/money"}},
	{"internal/measure/stats/...", []string{"internal/panics", "internal/measure/stats/..."}},
	{"internal/measure/holiday", []string{"internal/civil", "internal/fault"}},
	{"internal/ask/when", []string{"internal/civil", "internal/measure/holiday"}},
	{"internal/ask", []string{"internal/number", "internal/civil", "internal/money", "internal/ask/when"}},
	{"internal/languagemodel", nil},
	{"internal/ask/generate", []string{"internal/knowledge", "internal/ask"}},
	{"internal/measure/decide", []string{"internal/panics", "internal/fault", "internal/measure", "internal/measure/stats/..."}},
	{"internal/measure/mmm", []string{"internal/panics", "internal/civil", "internal/fault", "internal/measure", "internal/measure/stats/...", "internal/measure/decide"}},
	{"internal/measure/mmm/check", []string{
		"internal/civil", "internal/fault", "internal/measure", "internal/measure/stats/...", "internal/measure/mmm",
	}},
	{"internal/measure/mix", []string{"internal/panics", "internal/civil", "internal/fault", "internal/measure", "internal/measure/stats/...", "internal/measure/decide", "internal/measure/mmm", "internal/measure/holiday"}},
	{"internal/measure/...", []string{"internal/panics", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/stats/...", "internal/measure/holiday"}},
	{"internal/ads", []string{"internal/money", "internal/fault", "internal/measure"}},
	{"internal/ads/simulator", nil},
	{"internal/ads/wire", []string{"internal/measure", "internal/ads"}},
	{"internal/ads/adstest", []string{"internal/panics", "internal/money", "internal/fault", "internal/ads", "internal/ads/simulator"}},
	{"internal/ads/...", []string{"internal/panics", "internal/money", "internal/fault", "internal/measure", "internal/ads", "internal/ads/wire"}},
	{"internal/ads/connect", []string{"internal/fault", "internal/measure", "internal/ads", "internal/ads/..."}},
	{"internal/ads/sandbox", []string{
		"internal/datadir", "internal/money", "internal/measure", "internal/ads", "internal/ads/connect", "internal/ads/simulator",
	}},
	{"internal/lab", []string{"internal/ask", "internal/panics", "internal/sheet", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/..."}},
	{"internal/config", []string{"internal/spelling", "internal/fault", "internal/money"}},
	{"internal/warehouse/facts", []string{"internal/civil", "internal/money", "internal/fault", "internal/measure"}},
	{"internal/warehouse/facts/generate", nil},
	{"internal/warehouse", []string{"internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/warehouse/facts"}},
	{"internal/warehouse/...", []string{"internal/panics", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/warehouse", "internal/warehouse/..."}},
	{"internal/control", []string{"internal/civil", "internal/money", "internal/fault", "internal/measure"}},
	{"internal/control/...", []string{"internal/servertest", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/control", "internal/control/..."}},
	{"internal/control/calllog", []string{"internal/limit", "internal/measure", "internal/control"}},
	{"internal/budgetchange", []string{
		"internal/panics", "internal/number", "internal/money", "internal/fault", "internal/measure", "internal/ads", "internal/control",
	}},
	{"internal/backup", []string{"internal/datadir", "internal/civil", "internal/fault", "internal/panics", "internal/measure", "internal/warehouse", "internal/control/..."}},
	{"internal/accounts", []string{"internal/money", "internal/fault", "internal/measure", "internal/ads", "internal/ads/connect", "internal/control"}},
	{"internal/experiment", []string{"internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...", "internal/warehouse", "internal/control"}},
	{"internal/training", []string{"internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...", "internal/warehouse", "internal/control", "internal/experiment"}},
	{"internal/jobs", []string{"internal/panics", "internal/fault", "internal/measure", "internal/control"}},
	{"internal/auth", []string{"internal/datadir", "internal/civil", "internal/fault", "internal/limit", "internal/measure", "internal/control"}},
	{"internal/chart", []string{"internal/number", "internal/civil", "internal/money"}},
	{"internal/ingest/...", []string{"internal/panics", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/warehouse", "internal/warehouse/facts", "internal/control", "internal/ingest/..."}},
	{"internal/ingest/demo", []string{
		"internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...", "internal/warehouse", "internal/warehouse/facts",
		"internal/control", "internal/ingest/...",
	}},
	{"internal/mcp", []string{"internal/panics", "internal/spelling", "internal/civil", "internal/fault"}},
	{"internal/answer", []string{"internal/number", "internal/sheet", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...", "internal/mcp"}},
	{"internal/snapshot", []string{
		"internal/panics", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...",
		"internal/warehouse", "internal/control", "internal/experiment",
	}},
	{"internal/alert", []string{
		"internal/panics", "internal/publicnet", "internal/civil", "internal/fault", "internal/measure", "internal/warehouse", "internal/control",
		"internal/snapshot",
	}},
	{"internal/plotting", []string{
		"internal/civil", "internal/measure", "internal/control", "internal/chart", "internal/answer", "internal/snapshot",
	}},
	{"internal/toolkit", []string{
		"internal/ask", "internal/number", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...", "internal/warehouse",
		"internal/control", "internal/control/calllog", "internal/budgetchange", "internal/experiment", "internal/auth", "internal/mcp", "internal/answer",
		"internal/snapshot", "internal/knowledge",
	}},
	{"internal/toolkit/toolkittest", []string{
		"internal/civil", "internal/measure", "internal/measure/...", "internal/control", "internal/auth", "internal/snapshot", "internal/warehouse/...",
	}},
	{"internal/pacing", []string{
		"internal/panics", "internal/civil", "internal/measure", "internal/measure/...", "internal/warehouse", "internal/control",
		"internal/answer", "internal/snapshot", "internal/toolkit",
	}},
	{"internal/health", []string{
		"internal/ads", "internal/civil", "internal/measure", "internal/measure/mix", "internal/warehouse", "internal/control", "internal/answer",
		"internal/snapshot", "internal/toolkit",
	}},
	{"internal/decision", []string{
		"internal/pacing", "internal/health", "internal/ads", "internal/ads/...", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...",
		"internal/warehouse", "internal/control", "internal/answer", "internal/snapshot", "internal/toolkit",
	}},
	{"internal/record", []string{
		"internal/decision", "internal/civil", "internal/fault", "internal/measure", "internal/warehouse", "internal/control", "internal/mcp", "internal/answer",
		"internal/toolkit",
	}},
	{"internal/tools", []string{
		"internal/ask", "internal/knowledge", "internal/plotting", "internal/pacing", "internal/health", "internal/decision", "internal/record",
		"internal/panics", "internal/number", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...",
		"internal/warehouse", "internal/ads", "internal/control", "internal/budgetchange", "internal/experiment", "internal/answer", "internal/snapshot",
		"internal/toolkit", "internal/chart", "internal/mcp",
	}},
	{"internal/oauth/...", []string{"internal/publicnet", "internal/fault", "internal/limit", "internal/measure", "internal/control", "internal/auth", "internal/oauth/..."}},
	{"internal/operation", []string{
		"internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...", "internal/warehouse",
		"internal/control", "internal/control/...", "internal/budgetchange", "internal/backup", "internal/training", "internal/jobs", "internal/auth",
		"internal/ingest/...", "internal/oauth/...", "internal/ads", "internal/accounts", "internal/alert", "internal/snapshot",
	}},
	{"internal/weekly", []string{
		"internal/alert", "internal/number", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/control",
		"internal/auth", "internal/answer", "internal/toolkit", "internal/tools",
	}},
	{"internal/console/frame/...", []string{
		"internal/number", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/control", "internal/auth",
		"internal/chart", "internal/ingest/...", "internal/answer", "internal/toolkit", "internal/oauth/...", "internal/jobs", "internal/operation",
		"internal/console/frame/...",
	}},
	{"internal/console/measurement/...", []string{
		"internal/sheet", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...", "internal/control",
		"internal/snapshot", "internal/chart", "internal/answer", "internal/toolkit", "internal/pacing", "internal/tools", "internal/jobs",
		"internal/operation", "internal/console/frame/...", "internal/console/measurement/...",
	}},
	{"internal/console/performance/...", []string{
		"internal/panics", "internal/sheet", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/warehouse", "internal/snapshot",
		"internal/answer", "internal/toolkit", "internal/pacing", "internal/health", "internal/tools", "internal/console/frame/...",
		"internal/control", "internal/operation", "internal/oauth/...",
	}},
	{"internal/console/setup/...", []string{
		"internal/sheet", "internal/ads", "internal/slowbody", "internal/civil", "internal/money", "internal/fault", "internal/measure",
		"internal/measure/...", "internal/control", "internal/control/calllog", "internal/auth", "internal/ingest/...", "internal/answer", "internal/health",
		"internal/tools", "internal/jobs", "internal/operation", "internal/console/frame/...", "internal/console/setup/...",
	}},
	{"internal/console/action/...", []string{
		"internal/sheet", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/control", "internal/ads",
		"internal/budgetchange", "internal/chart", "internal/answer", "internal/measure/...", "internal/decision",
		"internal/alert", "internal/toolkit", "internal/tools", "internal/operation", "internal/console/frame/...",
	}},
	{"internal/console/...", []string{
		"internal/limit", "internal/civil", "internal/money", "internal/fault", "internal/measure", "internal/measure/...", "internal/control",
		"internal/snapshot", "internal/auth", "internal/backup", "internal/ingest/...", "internal/toolkit", "internal/tools",
		"internal/oauth/...", "internal/jobs", "internal/operation", "internal/console/...",
	}},
	{"internal/console/consoletest", []string{
		"internal/panics", "internal/civil", "internal/measure", "internal/warehouse/...", "internal/control/...", "internal/budgetchange",
		"internal/ads/...", "internal/accounts", "internal/jobs", "internal/auth", "internal/snapshot", "internal/toolkit", "internal/toolkit/toolkittest", "internal/tools",
		"internal/oauth/...", "internal/operation", "internal/console/...",
	}},
	{"api", nil},
	{"internal/httpapi", []string{"internal/panics", "internal/fault", "internal/slowbody", "internal/bodybudget", "internal/control", "internal/auth", "internal/mcp", "internal/tools"}},
	{"internal/feed", []string{
		"internal/panics", "internal/fault", "internal/bodybudget", "internal/measure", "internal/civil", "internal/control", "internal/ingest/...",
		"internal/operation", "internal/httpapi",
	}},
	{"internal/socket", []string{
		"internal/datadir", "internal/panics", "internal/fault", "internal/measure", "internal/ingest/...", "internal/operation",
	}},
	{"internal/demostore", []string{
		"internal/ads/sandbox", "internal/money", "internal/datadir", "internal/civil", "internal/fault", "internal/measure", "internal/warehouse", "internal/control", "internal/auth",
		"internal/ingest/...", "internal/operation",
	}},
	{"internal/app", []string{"internal/..."}},
	{"internal/doctor", []string{
		"internal/backup", "internal/datadir", "internal/config", "internal/fault", "internal/measure", "internal/control", "internal/operation", "internal/socket",
		"internal/app",
	}},
	{"cmd/...", []string{"internal/...", "cmd/..."}},
	{"bench/...", []string{"internal/...", "bench/..."}},
	{"test/...", []string{"internal/..."}},
	{"docs/...", []string{"internal/..."}},
}

// testOnly lists the packages that any test may import in addition, such as real engines and the contract.
var testOnly = []string{
	"api", "internal/servertest", "internal/warehouse/...", "internal/control/...", "internal/auth", "internal/ingest/...", "internal/measure/forecast", "internal/snapshot",
	"internal/toolkit/...", "internal/tools", "internal/answer", "internal/jobs", "internal/training", "internal/ads/...", "internal/accounts", "internal/budgetchange",
	"internal/console", "internal/console/consoletest",
}

func TestImportsGoOneWay(t *testing.T) {
	t.Parallel()
	for i, p := range parts {
		for _, name := range p.may {
			at := slices.IndexFunc(parts, func(q struct {
				part string
				may  []string
			},
			) bool {
				return q.part == name
			})
			if at > i && name != p.part || at < 0 && name != "internal/..." {
				t.Errorf("%s may import %s, which is not above it in the table", p.part, name)
			}
		}
	}
	for file, imports := range projectImports(t) {
		dir := path.Dir(file)
		if dir == "." {
			continue
		}
		may, known := allowed(dir)
		if !known {
			t.Errorf("%s: package %s is missing in the table", file, dir)
			continue
		}
		if strings.HasSuffix(file, "_test.go") {
			may = append(slices.Clone(may), testOnly...)
		}
		for _, imported := range imports {
			if imported != dir && !slices.ContainsFunc(may, func(pattern string) bool { return covers(pattern, imported) }) {
				t.Errorf("%s imports %s; the table does not allow it for %s", file, imported, dir)
			}
		}
	}
}

func allowed(dir string) (may []string, known bool) {
	best := -1
	for _, p := range parts {
		if covers(p.part, dir) && len(p.part) > best {
			best, may, known = len(p.part), p.may, true
		}
	}
	return may, known
}

func covers(pattern, dir string) bool {
	if root, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == root || strings.HasPrefix(dir, root+"/")
	}
	return dir == pattern
}

// projectImports returns the packages of the project that each Go file imports. Files and packages are paths from the
// module's root.
func projectImports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for file, parsed := range goFiles(t, parser.ImportsOnly) {
		found[file] = nil
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if own, ok := strings.CutPrefix(name, "assay/"); ok {
				found[file] = append(found[file], own)
			}
		}
	}
	return found
}

func goFiles(t *testing.T, mode parser.Mode) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && file != "." && (name[0] == '.' || name == "testdata" || name == "node_modules" || hasOwnModule(file)) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, mode)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(file)] = parsed
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func hasOwnModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func TestEachPackageHasOnePackageComment(t *testing.T) {
	t.Parallel()
	comments := map[string][]string{}
	for file, parsed := range goFiles(t, parser.ParseComments) {
		dir := path.Dir(file)
		if strings.HasSuffix(file, "_test.go") || dir == "." {
			continue
		}
		if _, ok := comments[dir]; !ok {
			comments[dir] = nil
		}
		if parsed.Doc != nil {
			comments[dir] = append(comments[dir], file)
		}
	}
	for dir, files := range comments {
		if len(files) != 1 {
			t.Errorf("%s has %d package comments, want one: %v", dir, len(files), files)
		}
	}
}

func TestTheModuleReplacesNothing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "\nreplace ") {
		t.Error("go.mod replaces a module: other users cannot build the same program")
	}
}

// TestGoroutinesDoNotEndTheProcess checks that package panics starts every goroutine and returns its panic to the waiting caller.
func TestGoroutinesDoNotEndTheProcess(t *testing.T) {
	t.Parallel()
	own := []string{"internal/panics/", "internal/warehouse/warehousetest/", "internal/control/controltest/", "internal/servertest/"}
	for file, parsed := range goFiles(t, 0) {
		if strings.HasSuffix(file, "_test.go") || !strings.HasPrefix(file, "internal/") ||
			slices.ContainsFunc(own, func(dir string) bool { return strings.HasPrefix(file, dir) }) {
			continue
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				if file != "internal/warehouse/merge/import.go" { // its loop recovers panics
					t.Errorf("%s starts a goroutine; use panics.Group", file)
				}
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.Ident); ok && (of.Name == "sync" && n.Sel.Name == "WaitGroup" || of.Name == "errgroup") {
					t.Errorf("%s waits with %s.%s: a panic in its goroutines ends the process; use panics.Group", file, of.Name, n.Sel.Name)
				}
			}
			return true
		})
	}
}
