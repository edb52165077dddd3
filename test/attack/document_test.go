package attack

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// TestTheDocumentNamesTestsThatExist compares docs/security.md with the tests. Each numbered attack exists once and in
// order, and has a test or a reason. Every named test exists in its folder.
func TestTheDocumentNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "/docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	exists := testsByFolder(t)
	line := regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]+) \| ([^|]*)\| ([^|]+) \|$`)
	named := regexp.MustCompile("`([a-z]+\\.(?:Test|Fuzz)[A-Za-z0-9]+)`")
	lines := line.FindAllStringSubmatch(string(text), -1)
	for i, cells := range lines {
		if cells[1] != strconv.Itoa(i+1) {
			t.Fatalf("line %s follows where %d is expected", cells[1], i+1)
		}
		tests := named.FindAllStringSubmatch(cells[4], -1)
		if len(tests) == 0 && !strings.HasSuffix(strings.TrimSpace(cells[4]), ".") {
			t.Errorf("line %s has neither a test nor a reason: %s", cells[1], cells[4])
		}
		for _, name := range tests {
			if !exists[name[1]] {
				t.Errorf("line %s names %s, which does not exist", cells[1], name[1])
			}
		}
	}
	if len(lines) != 209 {
		t.Errorf("%d lines, want 209", len(lines))
	}
}

// testsByFolder returns every test and fuzz target as folder.Name.
func testsByFolder(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || entry.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range parsed.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil {
				found[filepath.Base(filepath.Dir(path))+"."+f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
