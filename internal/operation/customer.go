package operation

import (
	"context"

	"assay/internal/fault"
	"assay/internal/ingest/source"
)

// Customer names a customer of the store.
type Customer struct {
	Name   string   `json:"customer"`         // email address, phone number or customer ID in the shop
	Hashes []string `json:"hashes,omitempty"` // keyed hashes of the customer, if a webhook message named the customer
}

// Forgotten is the result of forgetting a customer.
type Forgotten struct {
	Orders int `json:"orders"` // number of the customer's orders that are now anonymous
}

// ForgetCustomer removes a customer from all orders, now and in later imports. The customer is first recorded in the
// control data, so that later imports omit the customer. If the process ends before the facts are changed, the
// operation is repeated.
var ForgetCustomer = Operation[Customer, Forgotten]{
	Spec{Name: "customer.forget", Needs: Manage, Facts: true, Locks: true, Undo: "The action cannot be undone."},
	(*Run).forgetCustomer,
}

func (r *Run) forgetCustomer(ctx context.Context, c Customer) (Forgotten, error) {
	hashes := c.Hashes
	if len(hashes) == 0 {
		hashes = source.NewCustomers(r.Installation.HashKey(r.Workspace.ID)).Hashes(c.Name)
	}
	if len(hashes) == 0 {
		return Forgotten{}, fault.Invalid("the customer is missing").
			WithHint("name the customer by email address, phone number or customer ID in the shop")
	}
	hashes, err := r.Warehouse.KnownAs(ctx, r.Workspace.ID, hashes...)
	if err != nil {
		return Forgotten{}, err
	}
	if err := r.Store.ForgetCustomers(ctx, r.Workspace.ID, hashes, r.By()); err != nil {
		return Forgotten{}, err
	}
	orders, err := r.Warehouse.Forget(ctx, r.Workspace.ID, r.Workspace.Currency, hashes...)
	return Forgotten{Orders: orders}, err
}
