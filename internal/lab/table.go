package lab

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"assay/internal/civil"
	"assay/internal/fault"
)

// Table is a comma-separated CSV file: a header and records with the same number of fields.
type Table struct {
	name    string // name of the file, for messages
	header  []string
	records [][]string
	lines   []int // line of each record in the file; the header is line 1
}

// Open reads a file.
func Open(path string) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.Invalid("%v", err)
	}
	defer file.Close()
	return Read(path, file)
}

// Read reads a table. Error messages contain the name. Read skips a byte order mark. It rejects a file without a header
// or records, and text that is not UTF-8. It also rejects a record with a different number of cells than the header.
func Read(name string, r io.Reader) (*Table, error) {
	t := &Table{name: name}
	buffered := bufio.NewReaderSize(r, 1<<16)
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3)
	}
	reader := csv.NewReader(buffered)
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, t.broken(err)
		}
		line, _ := reader.FieldPos(0)
		if t.header == nil {
			t.header = trimmed(record)
			continue
		}
		t.records, t.lines = append(t.records, record), append(t.lines, line)
	}
	if t.header == nil {
		return nil, fault.Invalid("%s:1: the file is empty, want a header and at least one record", name)
	}
	if len(t.records) == 0 {
		return nil, fault.Invalid("%s:1: there are no records after the header", name)
	}
	return t, nil
}

func trimmed(record []string) []string {
	for i, cell := range record {
		record[i] = strings.TrimSpace(cell)
	}
	return record
}

func (t *Table) broken(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fault.Invalid("%s: %v", t.name, err)
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return fault.Invalid("%s:%d: the record is not as long as the header, which has %d columns",
			t.name, parse.Line, len(t.header))
	}
	return fault.Invalid("%s:%d: character %d: %v", t.name, parse.Line, parse.Column, parse.Err)
}

// Len returns the number of records.
func (t *Table) Len() int { return len(t.records) }

// Columns returns the header.
func (t *Table) Columns() []string { return slices.Clone(t.header) }

// Refuse returns the error for a cell of the file, with its location and value. The parameter record is the index of
// the record, starting at 0. The problem completes a sentence that begins with the value, for example "is not a
// number".
func (t *Table) Refuse(record int, column, problem string) error {
	value := ""
	if i := slices.Index(t.header, column); i >= 0 {
		value = t.records[record][i]
	}
	return fault.Invalid("%s:%d: column %q: %q %s", t.name, t.lines[record], column, value, problem)
}

// Texts returns a column's texts. It rejects a missing or repeated column.
func (t *Table) Texts(column string) ([]string, error) {
	at := slices.Index(t.header, column)
	if at < 0 {
		return nil, fault.Invalid("%s:1: there is no column %q", t.name, column).
			WithHint("the file has %s", strings.Join(t.header, ", "))
	}
	if slices.Contains(t.header[at+1:], column) {
		return nil, fault.Invalid("%s:1: column %q appears more than once", t.name, column)
	}
	cells := make([]string, len(t.records))
	for i, record := range t.records {
		if cells[i] = record[at]; !utf8.ValidString(cells[i]) {
			return nil, t.Refuse(i, column, "is not UTF-8")
		}
	}
	return cells, nil
}

// Names returns a column of names. It rejects empty names.
func (t *Table) Names(column string) ([]string, error) {
	names, err := t.Texts(column)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if strings.TrimSpace(name) == "" {
			return nil, t.Refuse(i, column, "is empty")
		}
	}
	return names, nil
}

// Numbers returns a column of finite numbers.
func (t *Table) Numbers(column string) ([]float64, error) {
	return convert(t, column, "is not a number", number)
}

// Amounts returns a column of nonnegative numbers.
func (t *Table) Amounts(column string) ([]float64, error) {
	return convert(t, column, "is not a number of at least 0", func(cell string) (float64, bool) {
		x, ok := number(cell)
		return x, ok && x >= 0
	})
}

