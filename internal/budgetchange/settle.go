package budgetchange

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"assay/internal/ads"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/panics"
)

// unsettled is a row with an unknown outcome.
type unsettled struct {
	row      control.BudgetChange
	from     time.Time // start of the series of reads
	deadline time.Time // deadline of the write; for a row that no process is writing, the time of its first read
	next     int       // number of the next read
}

// later queues a row, so that Run settles it. It returns false if Run is not running.
func (e *Executor) later(row control.BudgetChange, from, deadline time.Time, next int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.serving {
		return false
	}
	e.own[row.ID] = true
	e.waiting = append(e.waiting, unsettled{row, from, deadline, next})
	select {
	case e.wake <- struct{}{}:
	default:
	}
	return true
}

// Run settles unknown outcomes until ctx ends: first the outcomes of ended processes, then the outcomes of this
// process. A series of reads that ctx interrupts begins again with the next Run. At its start, and whenever it receives
// a value from the channel tick, Run ends changes that waited too long for approval. It then also settles pending rows
// after their deadline. These are rows with an outcome that could not be stored and, with a shared store, rows of ended
// processes.
func (e *Executor) Run(ctx context.Context, tick <-chan time.Time) error {
	var work panics.Group
	defer work.Wait()
	e.serve(true)
	defer e.serve(false)
	e.expire(ctx)
	left, err := e.leftOver(ctx, !e.Shared, control.ChangePending, control.ChangeUnknown)
	if err != nil {
		return err
	}
	for {
		for _, u := range left {
			work.Go(func() { e.settleOwned(ctx, u) })
		}
		left = nil
		select {
		case <-e.wake:
			e.mu.Lock()
			waiting := e.waiting
			e.waiting = nil
			e.mu.Unlock()
			for _, u := range waiting {
				work.Go(func() { e.settleOwned(ctx, u) })
			}
		case <-tick:
			e.expire(ctx)
			if left, err = e.leftOver(ctx, false, control.ChangePending); err != nil && ctx.Err() == nil {
				e.Log.WarnContext(ctx, "pending changes cannot be read", slog.Any("error", err))
			}
		case <-ctx.Done():
			return nil
		}
	}
}

func (e *Executor) serve(yes bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.serving = yes
}

// maxLeft is the maximum number of rows that Run reads at its start and at each tick.
const maxLeft = 10_000

// lookBack is the maximum age of a change with an unknown outcome for which Run, at its start, tries again to read the
// live value.
const lookBack = 7 * 24 * time.Hour

// maxSkew is the maximum difference between the clocks of processes with a shared store.
const maxSkew = time.Minute

// leftOver returns the rows that have one of the statuses and that no running process settles. These are pending rows,
// and recent unknown rows for which no live value was read. It omits unknown rows if the campaign was changed later. It
// also omits rows that a process may still be writing. If the parameter idle is true, no process is writing.
func (e *Executor) leftOver(ctx context.Context, idle bool, statuses ...control.ChangeStatus) (left []unsettled, err error) {
	now := e.Clock.Now()
	rows, err := e.Store.BudgetChanges(ctx, control.BudgetChangeFilter{Statuses: statuses, Limit: maxLeft})
	if err != nil {
		return nil, err
	}
	for _, c := range rows {
		deadline := now
		if c.Deadline.After(now) {
			deadline = c.Deadline
		}
		switch c.Status {
		case control.ChangePending:
			if !idle && now.Before(c.Deadline.Add(maxSkew)) {
				continue
			}
		default:
			if !c.Live.IsZero() || now.Sub(c.At) > lookBack {
				continue
			}
			later, err := e.laterChange(ctx, c, control.ChangePending, control.ChangeApplied, control.ChangeUnknown)
			if err != nil {
				return nil, err
			}
			if later != nil {
				continue
			}
		}
		e.mu.Lock()
		if _, own := e.own[c.ID]; !own {
			e.own[c.ID] = true
			left = append(left, unsettled{c, now, deadline, 0})
		}
		e.mu.Unlock()
	}
	return left, nil
}

// laterChange returns a change that was made after c, or nil if there is none. It has the same field as c, the same
// campaign or shared budget, and one of the statuses. Rollbacks and changes that were rolled back are omitted.
func (e *Executor) laterChange(ctx context.Context, c control.BudgetChange, statuses ...control.ChangeStatus) (
	*control.BudgetChange, error,
) {
	rows, err := e.Store.BudgetChanges(ctx, control.BudgetChangeFilter{
		Workspace: c.Workspace, Platform: c.Platform, Account: c.Account, Campaign: c.Campaign, Budget: c.Budget, Since: c.At,
		Limit: maxRecent, Statuses: statuses,
	})
	if err != nil {
		return nil, err
	}
	for _, later := range rows {
		if later.ID != c.ID && later.Field == c.Field && later.RolledBackBy == "" && later.RollsBack == "" && made(later).After(made(c)) {
			return &later, nil
		}
	}
	return nil, nil
}

