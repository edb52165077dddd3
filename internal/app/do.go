package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"assay/internal/config"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/operation"
)

// Do runs an operation for a command. One that uses facts runs in the process that holds the data directory: this one where no
// other does. All others run here, next to a service. The result is also of use with an error that ended the work half-way.
func Do[In, Out any](
	ctx context.Context, c config.Config, op operation.Operation[In, Out], call operation.Call, in In, now func() time.Time,
) (out Out, err error) {
	if !op.Facts {
		control, err := OpenControl(ctx, ControlOptions{Data: c.Data, Create: op.Name == operation.CreateWorkspace.Name, Now: now})
		if err != nil {
			return out, err
		}
		out, err = op.Do(ctx, operation.NewControl(control.Control), call, in)
		return out, errors.Join(err, control.Close())
	}
	a, s, err := reach(ctx, c, now)
	if err != nil {
		return out, err
	}
	if a == nil {
		return ask[In, Out](ctx, s, op.Name, call, in)
	}
	out, err = op.Do(ctx, a.operations, call, in)
	return out, errors.Join(err, a.Close())
}

// reach opens a data directory, or returns the service that holds it: one of a and s is nil.
func reach(ctx context.Context, c config.Config, now func() time.Time) (a *App, s *service, err error) {
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fault.NotFound("there is no data directory %s", c.Data).WithHint("create a workspace first: assay workspace create NAME")
	}
	a, err = Open(ctx, c, discard(), now)
	if errors.Is(err, errHeld) {
		s, err = connect(c.Data)
		return nil, s, err
	}
	return a, nil, err
}

// ask runs an operation in the service that holds the data directory.
func ask[In, Out any](ctx context.Context, s *service, name string, call operation.Call, in In) (out Out, err error) {
	input, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	text, err := s.ask(ctx, "/"+name, command{Workspace: call.Workspace, Actor: call.Caller.Actor, Input: input}, call.Progress)
	if len(text) > 0 {
		err = errors.Join(err, json.Unmarshal(text, &out))
	}
	return out, err
}

// StandardInput is the name of a file whose content is standard input.
const StandardInput = "-"

// ImportFiles runs [operation.ImportFiles] for a command. Names of files may be relative, and one may be [StandardInput].
func ImportFiles(
	ctx context.Context, c config.Config, call operation.Call, in operation.Import, input io.Reader, now func() time.Time,
) (result operation.Imported, failed error) {
	a, s, err := reach(ctx, c, now)
	if err != nil {
		return result, err
	}
	if a != nil {
		defer func() { failed = errors.Join(failed, a.Close()) }()
	}
	// Standard input is spooled once this process holds the data directory or another one does: whoever takes the directory
	// next empties the folder of uploads.
	remove, err := spoolInput(filepath.Join(c.Data, uploadsDir), in.Paths, input)
	if err != nil {
		return result, err
	}
	defer remove()
	for i, path := range in.Paths {
		if in.Paths[i], err = filepath.Abs(path); err != nil {
			return result, fmt.Errorf("file %q: %w", path, err)
		}
	}
	if _, err := os.Stat(in.MappingName); err == nil { // else it is the name of one that the workspace keeps
		if in.MappingName, err = filepath.Abs(in.MappingName); err != nil {
			return result, fmt.Errorf("mapping %q: %w", in.MappingName, err)
		}
	}
	if a == nil {
		return ask[operation.Import, operation.Imported](ctx, s, operation.ImportFiles.Name, call, in)
	}
	return operation.ImportFiles.Do(ctx, a.operations, call, in)
}

// spoolInput puts a temporary file in place of standard input, which remove deletes.
func spoolInput(dir string, files []string, input io.Reader) (remove func(), err error) {
	at := slices.Index(files, StandardInput)
	if at < 0 {
		return func() {}, nil
	}
	if files[at], err = ingest.WriteTemp(dir, "assay-stdin-*", input); err != nil {
		return nil, fault.Unavailable("standard input cannot be stored in %s", dir).Wrap(err)
	}
	path := files[at]
	return func() { _ = os.Remove(path) }, nil
}

// ClearFacts removes facts that a workspace of the same ID left behind, when a process ended between the steps of its
// deletion. Where nothing was left, nobody is asked.
func ClearFacts(ctx context.Context, c config.Config, id measure.WorkspaceID, caller operation.Caller, now func() time.Time) error {
	if _, err := os.Stat(filepath.Join(c.Data, factsDir, string(id)+".duckdb")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := Do(ctx, c, operation.ClearFacts, operation.Call{Workspace: id, Caller: caller}, operation.None{}, now)
	return err
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