// Days returns a column of days as YYYY-MM-DD. For an instant, it returns the day of the instant.
func (t *Table) Days(column string) ([]civil.Date, error) {
	return convert(t, column, "is not a day written YYYY-MM-DD", func(cell string) (civil.Date, bool) {
		if _, ok := moment(cell); !ok {
			return civil.Date{}, false
		}
		day, err := civil.Parse(cell[:len("2006-01-02")])
		return day, err == nil
	})
}

func convert[T any](t *Table, column, problem string, read func(string) (T, bool)) ([]T, error) {
	cells, err := t.Texts(column)
	if err != nil {
		return nil, err
	}
	values := make([]T, len(cells))
	for i, cell := range cells {
		value, ok := read(strings.TrimSpace(cell))
		if !ok {
			return nil, t.Refuse(i, column, problem)
		}
		values[i] = value
	}
	return values, nil
}

// number reads a decimal number. It rejects hexadecimal numbers and the missing values of other programs (NA, NaN,
// Inf).
func number(cell string) (float64, bool) {
	if strings.ContainsAny(cell, "xXpP_") {
		return 0, false
	}
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// Moment is a point on a time axis: a day, an instant or a position.
type Moment struct {
	Text string  // text as in the file
	At   float64 // days since 1970-01-01 for a day or an instant, the number itself for a position
}

// instants lists the accepted formats of a timestamp. A time zone may follow.
var instants = []string{
	"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04", time.RFC3339,
}

// Moments returns a time column: days as YYYY-MM-DD, timestamps, or numbers such as 17 or 2012.25. The first record
// determines the format of all records.
func (t *Table) Moments(column string) ([]Moment, error) {
	cells, err := t.Texts(column)
	if err != nil {
		return nil, err
	}
	read, problem := moment, "is not a day written YYYY-MM-DD, a time or a number"
	if _, isNumber := number(strings.TrimSpace(cells[0])); isNumber {
		read, problem = number, "is not a number, as the first record is"
	} else if _, isTime := moment(strings.TrimSpace(cells[0])); isTime {
		problem = "is not a day or a time, as the first record is"
	}
	at, err := convert(t, column, problem, read)
	if err != nil {
		return nil, err
	}
	moments := make([]Moment, len(cells))
	for i := range cells {
		moments[i] = Moment{Text: strings.TrimSpace(cells[i]), At: at[i]}
	}
	return moments, nil
}

func moment(cell string) (float64, bool) {
	if day, err := civil.Parse(cell); err == nil {
		return float64(day.Sub(epoch)), true
	}
	for _, layout := range instants {
		if at, err := time.Parse(layout, cell); err == nil && at.Year() >= 1900 && at.Year() < 2200 {
			return float64(at.Unix()) / (24 * 60 * 60), true
		}
	}
	return 0, false
}

var epoch = civil.New(1970, time.January, 1)

// InWhole converts decimal amounts to whole numbers of a smaller unit, so sums are exact. The result unit is the number
// of smaller units in one unit of the amounts. The unit is a power of ten that preserves every digit while the sum is
// below 2^52. For a million amounts of 1,000,000, three decimals remain.
func InWhole(amounts []float64) (whole []int64, unit float64) {
	var sum float64
	for _, x := range amounts {
		sum += math.Abs(x)
	}
	unit = 1
	for unit < 1e12 && sum*unit*10 < 1<<52 && !allWhole(amounts, unit) {
		unit *= 10
	}
	whole = make([]int64, len(amounts))
	for i, x := range amounts {
		whole[i] = int64(math.Round(x * unit))
	}
	return whole, unit
}

func allWhole(amounts []float64, unit float64) bool {
	for _, x := range amounts {
		if scaled := x * unit; math.Abs(scaled-math.Round(scaled)) > 1e-6 {
			return false
		}
	}
	return true
}
