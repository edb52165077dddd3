package singer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ingest/singer"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

// The end of a run is stored if the run has read all orders of earlier days.
func TestTheEndOfARunIsStored(t *testing.T) {
	t.Parallel()
	all := newBench(t)
	for name, c := range map[string]struct {
		lines []string
		want  bool
	}{
		"orders":              {[]string{restSchema, restOrder, state}, true},
		"nothing new":         {[]string{restSchema, state}, true},
		"no state at the end": {[]string{restSchema, state, restOrder}, false},
		"no orders":           {[]string{metaSchema, metaRow, state}, false},
	} {
		b := all.of(name)
		b.run(t, c.lines...)
		coverage, err := b.Coverage(t.Context(), b.workspace.ID)
		if err != nil || coverage.LastTapRun.IsZero() == c.want {
			t.Errorf("%s: run ended at %v, %v; want an end: %v", name, coverage.LastTapRun, err, c.want)
		}
	}
}

func TestReportsCountTheRejectedRecordsThatTheyDoNotList(t *testing.T) {
	t.Parallel()
	rejections := []singer.Rejection{
		{Line: 3, Stream: "orders", Field: "total_price", Reason: "is not an amount"}, {Line: 9, Stream: "refunds", Field: "id", Reason: "is missing"},
	}
	report := singer.Report{
		Records: 12, Rejected: 2, RejectedRecords: rejections, States: 4, StatesPassed: 3, MoreStreams: 5,
		Streams: []singer.Stream{{Name: "orders", Meaning: "orders", Records: 8, Used: 7}},
		Tables: map[string]singer.Counts{
			"refunds": {Removed: 2}, "orders": {Inserted: 4, Updated: 2, Unchanged: 1},
		},
		Warnings: []source.Note{{Text: "an order has no customer", Count: 6}},
	}
	const begin = `12 records, %d rejected; 3 of 4 states passed on
  stream orders: orders, 8 records, 7 used
  and 5 more streams
  orders: 4 inserted, 2 updated, 1 unchanged, 0 removed
  refunds: 0 inserted, 0 updated, 0 unchanged, 2 removed
  line 3, stream orders, field total_price: is not an amount
  line 9, stream refunds, field id: is missing
`
	for rejected, more := range map[int]string{2: "", 3: "  and 1 more rejected records\n", 1002: "  and 1000 more rejected records\n"} {
		report.Rejected = rejected
		want := fmt.Sprintf(begin, rejected) + more + "  warning: an order has no customer (6 times)\n"
		if diff := cmp.Diff(want, report.Text()); diff != "" {
			t.Errorf("%d rejected records (-want +got):\n%s", rejected, diff)
		}
	}
	if got := (singer.Report{}).Text(); got != "0 records, 0 rejected; 0 of 0 states passed on\n" {
		t.Errorf("the report of an empty run is %q", got)
	}
}

// The run begins on November 20 in New York and ends on November 21.
func TestARunAcrossMidnightHasNoStoredEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.options()
	now := time.Date(2026, 11, 21, 4, 59, 59, 0, time.UTC)
	o.Clock = func() time.Time {
		now = now.Add(time.Second / 2)
		return now
	}
	if _, err := singer.Run(t.Context(), b, strings.NewReader(strings.Join([]string{restSchema, restOrder, state}, "\n")), o); err != nil {
		t.Fatal(err)
	}
	coverage, err := b.Coverage(t.Context(), b.workspace.ID)
	if err != nil || !coverage.LastTapRun.IsZero() {
		t.Errorf("run ended at %v, %v; want none", coverage.LastTapRun, err)
	}
}

// Only the last step of orders is the end of the run, both in one commit of all steps and in a commit for each record.
func TestTheLastStepOfOrdersEndsTheRun(t *testing.T) {
	t.Parallel()
	all := newBench(t)
	for name, c := range map[string]struct {
		rows int
		want []string // newest first
	}{
		"one commit":  {0, []string{"singer: customers", warehouse.TapRunFile, "singer: orders"}},
		"two commits": {1, []string{warehouse.TapRunFile, "singer: customers", "singer: refunds", "singer: orders"}},
	} {
		b := all.of(name)
		o := b.options()
		o.CommitRows = c.rows
		plain := strings.Replace(graphOrder, `"amount":"20.00"`, `"amount":"0.00"`, 1)
		lines := []string{graphSchema, refundList, customerSchema, plain, refundOf, customerRow, state}
		if _, err := singer.Run(t.Context(), b, strings.NewReader(strings.Join(lines, "\n")), o); err != nil {
			t.Fatal(err)
		}
		imports, err := b.Imports(t.Context(), b.workspace.ID, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range imports {
			got = append(got, i.File)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
