package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"assay/internal/config"
	"assay/internal/fault"
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
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return out, fault.NotFound("there is no data directory %s", c.Data).WithHint("create a workspace first: assay workspace create NAME")
	}
	a, err := Open(ctx, c, discard(), now)
	if err == nil {
		out, err = op.Do(ctx, a.operations, call, in)
		return out, errors.Join(err, a.Close())
	}
	if !errors.Is(err, errHeld) {
		return out, err
	}
	return ask[In, Out](ctx, c, op.Name, call, in)
}

// ask runs an operation in the process that holds the data directory.
func ask[In, Out any](ctx context.Context, c config.Config, name string, call operation.Call, in In) (out Out, err error) {
	s, err := connect(c.Data)
	if err != nil {
		return out, err
	}
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
