package tabular

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

func TestCellsAndRowsAtTheirLimits(t *testing.T) {
	t.Parallel()
	const mebibyte = 1 << 20
	cells := func(n int) string { return strings.Repeat("x,", n-1) + "x" }
	quoted := func(n int) string { return `"x",` + cells(n-1) }
	for name, c := range map[string]struct {
		row, problem string
		cells        int
	}{
		"2,000 cells":                {cells(2000), "", 2000},
		"2,001 cells":                {cells(2001), "the row has more than 2000 cells", 2000},
		"2,000 cells and a quote":    {quoted(2000), "", 2000},
		"2,001 cells and a quote":    {quoted(2001), "the row has more than 2000 cells", 2000},
		"1 MiB":                      {"1," + strings.Repeat("x", mebibyte), "", 2},
		"1 MiB and a byte":           {"1," + strings.Repeat("x", mebibyte+1) + ",2", "cell 2 is larger than 1 MiB", 1},
		"1 MiB in quotes":            {`1,"` + strings.Repeat("x", mebibyte) + `"`, "", 2},
		"1 MiB and a byte in quotes": {`1,"` + strings.Repeat("x", mebibyte+1) + `",2`, "cell 2 is larger than 1 MiB", 1},
		"two cells of 1 MiB":         {strings.Repeat("x", mebibyte) + "," + strings.Repeat("y", mebibyte), "", 2},
		"two problems":               {`"x"y,"x"y`, "text follows the closing quote of cell 1", 2},
		"a problem in cell 3":        {`a,"b","x"y`, "text follows the closing quote of cell 3", 3},
		"a problem and a NUL byte":   {"\"x\"y,\x00", "text follows the closing quote of cell 1", 2},
		"a quote at the end":         {`a,"b"`, "", 2},
	} {
		rows, err := all(NewScanner(strings.NewReader(c.row+"\nnext\n"), ','))
		if err != nil || len(rows) != 2 || rows[0].Problem != c.problem || len(rows[0].Fields) != c.cells || !cmp.Equal(rows[1], row(2, "next")) {
			t.Errorf("%s: %d rows, %v, %d cells, problem %q; want %d cells and %q", name, len(rows), err, len(rows[0].Fields), rows[0].Problem, c.cells, c.problem)
		}
	}
	if size := (Record{Fields: []string{"ab", "", "c"}}).Size(); size != 3 {
		t.Errorf("size %d, want 3", size)
	}
	if MaxWorkbook != 128*mebibyte || MaxRecord != 4*mebibyte {
		t.Errorf("limits of %d and %d bytes", MaxWorkbook, MaxRecord)
	}
}

// A cell that is larger than the buffer of the scanner is read in pieces.
func TestRowsLargerThanTheBuffer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789\n", 60_000) // 660,000 bytes
	for name, src := range map[string]io.Reader{
		"at once":   strings.NewReader("a,b\n\"" + long + "\",\"x\"\"y\"\nc,d"),
		"in halves": iotest.HalfReader(strings.NewReader("a,b\n\"" + long + "\",\"x\"\"y\"\nc,d")),
	} {
		got, err := all(NewScanner(src, ','))
		want := []Record{row(1, "a", "b"), row(2, long, `x"y`), row(60_003, "c", "d")}
		if !cmp.Equal(want, got) || err != nil {
			t.Errorf("%s: %d rows, %v", name, len(got), err)
		}
	}
}

// The buffer of the scanner ends between the two quotes of a doubled quote.
func TestADoubledQuoteAtTheEndOfTheBuffer(t *testing.T) {
	t.Parallel()
	pad := "\n" + strings.Repeat("x", 256<<10-3)
	got, err := all(NewScanner(strings.NewReader(`"`+pad+`""y",z`+"\nnext\n"), ','))
	if want := []Record{row(1, pad+`"y`, "z"), row(3, "next")}; !cmp.Equal(want, got) || err != nil {
		t.Errorf("%d rows, %v", len(got), err)
	}
}

