package shopify_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/ingest/document"
	"assay/internal/ingest/ingesttest"
	"assay/internal/ingest/shopify"
	"assay/internal/ingest/source"
)

// collection passes documents to a collector and prints the facts that it stores.
type collection struct {
	collector *shopify.Collector
	notes     *source.Notes
	rates     source.Rates
	out       strings.Builder
}

func newCollection() *collection {
	c := &collection{notes: &source.Notes{}, rates: ingesttest.Rates{"2026-09-01 EURUSD": "1.1"}}
	c.collector = shopify.NewCollector(source.Options{Base: "USD", Zone: time.UTC, HashKey: []byte("key"), Notes: c.notes})
	return c
}

// do executes one line of an archive: {"order": {…}}, {"refund": {…}}, {"customer": {…}}, {"expect": true} or {"steps":
// true}. The value of steps is true at the end of the run.
func (c *collection) do(t *testing.T, line string, n int) {
	t.Helper()
	var o, doc document.Object
	if !json.Valid([]byte(line)) {
		t.Fatalf("line %d is not JSON: %s", n, line)
	}
	o.Read(document.Value(line))
	for name := range o.Names() {
		doc.Read(o.Get(name))
		var err error
		switch name {
		case "order":
			err = c.collector.Order("orders", &doc, n)
		case "refund":
			err = c.collector.Refund("order_refunds", &doc, n)
		case "customer":
			err = c.collector.Customer(&doc)
		case "expect":
			c.collector.Expect()
		case "steps":
			c.steps(t, o.Get(name) == "true")
		default:
			t.Fatalf("line %d has the member %q", n, name)
		}
		if err != nil {
			fmt.Fprintf(&c.out, "line %d is rejected: %v\n", n, err)
		}
	}
}

func (c *collection) steps(t *testing.T, end bool) {
	t.Helper()
	fmt.Fprintf(&c.out, "steps, end %t, waits %t\n", end, c.collector.Waits())
	all, bad := c.collector.Steps(c.rates, end)
	for _, step := range all {
		fmt.Fprintf(&c.out, "%s: %s\n", step.Source, step.What)
		store := &ingesttest.Recorder{}
		if err := store.Add(t.Context(), &step.Batch); err != nil {
			t.Fatal(err)
		}
		for _, row := range store.Rows {
			c.out.WriteString("  " + row + "\n")
		}
	}
	for _, b := range bad {
		fmt.Fprintf(&c.out, "rejected of %s: %v\n", b.Stream, b.Err)
	}
}

// TestDocuments passes the documents of each archive to a collector and compares the stored facts, rejections and
// notes.
func TestDocuments(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/documents/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c := newCollection()
			for i, line := range strings.Split(strings.TrimSpace(string(archive.Files[0].Data)), "\n") {
				c.do(t, line, i+1)
			}
			for _, n := range c.notes.List() {
				fmt.Fprintf(&c.out, "note %s, %d: %s\n", n.Code, n.Count, n.Text)
			}
			if *ingesttest.Update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(c.out.String())})
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatalf("%d files, want documents and want", len(archive.Files))
			}
			if diff := cmp.Diff(strings.Split(string(archive.Files[1].Data), "\n"), strings.Split(c.out.String(), "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestADocumentHasALimitedNumberOfParts(t *testing.T) {
	t.Parallel()
	const most = 10_000
	refund := `{"id":%d,"created_at":"2026-01-02T03:00:00Z","transactions":[{"kind":"refund","amount":"0.01"}]}`
	var refunds []string
	for i := range most + 1 {
		refunds = append(refunds, fmt.Sprintf(refund, i))
	}
	for parts, reason := range map[string]string{
		`"line_items":[` + strings.Repeat("{},", most) + "{}]":   "more than 10000 line items",
		`"refunds":[` + strings.Join(refunds, ",") + "]":         "more than 10000 refunds",
		`"line_items":[` + strings.Repeat("{},", most-1) + "{}]": "",
		`"refunds":[` + strings.Join(refunds[:most], ",") + "]":  "",
	} {
		var doc document.Object
		doc.Read(document.Value(`{"id":1,"total_price":"1","currency":"USD","created_at":"2026-01-02T03:00:00Z",` + parts + "}"))
		err := newCollection().collector.Order("orders", &doc, 1)
		if reason == "" && err != nil || reason != "" && (err == nil || !strings.Contains(err.Error(), reason)) {
			t.Errorf("%.20s…: %v, want %q", parts, err, reason)
		}
	}
}
