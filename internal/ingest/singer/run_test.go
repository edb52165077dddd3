package singer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ingest/singer"
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
