package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"assay/internal/config"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/measure"
)

// ImportRequest says what to import. Paths are absolute: the process that reads them may be another one.
type ImportRequest struct {
	Workspace    measure.WorkspaceID `json:"workspace"`
	Files        []string            `json:"files"`
	Source       string              `json:"source,omitempty"`
	Channel      measure.Channel     `json:"channel,omitempty"`
	Mapping      string              `json:"mapping,omitempty"` // path of a mapping, instead of a source
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
func ImportFiles(ctx context.Context, c config.Config, request ImportRequest, progress func(done, total int64), now func() time.Time) (ImportResult, error) {
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return ImportResult{}, fault.NotFound("there is no data directory %s", c.Data).
			WithHint("make a workspace first: assay workspace create NAME")
	}
	var err error
	if request.Files, err = absolute(request.Files); err != nil {
		return ImportResult{}, err
	}
	if request.Mapping != "" {
		paths, err := absolute([]string{request.Mapping})
		if err != nil {
			return ImportResult{}, err
		}
		request.Mapping = paths[0]
	}
	result, err := through(ctx, c, "/import", request, progress, now, func(a *App) (any, error) {
		return a.Import(ctx, request, progress)
	})
	var imported ImportResult
	switch r := result.(type) {
	case ImportResult:
		imported = r
	case json.RawMessage:
		if len(r) > 0 {
			err = errors.Join(err, json.Unmarshal(r, &imported))
		}
	}
	return imported, err
}

// Import imports files into a workspace. Files that are refused stand in the result; the error is about everything
// else, and the result then tells what was imported before it.
func (a *App) Import(ctx context.Context, request ImportRequest, progress func(done, total int64)) (ImportResult, error) {
	leave, err := a.writing.enter(ctx, request.Workspace)
	if err != nil {
		return ImportResult{}, err
	}
	defer leave()
	workspace, err := a.control.Store.Workspace(ctx, request.Workspace)
	if err != nil {
		return ImportResult{}, err
	}
	options := ingest.Options{
		Workspace: workspace, HashKey: a.control.Installation.HashKey(workspace.ID),
		Source: request.Source, Channel: request.Channel, DryRun: request.DryRun, SkipRejected: request.SkipRejected,
		Progress: progress, Clock: a.now, Log: a.log,
	}
	for _, path := range request.Files {
		file, err := ingest.FileAt(path)
		if err != nil {
			return ImportResult{}, fault.Invalid("file %s cannot be read: %v", path, cmp.Or(errors.Unwrap(err), err))
		}
		options.Files = append(options.Files, file)
	}
	if request.Mapping != "" {
		text, err := os.ReadFile(request.Mapping)
		if err != nil {
			return ImportResult{}, fault.Invalid("mapping %s cannot be read: %v", request.Mapping, errors.Unwrap(err))
		}
		mapping, err := mapper.Parse(text)
		if err != nil {
			return ImportResult{}, fmt.Errorf("mapping %s: %w", request.Mapping, err)
		}
		options.Mapping = &mapping
	}
	report, err := ingest.Run(ctx, a.facts, options)
	result := ImportResult{Report: report}
	if fault.KindOf(err) == fault.KindInvalid {
		result.Refused = asLine(err)
		err = nil
	}
	return result, err
}
