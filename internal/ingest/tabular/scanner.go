package tabular

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Scanner reads rows of delimited text according to RFC 4180 and accepts common export errors. A bare quote inside an
// unquoted cell is text, line ends are LF or CRLF, and empty rows are skipped.
//
// encoding/csv is not suitable. It reads a file with one stray quote into memory as one cell, and it does not
// distinguish an invalid row from an invalid file.
//
// Scanning takes a number of steps that is linear in the length of the text.
type Scanner struct {
	src        io.Reader
	delimiter  byte
	buf        []byte
	start, end int // unread part of buf
	drained    bool
	line       int // line number of the next row
	fields     []string
	quoted     quotedRow
	ended      func() error // reports that reading was canceled; nil if reading cannot be canceled
	steps      int          // number of searched, counted or moved bytes; a test bounds it
}

// sharedRow is the maximum size of a row with cells that share one string, in bytes. Cells of larger rows have their
// own memory. A reader that stores a cell of a larger row, such as an order's ID, therefore does not keep the row in
// memory.
const sharedRow = 4 << 10

// longestRow is the maximum size of a row with its line end, in bytes.
const longestRow = MaxRecord + len("\r\n")

// quotedRow contains the row with quotes that is being read. Offsets count from the start of the row.
type quotedRow struct {
	cells   int    // read so far
	text    []byte // text of the first MaxColumns cells, without quotes
	ends    []int  // ends of these cells in text
	lineEnd int    // offset after the first line end that is not before the current cell
	problem string // first problem of the row
}

// NewScanner returns a scanner of UTF-8 text.
func NewScanner(src io.Reader, delimiter byte) *Scanner {
	return &Scanner{src: src, delimiter: delimiter, buf: make([]byte, 256<<10), line: 1}
}

// Next returns the next row that is not empty.
func (s *Scanner) Next() (Record, error) {
	for {
		r, err := s.row()
		if err != nil || r.Problem != "" || !blank(r.Fields) {
			return r, err
		}
	}
}

func blank(fields []string) bool {
	for _, f := range fields {
		if strings.TrimSpace(f) != "" {
			return false
		}
	}
	return true
}

func (s *Scanner) row() (Record, error) {
	raw, err := s.upTo('\n', 0)
	if err != nil {
		return Record{}, err
	}
	r := Record{Line: s.line}
	if s.index(raw, '"') < 0 {
		s.consume(len(raw))
		r.Problem = s.split(trimEnd(raw))
	} else if r.Problem, err = s.quotedRow(len(raw)); err != nil {
		return Record{}, err
	}
	r.Fields = s.fields
	if r.Size() > sharedRow {
		for i, f := range r.Fields {
			r.Fields[i] = strings.Clone(f)
		}
	}
	return r, nil
}

// index works like [bytes.IndexByte] and counts the searched bytes.
func (s *Scanner) index(in []byte, b byte) int {
	i := bytes.IndexByte(in, b)
	if i < 0 {
		s.steps += len(in)
	} else {
		s.steps += i + 1
	}
	return i
}

// upTo returns the unread text of the row up to and including the first byte b at or after the offset from. Without
// such a byte, it returns the text up to the end of the file. If nothing is left, the error is io.EOF.
func (s *Scanner) upTo(b byte, from int) ([]byte, error) {
	for {
		to := s.end
		i := s.index(s.buf[s.start+from:s.end], b)
		if i >= 0 {
			to = s.start + from + i + 1
		}
		if i >= 0 || s.drained {
			text := s.buf[s.start:to]
			switch {
			case len(text) == 0:
				return nil, io.EOF
			case len(trimEnd(text)) > MaxRecord:
				return nil, s.tooLong()
			}
			return text, nil
		}
		from = s.end - s.start
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

func (s *Scanner) tooLong() error {
	return fmt.Errorf("the row that starts in line %d is longer than %d MiB; a quote may be missing: %w",
		s.line, MaxRecord>>20, ErrLimit)
}

// fill makes room and reads until the buffer is full or the file ends.
func (s *Scanner) fill() error {
	if s.start > 0 {
		s.steps += copy(s.buf, s.buf[s.start:s.end])
		s.start, s.end = 0, s.end-s.start
	}
	if s.end == longestRow {
		return s.tooLong()
	}
	if s.end == len(s.buf) {
		s.buf = append(s.buf, make([]byte, min(len(s.buf), longestRow-len(s.buf)))...)
	}
	n, err := io.ReadFull(s.src, s.buf[s.end:])
	s.end += n
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.drained, err = true, nil
	}
	return err
}

func (s *Scanner) consume(n int) {
	s.line += bytes.Count(s.buf[s.start:s.start+n], []byte{'\n'})
	s.start += n
	s.steps += n
}

func trimEnd(raw []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte{'\n'}), []byte{'\r'})
}

