// Package source defines the interface of file readers, and their input and output. It contains shared parts for
// headers, cells, days, exchange rates, orders and warnings.
package source

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"assay/internal/civil"
	"assay/internal/ingest/tabular"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Reader reads one kind of file.
type Reader interface {
	// Name returns the value of --source.
	Name() string
	// Title returns the name of the kind of file for users.
	Title() string
	// Fit returns how well the header of a file fits this reader.
	Fit(header Header) Fit
	// Open starts reading a table that fits.
	Open(t Table, o Options) (Rows, error)
}

// Rows converts the records of one file to rows of the warehouse.
type Rows interface {
	// Skip reports whether to ignore the record, such as a total or a note. The import calls Skip before any other
	// check.
	Skip(fields []string) bool
	// Add processes a record and appends completed facts to the batch. The record has as many cells as the header. A
	// *[RowError] rejects rows of this record or of an earlier order, and reading continues. Any other error concerns
	// the whole file.
	Add(r tabular.Record, b *warehouse.Batch) error
	// Close appends the remaining facts. Its errors have the same meaning as in Add. The summary is always complete.
	Close(b *warehouse.Batch) (Summary, error)
}

// Fit describes how well a header fits a reader.
type Fit struct {
	Known   int      // number of columns that the reader supports
	Missing []string // required columns that the header lacks
	Vague   bool     // fits by common names only; a reader of a known export takes precedence
}

// Better reports whether a reader with this fit takes precedence over a reader with the other fit. Both readers can
// read the file.
func (f Fit) Better(other Fit) bool {
	if f.Vague != other.Vague {
		return other.Vague
	}
	return f.Known > other.Known
}

// OK reports whether the reader can read the file.
func (f Fit) OK() bool { return f.Known > 0 && len(f.Missing) == 0 }

// Table contains the data of a file that are known before its rows are read.
type Table struct {
	Header Header
	Sample [][]string // the first rows below the header
}

// Column returns the sampled cells of a column.
func (t Table) Column(i int) []string {
	var cells []string
	for _, row := range t.Sample {
		if i >= 0 && i < len(row) {
			cells = append(cells, row[i])
		}
	}
	return cells
}

// Options contains the workspace's settings and the caller's information about the file.
type Options struct {
	Base    money.Currency
	Zone    *time.Location
	HashKey []byte // key for hashes of email addresses; never empty

	// Currency and the following fields come from the caller and apply if the file has no value. Zero means unknown.
	Currency money.Currency
	Clock    *time.Location // time zone of times without an offset

	Order DayOrder // order of day and month; unknown: detected from the file

	Channel measure.Channel

	Today civil.Date // in the workspace's time zone; zero: days in the future are not rejected

	Rates Rates // nil: only files in the base currency are readable
	Notes *Notes

	// Scattered means that orders are not sorted by key. Readers then store every key to detect duplicate orders. For
	// other files, readers store only the last key.
	Scattered bool
}

// AssumedCurrency returns the currency of the amounts in a file that states no currency. It adds a warning unless the
// caller stated the currency.
func (o Options) AssumedCurrency() money.Currency {
	if o.Currency != "" {
		return o.Currency
	}
	o.Notes.Add("currency_assumed", "the file has no currency: %s is assumed for all amounts", o.Base)
	return o.Base
}

// WrittenIn returns the time zone of times without an offset.
func (o Options) WrittenIn() *time.Location {
	if o.Clock != nil {
		return o.Clock
	}
	return o.Zone
}

// CheckDay returns the error of a row with a day in the future. The error names the field's column. CheckDay accepts
// tomorrow, which may have begun in another time zone.
func (o Options) CheckDay(day civil.Date, line int, column string) error {
	if o.Today.IsZero() || day.Sub(o.Today) <= 1 {
		return nil
	}
	return &RowError{
		Line: line, Column: column, Value: day.String(), Reason: fmt.Sprintf("%s is in the future (today is %s)", day, o.Today),
		Fix: "correct the date or remove the row. If day and month are exchanged, import the file with --dates",
	}
}

// CheckSpend returns the error of a row with negative spend.
func CheckSpend(spend int64, line int, column, cell string) error {
	if spend >= 0 {
		return nil
	}
	return &RowError{
		Line: line, Column: column, Value: Shown(cell), Reason: fmt.Sprintf("%q: spend cannot be negative", Shown(cell)),
		Fix: "correct the amount, or remove credits and corrections from the file",
	}
}

// ErrScattered is a request to read the file again with [Options.Scattered].
var ErrScattered = errors.New("the file's orders are not sorted by key")

