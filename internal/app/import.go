package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"assay/internal/config"
	"assay/internal/console"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse/duckdb"
)

// StandardInput is the name of a file that is read from [ImportRequest.Input].
const StandardInput = "-"

// ImportRequest says what to import. Paths are absolute: the process that reads them may be another one.
type ImportRequest struct {
	Workspace    measure.WorkspaceID `json:"workspace"`
	Files        []string            `json:"files"`
	Input        io.Reader           `json:"-"` // what the file [StandardInput] contains
	Source       string              `json:"source,omitempty"`
	Channel      measure.Channel     `json:"channel,omitempty"`
	Mapping      string              `json:"mapping,omitempty"`  // path of a mapping, or the name of one that the workspace keeps, instead of a source
	Currency     money.Currency      `json:"currency,omitempty"` // of amounts, where the files do not tell
	Zone         string              `json:"zone,omitempty"`     // of times, where the files do not tell; an IANA name
	Latest       bool                `json:"latest,omitempty"`   // the files are newer than what the store has, whatever they look like
	DryRun       bool                `json:"dry_run,omitempty"`
	SkipRejected bool                `json:"skip_rejected,omitempty"`
}

// ImportResult is the report of an import, and why files were refused where some were.
type ImportResult struct {
	Report  ingest.Report `json:"report"`
	Refused *faultLine    `json:"refused,omitempty"`
}

// Err returns why files were refused, nil when none were.
func (r ImportResult) Err() error {
	if r.Refused == nil {
		return nil
	}
	return fault.New(r.Refused.Kind, "%s", r.Refused.Text).WithHint("%s", r.Refused.Hint)
}

// ImportFiles imports through the service that holds the data directory, or directly where none does. The result
// tells what was done also when an error ended the work half-way.
func ImportFiles(ctx context.Context, c config.Config, request ImportRequest, progress func(done, total int64), now func() time.Time) (result ImportResult, failed error) {
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return ImportResult{}, fault.NotFound("there is no data directory %s", c.Data).
			WithHint("make a workspace first: assay workspace create NAME")
	}
	if _, err := os.Stat(request.Mapping); err == nil {
		paths, err := absolute([]string{request.Mapping})
		if err != nil {
			return ImportResult{}, err
		}
		request.Mapping = paths[0]
	}
	a, s, err := reach(ctx, c, now)
	if err != nil {
		return ImportResult{}, err
	}
	if a != nil {
		defer func() { failed = errors.Join(failed, a.Close()) }()
	}
	// Standard input is spooled once this process holds the data directory or another one does: whoever takes the directory
	// next empties the folder of uploads.
	files, remove, err := spoolInput(filepath.Join(c.Data, uploadsDir), request)
	if err != nil {
		return ImportResult{}, err
	}
	defer remove()
	if request.Files, err = absolute(files); err != nil {
		return ImportResult{}, err
	}
	if a != nil {
		return a.Import(ctx, request, progress)
	}
	answer, err := s.ask(ctx, "/import", request, progress)
	return decoded[ImportResult](answer, err)
}

// spoolInput returns the request's files with a temporary file in place of standard input, which remove deletes.
func spoolInput(dir string, request ImportRequest) (files []string, remove func(), err error) {
	at := slices.Index(request.Files, StandardInput)
	if at < 0 {
		return request.Files, func() {}, nil
	}
	path, err := ingest.WriteTemp(dir, "assay-stdin-*", request.Input)
	if err != nil {
		return nil, nil, fault.Unavailable("standard input cannot be stored in %s", dir).Wrap(err)
	}
	files = slices.Clone(request.Files)
	files[at] = path
	return files, func() { _ = os.Remove(path) }, nil
}

