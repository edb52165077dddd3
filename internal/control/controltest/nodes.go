package controltest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
)

// rounds is the number of runs of each race.
const rounds = 15

// RunNodes tests several stores that share one database, like several nodes. Each call of the function open returns
// stores of an empty database. The stores are closed at the end of the test.
func RunNodes(t *testing.T, open func(t *testing.T) []PeopleStore) {
	t.Helper()
	cases := []struct {
		name string
		run  func(t *testing.T, nodes []PeopleStore)
	}{
		{"a code is spent once", codesAreSpentOnce},
		{"a refresh token is spent once", refreshTokensAreSpentOnce},
		{"a campaign is claimed once", campaignsAreClaimedOnce},
		{"an approval is decided once", approvalsAreDecidedOnce},
		{"an invitation is accepted once", invitationsAreAcceptedOnce},
		{"the last owner stays", lastOwnersStay},
		{"an alert message is sent by one node", messagesAreClaimedOnce},
		{"a maximum is not exceeded", maximumsAreKept},
		{"a version of models is stored once", modelsAreStoredOnce},
		{"a job is claimed by one node", jobsAreClaimedOnce},
		{"a change of outdated settings is a conflict", settingsChangeOnce},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}

// race calls the function on all nodes concurrently, twice on each, and returns the number of successes.
func race(t *testing.T, nodes []PeopleStore, do func(s PeopleStore, i int) (bool, error)) int {
	t.Helper()
	var won atomic.Int64
	var group sync.WaitGroup
	begin := make(chan struct{})
	for i := range 2 * len(nodes) {
		group.Go(func() {
			<-begin
			ok, err := do(nodes[i%len(nodes)], i)
			if err != nil {
				t.Error(err)
			}
			if ok {
				won.Add(1)
			}
		})
	}
	close(begin)
	group.Wait()
	return int(won.Load())
}

// raceResult reports whether the caller with this error won a race. After a conflict, the caller lost, and there is no
// error.
func raceResult(err error) (bool, error) {
	if fault.KindOf(err) == fault.KindConflict {
		return false, nil
	}
	return err == nil, err
}

func codesAreSpentOnce(t *testing.T, nodes []PeopleStore) {
	w := newWorkspace(t, nodes[0], "Acme")
	newMember(t, nodes[0], "anna", w.ID)
	for n := range rounds {
		g, c := newGrant(t, nodes[0], "anna", w.ID, fmt.Sprint("g", n))
		if won := race(t, nodes, func(s PeopleStore, i int) (bool, error) {
			return s.RedeemCode(t.Context(), c.Hash, tokenOf(g.ID, fmt.Sprint(n, " ", i)), noon)
		}); won != 1 {
			t.Errorf("the code was spent %d times", won)
		}
	}
}

func refreshTokensAreSpentOnce(t *testing.T, nodes []PeopleStore) {
	w := newWorkspace(t, nodes[0], "Acme")
	newMember(t, nodes[0], "anna", w.ID)
	g, c := newGrant(t, nodes[0], "anna", w.ID, "g")
	if ok, err := nodes[0].RedeemCode(t.Context(), c.Hash, tokenOf(g.ID, "0"), noon); err != nil || !ok {
		t.Fatal(ok, err)
	}
	last := "0"
	for n := range rounds {
		var next atomic.Value
		if won := race(t, nodes, func(s PeopleStore, i int) (bool, error) {
			name := fmt.Sprint(n, " ", i)
			ok, err := s.RotateRefreshToken(t.Context(), []byte("refresh "+last), tokenOf(g.ID, name), noon)
			if ok {
				next.Store(name)
			}
			return ok, err
		}); won != 1 {
			t.Fatalf("the token was spent %d times", won)
		}
		last = next.Load().(string)
	}
}

func campaignsAreClaimedOnce(t *testing.T, nodes []PeopleStore) {
	w := newWorkspace(t, nodes[0], "Acme")
	for n := range rounds {
		if won := race(t, nodes, func(s PeopleStore, i int) (bool, error) {
			c := budgetChange(w.ID, control.BudgetChangeID(fmt.Sprintf("bc-%d-%d", n, i)))
			c.Campaign = fmt.Sprint(n)
			open, err := s.AddBudgetChange(t.Context(), c, at(0))
			return open == nil && err == nil, err
		}); won != 1 {
			t.Errorf("the campaign was claimed %d times", won)
		}
	}
}

func approvalsAreDecidedOnce(t *testing.T, nodes []PeopleStore) {
	w := newWorkspace(t, nodes[0], "Acme")
	for n := range rounds {
		c := budgetChange(w.ID, control.BudgetChangeID(fmt.Sprint("bc-", n)))
		c.Campaign, c.Status = fmt.Sprint(n), control.ChangeAwaiting
		addChange(t, nodes[0], c)
		if won := race(t, nodes, func(s PeopleStore, i int) (bool, error) {
			decided := c
			if decided.Status = control.ChangePending; i%2 == 1 {
				decided.Status, decided.SettledAt = control.ChangeRejected, noon
			}
			decided.ApprovedBy = fmt.Sprint("user:", i)
			open, err := s.UpdateBudgetChange(t.Context(), decided, control.ChangeAwaiting, at(0))
			ok, err := raceResult(err)
			return ok && open == nil, err
		}); won != 1 {
			t.Errorf("the change was decided %d times", won)
		}
	}
}

func invitationsAreAcceptedOnce(t *testing.T, nodes []PeopleStore) {
	w := newWorkspace(t, nodes[0], "Acme")
	newMember(t, nodes[0], "anna", w.ID)
	for range rounds {
		n := newInvitation(t, nodes[0], "anna", w.ID, control.RoleAnalyst)
		if won := race(t, nodes, func(s PeopleStore, _ int) (bool, error) {
			return raceResult(s.AcceptInvitation(t.Context(), n.Hash, invited, asNew(0)))
		}); won != 1 {
			t.Errorf("the invitation was accepted %d times", won)
		}
	}
	if members, err := nodes[0].Members(t.Context(), w.ID); err != nil || len(members) != 2 {
		t.Errorf("%d members, %v; want 2", len(members), err)
	}
}

// lastOwnersStay checks concurrent changes of a workspace's two owners to admins. Only one of the changes may succeed.
func lastOwnersStay(t *testing.T, nodes []PeopleStore) {
	for n := range rounds {
		w := newWorkspace(t, nodes[0], fmt.Sprint("shop ", n))
		people := []control.UserID{control.UserID(fmt.Sprint("anna", n)), control.UserID(fmt.Sprint("ben", n))}
		for _, id := range people {
			newMember(t, nodes[0], id, w.ID)
		}
		race(t, nodes, func(s PeopleStore, i int) (bool, error) {
			return raceResult(s.SetRole(t.Context(), people[i%2], w.ID, control.RoleAdmin, at(0)))
		})
		owners := 0
		members, err := nodes[0].Members(t.Context(), w.ID)
		for _, m := range members {
			if m.Role == control.RoleOwner {
				owners++
			}
		}
		if err != nil || owners != 1 {
			t.Errorf("%d owners, %v; want 1", owners, err)
		}
	}
}

func messagesAreClaimedOnce(t *testing.T, nodes []PeopleStore) {
	w := newWorkspace(t, nodes[0], "Acme")
	if err := nodes[0].AddDestination(t.Context(), control.Destination{
		ID: "d", Workspace: w.ID, Kind: control.WebhookDestination, URL: "https://example.com/", Sealed: []byte("s"), At: noon,
	}, at(0)); err != nil {
		t.Fatal(err)
	}
	kept, err := nodes[0].CreateAlert(t.Context(), control.Alert{ID: "a", Workspace: w.ID, Name: "low", Metric: "revenue", Condition: "below", Threshold: 1}, at(0))
	if err != nil {
		t.Fatal(err)
	}
	day := civil.DayOf(noon, time.UTC)
	for n := range rounds {
		e := control.AlertEvent{Alert: kept.Record, Day: day.AddDays(n), Value: 1, Raised: noon}
		if fresh, err := nodes[0].RaiseAlerts(t.Context(), w.ID, []control.AlertEvent{e}); err != nil || fresh != 1 {
			t.Fatalf("%d new events, %v", fresh, err)
		}
		if won := race(t, nodes, func(s PeopleStore, _ int) (bool, error) {
			m, err := s.ClaimAlertMessage(t.Context(), noon.Add(time.Second))
			if err != nil || m == nil {
				return false, err
			}
			return true, s.SettleAlertMessage(t.Context(), *m, "", noon.Add(time.Second))
		}); won != 1 {
			t.Errorf("the message was claimed %d times", won)
		}
	}
}

func maximumsAreKept(t *testing.T, nodes []PeopleStore) {
	for n := range rounds {
		w := newWorkspace(t, nodes[0], fmt.Sprint("shop ", n))
		add := func(s PeopleStore, i int) error {
			return s.AddHookSecret(t.Context(), control.HookSecret{
				ID: control.HookSecretID(fmt.Sprint(n, " ", i)), Workspace: w.ID, Sealed: []byte("s"), CreatedAt: noon,
			}, at(0))
		}
		for i := range 4 { // four of the maximum of five
			if err := add(nodes[0], 100+i); err != nil {
				t.Fatal(err)
			}
		}
		if won := race(t, nodes, func(s PeopleStore, i int) (bool, error) { return raceResult(add(s, i)) }); won != 1 {
			t.Errorf("%d secrets were added to 4 of 5", won)
		}
	}
}

func settingsChangeOnce(t *testing.T, nodes []PeopleStore) {
	w := newWorkspace(t, nodes[0], "Acme")
	for range rounds {
		if won := race(t, nodes, func(s PeopleStore, i int) (bool, error) {
			changed := w
			changed.RatePerMin = 100 + i
			_, err := s.UpdateWorkspace(t.Context(), changed, at(0))
			return raceResult(err)
		}); won != 1 {
			t.Errorf("the settings were changed %d times", won)
		}
		var err error
		if w, err = nodes[0].Workspace(t.Context(), w.ID); err != nil {
			t.Fatal(err)
		}
	}
}
