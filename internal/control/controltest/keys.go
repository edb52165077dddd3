package controltest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/control"
	"assay/internal/fault"
)

func keyIsKept(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	want := newKey(t, s, w.ID, "k1")
	open := control.Key{ // without optional fields
		ID: "k2", Workspace: w.ID, Name: "no expiry", Hint: "xyz1", Hash: []byte{0, 1, 2, 255},
		Scopes: []control.Scope{control.ScopeRead}, CreatedAt: noon.Add(time.Second),
	}
	if err := s.CreateKey(t.Context(), open, at(time.Second)); err != nil {
		t.Fatal(err)
	}
	byID, err := s.Key(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, byID); diff != "" {
		t.Errorf("by id (-want +got):\n%s", diff)
	}
	byHash, itsWorkspace, err := s.KeyByHash(t.Context(), open.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(open, byHash); diff != "" {
		t.Errorf("by hash (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(w, itsWorkspace); diff != "" {
		t.Errorf("its workspace (-want +got):\n%s", diff)
	}
	all, err := s.Keys(t.Context(), w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]control.Key{want, open}, all); diff != "" {
		t.Errorf("in the workspace (-want +got):\n%s", diff)
	}
}

func keyNeedsWorkspace(t *testing.T, s Store) {
	err := s.CreateKey(t.Context(), keyLike("nowhere", "k1"), at(0))
	wantKind(t, "a key of no workspace", err, fault.KindNotFound)
	w := newWorkspace(t, s, "Acme")
	newKey(t, s, w.ID, "k1")
	err = s.CreateKey(t.Context(), keyLike(w.ID, "k1"), at(0))
	wantKind(t, "a second key of the same id", err, fault.KindConflict)
}

func revocationIsFinal(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	want := newKey(t, s, w.ID, "k1")
	want.RevokedAt = noon.Add(time.Hour)
	for _, later := range []time.Duration{time.Hour, 2 * time.Hour} {
		got, err := s.RevokeKey(t.Context(), want.ID, at(later))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("revoked after %s (-want +got):\n%s", later, diff)
		}
	}
	found, _, err := s.KeyByHash(t.Context(), want.Hash)
	if err != nil || found.Valid(noon.Add(time.Hour)) {
		t.Errorf("KeyByHash = %+v, %v; want a key that is not valid", found, err)
	}
}

func replacementOverlaps(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	old := newKey(t, s, w.ID, "k1")
	next, until := keyLike(w.ID, "k2"), noon.Add(24*time.Hour)
	if err := s.ReplaceKey(t.Context(), old.ID, until, next, at(0)); err != nil {
		t.Fatal(err)
	}
	old.ExpiresAt, old.ReplacedBy = until, next.ID
	all, err := s.Keys(t.Context(), w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]control.Key{old, next}, all); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func overlapIsCapped(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	old := newKey(t, s, w.ID, "k1")
	if err := s.ReplaceKey(t.Context(), old.ID, old.ExpiresAt.Add(time.Hour), keyLike(w.ID, "k2"), at(0)); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Key(t.Context(), old.ID); err != nil || !found.ExpiresAt.Equal(old.ExpiresAt) {
		t.Errorf("the old key ends at %s, %v; want %s as before", found.ExpiresAt, err, old.ExpiresAt)
	}
}

