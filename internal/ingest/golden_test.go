package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"assay/internal/civil"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// recorder stores the rows of an import, so that golden files show them.
type recorder struct {
	spec    warehouse.ImportSpec
	rows    []string
	windows []warehouse.AdWindow
}

func (r *recorder) Begin(_ context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	r.spec = spec
	return r, nil
}

func (*recorder) FXRates(context.Context, measure.WorkspaceID) ([]warehouse.FXRate, error) {
	return nil, nil
}

func (r *recorder) Imported(context.Context, measure.WorkspaceID, string) (warehouse.ImportRecord, bool, error) {
	return warehouse.ImportRecord{}, false, nil
}

func (r *recorder) Add(_ context.Context, b *warehouse.Batch) error {
	batch := reflect.ValueOf(*b)
	for i := range batch.NumField() {
		for j := range batch.Field(i).Len() {
			r.rows = append(r.rows, batch.Type().Field(i).Name+shown(batch.Field(i).Index(j)))
		}
	}
	return nil
}

func (r *recorder) Replace(windows ...warehouse.AdWindow) { r.windows = append(r.windows, windows...) }

func (r *recorder) Commit(context.Context) (warehouse.Outcome, error) {
	return warehouse.Outcome{}, nil
}

func (r *recorder) Abort() {}

// shown writes the fields of a row that are not zero.
func shown(v reflect.Value) string {
	var out strings.Builder
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if f.IsZero() {
			continue
		}
		switch x := f.Interface().(type) {
		case time.Time:
			fmt.Fprintf(&out, " %s=%s", name, x.Format(time.RFC3339))
		case warehouse.OrderRef:
			fmt.Fprintf(&out, " %s/%s", x.Source, x.Key)
		case civil.Range, civil.Date, money.Amount:
			fmt.Fprintf(&out, " %s=%s", name, x)
		case string:
			fmt.Fprintf(&out, " %s=%q", name, x)
		default:
			fmt.Fprintf(&out, " %s=%v", name, x)
		}
	}
	return out.String()
}

// given is the part of an archive with the options of the import. The default is a shop in New York.
type given struct {
	Currency money.Currency
	Zone     string
	Source   string
	Channel  measure.Channel
	Skip     bool
	Rates    map[string]string // "2026-09-01 EURUSD": rate
}

// TestGolden imports the files of each archive and compares the report and the rows. The suffix of a file's name
// selects its form: ".utf16", ".latin1" and ".crlf".
func TestGolden(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			golden(t, path)
		})
	}
}

func golden(t *testing.T, path string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	how := given{Currency: "USD", Zone: "America/New_York"}
	o := ingest.Options{HashKey: []byte("key"), Clock: clock, Log: quiet()}
	var kept []txtar.File
	var want string
	for _, f := range archive.Files {
		switch f.Name {
		case "want":
			want = string(f.Data)
			continue
		case "how.json":
			if err := json.Unmarshal(f.Data, &how); err != nil {
				t.Fatal(err)
			}
		case "mapping.yaml":
			m, err := mapper.Parse(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			o.Mapping = &m
		default:
			o.Files = append(o.Files, inForm(t, f))
		}
		kept = append(kept, f)
	}
	o.Workspace, o.Source, o.Channel, o.SkipRejected = workspace(how.Currency, how.Zone), how.Source, how.Channel, how.Skip
	o.Rates = rates(how.Rates)
	var got strings.Builder
	for _, f := range o.Files {
		one := o
		one.Files = []ingest.File{f}
		store := &recorder{}
		report, err := ingest.Run(t.Context(), store, one)
		got.WriteString(report.Text())
		for _, row := range store.rows {
			if err == nil {
				got.WriteString(row + "\n")
			}
		}
		for _, w := range store.windows {
			got.WriteString("Replace" + shown(reflect.ValueOf(w)) + "\n")
		}
	}
	if *update {
		archive.Files = append(kept, txtar.File{Name: "want", Data: []byte(got.String())})
		if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// inForm converts a file of an archive to the form of its suffix.
func inForm(t *testing.T, f txtar.File) ingest.File {
	t.Helper()
	content, err := slices.Clone(f.Data), error(nil)
	switch filepath.Ext(f.Name) {
	case ".utf16":
		content, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(content)
	case ".latin1":
		content, err = charmap.Windows1252.NewEncoder().Bytes(content)
	case ".crlf":
		content = bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return ingest.File{
		Name: f.Name, Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
	}
}

// rates are exchange rates of single days, by "2026-09-01 EURUSD".
type rates map[string]string

func (r rates) Rate(day civil.Date, from, to money.Currency) (money.Rate, bool) {
	rate, err := money.ParseRate(r[fmt.Sprintf("%s %s%s", day, from, to)])
	return rate, err == nil
}
