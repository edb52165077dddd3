package warehouse

import (
	"context"
	"database/sql"
	"fmt"

	"assay/internal/measure"
	"assay/internal/money"
)

// Forgotten tells which customers are to leave no trace in a workspace, as keyed hashes.
type Forgotten func(ctx context.Context, ws measure.WorkspaceID) (map[string]struct{}, error)

// Forgetting makes every import from now on leave these customers out of its orders. It is called before the warehouse
// is used.
func (w *Warehouse) Forgetting(forgotten Forgotten) { w.forgotten = forgotten }

// Forget takes customers, by their keyed hashes, off all of their orders. The orders stay, as orders of nobody: totals do
// not change, and what is counted by customer does. It returns how many orders were theirs.
func (w *Warehouse) Forget(ctx context.Context, ws measure.WorkspaceID, base money.Currency, customers ...string) (int, error) {
	load, err := w.engine.Begin(ctx, ImportSpec{Workspace: ws, Source: "forget", File: "customers who are forgotten", Base: base})
	if err != nil {
		return 0, err
	}
	defer load.Abort()
	// From here on nobody else changes the workspace.
	var theirs Batch
	for _, customer := range customers {
		orders, err := w.ordersOf(ctx, ws, customer)
		if err != nil {
			return 0, err
		}
		theirs.Orders = append(theirs.Orders, orders...)
	}
	if len(theirs.Orders) == 0 {
		return 0, nil
	}
	if err := load.Add(ctx, &theirs); err != nil {
		return 0, err
	}
	if _, err := load.Commit(ctx); err != nil {
		return 0, fmt.Errorf("orders of forgotten customers: %w", err)
	}
	return len(theirs.Orders), nil
}

// ordersOf returns a customer's orders without the customer.
func (w *Warehouse) ordersOf(ctx context.Context, ws measure.WorkspaceID, customer string) ([]Order, error) {
	var orders []Order
	err := w.ask(ctx, ws, "orders_of_customer", values{"customer": customer}, func(row Row) error {
		var o Order
		var updated sql.NullTime
		err := row.Scan(&o.Source, &o.Key, &o.Name, &o.At, &o.Day, &o.Surface, &o.Channel, &o.Charged, &o.Tax, &o.Shipping, &o.Discounts,
			&o.Original.Minor, &o.Original.Currency, &o.Status, &o.Cancelled, &o.Test, &o.Country, &o.Region, &o.Units, &updated)
		o.UpdatedAt = updated.Time
		orders = append(orders, o)
		return err
	})
	return orders, err
}

// forgetfulImport leaves forgotten customers out.
type forgetfulImport struct {
	Import
	forgotten map[string]struct{}
}

// Add takes rows. Orders of forgotten customers become orders of nobody, in the batch too.
func (i *forgetfulImport) Add(ctx context.Context, b *Batch) error {
	for n := range b.Orders {
		if _, gone := i.forgotten[b.Orders[n].Customer]; gone {
			b.Orders[n].Customer = ""
		}
	}
	return i.Import.Add(ctx, b)
}

// begin starts an import that knows whom to forget.
func (w *Warehouse) begin(ctx context.Context, spec ImportSpec) (Import, error) {
	load, err := w.engine.Begin(ctx, spec)
	if err != nil || w.forgotten == nil {
		return load, err
	}
	forgotten, err := w.forgotten(ctx, spec.Workspace)
	if err != nil {
		load.Abort()
		return nil, err
	}
	if len(forgotten) == 0 {
		return load, nil
	}
	return &forgetfulImport{Import: load, forgotten: forgotten}, nil
}
