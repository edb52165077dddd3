package budgetchange

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/simulator"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

func usd(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }

func TestGuardrailsDecideAtTheirLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	step := control.Guardrails{StepPct: 20}
	hour := control.Guardrails{PerHour: 2}
	day := control.Guardrails{PerDay: 2}
	floor := control.Guardrails{Floor: usd(5000)}
	ceiling := control.Guardrails{Ceiling: usd(6000)}
	open := control.Guardrails{Hours: control.Hours{From: 8, To: 20}}
	night := control.Guardrails{Hours: control.Hours{From: 22, To: 6}}
	first := control.Guardrails{PreviewFirst: true}
	above := control.Guardrails{ApproveAbove: usd(6000)}
	at := func(hour, minute int) func(*Situation) {
		return func(s *Situation) { s.Now = time.Date(2026, 11, 23, hour, minute, 0, 0, time.UTC) }
	}
	to := func(minor int64) func(*Situation) {
		return func(s *Situation) { s.New, s.Limits = usd(minor), usd(minor) }
	}
	recent := func(at ...time.Time) func(*Situation) { return func(s *Situation) { s.Recent = at } }
	status := func(s *Situation) { s.Field = control.CampaignStatus }
	for name, c := range map[string]struct {
		g      control.Guardrails
		change func(*Situation)
		want   State
		part   string
	}{
		"a step of 20%":                {step, to(6000), Passes, "20.0%"},
		"a step of 20.02%":             {step, to(6001), Blocks, "of 20.020% exceeds"},
		"a step down of 20%":           {step, to(4000), Passes, "20.0%"},
		"a step down of 20.02%":        {step, to(3999), Blocks, "smaller"},
		"half a percent":               {control.Guardrails{StepPct: 0.5}, to(5025), Passes, "0.5%"},
		"more than half a percent":     {control.Guardrails{StepPct: 0.5}, to(5026), Blocks, "0.5%"},
		"the step of a rollback":       {step, func(s *Situation) { to(9000)(s); s.Rollback = true }, Off, "exempt"},
		"the step of a pause":          {step, status, Off, "daily budgets"},
		"no step":                      {control.Guardrails{}, to(900000), Off, "not set"},
		"at the floor":                 {floor, to(5000), Passes, "USD 50.00"},
		"below the floor":              {floor, to(4999), Blocks, "USD 49.99 is below the floor of USD 50.00"},
		"at the ceiling":               {ceiling, to(6000), Passes, "USD 60.00"},
		"above the ceiling":            {ceiling, to(6001), Blocks, "above the ceiling of USD 60.00"},
		"the ceiling of a rollback":    {ceiling, func(s *Situation) { to(6001)(s); s.Rollback = true }, Blocks, "above the ceiling"},
		"a converted budget":           {ceiling, func(s *Situation) { s.New, s.Limits = money.Amount{Minor: 100, Currency: "EUR"}, usd(6001) }, Blocks, "EUR 1.00 (USD 60.01)"},
		"no exchange rate":             {ceiling, func(s *Situation) { s.NoRate = "there is no exchange rate" }, Blocks, "no exchange rate"},
		"one change in an hour":        {hour, recent(ago(time.Minute)), Passes, "is 1 (limit: 2)"},
		"two changes in an hour":       {hour, recent(ago(time.Minute), ago(30*time.Minute)), Blocks, "12:30"},
		"two, one of an hour ago":      {hour, recent(ago(time.Minute), ago(time.Hour)), Passes, "is 1 (limit: 2)"},
		"two in an hour and rollback":  {hour, func(s *Situation) { recent(now, now)(s); s.Rollback = true }, Off, "exempt"},
		"two changes in a day":         {day, recent(ago(23*time.Hour), ago(2*time.Hour)), Blocks, "2026-11-23 13:00 UTC"},
		"two, one of a day ago":        {day, recent(ago(24*time.Hour), ago(2*time.Hour)), Passes, "is 1 (limit: 2)"},
		"a pause counts too":           {hour, func(s *Situation) { status(s); recent(now, now)(s) }, Blocks, "2 changes"},
		"the first hour":               {open, at(8, 0), Passes, "8-20"},
		"the minute before":            {open, at(7, 59), Blocks, "07:59"},
		"the last minute":              {open, at(19, 59), Passes, "19:59"},
		"the end":                      {open, at(20, 0), Blocks, "20:00"},
		"the night, before midnight":   {night, at(23, 0), Passes, "22-6"},
		"the night, after midnight":    {night, at(5, 59), Passes, "22-6"},
		"the night, in the morning":    {night, at(6, 0), Blocks, "22-6"},
		"the hours of a rollback":      {night, func(s *Situation) { s.Rollback = true }, Off, "exempt"},
		"stopped":                      {control.Guardrails{Stop: true}, status, Blocks, "stopped"},
		"stopped, a rollback by tools": {control.Guardrails{Stop: true}, func(s *Situation) { s.Rollback = true }, Blocks, "stopped"},
		"stopped, a person's rollback": {control.Guardrails{Stop: true}, func(s *Situation) { s.Rollback, s.Person = true, true }, Off, "person"},
		"no preview":                   {first, status, Blocks, "preview"},
		"a preview 30 minutes ago":     {first, func(s *Situation) { s.Seen = ago(30 * time.Minute) }, Passes, "11:30"},
		"a preview 31 minutes ago":     {first, func(s *Situation) { s.Seen = ago(31 * time.Minute) }, Blocks, "preview"},
		"no preview, a rollback":       {first, func(s *Situation) { s.Rollback = true }, Off, "exempt"},
		"no preview, approved":         {first, func(s *Situation) { s.Approved = true }, Off, "approval"},
		"up to the approval limit":     {above, to(6000), Passes, "no approval"},
		"above the approval limit":     {above, to(6001), Approval, "another member"},
		"above it, approved":           {above, func(s *Situation) { to(6001)(s); s.Approved = true }, Passes, "approved"},
		"above it, a pause":            {above, status, Off, "daily budgets"},
	} {
		s := Situation{Now: now, Field: control.DailyBudget, Previous: usd(5000), New: usd(5500), Limits: usd(5500)}
		c.change(&s)
		all := Verdicts(c.g, s)
		set := slices.DeleteFunc(slices.Clone(all), func(v Verdict) bool { return v.Text == notSet || v.Guardrail == "stop" && !c.g.Stop })
		if len(set) == 0 {
			set = all[:1]
		}
		if len(all) != 9 || len(set) != 1 || set[0].State != c.want || !strings.Contains(set[0].Text+set[0].Guardrail, c.part) {
			t.Errorf("%s: %+v, want %s with the text %q", name, set, c.want, c.part)
		}
		for i, limit := range c.g.Limits() {
			if all[i].Guardrail != limit.Name {
				t.Errorf("guardrail %d is %s, want %s", i, all[i].Guardrail, limit.Name)
			}
		}
	}
}