// made returns the time of a change's request or approval.
func made(c control.BudgetChange) time.Time {
	if c.ApprovedBy != "" && !c.SettledAt.IsZero() {
		return c.SettledAt
	}
	return c.At
}

func (e *Executor) settleOwned(ctx context.Context, u unsettled) {
	e.settle(ctx, u)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.own, u.row.ID)
}

// settle reads the live value until the outcome is known, and returns the settled row. If all scheduled reads fail, the
// outcome stays unknown.
func (e *Executor) settle(ctx context.Context, u unsettled) control.BudgetChange {
	for n := u.next; ; n++ {
		after, more := ads.NextLook(n, u.deadline.Sub(u.from))
		if !more {
			break
		}
		if wait := u.from.Add(after).Sub(e.Clock.Now()); wait > 0 {
			if err := e.Clock.Sleep(ctx, wait); err != nil {
				return u.row // the next process settles the row
			}
		}
		account, err := e.accountOf(ctx, u.row.Workspace, u.row.Platform, u.row.Account)
		if err != nil {
			u.row.Problem = refusalOf(err).Text
			continue
		}
		row, done := e.look(ctx, u.row, account, u.deadline)
		if done {
			return row
		}
		u.row.Problem = row.Problem
	}
	if ctx.Err() != nil {
		return u.row
	}
	from := u.row.Status
	u.row.Status = control.ChangeUnknown
	return e.settled(ctx, u.row, from)
}

// look reads the live value once and settles the row if the value determines the outcome.
func (e *Executor) look(ctx context.Context, row control.BudgetChange, account ads.Platform, deadline time.Time) (control.BudgetChange, bool) {
	live, raw, err := e.live(ctx, account, row)
	var seen *ads.Value
	if err == nil {
		seen = &raw
	} else {
		row.Problem = refusalOf(err).Text
	}
	from := row.Status
	switch ads.Settle(rawOf(row.Previous), rawOf(row.New), seen, e.Clock.Now().Sub(deadline)) {
	case ads.SettleApplied:
		row.Status, row.Rejection, row.Problem = control.ChangeApplied, "", ""
	case ads.SettleFailed:
		row.Status = control.ChangeFailed
		if row.Problem == "" {
			row.Problem = "The change did not reach " + ads.DisplayName(row.Platform) + "."
		}
	case ads.SettleUnknown:
		row.Status = control.ChangeUnknown
		row.Problem = strings.TrimSpace(row.Problem + fmt.Sprintf(" The live value is %s, neither the previous nor the new value.", live))
	case ads.SettleWait, ads.SettleUnread:
		return row, false
	}
	row.Live = live
	return e.settled(ctx, row, from), true
}

// settled stores the final status of a row.
func (e *Executor) settled(ctx context.Context, row control.BudgetChange, from control.ChangeStatus) control.BudgetChange {
	stored, err := e.update(ctx, row, from)
	switch {
	case fault.KindOf(err) == fault.KindConflict: // settled by another process
		if now, err := e.Store.BudgetChange(ctx, row.ID); err == nil {
			return now
		}
	case err != nil:
		e.log(ctx, row, "the outcome of a change on an ad platform cannot be recorded", err)
	default:
		e.Log.InfoContext(ctx, "outcome of a change on an ad platform settled", slog.String("workspace", string(row.Workspace)),
			slog.String("change", string(row.ID)), slog.String("status", string(row.Status)))
	}
	return stored
}

// rawOf returns a value of a row as an [ads.Value].
func rawOf(v control.ChangeValue) ads.Value {
	if v.Amount.Currency != "" {
		return ads.Value{Amount: v.Amount}
	}
	return ads.Value{Status: ads.Status(v.Text)}
}

// expire ends changes that waited too long for approval.
func (e *Executor) expire(ctx context.Context) {
	rows, err := e.Store.BudgetChanges(ctx, control.BudgetChangeFilter{
		Statuses: []control.ChangeStatus{control.ChangeAwaiting}, Limit: maxLeft,
	})
	if err != nil {
		if ctx.Err() == nil {
			e.Log.WarnContext(ctx, "changes that wait for approval cannot be read", slog.Any("error", err))
		}
		return
	}
	for _, c := range rows {
		if ended := c.AsOf(e.Clock.Now()); ended.Status == control.ChangeExpired {
			if _, err := e.Store.UpdateBudgetChange(ctx, ended, control.ChangeAwaiting, e.system()); err != nil && fault.KindOf(err) != fault.KindConflict {
				e.log(ctx, c, "the expiry of a change without approval cannot be recorded", err)
			}
		}
	}
}
