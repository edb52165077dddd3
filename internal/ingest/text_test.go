package ingest_test

import (
	"strings"
	"testing"

	"assay/internal/ingest"
)

// A listed rejection concerns one row or several rows of one order.
func TestReportsCountTheRejectedRowsThatTheyDoNotList(t *testing.T) {
	t.Parallel()
	for rejected, want := range map[int]string{4: "", 5: "and 1 more rejected row\n", 1004: "and 1000 more rejected rows"} {
		text := ingest.Report{Files: []ingest.FileReport{{
			File: "orders.csv", Status: ingest.Refused, Rejected: rejected,
			RejectedRows: []ingest.Rejection{{Line: 2, Reason: "no day"}, {Line: 5, Rows: 3, Reason: "no key"}},
		}}}.Text()
		if !strings.HasPrefix(text, "orders.csv: rejected, nothing changed\n") || !strings.Contains(text, "no key (3 rows)") || strings.Contains(text, "no day (") {
			t.Errorf("the report of %d rejected rows:\n%s", rejected, text)
		}
		if want == "" && strings.Contains(text, "more rejected") || !strings.Contains(text, want) {
			t.Errorf("the report of %d rejected rows does not say %q:\n%s", rejected, want, text)
		}
	}
}
