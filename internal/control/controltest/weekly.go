package controltest

import (
	"slices"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
)

func weeklyReadersAreKept(t *testing.T, s PeopleStore) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Other")
	for _, id := range []control.UserID{"anna", "ben", "eve"} {
		newUser(t, s, id)
	}
	for _, id := range []control.UserID{"anna", "ben"} {
		if err := s.SetRole(t.Context(), id, w.ID, control.RoleViewer, at(0)); err != nil {
			t.Fatal(err)
		}
	}
	before, week := civil.New(2026, time.November, 9), civil.New(2026, time.November, 16)
	anna, ben := control.By{Actor: control.ActorOf("anna"), At: noon}, control.By{Actor: control.ActorOf("ben"), At: noon}
	own := control.WeeklyReader{Workspace: w.ID, Member: "ben", At: noon, Week: before}
	if err := s.AddWeeklyReader(t.Context(), own, ben); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "a member twice", s.AddWeeklyReader(t.Context(), own, ben), fault.KindConflict)
	wantKind(t, "another member", s.AddWeeklyReader(t.Context(), own, anna), fault.KindForbidden)
	wantKind(t, "a person outside of the workspace", s.AddWeeklyReader(t.Context(), control.WeeklyReader{Workspace: w.ID, Member: "eve", Week: before}, at(0)), fault.KindNotFound)
	wantKind(t, "removal by another member", s.RemoveWeeklyReader(t.Context(), w.ID, "ben", anna), fault.KindForbidden)
	wantKind(t, "removal of a member who did not choose it", s.RemoveWeeklyReader(t.Context(), w.ID, "anna", anna), fault.KindNotFound)

	claim := func(ws control.Workspace, week civil.Date, now time.Time) *control.WeeklyReader {
		t.Helper()
		r, err := s.ClaimWeeklyReader(t.Context(), ws.ID, week, now)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	settle := func(r *control.WeeklyReader, week civil.Date, problem string) {
		t.Helper()
		if err := s.SettleWeeklyReader(t.Context(), *r, week, problem); err != nil {
			t.Fatal(err)
		}
	}
	if r := claim(w, before, noon); r != nil {
		t.Errorf("the summary of a week before the choice is due: %+v", r)
	}
	if r := claim(other, week, noon); r != nil {
		t.Errorf("another workspace: %+v", r)
	}
	now := noon
	first := claim(w, week, now)
	if first == nil || first.Email != "ben@acme.example" || first.Attempts != 1 {
		t.Fatalf("the first attempt: %+v", first)
	}
	if again := claim(w, week, now.Add(time.Second)); again != nil {
		t.Errorf("a second process sends it too: %+v", again)
	}
	for attempt := 1; attempt < control.MaxAlertAttempts; attempt++ {
		settle(first, week, "no answer")
		now = now.Add(control.AlertBackoff(attempt))
		if first = claim(w, week, now); first == nil || first.Attempts != attempt+1 || first.Problem != "no answer" {
			t.Fatalf("attempt %d: %+v", attempt+1, first)
		}
	}
	settle(first, week, "no answer")
	if r := claim(w, week, now.Add(24*time.Hour)); r != nil {
		t.Errorf("the week is not given up: %+v", r)
	}
	next := week.AddDays(7)
	fresh := claim(w, next, now)
	if fresh == nil || fresh.Attempts != 1 {
		t.Fatalf("the week after: %+v", fresh)
	}
	settle(fresh, next, "")
	want := []control.WeeklyReader{{Workspace: w.ID, Member: "ben", Email: "ben@acme.example", At: noon, Week: next, Attempts: 1}}
	if got, err := s.WeeklyReaders(t.Context(), w.ID); err != nil || !slices.Equal(want, got) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if r := claim(w, next, now.Add(24*time.Hour)); r != nil {
		t.Errorf("the summary is sent twice: %+v", r)
	}
	if err := s.RemoveMember(t.Context(), "ben", w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.WeeklyReaders(t.Context(), w.ID); err != nil || len(got) > 0 {
		t.Errorf("after the end of the membership: %+v, %v", got, err)
	}
}
