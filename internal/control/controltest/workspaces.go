package controltest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

func workspaceIsKept(t *testing.T, s Store) {
	given := control.Workspace{
		Name: "  Café Nord! ", Currency: "eur", Zone: "Europe/Berlin", WeekStart: time.Sunday, RatePerMin: 42,
		LogArguments: true, Retrain: control.Retrain{Cadence: control.Monthly, Hour: 23},
		Basis: measure.RevenueBasis{WithoutTax: true, NetOfRefunds: true},
	}
	made, err := s.CreateWorkspace(t.Context(), given, at(0))
	if err != nil {
		t.Fatal(err)
	}
	want := given
	want.ID, want.Name, want.Currency, want.CreatedAt, want.Version = "cafe-nord", "Café Nord!", "EUR", noon, 1
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	found, err := s.Workspace(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func workspacesAreListed(t *testing.T, s Store) {
	for _, name := range []string{"Mill", "Acme", "zoo 2"} {
		newWorkspace(t, s, name)
	}
	all, err := s.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []measure.WorkspaceID
	for _, w := range all {
		ids = append(ids, w.ID)
	}
	if diff := cmp.Diff([]measure.WorkspaceID{"acme", "mill", "zoo-2"}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func idIsGivenOnce(t *testing.T, s Store) {
	newWorkspace(t, s, "Acme")
	_, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("ACME!"), at(0))
	wantKind(t, "a second acme", err, fault.KindConflict)
}

func settingsAreChecked(t *testing.T, s Store) {
	bad := map[string]func(*control.Workspace){
		"currency":   func(w *control.Workspace) { w.Currency = "dollars" },
		"zone":       func(w *control.Workspace) { w.Zone = "Mars/Olympus" },
		"week start": func(w *control.Workspace) { w.WeekStart = 7 },
		"rate":       func(w *control.Workspace) { w.RatePerMin = -1 },
	}
	kept := newWorkspace(t, s, "kept")
	for what, spoil := range bad {
		w := control.NewWorkspace("Acme")
		spoil(&w)
		_, err := s.CreateWorkspace(t.Context(), w, at(0))
		wantKind(t, "create with a bad "+what, err, fault.KindInvalid)
		changed := kept
		spoil(&changed)
		_, err = s.UpdateWorkspace(t.Context(), changed, at(0))
		wantKind(t, "update to a bad "+what, err, fault.KindInvalid)
	}
}

func updateRaisesVersion(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	w.Zone, w.RatePerMin, w.Basis.WithoutShipping, w.LogArguments = "Asia/Tokyo", 7, true, true
	want := w
	want.Version = 2
	got, err := s.UpdateWorkspace(t.Context(), w, at(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("updated (-want +got):\n%s", diff)
	}
	if found, err := s.Workspace(t.Context(), w.ID); err != nil || !cmp.Equal(want, found) {
		t.Errorf("found %+v, %v; want %+v", found, err, want)
	}
}

func staleUpdateIsConflict(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	if _, err := s.UpdateWorkspace(t.Context(), w, at(0)); err != nil {
		t.Fatal(err)
	}
	_, err := s.UpdateWorkspace(t.Context(), w, at(0))
	wantKind(t, "update from version 1 when it is 2", err, fault.KindConflict)
}

func deletionEndsKeys(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Other")
	k, stays := newKey(t, s, w.ID, "k1"), newKey(t, s, other.ID, "k2")
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(time.Hour)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Workspace(t.Context(), w.ID)
	wantKind(t, "the workspace", err, fault.KindNotFound)
	_, _, err = s.KeyByHash(t.Context(), k.Hash)
	wantKind(t, "its key", err, fault.KindNotFound)
	if _, _, err := s.KeyByHash(t.Context(), stays.Hash); err != nil {
		t.Errorf("the key of another workspace: %v", err)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[control.EventKind]int)
	for _, e := range events {
		kinds[e.Kind]++
	}
	want := map[control.EventKind]int{control.WorkspaceMade: 1, control.KeyMade: 1, control.KeyRevoked: 1, control.WorkspaceDeleted: 1}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func writersQueue(t *testing.T, s Store) {
	const writers, each = 4, 10
	w := newWorkspace(t, s, "Acme")
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				k := keyLike(w.ID, control.KeyID(fmt.Sprintf("k%d-%d", i, j)))
				if err := s.CreateKey(t.Context(), k, at(0)); err != nil {
					t.Errorf("CreateKey(%s): %v", k.ID, err)
				}
				if _, _, err := s.KeyByHash(t.Context(), k.Hash); err != nil {
					t.Errorf("KeyByHash(%s): %v", k.ID, err)
				}
			}
		})
	}
	wg.Wait()
	if keys, err := s.Keys(t.Context(), w.ID); err != nil || len(keys) != writers*each {
		t.Errorf("%d keys, %v; want %d", len(keys), err, writers*each)
	}
}

func factsFilesAreNoted(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Mill")
	want := func(when string, id measure.WorkspaceID, want bool) {
		t.Helper()
		if got, err := s.HasFactsFile(t.Context(), id); err != nil || got != want {
			t.Errorf("%s: %s has a facts file: %v, %v; want %v", when, id, got, err, want)
		}
	}
	set := func(id measure.WorkspaceID, has bool) {
		t.Helper()
		if err := s.SetHasFactsFile(t.Context(), id, has); err != nil {
			t.Error(err)
		}
	}
	want("new", w.ID, false)
	set(w.ID, true)
	set(w.ID, true)
	w.Name = "Acme & Sons"
	if _, err := s.UpdateWorkspace(t.Context(), w, at(0)); err != nil {
		t.Error(err)
	}
	want("noted", w.ID, true)
	want("noted for another workspace", other.ID, false)
	set(w.ID, false)
	want("taken back", w.ID, false)
	set(w.ID, true)
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(0)); err != nil {
		t.Error(err)
	}
	set(w.ID, true)
	_, err := s.HasFactsFile(t.Context(), w.ID)
	wantKind(t, "the facts file of a deleted workspace", err, fault.KindNotFound)
	newWorkspace(t, s, "Acme")
	want("made again", w.ID, false)
}
