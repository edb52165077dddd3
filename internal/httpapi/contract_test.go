package httpapi

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pb33f/libopenapi"

	"assay/internal/tools"
)

const publishedDocument = "../../api/openapi.json"

// TestThePublishedDocumentIsTheServices compares api/openapi.json with the document that the service generates.
func TestThePublishedDocumentIsTheServices(t *testing.T) {
	t.Parallel()
	var docs []ToolDoc
	for _, tool := range tools.All() {
		docs = append(docs, ToolDoc{
			Name: tool.Name, Title: tool.Title, Description: tool.Description, Parameters: tool.Schema, Result: tool.Result,
		})
	}
	made := OpenAPI("", "0", docs)
	document, err := libopenapi.NewDocument(made)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := document.BuildV3Model(); err != nil {
		t.Fatal(err)
	}
	want := indented(t, made)
	if *update {
		if err := os.WriteFile(publishedDocument, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(publishedDocument)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("run make golden and read the difference (-published +service):\n%s", cmp.Diff(string(got), string(want)))
	}
}
