package controltest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

func usd(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }

func budgetOf(minor int64) control.ChangeValue {
	return control.ChangeValue{Text: fmt.Sprint(minor), Amount: usd(minor)}
}

// budgetChange returns a pending change with every field that a new row may have.
func budgetChange(ws measure.WorkspaceID, id control.BudgetChangeID) control.BudgetChange {
	return control.BudgetChange{
		ID: id, Workspace: ws, At: noon, Platform: measure.Facebook, Account: "123", Campaign: "1202", CampaignName: "Prospecting",
		Field: control.DailyBudget, Previous: budgetOf(5000), New: budgetOf(6000), Status: control.ChangePending, Actor: "key:k1",
		Reason: "Marginal ROAS is above 2.", Effect: `{"value":12}`,
	}
}

func addChange(t *testing.T, s Store, c control.BudgetChange) {
	t.Helper()
	if open, err := s.AddBudgetChange(t.Context(), c, at(0)); err != nil || open != nil {
		t.Fatalf("AddBudgetChange(%q) = %+v, %v", c.ID, open, err)
	}
}

func budgetChangeIsKept(t *testing.T, s Store) {
	w, other := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Mill")
	want := budgetChange(w.ID, "bc-1")
	want.Budget, want.BudgetNamed = "b-1", true
	addChange(t, s, want)
	if got, err := s.BudgetChange(t.Context(), "bc-1"); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	want.Status, want.Live, want.RequestID, want.SettledAt = control.ChangeApplied, want.New, "trace-1", noon.Add(time.Second)
	if _, err := s.UpdateBudgetChange(t.Context(), want, control.ChangePending, at(time.Second)); err != nil {
		t.Fatal(err)
	}
	status := budgetChange(w.ID, "bc-2")
	status.At, status.Field, status.Previous, status.New = noon.Add(time.Minute), control.CampaignStatus,
		control.ChangeValue{Text: "active"}, control.ChangeValue{Text: "paused"}
	addChange(t, s, status)
	got, err := s.BudgetChanges(t.Context(), control.BudgetChangeFilter{Workspace: w.ID, Limit: 10})
	if diff := cmp.Diff([]control.BudgetChange{status, want}, got); err != nil || diff != "" {
		t.Errorf("list %v (-want +got):\n%s", err, diff)
	}
	for name, c := range map[string]struct {
		f    control.BudgetChangeFilter
		want int
	}{
		"another workspace": {control.BudgetChangeFilter{Workspace: other.ID, Limit: 10}, 0},
		"all workspaces":    {control.BudgetChangeFilter{Limit: 10}, 2},
		"one row":           {control.BudgetChangeFilter{Limit: 1}, 1},
		"the campaign":      {control.BudgetChangeFilter{Platform: measure.Facebook, Account: "123", Campaign: "1202", Limit: 10}, 2},
		"or the budget":     {control.BudgetChangeFilter{Campaign: "1203", Budget: "b-1", Limit: 10}, 1},
		"another budget":    {control.BudgetChangeFilter{Campaign: "1203", Budget: "b-2", Limit: 10}, 0},
		"another campaign":  {control.BudgetChangeFilter{Campaign: "1203", Limit: 10}, 0},
		"applied":           {control.BudgetChangeFilter{Statuses: []control.ChangeStatus{control.ChangeApplied}, Limit: 10}, 1},
		"the last minute":   {control.BudgetChangeFilter{Since: noon.Add(time.Minute), Limit: 10}, 1},
		"settled since":     {control.BudgetChangeFilter{Since: noon.Add(time.Second), Limit: 10}, 2},
	} {
		if got, err := s.BudgetChanges(t.Context(), c.f); err != nil || len(got) != c.want {
			t.Errorf("%s: %d rows, %v; want %d", name, len(got), err, c.want)
		}
	}
	wantKind(t, "an unknown change", errOf(s.BudgetChange(t.Context(), "none")), fault.KindNotFound)
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "a change of a deleted workspace", errOf(s.BudgetChange(t.Context(), "bc-1")), fault.KindNotFound)
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Kinds: []control.EventKind{control.BudgetChanged}, Limit: 10})
	if err != nil || len(events) != 3 {
		t.Errorf("%d events, %v; want the history of both changes", len(events), err)
	}
}