func TestAGuardrailBlocksTheExecutionAndNotThePreview(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		got, err := b.preview(t, b.to(61))
		if err != nil || got.Outcome != Previewed || got.Preview.Blocked() == nil || got.Preview.Blocked().Guardrail != "max-step-pct" {
			t.Fatalf("preview %+v, %v; want one that names max-step-pct", got, err)
		}
		made := b.execute(t, b.to(61))
		wantOutcome(t, made, Refused)
		if made.Change != nil || len(b.rows(t)) != 0 || made.Refusal.Reason != "guardrail:max-step-pct" {
			t.Errorf("refusal %+v, rows %+v", made.Refusal, b.rows(t))
		}
		b.wantTraffic(t, 0, 0)
	})
}

func TestChangesAreCountedPerCampaignInSlidingWindows(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		var last Result
		for _, major := range []int64{51, 52, 53} {
			last = b.execute(t, b.to(major))
			wantOutcome(t, last, Executed)
			b.clock.Advance(time.Minute)
		}
		fourth := b.execute(t, b.to(54))
		wantOutcome(t, fourth, Refused)
		if fourth.Refusal.Reason != "guardrail:per-hour" {
			t.Errorf("refusal %+v", fourth.Refusal)
		}
		back, err := b.Rollback(t.Context(), b.workspace, operator, last.Change.ID, "", true)
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, back, Executed)
		b.clock.Advance(57 * time.Minute) // the first change is an hour ago
		wantOutcome(t, b.execute(t, b.to(54)), Executed)
		wantOutcome(t, b.execute(t, b.to(55)), Refused)
	})
}

