package budgetchange

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/simulator"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/panics"
)

func TestAPreviewReadsTheLiveBudgetAndChangesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		r := b.to(55)
		r.Effect = func(_ context.Context, p Preview) json.RawMessage {
			return json.RawMessage(`{"from":"` + p.Current.Text + `"}`)
		}
		got, err := b.preview(t, r)
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, got, Previewed)
		p := got.Preview
		if p.Current.Amount != (money.Amount{Minor: 5000, Currency: "USD"}) || p.New.Amount.Minor != 5500 || *p.ChangePct() != 10 ||
			p.New.Text != json.Number(p.New.Text).String() || p.Blocked() != nil || p.NeedsApproval() != nil || got.Change != nil {
			t.Errorf("preview %+v", p)
		}
		if want := map[measure.Platform]string{measure.Facebook: "5500", measure.Google: "55000000", measure.TikTok: "55"}[b.platform]; p.New.Text != want {
			t.Errorf("new value %q, want %q", p.New.Text, want)
		}
		if want := b.platform != measure.TikTok; p.DryRun != want {
			t.Errorf("dry run %v, want %v", p.DryRun, want)
		}
		if string(p.Effect) != `{"from":"`+p.Current.Text+`"}` {
			t.Errorf("effect %s", p.Effect)
		}
		if b.budget() != 5000 {
			t.Errorf("the budget is %d", b.budget())
		}
	})
}

func TestAnExecutionChangesTheBudgetOnceAndRecordsIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		r := b.to(55)
		r.Effect = func(context.Context, Preview) json.RawMessage { return json.RawMessage(`{"value":12}`) }
		got := b.execute(t, r)
		wantOutcome(t, got, Executed)
		b.wantTraffic(t, 1, 1)
		if b.budget() != 5500 {
			t.Errorf("the budget is %d, want 5500", b.budget())
		}
		row := b.row(t, got.Change.ID)
		want := control.BudgetChange{
			ID: row.ID, Workspace: "acme", At: adstest.Noon, Platform: b.platform, Account: b.account, Campaign: string(b.campaign),
			CampaignName: got.Preview.Name, Budget: got.Preview.Budget.Resource, Field: control.DailyBudget,
			Previous: got.Preview.Current, New: got.Preview.New, Live: got.Preview.New, Status: control.ChangeApplied, Actor: "key:k1",
			Reason: "test", RequestID: row.RequestID, Deadline: adstest.Noon.Add(3 * adstest.Timeout), SettledAt: adstest.Noon,
			Effect: `{"value":12}`,
		}
		if diff := cmp.Diff(want, row); diff != "" || row.RequestID == "" {
			t.Errorf("row (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(row, *got.Change); diff != "" {
			t.Errorf("stored and returned row (-stored +returned):\n%s", diff)
		}
		again := b.execute(t, r)
		wantOutcome(t, again, Unchanged)
		b.wantTraffic(t, 1, 1)
		if again.Change != nil || len(b.rows(t)) != 1 {
			t.Errorf("an unchanged budget wrote a row: %+v", b.rows(t))
		}
	})
}

func TestPauseAndResumeAreRecorded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		before := b.status()
		wantOutcome(t, b.execute(t, b.asks(ads.Resume)), Unchanged)
		paused := b.execute(t, b.asks(ads.Pause))
		wantOutcome(t, paused, Executed)
		if b.status() == before {
			t.Errorf("the status is still %s", before)
		}
		if row := b.row(t, paused.Change.ID); row.Previous.Text != "active" || row.New.Text != "paused" || row.Live.Text != "paused" ||
			row.Field != control.CampaignStatus || row.Status != control.ChangeApplied {
			t.Errorf("row %+v", row)
		}
		wantOutcome(t, b.execute(t, b.asks(ads.Pause)), Unchanged)
		back, err := b.Rollback(t.Context(), b.workspace, operator, paused.Change.ID, "", true)
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, back, Executed)
		if b.status() != before || b.row(t, paused.Change.ID).RolledBackBy != back.Change.ID {
			t.Errorf("after the rollback the status is %s and the row %+v", b.status(), b.row(t, paused.Change.ID))
		}
		b.wantTraffic(t, 2, 2)
	})
}

