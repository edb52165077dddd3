package singer_test

import (
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/ingest/singer"
)

// FuzzMessages imports arbitrary input. An import ends with a result or an error. No report shows an email address, and
// every emitted state is equal to a received state.
func FuzzMessages(f *testing.F) {
	for _, seed := range [][]string{
		{restSchema, restOrder, state},
		{graphSchema, graphOrder, refundList, refundOf, state},
		{customerSchema, customerRow, state},
		{metaSchema, metaRow, state},
		{googleSchema, googleRow, state},
		{tiktokSchema, tiktokRow, state},
	} {
		f.Add(strings.Join(seed, "\n"), true)
	}
	f.Fuzz(func(t *testing.T, messages string, skip bool) {
		b := &bench{workspace: newWorkspace()}
		o := b.options()
		o.SkipRejected, o.CommitRows = skip, 1
		report, err := singer.Run(t.Context(), nowhere{}, strings.NewReader(messages), o)
		if err != nil && fault.KindOf(err) != fault.KindInvalid {
			t.Fatalf("the run fails and is not refused: %v", err)
		}
		if text := report.Text(); strings.Contains(text, "@") {
			t.Fatalf("the report shows an address:\n%s", text)
		}
		if len(b.states) > report.States || report.Rejected > 0 && !skip && err == nil {
			t.Fatalf("%d states out of %d, %d rejected, %v", len(b.states), report.States, report.Rejected, err)
		}
	})
}
