// Package tabular opens the files that people export: CSV in its dialects, compressed or not, in the encodings
// of spreadsheets and ad platforms, and workbooks. It gives rows of text with their line numbers.
//
// What the columns mean is decided by the readers of the families of sources. A file is read as a stream, within
// limits, and never trusted.
package tabular

import "errors"

// The limits of a file. Whatever lies beyond them is a mistake or an attack.
const (
	MaxField    = 1 << 20   // bytes of a cell
	MaxRecord   = 4 << 20   // bytes of a row
	MaxColumns  = 2000      // cells of a row
	MaxWorkbook = 128 << 20 // bytes of a workbook, packed or not: it is read as a whole
)

// Record is one row of a table.
type Record struct {
	Line    int      // of the file, from 1: where the row starts
	Fields  []string // the cells; the slice is reused by the next read, the strings are not
	Problem string   // why the row cannot be used as it stands; "" when it can
}

// Size returns how many bytes the cells have.
func (r Record) Size() (bytes int) {
	for _, f := range r.Fields {
		bytes += len(f)
	}
	return bytes
}

// Records gives the rows of a table one after the other. After the last one the error is io.EOF. Any other error
// concerns the file as a whole, because nothing behind that place can be trusted.
type Records interface {
	Next() (Record, error)
}

// ErrLimit marks errors of files that are larger than the limits allow.
var ErrLimit = errors.New("the file exceeds a limit")