// The limit of a row does not apply to the sum of rows.
func TestManyQuotedRows(t *testing.T) {
	t.Parallel()
	rows, err := all(NewScanner(strings.NewReader(strings.Repeat(`"`+strings.Repeat("x", 100)+"\"\n", 60_000)), ','))
	if err != nil || len(rows) != 60_000 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// The first non-ASCII character arrives in two reads.
func TestASplitCharacterDecides(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("a", 20) + "é", strings.Repeat("a", 20) + "é€"} {
		plain, encoding := decode(bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(text)), 16))
		got, err := io.ReadAll(plain)
		if string(got) != text || encoding() != UTF8 || err != nil {
			t.Errorf("%q as %s, %v, want %q", got, encoding(), err, text)
		}
	}
}

// An error of the source ends the reading at every position of a row.
func TestAFailingSourceEndsTheReading(t *testing.T) {
	t.Parallel()
	failed := errors.New("the disk failed")
	for name, text := range map[string]string{
		"nothing": "", "in a row": "a,b", "in a quoted cell": `a,"b`, "after a quote": `a,"b"`, "after a line end in quotes": "a,\"b\nc\"", "after a delimiter": "\"a\nb\",",
	} {
		src := io.MultiReader(strings.NewReader(text), iotest.ErrReader(failed))
		if rows, err := all(NewScanner(src, ',')); !errors.Is(err, failed) || len(rows) > 0 {
			t.Errorf("%s: %d rows, %v, want the error of the source", name, len(rows), err)
		}
	}
	// The buffer ends after the second quote of a cell.
	src := io.MultiReader(strings.NewReader("\"\n"+strings.Repeat("x", 256<<10-3)+`"`), iotest.ErrReader(failed))
	if _, err := all(NewScanner(src, ',')); !errors.Is(err, failed) {
		t.Errorf("at the end of the buffer: %v", err)
	}
	if _, err := Open(t.Context(), "orders.csv", iotest.ErrReader(failed), 0); !errors.Is(err, failed) || !strings.HasPrefix(err.Error(), `file "orders.csv": `) {
		t.Errorf("opening: %v", err)
	}
}

func TestASampleEndsWithARow(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("a;b\t", 25) + "\n" // 101 bytes
	f, err := Open(t.Context(), "x.csv", strings.NewReader(strings.Repeat(line, 1000)), 0)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := f.Samples(5000)
	if err != nil || len(samples) != 4 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	for i, want := range []struct {
		delimiter byte
		cells     int
	}{{',', 1}, {';', 26}, {'\t', 26}, {'|', 1}} {
		s := samples[i]
		if s.Delimiter != want.delimiter || len(s.Records) != 65_536/101 || len(s.Records[0].Fields) != want.cells {
			t.Errorf("%q: %d rows of %d cells, want %d of %d", s.Delimiter, len(s.Records), len(s.Records[0].Fields), 65_536/101, want.cells)
		}
	}
	few, err := f.Samples(3)
	if err != nil || len(few[0].Records) != 3 || few[0].Records[2].Line != 3 {
		t.Errorf("%+v, %v, want 3 rows", few[0].Records, err)
	}
	if rows, err := all(f.Records(';')); err != nil || len(rows) != 1000 || f.Read() != 101_000 || f.Sheet() != "" || f.Compressed || f.Close() != nil {
		t.Errorf("%d rows of %d bytes, %v", len(rows), f.Read(), err)
	}
}

