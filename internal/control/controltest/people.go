package controltest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// PeopleStore is a store that also has people, sessions and grants.
type PeopleStore interface {
	Store

	CreateUser(ctx context.Context, u control.User, by control.By) error
	Users(ctx context.Context) ([]control.User, error)
	User(ctx context.Context, id control.UserID) (control.User, error)
	UserByEmail(ctx context.Context, email string) (control.User, error)
	ChangePassword(ctx context.Context, id control.UserID, was, is string, by control.By) error
	StrengthenPassword(ctx context.Context, id control.UserID, was, is string) error
	RemoveUser(ctx context.Context, id control.UserID, by control.By) error

	SetRole(ctx context.Context, id control.UserID, ws measure.WorkspaceID, role control.Role, by control.By) error
	RemoveMember(ctx context.Context, id control.UserID, ws measure.WorkspaceID, by control.By) error
	Memberships(ctx context.Context, id control.UserID) ([]control.Membership, error)
	Members(ctx context.Context, ws measure.WorkspaceID) ([]control.Membership, error)

	CreateSession(ctx context.Context, n control.NewSession, by control.By) error
	Session(ctx context.Context, hash []byte) (control.Session, control.User, error)
	TouchSession(ctx context.Context, hash []byte, at time.Time) error
	Sessions(ctx context.Context, id control.UserID) ([]control.Session, error)
	EndSession(ctx context.Context, hash []byte, by control.By) error
	EndOtherSessions(ctx context.Context, id control.UserID, but []byte, by control.By) error

	CreateInvitation(ctx context.Context, n control.Invitation, by control.By) error
	Invitations(ctx context.Context, ws measure.WorkspaceID) ([]control.Invitation, error)
	Invitation(ctx context.Context, hash []byte) (control.Invitation, error)
	WithdrawInvitation(ctx context.Context, id control.InvitationID, ws measure.WorkspaceID, by control.By) error
	AcceptInvitation(ctx context.Context, hash []byte, u control.User, by control.By) error

	CreateClient(ctx context.Context, c control.Client) error
	Client(ctx context.Context, id control.ClientID) (control.Client, error)
	DeleteClient(ctx context.Context, id control.ClientID, by control.By) error
	KeepRequest(ctx context.Context, r control.AuthRequest) error
	Request(ctx context.Context, hash []byte) (control.AuthRequest, error)
	ApproveRequest(ctx context.Context, hash []byte, g control.Grant, c control.Code, by control.By) error
	RefuseRequest(ctx context.Context, hash []byte, by control.By) error
	Access(ctx context.Context, grant control.GrantID) (control.Access, error)
	Grants(ctx context.Context, ws measure.WorkspaceID) ([]control.Grant, error)
	RevokeGrant(ctx context.Context, id control.GrantID, why string, by control.By) (control.Grant, error)
	Code(ctx context.Context, hash []byte) (control.Code, error)
	RedeemCode(ctx context.Context, hash []byte, first control.RefreshToken, at time.Time) (bool, error)
	RefreshToken(ctx context.Context, hash []byte) (t control.RefreshToken, successorUsed bool, err error)
	RotateRefreshToken(ctx context.Context, hash []byte, next control.RefreshToken, at time.Time) (bool, error)
	Prune(ctx context.Context, now time.Time) error
}

