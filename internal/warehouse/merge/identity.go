package merge

import (
	"context"

	"assay/internal/warehouse/facts"
)

// unite gives all facts of a customer one hash, based on the ties in the import and in the store. It updates stored
// facts with another hash, and sets the hash of imported facts before the comparison. See docs/decisions/0015.
func (i identities) unite(ctx context.Context) error {
	if ties := i.of(facts.TiesTable); ties.rows > 0 {
		if err := i.tie(ctx, ties); err != nil {
			return err
		}
		if err := i.move(ctx); err != nil {
			return err
		}
	}
	any, err := i.any(ctx, "identities")
	if err != nil || !any {
		return err
	}
	for _, t := range []*facts.Table{facts.OrdersTable, facts.ProfilesTable} {
		of := i.of(t)
		if of.rows == 0 {
			continue
		}
		into := stage(t)
		if of.direct {
			into, of.Tied = i.texts.table(t.Stored), true // two orders at one instant may now belong to one customer
		}
		if err := i.run(ctx, "sql/name_customers", args{"into": into}); err != nil {
			return err
		}
	}
	return nil
}

// tie updates the table identities. It also creates the table moved, which contains the hashes that now belong to
// another customer.
func (i identities) tie(ctx context.Context, ties *part) error {
	if err := i.run(ctx, "sql/tied", args{"from": i.from(ties)}); err != nil {
		return err
	}
	for changed := int64(1); changed > 0; {
		var err error
		if changed, err = i.change(ctx, "sql/follow_ties", nil); err != nil {
			return err
		}
	}
	return i.run(ctx, "sql/put_identities", nil)
}

// move updates the hash of stored orders and profiles that now belong to another customer.
func (i identities) move(ctx context.Context) error {
	n, err := i.count(ctx, "moved")
	if err != nil || n == 0 {
		return err
	}
	if !i.of(facts.OrdersTable).direct { // with direct, all stored orders are from this import
		if err := i.run(ctx, "sql/moved_orders", nil); err != nil {
			return err
		}
		if err := i.noteOrders(ctx); err != nil { // records the customers with their previous hash
			return err
		}
		if err := i.run(ctx, "sql/move_orders", nil); err != nil {
			return err
		}
	}
	if i.of(facts.ProfilesTable).direct {
		return nil
	}
	return i.run(ctx, "sql/move_profiles", nil)
}
