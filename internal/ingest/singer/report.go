package singer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Report describes a run.
type Report struct {
	Workspace       measure.WorkspaceID `json:"workspace"`
	DryRun          bool                `json:"dry_run,omitempty"`
	Problem         string              `json:"problem,omitempty"` // reason why the run ended early
	Hint            string              `json:"hint,omitempty"`
	Lines           int                 `json:"lines"`
	Records         int                 `json:"records"`
	States          int                 `json:"states"`        // received states
	StatesPassed    int                 `json:"states_passed"` // emitted states: all facts before them are stored
	Rejected        int                 `json:"rejected"`
	RejectedRecords []Rejection         `json:"rejected_records,omitempty"` // the first ones
	Streams         []Stream            `json:"streams"`                    // the first ones
	MoreStreams     int                 `json:"more_streams,omitempty"`     // number of unlisted streams
	Tables          map[string]Counts   `json:"tables,omitempty"`
	Version         uint64              `json:"data_version,omitempty"`
	Warnings        []source.Note       `json:"warnings,omitempty"`
}

// Stream describes one stream.
type Stream struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"` // "unknown": the target does not read the records
	Records int    `json:"records"`
	Used    int    `json:"used"`
}

// Rejection is a rejected record.
type Rejection struct {
	Line   int    `json:"line"`
	Stream string `json:"stream"`
	Field  string `json:"field,omitempty"`
	Value  string `json:"value,omitempty"`
	Reason string `json:"reason"`
	Fix    string `json:"fix,omitempty"`
}

// Counts contains the numbers of changes in one fact table.
type Counts struct {
	Inserted  int64 `json:"inserted"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Removed   int64 `json:"removed"`
}

// Maximum numbers of streams and of rejected records in a report. The totals also include the streams and records that
// are not listed.
const (
	shownRejections = 20
	shownStreams    = 200
)

func (r *Report) reject(rejection Rejection) {
	r.Rejected++
	if len(r.RejectedRecords) < shownRejections {
		r.RejectedRecords = append(r.RejectedRecords, rejection)
	}
}

func (r *Report) add(out warehouse.Outcome) {
	for table, c := range out.Tables {
		if c == (warehouse.Counts{}) {
			continue
		}
		sum := r.Tables[table]
		sum.Inserted += c.Inserted
		sum.Updated += c.Updated
		sum.Unchanged += c.Unchanged
		sum.Removed += c.Removed
		r.Tables[table] = sum
	}
	r.Version = out.Version
}

// Text returns the report for a terminal.
func (r Report) Text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d records, %d rejected; %d of %d states passed on\n", r.Records, r.Rejected, r.StatesPassed, r.States)
	for _, s := range r.Streams {
		fmt.Fprintf(&out, "  stream %s: %s, %d records, %d used\n", s.Name, s.Meaning, s.Records, s.Used)
	}
	if r.MoreStreams > 0 {
		fmt.Fprintf(&out, "  and %d more streams\n", r.MoreStreams)
	}
	for _, table := range slices.Sorted(maps.Keys(r.Tables)) {
		c := r.Tables[table]
		fmt.Fprintf(&out, "  %s: %d inserted, %d updated, %d unchanged, %d removed\n", table, c.Inserted, c.Updated, c.Unchanged, c.Removed)
	}
	for _, e := range r.RejectedRecords {
		fmt.Fprintf(&out, "  line %d, stream %s, field %s: %s\n", e.Line, e.Stream, e.Field, e.Reason)
	}
	if more := r.Rejected - len(r.RejectedRecords); more > 0 {
		fmt.Fprintf(&out, "  and %d more rejected records\n", more)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&out, "  warning: %s (%d times)\n", w.Text, w.Count)
	}
	return out.String()
}
