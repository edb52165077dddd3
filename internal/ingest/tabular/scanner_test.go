package tabular

import (
	"encoding/csv"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"
	"weak"

	"github.com/google/go-cmp/cmp"
)

func all(records Records) (rows []Record, err error) {
	for {
		r, err := records.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		r.Fields = append([]string(nil), r.Fields...)
		rows = append(rows, r)
	}
}

func row(line int, fields ...string) Record { return Record{Line: line, Fields: fields} }

func TestScannerReadsWhatExportsContain(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text string
		want []Record
	}{
		"plain rows":                      {"a,b\n1,2\n", []Record{row(1, "a", "b"), row(2, "1", "2")}},
		"no line end at the end":          {"a,b\n1,2", []Record{row(1, "a", "b"), row(2, "1", "2")}},
		"line ends of Windows":            {"a,b\r\n\"1\",2\r\n", []Record{row(1, "a", "b"), row(2, "1", "2")}},
		"empty rows are skipped":          {"\n\na\n , \n,,\nb\n", []Record{row(3, "a"), row(6, "b")}},
		"a line end inside quotes":        {"a,\"x\ny\nz\"\nb,c\n", []Record{row(1, "a", "x\ny\nz"), row(4, "b", "c")}},
		"a delimiter inside quotes":       {"\"a,b\",c\n", []Record{row(1, "a,b", "c")}},
		"a doubled quote":                 {"\"say \"\"hi\"\"\",\"\"\n", []Record{row(1, `say "hi"`, "")}},
		"a quote inside unquoted text":    {"5\" pipe,x\n1,2\n", []Record{row(1, `5" pipe`, "x"), row(2, "1", "2")}},
		"empty cells at the end":          {"a,\"b\",\n", []Record{row(1, "a", "b", "")}},
		"an empty cell at the file's end": {"\"a\",", []Record{row(1, "a", "")}},
	}
	for name, c := range cases {
		for form, src := range map[string]io.Reader{"at once": strings.NewReader(c.text), "byte by byte": iotest.OneByteReader(strings.NewReader(c.text))} {
			got, err := all(NewScanner(src, ','))
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s, %s: %v (-want +got):\n%s", name, form, err, diff)
			}
		}
	}
}

func TestScannerMarksBadRows(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, problem string }{
		"text behind a quote": {"a,b\n\"x\"y,2\n3,4\n", "text follows the closing quote of cell 1"},
		"a NUL byte":          {"a,b\n1\x00,2\n3,4\n", "the row contains a NUL byte"},
		"not UTF-8":           {"a,b\n\xff\xfe,2\n3,4\n", "the row is not UTF-8, but the rest of the file is"},
		"a split character":   {"a,b\n\"\xc3\",\xa9\n3,4\n", "the row is not UTF-8, but the rest of the file is"},
		"too many cells":      {"a,b\n" + strings.Repeat(",x", MaxColumns) + "\n3,4\n", "the row has more than 2000 cells"},
		"a huge cell":         {"a,b\n1," + strings.Repeat("x", MaxField+1) + "\n3,4\n", "cell 2 is larger than 1 MiB"},
		"a huge quoted cell":  {"a,b\n1,\"" + strings.Repeat("x", MaxField+1) + "\"\n3,4\n", "cell 2 is larger than 1 MiB"},
	}
	for name, c := range cases {
		got, err := all(NewScanner(strings.NewReader(c.text), ','))
		if err != nil || len(got) != 3 || got[1].Problem != c.problem || got[1].Line != 2 || got[2].Problem != "" || got[2].Line != 3 {
			t.Errorf("%s: %+v, %v; want the problem %q in line 2 only", name, got, err, c.problem)
		}
	}
}

