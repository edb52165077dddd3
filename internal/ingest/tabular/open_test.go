package tabular

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func encoded(t *testing.T, e encoding.Encoding, text string) []byte {
	t.Helper()
	out, err := e.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestOpenReadsEveryEncoding(t *testing.T) {
	t.Parallel()
	const text = "Tag;Ausgegebener Betrag (EUR);Käufe\n2026-09-01;1.234,50;Größe €\n"
	want := []Record{row(1, "Tag", "Ausgegebener Betrag (EUR)", "Käufe"), row(2, "2026-09-01", "1.234,50", "Größe €")}
	files := map[string]struct {
		content  []byte
		encoding Encoding
	}{
		"utf-8":              {[]byte(text), UTF8},
		"utf-8 with mark":    {[]byte("\ufeff" + text), UTF8BOM},
		"utf-16le with mark": {encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), text), UTF16LE},
		"utf-16be with mark": {encoded(t, unicode.UTF16(unicode.BigEndian, unicode.UseBOM), text), UTF16BE},
		"utf-16le":           {encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), text), UTF16LE},
		"utf-16be":           {encoded(t, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), text), UTF16BE},
		"windows-1252":       {encoded(t, charmap.Windows1252, text), Windows1252},
		"gzip":               {zipped(t, []byte(text)), UTF8},
		"gzip of utf-16":     {zipped(t, encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), text)), UTF16LE},
	}
	for name, c := range files {
		f, err := Open(t.Context(), name, bytes.NewReader(c.content), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		samples, err := f.Samples(10)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, samples[1].Records); diff != "" || samples[1].Delimiter != ';' {
			t.Errorf("%s: sample (-want +got):\n%s", name, diff)
		}
		got, err := all(f.Records(';'))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if f.Encoding() != c.encoding {
			t.Errorf("%s is interpreted as %s, want %s", name, f.Encoding(), c.encoding)
		}
		sum := sha256.Sum256(c.content)
		if hash, err := f.Hash(); hash != hex.EncodeToString(sum[:]) || err != nil {
			t.Errorf("%s: the hash is not that of the bytes as they came: %v", name, err)
		}
	}
}

func TestTheFirstCharacterBeyondASCIIDecides(t *testing.T) {
	t.Parallel()
	ascii := strings.Repeat("plain,row\n", 20_000) // larger than any buffer
	for text, want := range map[string]Encoding{ascii: UTF8, ascii + "caf\xe9,x\n": Windows1252, ascii + "café,x\n": UTF8} {
		f, err := Open(t.Context(), "late.csv", strings.NewReader(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := all(f.Records(','))
		if err != nil || f.Encoding() != want {
			t.Errorf("%s, %v; want %s", f.Encoding(), err, want)
		}
		if last := rows[len(rows)-1].Fields[0]; last != "café" && last != "plain" {
			t.Errorf("%s: the last row begins with %q", want, last)
		}
	}
}

func TestWorkbookGivesTheFirstSheetWithRows(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	if _, err := book.NewSheet("Data"); err != nil {
		t.Fatal(err)
	}
	for cell, value := range map[string]any{"A1": "By Day", "B1": "Cost", "A3": "2026-09-01", "B3": 1234.5, "A4": "Total"} {
		if err := book.SetCellValue("Data", cell, value); err != nil {
			t.Fatal(err)
		}
	}
	var content bytes.Buffer
	if err := book.Write(&content); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), "report.xlsx", &content, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := all(f.Records(0))
	want := []Record{row(1, "By Day", "Cost"), row(3, "2026-09-01", "1234.5"), row(4, "Total")}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || f.Sheet() != "Data" {
		t.Errorf("sheet %q, %v (-want +got):\n%s", f.Sheet(), err, diff)
	}
}

func TestOpenRejectsUnreadableContent(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"gzip": "\x1f\x8b\x08broken", "workbook": "PK\x03\x04broken"} {
		if _, err := Open(t.Context(), name, strings.NewReader(content), 0); err == nil {
			t.Errorf("a broken %s is opened", name)
		}
	}
}

