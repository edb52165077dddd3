package controltest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

func forgottenCustomersAreKept(t *testing.T, s Store) {
	acme, zoo := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Zoo")
	for i, customers := range [][]string{{"hashA", "hashB"}, {"hashB", "hashC"}} {
		if err := s.ForgetCustomers(t.Context(), acme.ID, customers, at(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	forgotten := func(id measure.WorkspaceID) map[string]struct{} {
		t.Helper()
		got, err := s.ForgottenCustomers(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff(map[string]struct{}{"hashA": {}, "hashB": {}, "hashC": {}}, forgotten(acme.ID)); diff != "" {
		t.Errorf("acme (-want +got):\n%s", diff)
	}
	if got := forgotten(zoo.ID); len(got) != 0 {
		t.Errorf("zoo lists the forgotten customers %v, want none", got)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Kinds: []control.EventKind{control.CustomerForgotten}, Limit: 10})
	if err != nil || len(events) != 2 || events[0].Workspace != acme.ID || events[0].Actor != "assay test" || events[1].Subject != "hashA" {
		t.Errorf("events %+v, %v; want one for each time", events, err)
	}
	if err := s.DeleteWorkspace(t.Context(), acme.ID, at(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := forgotten(acme.ID); len(got) != 0 {
		t.Errorf("a deleted workspace lists the forgotten customers %v, want none", got)
	}
	wantKind(t, "a customer of no workspace", s.ForgetCustomers(t.Context(), acme.ID, []string{"hashA"}, at(0)), fault.KindNotFound)
}

func mappingsAreKept(t *testing.T, s Store) {
	acme, zoo := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Zoo")
	till := control.Mapping{Workspace: acme.ID, Name: "till", Content: "name: till\nkind: orders", At: noon}
	wholesale := control.Mapping{Workspace: acme.ID, Name: "fair", Content: "{}", At: noon}
	for _, m := range []control.Mapping{till, wholesale} {
		if err := s.SaveMapping(t.Context(), m, at(0)); err != nil {
			t.Fatal(err)
		}
	}
	till.Content, till.At = "name: till\nkind: order_lines", noon.Add(time.Hour)
	if err := s.SaveMapping(t.Context(), till, at(0)); err != nil {
		t.Fatal(err)
	}
	all, err := s.Mappings(t.Context(), acme.ID)
	if diff := cmp.Diff([]control.Mapping{wholesale, till}, all); diff != "" || err != nil {
		t.Errorf("%v, mappings (-want +got):\n%s", err, diff)
	}
	if err := s.DeleteMapping(t.Context(), acme.ID, "fair", at(0)); err != nil {
		t.Error(err)
	}
	wantKind(t, "a mapping removed twice", s.DeleteMapping(t.Context(), acme.ID, "fair", at(0)), fault.KindNotFound)
	_, err = s.Mapping(t.Context(), zoo.ID, "till")
	wantKind(t, "another workspace's mapping", err, fault.KindNotFound)
	wantKind(t, "a mapping of no workspace", s.SaveMapping(t.Context(), control.Mapping{Workspace: "nowhere", Name: "x", At: noon}, at(0)), fault.KindNotFound)
	outsider := control.By{Actor: control.ActorOf("missing"), At: noon}
	wantKind(t, "a mapping saved by somebody without a role", s.SaveMapping(t.Context(), wholesale, outsider), fault.KindForbidden)
	wantKind(t, "a mapping deleted by somebody without a role", s.DeleteMapping(t.Context(), acme.ID, "till", outsider), fault.KindForbidden)
	if got, err := s.Mapping(t.Context(), acme.ID, "till"); err != nil || got != till {
		t.Errorf("%+v, %v; want %+v", got, err, till)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: acme.ID, Kinds: []control.EventKind{control.MappingSaved, control.MappingRemoved}, Limit: 10})
	var told []string
	for _, e := range events {
		told = append(told, string(e.Kind)+" "+e.Subject+" "+e.Actor)
	}
	slices.Sort(told)
	by := at(0).Actor
	want := []string{"mapping_removed fair " + by, "mapping_saved fair " + by, "mapping_saved till " + by, "mapping_saved till " + by}
	if diff := cmp.Diff(want, told); diff != "" || err != nil {
		t.Errorf("%v, the audit log (-want +got):\n%s", err, diff)
	}
}

func mappingsAreChangedAsTheyWereSeen(t *testing.T, s Store) {
	acme := newWorkspace(t, s, "Acme")
	change := func(name, content, was string, seen, now time.Time) error {
		return s.ChangeMapping(t.Context(), control.MappingChange{
			Mapping: control.Mapping{Workspace: acme.ID, Name: name, Content: content, At: now}, Was: was, Seen: seen,
		}, at(0))
	}
	later, last := noon.Add(time.Hour), noon.Add(2*time.Hour)
	if err := change("till", "a", "", time.Time{}, noon); err != nil {
		t.Fatal(err)
	}
	if err := change("till", "a", "", time.Time{}, noon); err != nil {
		t.Errorf("the same mapping sent twice: %v", err)
	}
	wantKind(t, "another one of the name", change("till", "b", "", time.Time{}, later), fault.KindConflict)
	if err := change("till", "b", "till", noon, later); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "a change of what was changed since", change("till", "c", "till", noon, last), fault.KindConflict)
	wantKind(t, "another name for what was changed since", change("shop", "c", "till", noon, last), fault.KindConflict)
	if err := change("fair", "d", "", time.Time{}, noon); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "the name of another", change("fair", "c", "till", later, last), fault.KindConflict)
	if err := change("shop", "c", "till", later, last); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "a change of what has another name", change("till", "e", "till", later, last), fault.KindConflict)
	var names []string
	all, err := s.Mappings(t.Context(), acme.ID)
	for _, m := range all {
		names = append(names, m.Name+" "+m.Content)
	}
	if diff := cmp.Diff([]string{"fair d", "shop c"}, names); diff != "" || err != nil {
		t.Errorf("%v, mappings (-want +got):\n%s", err, diff)
	}
	wantKind(t, "a mapping of no workspace", s.ChangeMapping(t.Context(), control.MappingChange{Mapping: control.Mapping{Workspace: "nowhere", Name: "x", At: noon}}, at(0)), fault.KindNotFound)
	outsider := control.By{Actor: control.ActorOf("missing"), At: noon}
	wantKind(t, "a mapping changed by somebody without a role", s.ChangeMapping(t.Context(), control.MappingChange{
		Mapping: control.Mapping{Workspace: acme.ID, Name: "x", At: noon},
	}, outsider), fault.KindForbidden)
}
