package app

import (
	"context"
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
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/singer"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/socket"
)

// Do runs an operation for a command. If a service runs on the data directory, an operation on facts runs in the
// service. Otherwise, it runs in this process, which locks the data directory. Other operations always run in this
// process. A result that accompanies an error describes the work that was done before the error.
func Do[In, Out any](
	ctx context.Context, c config.Config, op operation.Operation[In, Out], call operation.Call, in In, now func() time.Time,
) (out Out, err error) {
	if !op.Facts {
		options := ControlOf(c, now)
		options.Create = op.Name == operation.CreateWorkspace.Name
		control, err := OpenControl(ctx, options)
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
		return socket.Ask[In, Out](ctx, s, op.Name, call, in)
	}
	out, err = op.Do(ctx, a.operations, call, in)
	return out, errors.Join(err, a.Close())
}

// reach opens a data directory, or returns the service that has locked it. Either a or s is nil.
func reach(ctx context.Context, c config.Config, now func() time.Time) (a *App, s *socket.Client, err error) {
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fault.NotFound("data directory %s does not exist", c.Data).WithHint("create a workspace first: assay workspace create NAME")
	}
	a, err = Open(ctx, c, discard(), now)
	if errors.Is(err, datadir.ErrLocked) {
		s, err = socket.Connect(c.Data)
		return nil, s, err
	}
	return a, nil, err
}

// StandardInput is the file name that selects standard input.
const StandardInput = "-"

// ImportFiles runs [operation.ImportFiles] for a command. File names may be relative, and one may be [StandardInput].
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
	// Standard input is spooled after this process or a service has locked the data directory, because locking empties
	// the folder of uploads.
	remove, err := spoolInput(filepath.Join(c.Data, datadir.Uploads), in.Paths, input)
	if err != nil {
		return result, err
	}
	defer remove()
	for i, path := range in.Paths {
		if in.Paths[i], err = filepath.Abs(path); err != nil {
			return result, fmt.Errorf("file %q: %w", path, err)
		}
	}
	if _, err := os.Stat(in.MappingName); err == nil { // else it is the name of a saved mapping
		if in.MappingName, err = filepath.Abs(in.MappingName); err != nil {
			return result, fmt.Errorf("mapping %q: %w", in.MappingName, err)
		}
	}
	if a == nil {
		return socket.Ask[operation.Import, operation.Imported](ctx, s, operation.ImportFiles.Name, call, in)
	}
	return operation.ImportFiles.Do(ctx, a.operations, call, in)
}

// spoolInput replaces standard input with a temporary file. The function remove deletes this file.
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

// ImportSinger imports the messages of a tap through the service that has locked the data directory. If no service has
// locked the directory, ImportSinger imports the messages in this process. A report that accompanies an error describes
// the work that was done before the error.
func ImportSinger(ctx context.Context, c config.Config, call operation.Call, in operation.Stream, now func() time.Time) (singer.Report, error) {
	a, s, err := reach(ctx, c, now)
	if err != nil {
		return singer.Report{}, err
	}
	if a == nil {
		return s.ImportStream(ctx, call, in)
	}
	report, err := operation.ImportStream.Do(ctx, a.operations, call, in)
	return report, errors.Join(err, a.Close())
}

// ClearFacts removes the facts of a deleted workspace that had the given ID. Such facts remain if the deletion was
// interrupted, or if another node was importing. If there are no such facts, ClearFacts does nothing.
func ClearFacts(ctx context.Context, c config.Config, id measure.WorkspaceID, caller operation.Caller, now func() time.Time) error {
	if c.FactsURL.Text() == "" {
		if _, err := os.Stat(filepath.Join(c.Data, datadir.Facts, string(id)+".duckdb")); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	_, err := Do(ctx, c, operation.ClearFacts, operation.Call{Workspace: id, Caller: caller}, operation.None{}, now)
	return err
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
