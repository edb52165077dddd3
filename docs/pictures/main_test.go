package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// maxPicture is the maximum size of a picture in bytes.
const maxPicture = 60_000

func TestPicturesAreUpToDate(t *testing.T) {
	t.Parallel()
	for _, p := range pictures() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			got, err := p.draw()
			if err != nil {
				t.Fatal(err)
			}
			if len(got) > maxPicture {
				t.Errorf("%s has %d bytes, want at most %d", p.name, len(got), maxPicture)
			}
			want, err := os.ReadFile(p.name + ".svg")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s.svg is not what the code draws; run make pictures and look at it (-want +got):\n%s", p.name, diff)
			}
		})
	}
}

func TestEveryPictureIsDrawnByTheCode(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, p := range pictures() {
		known[p.name] = true
	}
	files, err := filepath.Glob("*.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !known[strings.TrimSuffix(file, ".svg")] {
			t.Errorf("docs/pictures/%s is drawn by no function; delete it or add it to pictures()", file)
		}
	}
}
