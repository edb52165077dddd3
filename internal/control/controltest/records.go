package controltest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// outsider is a person without a role in any workspace.
var outsider = control.By{Actor: control.ActorOf("none"), At: noon}

func note(ws measure.WorkspaceID, first, last, label string) control.Annotation {
	return control.Annotation{Workspace: ws, Days: days(first, last), Label: label, Type: control.Promotion}
}

func annotationsAreKept(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Mill")
	given := note(w.ID, "2026-10-10", "2026-10-12", " Autumn sale ")
	added, err := s.AddAnnotation(t.Context(), given, at(0))
	if err != nil || !added.Changed || added.Record.ID == "" {
		t.Fatalf("added %+v, %v", added, err)
	}
	want := given
	want.ID, want.Label, want.Author, want.At = added.Record.ID, "Autumn sale", "assay test", noon
	again, err := s.AddAnnotation(t.Context(), given, at(time.Hour))
	if diff := cmp.Diff(control.Kept[control.Annotation]{Record: want}, again, byDay); err != nil || diff != "" {
		t.Errorf("the same again: %v (-want +got):\n%s", err, diff)
	}
	early, err := s.AddAnnotation(t.Context(), control.Annotation{
		Workspace: w.ID, Days: civil.Range{First: civil.MustParse("2026-10-01")}, Label: "Site down",
	}, at(0))
	if err != nil || early.Record.Days != days("2026-10-01", "2026-10-01") || early.Record.Type != control.OtherNote {
		t.Errorf("one day and no type: %+v, %v", early, err)
	}
	all, err := s.Annotations(t.Context(), w.ID)
	if diff := cmp.Diff([]control.Annotation{early.Record, want}, all, byDay); err != nil || diff != "" {
		t.Errorf("listed: %v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []control.Annotation{
		note(w.ID, "2026-10-12", "2026-10-10", "reversed"), note(w.ID, "2025-01-01", "2026-10-10", "too long"),
		note(w.ID, "2026-10-10", "2026-10-10", " "), note(w.ID, "2026-10-10", "2026-10-10", "two\nlines"),
		note(w.ID, "2026-10-10", "2026-10-10", strings.Repeat("é", 121)),
		{Workspace: w.ID, Label: "no day"},
		{Workspace: w.ID, Days: days("2026-10-10", "2026-10-10"), Label: "x", Type: "party"},
	} {
		_, err = s.AddAnnotation(t.Context(), bad, at(0))
		wantKind(t, fmt.Sprintf("%+v", bad), err, fault.KindInvalid)
	}
	_, err = s.AddAnnotation(t.Context(), given, outsider)
	wantKind(t, "by a person without a role", err, fault.KindForbidden)
	_, err = s.AddAnnotation(t.Context(), note("nowhere", "2026-10-10", "2026-10-10", "x"), at(0))
	wantKind(t, "in no workspace", err, fault.KindNotFound)
	wantKind(t, "removal by a person without a role", s.RemoveAnnotation(t.Context(), w.ID, want.ID, outsider), fault.KindForbidden)
	wantKind(t, "removal from another workspace", s.RemoveAnnotation(t.Context(), other.ID, want.ID, at(0)), fault.KindNotFound)
	if err := s.RemoveAnnotation(t.Context(), w.ID, want.ID, at(time.Hour)); err != nil {
		t.Error(err)
	}
	wantKind(t, "a second removal", s.RemoveAnnotation(t.Context(), w.ID, want.ID, at(0)), fault.KindNotFound)
	wantEvents(t, s, w.ID, "annotation_removed 2026-10-10 Autumn sale", "annotation_added 2026-10-01 Site down", "annotation_added 2026-10-10 Autumn sale")
}

// wantEvents compares the events of records, newest first. Each event is written as its kind and detail.
func wantEvents(t *testing.T, s Store, ws measure.WorkspaceID, want ...string) {
	t.Helper()
	events, err := s.Events(t.Context(), control.EventFilter{
		Workspace: ws, Limit: 20, Kinds: []control.EventKind{
			control.AnnotationAdded, control.AnnotationRemoved, control.ReportSaved, control.ReportRemoved,
			control.InsightDismissed, control.InsightRestored,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, e := range events {
		got[string(e.Kind)+" "+e.Detail] = true
	}
	for _, w := range want {
		if !got[w] {
			t.Errorf("no event %q in %v", w, got)
		}
	}
	if len(events) != len(want) {
		t.Errorf("%d events, want %d: %v", len(events), len(want), got)
	}
}

// annotationIsAddedOnce adds the same annotation ten times concurrently and expects one annotation.
func annotationIsAddedOnce(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	var changed atomic.Int64
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			kept, err := s.AddAnnotation(t.Context(), note(w.ID, "2026-10-10", "2026-10-10", "Sale"), at(0))
			if err != nil {
				t.Error(err)
			}
			if kept.Changed {
				changed.Add(1)
			}
		})
	}
	all.Wait()
	if list, err := s.Annotations(t.Context(), w.ID); err != nil || len(list) != 1 || changed.Load() != 1 {
		t.Errorf("%d annotations, %d of the calls added one, %v; want one", len(list), changed.Load(), err)
	}
}

func recordsAreCapped(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	save := func(i int) error {
		_, err := s.SaveReport(t.Context(), control.SavedReport{Workspace: w.ID, Name: fmt.Sprint("Report ", i), Tool: "performance"}, at(0))
		return err
	}
	for i := range control.MaxReports {
		if err := save(i); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, "one more than the maximum", save(control.MaxReports), fault.KindConflict)
	if err := save(0); err != nil {
		t.Errorf("a report that exists already: %v", err)
	}
}

func reportsAreKept(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Mill")
	given := control.SavedReport{Workspace: w.ID, Name: "Weekly", Tool: "trends", Arguments: json.RawMessage(`{ "metric": "orders" }`)}
	saved, err := s.SaveReport(t.Context(), given, at(0))
	if err != nil || !saved.Changed || string(saved.Record.Arguments) != `{"metric":"orders"}` {
		t.Fatalf("saved %+v, %v", saved, err)
	}
	again, err := s.SaveReport(t.Context(), given, at(time.Hour))
	if diff := cmp.Diff(control.Kept[control.SavedReport]{Record: saved.Record}, again); err != nil || diff != "" {
		t.Errorf("the same again: %v (-want +got):\n%s", err, diff)
	}
	changed := given
	changed.Arguments = nil
	_, err = s.SaveReport(t.Context(), changed, at(0))
	wantKind(t, "another report of that name", err, fault.KindConflict)
	changed.Workspace = other.ID
	if _, err := s.SaveReport(t.Context(), changed, at(0)); err != nil {
		t.Errorf("that name in another workspace: %v", err)
	}
	if found, err := s.Report(t.Context(), w.ID, saved.Record.ID); err != nil || !found.Same(saved.Record) || found.Author != "assay test" {
		t.Errorf("found %+v, %v", found, err)
	}
	_, err = s.Report(t.Context(), other.ID, saved.Record.ID)
	wantKind(t, "that of another workspace", err, fault.KindNotFound)
	for _, bad := range []control.SavedReport{
		{Workspace: w.ID, Tool: "trends"},
		{Workspace: w.ID, Name: "no tool"},
		{Workspace: w.ID, Name: "list", Tool: "trends", Arguments: []byte(`[]`)},
		{Workspace: w.ID, Name: "large", Tool: "trends", Arguments: []byte(`{"x":"` + strings.Repeat("x", 5000) + `"}`)},
	} {
		_, err = s.SaveReport(t.Context(), bad, at(0))
		wantKind(t, bad.Name, err, fault.KindInvalid)
	}
	_, err = s.SaveReport(t.Context(), given, outsider)
	wantKind(t, "by a person without a role", err, fault.KindForbidden)
	if err := s.RemoveReport(t.Context(), w.ID, saved.Record.ID, at(time.Hour)); err != nil {
		t.Error(err)
	}
	wantKind(t, "a second removal", s.RemoveReport(t.Context(), w.ID, saved.Record.ID, at(0)), fault.KindNotFound)
	if all, err := s.Reports(t.Context(), w.ID); err != nil || len(all) != 0 {
		t.Errorf("left are %v, %v", all, err)
	}
	wantEvents(t, s, w.ID, "report_removed Weekly", "report_saved Weekly")
	if err := s.DeleteWorkspace(t.Context(), other.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Reports(t.Context(), other.ID); err != nil || len(all) != 0 {
		t.Errorf("of a deleted workspace: %v, %v", all, err)
	}
}

func insightsAreDismissed(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	given := control.DismissedInsight{Workspace: w.ID, Insight: "spend-up-google", Reason: "planned"}
	first, err := s.DismissInsight(t.Context(), given, at(0))
	if err != nil || !first.Changed {
		t.Fatalf("dismissed %+v, %v", first, err)
	}
	given.Reason = "another reason"
	again, err := s.DismissInsight(t.Context(), given, at(time.Hour))
	if err != nil || again.Changed || again.Record.Reason != "planned" {
		t.Errorf("dismissed again: %+v, %v", again, err)
	}
	given.Insight = ""
	_, err = s.DismissInsight(t.Context(), given, at(0))
	wantKind(t, "no insight", err, fault.KindInvalid)
	if all, err := s.DismissedInsights(t.Context(), w.ID); err != nil || len(all) != 1 || all[0] != first.Record {
		t.Errorf("listed %+v, %v", all, err)
	}
	wantKind(t, "restored by a person without a role", s.RestoreInsight(t.Context(), w.ID, "spend-up-google", outsider), fault.KindForbidden)
	if err := s.RestoreInsight(t.Context(), w.ID, "spend-up-google", at(0)); err != nil {
		t.Error(err)
	}
	wantKind(t, "restored again", s.RestoreInsight(t.Context(), w.ID, "spend-up-google", at(0)), fault.KindNotFound)
	wantEvents(t, s, w.ID, "insight_restored planned", "insight_dismissed planned")
}

// experimentIsAddedOnce adds the same draft ten times concurrently and expects one experiment. After the cancellation,
// the draft can be added again.
func experimentIsAddedOnce(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	var changed atomic.Int64
	var all sync.WaitGroup
	add := func() {
		kept, err := s.AddExperiment(t.Context(), control.Experiment{Workspace: w.ID, Channel: "google"}, at(0))
		if err != nil {
			t.Error(err)
		}
		if kept.Changed {
			changed.Add(1)
		}
	}
	for range 10 {
		all.Go(add)
	}
	all.Wait()
	list, err := s.Experiments(t.Context(), w.ID)
	if err != nil || len(list) != 1 || changed.Load() != 1 {
		t.Fatalf("%d experiments, %d of the calls added one, %v; want one", len(list), changed.Load(), err)
	}
	if _, err := s.MoveExperiment(t.Context(), control.Move{Workspace: w.ID, ID: list[0].ID, To: control.ExperimentCancelled}, at(0)); err != nil {
		t.Fatal(err)
	}
	if add(); changed.Load() != 2 {
		t.Error("a canceled experiment prevents a new one")
	}
}
