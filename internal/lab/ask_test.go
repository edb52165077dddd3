package lab

import (
	"bytes"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

func askOnAllTools(t *testing.T) Ask {
	t.Helper()
	tr, err := toolkit.NewTranslator(tools.All())
	if err != nil {
		t.Fatal(err)
	}
	return Ask{tr}
}

func TestAskTranslatesEachLine(t *testing.T) {
	t.Parallel()
	const in = `{"id":"a","question":"facebook orders last week","today":"2026-05-10","kind":"overview"}` + "\n\n" +
		`{"id":2,"question":"write me a poem","today":"2026-05-10"}` + "\n"
	const want = `{"id":"a","tools":["performance"],"args":[{"channel":"facebook","end_date":"2026-05-03","start_date":"2026-04-27"}],` +
		`"assumptions":["\"last week\" is 2026-04-27 to 2026-05-03; weeks start on Monday"]}` + "\n" +
		`{"id":2,"tools":[],"args":[],"assumptions":[]}` + "\n"
	var out bytes.Buffer
	if err := askOnAllTools(t).Run("q.jsonl", strings.NewReader(in), &out); err != nil || out.String() != want {
		t.Errorf("got %s, %v; want %s", out.String(), err, want)
	}
}

func TestAskNamesTheMalformedLine(t *testing.T) {
	t.Parallel()
	const good = `{"id":"a","question":"orders","today":"2026-05-10"}` + "\n"
	for _, bad := range []string{`{"id":"b","question":"x"}`, `{"id":"b","today":"2026-05-10"}`, `{"question":"x","today":"2026-05-10"}`, `{`, `[]`, `{"id":1,"question":"x","today":"10.5."}`, `{"id":1,"question":5,"today":"2026-05-10"}`} {
		err := askOnAllTools(t).Run("q.jsonl", strings.NewReader(good+bad), &bytes.Buffer{})
		if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), "q.jsonl:2:") {
			t.Errorf("%s: %v, want a fault that names line 2", bad, err)
		}
	}
}
