package ingest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ingest"
	"assay/internal/ingest/ingesttest"
)

// The documentation's list of sources is generated from the readers.
func TestTheDocumentationListsEverySource(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../docs/importing.md", "<!-- sources: begin (generated from the readers; checked by a test) -->\n", "<!-- sources: end -->"
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), begin)
	listed, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no list of sources", path)
	}
	var want strings.Builder
	want.WriteString("| source | file | required columns | optional columns |\n|---|---|---|---|\n")
	for _, d := range ingest.Catalogue() {
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s |\n", d.Name, d.Title, cells(d.Columns[:d.Needs]), cells(d.Columns[d.Needs:]))
	}
	if *ingesttest.Update {
		if err := os.WriteFile(path, []byte(before+begin+want.String()+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want.String(), listed); diff != "" {
		t.Errorf("%s (-readers +document):\n%s", path, diff)
	}
}

func cells(columns []string) string {
	if len(columns) == 0 {
		return "–"
	}
	return "`" + strings.Join(columns, "`, `") + "`"
}

func TestEveryTemplateIsReadAsItsKind(t *testing.T) {
	t.Parallel()
	for _, d := range ingest.Catalogue() {
		content, err := ingest.Template(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(content), "\n") == 1 {
			continue // a header only
		}
		o := bench{workspace: workspace("USD", "America/New_York")}.options(text(d.Name+".csv", string(content)))
		report, err := ingest.Run(t.Context(), &ingesttest.Recorder{}, o)
		if err != nil || report.Files[0].Source != d.Name || report.Files[0].Rejected != 0 || report.Files[0].Rows == 0 {
			t.Errorf("%s: %v\n%s", d.Name, err, report.Text())
		}
	}
	if _, err := ingest.Template("weather"); err == nil {
		t.Error("a template of an unknown source")
	}
}
