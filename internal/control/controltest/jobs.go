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

func leaseOf(ws measure.WorkspaceID, node string, until time.Duration) control.JobLease {
	return control.JobLease{
		Workspace: ws, Kind: "training", By: "user:ana", Asked: noon, Resumes: true, Node: node, Until: noon.Add(until),
	}
}

func claim(t *testing.T, s Store, j control.JobLease, now time.Duration) {
	t.Helper()
	if err := s.ClaimJob(t.Context(), j, noon.Add(now)); err != nil {
		t.Fatal(err)
	}
}

func wantInterrupted(t *testing.T, s Store, now time.Duration, want ...control.JobLease) {
	t.Helper()
	got, err := s.InterruptedJobs(t.Context(), noon.Add(now))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("interrupted after %s (-want +got): %v\n%s", now, err, diff)
	}
}

func jobsAreLeased(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme").ID, newWorkspace(t, s, "Other").ID
	a, b := leaseOf(w, "a", 2*time.Minute), leaseOf(w, "b", 4*time.Minute)
	claim(t, s, a, 0)
	wantKind(t, "a job of another node", s.ClaimJob(t.Context(), b, noon.Add(2*time.Minute-1*time.Microsecond)), fault.KindConflict)
	claim(t, s, leaseOf(other, "b", time.Hour), 0) // another workspace
	forecast := b
	forecast.Kind, forecast.Resumes = "forecast", false
	claim(t, s, forecast, 0)
	wantInterrupted(t, s, 2*time.Minute-1*time.Microsecond)
	if has, err := s.ExtendJob(t.Context(), a, noon.Add(3*time.Minute)); err != nil || !has {
		t.Errorf("extended: %v, %v; want the lease", has, err)
	}
	a.Until = noon.Add(3 * time.Minute)
	wantInterrupted(t, s, 3*time.Minute, a)
	claim(t, s, b, 3*time.Minute)
	if has, err := s.ExtendJob(t.Context(), a, noon.Add(time.Hour)); err != nil || has {
		t.Errorf("a lease that another node has taken is extended: %v, %v", has, err)
	}
	if err := s.EndJob(t.Context(), a); err != nil { // the node that lost the lease
		t.Error(err)
	}
	wantInterrupted(t, s, 4*time.Minute, b)
	if err := s.EndJob(t.Context(), b); err != nil {
		t.Error(err)
	}
	wantInterrupted(t, s, 5*time.Minute)

	claim(t, s, a, 5*time.Minute)
	if err := s.ReleaseJobs(t.Context()); err != nil {
		t.Error(err)
	}
	a.Until = time.Time{}
	released := leaseOf(other, "b", 0)
	released.Until = time.Time{}
	wantInterrupted(t, s, 0, a, released)
	if err := s.RemoveJobs(t.Context(), w); err != nil {
		t.Error(err)
	}
	wantInterrupted(t, s, 0, released)
	if err := s.DeleteWorkspace(t.Context(), other, at(time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantInterrupted(t, s, 0)
	wantKind(t, "a job of a deleted workspace", s.ClaimJob(t.Context(), released, noon), fault.KindNotFound)
}

func jobsAreClaimedOnce(t *testing.T, nodes []PeopleStore) {
	w := newWorkspace(t, nodes[0], "Acme").ID
	for n := range rounds { // each claim after the expiry of the previous one
		now := time.Duration(n) * time.Hour
		if won := race(t, nodes, func(s PeopleStore, i int) (bool, error) {
			return raceResult(s.ClaimJob(t.Context(), leaseOf(w, fmt.Sprint(n, " ", i), now+time.Hour), noon.Add(now)))
		}); won != 1 {
			t.Errorf("the job was claimed %d times", won)
		}
	}
}
