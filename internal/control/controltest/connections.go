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

func newConnection(w measure.WorkspaceID, account string) control.Connection {
	return control.Connection{
		Workspace: w, Platform: measure.Facebook, Account: account, Sealed: []byte{1, 2, 255}, CreatedAt: noon,
		ConnectionState: control.ConnectionState{
			Status: control.ConnectionOK, TestedAt: noon, Name: "Acme US", Currency: "USD", Zone: "America/New_York",
			Expires: noon.Add(time.Hour), Permissions: []string{"ads_management", "ads_read"},
		},
	}
}

func connectionsAreKept(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Other")
	first, second := newConnection(w.ID, "11"), newConnection(w.ID, "22")
	second.Platform, second.Sandbox, second.ConnectionState = measure.TikTok, true, control.ConnectionState{Status: control.ConnectionUntested}
	for _, c := range []control.Connection{second, first} {
		if err := s.AddConnection(t.Context(), c, at(0)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Connections(t.Context(), w.ID)
	if err != nil || cmp.Diff([]control.Connection{first, second}, got) != "" {
		t.Errorf("connections %+v, %v", got, err)
	}
	if got, err := s.Connections(t.Context(), other.ID); len(got) != 0 || err != nil {
		t.Errorf("another workspace has %+v, %v", got, err)
	}
	wantKind(t, "removal from another workspace", s.RemoveConnection(t.Context(), other.ID, measure.Facebook, "11", at(0)), fault.KindNotFound)
	wantKind(t, "a connection of no workspace", s.AddConnection(t.Context(), newConnection("none", "11"), at(0)), fault.KindNotFound)
	for i := range 48 {
		if err := s.AddConnection(t.Context(), newConnection(w.ID, fmt.Sprint("33", i)), at(0)); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, "a 51st connection", s.AddConnection(t.Context(), newConnection(w.ID, "44"), at(0)), fault.KindConflict)
	if err := s.AddConnection(t.Context(), first, at(0)); err != nil {
		t.Errorf("new credentials of a connected account: %v", err)
	}
	if err := s.RemoveConnection(t.Context(), w.ID, measure.Facebook, "11", at(0)); err != nil {
		t.Error(err)
	}
	events, err := s.Events(t.Context(), control.EventFilter{
		Workspace: w.ID, Kinds: []control.EventKind{control.ConnectionAdded, control.ConnectionRemoved}, Limit: 100,
	})
	if err != nil || len(events) != 52 || !slices.ContainsFunc(events, func(e control.Event) bool {
		return e.Kind == control.ConnectionRemoved && e.Subject == "facebook 11"
	}) {
		t.Errorf("%d events, %v; want 52 with the removal", len(events), err)
	}
}

func connectionsHaveTheStateOfTheirCredentials(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	c := newConnection(w.ID, "11")
	if err := s.AddConnection(t.Context(), c, at(0)); err != nil {
		t.Fatal(err)
	}
	c.Status, c.Problem, c.Hint, c.TestedAt = control.ConnectionError, "The token expired.", "Create a new one.", noon.Add(time.Minute)
	if err := s.SetConnectionState(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	stale := c
	stale.Sealed, stale.Status = []byte{9}, control.ConnectionOK
	if err := s.SetConnectionState(t.Context(), stale); err != nil {
		t.Errorf("a test of earlier credentials: %v", err)
	}
	got, err := s.Connections(t.Context(), w.ID)
	if err != nil || cmp.Diff([]control.Connection{c}, got) != "" {
		t.Errorf("connections %+v, %v", got, err)
	}
}
