// Package ingesttest tests readers with golden files. An archive contains the files of an import, its options, and the
// resulting report and rows. Imports run with [ingest.Run] into a [Recorder].
package ingesttest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
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
	"assay/internal/control"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Update is the flag -update, which rewrites golden files.
var Update = flag.Bool("update", false, "rewrite the golden files")

// Shop is the workspace of the imports.
const Shop measure.WorkspaceID = "shop"

// Workspace returns [Shop] with a currency and a time zone.
func Workspace(currency money.Currency, zone string) control.Workspace {
	return control.Workspace{ID: Shop, Currency: currency, Zone: zone}
}

// Clock returns noon of November 20, 2026, in UTC.
func Clock() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// Options returns the options of an import of files for a workspace.
func Options(ws control.Workspace, files ...ingest.File) ingest.Options {
	return ingest.Options{Workspace: ws, HashKey: []byte("key"), Files: files, Clock: Clock, Log: slog.New(slog.DiscardHandler)}
}

// Text returns a file with the content.
func Text(name, content string) ingest.File {
	return ingest.File{
		Name: name, Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
	}
}

// Recorder is a store that records the rows of imports.
type Recorder struct {
	Rows    []string // table and fields that are not zero
	Windows []warehouse.AdWindow
}

// Begin implements [ingest.Store].
func (r *Recorder) Begin(context.Context, warehouse.ImportSpec) (warehouse.Import, error) {
	return r, nil
}

// FXRates implements [ingest.Store].
func (*Recorder) FXRates(context.Context, measure.WorkspaceID) ([]warehouse.FXRate, error) {
	return nil, nil
}

// Imported implements [ingest.Store].
func (*Recorder) Imported(context.Context, measure.WorkspaceID, string, bool) (warehouse.ImportRecord, bool, error) {
	return warehouse.ImportRecord{}, false, nil
}

// Add implements [warehouse.Import].
func (r *Recorder) Add(_ context.Context, b *warehouse.Batch) error {
	batch := reflect.ValueOf(*b)
	for i := range batch.NumField() {
		for j := range batch.Field(i).Len() {
			r.Rows = append(r.Rows, batch.Type().Field(i).Name+shown(batch.Field(i).Index(j)))
		}
	}
	return nil
}

// Replace implements [warehouse.Import].
func (r *Recorder) Replace(windows ...warehouse.AdWindow) { r.Windows = append(r.Windows, windows...) }

// Commit implements [warehouse.Import].
func (*Recorder) Commit(context.Context) (warehouse.Outcome, error) {
	return warehouse.Outcome{}, nil
}

// Abort implements [warehouse.Import].
func (*Recorder) Abort() {}

// shown returns the nonzero fields of a row as text.
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

// Rates contains exchange rates by day and pair, such as "2026-09-01 EURUSD".
type Rates map[string]string

// Rate implements [source.Rates].
func (r Rates) Rate(day civil.Date, from, to money.Currency) (money.Rate, bool) {
	rate, err := money.ParseRate(r[fmt.Sprintf("%s %s%s", day, from, to)])
	return rate, err == nil
}

// given contains an archive's import options. By default, the time zone is New York's and the currency is USD.
type given struct {
	Currency money.Currency
	Zone     string
	Source   string
	Channel  measure.Channel
	Skip     bool
	Rates    Rates
}

// Golden imports the files of each archive in testdata and compares the report and the rows with those in the archive.
// The name of a file selects its form; see [InForm].
func Golden(t *testing.T) {
	t.Helper()
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
	o := Options(control.Workspace{})
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
			o.Files = append(o.Files, InForm(t, f))
		}
		kept = append(kept, f)
	}
	o.Workspace, o.Source, o.Channel, o.SkipRejected = Workspace(how.Currency, how.Zone), how.Source, how.Channel, how.Skip
	o.Rates = how.Rates
	var got strings.Builder
	for _, f := range o.Files {
		one := o
		one.Files = []ingest.File{f}
		store := &Recorder{}
		report, err := ingest.Run(t.Context(), store, one)
		got.WriteString(report.Text())
		for _, row := range store.Rows {
			if err == nil {
				got.WriteString(row + "\n")
			}
		}
		for _, w := range store.Windows {
			got.WriteString("Replace" + shown(reflect.ValueOf(w)) + "\n")
		}
	}
	if *Update {
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

// InForm converts a file of an archive to the encoding or the line ends of its suffix: ".utf16", ".latin1" or ".crlf".
func InForm(t testing.TB, f txtar.File) ingest.File {
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
	return Text(f.Name, string(content))
}
