package main

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/internal/notice"
)

// The notices contain the licenses of each linked module, in the linked version. They contain no module that go.mod
// does not require.
func TestNoticesAreThoseOfTheLinkedModules(t *testing.T) {
	t.Parallel()
	modules, err := linked(t.Context(), runtime.GOOS, runtime.GOARCH)
	if err != nil || len(modules) == 0 {
		t.Fatalf("%d modules are linked, %v", len(modules), err)
	}
	noted := notice.Modules()
	for _, m := range modules {
		if !slices.Contains(noted, m.path+" "+m.version) {
			t.Errorf("%s %s has no notice: run go generate ./internal/notice", m.path, m.version)
			continue
		}
		texts, err := licenses(m)
		if err != nil {
			t.Error(err)
		}
		for name, text := range texts {
			if !strings.Contains(notice.Text(), m.path+" "+m.version+": "+name+"\n") || !strings.Contains(notice.Text(), "\n\n"+text) {
				t.Errorf("%s of %s is not in the notices: run go generate ./internal/notice", name, m.path)
			}
		}
	}
	required, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range noted {
		if !strings.Contains(string(required), m) && m != "Go, its library and its runtime" {
			t.Errorf("%s has a notice and is not in go.mod: run go generate ./internal/notice", m)
		}
	}
	if !strings.Contains(notice.Text(), "The Go Authors") || !strings.Contains(notice.Text(), "DuckDB Foundation") {
		t.Error("the notices lack Go's license or DuckDB's")
	}
}