func changesAreChecked(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	for name, change := range map[string]func(*control.BudgetChange){
		"no campaign":      func(c *control.BudgetChange) { c.Campaign = "" },
		"no actor":         func(c *control.BudgetChange) { c.Actor = "" },
		"no old value":     func(c *control.BudgetChange) { c.Previous = control.ChangeValue{} },
		"the same value":   func(c *control.BudgetChange) { c.New = c.Previous },
		"another currency": func(c *control.BudgetChange) { c.New.Amount.Currency = "EUR" },
		"a negative value": func(c *control.BudgetChange) { c.New = budgetOf(-1) },
		"an unknown field": func(c *control.BudgetChange) { c.Field = "bid" },
		"a settled one":    func(c *control.BudgetChange) { c.Status = control.ChangeApplied },
		"a long reason":    func(c *control.BudgetChange) { c.Reason = strings.Repeat("x", 501) },
		"no plain reason":  func(c *control.BudgetChange) { c.Reason = "a\x1b[31m" },
	} {
		c := budgetChange(w.ID, "bc-1")
		change(&c)
		_, err := s.AddBudgetChange(t.Context(), c, at(0))
		wantKind(t, name, err, fault.KindInvalid)
	}
	_, err := s.AddBudgetChange(t.Context(), budgetChange("none", "bc-1"), at(0))
	wantKind(t, "an unknown workspace", err, fault.KindNotFound)
	if all, err := s.BudgetChanges(t.Context(), control.BudgetChangeFilter{Limit: 10}); err != nil || len(all) != 0 {
		t.Errorf("%d rows, %v; want none", len(all), err)
	}
}

func campaignIsClaimedOnce(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	var won, lost sync.Map
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			c := budgetChange(w.ID, control.BudgetChangeID(fmt.Sprintf("bc-%d", i)))
			switch open, err := s.AddBudgetChange(t.Context(), c, at(0)); {
			case err != nil:
				t.Error(err)
			case open == nil:
				won.Store(c.ID, true)
			default:
				lost.Store(c.ID, open.ID)
			}
		})
	}
	group.Wait()
	var winner control.BudgetChangeID
	won.Range(func(id, _ any) bool {
		if winner != "" {
			t.Errorf("%s and %s both have the campaign", winner, id)
		}
		winner = id.(control.BudgetChangeID)
		return true
	})
	lost.Range(func(id, open any) bool {
		if open != winner {
			t.Errorf("%s lost to %s, want %s", id, open, winner)
		}
		return true
	})
	if all, err := s.BudgetChanges(t.Context(), control.BudgetChangeFilter{Limit: 20}); err != nil || len(all) != 1 || all[0].ID != winner {
		t.Errorf("rows %+v, %v; want the winner %s only", all, err, winner)
	}
	c := budgetChange(w.ID, "bc-other")
	c.Campaign = "1203"
	addChange(t, s, c) // another campaign
	c.ID, c.Account = "bc-account", "124"
	addChange(t, s, c)
	ended := budgetChange(w.ID, winner)
	ended.Status, ended.Problem, ended.SettledAt = control.ChangeFailed, "The platform is not available.", noon
	if _, err := s.UpdateBudgetChange(t.Context(), ended, control.ChangePending, at(0)); err != nil {
		t.Fatal(err)
	}
	addChange(t, s, budgetChange(w.ID, "bc-next"))
}

func sharedBudgetIsClaimedOnce(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	one := budgetChange(w.ID, "bc-1")
	one.Platform, one.Budget = measure.Google, "customers/1/campaignBudgets/2"
	addChange(t, s, one)
	two := one
	two.ID, two.Campaign = "bc-2", "1203"
	if open, err := s.AddBudgetChange(t.Context(), two, at(0)); err != nil || open == nil || open.ID != "bc-1" {
		t.Errorf("the budget's second change: %+v, %v; want bc-1 to be open", open, err)
	}
	two.Field, two.Previous, two.New = control.CampaignStatus, control.ChangeValue{Text: "active"}, control.ChangeValue{Text: "paused"}
	addChange(t, s, two) // the status of the other campaign is not the budget
}

