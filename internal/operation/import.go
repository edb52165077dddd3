package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/source"
	"assay/internal/jobs"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Import describes the files of an import and how to read them.
type Import struct {
	Paths        []string        `json:"files"` // absolute: another process may read them
	Files        []ingest.File   `json:"-"`     // open files, instead of paths
	Source       string          `json:"source,omitempty"`
	Channel      measure.Channel `json:"channel,omitempty"`
	MappingName  string          `json:"mapping,omitempty"`  // path of a mapping file, or the name of a saved mapping
	Mapping      *mapper.Mapping `json:"-"`                  // mapping, instead of MappingName
	Currency     money.Currency  `json:"currency,omitempty"` // currency of amounts, if the files do not state it
	Zone         string          `json:"zone,omitempty"`     // IANA name of the time zone, if the files do not state it
	Dates        string          `json:"dates,omitempty"`    // DD/MM/YYYY or MM/DD/YYYY; detected when empty
	Latest       bool            `json:"latest,omitempty"`   // the files are newer than the stored data
	DryRun       bool            `json:"dry_run,omitempty"`
	SkipRejected bool            `json:"skip_rejected,omitempty"`
	Unpacked     int64           `json:"-"` // maximum uncompressed size of a file in bytes; 0: [ingest.MaxUnpacked]
}

// title implements [titled].
func (in Import) title() string {
	verb := "Importing "
	if in.DryRun {
		verb = "Reading "
	}
	if n := len(in.Files) + len(in.Paths); n != 1 {
		return fmt.Sprintf("%s%d files", verb, n)
	}
	if len(in.Files) == 1 {
		return verb + in.Files[0].Name
	}
	return verb + filepath.Base(in.Paths[0])
}

// Imported is the report of an import, with the reason if files were rejected.
type Imported struct {
	Report  ingest.Report `json:"report"`
	Refused *Refusal      `json:"refused,omitempty"`
}

// Refusal is the reason why an import rejected files.
type Refusal struct {
	Kind fault.Kind `json:"kind"`
	Text string     `json:"text"`
	Hint string     `json:"hint,omitempty"`
}

// Err returns the reason why files were rejected, or nil.
func (i Imported) Err() error {
	if i.Refused == nil {
		return nil
	}
	return fault.New(i.Refused.Kind, "%s", i.Refused.Text).WithHint("%s", i.Refused.Hint)
}

// ImportFiles imports files, each in one transaction. The result reports rejected files. The error reports other
// failures. In that case, the result lists the files imported before the failure. The caller's permission is checked
// again before each commit, because reading a file may take an hour.
var ImportFiles = Operation[Import, Imported]{
	Spec{
		Name: "import.files", Needs: Write, Facts: true, Locks: true, Job: jobs.Import,
		Undo: "Import the earlier file again: rows with the same keys are replaced. New rows remain.",
	},
	(*Run).importFiles,
}

func (r *Run) importFiles(ctx context.Context, in Import) (Imported, error) {
	options, err := r.importOptions(ctx, in)
	if err != nil {
		return Imported{}, err
	}
	report, err := ingest.Run(ctx, permittedStore{r.Warehouse, r}, options)
	result := Imported{Report: report}
	if fault.KindOf(err) == fault.KindInvalid {
		_, hint, _ := fault.Public(err)
		result.Refused = &Refusal{Kind: fault.KindInvalid, Text: err.Error(), Hint: hint}
		err = nil
	}
	return result, err
}

// importClock returns the current time, with which an import compares the days of rows. It is the later of the real
// clock and the clock that answers use. A demo store may fix the second clock on a future day. A row on that day is
// then not in the future.
func (r *Run) importClock() time.Time {
	now := r.Now()
	if r.Clock == nil {
		return now
	}
	if fixed := r.Clock(); fixed.After(now) {
		return fixed
	}
	return now
}