func TestImpossibleChangesAreRejectedWithoutARow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.limits(t, func(g *control.Guardrails) { g.StepPct = 0 })
		previous := 1.0
		for name, c := range map[string]struct {
			change func(*Request)
			kind   fault.Kind
			part   string
		}{
			"an unknown campaign":           {func(r *Request) { r.Campaign = "987654321098765" }, fault.KindNotFound, "987654321098765"},
			"an ID that is no number":       {func(r *Request) { r.Campaign = "1 OR 1=1" }, fault.KindNotFound, "1 OR 1=1"},
			"an account not connected":      {func(r *Request) { r.Account = "999" }, fault.KindNotFound, "999"},
			"no budget":                     {func(r *Request) { r.Units = 0 }, fault.KindInvalid, "new_budget_value"},
			"a negative budget":             {func(r *Request) { r.Units = -5000 }, fault.KindInvalid, "new_budget_value"},
			"another currency":              {func(r *Request) { r.Currency = "EUR" }, fault.KindInvalid, "currency EUR"},
			"a different expected budget":   {func(r *Request) { r.Previous = &previous }, fault.KindConflict, "previous_budget_value 1"},
			"a budget that it does not use": {func(r *Request) { r.Budget = "customers/1/campaignBudgets/9" }, fault.KindConflict, "budget"},
			"a budget below the minimum":    {func(r *Request) { r.Units = max(b.perUnit/100, 1) }, fault.KindInvalid, "minimum"},
		} {
			r := b.to(55)
			c.change(&r)
			_, err := b.preview(t, r)
			wantError(t, err, c.kind, c.part)
			_, err = b.Execute(t.Context(), b.workspace, key, r)
			wantError(t, err, c.kind, c.part)
			if t.Failed() {
				t.Fatalf("%s: %v", name, err)
			}
		}
		b.wantTraffic(t, 0, 0)
		if len(b.rows(t)) != 0 {
			t.Errorf("rows %+v", b.rows(t))
		}
	})
}

func TestAWorkspaceWithoutAnAccountHasNoCampaigns(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.TikTok)
	delete(b.accounts, measure.TikTok)
	_, err := b.preview(t, b.to(55))
	wantError(t, err, fault.KindNotFound, "no TikTok account is connected")
	if _, hint, _ := fault.Public(err); !strings.Contains(hint, "assay connections add tiktok --workspace acme") {
		t.Errorf("hint %q", hint)
	}
}

func TestTheExpectedBudgetMayBeAFraction(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.TikTok)
	b.campaign = "1801"
	r := b.to(66)
	r.Previous = new(60.5)
	got := b.execute(t, r)
	wantOutcome(t, got, Executed)
	if got.Change.Previous.Text != "60.5" {
		t.Errorf("previous value %q, want 60.5", got.Change.Previous.Text)
	}
	back, err := b.Rollback(t.Context(), b.workspace, operator, got.Change.ID, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if wantOutcome(t, back, Executed); b.budget() != 6050 {
		t.Errorf("the budget is %d, want 6050", b.budget())
	}
}

// The published minimum of TikTok is USD 50, but the platform accepts lower budgets of some campaigns.
func TestALiveBudgetBelowThePublishedMinimumIsChangedAndRestored(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.TikTok)
	b.limits(t, func(g *control.Guardrails) { g.StepPct = 0 })
	b.person(4000)
	wantOutcome(t, b.execute(t, b.to(45)), Executed)
	b.clock.Advance(time.Minute)
	made := b.execute(t, b.to(55))
	wantOutcome(t, made, Executed)
	back, err := b.Rollback(t.Context(), b.workspace, operator, made.Change.ID, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if wantOutcome(t, back, Executed); b.budget() != 4500 {
		t.Errorf("the budget is %d, want 4500", b.budget())
	}
	got := b.execute(t, b.to(5)) // the platform rejects this budget
	wantOutcome(t, got, Refused)
	if got.Refusal.Reason != string(ads.BelowMinimum) || b.budget() != 4500 {
		t.Errorf("refusal %+v, the budget is %d", got.Refusal, b.budget())
	}
}

func TestASharedBudgetIsChangedWhenItIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Google)
	b.campaign = "112"
	r := b.to(55)
	_, err := b.preview(t, r)
	wantError(t, err, fault.KindConflict, "shared")
	r.Budget = "customers/1234567890/campaignBudgets/202"
	got, err := b.preview(t, r)
	if err != nil || len(got.Preview.Budget.Feeds) != 2 {
		t.Fatalf("preview %+v, %v; want both campaigns that the budget feeds", got.Preview.Budget, err)
	}
	made := b.execute(t, r)
	wantOutcome(t, made, Executed)
	back, err := b.Rollback(t.Context(), b.workspace, operator, made.Change.ID, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if wantOutcome(t, back, Executed); b.budget() != 5000 {
		t.Errorf("the budget is %d, want 5000", b.budget())
	}
}

