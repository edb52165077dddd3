package main

import (
	"bytes"
	"os"
	"testing"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	files, err := generate("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate ./internal/ask writes: %v", name, err)
		}
	}
	const most = 1 << 20
	if n := len(files["../weights.bin"]); n == 0 || n > most {
		t.Errorf("the weights have %d bytes, want at most %d", n, most)
	}
}