func TestStopBlocksToolsAndNotAPersonsRollback(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		made := b.execute(t, b.to(55))
		wantOutcome(t, made, Executed)
		b.limits(t, func(g *control.Guardrails) { g.Stop = true })
		for _, r := range []Request{b.to(56), b.asks(ads.Pause)} {
			if _, err := b.preview(t, r); err != nil {
				t.Errorf("a preview: %v", err)
			}
			wantOutcome(t, b.execute(t, r), Refused)
		}
		b.wantTraffic(t, 1, 1)
		back, err := b.Rollback(t.Context(), b.workspace, operator, made.Change.ID, "", true)
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, back, Executed)
		b.wantTraffic(t, 2, 2)
	})
}

func TestAPreviewOfTheSameCallerComesFirst(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.limits(t, func(g *control.Guardrails) { g.PreviewFirst = true })
		wantOutcome(t, b.execute(t, b.to(55)), Refused)
		if _, err := b.Preview(t.Context(), b.workspace, Caller{Actor: "key:k2"}, b.to(55)); err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, b.execute(t, b.to(55)), Refused)
		for _, major := range []int64{56, 55} {
			if _, err := b.preview(t, b.to(major)); err != nil {
				t.Fatal(err)
			}
		}
		b.clock.Advance(31 * time.Minute)
		wantOutcome(t, b.execute(t, b.to(55)), Refused)
		if _, err := b.preview(t, b.to(55)); err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, b.execute(t, b.to(55)), Executed)
		b.wantTraffic(t, 1, 1)
	})
}

func TestLimitsApplyToAccountsInAnotherCurrency(t *testing.T) {
	t.Parallel()
	b := newBench(t, measure.Facebook)
	b.accounts[measure.Facebook] = []ads.Platform{b.facebook(t, "JPY")}
	b.perUnit = 1 // yen have no minor unit
	b.limits(t, func(g *control.Guardrails) { g.Ceiling = usd(3500) })
	got := b.execute(t, b.to(5500))
	wantOutcome(t, got, Refused)
	if !strings.Contains(got.Refusal.Text, "no exchange rate from JPY to USD") {
		t.Errorf("refusal %+v", got.Refusal)
	}
	b.rates["JPYUSD"] = "0.0064"
	got = b.execute(t, b.to(5500)) // USD 35.20
	wantOutcome(t, got, Refused)
	if !strings.Contains(got.Refusal.Text, "JPY 5,500 (USD 35.20) is above the ceiling of USD 35.00") {
		t.Errorf("refusal %+v", got.Refusal)
	}
	b.wantTraffic(t, 0, 0)
	wantOutcome(t, b.execute(t, b.to(5400)), Executed)
	if b.budget() != 5400 {
		t.Errorf("the budget is %d yen, want 5400", b.budget())
	}
}

