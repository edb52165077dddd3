package lab_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/fault"
	"assay/internal/lab"
)

// table reads the text as the file t.csv.
func table(t testing.TB, text string) *lab.Table {
	t.Helper()
	read, err := lab.Read("t.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// shared opens reference data in the folder shared next to the repository.
func shared(t testing.TB, name string) *lab.Table {
	t.Helper()
	path := filepath.Join("../../../shared/data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the reference data %s are not next to the project", name)
	}
	read, err := lab.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestBrokenFilesAreRejectedWithLineColumnAndValue(t *testing.T) {
	t.Parallel()
	numbers := func(l *lab.Table) error { _, err := l.Numbers("b"); return err }
	cases := []struct {
		name, text string
		read       func(*lab.Table) error
		want       string
	}{
		{"empty file", "", nil, "t.csv:1: the file is empty, want a header and at least one record"},
		{"header only", "a,b\n", nil, "t.csv:1: there are no records after the header"},
		{"short record", "a,b\n1,2\n3\n", nil, "t.csv:3: the record is not as long as the header, which has 2 columns"},
		{"open quote", "a,b\n1,\"2\n", nil, `t.csv:2: character 6: extraneous or missing " in quoted-field`},
		{"absent column", "a,c\n1,2\n", numbers, `t.csv:1: there is no column "b"`},
		{"column twice", "b,b\n1,2\n", numbers, `t.csv:1: column "b" appears more than once`},
		{"text", "a,b\n1,2\n1,x2\n", numbers, `t.csv:3: column "b": "x2" is not a number`},
		{"empty cell", "a,b\n1,\n", numbers, `t.csv:2: column "b": "" is not a number`},
		{"not a number", "a,b\n1,NaN\n", numbers, `t.csv:2: column "b": "NaN" is not a number`},
		{"infinite", "a,b\n1,-Inf\n", numbers, `t.csv:2: column "b": "-Inf" is not a number`},
		{"too large", "a,b\n1,1e999\n", numbers, `t.csv:2: column "b": "1e999" is not a number`},
		{"line after a cell of two lines", "a,b\n\"x\ny\",1\nz,?\n", numbers, `t.csv:4: column "b": "?" is not a number`},
		{
			"negative", "b\n-1\n", func(l *lab.Table) error { _, err := l.Amounts("b"); return err },
			`t.csv:2: column "b": "-1" is not a number of at least 0`,
		},
		{
			"day", "b\n2024-02-30\n", func(l *lab.Table) error { _, err := l.Days("b"); return err },
			`t.csv:2: column "b": "2024-02-30" is not a day written YYYY-MM-DD`,
		},
		{
			"mixed axis", "b\n7\n2024-01-01\n", func(l *lab.Table) error { _, err := l.Moments("b"); return err },
			`t.csv:3: column "b": "2024-01-01" is not a number, as the first record is`,
		},
		{
			"empty name", "b,c\n ,1\n", func(l *lab.Table) error { _, err := l.Names("b"); return err },
			`t.csv:2: column "b": " " is empty`,
		},
	}
	for _, c := range cases {
		read, err := lab.Read("t.csv", strings.NewReader(c.text))
		if err == nil && c.read != nil {
			err = c.read(read)
		}
		if err == nil || err.Error() != c.want || fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}

func TestColumnsHaveTheTypesAskedFor(t *testing.T) {
	t.Parallel()
	l := table(t, "\ufeffday, n ,at\n2024-02-29,1e3,2012.25\n2024-03-01 08:30:00, -.5,2012.5\n")
	days, err := l.Days("day")
	if err != nil || days[0].String() != "2024-02-29" || days[1].String() != "2024-03-01" {
		t.Errorf("days %v, %v", days, err)
	}
	if numbers, err := l.Numbers("n"); err != nil || numbers[0] != 1000 || numbers[1] != -0.5 {
		t.Errorf("numbers %v, %v", numbers, err)
	}
	want := []lab.Moment{{Text: "2024-02-29", At: 19782}, {Text: "2024-03-01 08:30:00", At: 19783 + 8.5/24}}
	if moments, err := l.Moments("day"); err != nil || !cmp.Equal(moments, want) {
		t.Errorf("moments %v, %v; want %v", moments, err, want)
	}
	if moments, err := l.Moments("at"); err != nil || moments[1] != (lab.Moment{Text: "2012.5", At: 2012.5}) {
		t.Errorf("moments %v, %v", moments, err)
	}
}

func TestAmountsKeepTheirDigitsAsWholeNumbers(t *testing.T) {
	t.Parallel()
	whole, unit := lab.InWhole([]float64{29.33, 0.1, 7})
	if unit != 100 || !cmp.Equal(whole, []int64{2933, 10, 700}) {
		t.Errorf("%v in units of 1/%v, want hundredths", whole, unit)
	}
	if whole, unit := lab.InWhole([]float64{1e15, 0.25}); unit != 1 || whole[0] != 1e15 {
		t.Errorf("%v in units of 1/%v, want whole numbers where there is no room for digits", whole, unit)
	}
}

func TestReportWithoutAFiniteNumberIsNotPrinted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	report := &lab.CLVReport{Verdict: lab.Granted(), Params: map[string]float64{"r": math.NaN()}}
	if err := lab.Write(&out, report); err == nil || out.Len() > 0 {
		t.Errorf("printed %q, %v; want nothing and an error", out.String(), err)
	}
}

// document prints the report and returns the parsed output.
func document(t testing.TB, r lab.Report) map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := lab.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(out.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// FuzzTable reads untrusted files. Each column is read, or rejected with its location.
func FuzzTable(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("\ufeffa\n\"x\ny\"\n")
	f.Add("a\n2024-02-30\n2024-01-01 07:00\n")
	f.Add("a,a\nNaN,1e400\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := lab.Read("t.csv", strings.NewReader(text))
		if err != nil {
			placed(t, err)
			return
		}
		for _, column := range append(l.Columns(), "absent") {
			numbers, err := l.Numbers(column)
			placed(t, err)
			for _, x := range numbers {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("column %q contains %v", column, x)
				}
			}
			_, err = l.Days(column)
			placed(t, err)
			_, err = l.Moments(column)
			placed(t, err)
			_, err = l.Names(column)
			placed(t, err)
		}
	})
}

func placed(t *testing.T, err error) {
	t.Helper()
	if err != nil && (!strings.HasPrefix(err.Error(), "t.csv:") || fault.KindOf(err) != fault.KindInvalid) {
		t.Errorf("%v does not state the location", err)
	}
}