func TestUnpackedFilesHaveALimit(t *testing.T) {
	t.Parallel()
	content := zipped(t, bytes.Repeat([]byte("a,b\n"), 1<<14)) // 64 KiB
	for limit, fails := range map[int64]bool{0: false, 64 << 10: false, 64<<10 - 1: true} {
		f, err := Open(t.Context(), "x.csv.gz", bytes.NewReader(content), limit)
		if err != nil || !f.Compressed {
			t.Fatal(err)
		}
		rows, err := all(f.Records(','))
		if errors.Is(err, ErrLimit) != fails || !fails && (err != nil || len(rows) != 1<<14) {
			t.Errorf("limit %d: %d rows, %v", limit, len(rows), err)
		}
	}
	f, err := Open(t.Context(), "x.csv.gz", bytes.NewReader(zipped(t, make([]byte, 4<<20))), 3<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all(f.Records(',')); err == nil || !strings.HasPrefix(err.Error(), "it is larger than 3 MiB when decompressed") {
		t.Errorf("4 MiB: %v", err)
	}
}

// The first bytes determine the format of a file.
func TestFormatsByTheirFirstBytes(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"\xd0\xcf\x11\xe0rest": `workbook "x": it has the old format xls; save it as xlsx or CSV`,
		"\xd0\xcf\x11\xe1rest": "", "\xd0\xcf\x12\xe0rest": "", "\xd0\xce\x11\xe0rest": "", "\xd1\xcf\x11\xe0rest": "",
		"PK\x03\x04rest": `workbook "x": `, "PK\x03\x05rest": "", "\x1f\x8brest": `gzip file "x": `, "\x1f\x8crest": "", "\x1e\x8brest": "", "PK": "", "": "",
	} {
		f, err := Open(t.Context(), "x", strings.NewReader(content), 0)
		if want == "" && (err != nil || f.Encoding() == Workbook) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

func TestASCIIBytesAtTheStart(t *testing.T) {
	t.Parallel()
	for length := range 20 {
		ascii := bytes.Repeat([]byte{0x7f}, length)
		if got := asciiPrefix(ascii); got != length {
			t.Errorf("%d bytes of ASCII: %d", length, got)
		}
		for at := range ascii {
			for _, b := range []byte{0x80, 0xff} {
				text := bytes.Clone(ascii)
				text[at] = b
				if got := asciiPrefix(text); got != at {
					t.Errorf("byte %#x at %d of %d: %d", b, at, length, got)
				}
			}
		}
	}
}

// UTF-16 in a Latin script has a zero in at least a third of all bytes, all at even or all at odd offsets.
func TestZerosOfUTF16(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{
		"a\x00b\x00": {false, true}, "\x00a\x00b": {true, false}, "ab": {false, false}, "": {false, false}, "a\x00\x00b": {false, false},
		"a\x00b": {false, false}, "a\x00bcd\x00": {false, false}, "a\x00bcd": {false, false}, "a\x00b\x00c": {false, true},
	} {
		if got := [2]bool{zerosAt([]byte(text), 0), zerosAt([]byte(text), 1)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for name, want := range map[string]Encoding{"\xef\xbb\xbfa": UTF8BOM, "\xef\xbb\xbea": UTF8, "\xff\xfea\x00": UTF16LE, "\xfe\xff\x00a": UTF16BE, "\xc3": Windows1252, "\xef\xbf\xbd": UTF8} {
		text, encoding := decode(bufio.NewReader(strings.NewReader(name)))
		if _, err := io.ReadAll(text); err != nil || encoding() != want {
			t.Errorf("%q is %s, %v, want %s", name, encoding(), err, want)
		}
	}
}

func TestRowsOfAWorkbookHaveALimit(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	for _, last := range []struct{ row, cells int }{{1, 2}, {2, 2000}, {3, 2001}, {5, 1}} {
		cells := make([]any, last.cells)
		for i := range cells {
			cells[i] = "x"
		}
		if err := book.SetSheetRow("Sheet1", "A"+strconv.Itoa(last.row), &cells); err != nil {
			t.Fatal(err)
		}
	}
	var content bytes.Buffer
	if err := book.Write(&content); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), "x.xlsx", &content, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Encoding() != Workbook || f.Sheet() != "Sheet1" {
		t.Errorf("%s, sheet %q", f.Encoding(), f.Sheet())
	}
	for _, limit := range []int{1, 2, 9} {
		samples, err := f.Samples(limit)
		if err != nil || len(samples) != 1 || samples[0].Delimiter != 0 || len(samples[0].Records) != min(limit, 4) {
			t.Errorf("sample of %d rows: %d, %v", limit, len(samples[0].Records), err)
		}
	}
	rows, err := all(f.Records(0))
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, want := range []struct {
		line, cells int
		problem     string
	}{{1, 2, ""}, {2, 2000, ""}, {3, 2000, "the row has more than 2000 cells"}, {5, 1, ""}} {
		if r := rows[i]; r.Line != want.line || len(r.Fields) != want.cells || r.Problem != want.problem {
			t.Errorf("row %d: line %d, %d cells, %q, want %+v", i, r.Line, len(r.Fields), r.Problem, want)
		}
	}
}

func TestAWorkbookWithoutRowsIsRejected(t *testing.T) {
	t.Parallel()
	var content bytes.Buffer
	if err := excelize.NewFile().Write(&content); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), "x.xlsx", &content, 0); err == nil || err.Error() != `workbook "x.xlsx": no sheet has rows` {
		t.Errorf("the error is %v", err)
	}
}