func (r *Run) importOptions(ctx context.Context, in Import) (o ingest.Options, err error) {
	o = ingest.Options{
		Workspace: r.Workspace, Files: in.Files, Source: in.Source, Channel: measure.ParseChannel(string(in.Channel)), Mapping: in.Mapping,
		Latest: in.Latest, DryRun: in.DryRun, SkipRejected: in.SkipRejected, Progress: r.Call.Progress, Unpacked: in.Unpacked,
		HashKey: r.Installation.HashKey(r.Workspace.ID), TempDir: r.TempDir, Parquet: r.Parquet, Clock: r.importClock, Log: r.Log,
	}
	if o.Zone, err = zoneOf(in.Zone); err != nil {
		return o, err
	}
	var known bool
	if o.Dates, known = source.ParseDayOrder(in.Dates); !known {
		return o, fault.Invalid("--dates %q is not an order of day and month", in.Dates).WithHint("use DD/MM/YYYY or MM/DD/YYYY, or omit --dates")
	}
	if in.Currency != "" {
		if o.Currency, err = money.ParseCurrency(string(in.Currency)); err != nil {
			return o, fault.Invalid("currency: %v", err)
		}
	}
	for _, path := range in.Paths {
		file, err := ingest.FileAt(path)
		if err != nil {
			return o, fault.Invalid("file %s cannot be read: %v", path, cmp.Or(errors.Unwrap(err), err)).
				WithHint("name the files individually, or with a shell pattern such as exports/*.csv")
		}
		o.Files = append(o.Files, file)
	}
	if in.MappingName != "" {
		o.Mapping, err = r.mappingAt(ctx, in.MappingName)
	}
	return o, err
}

// mappingAt returns the mapping in the file at an absolute path, or the saved mapping with that name.
func (r *Run) mappingAt(ctx context.Context, name string) (*mapper.Mapping, error) {
	if !filepath.IsAbs(name) {
		return r.mapping(ctx, name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fault.Invalid("mapping %s cannot be read: %v", name, errors.Unwrap(err))
	}
	m, err := mapper.Parse(text)
	if err != nil {
		return nil, err
	}
	return &m, nil
}

// zoneOf returns the time zone with an IANA name, or nil for "".
func zoneOf(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // a missing zone is valid
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fault.Invalid("%q is not a time zone", name).WithHint("use an IANA name such as America/New_York or UTC")
	}
	return zone, nil
}

// permittedStore is the store of facts for an import that checks the caller's permission before each commit.
type permittedStore struct {
	ingest.Store
	run *Run
}

// Begin implements [ingest.Store].
func (s permittedStore) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	into, err := s.Store.Begin(ctx, spec)
	if err != nil {
		return nil, err
	}
	return permittedImport{into, s.run}, nil
}

type permittedImport struct {
	warehouse.Import
	run *Run
}

// Commit implements [warehouse.Import].
func (i permittedImport) Commit(ctx context.Context) (warehouse.Outcome, error) {
	if err := i.run.Permitted(ctx); err != nil {
		return warehouse.Outcome{}, err
	}
	return i.Import.Commit(ctx)
}

// Folder is the target of an export. The path is absolute, because another process may write to it.
type Folder struct {
	Dir    string                 `json:"dir"`
	Format warehouse.ExportFormat `json:"format"`
}

// Export writes every table of a workspace to a folder, which must be empty or not exist yet.
var Export = Operation[Folder, []warehouse.ExportedTable]{Spec{Name: "export", Needs: Read, Facts: true}, (*Run).export}

func (r *Run) export(ctx context.Context, to Folder) ([]warehouse.ExportedTable, error) {
	there, err := os.ReadDir(to.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(to.Dir, 0o700)
	case err == nil && len(there) > 0:
		return nil, fault.Invalid("folder %s is not empty", to.Dir).WithHint("use a new folder: existing files are not overwritten")
	}
	if err != nil {
		return nil, fault.Invalid("folder %s cannot be used: %v", to.Dir, errors.Unwrap(err))
	}
	return r.Warehouse.Export(ctx, r.Workspace.ID, to.Dir, to.Format)
}
