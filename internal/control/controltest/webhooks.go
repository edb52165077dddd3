package controltest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

func hookSecretsAreKept(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	other := newWorkspace(t, s, "Other")
	h := control.HookSecret{ID: "h1", Workspace: w.ID, Shop: "acme.myshopify.com", Sealed: []byte{1, 2, 255}, CreatedAt: noon}
	if err := s.AddHookSecret(t.Context(), h, at(0)); err != nil {
		t.Fatal(err)
	}
	got, err := s.HookSecrets(t.Context(), w.ID)
	if err != nil || cmp.Diff([]control.HookSecret{h}, got) != "" {
		t.Errorf("secrets %+v, %v", got, err)
	}
	if got, err := s.HookSecrets(t.Context(), other.ID); len(got) != 0 || err != nil {
		t.Errorf("another workspace has %+v, %v", got, err)
	}
	wantKind(t, "removal from another workspace", s.RemoveHookSecret(t.Context(), other.ID, "h1", at(0)), fault.KindNotFound)
	h.Workspace, h.ID = "none", "h2"
	wantKind(t, "a secret of no workspace", s.AddHookSecret(t.Context(), h, at(0)), fault.KindNotFound)
	h.Workspace = w.ID
	for i := range 4 {
		h.ID = control.HookSecretID(fmt.Sprint("more", i))
		if err := s.AddHookSecret(t.Context(), h, at(0)); err != nil {
			t.Fatal(err)
		}
	}
	h.ID = "h6"
	wantKind(t, "a sixth secret", s.AddHookSecret(t.Context(), h, at(0)), fault.KindConflict)
	if err := s.RemoveHookSecret(t.Context(), w.ID, "h1", at(0)); err != nil {
		t.Error(err)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Kinds: []control.EventKind{control.HookSecretAdded, control.HookSecretRemoved}, Limit: 10})
	if err != nil || len(events) != 6 {
		t.Errorf("%d events, %v, want 6", len(events), err)
	}
}

func deliveriesWait(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	first := control.Delivery{Workspace: w.ID, ID: "w1", Topic: "orders/create", Sent: noon.Add(-time.Second), At: noon, Body: []byte(`{"id":1}`)}
	event := control.Event{Workspace: w.ID, Kind: control.PrivacyRequested, Actor: "shop", At: noon, Subject: "customers/redact"}
	for i, want := range []bool{true, false} {
		if fresh, err := s.Receive(t.Context(), first, event); fresh != want || err != nil {
			t.Errorf("time %d: fresh %v, %v", i, fresh, err)
		}
	}
	second := first
	second.ID, second.At = "w2", noon.Add(time.Second)
	if _, err := s.Receive(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	got, err := s.Waiting(t.Context(), w.ID, 10, 1000)
	if err != nil || cmp.Diff([]control.Delivery{first, second}, got) != "" {
		t.Errorf("waiting %+v, %v", got, err)
	}
	for bytes, want := range map[int]int{len(first.Body): 1, len(first.Body) + 1: 2, 1: 1} {
		if got, err := s.Waiting(t.Context(), w.ID, 10, bytes); err != nil || len(got) != want || got[0].ID != first.ID {
			t.Errorf("%d bytes: %+v, %v; want the %d oldest", bytes, got, err, want)
		}
	}
	other := newWorkspace(t, s, "Earlier")
	theirs := control.Delivery{Workspace: other.ID, ID: "w1", Topic: "orders/create", Sent: noon, At: noon.Add(-time.Minute), Body: []byte(`{"id":9}`)}
	if _, err := s.Receive(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Awaiting(t.Context()); err != nil || !slices.Equal(got, []measure.WorkspaceID{other.ID, w.ID}) {
		t.Errorf("pending messages of %v, %v", got, err)
	}
	if got, err := s.Waiting(t.Context(), w.ID, 1, 1000); err != nil || cmp.Diff([]control.Delivery{first}, got) != "" {
		t.Errorf("one that waits: %+v, %v", got, err)
	}
	second.Problem = "no total"
	if err := s.Settle(t.Context(), []control.Delivery{first, second}, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Waiting(t.Context(), w.ID, 10, 1000); len(got) != 0 || err != nil {
		t.Errorf("after all: %+v, %v", got, err)
	}
	if fresh, err := s.Receive(t.Context(), first, event); fresh || err != nil {
		t.Errorf("an imported message is new again: %v", err)
	}
	state, err := s.HookState(t.Context(), w.ID)
	if want := (control.HookState{Last: second.At, Unusable: 1, Problem: "no total"}); err != nil || state != want {
		t.Errorf("state %+v, %v, want %+v", state, err, want)
	}
	if err := s.Settle(t.Context(), nil, noon.Add(control.KeepUnusable+time.Hour)); err != nil {
		t.Fatal(err)
	}
	if fresh, err := s.Receive(t.Context(), first); !fresh || err != nil {
		t.Errorf("a message is never forgotten: %v", err)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Kinds: []control.EventKind{control.PrivacyRequested}, Limit: 10})
	if err != nil || len(events) != 1 {
		t.Errorf("%d events of one message, %v", len(events), err)
	}
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Waiting(t.Context(), w.ID, 10, 1000); len(got) != 0 || err != nil {
		t.Errorf("messages remain after the deletion of their workspace: %+v, %v", got, err)
	}
}