func replacementIsOnce(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	until := noon.Add(24 * time.Hour)
	newKey(t, s, w.ID, "k1")
	if err := s.ReplaceKey(t.Context(), "k1", until, keyLike(w.ID, "k2"), at(0)); err != nil {
		t.Fatal(err)
	}
	err := s.ReplaceKey(t.Context(), "k1", until, keyLike(w.ID, "k3"), at(0))
	wantKind(t, "a second successor", err, fault.KindConflict)

	if _, err := s.RevokeKey(t.Context(), "k2", at(0)); err != nil {
		t.Fatal(err)
	}
	err = s.ReplaceKey(t.Context(), "k2", until, keyLike(w.ID, "k3"), at(0))
	wantKind(t, "a successor of a revoked key", err, fault.KindConflict)

	expired := newKey(t, s, w.ID, "k4")
	err = s.ReplaceKey(t.Context(), expired.ID, until, keyLike(w.ID, "k3"), control.By{Actor: "assay test", At: expired.ExpiresAt})
	wantKind(t, "a successor of an expired key", err, fault.KindConflict)

	err = s.ReplaceKey(t.Context(), "k9", until, keyLike(w.ID, "k3"), at(0))
	wantKind(t, "a successor of no key", err, fault.KindNotFound)
	_, err = s.Key(t.Context(), "k3")
	wantKind(t, "the successor that was refused", err, fault.KindNotFound)
}

func lastUseMovesForward(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	newKey(t, s, w.ID, "k1")
	newKey(t, s, w.ID, "k2")
	late, early := noon.Truncate(time.Minute), noon.Truncate(time.Minute).Add(-time.Hour)
	for _, used := range []map[control.KeyID]time.Time{{"k1": late, "gone": late}, {"k1": early, "k2": early}, nil} {
		if err := s.TouchKeys(t.Context(), used); err != nil {
			t.Fatal(err)
		}
	}
	got := make(map[control.KeyID]time.Time)
	keys, err := s.Keys(t.Context(), w.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		got[k.ID] = k.LastUsed
	}
	if diff := cmp.Diff(map[control.KeyID]time.Time{"k1": late, "k2": early}, got); diff != "" {
		t.Errorf("last use (-want +got):\n%s", diff)
	}
}

func eventsAreListed(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	newWorkspace(t, s, "Other")
	signIn := control.Event{
		At: noon.Add(time.Hour), Workspace: w.ID, Kind: "sign_in_refused", Actor: "assay test", Subject: "anna", Detail: "wrong password",
	}
	if err := s.AppendEvent(t.Context(), signIn); err != nil {
		t.Fatal(err)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	want := []control.Event{
		signIn,
		{At: noon, Workspace: w.ID, Kind: control.WorkspaceMade, Actor: "assay test", Subject: "acme", Detail: "Acme"},
	}
	if diff := cmp.Diff(want, events, cmpopts.IgnoreFields(control.Event{}, "ID")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if all, err := s.Events(t.Context(), control.EventFilter{Limit: 10}); err != nil || len(all) != 3 {
		t.Errorf("%d events of all workspaces, %v; want 3", len(all), err)
	}
	if one, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Limit: 1}); err != nil || len(one) != 1 || one[0].Kind != signIn.Kind {
		t.Errorf("the latest event is %+v, %v; want the refused sign-in", one, err)
	}
}

func absenceIsNotFound(t *testing.T, s Store) {
	ctx := t.Context()
	_, err := s.Workspace(ctx, "nowhere")
	wantKind(t, "Workspace", err, fault.KindNotFound)
	ghost := control.NewWorkspace("nowhere")
	_, err = s.UpdateWorkspace(ctx, ghost, at(0))
	wantKind(t, "UpdateWorkspace", err, fault.KindNotFound)
	wantKind(t, "DeleteWorkspace", s.DeleteWorkspace(ctx, "nowhere", at(0)), fault.KindNotFound)
	_, err = s.Key(ctx, "k1")
	wantKind(t, "Key", err, fault.KindNotFound)
	_, _, err = s.KeyByHash(ctx, []byte("no hash"))
	wantKind(t, "KeyByHash", err, fault.KindNotFound)
	_, err = s.RevokeKey(ctx, "k1", at(0))
	wantKind(t, "RevokeKey", err, fault.KindNotFound)
	if keys, err := s.Keys(ctx, "nowhere"); err != nil || len(keys) != 0 {
		t.Errorf("Keys = %v, %v; want none", keys, err)
	}
}
