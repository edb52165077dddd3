package app

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/fault"
	"assay/internal/jobs"
	"assay/internal/operation"
)

// jobs returns the jobs of the workspace as a command lists them. It omits the daily forecasts, which may run at the
// same time.
func (h *house) jobs() []jobs.Job {
	h.Helper()
	call := operation.Call{Workspace: "w", Caller: operation.Operator("test")}
	all, err := Do(h.Context(), h.config, operation.ListJobs, call, operation.None{}, time.Now)
	if err != nil {
		h.Error(err)
	}
	return slices.DeleteFunc(all, func(j jobs.Job) bool { return j.Kind == jobs.Forecast.Name })
}

// cancelJobs cancels these jobs with a command.
func (h *house) cancelJobs() {
	h.Helper()
	for _, j := range h.jobs() {
		call := operation.Call{Workspace: "w", Caller: operation.Operator("test")}
		_, err := Do(h.Context(), h.config, operation.CancelJob, call, j.ID, time.Now)
		if err != nil && fault.KindOf(err) != fault.KindNotFound {
			h.Error(err)
		}
	}
}

func wasCancelled(err error) bool {
	_, hint, _ := fault.Public(err)
	return fault.KindOf(err) == fault.KindConflict && strings.Contains(err.Error(), "canceled") && hint != ""
}

// A command cancels the import that another command waits for. Files that were already imported remain.
func TestACommandCancelsAnImport(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const header = "order_id,created_at,currency,total\n"
	var paths []string
	for name, text := range map[string]string{
		"1.csv": header + "1,2026-03-02T15:00:00Z,USD,10.00\n",
		"2.csv": header + strings.Repeat("2,2026-03-02T15:00:00Z,USD,10.00\n", 5000),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if strings.HasSuffix(paths[0], "2.csv") {
		paths[0], paths[1] = paths[1], paths[0]
	}
	call := operation.Call{Workspace: "w", Caller: operation.Operator("assay import")}
	call.Progress = func(int64, int64) {
		if c, err := h.app.facts.Coverage(t.Context(), "w"); err == nil && c.Orders == 1 {
			h.cancelJobs()
		}
	}
	done, err := ImportFiles(t.Context(), h.config, call, operation.Import{Paths: paths}, nil, time.Now)
	if !wasCancelled(err) || len(done.Report.Files) == 0 {
		t.Errorf("the import ends with %v and %+v, want an error that states the cancellation and a report of the first file", err, done.Report)
	}
	if c, err := h.app.facts.Coverage(t.Context(), "w"); err != nil || c.Orders != 1 {
		t.Errorf("%d orders are stored, %v; want the order of the first file", c.Orders, err)
	}
}

// A tap that sends nothing does not delay the cancellation of its import.
func TestACommandCancelsTheImportOfASilentTap(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	messages, tap := io.Pipe()
	t.Cleanup(func() { tap.Close() })
	ended := make(chan error, 1)
	go func() {
		call := operation.Call{Workspace: "w", Caller: operation.Operator("assay import singer")}
		_, err := ImportSinger(t.Context(), h.config, call, operation.Stream{Messages: messages, Emit: func([]byte) error { return nil }}, time.Now)
		ended <- err
	}()
	h.until(func() bool { return len(h.jobs()) == 1 })
	if j := h.jobs()[0]; j.Kind != jobs.Stream.Name || j.State != jobs.Running || j.By != "assay import singer" {
		t.Errorf("listed: %+v", j)
	}
	h.cancelJobs()
	if err := <-ended; !wasCancelled(err) {
		t.Errorf("the import ends with %v, want an error that states the cancellation", err)
	}
}