func TestChangesAboveALimitNeedAnotherMember(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.limits(t, func(g *control.Guardrails) { g.ApproveAbove = usd(5200) })
		asked := b.execute(t, b.to(55))
		wantOutcome(t, asked, Awaiting)
		if again := b.execute(t, b.to(55)); again.Change.ID != asked.Change.ID {
			t.Errorf("the same request is a second row %s", again.Change.ID)
		}
		b.wantTraffic(t, 0, 0)
		id := asked.Change.ID
		ana, ben := Caller{Actor: "key:k1", Person: true}, Caller{Actor: "assay test", Person: true}
		_, err := b.Approve(t.Context(), b.workspace, ana, id, "")
		wantError(t, err, fault.KindForbidden, "same person")
		_, err = b.Approve(t.Context(), b.workspace, ben, id, ben.Actor)
		wantError(t, err, fault.KindForbidden, "same person")
		b.person(5100)
		_, err = b.Approve(t.Context(), b.workspace, ben, id, "")
		wantError(t, err, fault.KindConflict, "USD 51.00")
		b.person(5000)
		b.limits(t, func(g *control.Guardrails) { g.StepPct = 5 })
		refused, err := b.Approve(t.Context(), b.workspace, ben, id, "")
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, refused, Refused)
		b.wantTraffic(t, 0, 0)
		b.limits(t, func(g *control.Guardrails) { g.StepPct = 20 })
		made, err := b.Approve(t.Context(), b.workspace, ben, id, "")
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, made, Executed)
		if row := b.row(t, id); row.Status != control.ChangeApplied || row.ApprovedBy != ben.Actor || row.Actor != "key:k1" {
			t.Errorf("row %+v", row)
		}
		b.wantTraffic(t, 1, 1)
		_, err = b.Approve(t.Context(), b.workspace, ben, id, "")
		wantError(t, err, fault.KindConflict, "applied")
	})
}

// The approval limit is lowered after the change was checked and before it is sent to the platform.
func TestAChangeThatNeedsApprovalMeanwhileIsNotSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.sim.Script(
			simulator.Fault{On: simulator.Campaign, Do: simulator.Serve},
			simulator.Fault{On: simulator.Campaign, Do: simulator.Serve, Before: func() {
				b.limits(t, func(g *control.Guardrails) { g.ApproveAbove = usd(5200) })
			}},
		)
		got := b.execute(t, b.to(55))
		wantOutcome(t, got, Refused)
		if row := b.row(t, got.Change.ID); row.Status != control.ChangeFailed {
			t.Errorf("the row is %s, want failed", row.Status)
		}
		b.wantTraffic(t, 0, 0)
	})
}

func TestAChangeIsRejectedOrExpires(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.limits(t, func(g *control.Guardrails) { g.ApproveAbove = usd(5200) })
		ben := Caller{Actor: "assay test", Person: true}
		first, second := b.execute(t, b.to(55)), b.execute(t, b.to(56))
		row, err := b.Reject(t.Context(), b.workspace, ben, first.Change.ID, "Not now.")
		if err != nil || row.Status != control.ChangeRejected || !strings.Contains(b.row(t, row.ID).Problem, "Not now.") {
			t.Errorf("row %+v, %v; want rejected with the reason", row, err)
		}
		_, err = b.Approve(t.Context(), b.workspace, ben, first.Change.ID, "")
		wantError(t, err, fault.KindConflict, "rejected")
		b.clock.Advance(24*time.Hour - time.Microsecond)
		if row := b.row(t, second.Change.ID).AsOf(b.clock.Now()); row.Status != control.ChangeAwaiting {
			t.Errorf("before 24 hours the row is %s", row.Status)
		}
		b.clock.Advance(time.Microsecond)
		_, err = b.Approve(t.Context(), b.workspace, ben, second.Change.ID, "")
		wantError(t, err, fault.KindConflict, "expired")
		if row := b.row(t, second.Change.ID); row.Status != control.ChangeExpired {
			t.Errorf("after 24 hours the row is %s", row.Status)
		}
		b.wantTraffic(t, 0, 0)
		if third := b.execute(t, b.to(56)); third.Outcome != Awaiting || third.Change.ID == second.Change.ID {
			t.Errorf("a new request is %+v, want a new row", third.Change)
		}
	})
}

