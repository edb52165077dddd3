package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	files, err := generate("..")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s differs from the tags (-tags +file); run go generate ./internal/warehouse/facts:\n%s", path, diff)
		}
	}
}
