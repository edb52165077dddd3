package budgetchange

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/simulator"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/panics"
)

// truth compares a settled budget change with the platform's state.
func (b *bench) truth(t *testing.T, c control.BudgetChange) {
	t.Helper()
	_, applied := b.traffic()
	switch live := b.budget(); c.Status {
	case control.ChangeApplied:
		if applied != 1 || live != c.New.Amount.Minor || c.Live != c.New {
			t.Errorf("the row is applied; %d changes were executed, the budget is %d, the row has the live value %s", applied, live, c.Live)
		}
	case control.ChangeFailed:
		if applied != 0 || live != c.Previous.Amount.Minor {
			t.Errorf("the row is failed; %d changes were executed, the budget is %d", applied, live)
		}
	case control.ChangeUnknown:
		if !c.Live.IsZero() && live != c.Live.Amount.Minor {
			t.Errorf("the row is unknown with the live value %s; the budget is %d", c.Live, live)
		}
	default:
		t.Errorf("the row is %s", c.Status)
	}
	if c.SettledAt.IsZero() || c.Status != control.ChangeApplied && c.Problem == "" {
		t.Errorf("the row lacks the instant or the reason: %+v", c)
	}
}

// lost returns the faults after which it is unknown whether the platform executed the write.
func lost(b *bench) map[string]simulator.Fault {
	return map[string]simulator.Fault{
		"the connection breaks":    {Do: simulator.Drop},
		"a server error":           {Do: simulator.Fail, Trouble: simulator.ServerError},
		"no reply in time":         {Do: simulator.Stall, Arrived: func() { b.clock.Advance(adstest.Timeout) }},
		"a reply that is not JSON": {Do: simulator.Malform},
		"a truncated reply":        {Do: simulator.Truncate},
		"a huge reply":             {Do: simulator.Flood},
		"a nested reply":           {Do: simulator.Nest},
	}
}

func TestALostReplyToAnExecutedWriteIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	for _, p := range platforms {
		for name := range lost(&bench{}) {
			t.Run(string(p)+"/"+name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, p)
				fault := lost(b)[name]
				fault.On, fault.Executed = simulator.Writes, true
				b.sim.Script(fault)
				got := b.execute(t, b.to(55))
				wantOutcome(t, got, Executed)
				b.truth(t, b.row(t, got.Change.ID))
				b.wantTraffic(t, 1, 1)
			})
		}
	}
}

func TestALostWriteFailsAfterTheGrace(t *testing.T) {
	t.Parallel()
	for _, p := range platforms {
		for name := range lost(&bench{}) {
			t.Run(string(p)+"/"+name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, p)
				fault := lost(b)[name]
				fault.On = simulator.Writes
				b.sim.Script(fault)
				b.running(t, b.Executor)
				got := b.execute(t, b.to(55))
				wantOutcome(t, got, Unknown)
				if got.Refusal.Hint == "" || got.Change.Status.Done() {
					t.Errorf("the caller gets %+v of the row %+v", got.Refusal, got.Change)
				}
				row := b.settled(t)
				b.truth(t, row)
				if row.Status != control.ChangeFailed || row.SettledAt.Before(got.Change.Deadline.Add(ads.Grace)) {
					t.Errorf("%s at %s, want failed not before %s", row.Status, row.SettledAt, got.Change.Deadline.Add(ads.Grace))
				}
				b.wantTraffic(t, 1, 0)
				wantOutcome(t, b.execute(t, b.to(55)), Executed) // the campaign is free again
			})
		}
	}
}

func TestAWriteThatArrivesLateIsApplied(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.sim.Script(simulator.Fault{On: simulator.Writes, Do: simulator.Drop})
		b.Clock = sleeper{b.clock, func() { b.person(5500) }} // the write arrives while the series waits
		got := b.execute(t, b.to(55))
		wantOutcome(t, got, Executed)
		if got.Change.Status != control.ChangeApplied || got.Change.Live != got.Change.New {
			t.Errorf("row %+v", got.Change)
		}
		b.wantTraffic(t, 1, 0)
	})
}

func TestAnotherLiveValueIsLeftToAPerson(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.sim.Script(simulator.Fault{On: simulator.Writes, Do: simulator.Drop, Before: func() { b.person(7000) }})
		got := b.execute(t, b.to(55))
		wantOutcome(t, got, Unknown)
		row := b.row(t, got.Change.ID)
		if b.truth(t, row); row.Status != control.ChangeUnknown || row.Live.Amount.Minor != 7000 {
			t.Errorf("row %+v, want unknown with the live value", row)
		}
		b.wantTraffic(t, 1, 0)
	})
}

func TestAnUnreadablePlatformLeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Facebook)
	served := simulator.Fault{On: simulator.Campaign, Do: simulator.Serve}
	b.sim.Script(served, served, simulator.Fault{On: simulator.Writes, Do: simulator.Drop, Executed: true})
	for range 20 {
		b.sim.Script(simulator.Fault{On: simulator.Campaign, Do: simulator.Fail, Trouble: simulator.BadToken})
	}
	got := b.execute(t, b.to(55))
	wantOutcome(t, got, Unknown)
	row := b.row(t, got.Change.ID)
	if row.Status != control.ChangeUnknown || !row.Live.IsZero() {
		t.Fatalf("row %+v, want unknown without a live value", row)
	}
	b.wantTraffic(t, 1, 1)
	b.sim.Reset()
	b.drain()
	b.running(t, b.restarted())
	if row := b.settled(t); row.Status != control.ChangeApplied {
		t.Errorf("after the next start the row is %+v, want applied", row)
	}
	b.wantTraffic(t, 0, 0)
}

// drain discards the rows that were settled so far.
func (b *bench) drain() {
	for {
		select {
		case <-b.store.final:
		default:
			return
		}
	}
}

func TestARefusedWriteFailsWithTheReason(t *testing.T) {
	t.Parallel()
	for trouble, want := range map[simulator.Trouble]ads.Reason{
		simulator.ErrorWith200: ads.PolicyBlocked, simulator.Limited: ads.RateLimited, simulator.NoPermission: ads.PermissionMissing,
		simulator.Policy: ads.PolicyBlocked, simulator.Retired: ads.VersionRetired, simulator.TooLow: ads.BelowMinimum,
	} {
		for _, p := range platforms {
			t.Run(string(p)+"/"+string(trouble), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, p)
				b.sim.Script(simulator.Fault{On: simulator.Writes, Do: simulator.Fail, Trouble: trouble})
				got := b.execute(t, b.to(55))
				wantOutcome(t, got, Refused)
				row := b.row(t, got.Change.ID)
				if b.truth(t, row); row.Status != control.ChangeFailed || row.Rejection != string(want) || got.Refusal.Reason != string(want) {
					t.Errorf("row %+v, want failed because of %s", row, want)
				}
				b.wantTraffic(t, 1, 0)
			})
		}
	}
}

func TestATokenThatEndsMeanwhileIsRenewedOrReported(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.sim.Script(simulator.Fault{On: simulator.Writes, Do: simulator.Serve, Before: b.expire})
		got := b.execute(t, b.to(55))
		if b.platform == measure.Google {
			wantOutcome(t, got, Executed)
			b.wantTraffic(t, 2, 1) // the first request is rejected with 401
			return
		}
		wantOutcome(t, got, Refused)
		row := b.row(t, got.Change.ID)
		if b.truth(t, row); row.Rejection != string(ads.TokenExpired) {
			t.Errorf("row %+v, want a token that has expired", row)
		}
		b.wantTraffic(t, 1, 0)
	})
}

func TestAChangeBySomeoneElseSinceThePreviewFails(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.sim.Script(
			simulator.Fault{On: simulator.Campaign, Do: simulator.Serve}, // the read of the preview
			simulator.Fault{On: simulator.Campaign, Do: simulator.Serve, Before: func() { b.person(7000) }},
		)
		got := b.execute(t, b.to(55))
		wantOutcome(t, got, Refused)
		row := b.row(t, got.Change.ID)
		if row.Status != control.ChangeFailed || row.Rejection != string(ads.ChangedMeanwhile) || row.Live.Amount.Minor != 7000 ||
			row.Previous.Amount.Minor != 5000 {
			t.Errorf("row %+v, want failed because of the change", row)
		}
		b.wantTraffic(t, 0, 0)
		if b.budget() != 7000 {
			t.Errorf("the budget is %d, want 7000", b.budget())
		}
	})
}

func TestTheSameChangeBySomeoneElseIsNotRepeated(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.sim.Script(
			simulator.Fault{On: simulator.Campaign, Do: simulator.Serve},
			simulator.Fault{On: simulator.Campaign, Do: simulator.Serve, Before: func() { b.person(5500) }},
		)
		wantOutcome(t, b.execute(t, b.to(55)), Unchanged)
		b.wantTraffic(t, 0, 0)
	})
}

// killed is an account that simulates the end of the process during a write.
type killed struct {
	ads.Platform
	after bool // the process ends after the write was sent
}

