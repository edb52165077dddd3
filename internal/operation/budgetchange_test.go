package operation_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/connect"
	"assay/internal/ads/simulator"
	"assay/internal/auth"
	"assay/internal/budgetchange"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

// oneAccount is the TikTok account of every workspace.
type oneAccount struct{ ads.Platform }

func (a oneAccount) Of(_ context.Context, _ measure.WorkspaceID, p measure.Platform) ([]ads.Platform, error) {
	if p != measure.TikTok {
		return nil, nil
	}
	return []ads.Platform{a.Platform}, nil
}

func (oneAccount) Convert(context.Context, control.Workspace, money.Amount, money.Currency) (money.Amount, error) {
	return money.Amount{}, fault.NotReady("there is no exchange rate")
}

// withPlatform connects a simulated account with a campaign of USD 50 per day.
func (s *site) withPlatform() *simulator.TikTok {
	s.Helper()
	clock := adstest.NewClock(time.Now())
	sim := simulator.NewTikTok(simulator.TikTokAccount{
		ID: "7000", Name: "Store", Currency: "USD", TimeZone: "UTC", Token: "token", MinHundredths: 1000,
		Campaigns: []simulator.TikTokCampaign{
			{ID: "1800", Advertiser: "7000", Name: "UGC", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 5000},
		},
	}, clock.Now)
	client, _ := adstest.Serve(s.T, sim, clock)
	opened, err := connect.Open(measure.TikTok, []byte(`{"advertiser_id":"7000","access_token":"token"}`),
		connect.Options{Client: client, Endpoints: connect.Endpoints{TikTok: client.Endpoint}})
	if err != nil {
		s.Fatal(err)
	}
	account := oneAccount{opened}
	s.Budgets = budgetchange.New(budgetchange.Options{
		Store: s.Store, Accounts: account, Rates: account, Clock: clock, Log: slog.New(slog.DiscardHandler),
		WriteTime: time.Minute,
	})
	return sim
}

// writes returns the number of mutating requests to the simulator.
func writes(sim *simulator.TikTok) (n int) {
	for _, e := range sim.Log() {
		if e.Mutating {
			n++
		}
	}
	return n
}

func budgetTo(units int64) budgetchange.Request {
	return budgetchange.Request{Platform: measure.TikTok, Campaign: "1800", Action: ads.SetDailyBudget, Units: units}
}

// key creates a key with scopes and returns it as a caller.
func (s *site) key(by string, scopes ...control.Scope) operation.Caller {
	s.Helper()
	_, k, err := s.Keys.Create(s.Context(), auth.NewKey{Workspace: "w", Name: "k", Scopes: scopes, Lifetime: time.Hour}, by)
	if err != nil {
		s.Fatal(err)
	}
	w, err := s.Store.Workspace(s.Context(), "w")
	if err != nil {
		s.Fatal(err)
	}
	return operation.Client(auth.Principal{Workspace: w, Kind: auth.ByKey, Key: k.ID, Actor: "key:" + string(k.ID), Scopes: scopes})
}

func TestExecutionNeedsTheScopeAndThePresentRole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	sim := s.withPlatform()
	reads := s.key("assay test", control.ScopeRead, control.ScopeWrite)
	who, role := s.member(control.RoleAnalyst)
	for name, caller := range map[string]operation.Caller{"a key without the scope": reads, "an analyst": operation.Member(who.ID)} {
		if seen, err := operation.PreviewBudgetChange.Do(t.Context(), s.Service, s.by(caller), budgetTo(55)); err != nil || seen.Outcome != budgetchange.Previewed {
			t.Errorf("%s: preview %+v, %v", name, seen, err)
		}
		if _, err := operation.ExecuteBudgetChange.Do(t.Context(), s.Service, s.by(caller), budgetTo(55)); fault.KindOf(err) != fault.KindForbidden {
			t.Errorf("%s executes: %v", name, err)
		}
	}
	if n := writes(sim); n != 0 {
		t.Errorf("%d mutating requests", n)
	}
	role(control.RoleAdmin)
	made, err := operation.ExecuteBudgetChange.Do(t.Context(), s.Service, s.by(operation.Member(who.ID)), budgetTo(55))
	if err != nil || made.Outcome != budgetchange.Executed || made.Change.Actor != control.ActorOf(who.ID) {
		t.Fatalf("an admin: %+v, %v", made, err)
	}
	list, err := operation.ListBudgetChanges.Do(t.Context(), s.Service, s.by(reads), control.BudgetChangeFilter{})
	if err != nil || len(list) != 1 || list[0].ID != made.Change.ID {
		t.Errorf("list %+v, %v", list, err)
	}
	role(control.RoleAnalyst)
	back := operation.BudgetRollback{ID: made.Change.ID, Confirm: true}
	if _, err := operation.RollBackBudgetChange.Do(t.Context(), s.Service, s.by(operation.Member(who.ID)), back); fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("an analyst rolls back: %v", err)
	}
	done, err := operation.RollBackBudgetChange.Do(t.Context(), s.Service, s.by(operation.Operator("assay budget-changes rollback")), back)
	if err != nil || done.Outcome != budgetchange.Executed {
		t.Errorf("the operator rolls back: %+v, %v", done, err)
	}
}