// Import imports files into a workspace. Files that are refused stand in the result; the error is about everything
// else, and the result then tells what was imported before it.
func (a *App) Import(ctx context.Context, request ImportRequest, progress func(done, total int64)) (ImportResult, error) {
	options := ingest.Options{
		Source: request.Source, Channel: request.Channel, Latest: request.Latest, DryRun: request.DryRun, SkipRejected: request.SkipRejected,
		Currency: request.Currency, Progress: progress,
	}
	var err error
	if options.Zone, err = zoneOf(request.Zone); err != nil {
		return ImportResult{}, err
	}
	for _, path := range request.Files {
		file, err := ingest.FileAt(path)
		if err != nil {
			return ImportResult{}, fault.Invalid("file %s cannot be read: %v", path, cmp.Or(errors.Unwrap(err), err)).
				WithHint("name files one by one or by a pattern of the shell, such as exports/*.csv")
		}
		options.Files = append(options.Files, file)
	}
	if options.Mapping, err = a.mapping(ctx, request.Workspace, request.Mapping); err != nil {
		return ImportResult{}, err
	}
	report, err := a.importInto(ctx, request.Workspace, options, nil)
	result := ImportResult{Report: report}
	if fault.KindOf(err) == fault.KindInvalid {
		result.Refused = asLine(err)
		err = nil
	}
	return result, err
}

// importInto runs an import when it is the workspace's turn. Before a file is kept, who sent it is asked for once more.
func (a *App) importInto(ctx context.Context, ws measure.WorkspaceID, o ingest.Options, may permit) (ingest.Report, error) {
	leave, err := a.writing.enter(ctx, ws)
	if err != nil {
		return ingest.Report{}, err
	}
	defer leave()
	if o.Workspace, err = a.control.Store.Workspace(ctx, ws); err != nil {
		return ingest.Report{}, err
	}
	o.HashKey, o.Clock, o.Log = a.control.Installation.HashKey(ws), a.now, a.log
	o.Parquet, o.TempDir = duckdb.ParquetToCSV, filepath.Join(a.config.Data, uploadsDir)
	return ingest.Run(ctx, askedStore{a.facts, may}, o)
}

// importUpload imports a file that somebody sent to a page.
func (a *App) importUpload(ctx context.Context, u console.Upload) (report ingest.FileReport, err error) {
	o := ingest.Options{
		Files: []ingest.File{u.File}, Source: u.Source, Channel: measure.ParseChannel(u.Channel), DryRun: u.DryRun, SkipRejected: u.SkipRejected,
		Mapping: u.Mapping, Progress: u.Progress, Unpacked: u.Unpacked,
	}
	if u.Currency != "" {
		if o.Currency, err = money.ParseCurrency(u.Currency); err != nil {
			return report, fault.Invalid("currency: %v", err)
		}
	}
	if o.Zone, err = zoneOf(u.Zone); err != nil {
		return report, err
	}
	all, err := a.importInto(ctx, u.Workspace, o, a.personWrites(u.Workspace, u.By))
	if len(all.Files) > 0 {
		report = all.Files[0]
	}
	return report, err
}

// zoneOf returns the zone of an IANA name, nil for "".
func zoneOf(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no zone was named, which is no mistake
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fault.Invalid("%q is not a time zone", name).WithHint("use an IANA name such as America/New_York or UTC")
	}
	return zone, nil
}

// mapping returns the mapping at a path, or the one that the workspace keeps under the name; nil for neither.
func (a *App) mapping(ctx context.Context, id measure.WorkspaceID, name string) (*mapper.Mapping, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no mapping is a way to import
	}
	var text []byte
	if filepath.IsAbs(name) {
		var err error
		if text, err = os.ReadFile(name); err != nil {
			return nil, fault.Invalid("mapping %s cannot be read: %v", name, errors.Unwrap(err))
		}
	} else {
		kept, err := a.control.Store.Mapping(ctx, id, name)
		if err != nil {
			return nil, err
		}
		text = []byte(kept.Content)
	}
	mapping, err := mapper.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w", name, err)
	}
	return &mapping, nil
}
