package chart

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the pictures in testdata")

func TestPicturesStayAsTheyWereLookedAt(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			got, err := Draw(s.chart)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Draw(s.chart)
			if err != nil || !bytes.Equal(got, again) {
				t.Fatalf("drawn twice, the bytes differ (%v)", err)
			}
			file := filepath.Join("testdata", s.name+".svg")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s differs, look at it and run with -update (-want +got):\n%s", file, diff)
			}
		})
	}
}
