package sqlstore

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"assay/internal/control"
	"assay/internal/measure"
)

func TestASnapshotIsACompleteDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Path: filepath.Join(dir, "control.db")})
	for _, name := range []string{"Hats", "Shoes"} {
		if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace(name), by()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetHasFactsFile(t.Context(), "hats", true); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "copy.db")
	if err := s.Snapshot(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Later"), by()); err != nil {
		t.Fatal(err)
	}
	counts, err := Counts(t.Context(), path)
	if err != nil || counts["workspaces"] != 2 || counts["events"] != 2 {
		t.Errorf("rows of the copy: %v, %v; want 2 workspaces and 2 events", counts, err)
	}
	ids, err := FactsFiles(t.Context(), path)
	if err != nil || !slices.Equal(ids, []measure.WorkspaceID{"hats"}) {
		t.Errorf("workspaces with facts: %v, %v; want hats", ids, err)
	}
	copied := open(t, Options{Path: path})
	all, err := copied.Workspaces(t.Context())
	if err != nil || len(all) != 2 {
		t.Errorf("the copy has %d workspaces, %v; want 2", len(all), err)
	}
	before, err := Counts(t.Context(), filepath.Join(dir, "control.db"))
	if err != nil || maps.Equal(before, counts) {
		t.Errorf("the counts of the original equal the counts of the copy after a change, %v", err)
	}
}