func TestScannerFailsWhereLaterRowsCannotBeTrusted(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, want string }{
		"a quote that stays open":        {"a,b\n1,2\n3,\"x\n4,5\n", "the quote that starts in line 3 is never closed"},
		"an open quote in a second line": {"a,b\n\"1\n2\",\"x\n4,5\n", "the quote that starts in line 3 is never closed"},
		"a row without end":              {"a,b\n" + strings.Repeat("x", 2*MaxRecord+1), "the row that starts in line 2 is longer than 4 MiB; a quote may be missing: the file exceeds a limit"},
	}
	for name, c := range cases {
		if _, err := all(NewScanner(strings.NewReader(c.text), ',')); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// The limit applies to the bytes of a row without its line end. Rows before it move the row in the buffer.
func TestARowHasAtMostMaxRecordBytes(t *testing.T) {
	t.Parallel()
	// sized returns a row with a number of bytes in eight cells. Quoted cells have line ends.
	sized := func(quote string, size int) string {
		cells := make([]string, 8)
		for i := range cells {
			cells[i] = quote + strings.Repeat("x", size/len(cells)-2*len(quote)-1) + quote
		}
		row := strings.Join(cells, ",")
		row = quote + strings.Repeat("x", size-len(row)) + row[len(quote):]
		return strings.ReplaceAll(row, `xxx"`, "x\nx\"")
	}
	for _, before := range []string{"", "a\n", "a,b\n1,2\n", strings.Repeat("a", 300_000) + "\n"} {
		for _, quote := range []string{"", `"`} {
			for _, end := range []string{"", "\n", "\r\n", "\n3,4\n", "\r\n3,4\r\n"} {
				for _, over := range []int{0, 1, 2, MaxRecord} {
					rows, err := all(NewScanner(strings.NewReader(before+sized(quote, MaxRecord+over)+end), ','))
					earlier := strings.Count(before, "\n")
					want := earlier + 1 + strings.Count(end, "3")
					if over > 0 {
						want = earlier
					}
					if errors.Is(err, ErrLimit) != (over > 0) || over <= 0 && err != nil || len(rows) != want {
						t.Errorf("%d rows, quote %q, %+d bytes, end %q: %d rows, %v; want %d", earlier, quote, over, end, len(rows), err, want)
						continue
					}
					if over <= 0 && (rows[earlier].Problem != "" || len(rows[earlier].Fields) != 8) {
						t.Errorf("%d rows, quote %q, %+d bytes, end %q: %d cells and the problem %q", earlier, quote, over, end, len(rows[earlier].Fields), rows[earlier].Problem)
					}
				}
			}
		}
	}
}

// hostileRows contains cells that a row repeats many times. A scanner takes quadratic time if it searches the remaining
// row for each of them.
var hostileRows = map[string]string{
	"empty quoted cells":          `"",`,
	"empty cells":                 `,`,
	"empty cells after a quote":   `"a,b",,,`,
	"doubled quotes":              `"""",`,
	"line ends inside quotes":     "\"\n\",",
	"delimiters inside quotes":    `",,,",`,
	"text after closing quotes":   `"a"b,`,
	"quotes inside unquoted text": `a"b",`,
	"carriage returns":            "\"\"\r,",
}

// The number of steps for a row of 4 MiB grows linearly with the length of the row, for all kinds of cells.
func TestScannerIsLinearInTheLengthOfARow(t *testing.T) {
	t.Parallel()
	steps := func(cell string, size int) int {
		text := "a,b\n" + strings.Repeat(cell, size/len(cell)) + "\n1,2\n"
		s := NewScanner(strings.NewReader(text), ',')
		rows, err := all(s)
		if err != nil || len(rows) != 3 || rows[1].Problem == "" || rows[2].Line != strings.Count(text, "\n") {
			t.Errorf("%q: %d rows, %v; want a problem in the second of three", cell, len(rows), err)
		}
		return s.steps
	}
	for name, cell := range hostileRows {
		for _, size := range []int{64 << 10, MaxRecord} { // short text first, so that a quadratic scanner fails soon
			half, whole := steps(cell, size/2), steps(cell, size)
			if whole > 8*size || whole > 3*half {
				t.Errorf("%s: %d steps for %d bytes and %d for half of them; want them to grow with the length", name, whole, size, half)
				break
			}
		}
	}
}

// Cells beyond the limit are skipped up to the end of their row, so later rows have correct lines.
func TestScannerSkipsCellsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	for name, rest := range map[string]string{
		"unquoted":               strings.Repeat(",y", 5),
		"quoted":                 strings.Repeat(`,"y"`, 5),
		"a line end in quotes":   ",\"y\nz\"",
		"a delimiter in quotes":  ",\"y,z\"",
		"many more":              strings.Repeat(`,""`, 100*MaxColumns),
		"a cell above its limit": `,"` + strings.Repeat("y", MaxField+1) + `"`,
	} {
		text := `"x"` + strings.Repeat(",x", MaxColumns-1) + rest + "\n3,4\n"
		s := NewScanner(strings.NewReader(text), ',')
		rows, err := all(s)
		if err != nil || len(rows) != 2 {
			t.Errorf("%s: %d rows, %v; want 2", name, len(rows), err)
			continue
		}
		if rows[0].Problem != "the row has more than 2000 cells" || len(rows[0].Fields) != MaxColumns {
			t.Errorf("%s: %d cells and the problem %q", name, len(rows[0].Fields), rows[0].Problem)
		}
		if want := row(1+strings.Count(rest, "\n")+1, "3", "4"); !cmp.Equal(rows[1], want) {
			t.Errorf("%s: then %+v, want %+v", name, rows[1], want)
		}
		if kept := len(s.quoted.text); kept > MaxColumns {
			t.Errorf("%s: %d bytes of skipped cells are stored", name, kept-MaxColumns)
		}
	}
}