func (k killed) Apply(ctx context.Context, s ads.State, c ads.Change) ads.Outcome {
	if k.after {
		k.Platform.Apply(ctx, s, c)
	}
	panic("the process ends")
}

func TestARowOfAKilledProcessIsSettledByTheNextOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after  bool
		fault  simulator.Fault
		person int64
		want   control.ChangeStatus
	}{
		"before the write":                  {want: control.ChangeFailed},
		"after the write":                   {after: true, want: control.ChangeApplied},
		"after a write that did not arrive": {after: true, fault: simulator.Fault{Do: simulator.Drop}, want: control.ChangeFailed},
		"someone else changed it since":     {after: true, person: 7000, want: control.ChangeUnknown},
	} {
		for _, p := range platforms {
			t.Run(string(p)+"/"+name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, p)
				if c.fault.Do != simulator.Serve {
					c.fault.On = simulator.Writes
					b.sim.Script(c.fault)
				}
				first := b.restarted()
				first.Accounts = oneAccount{killed{b.accounts[p][0], c.after}}
				_, err := first.Execute(t.Context(), b.workspace, key, b.to(55))
				if rows := b.rows(t); err == nil || len(rows) != 1 || rows[0].Status != control.ChangePending {
					t.Fatalf("%v, rows %+v; want one that is pending", err, rows)
				}
				if c.person != 0 {
					b.person(c.person)
				}
				mutating, _ := b.traffic()
				start := b.clock.Now()
				b.running(t, b.restarted())
				row := b.settled(t)
				if row.Status != c.want || row.Status == control.ChangeFailed && row.SettledAt.Sub(start) < ads.Grace {
					t.Errorf("the row is %s after %s, want %s", row.Status, row.SettledAt.Sub(start), c.want)
				}
				b.truth(t, row)
				if now, _ := b.traffic(); now != mutating {
					t.Errorf("the next process sent %d mutating requests", now-mutating)
				}
			})
		}
	}
}

func TestASeriesThatIsInterruptedBeginsAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.TikTok)
	first := b.restarted()
	first.Accounts = oneAccount{killed{b.accounts[b.platform][0], false}}
	if _, err := first.Execute(t.Context(), b.workspace, key, b.to(55)); err == nil {
		t.Fatal("the process did not end")
	}
	ctx, stop := context.WithCancel(t.Context())
	second := b.restarted()
	second.Clock = sleeper{b.clock, stop}
	if err := second.Run(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if row := b.rows(t)[0]; row.Status != control.ChangePending {
		t.Fatalf("the row is %s, want pending", row.Status)
	}
	b.clock.Advance(time.Hour)
	b.running(t, b.restarted())
	if row := b.settled(t); row.Status != control.ChangeFailed {
		t.Errorf("the row is %s, want failed", row.Status)
	}
}

func TestARemovedConnectionLeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.TikTok)
	first := b.restarted()
	first.Accounts = oneAccount{killed{b.accounts[b.platform][0], false}}
	if _, err := first.Execute(t.Context(), b.workspace, key, b.to(55)); err == nil {
		t.Fatal("the process did not end")
	}
	delete(b.accounts, measure.TikTok)
	b.running(t, b.restarted())
	if row := b.settled(t); row.Status != control.ChangeUnknown || row.Problem == "" {
		t.Errorf("row %+v, want unknown with the reason", row)
	}
}

// sharedBy returns the executor of another process that changes campaigns with the same store.
func (b *bench) sharedBy() *Executor {
	e := b.restarted()
	e.Shared = true
	return e
}

func TestARowOfALiveProcessIsNotSettledByAnother(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		first := b.sharedBy()
		first.Accounts = oneAccount{killed{b.accounts[b.platform][0], false}}
		if _, err := first.Execute(t.Context(), b.workspace, key, b.to(55)); err == nil {
			t.Fatal("the process did not end")
		}
		second := b.sharedBy()
		if left, err := second.leftOver(t.Context(), false, control.ChangePending, control.ChangeUnknown); err != nil || len(left) != 0 {
			t.Fatalf("%d rows, %v; want none before the deadline", len(left), err)
		}
		b.running(t, second)
		b.ticks <- b.clock.Now()
		b.ticks <- b.clock.Now() // Run has handled the first tick
		second.mu.Lock()
		settling := len(second.own)
		second.mu.Unlock()
		if row := b.rows(t)[0]; row.Status != control.ChangePending || settling != 0 {
			t.Fatalf("the row is %s before the deadline, and %d rows are being settled; want pending and none", row.Status, settling)
		}
		b.clock.Advance(first.WriteTime + maxSkew)
		b.ticks <- b.clock.Now()
		if row := b.settled(t); row.Status != control.ChangeFailed {
			t.Errorf("the row is %s, want failed", row.Status)
		}
		b.wantTraffic(t, 0, 0)
	})
}

