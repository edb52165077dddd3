package controltest

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// byDay compares days by value, because their fields are unexported.
var byDay = cmp.Comparer(func(a, b civil.Date) bool { return a == b })

func days(first, last string) civil.Range {
	return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
}

// geoTest returns a planned geo experiment.
func geoTest(ws measure.WorkspaceID, id control.ExperimentID) control.Experiment {
	return control.Experiment{
		ID: id, Workspace: ws, Name: "Holdout", Channel: "facebook", Kind: control.GeoTest, Status: control.ExperimentPlanned,
		Treated: []string{"CA", "New Jersey"}, HeldOut: []string{"NY"}, Days: days("2026-10-01", "2026-10-28"),
	}
}

func keepExperiment(t *testing.T, s Store, e control.Experiment) control.Experiment {
	t.Helper()
	kept, err := s.CreateExperiment(t.Context(), e, at(0))
	if err != nil {
		t.Fatalf("CreateExperiment(%q): %v", e.ID, err)
	}
	return kept
}

func experimentIsKept(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Mill")
	given := geoTest(w.ID, "holdout")
	given.Channel, given.Treated, given.Hypothesis = " Meta Ads", []string{"New Jersey", " CA", "CA"}, "Half of it\nwould come anyway."
	made := keepExperiment(t, s, given)
	want := geoTest(w.ID, "holdout")
	want.Hypothesis, want.CreatedAt, want.ChangedAt, want.ChangedBy, want.Version = given.Hypothesis, noon, noon, "assay test", 1
	if diff := cmp.Diff(want, made, byDay); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	study := keepExperiment(t, s, control.Experiment{
		Workspace: w.ID, Channel: "tiktok", Kind: control.LiftStudy, Status: control.ExperimentCompleted, Days: days("2026-05-01", "2026-05-14"),
		Found: &control.Finding{Return: 1.2, Low: 0.4, High: 2, LevelPct: 90}, Applied: true,
	})
	draft := keepExperiment(t, s, control.Experiment{Workspace: w.ID, Channel: "google"})
	if draft.ID == "" || draft.ID == study.ID || draft.Name != "Test of google" || draft.Status != control.ExperimentDraft || draft.Kind != control.GeoTest {
		t.Errorf("a draft of which only the channel is known: %+v", draft)
	}
	all, err := s.Experiments(t.Context(), w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]control.Experiment{draft, made, study}, all, byDay); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	found, err := s.Experiment(t.Context(), w.ID, study.ID)
	if diff := cmp.Diff(study, found, byDay); err != nil || diff != "" {
		t.Errorf("found: %v (-want +got):\n%s", err, diff)
	}
	_, err = s.Experiment(t.Context(), other.ID, study.ID)
	wantKind(t, "that of another workspace", err, fault.KindNotFound)
	_, err = s.CreateExperiment(t.Context(), given, at(0))
	wantKind(t, "an id that is taken", err, fault.KindConflict)
	_, err = s.CreateExperiment(t.Context(), control.Experiment{Workspace: "nowhere", Channel: "google"}, at(0))
	wantKind(t, "no workspace", err, fault.KindNotFound)
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	_, err = s.Experiment(t.Context(), w.ID, study.ID)
	wantKind(t, "after the workspace", err, fault.KindNotFound)
}

func experimentMovesForward(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	statuses := control.ExperimentStatuses()
	allowed := map[control.ExperimentStatus]string{
		control.ExperimentDraft: "planned cancelled", control.ExperimentPlanned: "running cancelled", control.ExperimentRunning: "completed cancelled",
	}
	for i, from := range statuses {
		for j, to := range statuses {
			e := geoTest(w.ID, control.ExperimentID("from-"+string(from)+"-to-"+string(to)))
			e.Status, e.Days = from, days("2025-01-01", "2025-01-02")
			e.Days.First, e.Days.Last = e.Days.First.AddDays(10*i+2*j), e.Days.Last.AddDays(10*i+2*j)
			e = keepExperiment(t, s, e)
			moved, err := s.MoveExperiment(t.Context(), control.Move{Workspace: w.ID, ID: e.ID, To: to}, at(time.Hour))
			if !slices.Contains(strings.Fields(allowed[from]), string(to)) {
				wantKind(t, string(e.ID), err, fault.KindConflict)
				continue
			}
			want := e
			want.Status, want.ChangedAt, want.Version = to, noon.Add(time.Hour), 2
			if diff := cmp.Diff(want, moved, byDay); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", e.ID, err, diff)
			}
		}
	}
	bare := keepExperiment(t, s, control.Experiment{Workspace: w.ID, Channel: "google"})
	_, err := s.MoveExperiment(t.Context(), control.Move{Workspace: w.ID, ID: bare.ID, To: control.ExperimentPlanned}, at(0))
	wantKind(t, "a plan without days", err, fault.KindInvalid)
	if now, err := s.Experiment(t.Context(), w.ID, bare.ID); err != nil || now.Status != control.ExperimentDraft || now.Version != 1 {
		t.Errorf("after a rejected step: %+v, %v", now, err)
	}
	study := keepExperiment(t, s, control.Experiment{
		Workspace: w.ID, Channel: "tiktok", Kind: control.ConversionLift, Status: control.ExperimentRunning, Days: days("2026-05-01", "2026-05-14"),
	})
	step := control.Move{Workspace: w.ID, ID: study.ID, To: control.ExperimentCompleted}
	_, err = s.MoveExperiment(t.Context(), step, at(0))
	wantKind(t, "a study without a result", err, fault.KindInvalid)
	step.Found = &control.Finding{Return: 3, Low: 4, High: 5, LevelPct: 90}
	_, err = s.MoveExperiment(t.Context(), step, at(0))
	wantKind(t, "a result outside its interval", err, fault.KindInvalid)
	step.Found.Low = 2
	if done, err := s.MoveExperiment(t.Context(), step, at(0)); err != nil || *done.Found != *step.Found {
		t.Errorf("a study with a result: %+v, %v", done, err)
	}
}

