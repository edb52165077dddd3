package tabular

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

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
		"empty rows are passed over":      {"\n\na\n , \n,,\nb\n", []Record{row(3, "a"), row(6, "b")}},
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

func TestScannerTellsBadRowsFromGoodOnes(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, problem string }{
		"text behind a quote": {"a,b\n\"x\"y,2\n3,4\n", "text follows the closing quote of cell 1"},
		"a NUL byte":          {"a,b\n1\x00,2\n3,4\n", "the row holds a NUL byte"},
		"not UTF-8":           {"a,b\n\xff\xfe,2\n3,4\n", "the row is not UTF-8, as the rest of the file is"},
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

func TestScannerGivesUpWhereNothingBehindCanBeTrusted(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, want string }{
		"a quote that stays open":        {"a,b\n1,2\n3,\"x\n4,5\n", "the quote that opens in line 3 is never closed"},
		"an open quote in a second line": {"a,b\n\"1\n2\",\"x\n4,5\n", "the quote that opens in line 3 is never closed"},
		"a row without end":              {"a,b\n" + strings.Repeat("x", 2*MaxRecord+1), "the row that starts in line 2 is longer than 4 MiB; a quote may be missing: the file exceeds a limit"},
	}
	for name, c := range cases {
		if _, err := all(NewScanner(strings.NewReader(c.text), ',')); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// FuzzScanner holds that whatever encoding/csv reads without complaint is read the same, that nothing else makes
// the scanner fail in another way than by an error, and that the size of the pieces it gets does not matter.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "\"a\nb\",c\r\n", "x;\"y\"\"z\"", "\"open", "\x00,\xff\n", "a\"b,c\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := all(NewScanner(strings.NewReader(text), ','))
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
			if blank(fields) {
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
	text := strings.Repeat("100123,2026-01-02 10:20:00 +0000,customer@example.com,20.10,3.00,4.90,0.00,USD,US,paid\n", 100_000)
	b.Run("Scanner", func(b *testing.B) {
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
	b.Run("encoding_csv", func(b *testing.B) {
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
