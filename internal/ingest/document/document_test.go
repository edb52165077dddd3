package document_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ingest/document"
)

func TestMembersAreFoundWhereverTheyStand(t *testing.T) {
	t.Parallel()
	var o document.Object
	o.Read(document.Value(`{"a": "x\"}", "b\u0041": [1, {"c": "]"}, "\\"], "n": null, "a": 1.5e3 ,"o":{"p":{"q":true}}}`))
	got := map[string]string{
		"a": o.Get("a").Text(), "bA": o.Get("bA").Text(), "n": o.Get("n").Text(), "first": o.First("n", "absent", "a").Text(),
		"path": o.Get("o").Path("p", "q").Text(), "nowhere": o.Get("o").Path("p", "z", "q").Text(),
	}
	want := map[string]string{"a": "1500", "bA": "", "n": "", "first": "1500", "path": "true", "nowhere": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var elements []string
	for e := range o.Get("bA").Elements() {
		elements = append(elements, string(e))
	}
	if diff := cmp.Diff([]string{"1", `{"c": "]"}`, `"\\"`}, elements); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	if names := slices.Collect(o.Names()); len(names) != 5 || !o.Get("n").Missing() || !o.Get("absent").Missing() {
		t.Errorf("names %q", names)
	}
}

func TestBytesThatAreNotTextReadAsReplacementCharacters(t *testing.T) {
	t.Parallel()
	var o document.Object
	o.Read(document.Value("{\"a\xef\": \"x\xff\xfey\"}"))
	if got := o.Get("a\uFFFD").Text(); got != "x\uFFFD\uFFFDy" {
		t.Errorf("got %q", got)
	}
}

// FuzzObject compares with encoding/json on everything that it accepts as an object.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[{"b":"\u00e9"},-1.5E-2,null],"":{}}`, ` {"a" : "x" , "a":2 } `, `[1]`, `{"\"":"\\"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		var o document.Object
		o.Read(text)
		var want map[string]json.RawMessage
		if json.Unmarshal(text, &want) != nil {
			if o.Len() != 0 {
				t.Fatalf("%s has %d members", text, o.Len())
			}
			return
		}
		for name, value := range want {
			got := o.Get(name)
			if name != "" && got == nil && len(want) == o.Len() || got != nil && string(got) != string(value) {
				t.Fatalf("member %q of %s: got %s, want %s", name, text, got, value)
			}
			var s string
			if json.Unmarshal(value, &s) == nil && got != nil && got.Text() != s {
				t.Fatalf("text of %s: got %q, want %q", value, got.Text(), s)
			}
		}
	})
}