func TestAChangeIsRejectedWhileAnotherIsInProgress(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.limits(t, func(g *control.Guardrails) { g.ApproveAbove = usd(5200) })
		asked := b.execute(t, b.to(55))
		wantOutcome(t, asked, Awaiting)
		first := b.restarted()
		first.Accounts = oneAccount{killed{b.accounts[b.platform][0], false}}
		if _, err := first.Execute(t.Context(), b.workspace, key, b.asks(ads.Pause)); err == nil {
			t.Fatal("the process did not end")
		}
		ben := Caller{Actor: "assay test", Person: true}
		row, err := b.Reject(t.Context(), b.workspace, ben, asked.Change.ID, "Not now.")
		if err != nil || row.Status != control.ChangeRejected {
			t.Fatalf("row %+v, %v; want rejected", row, err)
		}
		if stored := b.row(t, asked.Change.ID); stored.Status != control.ChangeRejected {
			t.Errorf("the stored row is %s, want rejected", stored.Status)
		}
		_, err = b.Approve(t.Context(), b.workspace, ben, asked.Change.ID, "")
		wantError(t, err, fault.KindConflict, "rejected")
	})
}

func TestARollbackIsMadeOnceAndNotOverALaterChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		first := b.execute(t, b.to(52))
		b.clock.Advance(time.Minute)
		second := b.execute(t, b.to(54))
		_, err := b.Rollback(t.Context(), b.workspace, operator, first.Change.ID, "", true)
		wantError(t, err, fault.KindConflict, string(second.Change.ID))
		seen, err := b.Rollback(t.Context(), b.workspace, operator, second.Change.ID, "", false)
		if err != nil || seen.Outcome != Previewed || seen.Preview.New != second.Change.Previous {
			t.Fatalf("preview of a rollback %+v, %v", seen, err)
		}
		b.wantTraffic(t, 2, 2)
		back, err := b.Rollback(t.Context(), b.workspace, operator, second.Change.ID, "Too early.", true)
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, back, Executed)
		if row := b.row(t, second.Change.ID); row.RolledBackBy != back.Change.ID || back.Change.RollsBack != row.ID ||
			back.Change.Reason != "Too early." || back.Change.Actor != operator.Actor {
			t.Errorf("rows %+v and %+v", row, back.Change)
		}
		_, err = b.Rollback(t.Context(), b.workspace, operator, second.Change.ID, "", true)
		wantError(t, err, fault.KindConflict, "already rolled back")
		b.wantTraffic(t, 3, 3)
		b.person(9000)
		_, err = b.Rollback(t.Context(), b.workspace, operator, first.Change.ID, "", true)
		wantError(t, err, fault.KindConflict, "USD 90.00")
		b.person(5200)
		if back, err = b.Rollback(t.Context(), b.workspace, operator, first.Change.ID, "", true); err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, back, Executed)
		if b.budget() != 5000 {
			t.Errorf("the budget is %d, want 5000", b.budget())
		}
		other := b.workspace
		other.ID = "mill"
		_, err = b.Rollback(t.Context(), other, operator, back.Change.ID, "", true)
		wantError(t, err, fault.KindNotFound, string(back.Change.ID))
	})
}

func TestAChangeIsRolledBackAfterALaterChangeWithAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		first := b.execute(t, b.to(52))
		wantOutcome(t, first, Executed)
		b.clock.Advance(time.Minute)
		b.sim.Script(simulator.Fault{On: simulator.Writes, Do: simulator.Drop, Before: func() { b.person(7000) }})
		wantOutcome(t, b.execute(t, b.to(54)), Unknown)
		_, err := b.Rollback(t.Context(), b.workspace, operator, first.Change.ID, "", true)
		wantError(t, err, fault.KindConflict, "the live value is USD 70.00")
		b.person(5200)
		back, err := b.Rollback(t.Context(), b.workspace, operator, first.Change.ID, "", true)
		if err != nil {
			t.Fatal(err)
		}
		if wantOutcome(t, back, Executed); b.budget() != 5000 {
			t.Errorf("the budget is %d, want 5000", b.budget())
		}
	})
}