// settling is an account on which another process settles the rows between the claim and the write.
type settling struct {
	ads.Platform
	settle func()
	reads  *int
}

func (s settling) Read(ctx context.Context, id ads.CampaignID) (ads.State, error) {
	if *s.reads++; *s.reads == 2 {
		s.settle()
	}
	return s.Platform.Read(ctx, id)
}

func TestAProcessThatLostItsClaimSendsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		first := b.sharedBy()
		first.Accounts = oneAccount{settling{b.accounts[b.platform][0], func() {
			b.clock.Advance(first.WriteTime + maxSkew)
			other := b.sharedBy()
			left, err := other.leftOver(t.Context(), false, control.ChangePending)
			if err != nil || len(left) != 1 {
				t.Fatalf("%d rows, %v; want one", len(left), err)
			}
			other.settleOwned(t.Context(), left[0])
		}, new(int)}}
		_, err := first.Execute(t.Context(), b.workspace, key, b.to(55))
		wantError(t, err, fault.KindConflict, "")
		if row := b.row(t, b.rows(t)[0].ID); row.Status != control.ChangeFailed {
			t.Errorf("the row is %s, want failed", row.Status)
		}
		b.wantTraffic(t, 0, 0)
	})
}

// A proxy may discard the reply of an executed write and send its own error.
func TestARejectedWriteThatTheCampaignHasIsApplied(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]simulator.Reply{
		"a proxy's page":     {Status: http.StatusForbidden, Body: "<html>Blocked</html>"},
		"a proxy's limit":    {Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "60"}},
		"a platform's error": {Status: http.StatusOK, Body: `{"code":40002,"message":"Invalid","error":{"code":100,"message":"Invalid"}}`},
	} {
		for _, p := range platforms {
			t.Run(string(p)+"/"+name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, p)
				b.sim.Script(simulator.Fault{On: simulator.Writes, Do: simulator.Answer, Executed: true, Reply: reply})
				got := b.execute(t, b.to(55))
				wantOutcome(t, got, Executed)
				row := b.row(t, got.Change.ID)
				if b.truth(t, row); row.Status != control.ChangeApplied || row.Rejection != "" || row.Problem != "" || row.Live != row.New {
					t.Errorf("row %+v, want applied", row)
				}
				b.wantTraffic(t, 1, 1)
			})
		}
	}
}

// failing is an account that fails on the second read. This read also makes the store reject the next final status.
type failing struct {
	ads.Platform
	reads *int
	store *settlements
}

func (f failing) Read(ctx context.Context, id ads.CampaignID) (ads.State, error) {
	if *f.reads++; *f.reads == 2 {
		f.store.broken = errTest
		return ads.State{}, errTest
	}
	return f.Platform.Read(ctx, id)
}

func TestAFailureThatCannotBeRecordedIsSettledLater(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.Accounts = oneAccount{failing{b.accounts[b.platform][0], new(int), b.store}}
		b.running(t, b.Executor)
		if _, err := b.Execute(t.Context(), b.workspace, key, b.to(55)); err == nil {
			t.Error("the failure of the store is not reported")
		}
		if row := b.settled(t); row.Status != control.ChangeFailed {
			t.Errorf("the row is %s, want failed", row.Status)
		}
		b.wantTraffic(t, 0, 0)
	})
}

func TestAnOutcomeThatCannotBeRecordedIsSettledLater(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		first := b.restarted()
		first.Accounts = oneAccount{killed{b.accounts[b.platform][0], true}}
		if _, err := first.Execute(t.Context(), b.workspace, key, b.to(55)); err == nil {
			t.Fatal("the process did not end")
		}
		b.store.broken = errTest
		b.clock.Advance(first.WriteTime + maxSkew)
		b.running(t, b.restarted())
		for range 10_000 { // the first ticks can precede the end of the first series
			select {
			case b.ticks <- b.clock.Now():
			case row := <-b.store.final:
				if row.Status != control.ChangeApplied {
					t.Errorf("the row is %s, want applied", row.Status)
				}
				return
			}
		}
		t.Fatal("no row was settled")
	})
}

// confirming is an account that confirms each write. The function write determines the effect of the write.
type confirming struct {
	ads.Platform
	write func()
}

func (c confirming) Apply(context.Context, ads.State, ads.Change) ads.Outcome {
	c.write()
	return ads.Outcome{Result: ads.Applied}
}

