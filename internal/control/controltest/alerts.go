package controltest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
)

var alertDay = civil.New(2026, time.November, 19)

func newAlert(t *testing.T, s Store, w control.Workspace, id control.AlertID, threshold control.AlertValue) control.Alert {
	t.Helper()
	kept, err := s.CreateAlert(t.Context(), control.Alert{
		ID: id, Workspace: w.ID, Name: "Low revenue", Metric: control.AlertRevenue, Channel: "google", Condition: control.Below, Threshold: threshold,
	}, at(0))
	if err != nil {
		t.Fatalf("CreateAlert(%q): %v", id, err)
	}
	if kept.Changed != (kept.Record.ID == id) {
		t.Errorf("CreateAlert(%q) = %+v", id, kept)
	}
	return kept.Record
}

func newDestination(t *testing.T, s Store, w control.Workspace, id control.DestinationID) control.Destination {
	t.Helper()
	d := control.Destination{
		ID: id, Workspace: w.ID, Kind: control.WebhookDestination, URL: "https://hooks.example/" + string(id), Sealed: []byte{1, 255}, At: noon,
	}
	if err := s.AddDestination(t.Context(), d, at(0)); err != nil {
		t.Fatalf("AddDestination(%q): %v", id, err)
	}
	return d
}

func alertsAreKept(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Other")
	first := newAlert(t, s, w, "a1", 500_250_000)
	if first.By != "assay test" || !first.At.Equal(noon) {
		t.Errorf("the rule has no author or time: %+v", first)
	}
	if again := newAlert(t, s, w, "a2", 500_250_000); again != first {
		t.Errorf("an identical rule is %+v, want %+v", again, first)
	}
	got, err := s.Alerts(t.Context(), w.ID)
	if diff := cmp.Diff([]control.Alert{first}, got); err != nil || diff != "" {
		t.Errorf("rules: %v\n%s", err, diff)
	}
	newAlert(t, s, other, "a3", 500_250_000)
	_, err = s.RemoveAlert(t.Context(), other.ID, "a1", at(0))
	wantKind(t, "removal from another workspace", err, fault.KindNotFound)
	_, err = s.CreateAlert(t.Context(), control.Alert{ID: "a4", Workspace: "none"}, at(0))
	wantKind(t, "a rule of no workspace", err, fault.KindNotFound)
	if removed, err := s.RemoveAlert(t.Context(), w.ID, "a1", at(0)); err != nil || removed != first {
		t.Errorf("removed %+v, %v", removed, err)
	}
	_, err = s.RemoveAlert(t.Context(), w.ID, "a1", at(0))
	wantKind(t, "a second removal", err, fault.KindNotFound)
	for i := range 50 {
		newAlert(t, s, w, control.AlertID(fmt.Sprint("many", i)), control.AlertValue(i+1))
	}
	_, err = s.CreateAlert(t.Context(), control.Alert{ID: "a5", Workspace: w.ID, Threshold: 99}, at(0))
	wantKind(t, "a rule above the maximum", err, fault.KindConflict)
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Kinds: []control.EventKind{control.AlertCreated, control.AlertRemoved}, Limit: 100})
	described := 0
	for _, e := range events {
		if e.Subject == "a1" && e.Detail == "revenue of google below USD 500.25" {
			described++
		}
	}
	if err != nil || len(events) != 52 || described != 2 {
		t.Errorf("%d audit events, %v, %d of them describe the rule; want 52 and 2", len(events), err, described)
	}
}

