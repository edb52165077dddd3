package controltest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

func shareLike(ws measure.WorkspaceID, by control.UserID, id control.ShareID) control.Share {
	return control.Share{
		ID: id, Workspace: ws, Hash: []byte("hash of " + id), Page: "/channels", Query: "channel=google&range=7d", By: by,
		CreatedAt: noon, ExpiresAt: noon.Add(7 * 24 * time.Hour),
	}
}

// sharesAreKept checks that a share link is found by its hash. The link must end when it is revoked, when its author
// loses the role, or when its workspace is deleted.
func sharesAreKept(t *testing.T, s PeopleStore) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Other")
	newMember(t, s, "anna", w.ID)
	newMember(t, s, "ben", w.ID)
	n := shareLike(w.ID, "anna", "s1")
	if err := s.CreateShare(t.Context(), n, at(0)); err != nil {
		t.Fatal(err)
	}
	all, err := s.Shares(t.Context(), w.ID)
	if err != nil || cmp.Diff([]control.Share{n}, all) != "" {
		t.Errorf("listed %+v, %v", all, err)
	}
	if all, err := s.Shares(t.Context(), other.ID); len(all) != 0 || err != nil {
		t.Errorf("another workspace lists %+v, %v", all, err)
	}
	for _, used := range []time.Duration{time.Hour, time.Minute} { // the second is earlier
		if err := s.TouchShare(t.Context(), n.ID, noon.Add(used)); err != nil {
			t.Fatal(err)
		}
	}
	n.LastUsed = noon.Add(time.Hour)
	found, in, err := s.ShareByHash(t.Context(), n.Hash)
	if err != nil || in.ID != w.ID || cmp.Diff(n, found) != "" {
		t.Errorf("found %+v in %q, %v", found, in.ID, err)
	}
	_, _, err = s.ShareByHash(t.Context(), []byte("another hash"))
	wantKind(t, "a wrong hash", err, fault.KindNotFound)
	wantKind(t, "revoked from another workspace", s.RevokeShare(t.Context(), other.ID, n.ID, at(0)), fault.KindNotFound)
	if err := s.SetRole(t.Context(), "anna", w.ID, control.RoleAnalyst, at(0)); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.ShareByHash(t.Context(), n.Hash)
	wantKind(t, "its author lost the role", err, fault.KindNotFound)
	wantKind(t, "by a person without the role", s.CreateShare(t.Context(), shareLike(w.ID, "anna", "s2"), control.By{Actor: control.ActorOf("anna"), At: noon}), fault.KindForbidden)
	wantKind(t, "revoked without the role", s.RevokeShare(t.Context(), w.ID, n.ID, control.By{Actor: control.ActorOf("anna"), At: noon}), fault.KindForbidden)
	wantKind(t, "of no workspace", s.CreateShare(t.Context(), shareLike("nowhere", "ben", "s2"), at(0)), fault.KindNotFound)
	if err := s.RevokeShare(t.Context(), w.ID, n.ID, at(time.Minute)); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "revoked twice", s.RevokeShare(t.Context(), w.ID, n.ID, at(0)), fault.KindNotFound)
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Kinds: []control.EventKind{control.ShareMade, control.ShareRevoked}, Limit: 10})
	if err != nil || len(events) != 2 || events[0].Kind != control.ShareRevoked || events[1].Detail != "/channels?channel=google&range=7d" || events[1].Subject != "s1" {
		t.Errorf("%+v, %v", events, err)
	}
	for i := range control.MaxShares {
		if err := s.CreateShare(t.Context(), shareLike(w.ID, "ben", control.ShareID(fmt.Sprint("more ", i))), at(0)); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, "too many", s.CreateShare(t.Context(), shareLike(w.ID, "ben", "last"), at(0)), fault.KindConflict)
	if err := s.CreateShare(t.Context(), shareLike(w.ID, "ben", "after"), at(8*24*time.Hour)); err != nil {
		t.Errorf("expired links count: %v", err)
	}
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.ShareByHash(t.Context(), []byte("hash of more 0"))
	wantKind(t, "after its workspace", err, fault.KindNotFound)
}
