package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeModule creates a module in a new folder and makes it the working directory.
func writeModule(t *testing.T, files map[string]string) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
}

func testOf(condition string) string {
	return "package p\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) {\n\tif " + condition + " {\n\t\tt.Fail()\n\t}\n}\n"
}

func lastLine(t *testing.T, o options) string {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), o, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	text := strings.TrimSpace(out.String())
	return text[strings.LastIndex(text, "\n")+1:]
}

func TestOnlySurvivingMutantsAreTriedAgain(t *testing.T) {
	writeModule(t, map[string]string{
		"go.mod":               "module m\n\ngo 1.26\n",
		"equivalent.txt":       "",
		"internal/p/p.go":      "package p\n\nfunc Sum(a, b int) int { return a + b }\n\nfunc Area(a, b int) int { return a * b }\n",
		"internal/p/p_test.go": testOf("Sum(2, 3) != 5"),
	})
	o := options{seed: 1, count: 10, timeout: 60e9, equivalents: "equivalent.txt", state: "state", patterns: []string{"./..."}}
	if got, want := lastLine(t, o), "50.0% of 2 mutants are killed"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	if err := os.WriteFile("internal/p/p_test.go", []byte(testOf("Area(2, 3) != 6")), 0o644); err != nil {
		t.Fatal(err)
	}
	o.again = true
	if got, want := lastLine(t, o), "100.0% of 2 mutants are killed"; got != want {
		t.Errorf("with the result of Sum from the earlier tests: got %q, want %q", got, want)
	}
	o.again, o.state = false, ""
	if got, want := lastLine(t, o), "50.0% of 2 mutants are killed"; got != want {
		t.Errorf("without earlier results: got %q, want %q", got, want)
	}
}

// The tests never run the body of the case, so coverage does not contain the line of the case's condition.
func TestConditionsOfCasesAreTried(t *testing.T) {
	writeModule(t, map[string]string{
		"go.mod":               "module m\n\ngo 1.26\n",
		"equivalent.txt":       "",
		"internal/p/p.go":      "package p\n\nfunc Above(a, b int) bool {\n\tswitch {\n\tcase a > b:\n\t\treturn true\n\t}\n\treturn false\n}\n",
		"internal/p/p_test.go": testOf("Above(2, 2) || Above(2, 3)"),
	})
	o := options{seed: 1, count: 10, timeout: 60e9, equivalents: "equivalent.txt", patterns: []string{"./..."}}
	// The tests kill both mutants of the operator and the mutant of `return false`. No test runs `return true`.
	if got, want := lastLine(t, o), "75.0% of 4 mutants are killed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
