package controltest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

func newInvitation(t *testing.T, s PeopleStore, by control.UserID, ws measure.WorkspaceID, role control.Role) control.Invitation {
	t.Helper()
	n := control.Invitation{
		ID: control.InvitationID("i of " + string(by)), Hash: []byte("link of " + by), Workspace: ws, Email: "new@acme.example", Role: role, By: by,
		CreatedAt: noon, ExpiresAt: noon.Add(time.Hour),
	}
	if err := s.CreateInvitation(t.Context(), n, at(0)); err != nil {
		t.Fatalf("CreateInvitation: %v", err)
	}
	return n
}

var invited = control.User{ID: "new", Email: "new@acme.example", Password: "$hash", CreatedAt: noon}

func asNew(d time.Duration) control.By { return control.By{Actor: "user:new", At: noon.Add(d)} }

func invitationIsAcceptedOnce(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	want := newInvitation(t, s, "anna", w.ID, control.RoleAnalyst)
	found, err := s.Invitation(t.Context(), want.Hash)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Invitations(t.Context(), w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]control.Invitation{want, want}, append(all, found)); diff != "" {
		t.Errorf("invitations (-want +got):\n%s", diff)
	}
	wantKind(t, "too late", s.AcceptInvitation(t.Context(), want.Hash, invited, asNew(time.Hour)), fault.KindConflict)
	if err := s.AcceptInvitation(t.Context(), want.Hash, invited, asNew(time.Minute)); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "again", s.AcceptInvitation(t.Context(), want.Hash, invited, asNew(time.Minute)), fault.KindConflict)
	if u, err := s.User(t.Context(), "new"); err != nil || u != invited {
		t.Errorf("the account: %+v, %v", u, err)
	}
	if in, err := s.Memberships(t.Context(), "new"); err != nil || len(in) != 1 || in[0].Role != control.RoleAnalyst {
		t.Errorf("memberships: %+v, %v", in, err)
	}
}

func acceptancesRace(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	// The account exists, so that only the invitation can prevent a second acceptance.
	if err := s.CreateUser(t.Context(), invited, at(0)); err != nil {
		t.Fatal(err)
	}
	n := newInvitation(t, s, "anna", w.ID, control.RoleAnalyst)
	wantOne(t, func(int) bool { return s.AcceptInvitation(t.Context(), n.Hash, invited, asNew(0)) == nil })
}

func invitationOfWhoMayNot(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	for _, id := range []control.UserID{"anna", "ben", "carla"} {
		newMember(t, s, id, w.ID)
	}
	lowered := newInvitation(t, s, "ben", w.ID, control.RoleOwner)
	if err := s.SetRole(t.Context(), "ben", w.ID, control.RoleAdmin, at(0)); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "above the giver's role", s.AcceptInvitation(t.Context(), lowered.Hash, invited, asNew(0)), fault.KindConflict)
	_, err := s.User(t.Context(), "new")
	wantKind(t, "the account", err, fault.KindNotFound)

	gone := newInvitation(t, s, "carla", w.ID, control.RoleViewer)
	if _, err := s.Invitation(t.Context(), lowered.Hash); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("an older invitation of the address is still valid: %v", err)
	}
	if err := s.RemoveMember(t.Context(), "carla", w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "of somebody who left", s.AcceptInvitation(t.Context(), gone.Hash, invited, asNew(0)), fault.KindConflict)
}

func invitationIsWithdrawn(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	n := newInvitation(t, s, "anna", w.ID, control.RoleViewer)
	wantKind(t, "in another workspace", s.WithdrawInvitation(t.Context(), n.ID, "other", at(0)), fault.KindNotFound)
	if err := s.WithdrawInvitation(t.Context(), n.ID, w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "accepted after it", s.AcceptInvitation(t.Context(), n.Hash, invited, asNew(0)), fault.KindConflict)
	wantKind(t, "withdrawn twice", s.WithdrawInvitation(t.Context(), n.ID, w.ID, at(0)), fault.KindNotFound)
}

func lastOwnerStays(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	newUser(t, s, "ben")
	if err := s.SetRole(t.Context(), "ben", w.ID, control.RoleAdmin, at(0)); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "lowered", s.SetRole(t.Context(), "anna", w.ID, control.RoleAdmin, at(0)), fault.KindConflict)
	wantKind(t, "taken out", s.RemoveMember(t.Context(), "anna", w.ID, at(0)), fault.KindConflict)
	wantKind(t, "removed", s.RemoveUser(t.Context(), "anna", at(0)), fault.KindConflict)
	if err := s.SetRole(t.Context(), "ben", w.ID, control.RoleOwner, at(0)); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveUser(t.Context(), "anna", at(0)); err != nil {
		t.Errorf("one of two owners: %v", err)
	}
}

