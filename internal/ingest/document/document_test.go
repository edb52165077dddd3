package document_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ingest/document"
)

func TestMembersAreFoundInAnyForm(t *testing.T) {
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

// FuzzObject compares the package with encoding/json on every text that encoding/json accepts as an object.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[{"b":"\u00e9"},-1.5E-2,null],"":{}}`, ` {"a" : "x" , "a":2 } `, `[1]`, `{"\"":"\\"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		var o document.Object
		o.Read(document.Value(text))
		var want map[string]json.RawMessage
		if json.Unmarshal(text, &want) != nil {
			if o.Len() != 0 {
				t.Fatalf("%s has %d members", text, o.Len())
			}
			return
		}
		for name, value := range want {
			got := o.Get(name)
			if name != "" && got == "" && len(want) == o.Len() || got != "" && string(got) != string(value) {
				t.Fatalf("member %q of %s: got %s, want %s", name, text, got, value)
			}
			var s string
			if json.Unmarshal(value, &s) == nil && got != "" && got.Text() != s {
				t.Fatalf("text of %s: got %q, want %q", value, got.Text(), s)
			}
		}
	})
}

// FuzzCheck compares Check with encoding/json.Valid, and the members from Check with the members from Read.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{"type":"RECORD","record":{"a":[{"b":"\u00e9"},-1.5E-2,null],"":{}}}`, ` {"record" : {"x":1} , "rec\u006frd":{"y":"\\"} } `, `{"record":{"a":1},"record":[{"a":1}]}`,
		`[1,]`, `{"a":01}`, `{"a":"\x"}`, "{\"a\":\"\t\"}", `{"a":1,}`, `-`, `1e`, `1.`, `truth`, `"\u12g4"`, `{"a" 1}`, "\"\xff\"", `[[[]]`, "\u00a0{}", `"\ud800"`, ` 12 `, `{"a":tru}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		checkAsReference(t, string(text))
	})
}

func checkAsReference(t *testing.T, text string) {
	t.Helper()
	var outer, inner, read document.Object
	outer.Read(`{"left":"over"}`)
	inner.Read(`{"left":"over"}`)
	valid := outer.Check(text, "record", &inner)
	if want := json.Valid([]byte(text)); valid != want {
		t.Fatalf("%q is JSON: got %t, want %t", text, valid, want)
	}
	if !valid {
		return
	}
	read.Read(document.Value(text))
	if got, want := members(&outer), members(&read); got != want {
		t.Fatalf("members of %q: got %s, want %s", text, got, want)
	}
	read.Read(read.Get("record"))
	if got, want := members(&inner), members(&read); got != want {
		t.Fatalf("members of the record of %q: got %s, want %s", text, got, want)
	}
}

// members lists an object's members in their order.
func members(o *document.Object) string {
	all := ""
	for name := range o.Names() {
		all += strconv.Quote(name) + ": " + string(o.Get(name)) + "\n"
	}
	return all
}

// TestCheckAgreesOnBrokenText compares Check with encoding/json on a message that is truncated or has one byte removed,
// inserted or replaced.
func TestCheckAgreesOnBrokenText(t *testing.T) {
	t.Parallel()
	const message = `{"type":"RECORD", "record":{"id":-10.5e+3,"t":true,"f":false,"n":null,"s":"a\"\u00E9\\é","l":[0,{"x":[]},""]},"z":{}}`
	checkAsReference(t, message)
	for at := range len(message) {
		checkAsReference(t, message[:at])
		checkAsReference(t, message[:at]+message[at+1:])
		for _, b := range "\x00\x1f \"\\{}[]:,-+.eE019autnf/\x7f\u00e9" {
			checkAsReference(t, message[:at]+string(b)+message[at:])
			checkAsReference(t, message[:at]+string(b)+message[at+1:])
		}
	}
	for _, deep := range []int{9_999, 10_000, 10_001} {
		checkAsReference(t, strings.Repeat("[", deep)+strings.Repeat("]", deep))
		checkAsReference(t, strings.Repeat(`{"record":`, deep)+"1"+strings.Repeat("}", deep))
	}
}

func BenchmarkCheck(b *testing.B) {
	text := `{"type":"RECORD","stream":"adsinsights","record":{"date_start":"2026-11-18","account_id":"1234567890","campaign_name":"Prospecting","spend":"62.10","actions":[{"action_type":"omni_purchase","value":"3"}],"impressions":5400}}`
	var outer, inner document.Object
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if !outer.Check(text, "record", &inner) {
			b.Fatal("is JSON")
		}
	}
}
