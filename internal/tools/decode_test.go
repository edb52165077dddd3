package tools

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/answer"
)

// answersIn calls check with every golden answer in JSON.
func answersIn(t *testing.T, check func(t *testing.T, tool string, content []byte)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("cases: %v, %v", files, err)
	}
	for _, file := range files {
		c, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.Files {
			if f.Name != "answer.json" {
				continue
			}
			var content bytes.Buffer
			if err := json.Compact(&content, f.Data); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			tool := filepath.Base(filepath.Dir(file))
			t.Run(tool+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				check(t, tool, content.Bytes())
			})
		}
	}
}

func TestAnswersDecodeToTheValuesTheyEncode(t *testing.T) {
	t.Parallel()
	answersIn(t, func(t *testing.T, tool string, content []byte) {
		t.Helper()
		a, err := toolNamed(tool).Decode(content)
		if err != nil {
			t.Fatal(err)
		}
		again, err := answer.Encode(a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(content), string(again)); diff != "" {
			t.Errorf("the decoded answer encodes differently (-golden +encoded):\n%s", diff)
		}
	})
}

func TestUnknownMembersOfAnAnswerAreRejected(t *testing.T) {
	t.Parallel()
	for _, content := range []string{`{"summary":"","rows":[],"unknown":1}`, `{"summary":"","rows":[{"unknown":1}]}`, `{"summary":""} {}`} {
		if a, err := Performance.Decode([]byte(content)); err == nil {
			t.Errorf("%s decodes as %+v", content, a)
		}
	}
}
