package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// TakeOver stores the models that an earlier release stored in a folder, one file per workspace. It removes each file
// after storing its models. If the store already has models of the workspace, TakeOver removes the file without using
// it. In this case, an earlier start was interrupted before the removal, or another node was faster. Unreadable files
// and files of unknown workspaces remain.
func (k *Keeper) TakeOver(ctx context.Context, dir string, all []control.Workspace) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Unavailable("model folder %s cannot be read", dir).Wrap(err)
	}
	known := map[measure.WorkspaceID]control.Workspace{}
	for _, w := range all {
		known[w.ID] = w
	}
	left := 0
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		id, complete := strings.CutSuffix(entry.Name(), ".json")
		if strings.HasSuffix(entry.Name(), ".json.new") { // was being written when its process ended
			if err := os.Remove(path); err != nil {
				return fault.Unavailable("file %s cannot be removed", path).Wrap(err)
			}
			continue
		}
		w, exists := known[measure.WorkspaceID(id)]
		if !complete || !exists {
			left++
			continue
		}
		removed, err := k.takeOver(ctx, path, w)
		if err != nil {
			return err
		}
		if !removed {
			left++
		}
	}
	if left > 0 {
		k.log.WarnContext(ctx, "files in the model folder are not used", slog.String("path", dir), slog.Int("files", left))
		return nil
	}
	if err := os.Remove(dir); err != nil {
		k.log.WarnContext(ctx, "empty model folder cannot be removed", slog.String("path", dir), slog.Any("error", err))
	}
	return nil
}

// takeOver stores the models of one file and then removes the file. A file that cannot be parsed remains.
func (k *Keeper) takeOver(ctx context.Context, path string, w control.Workspace) (removed bool, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return false, fault.Unavailable("model %s cannot be read", path).Wrap(err)
	}
	s, err := parse(w.ID, text)
	if err != nil {
		k.log.ErrorContext(ctx, "model of an earlier release cannot be read", slog.String("path", path), slog.Any("error", err))
		return false, nil
	}
	if s.Made.Equal(w.CreatedAt) { // otherwise the file belongs to a deleted workspace
		if err := k.takeIn(ctx, w, s, string(text)); err != nil {
			return false, fmt.Errorf("model %s: %w", path, err)
		}
	}
	if err := os.Remove(path); err != nil {
		return false, fault.Unavailable("model %s cannot be removed", path).Wrap(err)
	}
	return true, nil
}

// takeIn stores models unless the store has models of the workspace.
func (k *Keeper) takeIn(ctx context.Context, w control.Workspace, s stored, body string) error {
	have, err := k.store.ModelState(ctx, w.ID)
	if err != nil || have != (control.ModelState{}) {
		return err
	}
	version := s.Model.Version
	if s.Attempt != nil {
		version = s.Attempt.Version
	}
	err = k.store.SaveModels(ctx, control.StoredModels{
		Workspace: w.ID, Made: w.CreatedAt, ModelState: control.ModelState{Version: version, TrainedAt: s.At}, Body: body,
	})
	if fault.KindOf(err) == fault.KindConflict { // another node was faster
		return nil
	}
	if err == nil {
		k.log.InfoContext(ctx, "model of an earlier release stored in the control data",
			slog.String("workspace", string(w.ID)), slog.Int("version", version))
	}
	return err
}