// Rates returns exchange rates.
type Rates interface {
	// Rate returns the value of one unit of the currency from in the currency to on exactly this day.
	Rate(day civil.Date, from, to money.Currency) (money.Rate, bool)
}

// Summary is a reader's result at the end of a file.
type Summary struct {
	Windows []warehouse.AdWindow // the days and accounts that an ad report covers completely
	Totals  Totals
}

// Totals contains the totals of a file, to compare with the totals that the platform shows.
type Totals struct {
	Orders    int64 // orders that figures include
	Cancelled int64 // number of orders that are canceled or voided
	Tests     int64 // test orders
	Refunds   int64
	Repeated  int64                    // number of duplicate rows or orders in the file; each is counted once
	Charged   map[money.Currency]int64 // revenue of the counted orders, in minor units of their own currency
	Refunded  map[money.Currency]int64
	Spend     map[money.Currency]int64
	Days      civil.Range
}

// NewTotals returns empty totals.
func NewTotals() Totals {
	return Totals{Charged: map[money.Currency]int64{}, Refunded: map[money.Currency]int64{}, Spend: map[money.Currency]int64{}}
}

// See extends the range of days to include a day.
func (t *Totals) See(day civil.Date) {
	if t.Days.First.IsZero() || day.Before(t.Days.First) {
		t.Days.First = day
	}
	if day.After(t.Days.Last) {
		t.Days.Last = day
	}
}

// RowError is the reason why rows are rejected.
type RowError struct {
	Line   int    // first line in the file
	Rows   int    // number of rejected rows; 0 means one
	Column string // header of the invalid cell; "" if the whole row is invalid
	Value  string // the cell's value, from [Shown]
	Reason string
	Fix    string // remedy; "" if the reason includes it
}

// Error returns the location and the reason.
func (e *RowError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d, column %q: %s", e.Line, e.Column, e.Reason)
}

// longestText is the maximum number of characters of a column's name, a reason or a fix in a report.
const longestText = 300

// Bounded returns the error with texts short enough for a report.
func (e RowError) Bounded() RowError {
	for _, text := range []*string{&e.Column, &e.Value, &e.Reason, &e.Fix} {
		*text = first(*text, longestText)
	}
	return e
}

// first returns the first n characters of a text, with … if the text is longer.
func first(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// Unreadable returns the error for an unreadable cell, with the cause.
func Unreadable(line int, column, cell string, why error) *RowError {
	quoted := strconv.Quote(Shown(cell))
	reason := strings.ReplaceAll(why.Error(), strconv.Quote(cell), quoted) // the cause may quote the whole cell
	if strings.HasPrefix(reason, "is ") || strings.HasPrefix(reason, "could ") {
		reason = quoted + " " + reason
	}
	return &RowError{Line: line, Column: column, Value: Shown(cell), Reason: masked(reason)}
}

const shownLength = 60

// Shown returns a cell's text for a report: short, in one line and without email addresses.
func Shown(cell string) string {
	return first(strings.Map(printable, masked(cell)), shownLength)
}

// masked returns the text in one line with email addresses replaced.
func masked(text string) string {
	words := strings.Fields(strings.ToValidUTF8(text, "?"))
	for i, w := range words {
		if strings.Contains(w, "@") {
			words[i] = "(address)"
		}
	}
	return strings.Join(words, " ")
}

func printable(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) { // includes marks that change the writing direction
		return -1
	}
	return r
}

// Notes collects warnings about a readable file. Each code occurs once.
type Notes struct {
	list []Note
	at   map[string]int
}

// Note is one warning.
type Note struct {
	Code  string `json:"code"`
	Text  string `json:"text"`
	Count int    `json:"count"` // number of occurrences
}

// Add adds a warning. If a code occurs several times, the list contains only the first text.
func (n *Notes) Add(code, format string, args ...any) {
	if i, ok := n.at[code]; ok {
		n.list[i].Count++
		return
	}
	if n.at == nil {
		n.at = map[string]int{}
	}
	n.at[code] = len(n.list)
	n.list = append(n.list, Note{Code: code, Text: fmt.Sprintf(format, args...), Count: 1})
}

// AddShared adds a warning about each account that the store may have under another name.
func (n *Notes) AddShared(accounts []warehouse.SharedSpend) {
	for _, a := range accounts {
		n.Add("spend_twice", "%s to %s: the account %q of this import and the stored account %q have the same campaigns. If they are the same "+
			"ad account, their spend is counted twice. To correct this, import both reports again with campaign IDs: first the "+
			"report without an account, then the report with the account",
			a.Days.First, a.Days.Last, Shown(a.Account), Shown(a.Stored))
	}
}

// List returns the warnings in the order of their first occurrence.
func (n *Notes) List() []Note { return n.list }