func alertsAreRaisedOnce(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	rule, second := newAlert(t, s, w, "a1", 500_000_000), newAlert(t, s, w, "a2", 400_000_000)
	newDestination(t, s, w, "d1")
	newDestination(t, s, w, "d2")
	event := func(a control.Alert, value control.AlertValue) control.AlertEvent {
		return control.AlertEvent{Alert: a, Day: alertDay, Value: value, Reference: new(control.AlertValue(7)), Raised: noon}
	}
	all := []control.AlertEvent{event(rule, 300_000_000), event(second, 300_000_000), event(control.Alert{ID: "removed"}, 1)}
	for i, want := range []int{2, 0} {
		if fresh, err := s.RaiseAlerts(t.Context(), w.ID, all); fresh != want || err != nil {
			t.Errorf("time %d: %d new events, %v, want %d", i, fresh, err, want)
		}
	}
	if _, err := s.RaiseAlerts(t.Context(), w.ID, []control.AlertEvent{event(rule, 200_000_000)}); err != nil {
		t.Fatal(err)
	}
	assumed := event(second, 450_000_000)
	assumed.LastOrder = alertDay.AddDays(-1)
	if err := s.CorrectAlerts(t.Context(), w.ID, []control.AlertEvent{assumed}); err != nil {
		t.Fatal(err)
	}
	lastOrders := map[control.AlertID]civil.Date{"a2": assumed.LastOrder}
	waiting := []control.AlertDelivery{{Destination: "d1", State: control.DeliveryWaiting}, {Destination: "d2", State: control.DeliveryWaiting}}
	values := map[control.AlertID]control.AlertValue{"a1": 200_000_000, "a2": 450_000_000}
	got, err := s.AlertEvents(t.Context(), w.ID, alertDay)
	if err != nil || len(got) != 2 {
		t.Fatalf("events %+v, %v", got, err)
	}
	for _, e := range got {
		if e.LastOrder != lastOrders[e.Alert.ID] {
			t.Errorf("last order of %s: %q, want %q", e.Alert.ID, e.LastOrder, lastOrders[e.Alert.ID])
		}
		if e.Value != values[e.Alert.ID] || len(e.Deliveries) != len(waiting) || e.Reference == nil || *e.Reference != 7 {
			t.Errorf("event %+v, want the value %s and %d deliveries", e, values[e.Alert.ID], len(waiting))
		}
	}
	if got, err := s.AlertEvents(t.Context(), w.ID, alertDay.AddDays(1)); err != nil || len(got) != 0 {
		t.Errorf("events of later days: %+v, %v", got, err)
	}
	if _, err := s.RemoveAlert(t.Context(), w.ID, "a1", at(0)); err != nil {
		t.Fatal(err)
	}
	seen := map[control.DestinationID]bool{}
	for range 2 {
		m, err := s.ClaimAlertMessage(t.Context(), noon)
		if err != nil || m == nil {
			t.Fatalf("message %+v, %v", m, err)
		}
		if len(m.Events) != 2 || m.Events[0].Alert != rule || m.Workspace.ID != w.ID || m.Attempts != 1 {
			t.Errorf("message %+v, want both events", m)
		}
		seen[m.Destination.ID] = true
	}
	if !seen["d1"] || !seen["d2"] {
		t.Errorf("messages to %v", seen)
	}
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	if m, err := s.ClaimAlertMessage(t.Context(), noon.Add(24*time.Hour)); m != nil || err != nil {
		t.Errorf("a message of a deleted workspace: %+v, %v", m, err)
	}
}

