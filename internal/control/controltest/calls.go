package controltest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/control"
	"assay/internal/measure"
)

// callLike returns a call with every stored field set.
func callLike(ws measure.WorkspaceID, tool string, after time.Duration) control.Call {
	return control.Call{
		At: noon.Add(after), Workspace: ws, Tool: tool, Status: control.CallOK, Took: 1234 * time.Microsecond, Bytes: 2048,
		Actor: "user:anna", Client: "c1", ClientName: "Ledger Owl", Arguments: `{"days":30}`,
	}
}

func noteCalls(t *testing.T, s Store, calls ...control.Call) {
	t.Helper()
	if err := s.AppendCalls(t.Context(), calls); err != nil {
		t.Fatalf("AppendCalls: %v", err)
	}
}

func callsOf(t *testing.T, s Store, f control.CallFilter) []control.Call {
	t.Helper()
	calls, err := s.Calls(t.Context(), f)
	if err != nil {
		t.Fatalf("Calls(%+v): %v", f, err)
	}
	return calls
}

func callsAreKept(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Other")
	var want []control.Call
	for i := range 150 { // more than one statement can add
		want = append(want, callLike(w.ID, fmt.Sprint("tool", i), time.Duration(i)*time.Millisecond))
	}
	noteCalls(t, s, append(slices.Clone(want), callLike(other.ID, "foreign", time.Hour), callLike("nowhere", "late", 0), callLike(w.ID, "early", -time.Second))...)
	slices.Reverse(want)
	got := callsOf(t, s, control.CallFilter{Workspace: w.ID, Limit: 1000})
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(control.Call{}, "ID")); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	page := callsOf(t, s, control.CallFilter{Workspace: w.ID, Before: got[9].ID, Limit: 2})
	if diff := cmp.Diff(got[10:12], page); diff != "" {
		t.Errorf("the page after the tenth (-want +got):\n%s", diff)
	}
	noteCalls(t, s)
}

func callsAreSelected(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	byKey := callLike(w.ID, "ask", 2)
	byKey.Actor, byKey.Client, byKey.ClientName = "key:k1", "", ""
	refused := callLike(w.ID, "manage", 1)
	refused.Status = control.CallRefused
	noteCalls(t, s, callLike(w.ID, "performance", 0), refused, byKey)
	for what, test := range map[string]struct {
		f    control.CallFilter
		want string
	}{
		"by tool":          {control.CallFilter{Tool: "performance"}, "performance"},
		"by key":           {control.CallFilter{Actor: "key:k1"}, "ask"},
		"by program":       {control.CallFilter{Client: "c1", Status: control.CallRefused}, "manage"},
		"by absent status": {control.CallFilter{Tool: "performance", Status: control.CallRefused}, ""},
		"by a wildcard":    {control.CallFilter{Tool: "%"}, ""},
	} {
		test.f.Workspace, test.f.Limit = w.ID, 10
		want := min(len(test.want), 1)
		if got := callsOf(t, s, test.f); len(got) != want || want == 1 && got[0].Tool != test.want {
			t.Errorf("%s: %+v, want %q", what, got, test.want)
		}
	}
}

func callsAreBounded(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Other")
	for i := range 5 {
		noteCalls(t, s, callLike(w.ID, fmt.Sprint("tool", i), time.Duration(i)*time.Hour))
	}
	noteCalls(t, s, callLike(other.ID, "alone", 0))
	count := func() (n int) { return len(callsOf(t, s, control.CallFilter{Workspace: w.ID, Limit: 10})) }
	for _, step := range []struct {
		before time.Time
		rows   int
		want   int
	}{{noon, 5, 5}, {noon, 4, 4}, {noon.Add(3 * time.Hour), 100, 2}, {noon, 1, 1}, {noon.Add(5 * time.Hour), 1, 0}} {
		if err := s.PruneCalls(t.Context(), step.before, step.rows); err != nil {
			t.Fatal(err)
		}
		if got := count(); got != step.want {
			t.Errorf("before %s, %d rows: %d calls, want %d", step.before, step.rows, got, step.want)
		}
	}
}

func callsEndWithTheWorkspace(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	noteCalls(t, s, callLike(w.ID, "performance", 0))
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(time.Minute)); err != nil {
		t.Fatal(err)
	}
	noteCalls(t, s, callLike(w.ID, "late", 0))
	if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), at(time.Hour)); err != nil {
		t.Fatal(err)
	}
	noteCalls(t, s, callLike(w.ID, "of the one before", 0))
	if calls := callsOf(t, s, control.CallFilter{Workspace: w.ID, Limit: 10}); len(calls) != 0 {
		t.Errorf("the new workspace with the same name has calls: %+v", calls)
	}
}

func eventsAreSelected(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	for i, kind := range []control.EventKind{control.SignedIn, control.SignInRefused, control.SignedOut} {
		e := control.Event{At: noon.Add(time.Duration(i+1) * time.Hour), Kind: kind, Actor: "user:anna", Subject: "anna"}
		if err := s.AppendEvent(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	kinds := func(f control.EventFilter) (found []control.EventKind) {
		f.Limit = 10
		events, err := s.Events(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			found = append(found, e.Kind)
		}
		return found
	}
	events, err := s.Events(t.Context(), control.EventFilter{Limit: 2})
	if err != nil || len(events) != 2 {
		t.Fatalf("Events: %d lines, %v; want 2", len(events), err)
	}
	for what, test := range map[string]struct{ want, got []control.EventKind }{
		"of the workspace": {[]control.EventKind{control.WorkspaceMade}, kinds(control.EventFilter{Workspace: w.ID})},
		"of two kinds":     {[]control.EventKind{control.SignedOut, control.SignedIn}, kinds(control.EventFilter{Kinds: []control.EventKind{control.SignedIn, control.SignedOut}})},
		"since two":        {[]control.EventKind{control.SignedOut, control.SignInRefused}, kinds(control.EventFilter{Since: noon.Add(2 * time.Hour)})},
		"the next page":    {[]control.EventKind{control.SignedIn, control.WorkspaceMade}, kinds(control.EventFilter{Before: events[1].ID})},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}