func changesAreSettledOnce(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	c := budgetChange(w.ID, "bc-1")
	addChange(t, s, c)
	c.Deadline, c.Problem, c.Rejection = noon.Add(30*time.Second), "Meta did not answer.", "no_reply"
	if _, err := s.UpdateBudgetChange(t.Context(), c, control.ChangePending, at(0)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.BudgetChange(t.Context(), "bc-1"); err != nil || cmp.Diff(c, got) != "" {
		t.Errorf("an open change: %v (-want +got):\n%s", err, cmp.Diff(c, got))
	}
	c.Status, c.Live, c.SettledAt = control.ChangeUnknown, budgetOf(7000), noon.Add(time.Minute)
	if _, err := s.UpdateBudgetChange(t.Context(), c, control.ChangePending, at(0)); err != nil {
		t.Fatal(err)
	}
	_, err := s.UpdateBudgetChange(t.Context(), c, control.ChangePending, at(0))
	wantKind(t, "a second settlement", err, fault.KindConflict)
	c.Status = control.ChangeApplied
	if _, err := s.UpdateBudgetChange(t.Context(), c, control.ChangeUnknown, at(0)); err != nil {
		t.Error(err)
	}
	for _, to := range control.ChangeStatuses() {
		c.Status = to
		_, err := s.UpdateBudgetChange(t.Context(), c, control.ChangeApplied, at(0))
		wantKind(t, "applied to "+string(to), err, fault.KindConflict)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Kinds: []control.EventKind{control.BudgetChanged}, Limit: 10})
	if err != nil || len(events) != 3 || events[0].Subject != "bc-1" {
		t.Fatalf("events %+v, %v; want pending, unknown, applied", events, err)
	}
	var statuses []string
	for _, e := range events {
		status, _, _ := strings.Cut(e.Detail, ":")
		statuses = append(statuses, status)
	}
	slices.Sort(statuses)
	if !slices.Equal(statuses, []string{"applied", "pending", "unknown"}) {
		t.Errorf("events %v", statuses)
	}
}

func changesAreApproved(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	waits := budgetChange(w.ID, "bc-1")
	waits.Status = control.ChangeAwaiting
	addChange(t, s, waits)
	again := waits
	again.ID = "bc-2"
	if open, err := s.AddBudgetChange(t.Context(), again, at(0)); err != nil || open == nil || open.ID != "bc-1" {
		t.Errorf("an identical change: %+v, %v; want bc-1", open, err)
	}
	again.New = budgetOf(6100)
	addChange(t, s, again)
	addChange(t, s, budgetChange(w.ID, "bc-3")) // a change that awaits approval claims nothing
	waits.Status, waits.ApprovedBy = control.ChangePending, "user:ana"
	if open, err := s.UpdateBudgetChange(t.Context(), waits, control.ChangeAwaiting, at(0)); err != nil || open == nil || open.ID != "bc-3" {
		t.Errorf("approval while bc-3 is open: %+v, %v", open, err)
	}
	rejected := again
	rejected.Status, rejected.SettledAt, rejected.ApprovedBy = control.ChangeRejected, noon, "user:ben"
	if open, err := s.UpdateBudgetChange(t.Context(), rejected, control.ChangeAwaiting, at(0)); err != nil || open != nil {
		t.Errorf("rejection while bc-3 is open: %+v, %v", open, err)
	}
	if got, err := s.BudgetChange(t.Context(), again.ID); err != nil || cmp.Diff(rejected, got) != "" {
		t.Errorf("a rejected change: %v (-want +got):\n%s", err, cmp.Diff(rejected, got))
	}
	third := budgetChange(w.ID, "bc-3")
	third.Status, third.SettledAt = control.ChangeFailed, noon
	if _, err := s.UpdateBudgetChange(t.Context(), third, control.ChangePending, at(0)); err != nil {
		t.Fatal(err)
	}
	if open, err := s.UpdateBudgetChange(t.Context(), waits, control.ChangeAwaiting, at(0)); err != nil || open != nil {
		t.Errorf("approval: %+v, %v", open, err)
	}
	_, err := s.UpdateBudgetChange(t.Context(), waits, control.ChangeAwaiting, at(0))
	wantKind(t, "a second approval", err, fault.KindConflict)
}

func onlyApproversChangeBudgets(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	by := control.By{Actor: control.ActorOf("none"), At: noon}
	_, err := s.AddBudgetChange(t.Context(), budgetChange(w.ID, "bc-1"), by)
	wantKind(t, "a change by a person without a role", err, fault.KindForbidden)
	waits := budgetChange(w.ID, "bc-1")
	waits.Status = control.ChangeAwaiting
	addChange(t, s, waits)
	waits.Status = control.ChangePending
	_, err = s.UpdateBudgetChange(t.Context(), waits, control.ChangeAwaiting, by)
	wantKind(t, "an approval by a person without a role", err, fault.KindForbidden)
	_, err = s.SetGuardrails(t.Context(), control.NewGuardrails(w.ID), by)
	wantKind(t, "guardrails of a person without a role", err, fault.KindForbidden)
}