// roleCountsAtTheChange checks that a change uses the current role of its author. A person who has lost the role since
// an earlier check may not make the change.
func roleCountsAtTheChange(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	for _, id := range []control.UserID{"anna", "ben", "olga"} {
		newMember(t, s, id, w.ID)
	}
	newKey(t, s, w.ID, "k1")
	theirs, _ := newGrant(t, s, "olga", w.ID, "g2")
	invitation := newInvitation(t, s, "olga", w.ID, control.RoleViewer)
	hook := control.HookSecret{ID: "h1", Workspace: w.ID, Sealed: []byte("sealed"), CreatedAt: noon}
	if err := s.AddHookSecret(t.Context(), hook, at(0)); err != nil {
		t.Fatal(err)
	}
	asked := newRequest(t, s, "anna", "g1")
	granted, code := grantLike("anna", w.ID, "g1")
	granted.Scopes = asked.Scopes
	anna := control.By{Actor: control.ActorOf("anna"), At: noon}
	planned := keepExperiment(t, s, geoTest(w.ID, "geo"))
	start := control.Move{Workspace: w.ID, ID: planned.ID, To: control.ExperimentCancelled}
	changes := map[string]func() error{
		"makes a key":        func() error { return s.CreateKey(t.Context(), keyLike(w.ID, "k2"), anna) },
		"rotates a key":      func() error { return s.ReplaceKey(t.Context(), "k1", noon.Add(time.Hour), keyLike(w.ID, "k3"), anna) },
		"changes a role":     func() error { return s.SetRole(t.Context(), "ben", w.ID, control.RoleAdmin, anna) },
		"removes a person":   func() error { return s.RemoveMember(t.Context(), "ben", w.ID, anna) },
		"connects a program": func() error { return s.ApproveRequest(t.Context(), asked.Hash, granted, code, anna) },
		"ends a key":         func() error { return errOf(s.RevokeKey(t.Context(), "k1", anna)) },
		"ends another's grant": func() error {
			return errOf(s.RevokeGrant(t.Context(), theirs.ID, "by a person", anna))
		},
		"invites":               func() error { return s.CreateInvitation(t.Context(), another(invitation, "anna"), anna) },
		"withdraws":             func() error { return s.WithdrawInvitation(t.Context(), invitation.ID, w.ID, anna) },
		"changes settings":      func() error { return errOf(s.UpdateWorkspace(t.Context(), w, anna)) },
		"adds a webhook secret": func() error { return s.AddHookSecret(t.Context(), hook, anna) },
		"removes a hook secret": func() error { return s.RemoveHookSecret(t.Context(), w.ID, hook.ID, anna) },
		"plans an experiment":   func() error { return errOf(s.CreateExperiment(t.Context(), geoTest(w.ID, "another"), anna)) },
		"changes an experiment": func() error { return errOf(s.PlanExperiment(t.Context(), planned, anna)) },
		"moves an experiment":   func() error { return errOf(s.MoveExperiment(t.Context(), start, anna)) },
		"applies an experiment": func() error { return errOf(s.ApplyExperiment(t.Context(), w.ID, planned.ID, true, anna)) },
	}
	if err := s.SetRole(t.Context(), "anna", w.ID, control.RoleViewer, at(0)); err != nil {
		t.Fatal(err)
	}
	for what, change := range changes {
		wantKind(t, "who was lowered "+what, change(), fault.KindForbidden)
	}
	if err := s.RemoveMember(t.Context(), "anna", w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	for what, change := range changes {
		wantKind(t, "who was removed "+what, change(), fault.KindForbidden)
	}
	olga := control.By{Actor: control.ActorOf("olga"), At: noon}
	if err := s.WithdrawInvitation(t.Context(), invitation.ID, w.ID, olga); err != nil {
		t.Errorf("the rejected change was applied: %v", err)
	}
	if k, err := s.Key(t.Context(), "k1"); err != nil || !k.RevokedAt.IsZero() || k.ReplacedBy != "" {
		t.Errorf("key of the workspace: %+v, %v", k, err)
	}
	wantKind(t, "who was removed comes back with a role", s.SetRole(t.Context(), "anna", w.ID, control.RoleViewer, olga), fault.KindNotFound)
	if err := s.SetRole(t.Context(), "ben", w.ID, control.RoleAdmin, olga); err != nil {
		t.Errorf("an owner changes a role: %v", err)
	}
	if err := s.RemoveMember(t.Context(), "ben", w.ID, control.By{Actor: control.ActorOf("ben"), At: noon}); err != nil {
		t.Errorf("a person leaves: %v", err)
	}
}

// errOf drops the result of a change that should fail.
func errOf[T any](_ T, err error) error { return err }

// another returns an invitation like the invitation n, from another author to another person.
func another(n control.Invitation, by control.UserID) control.Invitation {
	n.ID, n.Hash, n.Email, n.By = n.ID+" too", []byte("another link"), "else@acme.example", by
	return n
}

// ownGrantsAreEndedByAnybody checks that a person with any role may revoke their own grants.
func ownGrantsAreEndedByAnybody(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	newMember(t, s, "ben", w.ID)
	mine, _ := newGrant(t, s, "anna", w.ID, "g1")
	if err := s.SetRole(t.Context(), "anna", w.ID, control.RoleViewer, at(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RevokeGrant(t.Context(), mine.ID, "by a person", control.By{Actor: control.ActorOf("anna"), At: noon}); err != nil {
		t.Errorf("a viewer ends her own grant: %v", err)
	}
}

func lowerRoleEndsKeysBeyondIt(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	newMember(t, s, "ben", w.ID)
	mine := control.By{Actor: "user:ben", At: noon}
	for id, scope := range map[control.KeyID]control.Scope{"approves": control.ScopeApprove, "reads": control.ScopeRead} {
		k := keyLike(w.ID, id)
		k.Scopes = []control.Scope{scope}
		if err := s.CreateKey(t.Context(), k, mine); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetRole(t.Context(), "ben", w.ID, control.RoleAdmin, at(0)); err != nil {
		t.Fatal(err)
	}
	wantKeysRevoked(t, s, map[control.KeyID]bool{"approves": false, "reads": false})
	if err := s.SetRole(t.Context(), "ben", w.ID, control.RoleAnalyst, at(0)); err != nil {
		t.Fatal(err)
	}
	wantKeysRevoked(t, s, map[control.KeyID]bool{"approves": true, "reads": false})
}

// endedGrantsAreLogged checks that each way to revoke a grant writes one event. A grant that was already revoked gets
// no second event.
func endedGrantsAreLogged(t *testing.T, s PeopleStore) {
	for what, end := range map[string]func(ws measure.WorkspaceID, id control.UserID) error{
		"leaving": func(ws measure.WorkspaceID, id control.UserID) error {
			return s.RemoveMember(t.Context(), id, ws, at(time.Minute))
		},
		"removal": func(_ measure.WorkspaceID, id control.UserID) error {
			return s.RemoveUser(t.Context(), id, at(time.Minute))
		},
		"workspace": func(ws measure.WorkspaceID, _ control.UserID) error {
			return s.DeleteWorkspace(t.Context(), ws, at(time.Minute))
		},
	} {
		w := newWorkspace(t, s, what)
		newMember(t, s, control.UserID("owner of "+what), w.ID)
		leaver := control.UserID("leaver of " + what)
		newMember(t, s, leaver, w.ID)
		newGrant(t, s, leaver, w.ID, "live "+what)
		newGrant(t, s, leaver, w.ID, "dead "+what)
		if _, err := s.RevokeGrant(t.Context(), control.GrantID("dead "+what), "test", at(0)); err != nil {
			t.Fatal(err)
		}
		if err := end(w.ID, leaver); err != nil {
			t.Fatal(err)
		}
		events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Kinds: []control.EventKind{control.GrantRevoked}, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		var ended []string
		for _, e := range events {
			ended = append(ended, e.Subject)
		}
		if diff := cmp.Diff([]string{"live " + what, "dead " + what}, ended); diff != "" {
			t.Errorf("%s: grants in the log (-want +got):\n%s", what, diff)
		}
	}
}

func sessionsAreListed(t *testing.T, s PeopleStore) {
	newUser(t, s, "anna")
	newUser(t, s, "ben")
	first, second := newSession(t, s, "anna", "s1"), newSession(t, s, "anna", "s2")
	theirs := newSession(t, s, "ben", "s3")
	if err := s.TouchSession(t.Context(), second.Hash, noon.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	second.SeenAt = noon.Add(time.Minute)
	want := func(what string, want ...control.Session) {
		t.Helper()
		got, err := s.Sessions(t.Context(), "anna")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	want("both", second, first)
	for range 2 {
		if err := s.EndOtherSessions(t.Context(), "anna", first.Hash, at(0)); err != nil {
			t.Fatal(err)
		}
		want("the one that stays", first)
	}
	if _, _, err := s.Session(t.Context(), theirs.Hash); err != nil {
		t.Errorf("another person's session: %v", err)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Kinds: []control.EventKind{control.SignedOut}, Limit: 10})
	if err != nil || len(events) != 1 {
		t.Errorf("%d lines about it, %v; want 1", len(events), err)
	}
}

func membersEventsAreShown(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	newUser(t, s, "outsider")
	newSession(t, s, "anna", "s1")
	newSession(t, s, "outsider", "s2")
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Members: true, Kinds: []control.EventKind{control.SignedIn}, Limit: 10})
	if err != nil || len(events) != 1 || events[0].Subject != "anna" || events[0].Detail != "from 192.0.2.1" {
		t.Errorf("sign-ins seen in the workspace: %+v, %v; want anna's", events, err)
	}
}