func TestACellOfALargeRowDoesNotKeepTheRow(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("x", 1<<20)
	for _, row := range []string{"id," + pad, `"id",` + pad} {
		r, err := NewScanner(strings.NewReader(row), ',').Next()
		if err != nil || len(r.Fields) != 2 {
			t.Fatalf("%d cells, %v", len(r.Fields), err)
		}
		kept, rest := r.Fields[0], weak.Make(unsafe.StringData(r.Fields[1]))
		r.Fields[1] = ""
		runtime.GC()
		if rest.Value() != nil {
			t.Errorf("%.5s…: the row is still in memory", row)
		}
		runtime.KeepAlive(kept)
	}
}

// FuzzScanner checks that the scanner agrees with encoding/csv on text without errors and that all other text ends in
// rows or an error. The result must not depend on the number of bytes per read. A row must never have more cells than
// the limit, and the lines of rows must ascend. The number of steps must be limited by the length of the text.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "\"a\nb\",c\r\n", "x;\"y\"\"z\"", "\"open", "\x00,\xff\n", "a\"b,c\n", "@@@\nb", "@@\"\n\"@\nb\n", "@@\n0\n1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "@", strings.Repeat(`"",`, MaxColumns/2)) // two of them are a row with too many cells
		s := NewScanner(strings.NewReader(text), ',')
		got, err := all(s)
		if s.steps > 8*len(text)+64 {
			t.Fatalf("%d steps for %d bytes", s.steps, len(text))
		}
		line := 0
		for _, r := range got {
			if len(r.Fields) > MaxColumns || r.Line <= line {
				t.Fatalf("line %d after line %d has %d cells", r.Line, line, len(r.Fields))
			}
			line = r.Line
		}
		pieces, piecesErr := all(NewScanner(iotest.HalfReader(strings.NewReader(text)), ','))
		if diff := cmp.Diff(got, pieces); diff != "" || (err == nil) != (piecesErr == nil) {
			t.Fatalf("in pieces it reads otherwise (-whole +pieces):\n%s", diff)
		}
		reference := csv.NewReader(strings.NewReader(text))
		reference.FieldsPerRecord = -1
		want, wantErr := reference.ReadAll()
		if err != nil || wantErr != nil || strings.ContainsAny(text, "\r\x00") {
			return
		}
		i := 0
		for _, fields := range want {
			if blank(fields) && len(fields) <= MaxColumns {
				continue
			}
			if i >= len(got) {
				t.Fatalf("row %d, %q, is missing", i, fields)
			}
			if got[i].Problem == "" && !cmp.Equal(fields, got[i].Fields) {
				t.Fatalf("row %d: %q, want %q", i, got[i].Fields, fields)
			}
			i++
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	texts := map[string]string{
		"plain": strings.Repeat("100123,2026-01-02 10:20:00 +0000,customer@example.com,20.10,3.00,4.90,0.00,USD,US,paid\n", 100_000),
		"quoted": strings.Repeat(`"100123","2026-01-02 10:20:00 +0000","customer@example.com","20.10","3.00","4.90","0.00","USD","US","paid"`+"\n",
			100_000),
		"one_quoted_cell": strings.Repeat("100123,2026-01-02 10:20:00 +0000,customer@example.com,20.10,3.00,4.90,0.00,\"shoes, red\",US,paid\n", 100_000),
	}
	for name, text := range texts {
		b.Run("Scanner/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s := NewScanner(strings.NewReader(text), ',')
				for {
					if _, err := s.Next(); err != nil {
						break
					}
				}
			}
			b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
		b.Run("encoding_csv/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r := csv.NewReader(strings.NewReader(text))
				r.ReuseRecord = true
				for {
					if _, err := r.Read(); err != nil {
						break
					}
				}
			}
			b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