func rollbacksAreEntered(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	one := budgetChange(w.ID, "bc-1")
	addChange(t, s, one)
	one.Status, one.SettledAt = control.ChangeApplied, noon
	if _, err := s.UpdateBudgetChange(t.Context(), one, control.ChangePending, at(0)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id, want control.BudgetChangeID
		to       control.ChangeStatus
	}{{"bc-2", "", control.ChangeFailed}, {"bc-3", "bc-3", control.ChangeApplied}} {
		back := budgetChange(w.ID, c.id)
		back.Previous, back.New, back.RollsBack = one.New, one.Previous, one.ID
		addChange(t, s, back)
		back.Status, back.SettledAt = c.to, noon
		if _, err := s.UpdateBudgetChange(t.Context(), back, control.ChangePending, at(0)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.BudgetChange(t.Context(), "bc-1"); err != nil || got.RolledBackBy != c.want {
			t.Errorf("after a rollback that is %s: rolled back by %q, %v; want %q", c.to, got.RolledBackBy, err, c.want)
		}
	}
}

func previewsAreKept(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	p := control.BudgetPreview{
		Workspace: w.ID, Actor: "key:k1", Platform: measure.Facebook, Account: "123", Campaign: "1202", Field: control.DailyBudget,
		New: "6000", At: noon,
	}
	last := func(p control.BudgetPreview) time.Time {
		t.Helper()
		got, err := s.LastPreview(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := last(p); !got.IsZero() {
		t.Errorf("before a preview: %s", got)
	}
	for _, at := range []time.Time{noon, noon.Add(time.Minute)} {
		p.At = at
		if err := s.SavePreview(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if got := last(p); !got.Equal(at) {
			t.Errorf("after a preview at %s: %s", at, got)
		}
	}
	other := p
	other.Actor = "key:k2"
	if got := last(other); !got.IsZero() {
		t.Errorf("another caller's preview: %s", got)
	}
	other.At = noon.Add(time.Minute + control.PreviewTime + time.Second)
	if err := s.SavePreview(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if got := last(p); !got.IsZero() {
		t.Errorf("an old preview is still there: %s", got)
	}
}

func guardrailsAreKept(t *testing.T, s Store) {
	w := newWorkspace(t, s, "Acme")
	got, err := s.Guardrails(t.Context(), w.ID)
	if diff := cmp.Diff(control.Guardrails{Workspace: w.ID, StepPct: 20, PerHour: 3, PerDay: 10}, got); err != nil || diff != "" {
		t.Errorf("a new workspace: %v (-want +got):\n%s", err, diff)
	}
	want := control.Guardrails{
		Workspace: w.ID, StepPct: 12.5, Floor: usd(1000), Ceiling: usd(50_000), PerHour: 1, PerDay: 2, Hours: control.Hours{From: 22, To: 6},
		Stop: true, PreviewFirst: true, ApproveAbove: usd(20_000),
	}
	set, err := s.SetGuardrails(t.Context(), want, at(0))
	want.Version = 1
	if err != nil || cmp.Diff(want, set) != "" {
		t.Errorf("set: %v (-want +got):\n%s", err, cmp.Diff(want, set))
	}
	if got, err = s.Guardrails(t.Context(), w.ID); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("read: %v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	stale := want
	stale.Version, stale.Stop = 0, false
	_, err = s.SetGuardrails(t.Context(), stale, at(0))
	wantKind(t, "guardrails of an old version", err, fault.KindConflict)
	bad := want
	bad.Floor = usd(60_000)
	_, err = s.SetGuardrails(t.Context(), bad, at(0))
	wantKind(t, "a floor above the ceiling", err, fault.KindInvalid)
	bad = want
	bad.ApproveAbove.Currency = "EUR"
	_, err = s.SetGuardrails(t.Context(), bad, at(0))
	wantKind(t, "a limit in another currency", err, fault.KindInvalid)
	none := control.Guardrails{Workspace: w.ID, Version: 1}
	if set, err = s.SetGuardrails(t.Context(), none, at(0)); err != nil || set.Version != 2 {
		t.Errorf("without limits: %+v, %v", set, err)
	}
	if set, err = s.SetGuardrails(t.Context(), set, at(0)); err != nil || set.Version != 2 {
		t.Errorf("the same again: %+v, %v", set, err)
	}
	events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Kinds: []control.EventKind{control.GuardrailsChanged}, Limit: 10})
	if err != nil || len(events) != 2 || !strings.Contains(events[1].Detail+events[0].Detail, "max-step-pct: 12.5%, was 20%") {
		t.Errorf("events %+v, %v", events, err)
	}
}
