package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/answer"
	"assay/internal/mcp"
)

// FuzzArguments sends random arguments to random tools. Every result begins with text, and an error has no structured
// content.
func FuzzArguments(f *testing.F) {
	all := All()
	for i, tool := range all {
		f.Add(byte(i), []byte(`{}`))
		files, err := filepath.Glob("testdata/" + tool.Name + "/*.txtar")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(byte(i), txtar.Parse(text).Files[0].Data)
		}
	}
	f.Add(byte(3), []byte(`{"start_date":"1900-01-01","end_date":"2199-12-31","granularity":"month","limit":100}`))
	service := fixtureService(f) // created before fuzzing: the fuzzer reports an input that takes ten seconds
	f.Fuzz(func(t *testing.T, which byte, args []byte) {
		tool := all[int(which)%len(all)]
		s := service.Session(reader(newWorkspace("full")), "r1")
		encoded, err := s.CallTool(t.Context(), tool.Name, args)
		if err != nil {
			t.Fatalf("%s %q: %v", tool.Name, args, err)
		}
		var r mcp.CallResult
		if err := json.Unmarshal(encoded, &r); err != nil {
			t.Fatalf("%s %q: %v", tool.Name, args, err)
		}
		for _, more := range r.Content[1:] {
			if more.Type != "image" || tool.Name != Chart.Name {
				t.Errorf("%s %q: a piece of content of type %q", tool.Name, args, more.Type)
			}
		}
		if r.Content[0].Text == "" || !utf8.ValidString(r.Content[0].Text) || r.IsError && r.StructuredContent != nil {
			t.Errorf("%s %q: %+v", tool.Name, args, r)
		}
		if got := len(r.Content[0].Text); got > answer.Ceiling*answer.BytesPerToken+5_000 {
			t.Errorf("%s %q: %d bytes of text", tool.Name, args, got)
		}
	})
}
