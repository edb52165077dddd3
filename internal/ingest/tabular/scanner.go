package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Scanner reads rows of delimited text as RFC 4180 describes them, and forgives what exports get wrong: a bare
// quote inside an unquoted cell is text, line ends may be LF or CRLF, empty rows are passed over.
//
// It exists beside encoding/csv because a file with one stray quote must not be read into memory as one cell,
// and because a bad row must be told from a bad file.
type Scanner struct {
	src        io.Reader
	delimiter  byte
	buf        []byte
	start, end int // the part of buf that is not read yet
	drained    bool
	line       int // of the next row
	fields     []string
	text       []byte // the cells of a quoted row, without quotes
	ends       []int  // where each of them ends in text
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
	if bytes.IndexByte(raw, '"') < 0 {
		s.consume(len(raw))
		r.Problem = s.split(trimEnd(raw))
	} else if r.Problem, err = s.quotedRow(); err != nil {
		return Record{}, err
	}
	r.Fields = s.fields
	return r, nil
}

// upTo returns what is not read yet, up to and with the first such byte at or behind from, or to the end of the
// file. At the end of the file the error is io.EOF.
func (s *Scanner) upTo(b byte, from int) ([]byte, error) {
	for {
		if i := bytes.IndexByte(s.buf[s.start+from:s.end], b); i >= 0 {
			return s.buf[s.start : s.start+from+i+1], nil
		}
		from = s.end - s.start
		if s.drained && from == 0 {
			return nil, io.EOF
		}
		if s.drained {
			return s.buf[s.start:s.end], nil
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// fill makes room and reads until the buffer is full or the file ends.
func (s *Scanner) fill() error {
	if s.start > 0 {
		copy(s.buf, s.buf[s.start:s.end])
		s.start, s.end = 0, s.end-s.start
	}
	if s.end > MaxRecord {
		return fmt.Errorf("the row that starts in line %d is longer than %d MiB; a quote may be missing: %w", s.line, MaxRecord>>20, ErrLimit)
	}
	if s.end == len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
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
}

func trimEnd(raw []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte{'\n'}), []byte{'\r'})
}

// split cuts a row without quotes. The cells share one string.
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
	}
	s.fields = append(s.fields, text[from:])
	return s.oversized(len(text))
}

func unreadable(raw []byte) string {
	if bytes.IndexByte(raw, 0) >= 0 {
		return "the row holds a NUL byte"
	}
	if !utf8.Valid(raw) {
		return "the row is not UTF-8, as the rest of the file is"
	}
	return ""
}

func (s *Scanner) oversized(size int) string {
	if len(s.fields) > MaxColumns {
		s.fields = s.fields[:MaxColumns]
		return fmt.Sprintf("the row has more than %d cells", MaxColumns)
	}
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

// quotedRow reads a row in which some cell is quoted and may contain delimiters and line ends.
func (s *Scanner) quotedRow() (problem string, err error) {
	s.text, s.ends, s.fields = s.text[:0], s.ends[:0], s.fields[:0]
	at, last := 0, false
	for !last {
		if at, last, problem, err = s.cell(at, problem); err != nil {
			return "", err
		}
		s.ends = append(s.ends, len(s.text))
	}
	s.consume(at)
	if problem == "" {
		problem = unreadable(s.text)
	}
	text, from := string(s.text), 0
	for _, to := range s.ends {
		s.fields = append(s.fields, text[from:to])
		from = to
	}
	if tooLarge := s.oversized(len(text)); problem == "" {
		problem = tooLarge
	}
	return problem, nil
}

// cell appends the text of the cell that starts at the offset and returns the offset of the next one.
func (s *Scanner) cell(at int, before string) (next int, last bool, problem string, err error) {
	problem = before
	if s.at(at) == '"' {
		if at, err = s.quotedCell(at + 1); err != nil {
			return 0, false, "", err
		}
		if c := s.at(at); c != s.delimiter && c != '\n' && c != '\r' && s.start+at < s.end && problem == "" {
			problem = fmt.Sprintf("text follows the closing quote of cell %d", len(s.ends)+1)
		}
	}
	rest, err := s.upTo('\n', at)
	if errors.Is(err, io.EOF) {
		return at, true, problem, nil
	}
	if err != nil {
		return 0, false, "", err
	}
	if i := bytes.IndexByte(rest[at:], s.delimiter); i >= 0 {
		s.text = append(s.text, rest[at:at+i]...)
		return at + i + 1, false, problem, nil
	}
	s.text = append(s.text, trimEnd(rest[at:])...)
	return len(rest), true, problem, nil
}

func (s *Scanner) at(offset int) byte {
	if s.start+offset < s.end {
		return s.buf[s.start+offset]
	}
	return 0
}

// quotedCell appends what stands before the closing quote, doubled quotes undone, and returns the offset behind it.
func (s *Scanner) quotedCell(at int) (int, error) {
	opened := s.line + bytes.Count(s.buf[s.start:s.start+at], []byte{'\n'})
	for {
		upTo, err := s.upTo('"', at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if len(upTo) <= at || upTo[len(upTo)-1] != '"' {
			return 0, fmt.Errorf("the quote that opens in line %d is never closed", opened)
		}
		s.text = append(s.text, upTo[at:len(upTo)-1]...)
		at = len(upTo)
		if s.start+at == s.end && !s.drained {
			if err := s.fill(); err != nil {
				return 0, err
			}
		}
		if s.at(at) != '"' {
			return at, nil
		}
		s.text = append(s.text, '"')
		at++
	}
}
