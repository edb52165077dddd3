package ingest

import (
	"fmt"
	"time"

	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Report describes an import, file by file.
type Report struct {
	Workspace measure.WorkspaceID `json:"workspace"`
	DryRun    bool                `json:"dry_run,omitempty"`
	Files     []FileReport        `json:"files"`
}

// Status is the outcome of a file.
type Status string

// The statuses.
const (
	Imported Status = "imported"
	Checked  Status = "checked" // dry run: an import would accept the file
	Already  Status = "already_imported"
	Empty    Status = "empty" // the file has a header and no rows
	Refused  Status = "refused"
	// Unknown is the status after an interrupted commit: see [warehouse.ErrUnknownOutcome].
	Unknown Status = "unknown"
)

// FileReport describes the import of a file.
type FileReport struct {
	File         string               `json:"file"`
	Status       Status               `json:"status"`
	Problem      string               `json:"problem,omitempty"` // reason why the file is rejected
	Hint         string               `json:"hint,omitempty"`
	Source       string               `json:"source,omitempty"`
	Title        string               `json:"title,omitempty"`
	Encoding     string               `json:"encoding,omitempty"`
	Compressed   bool                 `json:"compressed,omitempty"`
	Delimiter    string               `json:"delimiter,omitempty"`
	HeaderLine   int                  `json:"header_line,omitempty"`
	Hash         string               `json:"sha256,omitempty"`
	ImportedAt   *time.Time           `json:"imported_at,omitempty"` // time of an earlier import of the same file
	Rows         int                  `json:"rows"`                  // data rows
	PassedOver   int                  `json:"passed_over,omitempty"` // number of totals and repeated headers
	Rejected     int                  `json:"rejected"`
	RejectedRows []Rejection          `json:"rejected_rows,omitempty"` // the first ones
	Tables       map[string]RowCounts `json:"tables,omitempty"`
	Totals       *Totals              `json:"totals,omitempty"`
	ChangedDays  int                  `json:"changed_days,omitempty"`
	Version      uint64               `json:"data_version,omitempty"`
	Warnings     []source.Note        `json:"warnings,omitempty"`

	// Seen and Read are set only in a dry run. The import page shows them.
	Seen Seen      `json:"-"`
	Read []Reading `json:"-"`
}

// Partly reports whether only some rows of the file are usable. It returns false for a nil report.
func (r *FileReport) Partly() bool { return r != nil && r.Rejected > 0 && r.Rejected < r.Rows }

// Rejection is an unusable row, or all rows of an unusable order.
type Rejection struct {
	Line   int    `json:"line"`
	Rows   int    `json:"rows,omitempty"` // set if more than one
	Column string `json:"column,omitempty"`
	Value  string `json:"value,omitempty"`
	Reason string `json:"reason"`
	Fix    string `json:"fix,omitempty"`
}

// located returns the line, the invalid column (if any) and the reason.
func (r Rejection) located() string {
	if r.Column == "" {
		return fmt.Sprintf("line %d: %s", r.Line, r.Reason)
	}
	return fmt.Sprintf("line %d, column %q: %s", r.Line, r.Column, r.Reason)
}

// RowCounts contains the numbers of changes in one fact table.
type RowCounts struct {
	Inserted  int64 `json:"inserted"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Removed   int64 `json:"removed"`
}

// Totals contains figures to compare with the platform's page. Amounts are exact, by currency.
type Totals struct {
	Orders    int64             `json:"orders,omitempty"` // orders that figures include
	Cancelled int64             `json:"cancelled_orders,omitempty"`
	Tests     int64             `json:"test_orders,omitempty"`
	Refunds   int64             `json:"refunds,omitempty"`
	Repeated  int64             `json:"repeated,omitempty"` // number of rows or orders that occur twice in the file
	Charged   map[string]string `json:"charged,omitempty"`
	Refunded  map[string]string `json:"refunded,omitempty"`
	Spend     map[string]string `json:"spend,omitempty"`
	First     civil.Date        `json:"first_day,omitzero"`
	Last      civil.Date        `json:"last_day,omitzero"`
}

func totalsOf(t source.Totals) *Totals {
	return &Totals{
		Orders: t.Orders, Cancelled: t.Cancelled, Tests: t.Tests, Refunds: t.Refunds, Repeated: t.Repeated,
		Charged: decimals(t.Charged), Refunded: decimals(t.Refunded), Spend: decimals(t.Spend),
		First: t.Days.First, Last: t.Days.Last,
	}
}

func decimals(sums map[money.Currency]int64) map[string]string {
	if len(sums) == 0 {
		return nil
	}
	texts := make(map[string]string, len(sums))
	for c, minor := range sums {
		texts[string(c)] = money.Amount{Minor: minor, Currency: c}.Decimal()
	}
	return texts
}

func countsOf(tables map[string]warehouse.Counts) map[string]RowCounts {
	counts := make(map[string]RowCounts, len(tables))
	for table, c := range tables {
		if c != (warehouse.Counts{}) {
			counts[table] = RowCounts(c)
		}
	}
	return counts
}

// shownRejections is the maximum number of rejected rows that a report lists. The field Rejected is the number of all
// rejected rows.
const shownRejections = 20

func (r *FileReport) reject(e *source.RowError) {
	r.Rejected += max(e.Rows, 1)
	if len(r.RejectedRows) >= shownRejections {
		return
	}
	shown := e.Bounded()
	rejection := Rejection{Line: e.Line, Column: shown.Column, Value: shown.Value, Reason: shown.Reason, Fix: shown.Fix}
	if e.Rows > 1 {
		rejection.Rows = e.Rows
	}
	r.RejectedRows = append(r.RejectedRows, rejection)
}

var delimiterNames = map[byte]string{',': "comma", ';': "semicolon", '\t': "tab", '|': "pipe"}