// RunPeople tests a store of people, sessions and grants. Each call of the function open returns an empty store, which
// is closed at the end of the test.
func RunPeople(t *testing.T, open func(t *testing.T) PeopleStore) {
	t.Helper()
	cases := []struct {
		name string
		run  func(t *testing.T, s PeopleStore)
	}{
		{"the weekly summary is sent once a week to members who chose it", weeklyReadersAreKept},
		{"alert destinations belong to managers and to the members themselves", destinationsAreKept},
		{"a person is found by ID and by email address", personIsKept},
		{"an email address belongs to one person", addressIsGivenOnce},
		{"a new password ends all sessions", passwordEndsSessions},
		{"a stronger hash replaces only the hash of the same password", strongerHashIsConditional},
		{"a role is set, changed and logged", roleIsSet},
		{"a person who leaves loses keys and grants there", leavingEndsAccess},
		{"a person who is removed loses everything", removalEndsAccess},
		{"the last owner cannot leave", lastOwnerStays},
		{"a lower role ends the keys that exceed it", lowerRoleEndsKeysBeyondIt},
		{"the role is checked at the time of the change", roleCountsAtTheChange},
		{"a share link is found by its hash until it ends", sharesAreKept},
		{"people with any role revoke their own grants", ownGrantsAreEndedByAnybody},
		{"a grant that ends with another object is logged", endedGrantsAreLogged},
		{"an invitation is accepted once and in time", invitationIsAcceptedOnce},
		{"only one of many concurrent acceptances of an invitation succeeds", acceptancesRace},
		{"an invitation is invalid if its author may not give the role", invitationOfWhoMayNot},
		{"an invitation is withdrawn", invitationIsWithdrawn},
		{"sessions are listed, and all but one are ended", sessionsAreListed},
		{"events of members are shown in their workspace", membersEventsAreShown},
		{"a session's last use only moves forward, and its end is final", sessionIsKept},
		{"a registered client is returned as stored", clientIsKept},
		{"a request is returned as stored", requestIsKept},
		{"a request is decided once", requestIsDecidedOnce},
		{"only one of many concurrent decisions succeeds", decisionsRace},
		{"a code is redeemed once and in time", codeIsRedeemedOnce},
		{"a refresh token is used once and in time", refreshTokenIsUsedOnce},
		{"only one of many concurrent uses of a refresh token succeeds", refreshesRace},
		{"a grant is revoked once", grantIsRevokedOnce},
		{"a deleted client's grants are revoked", clientDeletionRevokes},
		{"access follows the role and ends with the workspace", accessFollowsRole},
		{"expired objects are removed in time", endedIsPruned},
		{"missing people and objects are not found", absentPeopleAreNotFound},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}

// newUser stores a person.
func newUser(t *testing.T, s PeopleStore, id control.UserID) control.User {
	t.Helper()
	u := control.User{ID: id, Email: string(id) + "@acme.example", Password: "$hash$of$" + string(id), CreatedAt: noon}
	if err := s.CreateUser(t.Context(), u, at(0)); err != nil {
		t.Fatalf("CreateUser(%q): %v", id, err)
	}
	return u
}

// newMember stores a person who is an owner of the workspace.
func newMember(t *testing.T, s PeopleStore, id control.UserID, ws measure.WorkspaceID) {
	t.Helper()
	newUser(t, s, id)
	if err := s.SetRole(t.Context(), id, ws, control.RoleOwner, at(0)); err != nil {
		t.Fatalf("SetRole(%q): %v", id, err)
	}
}

// newSession stores a session of a person that [newUser] created.
func newSession(t *testing.T, s PeopleStore, id control.UserID, hash string) control.Session {
	t.Helper()
	n := control.Session{Hash: []byte(hash), User: id, CreatedAt: noon, SeenAt: noon, EndsAt: noon.Add(time.Hour), Browser: "Firefox"}
	begun := control.NewSession{Session: n, Password: "$hash$of$" + string(id), From: "from 192.0.2.1"}
	if err := s.CreateSession(t.Context(), begun, control.By{Actor: control.ActorOf(id), At: noon}); err != nil {
		t.Fatalf("CreateSession(%q): %v", id, err)
	}
	return n
}

func personIsKept(t *testing.T, s PeopleStore) {
	want := newUser(t, s, "anna")
	byID, err := s.User(t.Context(), "anna")
	if err != nil {
		t.Fatal(err)
	}
	byEmail, err := s.UserByEmail(t.Context(), "anna@acme.example")
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Users(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]control.User{want, want, want}, append(all, byID, byEmail)); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func addressIsGivenOnce(t *testing.T, s PeopleStore) {
	newUser(t, s, "anna")
	err := s.CreateUser(t.Context(), control.User{ID: "other", Email: "anna@acme.example", CreatedAt: noon}, at(0))
	wantKind(t, "a second account of the address", err, fault.KindConflict)
}

func passwordEndsSessions(t *testing.T, s PeopleStore) {
	u := newUser(t, s, "anna")
	newUser(t, s, "ben")
	mine, theirs := newSession(t, s, "anna", "s1"), newSession(t, s, "ben", "s2")
	if err := s.ChangePassword(t.Context(), "anna", u.Password, "$new", at(time.Hour)); err != nil {
		t.Fatal(err)
	}
	late := control.NewSession{Session: control.Session{Hash: []byte("s3"), User: "anna", EndsAt: noon.Add(time.Hour)}, Password: u.Password}
	wantKind(t, "a session that begins with the earlier password", s.CreateSession(t.Context(), late, at(time.Hour)), fault.KindConflict)
	wantKind(t, "a change from the earlier password", s.ChangePassword(t.Context(), "anna", u.Password, "$other", at(time.Hour)), fault.KindConflict)
	_, _, err := s.Session(t.Context(), mine.Hash)
	wantKind(t, "the session", err, fault.KindNotFound)
	if _, _, err := s.Session(t.Context(), theirs.Hash); err != nil {
		t.Errorf("another person's session: %v", err)
	}
	if u, err := s.User(t.Context(), "anna"); err != nil || u.Password != "$new" {
		t.Errorf("the password is %q, %v", u.Password, err)
	}
}

func strongerHashIsConditional(t *testing.T, s PeopleStore) {
	u := newUser(t, s, "anna")
	for _, step := range []struct{ was, is, want string }{{"$stale", "$x", u.Password}, {u.Password, "$strong", "$strong"}} {
		if err := s.StrengthenPassword(t.Context(), "anna", step.was, step.is); err != nil {
			t.Fatal(err)
		}
		if got, err := s.User(t.Context(), "anna"); err != nil || got.Password != step.want {
			t.Errorf("from %q: %q, %v; want %q", step.was, got.Password, err, step.want)
		}
	}
}

func roleIsSet(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newUser(t, s, "ben")
	for _, role := range []control.Role{control.RoleViewer, control.RoleViewer, control.RoleAdmin} {
		if err := s.SetRole(t.Context(), "ben", w.ID, role, at(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	want := []control.Membership{{User: "ben", Workspace: w, Role: control.RoleAdmin, Since: noon.Add(time.Hour)}}
	mine, err := s.Memberships(t.Context(), "ben")
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Members(t.Context(), w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(want, want...), append(mine, all...)); diff != "" {
		t.Errorf("memberships (-want +got):\n%s", diff)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	change := control.Event{At: noon.Add(time.Hour), Workspace: w.ID, Kind: control.RoleChanged, Actor: "assay test", Subject: "ben"}
	first, second := change, change
	first.Detail, second.Detail = "viewer, was none", "admin, was viewer"
	byDetail := cmpopts.SortSlices(func(a, b control.Event) bool { return a.Detail < b.Detail })
	if diff := cmp.Diff([]control.Event{first, second}, events, byDetail, cmpopts.IgnoreFields(control.Event{}, "ID")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	wantKind(t, "a role in no workspace", s.SetRole(t.Context(), "ben", "nowhere", control.RoleAdmin, at(0)), fault.KindNotFound)
	wantKind(t, "an unknown role", s.SetRole(t.Context(), "missing", w.ID, control.RoleAdmin, at(0)), fault.KindNotFound)
}

func leavingEndsAccess(t *testing.T, s PeopleStore) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Other")
	newMember(t, s, "ben", w.ID)
	newMember(t, s, "carla", w.ID)
	if err := s.SetRole(t.Context(), "ben", other.ID, control.RoleOwner, at(0)); err != nil {
		t.Fatal(err)
	}
	newGrant(t, s, "ben", w.ID, "g1")
	newGrant(t, s, "ben", other.ID, "g2")
	by := control.By{Actor: "user:ben", At: noon}
	for id, ws := range map[control.KeyID]measure.WorkspaceID{"k1": w.ID, "k2": other.ID} {
		if err := s.CreateKey(t.Context(), keyLike(ws, id), by); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.RemoveMember(t.Context(), "ben", w.ID, at(time.Minute)); err != nil {
		t.Fatal(err)
	}
	wantKeysRevoked(t, s, map[control.KeyID]bool{"k1": true, "k2": false})
	_, err := s.Access(t.Context(), "g1")
	wantKind(t, "the grant there", err, fault.KindNotFound)
	if _, err := s.Access(t.Context(), "g2"); err != nil {
		t.Errorf("the grant elsewhere: %v", err)
	}
	wantKind(t, "leaving twice", s.RemoveMember(t.Context(), "ben", w.ID, at(time.Minute)), fault.KindNotFound)
}

func removalEndsAccess(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "ben", w.ID)
	newMember(t, s, "carla", w.ID)
	session := newSession(t, s, "ben", "s1")
	newGrant(t, s, "ben", w.ID, "g1")
	mine, theirs := control.By{Actor: "user:ben", At: noon}, at(0)
	for _, id := range []control.KeyID{"made", "given"} {
		if err := s.CreateKey(t.Context(), keyLike(w.ID, id), mine); err != nil {
			t.Fatal(err)
		}
	}
	newKey(t, s, w.ID, "hers")
	newKey(t, s, w.ID, "taken")
	rotations := []struct {
		old, next control.KeyID
		by        control.By
	}{{"made", "made again", mine}, {"given", "given away", theirs}, {"taken", "taken over", mine}}
	for _, r := range rotations {
		if err := s.ReplaceKey(t.Context(), r.old, noon.Add(time.Hour), keyLike(w.ID, r.next), r.by); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.RemoveUser(t.Context(), "ben", at(time.Minute)); err != nil {
		t.Fatal(err)
	}
	wantKeysRevoked(t, s, map[control.KeyID]bool{
		"made": true, "made again": true, "given": true, "given away": false, "hers": false, "taken": false, "taken over": true,
	})
	_, _, err := s.Session(t.Context(), session.Hash)
	wantKind(t, "the session", err, fault.KindNotFound)
	_, err = s.Access(t.Context(), "g1")
	wantKind(t, "the grant", err, fault.KindNotFound)
	wantKind(t, "removing twice", s.RemoveUser(t.Context(), "ben", at(time.Minute)), fault.KindNotFound)
}

func wantKeysRevoked(t *testing.T, s PeopleStore, want map[control.KeyID]bool) {
	t.Helper()
	for id, revoked := range want {
		k, err := s.Key(t.Context(), id)
		if err != nil || k.RevokedAt.IsZero() == revoked {
			t.Errorf("key %q: revoked at %v, %v; want revoked %v", id, k.RevokedAt, err, revoked)
		}
	}
}

func sessionIsKept(t *testing.T, s PeopleStore) {
	u := newUser(t, s, "anna")
	want := newSession(t, s, "anna", "s1")
	for _, seen := range []time.Duration{time.Minute, 0} {
		if err := s.TouchSession(t.Context(), want.Hash, noon.Add(seen)); err != nil {
			t.Fatal(err)
		}
	}
	want.SeenAt = noon.Add(time.Minute)
	got, owner, err := s.Session(t.Context(), want.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(u, owner); diff != "" {
		t.Errorf("its person (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := s.EndSession(t.Context(), want.Hash, at(0)); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err = s.Session(t.Context(), want.Hash)
	wantKind(t, "an ended session", err, fault.KindNotFound)
}

func absentPeopleAreNotFound(t *testing.T, s PeopleStore) {
	ctx, hash := t.Context(), []byte("none")
	_, err := s.User(ctx, "missing")
	wantKind(t, "User", err, fault.KindNotFound)
	_, err = s.UserByEmail(ctx, "missing@acme.example")
	wantKind(t, "UserByEmail", err, fault.KindNotFound)
	wantKind(t, "ChangePassword", s.ChangePassword(ctx, "missing", "x", "y", at(0)), fault.KindNotFound)
	_, _, err = s.Session(ctx, hash)
	wantKind(t, "Session", err, fault.KindNotFound)
	_, err = s.Client(ctx, "missing")
	wantKind(t, "Client", err, fault.KindNotFound)
	wantKind(t, "DeleteClient", s.DeleteClient(ctx, "missing", at(0)), fault.KindNotFound)
	_, err = s.Request(ctx, hash)
	wantKind(t, "Request", err, fault.KindNotFound)
	wantKind(t, "RefuseRequest", s.RefuseRequest(ctx, hash, at(0)), fault.KindConflict)
	_, err = s.Code(ctx, hash)
	wantKind(t, "Code", err, fault.KindNotFound)
	_, _, err = s.RefreshToken(ctx, hash)
	wantKind(t, "RefreshToken", err, fault.KindNotFound)
	_, err = s.Access(ctx, "none")
	wantKind(t, "Access", err, fault.KindNotFound)
	_, err = s.RevokeGrant(ctx, "none", "test", at(0))
	wantKind(t, "RevokeGrant", err, fault.KindNotFound)
}