// split splits a row without quotes. The cells share one string.
func (s *Scanner) split(raw []byte) (problem string) {
	s.fields = s.fields[:0]
	if problem = unreadable(raw); problem != "" {
		return problem
	}
	text := string(raw)
	from := 0
	for i := range len(text) {
		if text[i] != s.delimiter {
			continue
		}
		s.fields = append(s.fields, text[from:i])
		from = i + 1
		if len(s.fields) == MaxColumns {
			return tooManyCells
		}
	}
	s.fields = append(s.fields, text[from:])
	return s.oversized(len(text))
}

func unreadable(raw []byte) string {
	if bytes.IndexByte(raw, 0) >= 0 {
		return "the row contains a NUL byte"
	}
	if !utf8.Valid(raw) {
		return "the row is not UTF-8, but the rest of the file is"
	}
	return ""
}

var tooManyCells = fmt.Sprintf("the row has more than %d cells", MaxColumns)

// oversized cuts the row before the first cell that is too large. The parameter size is the size of all cells.
func (s *Scanner) oversized(size int) string {
	if size <= MaxField {
		return ""
	}
	for i, f := range s.fields {
		if len(f) > MaxField {
			s.fields = s.fields[:i]
			return fmt.Sprintf("cell %d is larger than %d MiB", i+1, MaxField>>20)
		}
	}
	return ""
}

// quotedRow reads a row with quoted cells, which may contain delimiters and line ends. The parameter line is the length
// of the row's first line. quotedRow skips cells after MaxColumns.
func (s *Scanner) quotedRow(line int) (problem string, err error) {
	s.quoted = quotedRow{text: s.quoted.text[:0], ends: s.quoted.ends[:0], lineEnd: line}
	row := &s.quoted
	at, last := 0, false
	for !last {
		if at, last, err = s.cell(at); err != nil {
			return "", err
		}
		row.endCell()
		if row.cells%MaxColumns == 0 && s.ended != nil { // one row can have millions of cells
			if err := s.ended(); err != nil {
				return "", err
			}
		}
	}
	if row.problem == "" {
		row.problem = unreadable(s.buf[s.start : s.start+at])
	}
	s.consume(at)
	s.fields = s.fields[:0]
	text, from := string(row.text), 0
	for _, to := range row.ends {
		s.fields = append(s.fields, text[from:to])
		from = to
	}
	tooLarge := tooManyCells
	if row.cells <= MaxColumns {
		tooLarge = s.oversized(len(text))
	}
	return cmp.Or(row.problem, tooLarge), nil
}

// add adds text to the current cell.
func (r *quotedRow) add(text []byte) {
	if r.cells < MaxColumns {
		r.text = append(r.text, text...)
	}
}

func (r *quotedRow) endCell() {
	if r.cells < MaxColumns {
		r.ends = append(r.ends, len(r.text))
	}
	r.cells++
}

// cell reads the cell that starts at the offset and returns the offset of the next cell.
func (s *Scanner) cell(at int) (next int, last bool, err error) {
	row := &s.quoted
	if s.at(at) == '"' {
		if at, err = s.quotedCell(at + 1); err != nil {
			return 0, false, err
		}
		if c := s.at(at); c != s.delimiter && c != '\n' && c != '\r' && s.start+at < s.end && row.problem == "" {
			row.problem = fmt.Sprintf("text follows the closing quote of cell %d", row.cells+1)
		}
	}
	if at >= row.lineEnd { // the quoted cell contains the line end
		rest, err := s.upTo('\n', at)
		if err != nil {
			return 0, false, err
		}
		row.lineEnd = len(rest)
	}
	rest := s.buf[s.start+at : s.start+row.lineEnd]
	if i := s.index(rest, s.delimiter); i >= 0 {
		row.add(rest[:i])
		return at + i + 1, false, nil
	}
	row.add(trimEnd(rest))
	return row.lineEnd, true, nil
}

func (s *Scanner) at(offset int) byte {
	if s.start+offset < s.end {
		return s.buf[s.start+offset]
	}
	return 0
}

// quotedCell reads up to the closing quote, replaces doubled quotes with one quote, and returns the offset after the
// closing quote.
func (s *Scanner) quotedCell(at int) (int, error) {
	opened := at
	for {
		upTo, err := s.upTo('"', at)
		if err != nil {
			return 0, err
		}
		if len(upTo) <= at || upTo[len(upTo)-1] != '"' {
			line := s.line + bytes.Count(upTo[:opened], []byte{'\n'})
			return 0, fmt.Errorf("the quote that starts in line %d is never closed", line)
		}
		s.quoted.add(upTo[at : len(upTo)-1])
		at = len(upTo)
		if s.start+at == s.end && !s.drained {
			if err := s.fill(); err != nil {
				return 0, err
			}
		}
		if s.at(at) != '"' {
			return at, nil
		}
		s.quoted.add([]byte{'"'})
		at++
	}
}