func alertMessagesAreRetried(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	rule := newAlert(t, s, w, "a1", 500_000_000)
	newDestination(t, s, w, "d1")
	raise := func(day civil.Date) {
		t.Helper()
		if _, err := s.RaiseAlerts(t.Context(), w.ID, []control.AlertEvent{{Alert: rule, Day: day, Value: 1, Raised: noon}}); err != nil {
			t.Fatal(err)
		}
	}
	claim := func(now time.Time) *control.AlertMessage {
		t.Helper()
		m, err := s.ClaimAlertMessage(t.Context(), now)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	settle := func(m *control.AlertMessage, problem string, now time.Time) {
		t.Helper()
		if m == nil {
			t.Fatal("no message is due")
		}
		if err := s.SettleAlertMessage(t.Context(), *m, problem, now); err != nil {
			t.Fatal(err)
		}
	}
	raise(alertDay)
	now := noon
	lost := claim(now)
	if again := claim(now); again != nil {
		t.Errorf("a second process also sends the message: %+v", again)
	}
	now = now.Add(control.AlertBackoff(1)) // the process ended while it was sending
	second := claim(now)
	settle(lost, "", now)
	settle(second, "status 500", now)
	for i := 3; i <= control.MaxAlertAttempts; i++ {
		now = now.Add(control.AlertBackoff(i - 1))
		if early := claim(now.Add(-time.Second)); early != nil {
			t.Fatalf("attempt %d is too early", i)
		}
		m := claim(now)
		settle(m, "status 500", now)
		if m.Attempts != i || m.ID != second.ID {
			t.Errorf("attempt %d is %+v", i, m)
		}
	}
	state, err := s.AlertState(t.Context(), w.ID)
	if want := (control.AlertState{Rules: 1, Destinations: 1, GivenUp: 1, Problem: "status 500"}); err != nil || state != want {
		t.Errorf("state %+v, %v, want %+v", state, err, want)
	}
	if n, err := s.AlertsGivenUp(t.Context()); n != 1 || err != nil {
		t.Errorf("%d messages given up, %v", n, err)
	}
	raise(alertDay.AddDays(1))
	for i := 1; i <= control.MaxAlertAttempts; i++ { // the process ends while it is sending, each time
		if claim(now) == nil {
			t.Fatalf("attempt %d is not due", i)
		}
		now = now.Add(control.AlertBackoff(i))
	}
	if m := claim(now); m != nil {
		t.Errorf("an attempt above the maximum: %+v", m)
	}
	if n, err := s.AlertsGivenUp(t.Context()); n != 2 || err != nil {
		t.Errorf("%d messages given up, %v", n, err)
	}
	raise(alertDay.AddDays(2))
	settle(claim(now), "", now)
	if state, err := s.AlertState(t.Context(), w.ID); err != nil || state.Waiting != 0 || state.GivenUp != 2 {
		t.Errorf("after a success: %+v, %v", state, err)
	}
	raise(alertDay.AddDays(3))
	settle(claim(now), "", now.Add(control.KeepAlertMessages+time.Hour))
	if state, err := s.AlertState(t.Context(), w.ID); err != nil || state.GivenUp != 0 || state.Problem != "" {
		t.Errorf("after the retention period: %+v, %v", state, err)
	}
}

func destinationsAreKept(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	hook := newDestination(t, s, w, "d1")
	newUser(t, s, "anna")
	newUser(t, s, "ben")
	for id, role := range map[control.UserID]control.Role{"anna": control.RoleOwner, "ben": control.RoleViewer} {
		if err := s.SetRole(t.Context(), id, w.ID, role, at(0)); err != nil {
			t.Fatal(err)
		}
	}
	ben, anna := control.By{Actor: control.ActorOf("ben"), At: noon}, control.By{Actor: control.ActorOf("anna"), At: noon}
	email := control.Destination{ID: "d2", Workspace: w.ID, Kind: control.EmailDestination, Member: "ben", At: noon.Add(time.Second)}
	if err := s.AddDestination(t.Context(), email, ben); err != nil {
		t.Fatal(err)
	}
	twice := email
	twice.ID = "d3"
	wantKind(t, "a member twice", s.AddDestination(t.Context(), twice, ben), fault.KindConflict)
	twice = hook
	twice.ID = "d3"
	wantKind(t, "a URL twice", s.AddDestination(t.Context(), twice, at(0)), fault.KindConflict)
	twice.URL = "https://elsewhere.example/"
	wantKind(t, "a webhook of a viewer", s.AddDestination(t.Context(), twice, ben), fault.KindForbidden)
	twice = email
	twice.ID, twice.Member = "d3", "anna"
	wantKind(t, "the email address of another member", s.AddDestination(t.Context(), twice, ben), fault.KindForbidden)
	twice.Member = "none"
	wantKind(t, "the email address of a person outside of the workspace", s.AddDestination(t.Context(), twice, at(0)), fault.KindNotFound)
	wantKind(t, "removal of a webhook by a viewer", s.RemoveDestination(t.Context(), w.ID, "d1", ben), fault.KindForbidden)
	wantKind(t, "removal of a missing destination", s.RemoveDestination(t.Context(), w.ID, "d9", anna), fault.KindNotFound)
	email.Email = "ben@acme.example"
	got, err := s.Destinations(t.Context(), w.ID)
	if diff := cmp.Diff([]control.Destination{hook, email}, got); err != nil || diff != "" {
		t.Errorf("destinations: %v\n%s", err, diff)
	}
	if err := s.RemoveDestination(t.Context(), w.ID, "d1", anna); err != nil {
		t.Error(err)
	}
	if err := s.RemoveMember(t.Context(), "ben", w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Destinations(t.Context(), w.ID); err != nil || len(got) != 0 {
		t.Errorf("destinations remain after the end of the membership: %+v, %v", got, err)
	}
}