// The change does not name the budget. The budget becomes shared after the change, or after the request for approval.
func TestAnUnnamedBudgetThatIsSharedSinceIsNotChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Google)
	share := func(shared bool) {
		b.editGoogle(func(a *simulator.GoogleAccount) { a.Budget("201").Shared = shared })
	}
	made := b.execute(t, b.to(52))
	wantOutcome(t, made, Executed)
	share(true)
	for _, confirm := range []bool{false, true} {
		_, err := b.Rollback(t.Context(), b.workspace, operator, made.Change.ID, "", confirm)
		wantError(t, err, fault.KindConflict, "shared")
	}
	share(false)
	b.limits(t, func(g *control.Guardrails) { g.ApproveAbove = usd(5200) })
	asked := b.execute(t, b.to(55))
	wantOutcome(t, asked, Awaiting)
	share(true)
	ben := Caller{Actor: "assay test", Person: true}
	_, err := b.Approve(t.Context(), b.workspace, ben, asked.Change.ID, "")
	wantError(t, err, fault.KindConflict, "shared")
	b.wantTraffic(t, 1, 1)
	share(false)
	approved, err := b.Approve(t.Context(), b.workspace, ben, asked.Change.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, approved, Executed)
}

func TestARollbackDoesNotChangeAnotherBudget(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Google)
	made := b.execute(t, b.to(55))
	wantOutcome(t, made, Executed)
	b.editGoogle(func(a *simulator.GoogleAccount) {
		a.Budgets = append(a.Budgets, simulator.GoogleBudget{ID: "203", Period: "DAILY", Micros: 55_000_000})
		a.Campaign("111").Budget = "203"
	})
	_, err := b.Rollback(t.Context(), b.workspace, operator, made.Change.ID, "", true)
	wantError(t, err, fault.KindConflict, "campaignBudgets/203")
	b.wantTraffic(t, 1, 1)
}

// Both campaigns use the shared budget, so a change of one campaign's budget also changes the budget of the other
// campaign.
func TestChangesOfASharedBudgetAreThoseOfEachOfItsCampaigns(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Google)
	via := func(campaign ads.CampaignID, major int64) Result {
		b.campaign = campaign
		r := b.to(major)
		r.Budget = "customers/1234567890/campaignBudgets/202"
		b.clock.Advance(time.Minute)
		return b.execute(t, r)
	}
	first := via("112", 52)
	wantOutcome(t, first, Executed)
	wantOutcome(t, via("113", 50), Executed)
	last := via("113", 52)
	wantOutcome(t, last, Executed)
	for _, campaign := range []ads.CampaignID{"112", "113"} {
		fourth := via(campaign, 53)
		wantOutcome(t, fourth, Refused)
		if fourth.Refusal.Reason != "guardrail:per-hour" {
			t.Errorf("refusal %+v", fourth.Refusal)
		}
	}
	_, err := b.Rollback(t.Context(), b.workspace, operator, first.Change.ID, "", true)
	wantError(t, err, fault.KindConflict, string(last.Change.ID))
	b.campaign = "112"
	wantOutcome(t, b.execute(t, b.asks(ads.Pause)), Executed) // the other campaign keeps its status
}

func TestTheAccountThatHasTheCampaignIsUsed(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Facebook)
	own := b.accounts[measure.Facebook][0]
	other := otherAccount{own}
	b.accounts[measure.Facebook] = []ads.Platform{other, own}
	got := b.execute(t, b.to(55))
	if wantOutcome(t, got, Executed); got.Change.Account != b.account {
		t.Errorf("account %s, want %s", got.Change.Account, b.account)
	}
	r := b.to(60)
	r.Account = "1"
	_, err := b.preview(t, r)
	wantError(t, err, fault.KindNotFound, "account 1")
	b.accounts[measure.Facebook] = []ads.Platform{brokenAccount{own}}
	_, err = b.preview(t, b.to(60))
	wantError(t, err, fault.KindMisconfigured, "expired")
}

// otherAccount is an account without campaigns. brokenAccount is an account with an expired token.
type (
	otherAccount  struct{ ads.Platform }
	brokenAccount struct{ ads.Platform }
)

func (otherAccount) Account() ads.Account { return ads.Account{Platform: measure.Facebook, ID: "1"} }

func (otherAccount) Read(context.Context, ads.CampaignID) (ads.State, error) {
	return ads.State{}, ads.Reject(measure.Facebook, ads.CampaignNotFound, "")
}

func (brokenAccount) Read(context.Context, ads.CampaignID) (ads.State, error) {
	return ads.State{}, ads.Reject(measure.Facebook, ads.TokenExpired, "")
}

func TestTenIdenticalCallsAreOneChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		var group panics.Group
		results := make([]Result, 10)
		for i := range results {
			group.Go(func() {
				var err error
				if results[i], err = b.Execute(t.Context(), b.workspace, key, b.to(55)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		b.wantTraffic(t, 1, 1)
		rows := b.rows(t)
		if len(rows) != 1 {
			t.Fatalf("%d rows, want 1", len(rows))
		}
		executed := 0
		for _, r := range results {
			switch r.Outcome {
			case Executed:
				executed++
				if r.Change.ID != rows[0].ID {
					t.Errorf("the change is %s, want %s", r.Change.ID, rows[0].ID)
				}
			case Unchanged:
			default:
				t.Errorf("outcome %s", r.Outcome)
			}
		}
		if executed == 0 {
			t.Error("no caller executed the change")
		}
	})
}

// slowAccount delays the write until the test allows it.
type slowAccount struct {
	ads.Platform
	arrived chan struct{} // closed when the write is about to be sent
	send    chan struct{}
}

func (a slowAccount) Apply(ctx context.Context, s ads.State, c ads.Change) ads.Outcome {
	close(a.arrived)
	<-a.send
	return a.Platform.Apply(ctx, s, c)
}

// oneAccount is an account of every workspace.
type oneAccount struct{ ads.Platform }

func (a oneAccount) Of(context.Context, measure.WorkspaceID, measure.Platform) ([]ads.Platform, error) {
	return []ads.Platform{a.Platform}, nil
}

// Another process has its own executor on the same store. The clock of this other process advances only while the first
// process waits.
func TestAnotherProcessWaitsForAnIdenticalChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		slow := slowAccount{b.accounts[b.platform][0], make(chan struct{}), make(chan struct{})}
		first := b.restarted()
		first.Accounts = oneAccount{slow}
		var group panics.Group
		var made Result
		group.Go(func() {
			var err error
			if made, err = first.Execute(t.Context(), b.workspace, key, b.to(55)); err != nil {
				t.Error(err)
			}
		})
		<-slow.arrived
		polls := 0
		b.Clock = sleeper{b.clock, func() {
			if polls++; polls == 3 {
				close(slow.send)
				group.Wait()
			}
		}}
		same := b.execute(t, b.to(55))
		if wantOutcome(t, same, Executed); same.Change.ID != made.Change.ID {
			t.Errorf("the change is %s, want %s", same.Change.ID, made.Change.ID)
		}
		b.wantTraffic(t, 1, 1)
	})
}

// sleeper is a clock that calls the function do before every sleep.
type sleeper struct {
	*adstest.Clock
	do func()
}

func (s sleeper) Sleep(ctx context.Context, d time.Duration) error {
	s.do()
	return s.Clock.Sleep(ctx, d)
}

func TestADifferentChangeWaitsTwoSecondsAndIsAConflict(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		slow := slowAccount{b.accounts[b.platform][0], make(chan struct{}), make(chan struct{})}
		first := b.restarted()
		first.Accounts = oneAccount{slow}
		var group panics.Group
		group.Go(func() {
			if _, err := first.Execute(t.Context(), b.workspace, key, b.to(55)); err != nil {
				t.Error(err)
			}
		})
		<-slow.arrived
		began := b.clock.Now()
		_, err := b.Execute(t.Context(), b.workspace, key, b.to(58))
		wantError(t, err, fault.KindConflict, "in progress")
		if waited := b.clock.Now().Sub(began); waited != otherWait {
			t.Errorf("it waited %s, want %s", waited, otherWait)
		}
		if _, err := b.preview(t, b.to(58)); err != nil {
			t.Errorf("a preview: %v", err)
		}
		close(slow.send)
		group.Wait()
		wantOutcome(t, b.execute(t, b.to(58)), Executed)
		b.wantTraffic(t, 2, 2)
	})
}

func TestAnExecutionOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Facebook)
	ctx, cancel := context.WithCancel(t.Context())
	b.sim.Script(simulator.Fault{On: simulator.Writes, Do: simulator.Serve, Before: cancel})
	got, err := b.Execute(ctx, b.workspace, key, b.to(55))
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, got, Executed)
	b.wantTraffic(t, 1, 1)
}

func TestAChangeThatCannotBeRecordedIsSettledLater(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Facebook)
	b.running(t, b.Executor)
	b.store.broken = errTest
	got := b.execute(t, b.to(55))
	wantOutcome(t, got, Executed)
	if row := b.settled(t); row.ID != got.Change.ID || row.Status != control.ChangeApplied {
		t.Errorf("row %+v", row)
	}
	b.wantTraffic(t, 1, 1)
}
