package app

import (
	"context"
	"errors"
	"time"

	"assay/internal/ads"
	"assay/internal/auth"
	"assay/internal/budgetchange"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/source"
	"assay/internal/money"
	"assay/internal/operation"
	"assay/internal/warehouse"
)

// newBudgets returns the executor of budget changes on the accounts.
func (a *App) newBudgets(accounts budgetchange.Accounts) *budgetchange.Executor {
	return budgetchange.New(budgetchange.Options{
		Store: a.control.Store, Accounts: accounts, Rates: budgetRates{a.facts, a.now}, Clock: ads.RealClock(a.now), Log: a.log,
		WriteTime: writeCalls * a.config.AdsTimeout, Shared: a.config.ControlURL.Text() != "",
	})
}

// writeCalls is the maximum number of calls of one write: the write, the renewal of a token, and the write again.
const writeCalls = 3

// settleEvery is the interval between checks for changes that waited too long for approval, and for pending changes
// that no node settles.
const settleEvery = time.Minute

// settleBudgets settles unknown outcomes of changes until ctx ends.
func (a *App) settleBudgets(ctx context.Context) error {
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	return a.budgets.Run(ctx, tick.C)
}

// budgetTools applies the changes that tools request, with the permission of their caller.
type budgetTools struct{ app *App }

// Preview implements [toolkit.BudgetChanges].
func (b budgetTools) Preview(ctx context.Context, p auth.Principal, r budgetchange.Request) (budgetchange.Result, error) {
	return operation.PreviewBudgetChange.Do(ctx, b.app.operations, clientCall(p), r)
}

// Execute implements [toolkit.BudgetChanges].
func (b budgetTools) Execute(ctx context.Context, p auth.Principal, r budgetchange.Request) (budgetchange.Result, error) {
	return operation.ExecuteBudgetChange.Do(ctx, b.app.operations, clientCall(p), r)
}

func clientCall(p auth.Principal) operation.Call {
	return operation.Call{Workspace: p.Workspace.ID, Caller: operation.Client(p)}
}

// budgetRates converts amounts at the exchange rates of the store.
type budgetRates struct {
	facts *warehouse.Warehouse
	now   func() time.Time
}

// Convert implements [budgetchange.Rates]. The store has rates to the workspace's currency only.
func (b budgetRates) Convert(ctx context.Context, w control.Workspace, a money.Amount, to money.Currency) (money.Amount, error) {
	none := func(reason string) (money.Amount, error) {
		return money.Amount{}, fault.NotReady("%s", reason).
			WithHint("Import the rates: a CSV with the columns date, from, to, rate (assay import FILE --workspace %s).", w.ID)
	}
	if to != w.Currency {
		return none("the limit is in " + string(to) + ", which is not the currency of the workspace")
	}
	known, err := b.facts.FXRates(ctx, w.ID)
	if err != nil {
		return money.Amount{}, err
	}
	rates, err := ingest.RatesOf(known)
	if err != nil {
		return money.Amount{}, err
	}
	minor := a.Minor
	err = source.NewConverter(to, rates).Convert(civil.DayOf(b.now(), w.Location()), a.Currency, &minor)
	if missing, ok := errors.AsType[*source.RowError](err); ok {
		return none(missing.Reason)
	}
	return money.Amount{Minor: minor, Currency: to}, err
}
