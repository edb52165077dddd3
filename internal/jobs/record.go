package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"assay/internal/fault"
	"assay/internal/measure"
)

// record is a background job of a routine in the file.
type record struct {
	Kind      string              `json:"kind"`
	Workspace measure.WorkspaceID `json:"workspace"`
	By        string              `json:"by"`
}

// UnmarshalJSON also reads the records of earlier releases: the workspace of a training.
func (r *record) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &r.Workspace) == nil {
		r.Kind, r.By = Training.Name, scheduler
		return nil
	}
	type plain record
	return json.Unmarshal(text, (*plain)(r))
}

// write records the background jobs of routines that have not ended. The caller has the lock.
func (r *Runner) write() error {
	all := []record{}
	for _, t := range r.tasks {
		if t.background && !t.job.State.Ended() && r.routine(t.job.Kind) != nil {
			all = append(all, record{t.job.Kind, t.job.Workspace, t.job.By})
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.File), 0o700); err != nil {
		return fault.Unavailable("directory of %s cannot be created", r.File).Wrap(err)
	}
	if err := os.WriteFile(r.File+".new", text, 0o600); err != nil {
		return fault.Unavailable("%s cannot be written", r.File).Wrap(err)
	}
	return os.Rename(r.File+".new", r.File)
}

// read returns the recorded jobs.
func (r *Runner) read() ([]record, error) {
	text, err := os.ReadFile(r.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("recorded jobs: %w", err)
	}
	var all []record
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("recorded jobs in %s: %w", r.File, err)
	}
	return all, nil
}
