package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"assay/internal/measure"
	"assay/internal/money"
)

// Forgotten returns the forgotten customers as keyed hashes. A workspace must not store personal data of these
// customers.
type Forgotten func(ctx context.Context, ws measure.WorkspaceID) (map[string]struct{}, error)

// Forgetting sets the customers that all later imports exclude. Call Forgetting before using the warehouse.
func (w *Warehouse) Forgetting(forgotten Forgotten) { w.forgotten = forgotten }

// KnownAs returns the keyed hashes of customers and of their email addresses, IDs and phone numbers, without
// duplicates. A phone number of only one customer identifies this customer, and all the customer's hashes are included.
// A phone number of several customers, such as a family, identifies none of them.
func (w *Warehouse) KnownAs(ctx context.Context, ws measure.WorkspaceID, customers ...string) ([]string, error) {
	var all []string
	add := func(hash string) {
		if hash != "" && !slices.Contains(all, hash) {
			all = append(all, hash)
		}
	}
	addSame := func() error {
		for _, known := range slices.Clone(all) {
			if err := w.sameAs(ctx, ws, known, add); err != nil {
				return err
			}
		}
		return nil
	}
	for _, customer := range customers {
		add(customer)
	}
	if err := addSame(); err != nil {
		return nil, err
	}
	for _, number := range slices.Clone(all) {
		owners := map[string]struct{}{}
		err := w.profilesOf(ctx, ws, number, func(customer, phone string) {
			if phone == number && customer != number {
				owners[customer] = struct{}{}
			}
		})
		if err != nil {
			return nil, err
		}
		if len(owners) == 1 {
			for owner := range owners {
				add(owner)
			}
		}
	}
	if err := addSame(); err != nil {
		return nil, err
	}
	for _, known := range slices.Clone(all) {
		err := w.profilesOf(ctx, ws, known, func(customer, phone string) {
			if customer == known {
				add(phone)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sameAs calls the function tell with every hash of the customer who has the given hash.
func (w *Warehouse) sameAs(ctx context.Context, ws measure.WorkspaceID, hash string, tell func(hash string)) error {
	err := w.ask(ctx, ws, "same_customer", values{"customer": hash}, func(row Row) error {
		var known string
		err := row.Scan(&known)
		tell(known)
		return err
	})
	if err != nil {
		return fmt.Errorf("identity of a customer: %w", err)
	}
	return nil
}

// profilesOf calls the function tell with the hashes of each profile that has the given hash as customer or phone
// number.
func (w *Warehouse) profilesOf(ctx context.Context, ws measure.WorkspaceID, hash string, tell func(customer, phone string)) error {
	err := w.ask(ctx, ws, "known_as", values{"customer": hash}, func(row Row) error {
		var customer, phone string
		err := row.Scan(&customer, &phone)
		tell(customer, phone)
		return err
	})
	if err != nil {
		return fmt.Errorf("profiles of a customer: %w", err)
	}
	return nil
}

// Forget deletes customers, identified by keyed hash. It removes the customers from their orders and deletes their
// profiles. The orders remain as anonymous orders, so only figures by customer change, not totals. Forget returns the
// number of these orders.
func (w *Warehouse) Forget(ctx context.Context, ws measure.WorkspaceID, base money.Currency, customers ...string) (int, error) {
	load, err := w.engine.Begin(ctx, ImportSpec{Workspace: ws, Source: "forget", File: "customers who are forgotten", Base: base, Forget: customers})
	if err != nil {
		return 0, err
	}
	defer load.Abort()
	// From here on, no other import can change the workspace.
	profiles := false
	for _, customer := range customers {
		for _, question := range []string{"known_as", "same_customer"} {
			err := w.ask(ctx, ws, question, values{"customer": customer}, func(Row) error { profiles = true; return nil })
			if err != nil {
				return 0, err
			}
		}
	}
	var theirs Batch
	for _, customer := range customers {
		orders, err := w.ordersOf(ctx, ws, customer)
		if err != nil {
			return 0, err
		}
		theirs.Orders = append(theirs.Orders, orders...)
	}
	if len(theirs.Orders) == 0 && !profiles {
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

// ordersOf returns a customer's orders and leaves their customer field empty.
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

// forgetfulImport is an import that excludes forgotten customers.
type forgetfulImport struct {
	Import
	forgotten map[string]struct{}
}

// Add adds rows and changes the batch itself. Orders of forgotten customers become anonymous. Profiles and ties of
// forgotten customers are dropped. If the batch ties an email address to a forgotten ID, or an ID to a forgotten email
// address, Add also forgets the address or ID.
func (i *forgetfulImport) Add(ctx context.Context, b *Batch) error {
	b.Ties = slices.DeleteFunc(b.Ties, func(t CustomerTie) bool {
		_, id := i.forgotten[t.KnownAs]
		_, address := i.forgotten[t.Customer]
		if id || address {
			i.forgotten[t.KnownAs], i.forgotten[t.Customer] = struct{}{}, struct{}{}
		}
		return id || address
	})
	for n := range b.Orders {
		if _, gone := i.forgotten[b.Orders[n].Customer]; gone {
			b.Orders[n].Customer = ""
		}
	}
	b.Profiles = slices.DeleteFunc(b.Profiles, func(p Profile) bool {
		_, gone := i.forgotten[p.Customer]
		_, called := i.forgotten[p.Phone]
		return gone || called && p.Phone != ""
	})
	return i.Import.Add(ctx, b)
}

// begin starts an import that excludes forgotten customers.
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
	return &forgetfulImport{Import: load, forgotten: maps.Clone(forgotten)}, nil
}
