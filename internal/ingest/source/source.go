// Package source is the vocabulary of file readers: what a reader declares, what it is given and what it
// returns, and the parts they share, which are headers, cells, days, exchange rates, orders and notes.
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

// Reader knows one kind of file.
type Reader interface {
	// Name is what --source calls it.
	Name() string
	// Title is what people call the file.
	Title() string
	// Fit says how well the header of a file belongs to this reader.
	Fit(header Header) Fit
	// Open starts reading a table that fits.
	Open(t Table, o Options) (Rows, error)
}

// Rows turns the records of one file into rows of the warehouse.
type Rows interface {
	// Skip reports whether the record is no data: a total, a note. It is asked before anything else is checked.
	Skip(fields []string) bool
	// Add takes a record, which has as many cells as the header, and appends what is complete to the batch. A
	// *[RowError] rejects rows, of this record or of an order before it; reading goes on. Any other error
	// concerns the file.
	Add(r tabular.Record, b *warehouse.Batch) error
	// Close appends what waits for its end. Its error is as that of Add. The summary is complete either way.
	Close(b *warehouse.Batch) (Summary, error)
}

// Fit says how well a header belongs to a reader.
type Fit struct {
	Known   int      // columns that the reader knows
	Missing []string // columns that it cannot do without
	Vague   bool     // by names that any file may have: gives way to a reader of known files
}

// Better reports whether a reader with this fit is preferred to one with the other. Both can read the file.
func (f Fit) Better(other Fit) bool {
	if f.Vague != other.Vague {
		return other.Vague
	}
	return f.Known > other.Known
}

// OK reports whether the reader can read the file.
func (f Fit) OK() bool { return f.Known > 0 && len(f.Missing) == 0 }

// Table is what is known of a file before its rows are read.
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

// Options are the workspace's settings and what the caller said about the file.
type Options struct {
	Base    money.Currency
	Zone    *time.Location
	HashKey []byte // for customers' mail addresses; never empty

	// What the caller says where a file does not tell; zero when they did not.
	Currency money.Currency
	Clock    *time.Location // the zone that times without one are written in

	Channel measure.Channel

	Rates Rates // nil: only files in the base currency can be read
	Notes *Notes

	// Scattered files have orders in no order of their keys. Readers then remember every key, to notice orders that
	// stand in the file twice; of other files they remember the last.
	Scattered bool
}

// AssumedCurrency returns the currency of a file that does not tell its own, and notes that it was assumed unless the
// caller named it.
func (o Options) AssumedCurrency() money.Currency {
	if o.Currency != "" {
		return o.Currency
	}
	o.Notes.Add("currency_assumed", "the file does not tell its currency: it is taken for %s", o.Base)
	return o.Base
}

// WrittenIn returns the zone of times that are written without one.
func (o Options) WrittenIn() *time.Location {
	if o.Clock != nil {
		return o.Clock
	}
	return o.Zone
}

// ErrScattered says that a file must be read again with [Options.Scattered].
var ErrScattered = errors.New("the file's orders neither only rise nor only fall by their keys")

// Rates knows exchange rates.
type Rates interface {
	// Rate returns what one unit of from is worth in to on exactly this day.
	Rate(day civil.Date, from, to money.Currency) (money.Rate, bool)
}

// Summary is what a reader can tell at the end of a file.
type Summary struct {
	Windows []warehouse.AdWindow // which an ad report covers completely
	Totals  Totals
}

// Totals are figures to compare with what the platform's own page shows.
type Totals struct {
	Orders    int64 // orders that count
	Cancelled int64 // orders that are cancelled or voided
	Tests     int64 // orders that are tests
	Refunds   int64
	Repeated  int64                    // rows or orders that the file holds twice and that count once
	Charged   map[money.Currency]int64 // of the orders that count, in minor units of their own currency
	Refunded  map[money.Currency]int64
	Spend     map[money.Currency]int64
	Days      civil.Range
}

// NewTotals returns totals of nothing.
func NewTotals() Totals {
	return Totals{Charged: map[money.Currency]int64{}, Refunded: map[money.Currency]int64{}, Spend: map[money.Currency]int64{}}
}

// See widens the days by one.
func (t *Totals) See(day civil.Date) {
	if t.Days.First.IsZero() || day.Before(t.Days.First) {
		t.Days.First = day
	}
	if day.After(t.Days.Last) {
		t.Days.Last = day
	}
}

// RowError is why rows are rejected.
type RowError struct {
	Line   int    // where they start in the file
	Rows   int    // how many the error rejects; 0 means one
	Column string // the header of the cell at fault; "" when the row as a whole is
	Value  string // what the cell holds, as [Shown]
	Reason string
	Fix    string // what to do about it; "" when the reason says it
}

// Error says where and why.
func (e *RowError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d, column %q: %s", e.Line, e.Column, e.Reason)
}

// longestText is how many characters of a column's name, a reason or a fix a report contains.
const longestText = 300

// Bounded returns the error with texts of a length that a report can contain, whatever the file says.
func (e RowError) Bounded() RowError {
	for _, text := range []*string{&e.Column, &e.Value, &e.Reason, &e.Fix} {
		*text = first(*text, longestText)
	}
	return e
}

// first returns the first n characters of a text, with … where there were more.
func first(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// Unreadable returns the error of a cell that cannot be read, and why.
func Unreadable(line int, column, cell string, why error) *RowError {
	quoted := strconv.Quote(Shown(cell))
	reason := strings.ReplaceAll(why.Error(), strconv.Quote(cell), quoted) // the cause may quote the cell in full
	if strings.HasPrefix(reason, "is ") || strings.HasPrefix(reason, "could ") {
		reason = quoted + " " + reason
	}
	return &RowError{Line: line, Column: column, Value: Shown(cell), Reason: masked(reason)}
}

const shownLength = 60

// Shown returns the text of a cell as a report may show it: short, in one line and without mail addresses.
func Shown(cell string) string {
	return first(strings.Map(printable, masked(cell)), shownLength)
}

// masked returns the text in one line with a word in the place of each mail address.
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
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) { // also what turns the direction of writing
		return -1
	}
	return r
}

// Notes collects what the user should know about a file although it can be read. Each code is told once.
type Notes struct {
	list []Note
	at   map[string]int
}

// Note is one warning.
type Note struct {
	Code  string `json:"code"`
	Text  string `json:"text"`
	Count int    `json:"count"` // how often it applies
}

// Add notes a warning. The text of the first one with a code stands for all.
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

// List returns the warnings in the order in which they came up.
func (n *Notes) List() []Note { return n.list }
