package app

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/measure"
)

// ForgetRequest names a customer of a store: by mail address, telephone number or the shop's id.
type ForgetRequest struct {
	Workspace measure.WorkspaceID `json:"workspace"`
	Customer  string              `json:"customer"`
	Actor     string              `json:"actor"`
}

// ForgetResult says what became of a customer's traces.
type ForgetResult struct {
	Orders int `json:"orders"` // that were theirs, and are nobody's now
}

// ForgetCustomer forgets a customer, through the service that holds the data directory or directly where none does.
func ForgetCustomer(ctx context.Context, c config.Config, request ForgetRequest, now func() time.Time) (ForgetResult, error) {
	result, err := through(ctx, c, "/customer/forget", request, nil, now, func(a *App) (any, error) {
		return a.forgetCustomer(ctx, request)
	})
	return decoded[ForgetResult](result, err)
}

// forgetFromPage forgets a customer for somebody who looks at a page meanwhile.
func (a *App) forgetFromPage(ctx context.Context, ws measure.WorkspaceID, customer string, by control.By) (orders int, err error) {
	leave, err := a.soon(ctx, ws, "the customer is not forgotten yet")
	if err != nil {
		return 0, err
	}
	defer leave()
	if id, person := by.Person(); person { // whose role may have ended while the import ran
		if err := a.personManages(ws, id)(ctx); err != nil {
			return 0, err
		}
	}
	result, err := a.forgetNamed(ctx, ForgetRequest{Workspace: ws, Customer: customer, Actor: by.Actor})
	return result.Orders, err
}

// forgetCustomer notes the customer first, so that what is imported from then on leaves them out, and then takes them
// off the orders that are there. A process that dies in between has noted them: the command is repeated.
func (a *App) forgetCustomer(ctx context.Context, request ForgetRequest) (ForgetResult, error) {
	leave, err := a.writing.enter(ctx, request.Workspace)
	if err != nil {
		return ForgetResult{}, err
	}
	defer leave()
	return a.forgetNamed(ctx, request)
}

// forgetNamed forgets a customer by name. The caller has the workspace to itself.
func (a *App) forgetNamed(ctx context.Context, request ForgetRequest) (ForgetResult, error) {
	workspace, err := a.control.Store.Workspace(ctx, request.Workspace)
	if err != nil {
		return ForgetResult{}, err
	}
	hashes := source.NewCustomers(a.control.Installation.HashKey(workspace.ID)).Hashes(request.Customer)
	if len(hashes) == 0 {
		return ForgetResult{}, fault.Invalid("no customer is named").WithHint("name a mail address, a telephone number or the shop's id of the customer")
	}
	return a.forget(ctx, workspace, hashes, request.Actor)
}

// forget forgets a customer by keyed hashes. The caller has the workspace to itself.
func (a *App) forget(ctx context.Context, workspace control.Workspace, hashes []string, actor string) (ForgetResult, error) {
	hashes, err := a.facts.KnownAs(ctx, workspace.ID, hashes...)
	if err != nil {
		return ForgetResult{}, err
	}
	if err := a.control.Store.ForgetCustomers(ctx, workspace.ID, hashes, control.By{Actor: actor, At: a.now()}); err != nil {
		return ForgetResult{}, err
	}
	orders, err := a.facts.Forget(ctx, workspace.ID, workspace.Currency, hashes...)
	return ForgetResult{Orders: orders}, err
}

// decoded returns the result of [through] as what it is: made here, or told by the service.
func decoded[R any](result any, err error) (R, error) {
	var told R
	switch r := result.(type) {
	case R:
		told = r
	case json.RawMessage:
		if len(r) > 0 {
			err = errors.Join(err, json.Unmarshal(r, &told))
		}
	}
	return told, err
}