func experimentMovesOnce(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	e := keepExperiment(t, s, geoTest(w.ID, "holdout"))
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() {
			_, errs[i] = s.MoveExperiment(t.Context(), control.Move{Workspace: w.ID, ID: e.ID, To: control.ExperimentRunning}, at(0))
		})
	}
	group.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		} else {
			wantKind(t, "a second start", err, fault.KindConflict)
		}
	}
	if done != 1 {
		t.Errorf("%d of %d calls started the experiment", done, len(errs))
	}
}

func clashesAreRefused(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	keepExperiment(t, s, geoTest(w.ID, "first"))
	cases := map[string]func(*control.Experiment){
		"the same channel":                 func(e *control.Experiment) { e.Channel = "facebook" },
		"a region treated twice":           func(e *control.Experiment) { e.Treated = []string{"TX", "New Jersey"} },
		"a treated region compared with":   func(e *control.Experiment) { e.HeldOut = []string{"CA"} },
		"a compared region that is tested": func(e *control.Experiment) { e.Treated = []string{"NY"} },
	}
	for name, spoil := range cases {
		e := geoTest(w.ID, "second")
		e.Channel, e.Treated, e.HeldOut, e.Days = "google", []string{"TX"}, nil, days("2026-10-28", "2026-11-20")
		spoil(&e)
		_, err := s.CreateExperiment(t.Context(), e, at(0))
		wantKind(t, name, err, fault.KindConflict)
		if err != nil && !strings.Contains(err.Error(), `"first"`) {
			t.Errorf("%s: %v does not name the other experiment", name, err)
		}
		e.Days = days("2026-10-29", "2026-11-20") // the day after
		e.ID = control.ExperimentID("after-" + strings.ReplaceAll(name, " ", "-"))
		later := keepExperiment(t, s, e)
		if _, err := s.MoveExperiment(t.Context(), control.Move{Workspace: w.ID, ID: later.ID, To: control.ExperimentCancelled}, at(0)); err != nil {
			t.Fatal(err)
		}
	}
	draft := geoTest(w.ID, "draft")
	draft.Status = control.ExperimentDraft
	keepExperiment(t, s, draft)
	_, err := s.MoveExperiment(t.Context(), control.Move{Workspace: w.ID, ID: "draft", To: control.ExperimentPlanned}, at(0))
	wantKind(t, "a draft that becomes a plan", err, fault.KindConflict)
}

func plansChangeUntilTheStart(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	plan := keepExperiment(t, s, geoTest(w.ID, "holdout"))
	plan.Treated, plan.HeldOut, plan.Days = []string{"TX"}, nil, days("2026-11-01", "2026-11-28")
	changed, err := s.PlanExperiment(t.Context(), plan, at(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.PlanExperiment(t.Context(), plan, at(time.Hour))
	wantKind(t, "a change made on an old version", err, fault.KindConflict)
	found, err := s.Experiment(t.Context(), w.ID, plan.ID)
	plan.ChangedAt, plan.Version = noon.Add(time.Hour), 2
	if diff := cmp.Diff([]control.Experiment{plan, plan}, []control.Experiment{changed, found}, byDay); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	bad := changed
	bad.Days = civil.Range{First: bad.Days.Last, Last: bad.Days.First}
	_, err = s.PlanExperiment(t.Context(), bad, at(time.Hour))
	wantKind(t, "reversed days", err, fault.KindInvalid)
	running, err := s.MoveExperiment(t.Context(), control.Move{Workspace: w.ID, ID: plan.ID, To: control.ExperimentRunning}, at(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.PlanExperiment(t.Context(), running, at(time.Hour))
	wantKind(t, "a plan of what is running", err, fault.KindConflict)
}

func onlyCompletedIsApplied(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	e := geoTest(w.ID, "holdout")
	e.Status = control.ExperimentRunning
	keepExperiment(t, s, e)
	_, err := s.ApplyExperiment(t.Context(), w.ID, e.ID, true, at(0))
	wantKind(t, "one that runs", err, fault.KindConflict)
	if _, err := s.MoveExperiment(t.Context(), control.Move{Workspace: w.ID, ID: e.ID, To: control.ExperimentCompleted}, at(0)); err != nil {
		t.Fatal(err)
	}
	for version, applied := range []bool{true, false} {
		got, err := s.ApplyExperiment(t.Context(), w.ID, e.ID, applied, at(time.Hour))
		if err != nil || got.Applied != applied || got.Version != int64(version+3) {
			t.Errorf("applied %v: %+v, %v", applied, got, err)
		}
	}
	_, err = s.ApplyExperiment(t.Context(), w.ID, "nothing", true, at(0))
	wantKind(t, "one that does not exist", err, fault.KindNotFound)
}