// endless is a reader of a long text. It cancels the context after cancelAt bytes and continues to return text.
type endless struct {
	text          string
	n, cancelAt   int
	cancel        context.CancelFunc
	cancelledRead int // bytes read after the cancellation
}

const endOfEndless = 64 << 20

func (e *endless) Read(p []byte) (int, error) {
	if e.n >= endOfEndless {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = e.text[(e.n+i)%len(e.text)]
	}
	if e.n >= e.cancelAt {
		e.cancelledRead += len(p)
		e.cancel()
	}
	e.n += len(p)
	return len(p), nil
}

func TestReadingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty rows": "\n", "a row without end": `"",`, "an open quote": "\"\n\"\"", "rows with too many cells": strings.Repeat(`"",`, 2*MaxColumns) + "\n",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		src := &endless{text: text, cancelAt: 3 << 20, cancel: cancel}
		f, err := Open(ctx, name, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := all(f.Records(',')); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want the end of the context", name, err)
		}
		if src.cancelledRead > 256<<10 {
			t.Errorf("%s: %d more bytes are read after the context has ended", name, src.cancelledRead)
		}
	}
}

// The compressed file is small, so the buffer contains all of it when the context ends. The file expands to many bytes.
func TestUnpackingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f, err := Open(ctx, "empty rows", bytes.NewReader(zipped(t, bytes.Repeat([]byte("\n"), 8<<20))), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Samples(1); err != nil {
		t.Fatal(err)
	}
	cancel()
	s := NewScanner(f.text, ',')
	if _, err := s.Next(); !errors.Is(err, context.Canceled) || s.line > sampled {
		t.Errorf("%d lines are read, %v; want the end of the context", s.line, err)
	}
}

// Opening a workbook reads its first rows.
func TestAWorkbookEndsWithTheContext(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	for _, cell := range []string{"A1", "A2", "A3"} {
		if err := book.SetCellValue("Sheet1", cell, "x"); err != nil {
			t.Fatal(err)
		}
	}
	var content bytes.Buffer
	if err := book.Write(&content); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f, err := Open(ctx, "report.xlsx", &content, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cancel()
	if rows, err := all(f.Records(0)); !errors.Is(err, context.Canceled) || len(rows) > 1 {
		t.Errorf("%d rows, %v; want the end of the context", len(rows), err)
	}
}

// Days as serial numbers would otherwise be read four years early.
func TestAWorkbookWithThe1904DateSystemIsRejected(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	if err := errors.Join(
		book.SetCellValue("Sheet1", "A1", "Day"), book.SetCellValue("Sheet1", "A2", 45000),
		book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: new(true)}),
	); err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	if err := book.Write(&content); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), "report.xlsx", &content, 0); err == nil || !strings.Contains(err.Error(), "1904 date system") {
		t.Errorf("the error is %v", err)
	}
}

// FuzzOpen checks that opening and reading never panic and that sampling does not consume the file.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n"))
	f.Add([]byte{0xff, 0xfe, 'a', 0, '\n', 0})
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Add([]byte("a\tb\n\"x"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if bytes.HasPrefix(content, []byte("PK\x03\x04")) {
			t.Skip("workbooks are read by a library")
		}
		file, err := Open(t.Context(), "fuzz", bytes.NewReader(content), 0)
		if err != nil {
			return
		}
		samples, err := file.Samples(5)
		if err != nil {
			return
		}
		rows, _ := all(file.Records(samples[0].Delimiter))
		for i, r := range samples[0].Records {
			if i < len(rows) && !cmp.Equal(r, rows[i]) {
				t.Fatalf("row %d is %+v in the sample and %+v in the file", i, r, rows[i])
			}
		}
	})
}

// A row in memory can have millions of cells. Reading stops within the row when the context ends.
func TestARowInMemoryEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f, err := Open(ctx, "cells.csv", strings.NewReader("id\n"+strings.Repeat(`"",`, 20*MaxColumns)+"\nlast\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	records := f.Records(',')
	if _, err := records.Next(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if r, err := records.Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("%d cells, %v, want a canceled reading", len(r.Fields), err)
	}
}
