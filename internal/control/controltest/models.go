package controltest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
)

// modelsOf returns models of a version, with a body that is larger than a page of the database.
func modelsOf(w control.Workspace, version int) control.StoredModels {
	return control.StoredModels{
		Workspace: w.ID, Made: w.CreatedAt, Body: fmt.Sprintf(`{"version":%d,"draws":"%s"}`, version, strings.Repeat("0123456789abcdef", 20_000)),
		ModelState: control.ModelState{Version: version, TrainedAt: noon.Add(time.Duration(version) * time.Hour)},
	}
}

func saveModels(t *testing.T, s Store, m control.StoredModels) {
	t.Helper()
	if err := s.SaveModels(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// wantModels checks the stored models and their state.
func wantModels(t *testing.T, s Store, want control.StoredModels) {
	t.Helper()
	want.Made = time.Time{}
	got, err := s.Models(t.Context(), want.Workspace)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("models (-want +got): %v\n%s", err, diff)
	}
	if state, err := s.ModelState(t.Context(), want.Workspace); err != nil || state != want.ModelState {
		t.Errorf("state %+v, %v; want %+v", state, err, want.ModelState)
	}
}

func modelsAreReplaced(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Other")
	wantModels(t, s, control.StoredModels{Workspace: w.ID})
	saveModels(t, s, modelsOf(w, 1))
	saveModels(t, s, modelsOf(other, 7))
	wantModels(t, s, modelsOf(w, 1))
	saveModels(t, s, modelsOf(w, 2))
	wantModels(t, s, modelsOf(w, 2))
	for _, version := range []int{1, 2} {
		m := modelsOf(w, version)
		m.Body = "late"
		wantKind(t, fmt.Sprintf("version %d after version 2", version), s.SaveModels(t.Context(), m), fault.KindConflict)
	}
	wantModels(t, s, modelsOf(w, 2))
	if err := s.RemoveModels(t.Context(), w.ID); err != nil {
		t.Error(err)
	}
	if err := s.RemoveModels(t.Context(), w.ID); err != nil {
		t.Errorf("a second removal: %v", err)
	}
	wantModels(t, s, control.StoredModels{Workspace: w.ID})
	wantModels(t, s, modelsOf(other, 7))
}

func modelsEndWithTheWorkspace(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	saveModels(t, s, modelsOf(w, 3))
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantModels(t, s, control.StoredModels{Workspace: w.ID})
	wantKind(t, "models of a deleted workspace", s.SaveModels(t.Context(), modelsOf(w, 4)), fault.KindNotFound)
	again, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), at(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	wantKind(t, "models of the workspace before its deletion", s.SaveModels(t.Context(), modelsOf(w, 4)), fault.KindNotFound)
	wantModels(t, s, control.StoredModels{Workspace: w.ID})
	saveModels(t, s, modelsOf(again, 1))
	wantModels(t, s, modelsOf(again, 1))
}

// modelsAreStoredOnce checks that nodes that train at the same time store one model per version. Readers must get
// complete models only.
func modelsAreStoredOnce(t *testing.T, nodes []PeopleStore) {
	w := newWorkspace(t, nodes[0], "Acme")
	for version := 1; version <= rounds; version++ {
		if won := race(t, nodes, func(s PeopleStore, i int) (bool, error) {
			m := modelsOf(w, version)
			m.Body += fmt.Sprint(" of ", i)
			ok, err := raceResult(s.SaveModels(t.Context(), m))
			if err != nil {
				return ok, err
			}
			seen, err := s.Models(t.Context(), w.ID)
			if whole, _, _ := strings.Cut(seen.Body, " of "); err == nil && (seen.Version != version || whole != modelsOf(w, version).Body) {
				t.Errorf("a reader sees version %d with %d bytes", seen.Version, len(seen.Body))
			}
			return ok, err
		}); won != 1 {
			t.Errorf("version %d was stored %d times", version, won)
		}
	}
}