// requireApproval sets guardrails as the person: a daily budget above USD 52 requires an approval.
func (s *site) requireApproval(person control.User) {
	s.Helper()
	by := s.by(operation.Member(person.ID))
	g, err := operation.ShowGuardrails.Do(s.Context(), s.Service, by, operation.None{})
	if err != nil {
		s.Fatal(err)
	}
	g.ApproveAbove = money.Amount{Minor: 5200, Currency: "USD"}
	if _, err := operation.SetGuardrails.Do(s.Context(), s.Service, by, g); err != nil {
		s.Fatal(err)
	}
}

func TestMembersDoNotApproveTheirOwnRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	sim := s.withPlatform()
	ana, _ := s.member(control.RoleAdmin)
	s.requireApproval(ana)
	own := s.key(control.ActorOf(ana.ID), control.Scopes()...)
	asked, err := operation.ExecuteBudgetChange.Do(t.Context(), s.Service, s.by(own), budgetTo(55))
	if err != nil || asked.Outcome != budgetchange.Awaiting {
		t.Fatalf("%+v, %v; want a change that awaits approval", asked, err)
	}
	decide := operation.BudgetDecision{ID: asked.Change.ID}
	for name, c := range map[string]struct {
		caller operation.Caller
		as     string
		kind   fault.Kind
	}{
		"the member who made the key":    {operation.Member(ana.ID), "", fault.KindForbidden},
		"a command as that member":       {operation.Operator("test"), "ana@example.com", fault.KindForbidden},
		"a command as no member":         {operation.Operator("test"), "", fault.KindInvalid},
		"a command as an unknown member": {operation.Operator("test"), "eve@example.com", fault.KindNotFound},
		"a key":                          {own, "", fault.KindForbidden},
	} {
		in := decide
		in.As = c.as
		if _, err := operation.ApproveBudgetChange.Do(t.Context(), s.Service, s.by(c.caller), in); fault.KindOf(err) != c.kind {
			t.Errorf("%s approves: %v, want %s", name, err, c.kind)
		}
	}
	if n := writes(sim); n != 0 {
		t.Errorf("%d mutating requests before the approval", n)
	}
	ben, err := s.People.Create(t.Context(), "ben@example.com", "correct horse battery", "test")
	if err != nil {
		t.Fatal(err)
	}
	decide.As = "ben@example.com"
	if _, err := operation.ApproveBudgetChange.Do(t.Context(), s.Service, s.by(operation.Operator("test")), decide); fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("a person without a role approves: %v", err)
	}
	if err := s.Store.SetRole(t.Context(), ben.ID, "w", control.RoleAdmin, control.By{Actor: "test", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	made, err := operation.ApproveBudgetChange.Do(t.Context(), s.Service, s.by(operation.Operator("test")), decide)
	if err != nil || made.Outcome != budgetchange.Executed || made.Change.ApprovedBy != control.ActorOf(ben.ID) {
		t.Errorf("ben approves: %+v, %v", made, err)
	}
	events, err := s.Store.Events(t.Context(), control.EventFilter{Kinds: []control.EventKind{control.BudgetChanged}, Limit: 10})
	var history []string
	for _, e := range events {
		status, _, _ := strings.Cut(e.Detail, ":")
		history = append(history, status+" by "+e.Actor)
	}
	if err != nil || len(history) != 3 || !strings.Contains(strings.Join(history, "; "), "pending by "+control.ActorOf(ben.ID)) {
		t.Errorf("history %q, %v", history, err)
	}
}

// The secret of a rotated key was shown to the person who rotated it.
func TestMembersDoNotApproveRequestsOfKeysThatTheyRotated(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	sim := s.withPlatform()
	ana, _ := s.member(control.RoleAdmin)
	ben, err := s.People.Create(t.Context(), "ben@example.com", "correct horse battery", "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Store.SetRole(t.Context(), ben.ID, "w", control.RoleAdmin, control.By{Actor: "test", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	s.requireApproval(ana)
	made, err := operation.CreateKey.Do(t.Context(), s.Service, s.by(operation.Member(ana.ID)), auth.NewKey{Name: "k", Scopes: control.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	next, err := operation.RotateKey.Do(t.Context(), s.Service, s.by(operation.Member(ben.ID)), operation.Rotation{ID: made.Key.ID, Overlap: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Store.Workspace(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	rotated := operation.Client(auth.Principal{
		Workspace: w, Kind: auth.ByKey, Key: next.Key.ID, Actor: "key:" + string(next.Key.ID), Scopes: control.Scopes(),
	})
	asked, err := operation.ExecuteBudgetChange.Do(t.Context(), s.Service, s.by(rotated), budgetTo(55))
	if err != nil || asked.Outcome != budgetchange.Awaiting {
		t.Fatalf("%+v, %v; want a change that awaits approval", asked, err)
	}
	for name, id := range map[string]control.UserID{"the member who rotated the key": ben.ID, "the member who created the first key": ana.ID} {
		_, err := operation.ApproveBudgetChange.Do(t.Context(), s.Service, s.by(operation.Member(id)), operation.BudgetDecision{ID: asked.Change.ID})
		if fault.KindOf(err) != fault.KindForbidden {
			t.Errorf("%s approves: %v, want forbidden", name, err)
		}
	}
	if n := writes(sim); n != 0 {
		t.Errorf("%d mutating requests", n)
	}
}

func TestMembersRejectChangesThatAwaitApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	sim := s.withPlatform()
	ana, role := s.member(control.RoleAdmin)
	s.requireApproval(ana)
	own := s.key("assay test", control.Scopes()...)
	asked, err := operation.ExecuteBudgetChange.Do(t.Context(), s.Service, s.by(own), budgetTo(55))
	if err != nil || asked.Outcome != budgetchange.Awaiting {
		t.Fatalf("%+v, %v; want a change that awaits approval", asked, err)
	}
	reject := func(caller operation.Caller, as string) (control.BudgetChange, error) {
		return operation.RejectBudgetChange.Do(t.Context(), s.Service, s.by(caller), operation.BudgetDecision{ID: asked.Change.ID, As: as, Reason: "too early"})
	}
	for name, c := range map[string]struct {
		caller operation.Caller
		as     string
		kind   fault.Kind
	}{
		"a command as no member":         {operation.Operator("test"), "", fault.KindInvalid},
		"a command as an unknown member": {operation.Operator("test"), "eve@example.com", fault.KindNotFound},
		"a key":                          {own, "", fault.KindForbidden},
		"background work":                {operation.System("test"), "ana@example.com", fault.KindForbidden},
	} {
		if _, err := reject(c.caller, c.as); fault.KindOf(err) != c.kind {
			t.Errorf("%s rejects: %v, want %s", name, err, c.kind)
		}
	}
	role(control.RoleViewer)
	for name, caller := range map[string]operation.Caller{"a viewer": operation.Member(ana.ID), "a command as a viewer": operation.Operator("test")} {
		if _, err := reject(caller, "ana@example.com"); fault.KindOf(err) != fault.KindForbidden {
			t.Errorf("%s rejects: %v", name, err)
		}
	}
	role(control.RoleAdmin)
	show := func(ws measure.WorkspaceID) (control.BudgetChange, error) {
		return operation.ShowBudgetChange.Do(t.Context(), s.Service, operation.Call{Workspace: ws, Caller: operation.Operator("test")}, asked.Change.ID)
	}
	if c, err := show("w"); err != nil || c.Status != control.ChangeAwaiting {
		t.Errorf("before the rejection: %+v, %v", c, err)
	}
	done, err := reject(operation.Operator("test"), "ana@example.com")
	if err != nil || done.ID != asked.Change.ID || done.Status != control.ChangeRejected {
		t.Errorf("a command as an admin: %+v, %v", done, err)
	}
	if c, err := show("w"); err != nil || c.Status != control.ChangeRejected || !strings.Contains(c.Problem, "too early") {
		t.Errorf("after the rejection: %+v, %v", c, err)
	}
	if _, err := reject(operation.Member(ana.ID), ""); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a second rejection: %v, want a conflict", err)
	}
	s.other()
	if c, err := show("other"); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("the change in another workspace: %+v, %v", c, err)
	}
	if n := writes(sim); n != 0 {
		t.Errorf("%d mutating requests", n)
	}
}