func TestAConfirmedWriteIsBelievedOnlyIfTheLiveValueAgrees(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write func(b *bench)
		want  control.ChangeStatus
	}{
		"the new value is live": {func(b *bench) { b.person(5500) }, control.ChangeApplied},
		"the old value stays":   {func(*bench) {}, control.ChangeFailed},
		"another value is live": {func(b *bench) { b.person(7000) }, control.ChangeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, measure.TikTok)
			b.Accounts = oneAccount{confirming{b.accounts[b.platform][0], func() { c.write(b) }}}
			if _, err := b.Execute(t.Context(), b.workspace, key, b.to(55)); err != nil {
				t.Fatal(err)
			}
			row := b.rows(t)[0]
			if row.Status != c.want || row.Live.IsZero() {
				t.Errorf("the row is %s with the live value %q, want %s", row.Status, row.Live, c.want)
			}
			if want := "TikTok confirmed the change, but the campaign does not have the new value."; (row.Status != control.ChangeApplied) !=
				strings.HasPrefix(row.Problem, want) {
				t.Errorf("problem %q of a change that is %s", row.Problem, row.Status)
			}
		})
	}
}

// After a confirmed write, reads return the old value until the read at 15 seconds.
func TestAConfirmedWriteMayBecomeVisibleLate(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Facebook)
	b.Accounts = oneAccount{confirming{b.accounts[b.platform][0], func() {}}}
	start := b.clock.Now()
	b.Clock = sleeper{b.clock, func() {
		if b.clock.Now().Sub(start) >= 5*time.Second {
			b.person(5500)
		}
	}}
	got, err := b.Execute(t.Context(), b.workspace, key, b.to(55))
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, got, Executed)
	if row := b.row(t, got.Change.ID); row.Status != control.ChangeApplied || row.Live != row.New || row.Problem != "" {
		t.Errorf("row %+v, want applied", row)
	}
}

// A process ends before its write becomes visible. The next process waits until the deadline of the write.
func TestARestartedProcessWaitsForTheDeadlineOfAWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Facebook)
	first := b.restarted()
	first.Accounts = oneAccount{killed{b.accounts[b.platform][0], false}}
	if _, err := first.Execute(t.Context(), b.workspace, key, b.to(55)); err == nil {
		t.Fatal("the process did not end")
	}
	start, next := b.clock.Now(), b.restarted()
	next.Clock = sleeper{b.clock, func() {
		if b.clock.Now().Sub(start) >= 5*time.Second {
			b.person(5500)
		}
	}}
	b.running(t, next)
	if row := b.settled(t); row.Status != control.ChangeApplied {
		t.Errorf("row %+v, want applied", row)
	}
}

// Ten processes that start on one store settle a row once.
func TestARowIsSettledOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Facebook)
	first := b.restarted()
	first.Accounts = oneAccount{killed{b.accounts[b.platform][0], true}}
	if _, err := first.Execute(t.Context(), b.workspace, key, b.to(55)); err == nil {
		t.Fatal("the process did not end")
	}
	var group panics.Group
	for range 10 {
		group.Go(func() {
			e := b.restarted()
			left, err := e.leftOver(t.Context(), true, control.ChangePending)
			if err != nil {
				t.Error(err)
			}
			for _, u := range left {
				e.settleOwned(t.Context(), u)
			}
		})
	}
	group.Wait()
	if row := b.settled(t); row.Status != control.ChangeApplied || len(b.store.final) != 0 {
		t.Errorf("row %+v, settled %d times more", row, len(b.store.final))
	}
	events, err := b.store.Events(t.Context(), control.EventFilter{Kinds: []control.EventKind{control.BudgetChanged}, Limit: 10})
	if err != nil || len(events) != 2 {
		t.Errorf("%d events, %v; want the claim and the settlement", len(events), err)
	}
}

// If Run takes over the row of an execution before the execution ends, the row stays marked as owned by Run. At the
// next tick, Run therefore does not read the row again.
func TestARowThatRunSettlesIsNotTakenAgain(t *testing.T) {
	t.Parallel()
	const id = control.BudgetChangeID("bc-1")
	e := New(Options{})
	e.serve(true)
	e.hold(id)
	e.later(control.BudgetChange{ID: id}, time.Time{}, time.Time{}, 0)
	e.waiting = nil // Run has taken the row
	e.release(id)
	if _, own := e.own[id]; !own {
		t.Error("the row that Run settles has no owner after its execution")
	}
	e.hold("bc-2")
	e.release("bc-2")
	if _, own := e.own["bc-2"]; own {
		t.Error("a row without a further read keeps its owner")
	}
}
