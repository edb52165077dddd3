// Package tabular opens the files that users export: workbooks, and CSV in all of its dialects and usual encodings,
// compressed or not. It returns rows of text with line numbers.
//
// The readers of sources interpret the columns. A file is untrusted input, so the package reads it as a stream and
// within limits.
package tabular

import "errors"

// Limits of a file. Larger files are errors or attacks.
const (
	MaxField    = 1 << 20   // bytes of a cell
	MaxRecord   = 4 << 20   // bytes of a row of text, in UTF-8, without its line end
	MaxColumns  = 2000      // cells of a row
	MaxWorkbook = 128 << 20 // bytes of a workbook, packed and unpacked; it is read as a whole
)

// Record is one row of a table.
type Record struct {
	Line    int      // first line of the row in the file, from 1
	Fields  []string // cells; the next read reuses the slice, but not the strings
	Problem string   // reason why the row is unusable; "" if it is usable
}

// Size returns the number of bytes of the cells.
func (r Record) Size() (bytes int) {
	for _, f := range r.Fields {
		bytes += len(f)
	}
	return bytes
}

// Records returns the rows of a table one after another, and io.EOF after the last row. Any other error concerns the
// whole file, because later rows are not reliable.
type Records interface {
	Next() (Record, error)
}

// ErrLimit is the cause of errors of files that exceed a limit.
var ErrLimit = errors.New("the file exceeds a limit")
